//! What is wrong on a page.

mod texts;

use std::collections::BTreeMap;

use serde_json::Value;

use super::Finding;
use super::entry::{Answer, Collected, Entry, Place, Shown};
use super::hints::Warning;
use super::listing::listing;
use super::message::{Match, Near, compare, keys, meaning, sent};
use super::play::{Expected, Play};
use super::view::{Context, Issue, Look, file, look};
use super::words::{is_path, skeleton};
use crate::judge::{Dialect, Dialects};
use crate::wire::Command;

/// From here on a text is taken for one of the tool's although nothing else says so.
const LIKE: f64 = 0.7;

/// Checks what was collected; the number of examples, and the findings in the order of the page.
pub fn check(page: &Collected, dialect: &Dialect) -> (usize, Vec<Finding>) {
    let mut checker =
        Checker { page, dialect, play: Play::default(), expected: BTreeMap::new(), examples: 0, findings: Vec::new() };
    for (at, entry) in page.entries.iter().enumerate() {
        match entry {
            Entry::Break => checker.play = Play::default(),
            Entry::Declared => checker.examples += 1,
            Entry::Wrong(line, message, page, right, requirement) => {
                checker.examples += 1;
                checker.find(*line, message.clone(), page, right, requirement);
            }
            Entry::Command(shown) => checker.command(at, shown),
            Entry::Answer(answer) => checker.answer(answer),
        }
    }
    checker.findings.sort_by_key(|finding| finding.line);
    (checker.examples, checker.findings)
}

struct Checker<'a> {
    page: &'a Collected,
    dialect: &'a Dialect,
    play: Play,
    /// By the entry of the command.
    expected: BTreeMap<usize, Expected>,
    examples: usize,
    findings: Vec<Finding>,
}

impl<'a> Checker<'a> {
    fn find(&mut self, line: usize, message: String, page: &str, right: &str, requirement: &str) {
        let (page, right, requirement) = (page.to_owned(), right.to_owned(), requirement.to_owned());
        self.findings.push(Finding { line, message, page, right, requirement });
    }

    fn issues(&mut self, answer: &Answer, issues: Vec<Issue>) -> bool {
        let any = !issues.is_empty();
        for issue in issues {
            let more = match issue.more {
                0 => String::new(),
                1 => " (and so in one more line)".into(),
                more => format!(" (and so in {more} more lines)"),
            };
            let message = format!("{}{more}", issue.message);
            self.find(answer.line(issue.row), message, &issue.page, &issue.right, issue.requirement);
        }
        any
    }

    fn shown(&self, at: usize) -> Option<&'a Shown> {
        match &self.page.entries[at] {
            Entry::Command(shown) => Some(shown),
            _ => None,
        }
    }

    fn command(&mut self, at: usize, shown: &'a Shown) {
        self.examples += 1;
        let refused = shown.answer.is_some_and(|answer| match &self.page.entries[answer] {
            Entry::Answer(answer) => self.is_error(answer),
            _ => false,
        });
        if !refused && shown.warned != Warning::Wrong {
            for (fault, line) in shown.checked.faults.iter().zip(&shown.lines) {
                if shown.warned == Warning::Path && is_about_path(fault.requirement) {
                    continue;
                }
                self.find(*line, fault.message.clone(), &shown.checked.page, &shown.checked.right, fault.requirement);
            }
        }
        if let Some(expected) = self.play.command(shown, refused || shown.warned == Warning::Wrong) {
            self.expected.insert(at, expected);
        }
    }

    /// Whether a result is an error, by its flag or by its words.
    fn is_error(&self, answer: &Answer) -> bool {
        answer.is_error == Some(true)
            || answer.is_error.is_none()
                && look(&answer.text, self.dialect) == Look::Other
                && Dialects::builtin().reads_as_error(&answer.text)
    }

    fn answer(&mut self, answer: &'a Answer) {
        let shown = answer.command.and_then(|at| self.shown(at));
        let input = shown.map(|shown| &shown.checked.input);
        let filling = input.map(sent);
        let command = shown.and_then(|shown| shown.checked.command);
        let mut context = Context {
            dialect: self.dialect,
            exact: answer.place == Place::Json,
            says_tab: self.page.says_tab,
            sent: filling.as_ref(),
            range: input.filter(|_| command == Some(Command::View)).and_then(range),
        };
        let found = look(&answer.text, self.dialect);
        // A view of the file after another command is an example for itself.
        if command.is_some_and(|command| command != Command::View)
            && answer.place != Place::Json
            && found != Look::Other
        {
            (context.sent, context.range) = (None, None);
        }
        let expected = answer.command.filter(|_| context.sent.is_some()).and_then(|at| self.expected.remove(&at));
        match found {
            Look::File | Look::Directory if answer.place == Place::Prose => {
                let first = answer.text.split('\n').next().unwrap_or_default();
                if is_foreign(first) {
                    return;
                }
                let mut issues = super::view::Issues::default();
                let key = if found == Look::File { "view.file-header" } else { "view.directory-header" };
                issues.header(first, key, key, context);
                self.examples += 1;
                // Only the words that are quoted are checked; a fragment is not wrong.
                let is_part = self.dialect.templates(key).iter().any(|template| template.to_string().contains(first));
                if !is_part {
                    self.issues(answer, issues.0);
                }
            }
            Look::File | Look::Directory => {
                let first = answer.text.split('\n').next().unwrap_or_default();
                if answer.command.is_none() && is_foreign(first) {
                    return;
                }
                self.examples += 1;
                if command.is_some_and(|command| command != Command::View) && answer.place == Place::Json {
                    self.other_text(answer, command, context);
                    return;
                }
                let issues = match found {
                    Look::File => file(&answer.text, true, context),
                    _ => listing(&answer.text, context),
                };
                if answer.is_error == Some(true) {
                    self.flag(answer, false);
                }
                if !self.issues(answer, issues) {
                    let issues = expected.map_or(Vec::new(), |expected| match found {
                        Look::File => expected.view(&answer.text, context),
                        _ => expected.listing(&answer.text, context),
                    });
                    self.issues(answer, issues);
                }
            }
            Look::Lines if command == Some(Command::View) && !self.dialect.templates("view.file-header").is_empty() => {
                self.examples += 1;
                self.without_header(answer, context);
            }
            Look::Lines if answer.place == Place::Block && command.is_none() && is_aligned(&answer.text) => {
                self.examples += 1;
                let issues = file(&answer.text, false, context);
                self.issues(answer, issues);
            }
            Look::Lines => {}
            Look::Other => self.message(answer, shown, context, expected.as_ref()),
        }
    }

    fn without_header(&mut self, answer: &Answer, context: Context<'_>) {
        let header = self.dialect.templates("view.file-header").first();
        let first = answer.text.split('\n').next().unwrap_or_default();
        let header =
            header.map(|header| super::message::fill(header, context.sent, &skeleton("").1)).unwrap_or_default();
        let right = format!("{header}\n{first}");
        self.find(answer.line(0), "the header is missing".into(), first, &right, "view.file-header");
        let issues = file(&answer.text, false, context);
        self.issues(answer, issues);
    }

    fn message(&mut self, answer: &Answer, shown: Option<&Shown>, context: Context<'_>, expected: Option<&Expected>) {
        let Some(shown) = shown else { return self.unpaired(answer, context) };
        let Some(command) = shown.checked.command else { return };
        let error = self.is_error(answer);
        if error && (!shown.checked.faults.is_empty() || shown.warned == Warning::Wrong) {
            // Refused with good reason; no text is documented for it.
            self.examples += 1;
            return;
        }
        let keys = keys(self.dialect, &[command]);
        match compare(self.dialect, &answer.text, &keys, context.sent) {
            Match::Right(key) => {
                self.examples += 1;
                self.flag(answer, !key.ends_with(".ok"));
                if let Some(expected) = expected {
                    let issues = expected.message(&answer.text, &key, &shown.checked.input, context);
                    self.issues(answer, issues);
                }
            }
            Match::Near(near) => {
                let certain = !answer.tentative || answer.place == Place::Json;
                if !certain && near.likeness < 0.55 && (!error || meaning(&answer.text).is_empty()) {
                    return;
                }
                if error && !agrees(&answer.text, &near) && meaning(&answer.text).is_empty() {
                    // An error for which no text is documented.
                    return;
                }
                self.examples += 1;
                self.other_text(answer, Some(command), context);
            }
            Match::None => {}
        }
    }

    /// The flag of a `tool_result`.
    fn flag(&mut self, answer: &Answer, error: bool) {
        if !answer.has_flag || self.dialect.name == "cookbook" || answer.is_error.unwrap_or(false) == error {
            return;
        }
        let (message, page, right) = if error {
            let page = answer.is_error.map_or("(no is_error)", |_| "\"is_error\": false");
            ("an error is flagged", page, "\"is_error\": true")
        } else {
            ("this is no error", "\"is_error\": true", "(no is_error)")
        };
        self.find(answer.line(0), message.into(), page, right, "result.error-flagged");
    }
}

fn is_about_path(requirement: &str) -> bool {
    requirement.starts_with("path.") || requirement.ends_with(".root") || requirement == "ruling.control-characters"
}

/// Whether a text says what the one says that it is like. Errors of a handler's own differ in few letters: "the path is
/// not allowed".
fn agrees(text: &str, near: &Near) -> bool {
    let about = meaning(text);
    let is_done = near.key.ends_with(".ok");
    let same = if is_done { about.is_empty() } else { about.iter().any(|end| near.key.ends_with(end)) };
    same || near.likeness >= 0.85
}

/// Whether a text names a path that is none of the store: it is another tool's.
fn is_foreign(text: &str) -> bool {
    let paths = skeleton(text).1.paths;
    paths.iter().any(|path| {
        path.starts_with(['/', '.'])
            && !path.starts_with("...")
            && !is_path(path)
            && !super::command::is_near_root(path)
    })
}

/// Whether the numbers stand as in a view: right-aligned in several characters, or before a TAB.
fn is_aligned(text: &str) -> bool {
    let mut lines = text.split('\n').filter(|line| !line.trim().is_empty() && !super::words::is_elision(line));
    lines.all(|line| {
        let rest = line.trim_start_matches(' ');
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        line.len() - rest.len() + digits == 6
    })
}

fn range(input: &Value) -> Option<(u64, Option<u64>)> {
    let range = input.get("view_range")?.as_array()?;
    let (start, end) = (range.first()?.as_u64()?, range.get(1)?.as_i64()?);
    Some((start, u64::try_from(end).ok()))
}
