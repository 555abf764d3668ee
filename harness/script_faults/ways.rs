//! Handlers that are right in a way of their own: every choice that the rulings allow.

use memconf::wire::ToolResult;
use serde_json::{Value, json};

use super::faulty::{Act, Faulty, field, is};

pub const WAYS: &[(&str, Act)] = &[
    ("create overwrites", |own, input| {
        if is(input, "create") && own.text(field(input, "path")).is_some() {
            own.put(field(input, "path"), field(input, "file_text"));
            return ToolResult::ok(format!("File created successfully at: {}", field(input, "path")));
        }
        own.right(input)
    }),
    ("a final LF begins a line", |own, input| phantom(own, input)),
    ("an empty file has one line", |own, input| {
        let reply = own.right(input);
        match is(input, "view") && own.text(field(input, "path")).as_deref() == Some("") {
            true => ToolResult::ok(format!("{}\n     1\t", reply.content)),
            false => reply,
        }
    }),
    ("insert at the end always ends in LF", |own, input| {
        at_end(own, input, |text| if text.ends_with('\n') { text.into() } else { format!("{text}\n") })
    }),
    ("insert at the end ends in LF only where both did", |own, input| {
        at_end(own, input, |text| text.strip_suffix('\n').unwrap_or(text).into())
    }),
    ("insert as the file was, lines begun by LF", |own, input| {
        let ended = own.text(field(input, "path")).is_some_and(|text| text.ends_with('\n'));
        let reply = match ended {
            true => at_end(own, input, |text| if text.ends_with('\n') { text.into() } else { format!("{text}\n") }),
            false => at_end(own, input, |text| text.strip_suffix('\n').unwrap_or(text).into()),
        };
        shown(own, input, reply)
    }),
    ("one past the end is inserted", |own, input| {
        let path = field(input, "path");
        match own.text(path) {
            Some(text) if is(input, "insert") && text.ends_with('\n') => {
                let count = text.lines().count() as u64;
                match input["insert_line"].as_u64() == Some(count + 1) {
                    true => own.with(input, "insert_line", count),
                    false => own.right(input),
                }
            }
            _ => own.right(input),
        }
    }),
    ("rename onto itself is done", |own, input| {
        let (old, new) = (field(input, "old_path"), field(input, "new_path"));
        match is(input, "rename") && old == new && own.text(old).is_some() {
            true => ToolResult::ok(format!("Successfully renamed {old} to {new}")),
            false => own.right(input),
        }
    }),
    ("an empty file takes new_str for an empty old_str", |own, input| {
        let path = field(input, "path");
        let empty = own.text(path).as_deref() == Some("") && field(input, "old_str").is_empty();
        match is(input, "str_replace") && empty {
            true => {
                own.put(path, field(input, "new_str"));
                ToolResult::ok("The memory file has been edited.")
            }
            false => own.right(input),
        }
    }),
    ("letter case makes no difference", |own, input| {
        let mut other = input.clone();
        for name in ["path", "old_path", "new_path"] {
            if let Some(path) = input[name].as_str() {
                let known = own.files().into_iter().find(|file| file.eq_ignore_ascii_case(path));
                other[name] = known.unwrap_or_else(|| path.to_owned()).into();
            }
        }
        own.right(&other)
    }),
    ("keys and values: a directory is what its files make", |own, input| key_value(own, input, true)),
    ("keys and values, with rows for files only", |own, input| {
        let reply = key_value(own, input, true);
        listing(input, reply, |row| !row.ends_with('/'))
    }),
    ("listings of one level", |own, input| {
        let reply = own.right(input);
        let depth = field(input, "path").matches('/').count() + 1;
        let mut first = true;
        listing(input, reply, |row| {
            std::mem::take(&mut first) || row.trim_end_matches('/').matches('/').count() <= depth
        })
    }),
    ("occurrences that overlap are several", |own, input| {
        let (text, old) = (own.text(field(input, "path")).unwrap_or_default(), field(input, "old_str"));
        let starts = text.char_indices().filter(|(at, _)| !old.is_empty() && text[*at..].starts_with(old)).count();
        match is(input, "str_replace") && starts > 1 {
            true => ToolResult::error("No replacement was performed. Multiple occurrences"),
            false => own.right(input),
        }
    }),
    ("its own words, errors not flagged", |own, input| own_words(own, input)),
    ("its own words, with all other choices", |own, input| {
        if is(input, "create") && own.text(field(input, "path")).is_some() {
            own.put(field(input, "path"), field(input, "file_text"));
            return ToolResult::ok("gespeichert");
        }
        own_words(own, input)
    }),
    ("parents are not made", |own, input| {
        let to = if is(input, "rename") { "new_path" } else { "path" };
        let parent = field(input, to).rsplit_once('/').map_or("/memories", |(parent, _)| parent).to_owned();
        let makes = is(input, "create") || is(input, "rename");
        match makes && parent.len() > 9 && own.right(&json!({ "command": "view", "path": parent })).is_error {
            true => ToolResult::error(format!("Error: The path {parent} does not exist")),
            false => own.right(input),
        }
    }),
];

/// Views with a line behind a final LF.
fn phantom(own: &mut Faulty, input: &Value) -> ToolResult {
    let reply = own.right(input);
    shown(own, input, reply)
}

fn shown(own: &Faulty, input: &Value, reply: ToolResult) -> ToolResult {
    let Some(text) = own.text(field(input, "path")).filter(|text| text.ends_with('\n')) else { return reply };
    let count = text.lines().count() as i64;
    let last = input["view_range"][1].as_i64().unwrap_or(-1);
    match is(input, "view") && !reply.is_error && (last == -1 || last > count) {
        true => ToolResult::ok(format!("{}\n{:>6}\t", reply.content, count + 1)),
        false => reply,
    }
}

/// An insertion at the end of a file, after which the final LF is another one, where that is allowed.
fn at_end(own: &mut Faulty, input: &Value, change: fn(&str) -> String) -> ToolResult {
    let path = field(input, "path");
    let before = own.text(path).unwrap_or_default();
    let reply = own.right(input);
    let count = before.split_inclusive('\n').count() as u64;
    let both = before.ends_with('\n') && field(input, "insert_text").ends_with('\n');
    if is(input, "insert") && !reply.is_error && input["insert_line"].as_u64() == Some(count) && !both {
        let after = own.text(path).unwrap();
        own.put(path, &change(&after));
    }
    reply
}

fn key_value(own: &mut Faulty, input: &Value, prune: bool) -> ToolResult {
    let reply = own.right(input);
    let left = if is(input, "rename") { "old_path" } else { "path" };
    if prune && !reply.is_error && (is(input, "delete") || is(input, "rename")) {
        let mut at = field(input, left).to_owned();
        while let Some((parent, _)) = at.rsplit_once('/') {
            let below = format!("{parent}/");
            if parent.len() <= 9 || own.files().iter().any(|file| file.starts_with(&below)) {
                break;
            }
            own.right(&json!({ "command": "delete", "path": parent }));
            at = parent.to_owned();
        }
    }
    reply
}

/// A listing with only some of its rows.
fn listing(input: &Value, reply: ToolResult, mut keep: impl FnMut(&str) -> bool) -> ToolResult {
    if !is(input, "view") || !reply.content.starts_with("Here're") {
        return reply;
    }
    let mut rows = reply.content.split('\n');
    let mut kept = vec![rows.next().unwrap_or_default()];
    kept.extend(rows.filter(|row| keep(row)));
    ToolResult::ok(kept.join("\n"))
}

/// Another language, and no flag.
fn own_words(own: &mut Faulty, input: &Value) -> ToolResult {
    let reply = own.right(input);
    let path = field(input, "path");
    if reply.is_error {
        return ToolResult::ok(format!("Geht nicht: {}", reply.content.len()));
    }
    if !is(input, "view") {
        return ToolResult::ok(format!("Erledigt: {}", input["command"].as_str().unwrap_or_default()));
    }
    let (_, body) = reply.content.split_once('\n').unwrap_or((&reply.content, ""));
    let rows = body.split('\n').filter(|row| !row.is_empty()).map(|row| row.split_once('\t').unwrap_or(("", row)));
    let rows: Vec<String> = match own.text(path) {
        Some(_) => rows.map(|(number, line)| format!("{}| {line}", number.trim())).collect(),
        None => rows.skip(1).map(|(_, row)| format!("- {row}")).collect(),
    };
    ToolResult::ok(format!("Inhalt von {path}:\n{}", rows.join("\n")))
}
