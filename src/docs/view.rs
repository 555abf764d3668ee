//! The form of what `view` answers: a header and numbered lines, or a header and the rows of a listing.

use super::message::{Match, compare};
use super::words::{Shape, is_elision, placeholder_length, skeleton, strip_tab};
use crate::judge::{Dialect, Dialects, Filling, LineFormat};

/// Something wrong in a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// The line of the result, counted from 0.
    pub row: usize,
    /// What is wrong.
    pub message: String,
    /// The text as the page has it.
    pub page: String,
    /// The text as it should be.
    pub right: String,
    /// The requirement or ruling.
    pub requirement: &'static str,
    /// How many further lines have the same fault.
    pub more: usize,
}

/// How a result was written, and what it answers.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The dialect.
    pub dialect: &'a Dialect,
    /// Only a real TAB is one: in JSON.
    pub exact: bool,
    /// The page says in words that the separator is a TAB: rows of placeholders may then have spaces.
    pub says_tab: bool,
    /// The arguments of the command, where it is known.
    pub sent: Option<&'a Filling>,
    /// The lines that were asked for, where the command is known.
    pub range: Option<(u64, Option<u64>)>,
}

/// What a result looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The view of a file.
    File,
    /// The view of a directory.
    Directory,
    /// Numbered lines without a header.
    Lines,
    /// Something else.
    Other,
}

/// What a result looks like, by its first lines.
pub fn look(text: &str, dialect: &Dialect) -> Look {
    let first = text.trim_start_matches('\n').split('\n').next().unwrap_or_default();
    let cut = first.strip_suffix("...").or_else(|| first.strip_suffix('…')).filter(|head| head.len() > 12);
    let words = Shape::new(skeleton(cut.unwrap_or(first)).0);
    let docs = Dialects::builtin().docs();
    let header = |key: &str| {
        let templates = [dialect, docs].into_iter().flat_map(|dialect| dialect.templates(key));
        let likenesses = templates.map(|template| {
            let template = Shape::of_template(template);
            let begins = cut.is_some() && template.skeleton.starts_with(words.skeleton.trim_end());
            if begins { 1.0 } else { words.likeness(&template) }
        });
        likenesses.fold(0.0, f64::max)
    };
    let is_numbered = first.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let (file, directory) = match is_numbered {
        true => (0.0, 0.0),
        false => (header("view.file-header"), header("view.directory-header")),
    };
    if file.max(directory) >= 0.72 {
        return if file >= directory { Look::File } else { Look::Directory };
    }
    let numbered = |line: &str| {
        let rest = line.trim_start_matches(' ');
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0
            && (strip_tab(&rest[digits..], false).is_some()
                || line.len() - rest.len() >= 3 && rest[digits..].starts_with("  "))
    };
    let mut lines = text.split('\n').filter(|line| !line.trim().is_empty() && !is_elision(line)).peekable();
    if lines.peek().is_some() && lines.all(numbered) { Look::Lines } else { Look::Other }
}

/// The faults of the view of a file: all of it, or (`rows` says where) its numbered lines alone.
pub fn file(text: &str, header: bool, context: Context<'_>) -> Vec<Issue> {
    let mut issues = Issues::default();
    let mut rows = text.split('\n').enumerate();
    if header {
        let first = rows.next().map(|(_, line)| line).unwrap_or_default();
        issues.header(first, "view.file-header", "view.file-header", context);
    }
    let Some(format) = context.dialect.templates("view.line").first().and_then(LineFormat::of) else {
        return issues.0;
    };
    let mut last: Option<u64> = None;
    let mut elided = false;
    let all: Vec<(usize, &str)> = rows.collect();
    for (row, line) in &all {
        if line.is_empty() && *row + 1 == all.len() + usize::from(header) && all.len() > 1 {
            if context.exact {
                issues.add(*row, "the result does not end with a line feed", "\\n", "", "view.line-format");
            }
            continue;
        }
        if is_elision(line) {
            elided = true;
            continue;
        }
        if let Some(length) = placeholder_length(line.trim_start()) {
            let rest = &line.trim_start()[length..];
            let open = strip_tab(rest, context.exact).is_some() || context.says_tab || rest.is_empty();
            if !open && format.separator == "\t" {
                let right = format!("{}{{tab}}{}", &line.trim_start()[..length], rest.trim_start());
                issues.add(*row, "a TAB stands between the number and the line", line, &right, "view.line-format");
            }
            elided = true;
            continue;
        }
        let Some(found) = Numbered::read(line, &format, context.exact) else {
            if last.is_some() || header {
                let right = format.write(last.unwrap_or(0) + 1, line.trim_start());
                issues.add(*row, "a line without a number", line, &right, "view.line-format");
            }
            continue;
        };
        let Numbered { number, separator, width, text } = found;
        let right = format.write(number, text);
        if !separator {
            let message = match format.separator.as_str() {
                "\t" => "a TAB stands between the number and the line".to_owned(),
                other => format!("`{other}` stands between the number and the line"),
            };
            issues.add(*row, &message, line, &right, "view.line-format");
        } else if width != format.width.max(number.to_string().len()) {
            let message = format!("the number is padded with spaces to {} characters", format.width);
            issues.add(*row, &message, line, &right, "view.line-format");
        }
        let next = last.map_or(1, |last| last + 1);
        let lowest = context.range.map_or(1, |(start, _)| start);
        let begins = last.is_none() && !elided && context.sent.is_some() && context.range.is_none() && number != 1;
        if number == 0 || begins {
            issues.add(*row, "the first line is line 1", line, &format.write(1, text), "view.one-indexed");
        } else if last.is_some_and(|last| number <= last) {
            issues.add(*row, "the lines are not in order", line, &format.write(next, text), "view.one-indexed");
        } else if number < lowest || context.range.is_some_and(|(_, end)| end.is_some_and(|end| number > end)) {
            let end = context.range.and_then(|(_, end)| end).map_or("the last".to_owned(), |end| end.to_string());
            let message = format!("`view_range` asks for lines {lowest} to {end} only");
            issues.add(*row, &message, line, "(not shown)", "view.range");
        }
        last = Some(number);
    }
    issues.0
}

/// A numbered line, taken apart.
pub struct Numbered<'a> {
    /// Its number.
    pub number: u64,
    /// Whether the separator is the dialect's.
    pub separator: bool,
    /// How many characters the number takes, with its padding.
    pub width: usize,
    /// The line's text.
    pub text: &'a str,
}

impl<'a> Numbered<'a> {
    /// Takes a line apart; `None` where it does not begin with a number.
    pub fn read(line: &'a str, format: &LineFormat, exact: bool) -> Option<Self> {
        let rest = line.trim_start_matches([' ', '\t']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse().ok()?;
        let width = line.len() - rest.len() + digits;
        let behind = &rest[digits..];
        let own = match format.separator.as_str() {
            "\t" => strip_tab(behind, exact),
            separator => behind.strip_prefix(separator).or_else(|| (behind == separator.trim_end()).then_some("")),
        };
        if let Some(text) = own {
            return Some(Numbered { number, separator: true, width, text });
        }
        let others = ["\t", "→", "\\t", " | ", "| ", "|", ": ", ":", ". ", ") ", " - "];
        let text = others.iter().find_map(|other| behind.strip_prefix(other));
        let text = text.or_else(|| behind.starts_with(' ').then(|| behind.trim_start_matches(' ')));
        let text = text.or_else(|| behind.is_empty().then_some(""))?;
        Some(Numbered { number, separator: false, width, text })
    }
}

#[derive(Default)]
pub(super) struct Issues(pub Vec<Issue>);

impl Issues {
    /// Adds a fault; the same fault in a further line is only counted.
    pub fn add(&mut self, row: usize, message: &str, page: &str, right: &str, requirement: &'static str) {
        if let Some(same) = self.0.iter_mut().find(|issue| issue.message == message) {
            same.more += 1;
            return;
        }
        let (message, page, right) = (message.to_owned(), page.to_owned(), right.to_owned());
        self.0.push(Issue { row, message, page, right, requirement, more: 0 });
    }

    pub fn header(&mut self, first: &str, key: &str, requirement: &'static str, context: Context<'_>) {
        let keys = [key.to_owned()];
        match compare(context.dialect, first, &keys, context.sent) {
            Match::Right(_) => {}
            Match::Near(near) => {
                let message = format!("this is not the header of `{}`", context.dialect.name);
                self.add(0, &message, first, &near.right, requirement);
            }
            Match::None => {
                let message = format!("`{}` has no header here", context.dialect.name);
                self.add(0, &message, first, "(no such line)", requirement);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issues(text: &str, exact: bool) -> Vec<(usize, String, String)> {
        let dialect = Dialects::builtin().docs();
        let context = Context { dialect, exact, says_tab: false, sent: None, range: None };
        assert_eq!(look(text, dialect), Look::File, "{text}");
        file(text, true, context).into_iter().map(|issue| (issue.row, issue.message, issue.right)).collect()
    }

    const HEADER: &str = "Here's the content of /memories/a with line numbers:";

    #[test]
    fn right_views() {
        for body in [
            "",
            "\n     1\tx\n     2\t\n    10\ty",
            "\n     1→x\n...\n100000→y\n1000000→z",
            "\n{line_numbers}{tab}{content}",
            "\n     1\t... is content",
        ] {
            assert_eq!(issues(&format!("{HEADER}{body}"), false), [], "{body}");
        }
    }

    #[test]
    fn faults_of_numbered_lines() {
        let one = |body: &str| {
            let found = issues(&format!("{HEADER}\n{body}"), false);
            assert_eq!(found.len(), 1, "{body}: {found:?}");
            (found[0].0, found[0].2.clone())
        };
        assert_eq!(one("     1  x"), (1, "     1\tx".into()));
        assert_eq!(one("1\tx"), (1, "     1\tx".into()));
        assert_eq!(one("     1\tx\n     2: y"), (2, "     2\ty".into()));
        assert_eq!(one("     0\tx\n     1\ty"), (1, "     1\tx".into()));
        assert_eq!(one("     1\tx\n     1\ty"), (2, "     2\ty".into()));
        assert_eq!(one("     1\tx\ny"), (2, "     2\ty".into()));
        assert_eq!(issues(&format!("{HEADER}\n     1→x"), true).len(), 1);
    }
}
