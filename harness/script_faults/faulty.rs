//! The reference handler with one fault each, of the kinds that random scripts are to find.

use std::collections::BTreeMap;
use std::path::Path;

use memconf::Handler;
use memconf::reference::{MemoryStore, Node, Reference, Store, VirtualPath};
use memconf::wire::{Ready, ToolResult};
use serde_json::{Value, json};

/// What one fault does with one command.
pub type Act = fn(&mut Faulty, &Value) -> ToolResult;

/// The reference handler, and what a fault remembers.
pub struct Faulty {
    inner: Reference<MemoryStore>,
    act: Act,
    /// Whatever the fault keeps, by path.
    pub kept: BTreeMap<String, String>,
}

impl Faulty {
    pub fn new(act: Act) -> Self {
        Faulty { inner: Reference::in_memory(), act, kept: BTreeMap::new() }
    }

    /// What the reference handler answers.
    pub fn right(&mut self, input: &Value) -> ToolResult {
        self.inner.call(input)
    }

    /// A file's text.
    pub fn text(&self, path: &str) -> Option<String> {
        match self.inner.store().look(&VirtualPath::parse(path).ok()?) {
            Ok(Node::File(text)) => Some(text.into_owned()),
            _ => None,
        }
    }

    /// Gives a path another text, whatever stands there.
    pub fn put(&mut self, path: &str, text: &str) {
        self.inner.call(&json!({ "command": "delete", "path": path }));
        self.inner.call(&json!({ "command": "create", "path": path, "file_text": text }));
    }

    /// Every file.
    pub fn files(&self) -> Vec<String> {
        let (mut found, mut open) = (Vec::new(), vec!["/memories".to_owned()]);
        let root = VirtualPath::parse("/memories").unwrap();
        let walked = self.inner.store().walk(&root, &mut |entry| {
            open.truncate(entry.level);
            let path = format!("{}/{}", open.last().unwrap(), entry.name);
            open.push(path.clone());
            if entry.size.is_some() {
                found.push(path);
            }
            true
        });
        walked.unwrap();
        found
    }

    /// The right answer, and then another text in the file that the command has changed.
    pub fn then(&mut self, input: &Value, command: &str, change: fn(&str) -> String) -> ToolResult {
        let reply = self.right(input);
        let path = field(input, "path");
        if is(input, command)
            && !reply.is_error
            && let Some(text) = self.text(path)
        {
            self.put(path, &change(&text));
        }
        reply
    }

    /// The right answer to another input.
    pub fn with(&mut self, input: &Value, name: &str, value: impl Into<Value>) -> ToolResult {
        let mut other = input.clone();
        other[name] = value.into();
        self.right(&other)
    }
}

impl Handler for Faulty {
    fn call(&mut self, input: &Value) -> ToolResult {
        (self.act)(self, input)
    }

    fn reset(&mut self, root: &Path) -> Ready {
        self.kept.clear();
        self.inner.reset(root)
    }
}

pub fn is(input: &Value, command: &str) -> bool {
    input["command"] == command
}

pub fn field<'a>(input: &'a Value, name: &str) -> &'a str {
    input[name].as_str().unwrap_or_default()
}
