//! What a page shows of the memory tool, in order: commands, and what is said to answer them. What belongs to other
//! tools is left out here.

use std::collections::{HashMap, HashSet};

use super::command::{self, Checked};
use super::listing;
use super::literal::{Literal, Node, literals};
use super::page::{Code, Piece, Prose};
use super::quotes::quotes;
use super::section::{Section, Sections};
use super::view::{Look, look};
use crate::judge::Dialect;
use crate::wire::{Command, PATH_PARAMETERS, ROOT, TOOL_NAME};

/// Something that a page shows.
#[derive(Debug)]
pub enum Entry {
    /// A new section, whose examples have nothing to do with those before.
    Break,
    /// A command.
    Command(Box<Shown>),
    /// A result.
    Answer(Answer),
    /// Something else that is wrong: line, message, page, right, requirement.
    Wrong(usize, String, String, String, &'static str),
    /// The declaration of the tool, and nothing wrong with it.
    Declared,
}

/// A command that a page shows.
#[derive(Debug)]
pub struct Shown {
    /// What it says, and what is wrong with it.
    pub checked: Checked,
    /// The lines of its faults, in their order.
    pub lines: Vec<usize>,
    /// The id of its `tool_use`.
    pub id: Option<String>,
    /// The code block that it stands in.
    pub block: usize,
    /// The page says that it is wrong, or to be refused.
    pub warned: Warning,
    /// The entry that answers it.
    pub answer: Option<usize>,
}

/// Where a result stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a JSON value.
    Json,
    /// In a block of text.
    Block,
    /// In running text.
    Prose,
}

/// A result that a page shows.
#[derive(Debug)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// The line of the page for every line of the text; the last one stands for all that follow.
    pub lines: Vec<usize>,
    /// The flag of a `tool_result`; `None` where it is not there.
    pub is_error: Option<bool>,
    /// Whether a flag can stand there at all.
    pub has_flag: bool,
    /// Where it stands.
    pub place: Place,
    /// The entry of the command that it answers.
    pub command: Option<usize>,
    /// It is taken as the answer only because it follows the command.
    pub tentative: bool,
    /// The command that the section is about.
    pub section: Option<Command>,
}

impl Answer {
    /// The line of the page that a line of the text stands on.
    pub fn line(&self, row: usize) -> usize {
        self.lines.get(row).or(self.lines.last()).copied().unwrap_or(1)
    }
}

/// All that a page shows.
#[derive(Debug, Default)]
pub struct Collected {
    /// In order.
    pub entries: Vec<Entry>,
    /// The page says somewhere that something is a TAB.
    pub says_tab: bool,
    /// Not all code could be read: it is nested too deep, or too long.
    pub unread: bool,
}

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
            found |= self.walk(&literal, code, None, 0);
        }
        if !found && self.out.entries.len() == before && self.sections.about_memory() {
            let whole = code.text.trim();
            if whole.starts_with('"') && whole.ends_with('"') {
                let list = literals(&format!("[{whole}]"), &mut self.work);
                if let Some(Literal { node: Node::List(items, false), .. }) = list.first() {
                    if let [Literal { node: Node::Text(text), .. }] = items.as_slice() {
                        self.text(text, vec![code.line(0)], true);
                    }
                }
            } else if code.is_plain() {
                let lines = line_starts(&code.text).map(|at| code.line(at)).collect();
                self.text(&code.text, lines, false);
            }
        }
        (self.warned, self.counter) = (Warning::None, false);
    }

    /// Looks for commands and results in a literal; whether there was any call of a tool, of this one or another.
    fn walk(&mut self, literal: &Literal, code: &Code, parent: Option<&Literal>, depth: usize) -> bool {
        let items = match &literal.node {
            Node::List(items, _) => {
                return items.iter().fold(false, |found, item| self.walk(item, code, parent, depth + 1) | found);
            }
            Node::Object(members, _) => members,
            _ => return false,
        };
        let text = |key: &str| literal.get(key).and_then(Literal::text);
        match text("type") {
            Some("tool_use") => {
                let id = text("id").map(str::to_owned);
                let Some(input) = literal.get("input") else { return true };
                let named = text("name");
                let misnamed = named.is_some_and(|name| is_misnamed(name) && is_of_memory(input));
                if misnamed {
                    let line = code.line(literal.get("name").map_or(literal.at, |name| name.at));
                    let message = "the tool's name is `memory`".to_owned();
                    let page = format!("\"name\": \"{}\"", named.unwrap_or_default());
                    self.wrong(line, message, page, "\"name\": \"memory\"", "tool.definition");
                }
                if named == Some(TOOL_NAME) || misnamed || named.is_none() && is_of_memory(input) {
                    self.command(input, id, code);
                } else {
                    self.others.extend(id);
                    self.sections.other_tool();
                    self.pending = None;
                }
                return true;
            }
            Some("tool_result") => {
                self.result(literal, code);
                return true;
            }
            Some(kind) if is_tool_type(kind) => {
                self.declaration(literal, code);
                return true;
            }
            _ => {}
        }
        if text("command").is_some() || literal.get("command").is_some() && is_of_memory(literal) {
            let name = parent.and_then(|parent| parent.get("name")).and_then(Literal::text);
            if name.is_none_or(|name| name == TOOL_NAME || is_of_memory(literal)) && self.is_memory_input(literal) {
                self.command(literal, None, code);
                return true;
            }
            if is_editor_input(literal) && self.warned == Warning::None {
                self.sections.other_tool();
                self.pending = None;
                return true;
            }
        }
        let is_result = literal.get("content").is_some_and(|content| content.text().is_some())
            && (literal.get("is_error").is_some() || literal.get("tool_use_id").is_some());
        if is_result && literal.get("role").is_none() {
            self.result(literal, code);
            return true;
        }
        let entries = self.out.entries.len();
        let mut found = false;
        for (_, value) in items {
            found |= self.walk(value, code, Some(literal), depth + 1);
        }
        // `{"call": {...}, "result": "..."}`
        let calls: Vec<usize> =
            (entries..self.out.entries.len()).filter(|at| matches!(self.out.entries[*at], Entry::Command(_))).collect();
        if let [call] = calls.as_slice() {
            for key in ["result", "output", "response", "returns", "answer"] {
                if let Some(value) = literal.get(key) {
                    if let Some(text) = value.text() {
                        let answer = self.json_answer(text, code.line(value.at));
                        self.answer(Answer { command: Some(*call), tentative: false, ..answer });
                    }
                }
            }
        }
        found
    }

    fn is_memory_input(&self, literal: &Literal) -> bool {
        if is_of_memory(literal) {
            return true;
        }
        let Node::Object(members, _) = &literal.node else { return false };
        let is_known = literal
            .get("command")
            .and_then(Literal::text)
            .is_some_and(|name| Command::ALL.into_iter().any(|command| command.as_str() == name));
        let own = |(name, value): &(String, Literal)| {
            name == "command" || command::is_parameter(name) && (!is_path_name(name) || is_unclear_path(value))
        };
        is_known && self.sections.about_memory() && members.iter().all(own)
    }

    fn command(&mut self, input: &Literal, id: Option<String>, code: &Code) {
        self.sections.memory_tool();
        // Comments, and the other lines of a log.
        const LINES: usize = 4;
        let before =
            code.text[..input.at].rsplit('\n').skip(1).filter(|line| !line.trim_start().starts_with(['{', '"', '}']));
        let warned = before.take(LINES).map(warns).max().unwrap_or(Warning::None).max(self.warned);
        let checked = command::check(input);
        let lines = checked.faults.iter().map(|fault| code.line(fault.at)).collect();
        if let Some(id) = &id {
            self.ids.insert(id.clone(), self.out.entries.len());
        }
        let shown = Shown { checked, lines, id, block: self.block, warned, answer: None };
        self.pending = Some(self.out.entries.len());
        (self.gap, self.label) = (0, false);
        self.out.entries.push(Entry::Command(Box::new(shown)));
    }

    fn result(&mut self, literal: &Literal, code: &Code) {
        let id = literal.get("tool_use_id").and_then(|id| id.text().map(|text| (text, id.at)));
        if id.is_some_and(|(id, _)| self.others.contains(id)) {
            return;
        }
        let is_error = match literal.get("is_error").map(|flag| &flag.node) {
            Some(Node::Bool(flag)) => Some(*flag),
            Some(Node::Elided) => Some(true),
            _ => None,
        };
        let elided_flag = literal.get("is_error").is_some_and(|flag| flag.node == Node::Elided);
        let (command, certain) = self.answered_by(id.map(|(id, _)| id));
        if let (Some(at), Some((id, place)), false) = (command, id, certain) {
            if let Some(own) = self.id_of(at).filter(|own| is_concrete(own) && is_concrete(id)).map(str::to_owned) {
                let message = "no `tool_use` of this page has this id".to_owned();
                let (page, right) = (format!("\"tool_use_id\": \"{id}\""), format!("\"tool_use_id\": \"{own}\""));
                self.wrong(code.line(place), message, page, &right, "result.answers-each-use");
            }
        }
        let (text, at) = match literal.get("content").map(|content| (&content.node, content)) {
            Some((Node::Text(text), content)) => (text.clone(), content.at),
            Some((Node::List(items, false), _)) => {
                let texts: Vec<&Literal> = items.iter().filter_map(|item| item.get("text")).collect();
                let parts: Option<Vec<&str>> = texts.iter().map(|text| text.text()).collect();
                let (Some(parts), Some(first)) = (parts, texts.first()) else { return };
                (parts.concat(), first.at)
            }
            _ => return,
        };
        // With no command of its own and no topic, it is anybody's.
        if command.is_none() && !self.sections.about_memory() {
            return;
        }
        let answer = self.json_answer(&text, code.line(at));
        self.answer(Answer { is_error, has_flag: !elided_flag, command, tentative: false, ..answer });
    }

    fn json_answer(&self, text: &str, line: usize) -> Answer {
        Answer {
            text: text.to_owned(),
            lines: vec![line],
            is_error: None,
            has_flag: false,
            place: Place::Json,
            command: None,
            tentative: true,
            section: self.sections.command(),
        }
    }

    /// The command that a result answers: the one with its id that has no answer yet, else the last one; and whether
    /// the id says so.
    fn answered_by(&self, id: Option<&str>) -> (Option<usize>, bool) {
        let shown = |at: usize| match &self.out.entries[at] {
            Entry::Command(shown) => Some(shown),
            _ => None,
        };
        if let Some(id) = id {
            if let Some(last) = self.ids.get(id) {
                return (Some(*last).filter(|at| shown(*at).is_some_and(|shown| shown.answer.is_none())), true);
            }
        }
        const FARTHEST: usize = 4;
        let pending =
            self.pending.filter(|at| self.gap <= FARTHEST && shown(*at).is_some_and(|shown| shown.answer.is_none()));
        (pending, false)
    }

    fn id_of(&self, at: usize) -> Option<&str> {
        match &self.out.entries[at] {
            Entry::Command(shown) => shown.id.as_deref(),
            _ => None,
        }
    }

    fn declaration(&mut self, literal: &Literal, code: &Code) {
        self.sections.memory_tool();
        let entries = self.out.entries.len();
        if let Some(name) = literal.get("name") {
            if let Some(text) = name.text().filter(|text| *text != TOOL_NAME) {
                let message = "the tool's name is `memory`".to_owned();
                self.wrong(
                    code.line(name.at),
                    message,
                    format!("\"name\": \"{text}\""),
                    "\"name\": \"memory\"",
                    "tool.definition",
                );
            }
        }
        if let Some(schema) = literal.get("input_schema") {
            let message = "the tool has no input schema of its own".to_owned();
            let right = "{\"type\": \"memory_20250818\", \"name\": \"memory\"}";
            self.wrong(code.line(schema.at), message, "\"input_schema\": ...".into(), right, "tool.definition");
        }
        if self.out.entries.len() == entries {
            self.out.entries.push(Entry::Declared);
        }
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

impl Answer {
    fn clone_place(&self) -> Answer {
        Answer { text: String::new(), lines: Vec::new(), ..*self }
    }
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1))
}

fn is_concrete(id: &str) -> bool {
    !id.is_empty() && !id.contains(['.', '…', '<', '{', '$', '*'])
}

fn is_tool_type(kind: &str) -> bool {
    kind.strip_prefix("memory_").is_some_and(|date| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_misnamed(name: &str) -> bool {
    let lower = name.to_lowercase();
    name != TOOL_NAME && (lower == "memory" || lower == "memory_tool" || lower == "memory-tool" || is_tool_type(name))
}

fn is_path_name(name: &str) -> bool {
    PATH_PARAMETERS.contains(&name)
}

/// Whether an input has a path in the store, or one that was meant to be.
fn is_of_memory(input: &Literal) -> bool {
    let Node::Object(members, _) = &input.node else { return false };
    members.iter().any(|(name, value)| {
        let is_path = is_path_name(name) || name.contains("path") || name.contains("file");
        let path = value.text().filter(|path| !path.contains(char::is_whitespace));
        is_path
            && path.is_some_and(|path| {
                path == ROOT || path.starts_with(&format!("{ROOT}/")) || command::is_near_root(path)
            })
    })
}

fn is_unclear_path(value: &Literal) -> bool {
    match &value.node {
        Node::Text(text) => super::words::is_placeholder(text),
        Node::Elided => true,
        _ => true,
    }
}

/// Whether an input is one of the text editor tool, or of something else with paths of its own.
fn is_editor_input(input: &Literal) -> bool {
    let names = ["view", "create", "str_replace", "insert", "undo_edit"];
    let path = input.get("path").and_then(Literal::text);
    input.get("command").and_then(Literal::text).is_some_and(|name| names.contains(&name))
        && path.is_some_and(|path| !path.starts_with(ROOT) && !super::words::is_placeholder(path))
}

fn says_tab(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "tab" | "tabs" | "tabulator" | "tabulation"))
        || text.contains("탭")
        || text.contains("タブ")
        || text.contains("制表")
}

/// Whether prose announces a result: "The handler answers:", "Result".
fn is_label(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let words = ["result", "return", "response", "respond", "output", "answer", "replies", "error", "→", "=>"];
    (text.len() <= 60 || text.len() <= 300 && text.ends_with(':')) && words.iter().any(|word| text.contains(word))
}

/// Whether prose says that a result that it quotes, or that follows, is not what a handler answers.
fn is_counterexample(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = [
        "wrong:",
        "wrong.",
        "incorrect",
        "bad:",
        "instead of",
        "rather than",
        "not return",
        "n't return",
        "never return",
        "❌",
        "used to",
        "older",
        "previously",
        "unlike",
    ];
    words.iter().any(|word| lower.contains(word))
}

/// What a page says of an example before it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// Nothing.
    None,
    /// Its path is one that is refused.
    Path,
    /// It is wrong.
    Wrong,
}

fn warns(text: &str) -> Warning {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&[
        "wrong",
        "invalid",
        "incorrect",
        "malformed",
        "malicious",
        "attack",
        "reject",
        "refuse",
        "not allowed",
        "illegal",
        "bad example",
        "mistake",
        "anti-pattern",
    ]) {
        Warning::Wrong
    } else if has(&["unsafe", "traversal", "escape", "forbidden", "outside", "denied", "do not", "don't", "never"]) {
        Warning::Path
    } else {
        Warning::None
    }
}
