//! Writing: whole or not at all, and nothing left behind.

use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::tree::{self, Kind, Place};
use crate::reference::{StoreError, VirtualPath};

/// A file that is not yet in its place. Dropped before, it is removed.
pub(super) struct Temporary<'a> {
    dir: &'a Dir,
    /// Empty once the file is in its place.
    name: String,
}

impl<'a> Temporary<'a> {
    /// Writes a text into a hidden file of a directory, with the mode 0600.
    pub fn write(dir: &'a Dir, text: &str) -> Result<Self, StoreError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let (file, temporary) = loop {
            let name = hidden_name();
            match dir.open_with(&name, &options) {
                Ok(file) => break (file, Temporary { dir, name }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        };
        let mut file = file.into_std();
        rustix::fs::fchmod(&file, Mode::RUSR | Mode::WUSR)?;
        file.write_all(text.as_bytes())?;
        Ok(temporary)
    }

    /// Puts the file in the place of another one.
    pub fn replace(mut self, name: &str) -> Result<(), StoreError> {
        rustix::fs::renameat(self.dir, &self.name, self.dir, name)?;
        self.name.clear();
        Ok(())
    }

    /// Puts the file where nothing stands.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where something does.
    pub fn place(mut self, name: &str) -> Result<(), StoreError> {
        move_to_vacant(self.dir, &self.name, self.dir, name)?;
        self.name.clear();
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            // Nothing more can be done for a file that does not let itself be removed; it is hidden.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// A name that no listing shows and that nothing has yet, as far as this process knows.
pub(super) fn hidden_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!(".memconf-{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Moves what has a name in one directory to a name in another, where nothing stands: atomically.
///
/// # Errors
/// [`StoreError::Exists`] where something does.
pub(super) fn move_to_vacant(from: &Dir, old: &str, to: &Dir, new: &str) -> Result<(), StoreError> {
    match no_replace(from, old, to, new) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) => Err(StoreError::Exists),
        // Not every file system can.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => move_in_steps(from, old, to, new),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(any(target_vendor = "apple", target_os = "linux", target_os = "android"))]
fn no_replace(from: &Dir, old: &str, to: &Dir, new: &str) -> Result<(), Errno> {
    rustix::fs::renameat_with(from, old, to, new, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_vendor = "apple", target_os = "linux", target_os = "android")))]
fn no_replace(_: &Dir, _: &str, _: &Dir, _: &str) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// A file by a second link, which never replaces; a directory after a look, and it replaces an empty one at most.
pub(super) fn move_in_steps(from: &Dir, old: &str, to: &Dir, new: &str) -> Result<(), StoreError> {
    if tree::kind(to, new)?.is_some() {
        return Err(StoreError::Exists);
    }
    if tree::kind(from, old)? == Some(Kind::Directory) {
        return Ok(rustix::fs::renameat(from, old, to, new)?);
    }
    match rustix::fs::linkat(from, old, to, new, AtFlags::empty()) {
        Err(Errno::EXIST) => Err(StoreError::Exists),
        linked => Ok(linked.and_then(|()| rustix::fs::unlinkat(from, old, AtFlags::empty()))?),
    }
}

/// The directories that had to be made for a path. Dropped, they are removed as far as they are empty.
pub(super) struct NewParents<'a> {
    root: &'a Dir,
    path: &'a VirtualPath<'a>,
    dir: Dir,
    /// How many directories on the way there were, and how many there are.
    levels: std::ops::Range<usize>,
}

impl<'a> NewParents<'a> {
    /// Makes the directories that are missing on the way to a path, with the mode 0700.
    pub fn make(root: &'a Dir, path: &'a VirtualPath<'a>, place: Place) -> Result<Self, StoreError> {
        let mut made = NewParents { root, path, dir: place.dir, levels: place.levels..place.levels };
        for name in path.parents().skip(place.levels) {
            match rustix::fs::mkdirat(&made.dir, name, Mode::RWXU) {
                Ok(()) => {
                    made.levels.end += 1;
                    made.dir = open_new(&made.dir, name)?;
                }
                // Made by another program in this moment, and not to be removed.
                Err(Errno::EXIST) => {
                    made.dir = tree::open(&made.dir, name)?;
                    made.levels = made.levels.end + 1..made.levels.end + 1;
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(made)
    }

    /// The last directory on the way.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Leaves them.
    pub fn keep(mut self) {
        self.levels.start = self.levels.end;
    }
}

impl Drop for NewParents<'_> {
    fn drop(&mut self) {
        while let Some(last) = self.levels.next_back() {
            let mut names = self.path.names().take(last + 1).collect::<Vec<_>>();
            let Some(name) = names.pop() else { return };
            let Ok(parent) = tree::descend(self.root, names.into_iter()) else { return };
            if parent.remove_dir(name).is_err() {
                return;
            }
        }
    }
}

/// Opens a directory just made and gives it the mode 0700: the umask may have taken some of it.
fn open_new(dir: &Dir, name: &str) -> Result<Dir, StoreError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(dir, name, flags, Mode::empty())?);
    rustix::fs::fchmod(&file, Mode::RWXU)?;
    Ok(Dir::from_std_file(file))
}
