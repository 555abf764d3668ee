//! The rows of a listing.

use super::view::{Context, Issue, Issues};
use super::words::{TABS, is_elision, is_placeholder, placeholder_length, strip_tab};
use crate::judge::{Filling, below, is_size, normalised};

/// A row, as far as it can be read.
#[derive(Debug, PartialEq)]
pub struct Row {
    /// The size as written.
    pub size: String,
    /// The path, normalised.
    pub path: String,
}

/// The faults of a listing.
pub fn listing(text: &str, context: Context<'_>) -> Vec<Issue> {
    let mut issues = Issues::default();
    let mut rows = text.split('\n').enumerate();
    let header = rows.next().map(|(_, line)| line).unwrap_or_default();
    issues.header(header, "view.directory-header", "view.directory-header", context);
    let rows: Vec<(usize, &str)> = rows.collect();
    let templates: Vec<_> =
        ["view.directory-row", "view.subdirectory-row"].iter().flat_map(|key| context.dialect.templates(key)).collect();
    if templates.first().is_none_or(|template| template.to_string() != "{size}\t{path}") {
        let empty = context.dialect.templates("view.empty-directory");
        for (row, line) in rows {
            let line = if context.exact { line.to_owned() } else { super::words::with_tabs(line) };
            let known =
                templates.iter().copied().chain(empty).any(|template| template.read(&line, &Filling::new()).is_some());
            if !known && !line.is_empty() && !is_elision(&line) {
                let right = templates.first().map(ToString::to_string).unwrap_or_default();
                issues.add(
                    row,
                    &format!("this is no row of `{}`", context.dialect.name),
                    &line,
                    &right,
                    "view.directory-rows",
                );
            }
        }
        return issues.0;
    }
    let directory = directory(header, context);
    let (mut first, mut elided) = (true, header.ends_with("...") || header.ends_with('…'));
    for (row, line) in &rows {
        if line.trim().is_empty() {
            continue;
        }
        if is_elision(line) {
            elided = true;
            continue;
        }
        if is_open(line) {
            // A row of placeholders; where it says less than a path, what stands first cannot be told.
            open_row(&mut issues, *row, line, context);
            first = false;
            continue;
        }
        let parsed = check_row(&mut issues, *row, line, directory.as_deref(), context);
        let (Some(path), Some(directory)) = (parsed, &directory) else {
            first = false;
            continue;
        };
        if first && !elided && path != *directory {
            let later =
                rows.iter().any(|(_, line)| take_apart(line, context.exact).is_some_and(|row| row.path == *directory));
            let message = if later {
                "the row of the viewed directory is not the first"
            } else {
                "the row of the viewed directory is missing: it stands first"
            };
            issues.add(*row, message, line, &format!("4.0K\t{directory}"), "view.directory-rows");
        }
        first = false;
    }
    if first && !elided {
        let directory = directory.unwrap_or_else(|| "{path}".into());
        let message = "the row of the viewed directory is missing: an empty directory has it, too";
        issues.add(0, message, header, &format!("{header}\n4.0K\t{directory}"), "view.directory-rows");
    }
    issues.0
}

/// The directory that is shown, where the page names it.
fn directory(header: &str, context: Context<'_>) -> Option<String> {
    let sent = context.sent.and_then(|sent| sent.get("path")).cloned();
    let named = super::words::skeleton(header).1.paths.into_iter().next();
    let path = sent.or(named)?;
    (path.starts_with('/') && !path.contains(['{', '<', '$', '.', '['])).then(|| normalised(&path))
}

/// Whether the row has placeholders.
fn is_open(line: &str) -> bool {
    let mut rest = line;
    for tab in TABS {
        if let Some((size, path)) = line.split_once(tab)
            && (is_placeholder(size) || path.contains(['{', '<', '$']))
        {
            return true;
        }
    }
    while let Some(c) = rest.chars().next() {
        if c != '.' && c != '[' && placeholder_length(rest).is_some() {
            return true;
        }
        rest = &rest[c.len_utf8()..];
    }
    false
}

fn open_row(issues: &mut Issues, row: usize, line: &str, context: Context<'_>) {
    if TABS.iter().any(|tab| line.contains(tab)) || context.says_tab {
        return;
    }
    if let Some((size, path)) = line.trim().split_once(char::is_whitespace) {
        let right = format!("{size}\t{}", path.trim_start());
        issues.add(row, "a TAB stands between size and path", line, &right, "view.directory-rows");
    }
}

/// A row taken apart at its TAB.
pub fn take_apart(line: &str, exact: bool) -> Option<Row> {
    let at = TABS.iter().take(if exact { 1 } else { TABS.len() }).filter_map(|tab| line.find(tab)).min()?;
    let path = strip_tab(&line[at..], exact)?;
    path.starts_with('/').then(|| Row { size: line[..at].to_owned(), path: normalised(path) })
}

/// Checks a row, and gives its path.
fn check_row(
    issues: &mut Issues,
    row: usize,
    line: &str,
    directory: Option<&str>,
    context: Context<'_>,
) -> Option<String> {
    let at = TABS.iter().take(if context.exact { 1 } else { TABS.len() }).filter_map(|tab| line.find(tab)).min();
    let (size, path, tab) = match at.and_then(|at| Some((&line[..at], strip_tab(&line[at..], context.exact)?))) {
        Some((size, path)) => (size, path, true),
        None => {
            let line = line.trim().trim_start_matches("- ");
            let parts = line.split_once(char::is_whitespace).or_else(|| line.split_once('→'));
            let (size, path) = parts.unwrap_or(("", line));
            (size, path.trim_start_matches([' ', '\t', '→']), false)
        }
    };
    let swapped = size.contains('/') && !path.contains('/');
    let (size, path) = if swapped { (path, size) } else { (size, path) };
    let whole = match directory {
        Some(directory) if !path.starts_with('/') && !path.is_empty() => {
            format!("{directory}/{}", path.trim_start_matches("./"))
        }
        _ => path.to_owned(),
    };
    let right = format!("{}\t{whole}", proper_size(size));
    let mut say =
        |message: &str, right: &str, requirement: &'static str| issues.add(row, message, line, right, requirement);
    if swapped {
        say("the size stands before the path", &right, "view.directory-rows");
    } else if size.trim().is_empty() {
        say("a row is the size, a TAB and the path: the size is missing", &right, "view.directory-rows");
    } else if !tab {
        say("a TAB stands between size and path", &right, "view.directory-rows");
    } else if !is_size(size) {
        say("this is no size: a number with at most one decimal, and B, K, M, G or T", &right, "view.directory-size");
    }
    if !path.starts_with('/') {
        say("a row has the whole path, from /memories on", &right, "view.directory-rows");
        return Some(normalised(&whole));
    }
    let plain = normalised(path);
    let Some(directory) = directory else { return Some(plain) };
    let gone = "(no such row)";
    match below(&plain, directory) {
        None if plain == directory => {}
        None => say(&format!("this is not in {directory}"), gone, "view.directory-rows"),
        Some(rest) => {
            let names: Vec<&str> = rest.split('/').collect();
            if names.iter().any(|name| name.starts_with('.') && !name.starts_with("..")) {
                say("hidden items are left out", gone, "view.directory-hidden");
            } else if names.contains(&"node_modules") && context.dialect.name != "python-sdk" {
                say("node_modules is left out", gone, "view.directory-node-modules");
            } else if names.len() > 2 {
                say("a listing goes 2 levels deep", gone, "view.directory-depth");
            }
        }
    }
    Some(plain)
}

/// A size as a handler writes it, where it can be told: `1536` is `1.5K`, `1.5 kB` is `1.5K`.
fn proper_size(size: &str) -> String {
    let size = size.trim().trim_matches(['(', ')', '-', ' ']);
    if is_size(size) {
        return size.to_owned();
    }
    let digits = size.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let Ok(number) = size[..digits].parse::<f64>() else { return "{size}".into() };
    let unit = size[digits..].trim().to_uppercase();
    match unit.chars().next() {
        None | Some('B') if number >= 1024.0 => {
            let (mut number, mut units) = (number, "BKMGT".chars().peekable());
            while number >= 1024.0 && units.next().is_some() {
                number /= 1024.0;
            }
            format!("{number:.1}{}", units.next().unwrap_or('T'))
        }
        None | Some('B') => format!("{number:.0}B"),
        Some(unit) if "KMGT".contains(unit) => format!("{number:.1}{unit}"),
        _ => "{size}".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Dialects;

    const HEADER: &str =
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";

    fn issues(text: &str, says_tab: bool) -> Vec<(usize, String)> {
        let dialect = Dialects::builtin().docs();
        let context = Context { dialect, exact: false, says_tab, sent: None, range: None };
        listing(text, context).into_iter().map(|issue| (issue.row, issue.right)).collect()
    }

    #[test]
    fn right_listings() {
        for rows in [
            "4.0K\t/memories",
            "4K→/memories\n0B→/memories/a b.txt\n4.0K→/memories/d/\n1.5M→/memories/d/x",
            "4.0K\\t/memories\n...",
            "{size}\\t{path}\n{size}\\t{path}/{filename1}",
            "<size>\t<path>",
        ] {
            assert_eq!(issues(&format!("{HEADER}\n{rows}"), false), [], "{rows}");
        }
        assert_eq!(issues(&format!("{HEADER}\n{{size}}    {{path}}"), true), []);
    }

    #[test]
    fn faults_of_rows() {
        for (rows, right) in [
            ("4.0K    /memories", "4.0K\t/memories"),
            ("4096\t/memories", "4.0K\t/memories"),
            ("4.0 KB\t/memories", "4.0K\t/memories"),
            ("4.0K\t/memories\n12\t/memories/a", "12B\t/memories/a"),
            ("/memories\t4.0K", "4.0K\t/memories"),
            ("4.0K\t/memories\n1K\ta.txt", "1K\t/memories/a.txt"),
            ("1K\t/memories/a\n4.0K\t/memories", "4.0K\t/memories"),
            ("4.0K\t/memories\n1K\t/memories/.a", "(no such row)"),
            ("4.0K\t/memories\n1K\t/memories/a/b/c", "(no such row)"),
            ("4.0K\t/memories\n1K\t/memories/node_modules", "(no such row)"),
            ("4.0K\t/memories\n1K\t/home/a", "(no such row)"),
            ("{size}    {path}", "{size}\t{path}"),
        ] {
            let found = issues(&format!("{HEADER}\n{rows}"), false);
            assert_eq!(found.len(), 1, "{rows}: {found:?}");
            assert_eq!(found[0].1, right, "{rows}");
        }
    }
}
