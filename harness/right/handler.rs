//! A handler that does not share a line with the reference: what is open it does as its ways say, and it speaks with
//! its own voice.

use std::path::Path;

use memconf::transport::Handler;
use memconf::wire::{Ready, ToolResult};
use serde_json::Value;

use super::files::{Files, Kind, Names};
use super::input::{self, Input};
use super::say::{Lines, Row, Say, Voice};

/// What a path means: its names below `/memories`, or why it is refused.
pub type Reading = fn(&str) -> Result<Names, Refusal>;

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not below `/memories`.
    Outside,
    /// It is, and is not liked.
    Disliked,
}

/// What is open to a handler.
#[derive(Clone, Copy)]
pub struct Ways {
    /// A create on an existing file overwrites it.
    pub overwrites: bool,
    /// A final LF begins one more line, also in the count of insert.
    pub phantom_line: bool,
    /// The same, in view alone (Python SDK).
    pub phantom_in_view: bool,
    /// After the last line, an insertion ends in LF in any case.
    pub adds_final_newline: bool,
    /// An empty file is one empty line.
    pub empty_is_a_line: bool,
    /// What becomes of a range that makes no sense.
    pub range: OddRange,
    /// A range on a directory is an error.
    pub range_on_directory_refused: bool,
    /// Levels of a listing.
    pub levels: usize,
    /// How inputs are taken.
    pub input: input::Manner,
    /// Errors are flagged.
    pub flags: bool,
    /// Paths come back as they were sent.
    pub echoes: bool,
    /// Overlapping occurrences are several.
    pub overlaps: bool,
    /// An occurrence's line is named once.
    pub names_a_line_once: bool,
    /// An empty `old_str` fills an empty file.
    pub empty_old_fills: bool,
    /// A rename onto the same path is a success.
    pub same_is_done: bool,
    /// The destination of a rename is looked at before the source.
    pub destination_first: bool,
    /// A rename to another case of the same name is refused, as where names differ in more than case.
    pub case_is_one_name: bool,
    /// A name that differs from one beside it in case alone is refused.
    pub case_collisions_refused: bool,
    /// The largest text, in bytes.
    pub most_bytes: usize,
    /// A whole view is cut after this many characters.
    pub most_shown: usize,
    /// Any view is cut so, a range as well, and a last line says what is left.
    pub notes_what_is_cut: bool,
    /// Texts of files outlive a restart.
    pub restarts: bool,
}

/// A range that begins below 1 or past the end, or is reversed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OddRange {
    /// An error.
    Refused,
    /// Cut to the file; what is left may be nothing.
    Clamped,
    /// No lines.
    Nothing,
}

/// The ways of the documentation's own strings.
pub const USUAL: Ways = Ways {
    overwrites: false,
    phantom_line: false,
    phantom_in_view: false,
    adds_final_newline: false,
    empty_is_a_line: false,
    range: OddRange::Refused,
    range_on_directory_refused: false,
    levels: 2,
    input: input::Manner::Plain,
    flags: true,
    echoes: false,
    overlaps: false,
    names_a_line_once: false,
    empty_old_fills: false,
    same_is_done: false,
    destination_first: false,
    case_is_one_name: false,
    case_collisions_refused: false,
    most_bytes: usize::MAX,
    most_shown: usize::MAX,
    notes_what_is_cut: false,
    restarts: true,
};

/// A handler.
pub struct Own {
    /// Where the files are.
    pub files: Box<dyn Files>,
    /// What it does.
    pub ways: Ways,
    /// How it reads paths.
    pub reading: Reading,
    /// What it says.
    pub voice: Voice,
}

const MOST_LINES: usize = 999_999;

impl Handler for Own {
    fn call(&mut self, input: &Value) -> ToolResult {
        let (ways, voice) = (self.ways, self.voice);
        let answer =
            |say: &Say<'_>| ToolResult { content: voice(say), is_error: say.is_error() && ways.flags, other_blocks: 0 };
        match Input::read(input, ways.input) {
            Ok(read) => self.act(&read, &mut |say| answer(&say)),
            Err(say) => answer(&say),
        }
    }

    fn reset(&mut self, root: &Path) -> Ready {
        let store = self.files.reset(root);
        Ready { store, persists: Some(self.ways.restarts), ..Ready::default() }
    }

    fn restart(&mut self) -> bool {
        self.ways.restarts
    }
}

type Answer<'a> = &'a mut dyn FnMut(Say<'_>) -> ToolResult;

impl Own {
    fn act(&mut self, input: &Input, say: Answer<'_>) -> ToolResult {
        let mut places = Vec::new();
        let mut shown = Vec::new();
        for path in &input.paths {
            match (self.reading)(path) {
                Ok(names) => {
                    let plain = format!("/memories{}", names.iter().map(|name| format!("/{name}")).collect::<String>());
                    shown.push(if self.ways.echoes { path.clone() } else { plain });
                    places.push(names);
                }
                Err(Refusal::Outside) => return say(Say::Outside { path }),
                Err(Refusal::Disliked) => return say(Say::Refused { what: "path" }),
            }
        }
        let path = shown[0].as_str();
        let at = places[0].as_slice();
        match input.command.as_str() {
            "view" => self.view(at, path, input, say),
            "create" => self.create(at, path, &input.text, say),
            "str_replace" => self.str_replace(at, path, input, say),
            "insert" => self.insert(at, path, input, say),
            "delete" => self.delete(at, path, say),
            _ => self.rename((at, path), (&places[1], &shown[1]), say),
        }
    }

    fn view(&self, at: &[String], path: &str, input: &Input, say: Answer<'_>) -> ToolResult {
        match self.files.kind(at) {
            Kind::Directory if input.range.is_some() && self.ways.range_on_directory_refused => say(Say::BadRange),
            Kind::Directory => {
                let mut rows = Vec::new();
                self.list(at, "", 1, &mut rows);
                say(Say::Directory { path, rows })
            }
            Kind::File => match self.files.read(at) {
                Some(text) => self.view_file(&text, path, input.range, say),
                None => say(Say::Refused { what: "file" }),
            },
            Kind::Other => say(Say::Refused { what: "path" }),
            Kind::Nothing | Kind::BelowAFile => say(Say::Missing { command: "view", path }),
        }
    }

    fn view_file(&self, text: &str, path: &str, range: Option<(i64, i64)>, say: Answer<'_>) -> ToolResult {
        let phantom = self.ways.phantom_line || self.ways.phantom_in_view;
        let mut all = lines(text, phantom);
        if text.is_empty() && self.ways.empty_is_a_line {
            all = vec![""];
        }
        if lines(text, false).len() > MOST_LINES {
            return say(Say::LineLimit { path, count: all.len() });
        }
        let numbered = (1..).zip(all.iter().copied());
        let count = all.len() as i64;
        let mut left = self.ways.most_shown;
        let mut fits = |(_, line): &(usize, &str)| {
            let fits = left >= line.len();
            left = left.saturating_sub(line.len() + 1);
            fits
        };
        let shown: Lines<'_> = match range {
            None => numbered.take_while(&mut fits).collect(),
            Some((first, last)) => {
                let last = if last == -1 { count.max(first) } else { last };
                let odd = first < 1 || first > count.max(1) || last < first;
                match self.ways.range {
                    OddRange::Refused if odd => return say(Say::BadRange),
                    OddRange::Nothing if odd => Vec::new(),
                    _ => numbered.filter(|(number, _)| (first..=last).contains(&(*number as i64))).collect(),
                }
            }
        };
        if !self.ways.notes_what_is_cut {
            return say(Say::File { path, lines: shown });
        }
        let (wanted, shown) = match range {
            None => (count as usize, shown),
            Some(_) => (shown.len(), shown.into_iter().take_while(&mut fits).collect()),
        };
        let rest = wanted - shown.len();
        let mut answer = say(Say::File { path, lines: shown });
        if rest > 0 {
            answer.content.push_str(&format!("\n[{rest} more lines; view a range of them]"));
        }
        answer
    }

    fn list(&self, at: &[String], before: &str, level: usize, rows: &mut Vec<Row>) {
        for (name, size) in self.files.list(at) {
            if name.starts_with('.') || name == "node_modules" || level > self.ways.levels {
                continue;
            }
            let path = format!("{before}{name}");
            rows.push(Row { path: path.clone(), level, size });
            if size.is_none() {
                let below = [at, &[name]].concat();
                self.list(&below, &format!("{path}/"), level + 1, rows);
            }
        }
    }

    fn create(&mut self, at: &[String], path: &str, text: &str, say: Answer<'_>) -> ToolResult {
        match self.files.kind(at) {
            _ if text.len() > self.ways.most_bytes => say(Say::Refused { what: "text" }),
            _ if self.ways.case_collisions_refused && self.collides(at) => say(Say::Refused { what: "path" }),
            Kind::File if !self.ways.overwrites => say(Say::Exists { path }),
            Kind::Directory => say(Say::Exists { path }),
            Kind::BelowAFile | Kind::Other => say(Say::Refused { what: "path" }),
            Kind::File | Kind::Nothing => match self.files.write(at, text) {
                true => say(Say::Created { path }),
                false => say(Say::Refused { what: "file" }),
            },
        }
    }

    /// Whether a name of the path differs in case alone from one that is there.
    fn collides(&self, at: &[String]) -> bool {
        (0..at.len()).any(|end| {
            let there = self.files.list(&at[..end]).into_iter().map(|(name, _)| name);
            there.into_iter().any(|name| name != at[end] && name.eq_ignore_ascii_case(&at[end]))
        })
    }

    /// The text of a file that is to be edited, or the answer why there is none.
    fn text(&self, at: &[String], path: &str, command: &str, say: Answer<'_>) -> Result<String, ToolResult> {
        match self.files.kind(at) {
            Kind::File => self.files.read(at).ok_or_else(|| say(Say::Refused { what: "file" })),
            Kind::Directory => Err(say(Say::NotAFile { command, path })),
            Kind::Other => Err(say(Say::Refused { what: "path" })),
            Kind::Nothing | Kind::BelowAFile => Err(say(Say::Missing { command, path })),
        }
    }

    fn str_replace(&mut self, at: &[String], path: &str, input: &Input, say: Answer<'_>) -> ToolResult {
        let text = match self.text(at, path, "str_replace", say) {
            Ok(text) => text,
            Err(answer) => return answer,
        };
        let (old, new) = (input.old.as_str(), input.text.as_str());
        let places: Vec<usize> = match old {
            "" if text.is_empty() && self.ways.empty_old_fills => vec![0],
            "" => return say(Say::Refused { what: "old_str" }),
            _ if self.ways.overlaps => {
                text.char_indices().map(|(at, _)| at).filter(|at| text[*at..].starts_with(old)).collect()
            }
            _ => text.match_indices(old).map(|(at, _)| at).collect(),
        };
        match places.as_slice() {
            [] => say(Say::NotFound { old, path }),
            [place] => {
                let changed = format!("{}{new}{}", &text[..*place], &text[place + old.len()..]);
                let first = text[..*place].matches('\n').count() + 1;
                if changed.len() > self.ways.most_bytes || !self.files.write(at, &changed) {
                    return say(Say::Refused { what: "file" });
                }
                let near = |(number, _): &(usize, &str)| (first.saturating_sub(2)..=first + 2).contains(number);
                let snippet = (1..).zip(lines(&changed, false)).filter(near).collect();
                say(Say::Edited { path, snippet })
            }
            several => {
                let mut lines: Vec<usize> = several.iter().map(|at| text[..*at].matches('\n').count() + 1).collect();
                if self.ways.names_a_line_once {
                    lines.dedup();
                }
                say(Say::Ambiguous { old, path, lines })
            }
        }
    }

    fn insert(&mut self, at: &[String], path: &str, input: &Input, say: Answer<'_>) -> ToolResult {
        let text = match self.text(at, path, "insert", say) {
            Ok(text) => text,
            Err(answer) => return answer,
        };
        let mut all = lines(&text, self.ways.phantom_line);
        let place = match input.line.as_u64().and_then(|line| usize::try_from(line).ok()) {
            Some(place) if place <= all.len() => place,
            _ => return say(Say::BadLine { line: &input.line, count: all.len() }),
        };
        let ended = input.text.ends_with('\n');
        let new = input.text.strip_suffix('\n').unwrap_or(&input.text);
        let last = place == all.len();
        let unended = !text.is_empty() && !text.ends_with('\n');
        all.insert(place, new);
        let mut changed = all.join("\n");
        let ends = match last {
            _ if self.ways.phantom_line => text.is_empty(),
            true => !unended || ended || self.ways.adds_final_newline,
            false => !unended || self.ways.adds_final_newline,
        };
        if ends {
            changed.push('\n');
        }
        match changed.len() <= self.ways.most_bytes && self.files.write(at, &changed) {
            true => say(Say::Inserted { path, line: place as u64 }),
            false => say(Say::Refused { what: "file" }),
        }
    }

    fn delete(&mut self, at: &[String], path: &str, say: Answer<'_>) -> ToolResult {
        match self.files.kind(at) {
            _ if at.is_empty() => say(Say::Root { command: "delete" }),
            Kind::Nothing | Kind::BelowAFile => say(Say::Missing { command: "delete", path }),
            Kind::Other => say(Say::Refused { what: "path" }),
            kind => {
                self.files.remove(at);
                say(Say::Deleted { path, directory: kind == Kind::Directory })
            }
        }
    }

    fn rename(&mut self, from: (&[String], &str), to: (&[String], &str), say: Answer<'_>) -> ToolResult {
        let ((from, old), (to, new)) = (from, to);
        let there = |kind: Kind| matches!(kind, Kind::File | Kind::Directory);
        if from.is_empty() {
            return say(Say::Root { command: "rename" });
        }
        let (source, destination) = (self.files.kind(from), self.files.kind(to));
        if self.ways.destination_first && there(destination) && from != to {
            return say(Say::DestinationExists { new });
        }
        match (source, destination) {
            (Kind::Other, _) | (_, Kind::Other) => say(Say::Refused { what: "path" }),
            (source, _) if !there(source) => say(Say::Missing { command: "rename", path: old }),
            _ if from == to && self.ways.same_is_done => say(Say::Renamed { old, new }),
            _ if to.len() > from.len() && to.starts_with(from) => say(Say::IntoItself { old, new }),
            _ if self.ways.case_is_one_name && old.eq_ignore_ascii_case(new) => say(Say::DestinationExists { new }),
            (_, destination) if there(destination) => say(Say::DestinationExists { new }),
            (_, Kind::BelowAFile) => say(Say::Refused { what: "path" }),
            _ => match self.files.shift(from, to) {
                true => say(Say::Renamed { old, new }),
                false => say(Say::Refused { what: "path" }),
            },
        }
    }
}

/// The lines of a text; with `phantom`, a final LF begins one more.
fn lines(text: &str, phantom: bool) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if text.is_empty() || (!phantom && text.ends_with('\n')) {
        lines.pop();
    }
    lines
}
