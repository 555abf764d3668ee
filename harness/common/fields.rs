//! Short ways to look at a command and at an answer.

use memconf::transport::Handler;
use memconf::wire::ToolResult;
use serde_json::Value;

/// A command's input, whose fields may be anything.
pub trait Fields {
    /// Whether this is the command of that name.
    fn is(&self, command: &str) -> bool;
    /// Whether this edits a file: `str_replace` or `insert`.
    fn edits(&self) -> bool;
    /// A field that is a text, or else the empty one.
    fn str(&self, name: &str) -> &str;
    /// The same input with another value in one field.
    fn with(&self, name: &str, value: impl Into<Value>) -> Value;
    /// The same input without a field.
    fn without(&self, name: &str) -> Value;
    /// The same input with its paths rewritten, where they are texts.
    fn with_paths(&self, rewrite: impl Fn(&str) -> String) -> Value;
    /// The paths that are sent.
    fn paths(&self) -> Vec<&str>;
}

/// The parameters that hold a path.
const PATHS: [&str; 3] = ["path", "old_path", "new_path"];

impl Fields for Value {
    fn is(&self, command: &str) -> bool {
        self["command"] == command
    }

    fn edits(&self) -> bool {
        self.is("str_replace") || self.is("insert")
    }

    fn str(&self, name: &str) -> &str {
        self[name].as_str().unwrap_or_default()
    }

    fn with(&self, name: &str, value: impl Into<Value>) -> Value {
        let mut changed = self.clone();
        if let Value::Object(fields) = &mut changed {
            fields.insert(name.to_owned(), value.into());
        }
        changed
    }

    fn without(&self, name: &str) -> Value {
        let mut changed = self.clone();
        if let Value::Object(fields) = &mut changed {
            fields.shift_remove(name);
        }
        changed
    }

    fn with_paths(&self, rewrite: impl Fn(&str) -> String) -> Value {
        let mut changed = self.clone();
        for name in PATHS {
            if let Some(path) = self[name].as_str() {
                changed[name] = rewrite(path).into();
            }
        }
        changed
    }

    fn paths(&self) -> Vec<&str> {
        PATHS.iter().filter_map(|name| self[*name].as_str()).collect()
    }
}

/// Rewriting an answer.
pub trait TextOf {
    /// The same answer with another text.
    fn map(self, rewrite: impl FnOnce(&str) -> String) -> ToolResult;
    /// The same, for a success alone.
    fn map_ok(self, rewrite: impl FnOnce(&str) -> String) -> ToolResult;
    /// The same, for an error alone.
    fn map_error(self, rewrite: impl FnOnce(&str) -> String) -> ToolResult;
}

impl TextOf for ToolResult {
    fn map(mut self, rewrite: impl FnOnce(&str) -> String) -> ToolResult {
        self.content = rewrite(&self.content);
        self
    }

    fn map_ok(self, rewrite: impl FnOnce(&str) -> String) -> ToolResult {
        if self.is_error { self } else { self.map(rewrite) }
    }

    fn map_error(self, rewrite: impl FnOnce(&str) -> String) -> ToolResult {
        if self.is_error { self.map(rewrite) } else { self }
    }
}

/// What makes a handler.
pub type Make = fn() -> Box<dyn Handler>;
