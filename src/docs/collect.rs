//! What a page shows of the memory tool, in order: commands, and what is said to answer them. What belongs to other
//! tools is left out here.

mod blocks;

use std::collections::{HashMap, HashSet};

use super::entry::{Answer, Collected, Entry, Place};
use super::hints::{Warning, is_counterexample, is_label, says_tab, warns};
use super::listing;
use super::literal::{Literal, Node, literals};
use super::page::{Code, Piece, Prose};
use super::quotes::quotes;
use super::section::{Section, Sections};
use super::view::{Look, look};
use crate::judge::Dialect;
use crate::wire::{Command, ROOT};

/// How many bytes of code are looked at for each byte of the page.
const WORK: usize = 40;

/// Collects what a page shows. A page that never names the memory tool shows nothing of it.
pub fn collect(text: &str, pieces: &[Piece], dialect: &Dialect) -> Collected {
    let lower = text.to_lowercase();
    let about = text.contains(ROOT) || lower.contains("memory_2025") || lower.contains("memory tool");
    if !about {
        return Collected::default();
    }
    let mut collector = Collector {
        dialect,
        out: Collected::default(),
        sections: Sections::default(),
        pending: None,
        gap: 0,
        label: false,
        counter: false,
        warned: Warning::None,
        block: 0,
        others: HashSet::new(),
        ids: HashMap::new(),
        work: 1_000_000 + WORK * text.len(),
    };
    collector.out.says_tab = pieces.iter().any(|piece| match piece {
        Piece::Prose(prose) | Piece::Heading(_, prose) => says_tab(&prose.text),
        Piece::Code(_) => false,
    });
    for piece in pieces {
        match piece {
            Piece::Heading(level, prose) => collector.heading(*level, prose),
            Piece::Prose(prose) => collector.prose(prose),
            Piece::Code(code) => collector.code(code),
        }
    }
    collector.out.unread = collector.work == 0;
    collector.out
}

struct Collector<'a> {
    dialect: &'a Dialect,
    out: Collected,
    sections: Sections,
    /// The last command, as long as something may answer it.
    pending: Option<usize>,
    /// Pieces of prose since then.
    gap: usize,
    /// The last of them says that a result follows.
    label: bool,
    /// The last piece of prose says that the result that follows is none.
    counter: bool,
    /// What the last piece of prose says of what follows.
    warned: Warning,
    block: usize,
    /// Ids of the calls of other tools.
    others: HashSet<String>,
    /// The last command with each id.
    ids: HashMap<String, usize>,
    work: usize,
}

impl Collector<'_> {
    fn heading(&mut self, level: u8, prose: &Prose) {
        if self.sections.enter(level, &prose.text) == Section::New {
            self.out.entries.push(Entry::Break);
        }
        self.pending = None;
        self.warned = warns(&prose.text);
        self.counter = is_counterexample(&prose.text);
    }

    fn prose(&mut self, prose: &Prose) {
        self.gap += 1;
        self.label = is_label(&prose.text);
        self.counter = is_counterexample(&prose.text);
        self.warned = warns(&prose.text);
        if !self.sections.about_memory() {
            return;
        }
        let section = self.sections.command_for(&prose.text);
        for (text, at) in quotes(prose).into_iter().filter(|(text, _)| text.contains(' ')) {
            self.answer(Answer {
                text,
                lines: vec![prose.line(at)],
                is_error: None,
                has_flag: false,
                place: Place::Prose,
                command: None,
                tentative: true,
                section,
            });
        }
    }

    fn code(&mut self, code: &Code) {
        self.block += 1;
        let before = self.out.entries.len();
        let mut found = false;
        for literal in literals(&code.text, &mut self.work) {
            found |= self.walk(&literal, code, None);
        }
        if !found && self.out.entries.len() == before && self.sections.about_memory() {
            let whole = code.text.trim();
            if whole.starts_with('"') && whole.ends_with('"') {
                let list = literals(&format!("[{whole}]"), &mut self.work);
                if let Some(Literal { node: Node::List(items, false), .. }) = list.first()
                    && let [Literal { node: Node::Text(text), .. }] = items.as_slice()
                {
                    self.text(text, vec![code.line(0)], true);
                }
            } else if code.is_plain() {
                let lines = line_starts(&code.text).map(|at| code.line(at)).collect();
                self.text(&code.text, lines, false);
            }
        }
        (self.warned, self.counter) = (Warning::None, false);
    }

    fn wrong(&mut self, line: usize, message: String, page: String, right: &str, requirement: &'static str) {
        self.out.entries.push(Entry::Wrong(line, message, page, right.to_owned(), requirement));
    }

    /// A block of text: one result, or a message a line.
    fn text(&mut self, text: &str, lines: Vec<usize>, exact: bool) {
        let place = if exact { Place::Json } else { Place::Block };
        let skipped = text.len() - text.trim_start_matches('\n').len();
        let lines = lines.get(skipped..).map_or(lines.clone(), <[usize]>::to_vec);
        let text = text.trim_start_matches('\n');
        let found = look(text, self.dialect);
        const FARTHEST: usize = 2;
        let command = self.pending.filter(|_| self.gap <= FARTHEST).filter(|at| self.can_answer(*at, found, text));
        let whole = Answer {
            text: text.to_owned(),
            lines,
            is_error: None,
            has_flag: false,
            place,
            command,
            tentative: !self.label,
            section: self.sections.command(),
        };
        let begins_snippet = text.to_lowercase().starts_with("the memory file");
        let is_view = command.is_some_and(|at| match &self.out.entries[at] {
            Entry::Command(shown) => shown.checked.command == Some(Command::View),
            _ => false,
        });
        if found != Look::Other || !text.trim_end().contains('\n') || begins_snippet || (is_view && self.label) {
            self.answer(whole);
            return;
        }
        let rows = text.split('\n').enumerate().filter(|(_, row)| !row.trim().is_empty());
        for (row, text) in rows {
            let lines = vec![whole.line(row)];
            let text = text.trim().to_owned();
            self.answer(Answer { text, lines, command: None, tentative: true, ..whole.clone_place() });
        }
    }

    /// Whether a block of text with this look can be the answer to the command before it.
    fn can_answer(&self, at: usize, found: Look, text: &str) -> bool {
        let Entry::Command(shown) = &self.out.entries[at] else { return false };
        let Some(command) = shown.checked.command else { return true };
        let own = shown.checked.input.get("path").and_then(serde_json::Value::as_str);
        match found {
            Look::File | Look::Directory if command == Command::View => {
                let header = text.split('\n').next().unwrap_or_default();
                let paths = super::words::skeleton(header).1.paths;
                // The view of another path, at some distance, is another example.
                self.gap == 0 || self.label || paths.first().map(String::as_str) == own
            }
            Look::File | Look::Directory => false,
            Look::Lines => command == Command::View,
            Look::Other => listing::take_apart(text.split('\n').next().unwrap_or_default(), false).is_none(),
        }
    }

    fn answer(&mut self, answer: Answer) {
        let at = self.out.entries.len();
        if let Some(command) = answer.command {
            if let Entry::Command(shown) = &mut self.out.entries[command] {
                shown.answer = Some(at).filter(|_| !self.counter);
            }
            if self.pending == Some(command) {
                self.pending = None;
            }
        }
        if self.counter {
            return;
        }
        self.out.entries.push(Entry::Answer(answer));
    }
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1))
}
