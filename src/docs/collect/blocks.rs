//! Commands and results in the literals of a code block.

use super::super::command;
use super::super::entry::{Answer, Entry, Place, Shown};
use super::super::hints::{Warning, warns};
use super::super::literal::{Literal, Node};
use super::super::page::Code;
use super::super::words::is_placeholder;
use super::Collector;
use crate::wire::{Command, PATH_PARAMETERS, ROOT, TOOL_NAME};

impl Collector<'_> {
    /// Looks for commands and results in a literal; whether there was any call of a tool, of this one or another.
    pub(super) fn walk(&mut self, literal: &Literal, code: &Code, parent: Option<&Literal>) -> bool {
        let items = match &literal.node {
            Node::List(items, _) => {
                return items.iter().fold(false, |found, item| self.walk(item, code, parent) | found);
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
            found |= self.walk(value, code, Some(literal));
        }
        // `{"call": {...}, "result": "..."}`
        let calls: Vec<usize> =
            (entries..self.out.entries.len()).filter(|at| matches!(self.out.entries[*at], Entry::Command(_))).collect();
        if let [call] = calls.as_slice() {
            for key in ["result", "output", "response", "returns", "answer"] {
                if let Some(value) = literal.get(key)
                    && let Some(text) = value.text()
                {
                    let answer = self.json_answer(text, code.line(value.at));
                    self.answer(Answer { command: Some(*call), tentative: false, ..answer });
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
        let warned = if code.is_program() { warned.max(program_warns(&code.text, input.at)) } else { warned };
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
        if let (Some(at), Some((id, place)), false) = (command, id, certain)
            && let Some(own) = self.id_of(at).filter(|own| is_concrete(own) && is_concrete(id)).map(str::to_owned)
        {
            let message = "no `tool_use` of this page has this id".to_owned();
            let (page, right) = (format!("\"tool_use_id\": \"{id}\""), format!("\"tool_use_id\": \"{own}\""));
            self.wrong(code.line(place), message, page, &right, "result.answers-each-use");
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
        if let Some(id) = id
            && let Some(last) = self.ids.get(id)
        {
            return (Some(*last).filter(|at| shown(*at).is_some_and(|shown| shown.answer.is_none())), true);
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
        if let Some(name) = literal.get("name")
            && let Some(text) = name.text().filter(|text| *text != TOOL_NAME)
        {
            let message = "the tool's name is `memory`".to_owned();
            self.wrong(
                code.line(name.at),
                message,
                format!("\"name\": \"{text}\""),
                "\"name\": \"memory\"",
                "tool.definition",
            );
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
}

/// What a program says of a command in it: tests send paths that are refused, and look for the error.
fn program_warns(text: &str, at: usize) -> Warning {
    const BEFORE: usize = 2;
    const AFTER: usize = 8;
    let before = text[..at].rsplit('\n').take(BEFORE);
    let after = text[at..].split('\n').take(AFTER);
    let words = ["error", "raise", "throw", "reject", "fail", "invalid", "refuse", "denied"];
    let expects = before.chain(after).map(str::to_lowercase).any(|line| words.iter().any(|word| line.contains(word)));
    if expects { Warning::Wrong } else { Warning::Path }
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
        Node::Text(text) => is_placeholder(text),
        Node::Elided => true,
        _ => true,
    }
}

/// Whether an input is one of the text editor tool, or of something else with paths of its own.
fn is_editor_input(input: &Literal) -> bool {
    let names = ["view", "create", "str_replace", "insert", "undo_edit"];
    let path = input.get("path").and_then(Literal::text);
    input.get("command").and_then(Literal::text).is_some_and(|name| names.contains(&name))
        && path.is_some_and(|path| !path.starts_with(ROOT) && !is_placeholder(path))
}
