//! Recognising the rows of a listing in any reasonable wording: with or without sizes, `- name`, full or relative
//! paths, a tree, a slash on directories or none, also in another language.
//!
//! Rows are recognised by the names that the case has sent, so that prose is never taken for a row; what looks like
//! the other rows without such a name is an entry that nobody has made.

use std::collections::BTreeSet;

use super::paths::{below, normalised};
use super::shape::Listing;

/// What a listing shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Known paths, normalised, with whether the row ended in `/`; without the viewed directory.
    pub rows: Vec<(String, bool)>,
    /// Rows that no known path explains.
    pub strange: Vec<String>,
}

/// How far a listing may differ from the documented one where a case is not about that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tolerance {
    /// One level instead of two, or more than two.
    pub depth: bool,
    /// Hidden items and `node_modules` are shown.
    pub hidden: bool,
    /// Directories have no rows of their own (a key-value store).
    pub directories: bool,
}

/// Reads `text` as a listing of `directory`. `known` holds every path that the case has sent, normalised, with all
/// parents.
pub fn read(text: &str, directory: &str, known: &BTreeSet<String>) -> Seen {
    let mut seen = Seen::default();
    let mut prose = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut shapes: BTreeSet<String> = BTreeSet::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Some(row) = row(line, directory, known, &open) else {
            prose.push((line, seen.rows.is_empty()));
            continue;
        };
        open.retain(|(column, _)| row.column.is_some_and(|own| *column < own));
        if let Some(column) = row.column {
            open.push((column, row.path.clone()));
        }
        if row.path == directory {
            shapes.insert(row.shape);
            continue;
        }
        shapes.insert(row.shape);
        if !seen.rows.iter().any(|(path, _)| *path == row.path) {
            seen.rows.push((row.path, row.slash));
        }
    }
    for (line, before) in prose {
        if is_strange(line, before, directory, &shapes) {
            seen.strange.push(line.trim().to_owned());
        }
    }
    seen
}

/// What is wrong with what is seen; `None` where it is the expected listing, as far as it must be. `known` is as in
/// [`read`].
pub fn compare(seen: &Seen, expected: &Listing, tolerance: Tolerance, known: &BTreeSet<String>) -> Option<String> {
    let wanted: BTreeSet<&str> = expected.rows.iter().map(|row| row.path.as_str()).collect();
    let shown: BTreeSet<&str> = seen.rows.iter().map(|(path, _)| path.as_str()).collect();
    let depth = |path: &str| below(path, &expected.directory).map_or(0, |rest| rest.split('/').count());
    let shallow = tolerance.depth && shown.iter().all(|path| depth(path) <= 1);
    let is_directory = |path: &str| expected.rows.iter().any(|row| row.path == path && row.is_directory);
    let no_directories = tolerance.directories && !shown.iter().any(|path| is_directory(path));
    // What a directory of the last level holds is out of sight.
    let has_child = |path: &str| match depth(path) {
        0 | 1 => wanted.iter().any(|other| below(other, path).is_some()),
        _ => known.iter().any(|other| below(other, path).is_some()),
    };
    let missing: Vec<&str> = wanted
        .iter()
        .copied()
        .filter(|path| !shown.contains(path))
        .filter(|path| !(shallow && depth(path) > 1))
        .filter(|path| !(no_directories && is_directory(path) && has_child(path)))
        .collect();
    let extra: Vec<&str> = shown
        .iter()
        .copied()
        .filter(|path| !wanted.contains(path))
        .filter(|path| !(tolerance.depth && depth(path) > 2))
        .filter(|path| !(tolerance.hidden && is_left_out(path, &expected.directory)))
        .collect();
    let strange: Vec<&str> = seen
        .strange
        .iter()
        .map(String::as_str)
        .filter(|line| !(tolerance.hidden && line.rsplit(['/', '\t', ' ']).any(|part| part.starts_with('.'))))
        .collect();
    let as_directory = seen
        .rows
        .iter()
        .find(|(path, slash)| *slash && expected.rows.iter().any(|row| row.path == *path && !row.is_directory));
    if let (Some((path, _)), true) = (as_directory, missing.is_empty()) {
        return Some(format!("the file {path} is listed as a directory, with a slash"));
    }
    match (missing.first(), extra.first(), strange.first()) {
        (Some(_), ..) => Some(format!("not listed: {}", missing.join(", "))),
        (None, Some(_), _) => Some(format!("listed, but not expected: {}", extra.join(", "))),
        (None, None, Some(line)) => {
            Some(format!("a row for something that does not exist: {}", super::text::quote(line)))
        }
        (None, None, None) => None,
    }
}

/// Hidden, or `node_modules`, or inside such a directory.
fn is_left_out(path: &str, directory: &str) -> bool {
    below(path, directory)
        .is_some_and(|rest| rest.split('/').any(|part| part.starts_with('.') || part == "node_modules"))
}

struct Found {
    path: String,
    slash: bool,
    shape: String,
    /// Where the name begins, for a row that has nothing but indentation before it.
    column: Option<usize>,
}

fn row(line: &str, directory: &str, known: &BTreeSet<String>, open: &[(usize, String)]) -> Option<Found> {
    let parent = |column: usize| {
        let parent = open.iter().rev().find(|(own, _)| *own < column).map(|(_, path)| path.as_str());
        parent.unwrap_or(directory)
    };
    let mut best: Option<(usize, Found)> = None;
    for body in [line, without_note(line)] {
        for (start, name) in names(body) {
            let bare = name.strip_suffix('/').unwrap_or(name);
            let before = &body[..start];
            let column = is_indent(before).then(|| before.chars().count());
            let path = if bare.starts_with('/') {
                normalised(bare)
            } else {
                let nested = column.map(|column| normalised(&format!("{}/{bare}", parent(column))));
                let nested = nested.filter(|nested| known.contains(nested));
                nested.unwrap_or_else(|| normalised(&format!("{directory}/{bare}")))
            };
            let is_known = known.contains(&path) || path == directory;
            if is_known && is_decoration(before) && best.as_ref().is_none_or(|(at, _)| start < *at) {
                let found = Found { path, slash: name.ends_with('/'), shape: shape(before), column };
                best = Some((start, found));
            }
        }
    }
    best.map(|(_, found)| found)
}

/// Every end of a line that can be a name, with where it begins.
fn names(body: &str) -> impl Iterator<Item = (usize, &str)> {
    let body = body.trim_end_matches([' ', '\t', '\r', '`', '"', '\'', ',']);
    let starts = body.char_indices().filter(move |(at, c)| {
        let before = body[..*at].chars().next_back();
        let boundary =
            before.is_none_or(|b| b.is_whitespace() || !(b.is_alphanumeric() || b == '/' || b == '.' || b == '_'));
        boundary && !c.is_whitespace()
    });
    starts.map(move |(at, _)| (at, &body[at..]))
}

/// A line without what may stand behind a name: `(12 bytes)`, `[dir]`, a size in a column of its own.
fn without_note(line: &str) -> &str {
    let line = line.trim_end();
    let cut = match line.chars().next_back() {
        Some(')') => line.rfind('('),
        Some(']') => line.rfind('['),
        Some('）') => line.rfind('（'),
        _ => line.rfind('\t').or_else(|| line.rfind("  ")),
    };
    cut.map_or(line, |at| line[..at].trim_end_matches([' ', '\t', '-', '—', ':']))
}

fn is_indent(before: &str) -> bool {
    before.chars().all(|c| c.is_whitespace() || "│├└─|`+-*•".contains(c))
}

/// Whether what stands before a name is decoration: sizes, bullets, permissions, one word; not a sentence.
fn is_decoration(before: &str) -> bool {
    let words = before.split(|c: char| c.is_whitespace() || "│├└─|`+*•[](),:\"'".contains(c));
    let words: Vec<&str> = words.filter(|word| word.chars().any(char::is_alphanumeric)).collect();
    let other = words.iter().filter(|word| !is_token(word)).count();
    other == 0 || (other == 1 && !before.contains('/') && words.len() == 1)
}

fn is_token(word: &str) -> bool {
    let lower = word.to_lowercase();
    let number = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &lower[number.len()..];
    let units = ["", "b", "k", "m", "g", "t", "kb", "mb", "gb", "kib", "mib", "gib", "bytes", "byte", "z"];
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || ".,-:t".contains(c));
    let permissions = lower.len() >= 9 && lower.chars().all(|c| "drwx-lst".contains(c));
    let names = ["dir", "file", "directory", "folder", "d", "f", "bytes", "b", "kb", "mb", "text"];
    (is_number && units.contains(&unit)) || permissions || names.contains(&lower.as_str())
}

/// What rows of one listing have in common: their decoration, with numbers and units left out.
fn shape(before: &str) -> String {
    before.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && *c != '.').collect::<String>()
        + if before.contains('\t') { "\t" } else { "" }
}

/// Whether a line that is no known row looks like one all the same.
fn is_strange(line: &str, before_rows: bool, directory: &str, shapes: &BTreeSet<String>) -> bool {
    let trimmed = line.trim();
    if let Some((before, path)) = line.rsplit_once('\t') {
        let rooted = path == directory || below(path, directory).is_some();
        if rooted && is_decoration(before) {
            return true;
        }
    }
    if trimmed.starts_with('/') && below(trimmed, directory).is_some() {
        return true;
    }
    let Some(start) = trimmed.find(|c: char| c.is_alphanumeric() || c == '.' || c == '_' || c == '/') else {
        return false;
    };
    let (decoration, name) = trimmed.split_at(start);
    if before_rows || name.is_empty() {
        return false;
    }
    let (sized, name) = match name.rsplit_once('\t') {
        Some((size, name)) if is_decoration(size) => (true, name),
        _ => (false, name),
    };
    let own = shape(decoration) + if sized { "\t" } else { "" };
    let is_name = !name.contains(char::is_whitespace) && !name.ends_with(':');
    shapes.contains(&own) && (is_name || sized || !decoration.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::shape::Row;

    fn known() -> BTreeSet<String> {
        let paths = [
            "/memories/a.txt",
            "/memories/my notes.md",
            "/memories/d",
            "/memories/d/x.txt",
            "/memories/-dash",
            "/memories/.env",
        ];
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    fn expected() -> Listing {
        let row = |path: &str, is_directory| Row { path: path.into(), is_directory, size: None };
        let rows = vec![
            row("/memories/a.txt", false),
            row("/memories/my notes.md", false),
            row("/memories/d", true),
            row("/memories/d/x.txt", false),
            row("/memories/-dash", false),
        ];
        Listing { directory: "/memories".into(), rows }
    }

    fn verdict(text: &str) -> Option<String> {
        compare(&read(text, "/memories", &known()), &expected(), Tolerance::default(), &known())
    }

    #[test]
    fn any_reasonable_wording_is_read() {
        for text in [
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n4.0K\t/memories\n5B\t/memories/a.txt\n12B\t/memories/my notes.md\n4K\t/memories/d/\n3B\t/memories/d/x.txt\n1B\t/memories/-dash",
            "Directory: /memories\n- a.txt\n- my notes.md\n- d/\n- d/x.txt\n- -dash",
            "/memories\n├── a.txt\n├── my notes.md\n├── d\n│   └── x.txt\n└── -dash",
            "目录 /memories 的内容：\n文件 a.txt\n文件 my notes.md\n目录 d\n文件 d/x.txt\n文件 -dash\n共 5 项",
            "/memories/a.txt\n/memories/my notes.md\n/memories/d\n/memories/d/x.txt\n/memories/-dash",
            "Contents:\n  a.txt (5 bytes)\n  my notes.md (12 bytes)\n  d/ [dir]\n  d/x.txt (3 bytes)\n  -dash (1 byte)\n\n5 entries",
            "d        \td\n5        \ta.txt\n12       \tmy notes.md\n3        \td/x.txt\n1        \t-dash",
            "📁 d\n📄 d/x.txt\n📄 a.txt\n📄 my notes.md\n📄 -dash",
        ] {
            assert_eq!(verdict(text), None, "{text}\n{:?}", read(text, "/memories", &known()));
        }
    }

    #[test]
    fn what_differs_is_said() {
        let whole = "- a.txt\n- my notes.md\n- d/\n- d/x.txt\n- -dash";
        let without = verdict("- a.txt\n- d/\n- d/x.txt\n- -dash").unwrap();
        assert_eq!(without, "not listed: /memories/my notes.md");
        let hidden = verdict(&format!("{whole}\n- .env")).unwrap();
        assert_eq!(hidden, "listed, but not expected: /memories/.env");
        let ghost = verdict(&format!("{whole}\n- ghost.txt")).unwrap();
        assert_eq!(ghost, "a row for something that does not exist: `- ghost.txt`");
        let forged = verdict(&format!("{whole}\n4.0K\t/memories/ghost")).unwrap();
        assert!(forged.contains("ghost"), "{forged}");
        assert!(verdict("").unwrap().starts_with("not listed: "));
    }

    #[test]
    fn one_level_and_no_directories_can_be_tolerated() {
        let shallow = read("- a.txt\n- my notes.md\n- d/\n- -dash", "/memories", &known());
        let compared = |seen: &Seen, tolerance| compare(seen, &expected(), tolerance, &known());
        assert!(compared(&shallow, Tolerance::default()).is_some());
        assert_eq!(compared(&shallow, Tolerance { depth: true, ..Tolerance::default() }), None);
        let flat = read("a.txt\nmy notes.md\nd/x.txt\n-dash", "/memories", &known());
        assert!(compared(&flat, Tolerance::default()).is_some());
        assert_eq!(compared(&flat, Tolerance { directories: true, ..Tolerance::default() }), None);
    }
}
