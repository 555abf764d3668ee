//! The commands of a page, played on the reference handler as far as the page tells what they start from.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::entry::Shown;
use super::listing::take_apart;
use super::view::{Context, Issue, Issues, Numbered};
use super::words::{is_elision, with_tabs};
use crate::judge::{Answered, Filling, LineFormat, below, normalised, size_is};
use crate::reference::{MemoryStore, Node, Reference, Store, VirtualPath};
use crate::transport::Handler;
use crate::wire::{Command, ToolResult};

/// What the reference handler answers to a command of the page.
#[derive(Debug)]
pub struct Expected {
    result: ToolResult,
    /// What the file holds after an edit, as `view` shows it.
    after: Option<String>,
    /// The files of which the page tells everything, with their sizes in bytes.
    files: BTreeMap<String, u64>,
    /// All of it stands in one block of code: one conversation, no examples for themselves.
    together: bool,
}

/// How many files of a page are kept; an example has a few.
const MOST_FILES: usize = 100;

/// The store of a page.
#[derive(Default)]
pub struct Play {
    handler: Reference<MemoryStore>,
    /// The files that the page has made, and the block where it made them.
    known: BTreeMap<String, usize>,
}

impl Play {
    /// Plays a command; what the handler answers, where the page tells enough.
    pub fn command(&mut self, shown: &Shown, refused: bool) -> Option<Expected> {
        let checked = &shown.checked;
        let command = checked.command?;
        let path = |name: &str| checked.input.get(name).and_then(Value::as_str).map(normalised);
        let target = path(if command == Command::Rename { "old_path" } else { "path" })?;
        if checked.elided || !checked.faults.is_empty() {
            if command.mutates() && !refused {
                self.forget(&target);
            }
            return None;
        }
        if command == Command::Create && refused {
            return None;
        }
        if command == Command::Create {
            self.forget(&target);
            if self.known.len() >= MOST_FILES {
                *self = Play::default();
            }
            let result = self.handler.call(&checked.input);
            if !result.is_error {
                self.known.insert(target, shown.block);
            }
            return None;
        }
        let directory = command == Command::View && !self.known.contains_key(&target);
        let block = if directory {
            let inside = self.known.iter().filter(|(path, _)| below(path, &target).is_some());
            inside.map(|(_, block)| *block).max()
        } else {
            self.known.get(&target).copied()
        };
        let Some(block) = block else {
            self.forget(&target);
            if let Some(new) = path("new_path") {
                self.forget(&new);
            }
            return None;
        };
        let together = block == shown.block;
        if let Some(new) = path("new_path")
            && self.known.contains_key(&new)
            && !together
        {
            self.forget(&new);
        }
        let result = self.handler.call(&checked.input);
        let mut after = None;
        match command {
            _ if result.is_error && !together => self.forget(&target),
            // The page says otherwise: from here on nobody knows.
            _ if refused && !result.is_error && command.mutates() => {
                self.forget(&target);
                if let Some(new) = path("new_path") {
                    self.forget(&new);
                }
            }
            Command::StrReplace if !result.is_error => {
                after = Some(self.handler.call(&json!({ "command": "view", "path": target })).content);
            }
            Command::Delete if !result.is_error => self.forget(&target),
            Command::Rename if !result.is_error => {
                self.known.remove(&target);
                if let Some(new) = path("new_path") {
                    self.known.insert(new, block);
                }
            }
            _ => {}
        }
        let files = if directory { self.sizes(&target) } else { BTreeMap::new() };
        Some(Expected { result, after, files, together })
    }

    /// Forgets what the page has said of a path.
    fn forget(&mut self, path: &str) {
        self.handler.call(&json!({ "command": "delete", "path": path }));
        self.known.retain(|known, _| known != path && below(known, path).is_none());
    }

    fn sizes(&self, directory: &str) -> BTreeMap<String, u64> {
        let shown = |path: &&String| {
            below(path, directory).is_some_and(|rest| {
                let names: Vec<&str> = rest.split('/').collect();
                names.len() <= 2 && names.iter().all(|name| !name.starts_with('.') && *name != "node_modules")
            })
        };
        let paths: Vec<String> = self.known.keys().filter(shown).cloned().collect();
        let sized = paths.into_iter().filter_map(|path| {
            let node = VirtualPath::parse(&path).ok().and_then(|path| match self.handler.store().look(&path) {
                Ok(Node::File(text)) => Some(text.len() as u64),
                _ => None,
            });
            node.map(|bytes| (path, bytes))
        });
        sized.collect()
    }
}

impl Expected {
    /// The result in the words of a dialect.
    fn text(&self, input: &Value, context: Context<'_>) -> String {
        let answered = Answered { command: Command::of(input), input, directory: false };
        answered.translated(&self.result.content, context.dialect).unwrap_or_else(|| self.result.content.clone())
    }

    /// What the shown view of a file has that the file of the page has not.
    pub fn view(&self, text: &str, context: Context<'_>) -> Vec<Issue> {
        if self.result.is_error {
            return Vec::new();
        }
        self.lines(&self.result.content, text.split('\n').enumerate().skip(1), true, context)
    }

    fn lines<'a>(
        &self,
        expected: &str,
        rows: impl Iterator<Item = (usize, &'a str)>,
        whole: bool,
        context: Context<'_>,
    ) -> Vec<Issue> {
        let mut issues = Issues::default();
        let Some(format) = context.dialect.templates("view.line").first().and_then(LineFormat::of) else {
            return issues.0;
        };
        let expected: Vec<(u64, &str)> = expected
            .split('\n')
            .skip(1)
            .filter_map(|line| line.split_once('\t'))
            .filter_map(|(number, line)| Some((number.trim().parse().ok()?, line)))
            .collect();
        let (mut shown, mut elided) = (Vec::new(), false);
        for (row, line) in rows {
            elided |= is_elision(line);
            shown.extend(Numbered::read(line, &format, context.exact).map(|found| (row, line, found)));
        }
        let plain = |text: &str| if context.exact { text.to_owned() } else { with_tabs(text).trim_end().to_owned() };
        let same =
            |number: u64, text: &str| expected.iter().any(|(own, line)| *own == number && plain(line) == plain(text));
        if !self.together
            && !shown.iter().any(|(_, _, found)| same(found.number, found.text) && !found.text.trim().is_empty())
        {
            let join = |lines: Vec<&str>| lines.join("\n").chars().take(400).collect::<String>();
            let page = join(shown.iter().map(|(_, _, found)| found.text).collect());
            let own = join(expected.iter().map(|(_, line)| *line).collect());
            if strsim::normalized_levenshtein(&page, &own) < 0.5 {
                return issues.0;
            }
        }
        let last = expected.last().map_or(0, |(number, _)| *number);
        let first = expected.first().map_or(1, |(number, _)| *number);
        for (row, line, found) in &shown {
            match expected.iter().find(|(number, _)| *number == found.number) {
                Some((number, own)) if plain(own) != plain(found.text) => {
                    let message = "the file that this page makes has another text here";
                    issues.add(*row, message, line, &format.write(*number, own), "create.stores-text");
                }
                Some(_) => {}
                // Whether a final line feed begins a further line is the handler's choice.
                None if found.number == last + 1 && found.text.is_empty() => {}
                None if whole || found.number > last => {
                    let message = format!("the file that this page makes has lines {first} to {last} to show");
                    issues.add(*row, &message, line, "(no such line)", "create.stores-text");
                }
                None => {}
            }
        }
        let missing = expected.iter().find(|(number, _)| shown.iter().all(|(_, _, found)| found.number != *number));
        if let Some((number, own)) = missing.filter(|_| whole && !elided && !shown.is_empty()) {
            let (row, line) = shown.last().map_or((0, ""), |(row, line, _)| (*row, *line));
            let message = "a line of the file that this page makes is missing";
            issues.add(row, message, line, &format.write(*number, own), "create.stores-text");
        }
        issues.0
    }

    /// What the shown listing has otherwise than the files of the page are.
    pub fn listing(&self, text: &str, context: Context<'_>) -> Vec<Issue> {
        let mut issues = Issues::default();
        if self.result.is_error
            || context
                .dialect
                .templates("view.directory-row")
                .first()
                .is_none_or(|row| row.to_string() != "{size}\t{path}")
        {
            return issues.0;
        }
        let own = |path: &str| {
            let rows = self.result.content.split('\n').skip(1);
            rows.into_iter()
                .find(|row| row.split_once('\t').is_some_and(|(_, shown)| shown == path))
                .unwrap_or_default()
        };
        let (mut seen, mut elided, mut last) = (Vec::new(), false, (0, ""));
        for (row, line) in text.split('\n').enumerate().skip(1) {
            elided |= is_elision(line) || line.contains('{');
            let Some(found) = take_apart(line, context.exact) else { continue };
            last = (row, line);
            if let Some(bytes) = self.files.get(&found.path) {
                if !size_is(&found.size, *bytes) {
                    let message = format!("the file that this page makes has {bytes} bytes");
                    issues.add(row, &message, line, own(&found.path), "view.directory-size");
                }
                seen.push(found.path);
            }
        }
        let missing = self.files.keys().find(|path| !seen.contains(path));
        if let Some(path) = missing.filter(|_| !elided && (self.together || !seen.is_empty())) {
            let message = format!("the row of {path} is missing: this page makes it");
            issues.add(last.0, &message, last.1, own(path), "view.directory-rows");
        }
        issues.0
    }

    /// What is wrong with a message that has the right form.
    pub fn message(&self, text: &str, key: &str, input: &Value, context: Context<'_>) -> Vec<Issue> {
        let mut issues = Issues::default();
        let right = self.text(input, context);
        let is_ok = key.ends_with(".ok");
        if is_ok == self.result.is_error {
            if self.together {
                let requirement = match Command::of(input) {
                    Some(Command::StrReplace) => "str_replace.edits",
                    Some(Command::Insert) => "insert.after-line",
                    Some(Command::Delete) => "delete.removes",
                    Some(Command::Rename) => "rename.moves",
                    _ => "create.stores-text",
                };
                issues.add(0, "after the commands before it, the answer is another", text, &right, requirement);
            }
            return issues.0;
        }
        if !is_ok {
            let templates = context.dialect.templates(key);
            let same = templates.iter().filter_map(|template| template.read(&right, &Filling::new())).any(|filling| {
                let once = filling.get("line_numbers").map(|list| {
                    let mut numbers: Vec<&str> = list.split(", ").collect();
                    numbers.dedup();
                    Filling::from_iter(filling.clone().into_iter().chain([("line_numbers".into(), numbers.join(", "))]))
                });
                let all = [Some(filling), once];
                all.iter().flatten().any(|filling| templates.iter().any(|template| template.fits(text, filling, false)))
            });
            let is_open = text.contains(['{', '<', '…']) || text.contains("...");
            let numbered = key.ends_with(".ambiguous") || key.ends_with(".bad-line");
            if !same && !is_open && numbered && right != text {
                let requirement = if key.ends_with(".ambiguous") { "str_replace.ambiguous" } else { "insert.bad-line" };
                issues.add(0, "the numbers are not those of the file that this page makes", text, &right, requirement);
            }
        } else if let Some(after) = self.after.as_deref().filter(|_| text.contains('\n')) {
            return self.lines(after, text.split('\n').enumerate().skip(1), false, context);
        }
        issues.0
    }
}
