//! What several faults need.

use memconf::wire::ToolResult;
use serde_json::Value;

use crate::common::{Bench, Fields};

/// The documented answer to an edit.
pub const EDITED: &str = "The memory file has been edited.";

/// An edit that makes of the text what `change` says, of `old_str` and `new_str` as sent; where it says nothing, or
/// there is no such file, the reference answers.
pub fn replace_with(
    bench: &mut Bench,
    input: &Value,
    change: fn(text: &str, old: &str, new: &str) -> Option<String>,
) -> ToolResult {
    let changed = (input.is("str_replace") && input["old_str"].is_string())
        .then(|| bench.text(input.str("path")))
        .flatten()
        .and_then(|text| change(&text, input.str("old_str"), input.str("new_str")));
    match changed {
        Some(changed) => {
            bench.put(input.str("path"), &changed);
            ToolResult::ok(EDITED)
        }
        None => bench.call(input),
    }
}

/// An insertion that makes of the text what `change` says, where the file has that line; otherwise the reference
/// answers.
pub fn insert_with(
    bench: &mut Bench,
    input: &Value,
    change: fn(text: &str, line: usize, new: &str) -> String,
) -> ToolResult {
    let text = bench.text(input.str("path"));
    let (true, Some(text), Some(line), Some(new)) =
        (input.is("insert"), text, input["insert_line"].as_u64(), input["insert_text"].as_str())
    else {
        return bench.call(input);
    };
    let line = usize::try_from(line).unwrap_or(usize::MAX);
    if line > text.lines().count() {
        return bench.call(input);
    }
    let changed = change(&text, line, new);
    bench.put(input.str("path"), &changed);
    ToolResult::ok(format!("The file {} has been edited.", input.str("path")))
}

/// The reference's answer; after a successful edit the whole text of the file goes through `mangle`.
pub fn mangled_by_edits(bench: &mut Bench, input: &Value, mangle: fn(&str) -> String) -> ToolResult {
    let answer = bench.call(input);
    if input.edits()
        && !answer.is_error
        && let Some(text) = bench.text(input.str("path"))
    {
        bench.put(input.str("path"), &mangle(&text));
    }
    answer
}

/// The reference's answer to a `create` whose text goes through `mangle`.
pub fn mangled_by_create(bench: &mut Bench, input: &Value, mangle: fn(&str) -> String) -> ToolResult {
    match input["file_text"].as_str().filter(|_| input.is("create")) {
        Some(text) => bench.call(&input.with("file_text", mangle(text))),
        None => bench.call(input),
    }
}

/// Whether a path is an ordinary one: inside, and without anything that a check may refuse.
pub fn is_plain(path: &str) -> bool {
    let names = path.strip_prefix("/memories/").unwrap_or("/");
    names.split('/').all(|name| {
        !name.is_empty()
            && !name.starts_with('.')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "._- ".contains(c))
    })
}

/// A file's view in the documented form, of these lines.
pub fn shown<'a>(path: &str, lines: impl IntoIterator<Item = (usize, &'a str)>) -> ToolResult {
    let mut text = format!("Here's the content of {path} with line numbers:");
    for (number, line) in lines {
        text.push_str(&format!("\n{number:6}\t{line}"));
    }
    ToolResult::ok(text)
}

/// The text of the file that a view without fault would show, with the two ends of its range where it has one.
pub fn viewed(bench: &Bench, input: &Value) -> Option<(String, Option<(i64, i64)>)> {
    let text = bench.text(input.str("path")).filter(|_| input.is("view"))?;
    let range = match input["view_range"].as_array().map(Vec::as_slice) {
        Some([first, last]) => Some((first.as_i64()?, last.as_i64()?)),
        Some(_) => return None,
        None if input["view_range"].is_null() => None,
        None => return None,
    };
    Some((text, range))
}

/// Lines as the reference counts them: only LF ends one, and a final LF begins none.
pub fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
}

/// Lines as Python's `splitlines` finds them, each with what ends it.
pub fn split_lines(text: &str) -> Vec<&str> {
    let ends = ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];
    let mut lines: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(ends) {
        let mut end = at + rest[at..].chars().next().map_or(1, char::len_utf8);
        if rest[at..].starts_with("\r\n") {
            end = at + 2;
        }
        lines.push(&rest[..end]);
        rest = &rest[end..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// The same without what ends them.
pub fn bare(line: &str) -> &str {
    line.trim_end_matches([
        '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}',
    ])
}
