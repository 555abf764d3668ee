//! The faults: name, what the finding's id must contain, and what is done.

use memconf::wire::ToolResult;
use serde_json::{Value, json};

use super::faulty::{Act, Faulty, field, is};

pub const FAULTS: &[(&str, &str, Act)] = &[
    ("insert one line early", "insert", |own, input| match input["insert_line"].as_i64() {
        Some(line) if line > 0 => own.with(input, "insert_line", line - 1),
        _ => own.right(input),
    }),
    ("insert at the end goes before the last line", "insert", |own, input| {
        let count = own.text(field(input, "path")).map_or(0, |text| text.lines().count() as i64);
        match input["insert_line"].as_i64() {
            Some(line) if line == count && line > 1 => own.with(input, "insert_line", line - 1),
            _ => own.right(input),
        }
    }),
    ("insert drops blank lines at the end of the file", "insert", |own, input| {
        own.then(input, "insert", |text| {
            let end = if text.ends_with('\n') { "\n" } else { "" };
            format!("{}{end}", text.trim_end_matches('\n'))
        })
    }),
    ("insert drops blank lines at the end of the text", "insert", |own, input| {
        match is(input, "insert") && field(input, "insert_text").ends_with("\n\n") {
            true => own.with(input, "insert_text", format!("{}\n", field(input, "insert_text").trim_end_matches('\n'))),
            false => own.right(input),
        }
    }),
    ("insert joins a text without LF to the next line", "insert-newline", |own, input| {
        let (path, bare) = (field(input, "path"), field(input, "insert_text"));
        let before = own.text(path).unwrap_or_default();
        let reply = own.right(input);
        let (after, line) = (own.text(path).unwrap_or_default(), input["insert_line"].as_u64().unwrap_or(0) as usize);
        if is(input, "insert") && !reply.is_error && !bare.ends_with('\n') && line < before.lines().count() {
            let at = before.split_inclusive('\n').take(line).map(str::len).sum::<usize>() + bare.len();
            own.put(path, &format!("{}{}", &after[..at], &after[at + 1..]));
        }
        reply
    }),
    ("insert joins a line to a last line without LF", "insert-at-end", |own, input| {
        let path = field(input, "path");
        let before = own.text(path).unwrap_or_default();
        let reply = own.right(input);
        let line = input["insert_line"].as_u64().unwrap_or(0) as usize;
        if is(input, "insert") && !reply.is_error && !before.is_empty() && !before.ends_with('\n') && line > 0 {
            let after = own.text(path).unwrap_or_default();
            if after.starts_with(&before) {
                own.put(path, &format!("{before}{}", &after[before.len() + 1..]));
            }
        }
        reply
    }),
    ("insert trims spaces at line ends", "insert", |own, input| {
        own.then(input, "insert", |text| {
            text.split('\n').map(|line| line.trim_end_matches(' ')).collect::<Vec<_>>().join("\n")
        })
    }),
    ("insert takes U+2028 for a line end", "insert", |own, input| {
        own.then(input, "insert", |text| text.replace('\u{2028}', "\n"))
    }),
    ("insert takes a form feed for a line end", "insert", |own, input| {
        own.then(input, "insert", |text| text.replace('\u{c}', "\n"))
    }),
    ("insert takes -1 for the end", "ruling-fidelity", |own, input| {
        let count = own.text(field(input, "path")).map(|text| text.lines().count());
        match (input["insert_line"].as_i64(), count) {
            (Some(-1), Some(count)) => own.with(input, "insert_line", count),
            _ => own.right(input),
        }
    }),
    ("insert clamps a line past the end", "ruling-fidelity", |own, input| {
        let count = own.text(field(input, "path")).map_or(0, |text| text.lines().count());
        match input["insert_line"].as_u64() {
            Some(line) if line > count as u64 + 1 => own.with(input, "insert_line", count),
            _ => own.right(input),
        }
    }),
    ("str_replace writes LF for CRLF", "line-ends", |own, input| {
        own.then(input, "str_replace", |text| text.replace("\r\n", "\n"))
    }),
    ("create writes LF for CRLF", "create-stores-text", |own, input| {
        own.then(input, "create", |text| text.replace("\r\n", "\n"))
    }),
    ("str_replace understands $&", "literal-text", |own, input| {
        let new = field(input, "new_str").replace("$&", field(input, "old_str"));
        if is(input, "str_replace") && input.get("new_str").is_some() {
            own.with(input, "new_str", new)
        } else {
            own.right(input)
        }
    }),
    ("str_replace understands \\1", "literal-text", |own, input| match field(input, "new_str").contains("\\1") {
        true => own.with(input, "new_str", field(input, "new_str").replace("\\1", "")),
        false => own.right(input),
    }),
    ("str_replace understands \\n", "literal-text", |own, input| match field(input, "new_str").contains("\\n") {
        true => own.with(input, "new_str", field(input, "new_str").replace("\\n", "\n")),
        false => own.right(input),
    }),
    ("str_replace replaces the first of many", "accepted", |own, input| replace(own, input, 1)),
    ("str_replace replaces all of many", "accepted", |own, input| replace(own, input, usize::MAX)),
    ("str_replace replaces the last where it says the first", "accepted", |own, input| {
        let (path, old) = (field(input, "path"), field(input, "old_str"));
        match own.text(path) {
            Some(text) if is(input, "str_replace") && !old.is_empty() && text.matches(old).count() == 2 => {
                let at = text.rfind(old).unwrap();
                own.put(path, &format!("{}{}{}", &text[..at], field(input, "new_str"), &text[at + old.len()..]));
                ToolResult::ok("The memory file has been edited.")
            }
            _ => own.right(input),
        }
    }),
    ("a second occurrence on the line goes unnoticed", "same-line-twice", |own, input| {
        let (path, old) = (field(input, "path"), field(input, "old_str"));
        let text = own.text(path).unwrap_or_default();
        let lines = text.split('\n').filter(|line| !old.is_empty() && line.contains(old)).count();
        if is(input, "str_replace") && lines == 1 { replace(own, input, 1) } else { own.right(input) }
    }),
    ("str_replace writes the LF of the old text again", "str-replace", |own, input| {
        let (path, old) = (field(input, "path"), field(input, "old_str"));
        let ended = own.text(path).is_some_and(|text| text.ends_with(old)) && old.ends_with('\n');
        if is(input, "str_replace") && ended && !field(input, "new_str").ends_with('\n') {
            own.with(input, "new_str", format!("{}\n", field(input, "new_str")))
        } else {
            own.right(input)
        }
    }),
    ("str_replace adds a final LF", "blank-lines", |own, input| {
        own.then(input, "str_replace", |text| if text.ends_with('\n') { format!("{text}\n") } else { text.into() })
    }),
    ("str_replace never finds several lines", "multi-line", |own, input| {
        match is(input, "str_replace") && field(input, "old_str").trim_end_matches('\n').contains('\n') {
            true => ToolResult::error("No replacement was performed, the text did not appear verbatim."),
            false => own.right(input),
        }
    }),
    ("str_replace without new_str writes undefined", "new-str-optional", |own, input| {
        match is(input, "str_replace") && input.get("new_str").is_none() {
            true => own.with(input, "new_str", "undefined"),
            false => own.right(input),
        }
    }),
    ("str_replace counts astral characters twice", "", |own, input| {
        let (path, old) = (field(input, "path"), field(input, "old_str"));
        let before = own.text(path).unwrap_or_default();
        let reply = own.right(input);
        if !is(input, "str_replace") || reply.is_error {
            return reply;
        }
        // The place is counted in UTF-16 units, and cut in characters.
        let at = before[..before.find(old).unwrap()].encode_utf16().count();
        let characters: Vec<char> = before.chars().collect();
        let at = at.min(characters.len());
        let end = (at + old.chars().count()).min(characters.len());
        let (head, tail) = (characters[..at].iter(), characters[end..].iter());
        own.put(path, &head.copied().chain(field(input, "new_str").chars()).chain(tail.copied()).collect::<String>());
        reply
    }),
    ("an astral character before the place is too much", "crash", |own, input| {
        let text = own.text(field(input, "path")).unwrap_or_default();
        assert!(!(is(input, "insert") && text.starts_with('😀')), "byte index 2 is not a char boundary");
        own.right(input)
    }),
    ("create writes ? for astral characters", "create-stores-text", |own, input| {
        own.then(input, "create", |text| text.replace('😀', "?"))
    }),
    ("create writes spaces for tabs", "create-stores-text", |own, input| {
        own.then(input, "create", |text| text.replace('\t', "    "))
    }),
    ("create drops a blank line at the end", "create-stores-text", |own, input| {
        own.then(input, "create", |text| text.strip_suffix("\n\n").map_or(text.into(), |text| format!("{text}\n")))
    }),
    ("create cuts long lines", "create-stores-text", |own, input| {
        own.then(input, "create", |text| {
            text.split('\n').map(|line| line.chars().take(255).collect::<String>()).collect::<Vec<_>>().join("\n")
        })
    }),
    ("an empty file is not made", "", |own, input| match is(input, "create") && field(input, "file_text").is_empty() {
        true => ToolResult::ok(format!("File created successfully at: {}", field(input, "path"))),
        false => own.right(input),
    }),
    ("a deleted file's text comes back", "create-stores-text", |own, input| {
        let path = field(input, "path").to_owned();
        if is(input, "delete")
            && let Some(text) = own.text(&path)
        {
            own.kept.insert(path.clone(), text);
        }
        match own.kept.get(&path).cloned() {
            Some(text) if is(input, "create") => own.with(input, "file_text", text),
            _ => own.right(input),
        }
    }),
    ("a cache that insert does not know of", "insert", |own, input| cached(own, input, "insert")),
    ("a cache that str_replace does not know of", "", |own, input| cached(own, input, "str_replace")),
    ("a cache that rename does not know of", "rename-moves", |own, input| cached(own, input, "rename")),
    ("a cache that delete does not know of", "delete", |own, input| cached(own, input, "delete")),
    ("a file is found without its ending", "", |own, input| {
        let path = field(input, "path");
        let stem = path.trim_end_matches(".txt");
        let other = format!("{stem}.txt");
        match own.text(path).is_none() && own.text(&other).is_some() && !is(input, "create") {
            true => own.with(input, "path", other),
            false => own.right(input),
        }
    }),
    ("keys with _ for /", "", |own, input| {
        let mut other = input.clone();
        for name in ["path", "old_path", "new_path"] {
            if let Some(path) = input[name].as_str().and_then(|path| path.strip_prefix("/memories/")) {
                other[name] = format!("/memories/{}", path.replace('/', "_")).into();
            }
        }
        own.right(&other)
    }),
    ("delete takes a prefix", "delete", |own, input| {
        let path = field(input, "path").to_owned();
        let reply = own.right(input);
        if is(input, "delete") && !reply.is_error {
            for file in own.files().into_iter().filter(|file| file.starts_with(&path)) {
                own.right(&json!({ "command": "delete", "path": file }));
            }
        }
        reply
    }),
    ("rename takes a prefix", "", |own, input| {
        let (old, new) = (field(input, "old_path"), field(input, "new_path"));
        let reply = own.right(input);
        if is(input, "rename") && !reply.is_error {
            for file in own.files().into_iter().filter(|file| file.starts_with(old) && !file.starts_with(new)) {
                let moved = format!("{new}{}", &file[old.len()..]);
                own.right(&json!({ "command": "rename", "old_path": file, "new_path": moved }));
            }
        }
        reply
    }),
    ("_ is any character to delete", "", |own, input| {
        let path = field(input, "path").to_owned();
        let reply = own.right(input);
        if is(input, "delete") && !reply.is_error && path.contains('_') {
            let like = |file: &str| {
                let pairs = path.chars().zip(file.chars());
                file.len() > path.len() && pairs.into_iter().all(|(own, other)| own == other || own == '_')
            };
            for file in own.files().into_iter().filter(|file| like(file)) {
                own.right(&json!({ "command": "delete", "path": file }));
            }
        }
        reply
    }),
    ("rename leaves a copy", "rename-moves", |own, input| {
        let (old, text) = (field(input, "old_path"), own.text(field(input, "old_path")));
        let reply = own.right(input);
        if let Some(text) = text.filter(|_| is(input, "rename") && !reply.is_error) {
            own.put(old, &text);
        }
        reply
    }),
    ("rename overwrites", "destination-exists", |own, input| {
        let (old, new) = (field(input, "old_path"), field(input, "new_path"));
        if is(input, "rename") && old != new && own.text(old).is_some() && own.text(new).is_some() {
            own.right(&json!({ "command": "delete", "path": new }));
        }
        own.right(input)
    }),
    ("rename loses a final LF", "rename-moves", |own, input| {
        let new = field(input, "new_path");
        let reply = own.right(input);
        let text = own.text(new).filter(|text| is(input, "rename") && !reply.is_error && text.ends_with("\n\n"));
        if let Some(text) = text {
            own.put(new, &text[..text.len() - 1]);
        }
        reply
    }),
    ("twins are one file", "fidelity", |own, input| {
        let path = field(input, "path").to_owned();
        let before = own.text(&path);
        let reply = own.right(input);
        let edits = is(input, "str_replace") || is(input, "insert");
        if let (true, Some(before), Some(after)) = (edits && !reply.is_error, before, own.text(&path)) {
            for file in own.files() {
                if own.text(&file).as_ref() == Some(&before) {
                    own.put(&file, &after);
                }
            }
        }
        reply
    }),
    ("every second edit of a file is lost", "", |own, input| {
        let path = field(input, "path").to_owned();
        let before = own.text(&path);
        let reply = own.right(input);
        if is(input, "str_replace") && !reply.is_error && own.kept.remove(&path).is_some() {
            own.put(&path, &before.unwrap());
        } else if is(input, "str_replace") && !reply.is_error {
            own.kept.insert(path, String::new());
        }
        reply
    }),
    ("a range without its last line", "view-range", |own, input| {
        match (input["view_range"][0].as_i64(), input["view_range"][1].as_i64()) {
            (Some(first), Some(last)) if last > first => own.with(input, "view_range", json!([first, last - 1])),
            _ => own.right(input),
        }
    }),
    ("a range to the end lacks the last line", "view-range", |own, input| {
        let count = own.text(field(input, "path")).map_or(0, |text| text.lines().count() as i64);
        match (input["view_range"][0].as_i64(), input["view_range"][1].as_i64()) {
            (Some(first), Some(-1)) if first < count => own.with(input, "view_range", json!([first, count - 1])),
            _ => own.right(input),
        }
    }),
    ("a view is escaped for HTML", "", |own, input| {
        let reply = own.right(input);
        match is(input, "view") && !reply.is_error {
            true => ToolResult::ok(reply.content.replace('<', "&lt;")),
            false => reply,
        }
    }),
    ("a listing lacks names with _", "rows", |own, input| {
        let reply = own.right(input);
        match is(input, "view") && reply.content.starts_with("Here're") {
            true => {
                let rows: Vec<&str> = reply.content.split('\n').filter(|row| !row.contains("d_a")).collect();
                ToolResult::ok(rows.join("\n"))
            }
            false => reply,
        }
    }),
];

fn replace(own: &mut Faulty, input: &Value, most: usize) -> ToolResult {
    let (path, old, new) = (field(input, "path"), field(input, "old_str"), field(input, "new_str"));
    match own.text(path) {
        Some(text) if is(input, "str_replace") && !old.is_empty() && text.contains(old) => {
            own.put(path, &text.replacen(old, new, most));
            ToolResult::ok("The memory file has been edited.")
        }
        _ => own.right(input),
    }
}

/// Views come from a cache that all commands but one keep right.
fn cached(own: &mut Faulty, input: &Value, but: &str) -> ToolResult {
    let path = field(input, "path").to_owned();
    if is(input, "view") && input.get("view_range").is_none() {
        if let Some(kept) = own.kept.get(&path) {
            return ToolResult::ok(kept.clone());
        }
        let reply = own.right(input);
        if own.text(&path).is_some() {
            own.kept.insert(path, reply.content.clone());
        }
        return reply;
    }
    if !is(input, but) {
        own.kept.clear();
    }
    own.right(input)
}
