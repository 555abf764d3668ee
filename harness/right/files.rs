//! Three places to keep files in: a tree in memory, flat keys, the host's disk.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The names of a path below `/memories`; none for the root.
pub type Names = Vec<String>;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Nothing,
    /// The path leads through a file.
    BelowAFile,
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A link, a pipe, or something of which nothing is known: left alone.
    Other,
}

/// A place to keep files in. What is asked of it was checked before.
pub trait Files: Send {
    /// Empties it; the directory on the host, where there is one.
    fn reset(&mut self, root: &Path) -> Option<String>;
    /// What stands at a path.
    fn kind(&self, at: &[String]) -> Kind;
    /// A file's text; `None` where it is none.
    fn read(&self, at: &[String]) -> Option<String>;
    /// Gives a file its text, with the directories that lead to it.
    fn write(&mut self, at: &[String], text: &str) -> bool;
    /// What a directory holds: names in order, a file with its size.
    fn list(&self, at: &[String]) -> Vec<(String, Option<u64>)>;
    /// Removes what stands at a path.
    fn remove(&mut self, at: &[String]);
    /// Moves what stands at a path to where nothing stands.
    fn shift(&mut self, from: &[String], to: &[String]) -> bool;
}

/// A tree in memory: files have a text, directories none.
#[derive(Default)]
pub struct Tree(BTreeMap<Names, Option<String>>);

impl Files for Tree {
    fn reset(&mut self, _: &Path) -> Option<String> {
        self.0.clear();
        None
    }

    fn kind(&self, at: &[String]) -> Kind {
        if (1..at.len()).any(|end| matches!(self.0.get(&at[..end]), Some(Some(_)))) {
            return Kind::BelowAFile;
        }
        match self.0.get(at) {
            _ if at.is_empty() => Kind::Directory,
            None => Kind::Nothing,
            Some(None) => Kind::Directory,
            Some(Some(_)) => Kind::File,
        }
    }

    fn read(&self, at: &[String]) -> Option<String> {
        self.0.get(at).cloned().flatten()
    }

    fn write(&mut self, at: &[String], text: &str) -> bool {
        for end in 1..at.len() {
            self.0.entry(at[..end].to_vec()).or_insert(None);
        }
        self.0.insert(at.to_vec(), Some(text.to_owned()));
        true
    }

    fn list(&self, at: &[String]) -> Vec<(String, Option<u64>)> {
        let below = self.0.iter().filter(|(path, _)| path.len() == at.len() + 1 && path.starts_with(at));
        below.map(|(path, text)| (path[at.len()].clone(), text.as_ref().map(|text| text.len() as u64))).collect()
    }

    fn remove(&mut self, at: &[String]) {
        self.0.retain(|path, _| !path.starts_with(at));
    }

    fn shift(&mut self, from: &[String], to: &[String]) -> bool {
        for end in 1..to.len() {
            self.0.entry(to[..end].to_vec()).or_insert(None);
        }
        let moved: Vec<Names> = self.0.keys().filter(|path| path.starts_with(from)).cloned().collect();
        for path in moved {
            let text = self.0.remove(&path).flatten();
            self.0.insert([to, &path[from.len()..]].concat(), text);
        }
        true
    }
}

/// The same, where names that differ in case alone are one name, as on macOS and Windows: the first spelling stays.
#[derive(Default)]
pub struct Folding(Tree);

impl Folding {
    /// The names as they are spelled in the tree, as far as they stand there.
    fn spelled(&self, at: &[String]) -> Names {
        let mut names = Names::new();
        for name in at {
            let there = self.0.list(&names).into_iter().map(|(there, _)| there);
            let same = there.into_iter().find(|there| there.to_lowercase() == name.to_lowercase());
            names.push(same.unwrap_or_else(|| name.clone()));
        }
        names
    }
}

impl Files for Folding {
    fn reset(&mut self, root: &Path) -> Option<String> {
        self.0.reset(root)
    }

    fn kind(&self, at: &[String]) -> Kind {
        self.0.kind(&self.spelled(at))
    }

    fn read(&self, at: &[String]) -> Option<String> {
        self.0.read(&self.spelled(at))
    }

    fn write(&mut self, at: &[String], text: &str) -> bool {
        let spelled = self.spelled(at);
        self.0.write(&spelled, text)
    }

    fn list(&self, at: &[String]) -> Vec<(String, Option<u64>)> {
        self.0.list(&self.spelled(at))
    }

    fn remove(&mut self, at: &[String]) {
        let spelled = self.spelled(at);
        self.0.remove(&spelled);
    }

    fn shift(&mut self, from: &[String], to: &[String]) -> bool {
        let (from, to) = (self.spelled(from), self.spelled(to));
        self.0.shift(&from, &to)
    }
}

/// Flat keys such as `a/b`: a directory is there as long as a key begins with it.
#[derive(Default)]
pub struct Keys(BTreeMap<String, String>);

impl Keys {
    fn below(&self, at: &[String]) -> impl Iterator<Item = (&String, &String)> {
        let prefix = if at.is_empty() { String::new() } else { format!("{}/", at.join("/")) };
        self.0.iter().filter(move |(key, _)| key.starts_with(&prefix))
    }
}

impl Files for Keys {
    fn reset(&mut self, _: &Path) -> Option<String> {
        self.0.clear();
        None
    }

    fn kind(&self, at: &[String]) -> Kind {
        if (1..at.len()).any(|end| self.0.contains_key(&at[..end].join("/"))) {
            return Kind::BelowAFile;
        }
        match self.0.contains_key(&at.join("/")) {
            true => Kind::File,
            false if at.is_empty() || self.below(at).next().is_some() => Kind::Directory,
            false => Kind::Nothing,
        }
    }

    fn read(&self, at: &[String]) -> Option<String> {
        self.0.get(&at.join("/")).cloned()
    }

    fn write(&mut self, at: &[String], text: &str) -> bool {
        self.0.insert(at.join("/"), text.to_owned());
        true
    }

    fn list(&self, at: &[String]) -> Vec<(String, Option<u64>)> {
        let mut found: Vec<(String, Option<u64>)> = Vec::new();
        let skip = at.join("/").len() + usize::from(!at.is_empty());
        for (key, text) in self.below(at) {
            let (name, size) = match key[skip..].split_once('/') {
                Some((name, _)) => (name, None),
                None => (&key[skip..], Some(text.len() as u64)),
            };
            if !found.iter().any(|(other, _)| other == name) {
                found.push((name.to_owned(), size));
            }
        }
        found
    }

    fn remove(&mut self, at: &[String]) {
        let gone: Vec<String> = self.below(at).map(|(key, _)| key.clone()).collect();
        self.0.remove(&at.join("/"));
        gone.iter().for_each(|key| {
            self.0.remove(key);
        });
    }

    fn shift(&mut self, from: &[String], to: &[String]) -> bool {
        let (old, new) = (from.join("/"), to.join("/"));
        let mut moved: Vec<String> = self.below(from).map(|(key, _)| key.clone()).collect();
        moved.push(old.clone());
        for key in moved {
            if let Some(text) = self.0.remove(&key) {
                self.0.insert(format!("{new}{}", &key[old.len()..]), text);
            }
        }
        true
    }
}

/// The host's disk. Every name on the way is looked at, and no link is followed.
#[derive(Default)]
pub struct Host {
    root: PathBuf,
    /// A file that is not UTF-8 is read with replacement characters (and then never written).
    lossy: bool,
}

impl Host {
    /// Shows what is not UTF-8 as replacement characters.
    pub fn showing_replacements() -> Host {
        Host { lossy: true, ..Host::default() }
    }

    fn place(&self, at: &[String]) -> PathBuf {
        at.iter().fold(self.root.clone(), |place, name| place.join(name))
    }
}

impl Files for Host {
    fn reset(&mut self, root: &Path) -> Option<String> {
        self.root = root.join("store");
        fs::DirBuilder::new().mode(0o700).create(&self.root).ok()?;
        self.root.to_str().map(str::to_owned)
    }

    fn kind(&self, at: &[String]) -> Kind {
        for end in 1..=at.len() {
            let last = end == at.len();
            match fs::symlink_metadata(self.place(&at[..end])) {
                Ok(meta) if meta.is_dir() && last => return Kind::Directory,
                Ok(meta) if meta.is_dir() => {}
                Ok(meta) if meta.is_file() => return if last { Kind::File } else { Kind::BelowAFile },
                Ok(_) => return Kind::Other,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Kind::Nothing,
                Err(_) => return Kind::Other,
            }
        }
        Kind::Directory
    }

    fn read(&self, at: &[String]) -> Option<String> {
        let bytes = fs::read(self.place(at)).ok()?;
        match String::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) if self.lossy => Some(String::from_utf8_lossy(error.as_bytes()).into_owned()),
            Err(_) => None,
        }
    }

    fn write(&mut self, at: &[String], text: &str) -> bool {
        let place = self.place(at);
        let Some(parent) = place.parent() else { return false };
        if self.lossy && fs::read(&place).is_ok_and(|bytes| String::from_utf8(bytes).is_err()) {
            return false;
        }
        let temporary = parent.join(".being-written");
        let made = fs::DirBuilder::new().mode(0o700).recursive(true).create(parent);
        let written = made.and_then(|()| {
            let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
            file.write_all(text.as_bytes())?;
            fs::rename(&temporary, &place)
        });
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.is_ok()
    }

    fn list(&self, at: &[String]) -> Vec<(String, Option<u64>)> {
        let entries = fs::read_dir(self.place(at)).into_iter().flatten().flatten();
        let mut found: Vec<(String, Option<u64>)> = entries
            .filter_map(|entry| {
                let meta = entry.metadata().ok().filter(|meta| meta.is_file() || meta.is_dir())?;
                Some((entry.file_name().into_string().ok()?, meta.is_file().then_some(meta.len())))
            })
            .collect();
        found.sort();
        found
    }

    fn remove(&mut self, at: &[String]) {
        let place = self.place(at);
        // Neither removes what a link leads to.
        let _ = if place.is_dir() { fs::remove_dir_all(&place) } else { fs::remove_file(&place) };
    }

    fn shift(&mut self, from: &[String], to: &[String]) -> bool {
        let (old, new) = (self.place(from), self.place(to));
        let parent = new.parent().map(Path::to_path_buf).unwrap_or_default();
        let made = fs::DirBuilder::new().mode(0o700).recursive(true).create(parent);
        made.and_then(|()| fs::rename(old, new)).is_ok()
    }
}
