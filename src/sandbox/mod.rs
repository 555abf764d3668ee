//! The disposable directory that a handler is given, with canaries around it, and the view of its store.
//!
//! ```text
//! TMP/memconf-NONCE/          the nonce in the name makes a leaked host path certain
//!   w0/                       one area a worker
//!     start/                  working directory of a handler's process
//!     outer/
//!       abs/                  what `{outside}` stands for
//!       home/                 home directory of a handler that is attacked
//!       c17/                  one a case
//!         memories_evil/  memories-x/  memoriesX/
//!         memories/           the root that the handler is given
//! ```
//!
//! `canary.txt` and `ghost-SECRET.txt` stand in every directory here but `start/` and the root.
//! A canary's first line is the word `canary`; its other lines are secrets that memconf never sends. A secret in
//! a result proves a read (and says of what place), a ghost's name proves a listing, a changed canary a write.

mod area;
mod disk;

pub use area::{Area, OutsideChange, STORE_LEVELS};
pub use disk::{Disk, OnDisk};

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

/// Why the sandbox could not be made or used: memconf's own trouble, never the handler's.
#[derive(Debug, Error)]
#[error("failed to {action} {path}: {source}; check that the temporary folder (TMPDIR) is writable and not full")]
pub struct SandboxError {
    action: &'static str,
    path: PathBuf,
    source: std::io::Error,
}

impl SandboxError {
    fn new(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> SandboxError {
        let path = path.to_path_buf();
        move |source| SandboxError { action, path, source }
    }
}

/// The directory that holds everything of one run. Removed when dropped.
#[derive(Debug)]
pub struct Sandbox {
    path: PathBuf,
    nonce: String,
}

static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Set once the run is interrupted: nothing is made any more.
static CLOSED: AtomicBool = AtomicBool::new(false);

impl Sandbox {
    /// Makes it below the system's temporary folder.
    ///
    /// # Errors
    /// Where that folder is not writable.
    pub fn new() -> Result<Sandbox, SandboxError> {
        let parent = std::env::temp_dir();
        let parent = parent.canonicalize().map_err(SandboxError::new("find", &parent))?;
        let nonce = random_hex();
        let path = parent.join(format!("memconf-{nonce}"));
        private_dir(&path)?;
        if let Ok(mut live) = LIVE.lock() {
            live.push(path.clone());
        }
        Ok(Sandbox { path, nonce })
    }

    /// 32 hexadecimal digits that stand in every path of the sandbox and nowhere else.
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// The area of one worker. Without `real` it has names only and nothing is made: for a handler that cannot
    /// touch a disk.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn area(&self, worker: usize, real: bool) -> Result<Area, SandboxError> {
        Area::new(self.path.join(format!("w{worker}")), self.nonce.clone(), real)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        remove_tree(&self.path);
        if let Ok(mut live) = LIVE.lock() {
            live.retain(|path| path != &self.path);
        }
    }
}

/// Removes every sandbox of this process, for a run that is interrupted; no other can be made afterwards.
pub fn remove_all() {
    CLOSED.store(true, Ordering::SeqCst);
    let live = LIVE.lock().map(|mut live| std::mem::take(&mut *live)).unwrap_or_default();
    live.iter().for_each(|path| remove_tree(path));
}

/// 128 random bits.
pub(crate) fn random_hex() -> String {
    let mut bytes = [0u8; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // No random source: the process id and the clock still differ from run to run.
        let clock = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
        bytes = (clock ^ (u128::from(std::process::id()) << 64)).to_le_bytes();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn private_dir(path: &Path) -> Result<(), SandboxError> {
    if CLOSED.load(Ordering::SeqCst) {
        return Err(SandboxError::new("create", path)(std::io::ErrorKind::Interrupted.into()));
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(SandboxError::new("create", path))
}

/// Removes a tree that memconf made; a link in it is removed, not followed. A directory that a handler made
/// unreadable is opened up first.
fn remove_tree(path: &Path) {
    if std::fs::remove_dir_all(path).is_ok() {
        return;
    }
    open_up(path, 0);
    // What still resists is left to the system's own cleaning of the temporary folder.
    let _ = std::fs::remove_dir_all(path);
}

#[cfg(unix)]
fn open_up(path: &Path, depth: usize) {
    use std::os::unix::fs::PermissionsExt;
    const DEEPEST: usize = 400;
    let Ok(meta) = std::fs::symlink_metadata(path) else { return };
    if !meta.is_dir() || depth > DEEPEST {
        return;
    }
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700));
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        open_up(&entry.path(), depth + 1);
    }
}

#[cfg(not(unix))]
fn open_up(_: &Path, _: usize) {}
