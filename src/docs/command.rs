//! What is wrong with a command that a page shows.

mod parameters;

pub use parameters::is_parameter;

use serde_json::{Map, Value, json};

use super::literal::{Literal, Node};
use super::words::is_placeholder;
use crate::reference::{PathFault, VirtualPath};
use crate::wire::{Command, PATH_PARAMETERS, ROOT};
use parameters::{Kind, Parameter, alias, meant, parameters};

/// One fault of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where in the code.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// The requirement or ruling.
    pub requirement: &'static str,
}

/// A command of a page: what it says, and what it should say.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The command, if it is one of the six.
    pub command: Option<Command>,
    /// The input as far as it can be read.
    pub input: Value,
    /// Whether some of it was left out or is a placeholder, so that it cannot be played.
    pub elided: bool,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// The input as the page has it, on one line.
    pub page: String,
    /// The input as it should be, on one line.
    pub right: String,
}

/// Looks at the input of a command.
pub fn check(literal: &Literal) -> Checked {
    let Node::Object(members, left_out) = &literal.node else {
        let elided = literal.node == Node::Elided;
        let fault =
            Fault { at: literal.at, message: "the input is not an object".into(), requirement: "ruling.wrong-input" };
        let faults = if elided { Vec::new() } else { vec![fault] };
        let right = json!({ "command": "view", "path": ROOT }).to_string();
        let page = shown(literal).to_string();
        return Checked { command: None, input: Value::Null, elided, faults, page, right };
    };
    let mut check = Check { members, left_out: *left_out, faults: Vec::new(), right: Vec::new() };
    let (named, command) = check.command(literal.at);
    match command {
        Some(command) => check.parameters(literal.at, command),
        None => check.right.extend(
            members.iter().filter(|(name, _)| name != "command").map(|(name, value)| (name.clone(), shown(value))),
        ),
    }
    let input: Map<String, Value> =
        members.iter().filter_map(|(name, value)| Some((name.clone(), value.value()?))).collect();
    let elided = *left_out
        || input.len() < members.len()
        || input.iter().any(|(name, value)| {
            name != "command" && value.as_str().is_some_and(|text| is_placeholder(text) || is_cut(text))
        })
        || PATH_PARAMETERS.iter().any(|name| input.get(*name).and_then(Value::as_str).is_some_and(holds_placeholder));
    let page: Map<String, Value> = members.iter().map(|(name, value)| (name.clone(), shown(value))).collect();
    let (page, right) = (Value::Object(page).to_string(), Value::Object(check.right.into_iter().collect()).to_string());
    Checked { command: named, input: Value::Object(input), elided, faults: check.faults, page, right }
}

struct Check<'a> {
    members: &'a [(String, Literal)],
    left_out: bool,
    faults: Vec<Fault>,
    right: Vec<(String, Value)>,
}

impl<'a> Check<'a> {
    fn fault(&mut self, at: usize, requirement: &'static str, message: String) {
        self.faults.push(Fault { at, message, requirement });
    }

    fn get(&self, name: &str) -> Option<&'a Literal> {
        self.members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The command that is named, and the one that is meant.
    fn command(&mut self, at: usize) -> (Option<Command>, Option<Command>) {
        let Some(found) = self.get("command") else {
            if !self.left_out {
                self.fault(at, "ruling.wrong-input", "`command` is missing".into());
            }
            return (None, None);
        };
        let Node::Text(name) = &found.node else {
            if found.node != Node::Elided {
                self.fault(found.at, "ruling.wrong-input", "`command` is not a string".into());
            }
            return (None, None);
        };
        if let Some(command) = Command::ALL.into_iter().find(|command| command.as_str() == name) {
            self.right.push(("command".into(), name.as_str().into()));
            return (Some(command), Some(command));
        }
        if is_placeholder(name) || is_choice(name) {
            self.right.push(("command".into(), name.as_str().into()));
            return (None, None);
        }
        let names = Command::ALL.map(Command::as_str).join(", ");
        self.fault(found.at, "tool.six-commands", format!("`{name}` is no command; there are {names}"));
        let meant = meant(name, self.members);
        self.right.push(("command".into(), meant.map_or(name.as_str(), |command| command.as_str()).into()));
        (None, meant)
    }

    fn parameters(&mut self, at: usize, command: Command) {
        let known = parameters(command);
        let others: Vec<&(String, Literal)> = self
            .members
            .iter()
            .filter(|(name, _)| name != "command" && known.iter().all(|one| one.name != name))
            .collect();
        let mut others: Vec<(String, Literal)> = others.into_iter().cloned().collect();
        for one in &known {
            if let Some(value) = self.get(one.name) {
                let right = self.value(command, one, value);
                self.right.push((one.name.into(), right));
                continue;
            }
            if let Some(index) = alias(one, &known, &others) {
                let (name, value) = others.remove(index);
                let message = format!("`{name}` is no parameter of `{command}`: it is called `{}`", one.name);
                self.fault(value.at, "ruling.wrong-input", message);
                let right = self.value(command, one, &value);
                self.right.push((one.name.into(), right));
            } else if one.required && !self.left_out {
                self.fault(at, "ruling.wrong-input", format!("`{}` of `{command}` is missing", one.name));
                let right = match one.kind {
                    Kind::Path => json!(format!("{ROOT}/...")),
                    Kind::Integer => json!(0),
                    _ => json!("..."),
                };
                self.right.push((one.name.into(), right));
            }
        }
        for (name, value) in others {
            let names = known.iter().map(|one| one.name).collect::<Vec<_>>().join(", ");
            let message = format!("`{name}` is no parameter of `{command}`; there are {names}");
            self.fault(value.at, "ruling.extra-input", message);
        }
    }

    /// Checks a parameter; the value that it should have.
    fn value(&mut self, command: Command, one: &Parameter, value: &Literal) -> Value {
        let name = one.name;
        let mut mistyped = |expected: &str| {
            let message = format!("`{name}` of `{command}` is not {expected}");
            self.faults.push(Fault { at: value.at, message, requirement: requirement(name) });
        };
        match (&one.kind, &value.node) {
            (_, Node::Elided) => shown(value),
            (_, Node::Null) if !one.required => Value::Null,
            (Kind::Integer | Kind::Range, Node::Text(text)) if is_placeholder(text) => json!(text),
            (Kind::Path, Node::Text(path)) => self.path(value.at, command, name, path),
            (Kind::Text, Node::Text(text)) => {
                if name == "old_str" && text.is_empty() {
                    self.fault(
                        value.at,
                        "ruling.empty-old-str",
                        "`old_str` is empty: there is nothing to replace".into(),
                    );
                }
                json!(text)
            }
            (Kind::Path | Kind::Text, _) => {
                mistyped("a string");
                json!(value.value().map(|value| value.to_string()).unwrap_or_default())
            }
            (Kind::Integer, Node::Number(number)) if number.is_u64() => json!(number),
            (Kind::Integer, Node::Number(number)) if number.is_i64() => {
                self.fault(value.at, "insert.bad-line", format!("`insert_line` is {number}; 0 is the beginning"));
                json!(0)
            }
            (Kind::Integer, node) => {
                mistyped("an integer");
                integer(node)
            }
            (Kind::Range, Node::List(items, left_out)) => self.range(value.at, items, *left_out),
            (Kind::Range, _) => {
                mistyped("a list of two integers, [start, end]");
                range_of(value)
            }
        }
    }

    fn path(&mut self, at: usize, command: Command, name: &str, path: &str) -> Value {
        let is_root = path.trim_end_matches('/') == ROOT;
        if is_root && (command == Command::Delete || name == "old_path") {
            let requirement = if command == Command::Delete { "delete.root" } else { "rename.root" };
            self.fault(
                at,
                requirement,
                format!("{ROOT} itself cannot be the `{name}` of `{command}`: a handler refuses it"),
            );
            return json!(format!("{ROOT}/..."));
        }
        // A placeholder at the beginning may stand for all of /memories, and `...` for any part of it.
        if path.starts_with(['{', '<', '$', '[', '%'])
            || is_placeholder(path)
            || path.contains("...")
            || path.contains('…')
        {
            return json!(path);
        }
        let Err(fault) = VirtualPath::parse(path) else { return json!(path) };
        let requirement = match fault {
            PathFault::Outside => "path.inside-only",
            PathFault::Climbs => "path.traversal-rejected",
            PathFault::Control => "ruling.control-characters",
            PathFault::LongName | PathFault::Long | PathFault::Deep => "ruling.long-names",
        };
        self.fault(at, requirement, format!("`{name}` {}", fault.to_string().split(". ").next().unwrap_or_default()));
        let inside = match fault {
            PathFault::Outside => inside(path),
            _ => format!("{ROOT}/..."),
        };
        json!(inside)
    }

    fn range(&mut self, at: usize, items: &[Literal], left_out: bool) -> Value {
        let numbers: Vec<Option<i64>> = items
            .iter()
            .map(|item| match &item.node {
                Node::Number(number) => number.as_i64(),
                _ => None,
            })
            .collect();
        let readable = !left_out
            && items.iter().all(|item| match &item.node {
                Node::Elided => false,
                Node::Text(text) => !is_placeholder(text) && text.parse::<i64>().is_ok(),
                _ => true,
            });
        let as_is = Value::Array(items.iter().map(shown).collect());
        if !readable {
            return as_is;
        }
        let (message, right) = match numbers.as_slice() {
            [Some(start), Some(end)] if *start < 1 => ("`view_range` begins at line 1".to_owned(), json!([1, *end])),
            [Some(start), Some(end)] if *end != -1 && end < start => {
                ("`view_range` ends before it begins".to_owned(), json!([end, start]))
            }
            [Some(_), Some(_)] => return as_is,
            _ => {
                let items = Literal { at, node: Node::List(items.to_vec(), false) };
                ("`view_range` of `view` is not a list of two integers, [start, end]".to_owned(), range_of(&items))
            }
        };
        self.fault(at, "view.range", message);
        right
    }
}

fn requirement(name: &str) -> &'static str {
    match name {
        "view_range" => "view.range",
        _ => "ruling.wrong-input",
    }
}

/// Whether a path was meant to lie in `/memories` and is written otherwise: `memories/a`, `/memory/a`, `/Memories/a`.
pub fn is_near_root(path: &str) -> bool {
    let lower = path.trim_start_matches(['.', '~']).trim_start_matches('/').to_lowercase();
    let first = lower.split('/').next().unwrap_or_default();
    let is_right = path == ROOT || path.starts_with(&format!("{ROOT}/"));
    !is_right && (matches!(first, "memories" | "memory") || path.starts_with(ROOT))
}

fn inside(path: &str) -> String {
    let rest = path.trim_start_matches(['.', '~']).trim_start_matches('/');
    let rest = match rest.split_once('/') {
        Some((_, rest)) if is_near_root(path) => rest,
        None if is_near_root(path) => "",
        _ => rest.rsplit('/').next().unwrap_or_default(),
    };
    if rest.is_empty() { ROOT.to_owned() } else { format!("{ROOT}/{rest}") }
}

/// `view|create|...`, `view, create or delete`: a list of what may stand there.
fn is_choice(name: &str) -> bool {
    name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| Command::ALL.into_iter().any(|command| command.as_str() == *word))
        .count()
        > 1
}

fn is_cut(text: &str) -> bool {
    let text = text.trim_end();
    text.ends_with("...")
        || text.ends_with('…')
        || text.lines().any(|line| matches!(line.trim(), "..." | "…" | "[...]"))
}

fn holds_placeholder(path: &str) -> bool {
    path.contains(['{', '<', '$', '…', '*']) || path.contains("...")
}

fn integer(node: &Node) -> Value {
    match node {
        Node::Text(text) => text.trim().parse::<u64>().map_or(json!(0), |number| json!(number)),
        Node::Number(number) => {
            number.as_f64().filter(|number| *number >= 0.0).map_or(json!(0), |number| json!(number as u64))
        }
        _ => json!(0),
    }
}

/// The two integers that something else stands for: `"1-10"`, `[1]`, `{"start": 1, "end": 10}`.
fn range_of(value: &Literal) -> Value {
    let text = value.value().map(|value| value.to_string()).unwrap_or_default();
    let numbers: Vec<i64> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .filter(|number| *number > 0)
        .collect();
    match numbers.as_slice() {
        [start, end, ..] if end >= start => json!([start, end]),
        [start, ..] => json!([start, -1]),
        [] => json!([1, -1]),
    }
}

fn shown(literal: &Literal) -> Value {
    literal.value().unwrap_or_else(|| json!("..."))
}
