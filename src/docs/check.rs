//! What is wrong on a page.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Finding;
use super::collect::{Answer, Collected, Entry, Place, Shown, Warning};
use super::listing::listing;
use super::message::{Match, Near, compare, keys, meaning, said_by, sent};
use super::play::{Expected, Play};
use super::view::{Context, Issue, Look, Numbered, file, look};
use super::words::{is_path, skeleton};
use crate::judge::{Dialect, Dialects, Filling, LineFormat, difference};
use crate::wire::{Command, ROOT};

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
                if !certain && near.likeness < 0.55 && !(error && !meaning(&answer.text).is_empty()) {
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

    /// A result that is none of the texts for its command.
    fn other_text(&mut self, answer: &Answer, command: Option<Command>, context: Context<'_>) {
        let Some(command) = command else { return };
        let error = self.is_error(answer);
        if command == Command::View && !error {
            return self.raw_view(answer, context);
        }
        let all = keys(self.dialect, &[command]);
        let about = meaning(&answer.text);
        let of_kind =
            |key: &&String| key.ends_with(".ok") != error && !key.starts_with("path.") && !key.starts_with("command.");
        let fitting: Vec<String> = all.iter().filter(of_kind).cloned().collect();
        let meant: Vec<String> =
            fitting.iter().filter(|key| about.iter().any(|end| key.ends_with(end))).cloned().collect();
        let any: Vec<String> =
            all.iter().filter(|key| !key.starts_with("path.") && !key.starts_with("command.")).cloned().collect();
        let candidates = match compare(self.dialect, &answer.text, &any, context.sent) {
            // So like one of the texts that nothing else can be meant, flagged or not.
            Match::Near(near) if near.likeness >= 0.72 && agrees(&answer.text, &near) => vec![near.key],
            _ if error && !meant.is_empty() => meant,
            _ => fitting,
        };
        if let Match::Near(near) = compare(self.dialect, &answer.text, &candidates, context.sent) {
            self.wrong_text(answer, near, &[command], context.sent);
        } else if let Match::Right(_) = compare(self.dialect, &answer.text, &all, context.sent) {
            self.flag(answer, !error);
        }
    }

    /// A view that shows a text as it is.
    fn raw_view(&mut self, answer: &Answer, context: Context<'_>) {
        if answer.place == Place::Block && is_code(&answer.text) {
            return;
        }
        let first: Vec<&str> = answer.text.split('\n').take(3).collect();
        let path = context.sent.and_then(|sent| sent.get("path")).map_or(ROOT, String::as_str);
        let is_directory = path.trim_end_matches('/') == ROOT || path.ends_with('/');
        let key = if is_directory { "view.directory-header" } else { "view.file-header" };
        let header = self.dialect.templates(key).first();
        let format = self.dialect.templates("view.line").first().and_then(LineFormat::of);
        if header.is_none() {
            let first = answer.text.split('\n').next().unwrap_or_default();
            let numbered = format
                .as_ref()
                .is_some_and(|format| Numbered::read(first, format, context.exact).is_some_and(|line| line.separator));
            if numbered || answer.text.trim().is_empty() {
                let issues = file(&answer.text, false, context);
                self.issues(answer, issues);
                return;
            }
        }
        let header = header.map(|header| super::message::fill(header, context.sent, &skeleton("").1));
        let rows = if is_directory {
            format!("4.0K\t{}", path.trim_end_matches('/'))
        } else {
            let numbered = first.iter().zip(1..).map(|(line, number)| match &format {
                Some(format) => format.write(number, line),
                None => (*line).to_owned(),
            });
            numbered.collect::<Vec<_>>().join("\n")
        };
        let form = match (is_directory, &header) {
            (true, _) => "a listing has a header",
            (false, Some(_)) => "a header comes first, then numbered lines",
            (false, None) => "its lines are numbered",
        };
        let right = header.into_iter().chain([rows]).collect::<Vec<_>>().join("\n");
        let message = format!("`view` does not answer so: {form}");
        self.find(answer.line(0), message, &first.join("\n"), &right, key);
    }

    fn wrong_text(&mut self, answer: &Answer, near: Near, commands: &[Command], sent: Option<&Filling>) {
        let first = answer.text.split('\n').next().unwrap_or_default();
        let other = said_by(self.dialect, &answer.text, commands, sent);
        let name = &self.dialect.name;
        let whole: Vec<&str> = answer.text.split('\n').take(3).collect();
        let page = if near.right == first { whole.join("\n") } else { first.to_owned() };
        let why = difference(&near.right, &page).or_else(|| other.map(|other| format!("this is what `{other}` says")));
        let message = match why {
            Some(why) => format!("not the text of `{name}`: {why}"),
            None => format!("not the text of `{name}`"),
        };
        self.find(answer.line(0), message, &page, &near.right, requirement(&near.key));
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

    fn unpaired(&mut self, answer: &Answer, context: Context<'_>) {
        let first = answer.text.split('\n').next().unwrap_or_default();
        if is_foreign(first) {
            return;
        }
        let prose = answer.place == Place::Prose;
        let all = keys(self.dialect, &Command::ALL);
        let own = answer.section.map(|command| keys(self.dialect, &[command]));
        let whole = match compare(self.dialect, &answer.text, &all, None) {
            Match::Right(key) => {
                self.examples += 1;
                self.flag(answer, !key.ends_with(".ok"));
                let Some(own) = own else { return };
                if let Match::Near(near) = compare(self.dialect, &answer.text, &own, None) {
                    let commands: Vec<Command> = answer.section.into_iter().collect();
                    if near.likeness >= 0.6 && !meaning(first).is_empty() == !near.key.ends_with(".ok") {
                        self.wrong_text(answer, near, &commands, context.sent);
                    }
                }
                return;
            }
            Match::Near(near) => near,
            Match::None => return,
        };
        if prose && is_fragment(self.dialect, first, own.as_ref().unwrap_or(&all)) {
            return;
        }
        let arguments = skeleton(first).1;
        let has_arguments = !arguments.is_empty();
        let near = match own {
            Some(own) => match compare(self.dialect, &answer.text, &own, None) {
                Match::Near(near) if near.likeness >= whole.likeness - 0.1 => near,
                Match::Near(near)
                    if is_error_text(first)
                        && has_arguments
                        && meaning(first).iter().any(|end| near.key.ends_with(end)) =>
                {
                    Near { likeness: LIKE, ..near }
                }
                _ => whole,
            },
            None => whole,
        };
        let same_word = || first.split(' ').next() == near.right.split(' ').next();
        let done = answer.section.is_some() && near.key.ends_with(".ok") && near.likeness >= 0.6 && same_word();
        let alike = (near.likeness >= LIKE || done) && (has_arguments || !near.has_holes) || near.likeness >= 0.9;
        if !alike || !agrees(first, &near) {
            return;
        }
        self.examples += 1;
        self.wrong_text(answer, near, &Command::ALL, None);
    }
}

/// Whether a text is a part of one of the texts, quoted for itself. A whole text with a stop of its own is none.
fn is_fragment(dialect: &Dialect, text: &str, keys: &[String]) -> bool {
    let (part, arguments) = skeleton(text);
    let part = part.trim();
    let templates =
        || keys.iter().flat_map(|key| dialect.templates(key)).map(|template| skeleton(&template.to_string()).0);
    let is_whole = templates()
        .any(|template| part.strip_suffix('.') == Some(&template) || template.strip_suffix('.') == Some(part));
    let is_part = |template: &String| {
        template.contains(part)
            && template.strip_prefix("Error: ") != Some(part)
            && (arguments.is_empty() || part.len() * 5 < template.len() * 3)
    };
    !is_whole && templates().any(|template| is_part(&template))
}

/// Whether a block of text is rather a program, a drawing or a command line than a result.
fn is_code(text: &str) -> bool {
    let signs = ["def ", "function ", "=>", "import ", "return ", ";\n", "├", "└", "{\n", "self."];
    signs.iter().any(|sign| text.contains(sign)) || text.starts_with(['$', '>', '%'])
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

fn is_error_text(text: &str) -> bool {
    text.starts_with("Error")
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

/// The id behind `memconf explain` for a text.
fn requirement(key: &str) -> &str {
    match key {
        "path.outside" => "path.inside-only",
        "command.unknown" => "tool.six-commands",
        key => key,
    }
}
