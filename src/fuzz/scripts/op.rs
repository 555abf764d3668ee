//! The commands of a script, before they are a case.

use serde_json::{Map, Value};

/// One command of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Op {
    View { path: String, range: Option<(i64, i64)> },
    Create { path: String, text: String },
    StrReplace { path: String, old: String, new: Option<String> },
    Insert { path: String, line: i64, text: String },
    Delete { path: String },
    Rename { old: String, new: String },
}

impl Op {
    /// The input object that is sent.
    pub(super) fn input(&self) -> Value {
        let mut input = Map::new();
        let mut put = |name: &str, value: Value| input.insert(name.into(), value);
        match self {
            Op::View { path, range } => {
                put("command", "view".into());
                put("path", path.as_str().into());
                if let Some((first, last)) = range {
                    put("view_range", Value::Array(vec![(*first).into(), (*last).into()]));
                }
            }
            Op::Create { path, text } => {
                put("command", "create".into());
                put("path", path.as_str().into());
                put("file_text", text.as_str().into());
            }
            Op::StrReplace { path, old, new } => {
                put("command", "str_replace".into());
                put("path", path.as_str().into());
                put("old_str", old.as_str().into());
                if let Some(new) = new {
                    put("new_str", new.as_str().into());
                }
            }
            Op::Insert { path, line, text } => {
                put("command", "insert".into());
                put("path", path.as_str().into());
                put("insert_line", (*line).into());
                put("insert_text", text.as_str().into());
            }
            Op::Delete { path } => {
                put("command", "delete".into());
                put("path", path.as_str().into());
            }
            Op::Rename { old, new } => {
                put("command", "rename".into());
                put("old_path", old.as_str().into());
                put("new_path", new.as_str().into());
            }
        }
        Value::Object(input)
    }

    /// Every text of the command, to be made smaller.
    pub(super) fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Op::Create { text, .. } | Op::Insert { text, .. } => vec![text],
            Op::StrReplace { old, new, .. } => [Some(old), new.as_mut()].into_iter().flatten().collect(),
            Op::View { .. } | Op::Delete { .. } | Op::Rename { .. } => Vec::new(),
        }
    }

    /// Every path of the command.
    pub(super) fn paths(&self) -> Vec<&str> {
        match self {
            Op::Rename { old, new } => vec![old, new],
            Op::View { path, .. }
            | Op::Create { path, .. }
            | Op::StrReplace { path, .. }
            | Op::Insert { path, .. }
            | Op::Delete { path } => vec![path],
        }
    }

    /// Every path of the command, to be made plainer.
    pub(super) fn paths_mut(&mut self) -> Vec<&mut String> {
        match self {
            Op::Rename { old, new } => vec![old, new],
            Op::View { path, .. }
            | Op::Create { path, .. }
            | Op::StrReplace { path, .. }
            | Op::Insert { path, .. }
            | Op::Delete { path } => vec![path],
        }
    }
}

/// A script: commands in order, in an empty store.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub(super) ops: Vec<Op>,
    /// The places, among the steps of the case, of the observations that are left out.
    pub(super) unobserved: Vec<usize>,
}

impl Script {
    /// How many commands it has, without the observations that its case adds.
    pub fn commands(&self) -> usize {
        self.ops.len()
    }
}
