//! The model: the reference handler over a store in memory, put into the state that the handler under test chose
//! wherever it may choose another one.

use std::path::Path;

use serde_json::{Value, json};

use crate::reference::{MemoryStore, Node, Reference, Store, StoreError, VirtualPath};
use crate::transport::Handler;
use crate::wire::{ROOT, ToolResult};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum There {
    File(String),
    Directory,
    Nothing,
    /// Nothing can: the path leads through a file.
    UnderAFile,
}

/// The state after some commands.
pub(super) struct Model {
    handler: Reference<MemoryStore>,
}

impl Model {
    pub(super) fn new() -> Model {
        let mut handler = Reference::in_memory();
        handler.reset(Path::new("/"));
        Model { handler }
    }

    pub(super) fn play(&mut self, input: &Value) -> ToolResult {
        self.handler.call(input)
    }

    pub(super) fn at(&self, path: &str) -> There {
        let Ok(path) = VirtualPath::parse(path) else { return There::Nothing };
        match self.handler.store().look(&path) {
            Ok(Node::File(text)) => There::File(text.into_owned()),
            Ok(Node::Directory) => There::Directory,
            Err(StoreError::UnderAFile) => There::UnderAFile,
            Err(_) => There::Nothing,
        }
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        VirtualPath::parse(path).is_ok_and(|path| self.handler.store().look(&path).is_ok())
    }

    /// Every path below the root, a directory before what it holds, and whether it is a file.
    pub(super) fn paths(&self) -> Vec<(String, bool)> {
        let mut found: Vec<(String, bool)> = Vec::new();
        let Ok(root) = VirtualPath::parse(ROOT) else { return found };
        let mut open: Vec<String> = vec![ROOT.to_owned()];
        let walked = self.handler.store().walk(&root, &mut |entry| {
            open.truncate(entry.level);
            let mut path = open.last().cloned().unwrap_or_default();
            path.push('/');
            path.push_str(entry.name);
            open.push(path.clone());
            found.push((path, entry.size.is_some()));
            true
        });
        debug_assert!(walked.is_ok());
        found
    }

    /// Gives a file another text.
    pub(super) fn put(&mut self, path: &str, text: &str) {
        self.handler.call(&json!({ "command": "delete", "path": path }));
        self.handler.call(&json!({ "command": "create", "path": path, "file_text": text }));
    }

    /// The directory above `path`, if it is below the root and nothing but `path` is in it.
    pub(super) fn sole_child(&self, path: &str) -> bool {
        let Some(parent) = parent(path) else { return false };
        let Ok(directory) = VirtualPath::parse(parent) else { return false };
        let mut children = 0;
        let walked = self.handler.store().walk(&directory, &mut |_| {
            children += 1;
            false
        });
        walked.is_ok() && children == 1
    }

    /// Removes the directories above `path` that hold nothing any more.
    pub(super) fn prune(&mut self, path: &str) {
        let mut at = path;
        while let Some(directory) = parent(at) {
            let Ok(parsed) = VirtualPath::parse(directory) else { return };
            let mut empty = true;
            let walked = self.handler.store().walk(&parsed, &mut |_| {
                empty = false;
                false
            });
            if walked.is_err() || !empty {
                return;
            }
            self.handler.call(&json!({ "command": "delete", "path": directory }));
            at = directory;
        }
    }
}

/// The directory that holds `path`, where that is not the root.
pub(super) fn parent(path: &str) -> Option<&str> {
    let (parent, _) = path.rsplit_once('/')?;
    (parent.len() > ROOT.len()).then_some(parent)
}
