//! The reference handler with its store in reach.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use memconf::reference::{DirectoryStore, Entry, MemoryStore, Node, Reference, Store, StoreError, VirtualPath};
use memconf::transport::Handler;
use memconf::wire::{Ready, ToolResult};
use serde_json::Value;

/// A store that can be looked at and changed behind a handler's back.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<Box<dyn Store>>>);

impl Shared {
    fn new(store: Box<dyn Store>) -> Self {
        Shared(Arc::new(Mutex::new(store)))
    }

    fn lock(&self) -> MutexGuard<'_, Box<dyn Store>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Store for Shared {
    fn reset(&mut self, root: &Path) -> Result<Option<String>, StoreError> {
        self.lock().reset(root)
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        self.lock().reopen()
    }

    fn look(&self, path: &VirtualPath<'_>) -> Result<Node<'_>, StoreError> {
        Ok(match self.lock().look(path)? {
            Node::File(text) => Node::File(Cow::Owned(text.into_owned())),
            Node::Directory => Node::Directory,
        })
    }

    fn walk(&self, path: &VirtualPath<'_>, visit: &mut dyn FnMut(Entry<'_>) -> bool) -> Result<(), StoreError> {
        self.lock().walk(path, visit)
    }

    fn create(&mut self, path: &VirtualPath<'_>, text: &str) -> Result<(), StoreError> {
        self.lock().create(path, text)
    }

    fn edit(
        &mut self,
        path: &VirtualPath<'_>,
        change: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Result<(), StoreError> {
        self.lock().edit(path, change)
    }

    fn delete(&mut self, path: &VirtualPath<'_>) -> Result<(), StoreError> {
        self.lock().delete(path)
    }

    fn rename(&mut self, old: &VirtualPath<'_>, new: &VirtualPath<'_>) -> Result<(), StoreError> {
        self.lock().rename(old, new)
    }
}

/// The reference handler, its store, and what a faulty handler keeps beside it.
pub struct Bench {
    reference: Reference<Shared>,
    store: Shared,
    /// What the process remembers: gone after a restart, which still sees it.
    pub kept: BTreeMap<String, String>,
    /// How many commands came since the reset.
    pub count: usize,
    /// The directory that `reset` named.
    pub root: PathBuf,
}

impl Bench {
    fn over(store: Box<dyn Store>) -> Self {
        let store = Shared::new(store);
        Bench {
            reference: Reference::over(store.clone()),
            store,
            kept: BTreeMap::new(),
            count: 0,
            root: PathBuf::new(),
        }
    }

    /// What the reference answers.
    pub fn call(&mut self, input: &Value) -> ToolResult {
        self.reference.call(input)
    }

    /// The text of a file, by any spelling of its path that the reference accepts.
    pub fn text(&self, path: &str) -> Option<String> {
        match self.store.look(&VirtualPath::parse(path).ok()?) {
            Ok(Node::File(text)) => Some(text.into_owned()),
            _ => None,
        }
    }

    /// Whether a directory stands at a path.
    pub fn is_directory(&self, path: &str) -> bool {
        VirtualPath::parse(path).is_ok_and(|path| matches!(self.store.look(&path), Ok(Node::Directory)))
    }

    /// Whether anything stands at a path.
    pub fn exists(&self, path: &str) -> bool {
        self.text(path).is_some() || self.is_directory(path)
    }

    /// Whether a path leads through a file.
    pub fn is_below_a_file(&self, path: &str) -> bool {
        path.match_indices('/').skip(1).any(|(at, _)| self.text(&path[..at]).is_some())
    }

    /// Gives a file this text, whether or not it is there.
    pub fn put(&mut self, path: &str, text: &str) -> bool {
        let Ok(path) = VirtualPath::parse(path) else { return false };
        self.store.create(&path, text).is_ok() || self.store.edit(&path, &mut |_| Some(text.to_owned())).is_ok()
    }

    /// Removes whatever stands at a path.
    pub fn remove(&mut self, path: &str) -> bool {
        VirtualPath::parse(path).is_ok_and(|path| self.store.delete(&path).is_ok())
    }

    /// Moves what stands at a path to one where nothing stands.
    pub fn shift(&mut self, old: &str, new: &str) -> bool {
        let (Ok(old), Ok(new)) = (VirtualPath::parse(old), VirtualPath::parse(new)) else { return false };
        !new.is_below(&old) && self.store.rename(&old, &new).is_ok()
    }

    /// Every path below a directory, each directory before what it holds.
    pub fn below(&self, directory: &str) -> Vec<String> {
        let Ok(directory) = VirtualPath::parse(directory) else { return Vec::new() };
        let (mut found, mut parents) = (Vec::new(), vec![directory.as_str().to_owned()]);
        let _ = self.store.walk(&directory, &mut |entry| {
            parents.truncate(entry.level);
            let path = format!("{}/{}", parents[entry.level - 1], entry.name);
            parents.push(path.clone());
            found.push(path);
            true
        });
        found
    }

    /// Every file of the store.
    pub fn files(&self) -> Vec<String> {
        self.below("/memories").into_iter().filter(|path| self.text(path).is_some()).collect()
    }

    /// Takes everything out of the store.
    pub fn wipe(&mut self) {
        for path in self.below("/memories") {
            self.remove(&path);
        }
    }

    /// Where a path lies on the disk.
    pub fn place(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches("/memories").trim_matches('/'))
    }
}

/// One command, answered with a fault.
pub type Act = fn(&mut Bench, &Value) -> ToolResult;

struct Patched {
    bench: Bench,
    act: Act,
    restart: fn(&mut Bench),
}

/// A handler in memory that answers as `act` says.
pub fn patched(act: Act) -> Box<dyn Handler> {
    let bench = Bench::over(Box::new(MemoryStore::default()));
    Box::new(Patched { bench, act, restart: |_| {} })
}

/// The same with its store in a directory.
pub fn patched_on_disk(act: Act) -> Box<dyn Handler> {
    let bench = Bench::over(Box::new(DirectoryStore::default()));
    Box::new(Patched { bench, act, restart: |_| {} })
}

/// In memory, with a fault that a restart brings out.
pub fn patched_with_restart(act: Act, restart: fn(&mut Bench)) -> Box<dyn Handler> {
    let bench = Bench::over(Box::new(MemoryStore::default()));
    Box::new(Patched { bench, act, restart })
}

impl Handler for Patched {
    fn call(&mut self, input: &Value) -> ToolResult {
        self.bench.count += 1;
        (self.act)(&mut self.bench, input)
    }

    fn reset(&mut self, root: &Path) -> Ready {
        self.bench.kept.clear();
        self.bench.count = 0;
        self.bench.root = root.to_path_buf();
        self.bench.reference.reset(root)
    }

    fn restart(&mut self) -> bool {
        let restarted = self.bench.reference.restart();
        (self.restart)(&mut self.bench);
        self.bench.kept.clear();
        restarted
    }
}
