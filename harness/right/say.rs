//! What a handler has to say, apart from the words.

use serde_json::Value;

/// One row of a listing, below the viewed directory.
#[derive(Clone, Debug)]
pub struct Row {
    /// The path below the viewed directory: `a/b`.
    pub path: String,
    /// How far below: 1 for what it holds itself.
    pub level: usize,
    /// A file's bytes; `None` for a directory.
    pub size: Option<u64>,
}

/// Numbered lines.
pub type Lines<'a> = Vec<(usize, &'a str)>;

/// An answer without words.
#[derive(Clone, Debug)]
pub enum Say<'a> {
    // Successes.
    File {
        path: &'a str,
        lines: Lines<'a>,
    },
    Directory {
        path: &'a str,
        rows: Vec<Row>,
    },
    Created {
        path: &'a str,
    },
    Edited {
        path: &'a str,
        snippet: Lines<'a>,
    },
    Inserted {
        path: &'a str,
        line: u64,
    },
    Deleted {
        path: &'a str,
        directory: bool,
    },
    Renamed {
        old: &'a str,
        new: &'a str,
    },
    // Errors.
    Missing {
        command: &'a str,
        path: &'a str,
    },
    NotAFile {
        command: &'a str,
        path: &'a str,
    },
    Exists {
        path: &'a str,
    },
    NotFound {
        old: &'a str,
        path: &'a str,
    },
    Ambiguous {
        old: &'a str,
        path: &'a str,
        lines: Vec<usize>,
    },
    BadLine {
        line: &'a Value,
        count: usize,
    },
    BadRange,
    LineLimit {
        path: &'a str,
        count: usize,
    },
    DestinationExists {
        new: &'a str,
    },
    IntoItself {
        old: &'a str,
        new: &'a str,
    },
    Root {
        command: &'a str,
    },
    Outside {
        path: &'a str,
    },
    /// A path or a text that is refused for another reason.
    Refused {
        what: &'a str,
    },
    Unknown {
        command: &'a str,
    },
    Parameter {
        name: &'a str,
    },
}

impl Say<'_> {
    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        !matches!(
            self,
            Say::File { .. }
                | Say::Directory { .. }
                | Say::Created { .. }
                | Say::Edited { .. }
                | Say::Inserted { .. }
                | Say::Deleted { .. }
                | Say::Renamed { .. }
        )
    }
}

/// Words for everything.
pub type Voice = fn(&Say<'_>) -> String;
