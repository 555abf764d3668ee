//! The six commands and their texts. A text is the documentation's (`requirements.json` names the place) except where
//! it begins with `Error: ` and none is documented.

use serde_json::Value;

use super::input::{Input, Range};
use super::text::{self, Replaced};
use super::{Node, Store, StoreError, VirtualPath, listing};
use crate::wire::{Command, ROOT};

/// The most lines that a view shows (`view.line-limit`).
const MOST_LINES: usize = 999_999;

/// The text of a success, or of an error.
type Answer = Result<String, String>;

/// Executes one command.
pub(super) fn answer<S: Store>(store: &mut S, input: &Value) -> Answer {
    let input = Input::parse(input)?;
    match input.command {
        Command::View => view(store, &input.path("path")?, input.range()?),
        Command::Create => create(store, &input.path("path")?, input.text("file_text")?),
        Command::StrReplace => {
            let (path, old) = (input.path("path")?, input.text("old_str")?);
            str_replace(store, &path, old, input.optional_text("new_str")?.unwrap_or_default())
        }
        Command::Insert => {
            let (path, line) = (input.path("path")?, input.integer("insert_line")?);
            let line = Line { sent: line, number: line.as_u64() };
            insert(store, &path, line, input.text("insert_text")?)
        }
        Command::Delete => delete(store, &input.path("path")?),
        Command::Rename => rename(store, &input.path("old_path")?, &input.path("new_path")?),
    }
}

fn view<S: Store>(store: &S, path: &VirtualPath<'_>, range: Option<Range>) -> Answer {
    match store.look(path) {
        Ok(Node::Directory) => {}
        Ok(Node::File(text)) => return view_file(&text, path, range),
        Err(StoreError::Missing | StoreError::UnderAFile) => return Err(no_such_path(path)),
        Err(error) => return Err(could_not(Command::View, path, &error)),
    }
    listing::listing(store, path).map_err(|error| match error {
        StoreError::Missing | StoreError::UnderAFile => no_such_path(path),
        error => could_not(Command::View, path, &error),
    })
}

fn view_file(content: &str, path: &VirtualPath<'_>, range: Option<Range>) -> Answer {
    let count = text::line_count(content);
    if count > MOST_LINES {
        return Err(format!("File {path} exceeds maximum line limit of 999,999 lines."));
    }
    let (first, last) = match range {
        None => (1, count),
        Some(range) => range.within(count).ok_or_else(|| {
            let Range { start, end } = range;
            format!(
                "Error: Invalid `view_range` parameter: [{start}, {end}]. It should be [start, end] within the range of \
                 lines of the file: [1, {count}]; an end of -1 is the last line"
            )
        })?,
    };
    let mut out = format!("Here's the content of {path} with line numbers:");
    if let Some(piece) = text::lines(content, first, last) {
        text::push_numbered(&mut out, piece, last - first + 1, first);
    }
    Ok(out)
}

impl Range {
    /// The first and the last line to show of a file; `None` where the range has no beginning in it (`ruling.range-edges`).
    /// The first line of an empty file is a beginning, and shows nothing.
    fn within(self, count: usize) -> Option<(usize, usize)> {
        let first = usize::try_from(self.start).ok().filter(|first| (1..=count.max(1)).contains(first))?;
        if self.end == -1 {
            return Some((first, count));
        }
        let last = usize::try_from(self.end).ok().filter(|last| *last >= first)?;
        Some((first, last.min(count)))
    }
}

fn create<S: Store>(store: &mut S, path: &VirtualPath<'_>, text: &str) -> Answer {
    match store.create(path, text) {
        Ok(()) => Ok(format!("File created successfully at: {path}")),
        Err(StoreError::Exists) => Err(format!("Error: File {path} already exists")),
        Err(error) => Err(could_not(Command::Create, path, &error)),
    }
}

fn str_replace<S: Store>(store: &mut S, path: &VirtualPath<'_>, old: &str, new: &str) -> Answer {
    if old.is_empty() {
        return Err("Error: Invalid `old_str` parameter of `str_replace`: it is empty. Name the text to replace".into());
    }
    let mut answer = Err(String::new());
    let edited = store.edit(path, &mut |content| match text::replace(content, old, new) {
        Replaced::Once { text, start, end } => {
            let mut out = String::from("The memory file has been edited.");
            text::push_snippet(&mut out, &text, start, end);
            answer = Ok(out);
            Some(text)
        }
        Replaced::NotFound => {
            answer = Err(format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}."));
            None
        }
        Replaced::Several { lines } => {
            answer = Err(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure \
                 it is unique"
            ));
            None
        }
    });
    match edited {
        Ok(()) => answer,
        Err(StoreError::Missing | StoreError::UnderAFile | StoreError::IsADirectory) => {
            Err(format!("Error: {}", no_such_path(path)))
        }
        Err(error) => Err(could_not(Command::StrReplace, path, &error)),
    }
}

/// The line to insert after: as sent, and as a number where it may be one of a file's.
struct Line<'a> {
    sent: &'a serde_json::Number,
    number: Option<u64>,
}

fn insert<S: Store>(store: &mut S, path: &VirtualPath<'_>, line: Line<'_>, new: &str) -> Answer {
    let mut answer = Err(String::new());
    let edited = store.edit(path, &mut |content| {
        let inserted = match line.number {
            Some(after) => text::insert(content, after, new),
            None => Err(text::line_count(content)),
        };
        match inserted {
            Ok(text) => {
                answer = Ok(format!("The file {path} has been edited."));
                Some(text)
            }
            Err(count) => {
                answer = Err(format!(
                    "Error: Invalid `insert_line` parameter: {}. It should be within the range of lines of the file: [0, \
                     {count}]",
                    line.sent
                ));
                None
            }
        }
    });
    match edited {
        Ok(()) => answer,
        Err(StoreError::Missing | StoreError::UnderAFile | StoreError::IsADirectory) => Err(does_not_exist(path)),
        Err(error) => Err(could_not(Command::Insert, path, &error)),
    }
}

fn delete<S: Store>(store: &mut S, path: &VirtualPath<'_>) -> Answer {
    if path.is_root() {
        return Err(format!("Error: Cannot delete the {ROOT} directory itself"));
    }
    match store.delete(path) {
        Ok(()) => Ok(format!("Successfully deleted {path}")),
        Err(StoreError::Missing | StoreError::UnderAFile) => Err(does_not_exist(path)),
        Err(error) => Err(could_not(Command::Delete, path, &error)),
    }
}

fn rename<S: Store>(store: &mut S, old: &VirtualPath<'_>, new: &VirtualPath<'_>) -> Answer {
    if old.is_root() {
        return Err(format!("Error: Cannot rename the {ROOT} directory itself"));
    }
    if new.is_below(old) {
        return Err(format!("Error: Cannot rename {old} to {new}: a path cannot be moved below itself"));
    }
    match store.rename(old, new) {
        Ok(()) => Ok(format!("Successfully renamed {old} to {new}")),
        Err(StoreError::Missing) => Err(does_not_exist(old)),
        Err(StoreError::Exists) => Err(format!("Error: The destination {new} already exists")),
        Err(StoreError::UnderAFile) => {
            Err(format!("Error: Cannot rename {old} to {new}: the new path leads through a file"))
        }
        Err(error) => Err(could_not(Command::Rename, old, &error)),
    }
}

fn no_such_path(path: &VirtualPath<'_>) -> String {
    format!("The path {path} does not exist. Please provide a valid path.")
}

fn does_not_exist(path: &VirtualPath<'_>) -> String {
    format!("Error: The path {path} does not exist")
}

fn could_not(command: Command, path: &VirtualPath<'_>, error: &StoreError) -> String {
    let verb = match command {
        Command::View => "view",
        Command::Create => "create",
        Command::StrReplace | Command::Insert => "edit",
        Command::Delete => "delete",
        Command::Rename => "rename",
    };
    format!("Error: Could not {verb} {path}: {error}")
}
