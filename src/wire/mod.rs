//! The shapes that Claude sends and reads: `tool_use`, `tool_result`, the six commands, and the two messages
//! that memconf adds to them (`reset`, `ready`). One JSON object a message; see the crate documentation.

mod bounds;
mod reply;

pub use bounds::{MAX_VALUES, holds_too_much};
pub use reply::{Ready, Reply, ReplyFault, ReplyFields};

use std::fmt;
use std::path::Path;

use serde_json::Value;

/// The name of the tool, in every `tool_use` block.
pub const TOOL_NAME: &str = "memory";

/// The path that every store is mounted at.
pub const ROOT: &str = "/memories";

/// One of the six documented commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Command {
    View,
    Create,
    StrReplace,
    Insert,
    Delete,
    Rename,
}

impl Command {
    /// All six, in the order of the documentation.
    pub const ALL: [Command; 6] =
        [Command::View, Command::Create, Command::StrReplace, Command::Insert, Command::Delete, Command::Rename];

    /// The word that stands in `command`.
    pub fn as_str(self) -> &'static str {
        match self {
            Command::View => "view",
            Command::Create => "create",
            Command::StrReplace => "str_replace",
            Command::Insert => "insert",
            Command::Delete => "delete",
            Command::Rename => "rename",
        }
    }

    /// The command that an input object names; `None` where it names none of the six.
    pub fn of(input: &Value) -> Option<Command> {
        let name = input.get("command")?.as_str()?;
        Command::ALL.into_iter().find(|command| command.as_str() == name)
    }

    /// Whether the command changes the store.
    pub fn mutates(self) -> bool {
        self != Command::View
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The parameters that hold a path.
pub const PATH_PARAMETERS: [&str; 3] = ["path", "old_path", "new_path"];

/// What a handler answers to one command: what Claude gets to read.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ToolResult {
    /// The text; several text blocks are joined without anything between them.
    pub content: String,
    /// Whether the result is flagged as an error.
    pub is_error: bool,
    /// How many blocks were not text (images, for instance).
    pub other_blocks: usize,
}

impl ToolResult {
    /// A success with a text.
    pub fn ok(content: impl Into<String>) -> Self {
        ToolResult { content: content.into(), is_error: false, other_blocks: 0 }
    }

    /// An error with a text.
    pub fn error(content: impl Into<String>) -> Self {
        ToolResult { content: content.into(), is_error: true, other_blocks: 0 }
    }
}

/// Appends a `tool_use` message and its final LF to `line`.
pub fn write_tool_use(line: &mut Vec<u8>, id: &str, input: &Value) {
    line.extend_from_slice(br#"{"type":"tool_use","id":"#);
    write_json(line, id);
    line.extend_from_slice(br#","name":"memory","input":"#);
    write_json(line, input);
    line.extend_from_slice(b"}\n");
}

/// Appends a `reset` message and its final LF to `line`. `root` is an absolute path of an empty directory.
pub fn write_reset(line: &mut Vec<u8>, root: &Path) {
    line.extend_from_slice(br#"{"type":"reset","root":"#);
    write_json(line, &root.to_string_lossy());
    line.extend_from_slice(b"}\n");
}

/// Appends a `tool_result` message and its final LF to `line`, as a handler sends it.
pub fn write_tool_result(line: &mut Vec<u8>, tool_use_id: &str, result: &ToolResult) {
    line.extend_from_slice(br#"{"type":"tool_result","tool_use_id":"#);
    write_json(line, tool_use_id);
    line.extend_from_slice(br#","content":"#);
    write_json(line, &result.content);
    line.extend_from_slice(if result.is_error { b",\"is_error\":true}\n" as &[u8] } else { b"}\n" });
}

fn write_json<T: serde::Serialize + ?Sized>(line: &mut Vec<u8>, value: &T) {
    // Writing to a Vec cannot fail, and neither a string nor a Value has a key that is not a string.
    let written = serde_json::to_writer(line, value);
    debug_assert!(written.is_ok());
}
