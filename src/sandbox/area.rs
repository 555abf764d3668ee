//! One worker's part of the sandbox: a fresh root for each case, and the canaries that must not change.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

use super::{Disk, SandboxError, private_dir, random_hex, remove_tree};

/// Sibling directories of a store, by suffix: what a prefix check without a separator lets through.
const SIBLINGS: [&str; 3] = ["_evil", "-x", "X"];

/// More siblings, beside a store of the usual name: what a prefix check without regard to case lets through.
const OTHER_CASES: [&str; 2] = ["Memories", "MEMORIES"];

/// How many digits of a canary's number stand behind the area's secret.
const DIGITS: usize = 3;

/// A store that lies deeper below its root than this is not looked at.
pub const STORE_LEVELS: usize = 8;

/// The first line of every canary; scripts may send it.
const KEY_LINE: &str = "canary";

/// One worker's part of the sandbox.
#[derive(Debug)]
pub struct Area {
    path: PathBuf,
    outer: PathBuf,
    nonce: String,
    /// Begins every secret of this area; never sent to a handler.
    secret: String,
    /// Secrets that stand elsewhere, put there by a handler's author.
    further: Vec<String>,
    /// Whether anything is made on disk at all.
    real: bool,
    standing: Vec<Canary>,
    planted: Vec<Canary>,
    watched: Vec<Watched>,
    cases: usize,
    case: Option<PathBuf>,
}

#[derive(Debug)]
struct Canary {
    path: PathBuf,
    text: String,
    seen: Option<Stamp>,
    /// How its place is called in reports: `{case}/memories_evil`.
    place: String,
    /// Stands behind the area's secret in all that it holds.
    number: usize,
}

/// What a write, a replacement, a chmod or a link changes.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    #[cfg(unix)]
    unix: (u64, u32, u64, i64, i64, i64, i64),
}

#[derive(Debug)]
struct Watched {
    path: PathBuf,
    names: BTreeSet<OsString>,
}

/// Something outside the store that a case changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutsideChange {
    /// A file outside was written, replaced, or given other permissions. Its place, as in [`Area::leaked`].
    Changed(String),
    /// A file outside is gone. Its place.
    Removed(String),
    /// Something with a name that the case sent stands outside. Its place, and the name.
    Created(String, String),
}

impl Area {
    pub(super) fn new(path: PathBuf, nonce: String, real: bool) -> Result<Area, SandboxError> {
        let outer = path.join("outer");
        let secret = random_hex();
        let mut area = Area {
            real,
            standing: Vec::new(),
            planted: Vec::new(),
            watched: Vec::new(),
            cases: 0,
            case: None,
            path,
            outer,
            nonce,
            secret,
            further: Vec::new(),
        };
        if !real {
            return Ok(area);
        }
        for dir in [&area.path, &area.start_dir(), &area.outer, &area.outside(), &area.home()] {
            private_dir(dir)?;
        }
        for dir in [area.path.clone(), area.outer.clone(), area.outside(), area.home()] {
            let canaries = area.plant(&dir, area.standing.len())?;
            area.standing.extend(canaries);
        }
        Ok(area)
    }

    /// All that belongs to this worker.
    pub fn directory(&self) -> &Path {
        &self.path
    }

    /// Where a handler's process starts: its working directory unless told otherwise.
    pub fn start_dir(&self) -> PathBuf {
        self.path.join("start")
    }

    /// A home directory for a handler that is attacked.
    pub fn home(&self) -> PathBuf {
        self.outer.join("home")
    }

    /// What `{outside}` stands for.
    pub fn outside(&self) -> PathBuf {
        self.outer.join("abs")
    }

    /// A fresh empty root for the next case.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn begin(&mut self) -> Result<PathBuf, SandboxError> {
        self.end();
        self.cases += 1;
        let case = self.outer.join(format!("c{}", self.cases));
        let root = case.join("memories");
        if !self.real {
            return Ok(root);
        }
        private_dir(&case)?;
        private_dir(&root)?;
        self.case = Some(case);
        Ok(root)
    }

    /// After the handler is ready: looks at the store that it named, and, where the case is about safety, plants
    /// canaries around it. Gives the view of the store, if it is a directory below the root.
    ///
    /// # Errors
    /// Where a canary cannot be planted.
    pub fn guard(&mut self, store: Option<&str>, canaries: bool) -> Result<Option<Disk>, SandboxError> {
        let Some(case) = self.case.clone() else { return Ok(None) };
        let root = case.join("memories");
        let store = store.map(PathBuf::from).filter(|store| below(store, &root));
        if canaries {
            let place = store.as_deref().unwrap_or(&root);
            let mut dirs = vec![case.clone()];
            if let (Some(parent), Some(name)) = (place.parent(), place.file_name()) {
                if parent != case {
                    dirs.push(parent.to_path_buf());
                }
                for suffix in SIBLINGS {
                    let mut sibling = name.to_owned();
                    sibling.push(suffix);
                    let sibling = parent.join(sibling);
                    if std::fs::symlink_metadata(&sibling).is_err() {
                        private_dir(&sibling)?;
                    }
                    dirs.push(sibling);
                }
                for sibling in OTHER_CASES.map(|name| parent.join(name)) {
                    // Where names that differ in case alone are one name, this is the store.
                    if std::fs::symlink_metadata(&sibling).is_err() {
                        private_dir(&sibling)?;
                        dirs.push(sibling);
                    }
                }
            }
            for dir in &dirs {
                let canaries = self.plant(dir, self.standing.len() + self.planted.len())?;
                self.planted.extend(canaries);
            }
            dirs.extend([self.outer.clone(), self.outside(), self.path.clone(), self.start_dir(), self.home()]);
            self.watched = dirs.into_iter().map(|path| Watched { names: names(&path), path }).collect();
        }
        Ok(store.map(|store| Disk::new(store, self.outside())))
    }

    /// What changed outside since the case began. A new name counts only if `sent` holds it: anything else may be
    /// the handler's own lock or log. Changed canaries are put right again.
    pub fn changes(&mut self, sent: &BTreeSet<String>) -> Vec<OutsideChange> {
        let mut found = Vec::new();
        for canary in self.standing.iter_mut().chain(&mut self.planted) {
            let now = Stamp::of(&canary.path);
            if now == canary.seen {
                continue;
            }
            found.push(match now {
                None => OutsideChange::Removed(canary.place.clone()),
                Some(_) => OutsideChange::Changed(canary.place.clone()),
            });
            if canary.path.parent().is_some_and(Path::is_dir) {
                let _ = std::fs::remove_file(&canary.path);
                let _ = std::fs::write(&canary.path, &canary.text);
                canary.seen = Stamp::of(&canary.path);
            }
        }
        let mut watched = std::mem::take(&mut self.watched);
        for watched in &mut watched {
            let now = names(&watched.path);
            for new in now.difference(&watched.names) {
                let name = new.to_string_lossy();
                if sent.contains(name.as_ref()) {
                    found.push(OutsideChange::Created(self.place(&watched.path), name.into_owned()));
                    if !watched.path.starts_with(self.case.as_deref().unwrap_or(&self.outer)) {
                        // What stands outside the case's own folder would still be there in the next case.
                        remove_any(&watched.path.join(new));
                    }
                }
            }
            watched.names = names(&watched.path);
        }
        self.watched = watched;
        found
    }

    /// Further secrets, for [`Area::leaked`].
    pub fn keep_secret(&mut self, secrets: &[String]) {
        self.further.extend_from_slice(secrets);
    }

    /// The place of the canary whose secret a text holds: `{case}/memories_evil`, `{sandbox}/abs`, ..., or
    /// `{author}` for a secret that memconf did not put there.
    pub fn leaked(&self, text: &str) -> Option<&str> {
        let Some(at) = text.find(&self.secret) else {
            return self.further.iter().any(|secret| text.contains(secret)).then_some("{author}");
        };
        let behind = &text[at + self.secret.len()..];
        let number: Option<usize> = behind.get(..DIGITS).and_then(|digits| digits.parse().ok());
        let mut canaries = self.standing.iter().chain(&self.planted);
        let found = canaries.find(|canary| Some(canary.number) == number);
        Some(found.map_or("a place of an earlier case", |canary| &canary.place))
    }

    fn place(&self, dir: &Path) -> String {
        let below = |top: &Path, name: &str| {
            let rest = dir.strip_prefix(top).ok()?.display().to_string();
            Some(if rest.is_empty() { name.to_owned() } else { format!("{name}/{rest}") })
        };
        let case = self.case.as_deref().and_then(|case| below(case, "{case}"));
        case.or_else(|| below(&self.outer, "{sandbox}")).unwrap_or_else(|| "{sandbox}/..".into())
    }

    /// Whether a text holds a path of the sandbox.
    pub fn names_host_path(&self, text: &str) -> bool {
        text.contains(&self.nonce)
    }

    /// A text with every path of the sandbox written as `{root}`, `{case}` or `{sandbox}`, so that it is the same in
    /// every run.
    pub fn neutral(&self, text: &str) -> String {
        if !self.names_host_path(text) {
            return text.to_owned();
        }
        let mut text = text.to_owned();
        if let Some(case) = &self.case {
            text = text.replace(&case.join("memories").display().to_string(), "{root}");
            text = text.replace(&case.display().to_string(), "{case}");
        }
        text.replace(&self.outer.display().to_string(), "{sandbox}").replace(&self.nonce, "{nonce}")
    }

    /// Removes what the case left behind.
    pub fn end(&mut self) {
        self.planted.clear();
        self.watched.clear();
        if let Some(case) = self.case.take() {
            remove_tree(&case);
        }
    }

    /// Two files with a secret: `canary.txt`, and one whose very name is secret.
    fn plant(&self, dir: &Path, first: usize) -> Result<[Canary; 2], SandboxError> {
        let make = |number: usize, name: &str| {
            let secret = format!("{}{number:0DIGITS$}", self.secret);
            let path = dir.join(name.replace("{secret}", &secret));
            let mut text = format!("{KEY_LINE}\n");
            for line in 1..=5 {
                text.push_str(&format!("{secret}-{line}\n"));
            }
            std::fs::write(&path, &text).map_err(SandboxError::new("write", &path))?;
            let seen = Stamp::of(&path);
            Ok(Canary { path, text, seen, place: self.place(dir), number })
        };
        Ok([make(first, "canary.txt")?, make(first + 1, "ghost-{secret}.txt")?])
    }
}

fn remove_any(path: &Path) {
    if std::fs::remove_file(path).is_err() {
        remove_tree(path);
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        self.end();
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let meta: Metadata = std::fs::symlink_metadata(path).ok()?;
        #[cfg(unix)]
        let unix = {
            use std::os::unix::fs::MetadataExt;
            let time = (meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec());
            (meta.ino(), meta.mode(), meta.nlink(), time.0, time.1, time.2, time.3)
        };
        Some(Stamp {
            length: meta.len(),
            #[cfg(unix)]
            unix,
        })
    }
}

fn names(dir: &Path) -> BTreeSet<OsString> {
    std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

/// Whether `store` is `root` or below it, by its name and, as far as it exists, by what it really is.
fn below(store: &Path, root: &Path) -> bool {
    let plain = store.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    let deep = store.components().count() > root.components().count() + STORE_LEVELS;
    plain && !deep && store.starts_with(root) && store.canonicalize().map_or(true, |real| real.starts_with(root))
}
