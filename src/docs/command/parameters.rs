//! The parameters of the six commands, and the names that pages give them instead.

use super::super::literal::{Literal, Node};
use crate::wire::Command;

/// What a parameter holds.
pub(super) enum Kind {
    Path,
    Text,
    Integer,
    Range,
}

/// A parameter of a command.
pub(super) struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
}

/// The parameters of a command.
pub(super) fn parameters(command: Command) -> Vec<Parameter> {
    let one = |name, kind, required| Parameter { name, kind, required };
    match command {
        Command::View => vec![one("path", Kind::Path, true), one("view_range", Kind::Range, false)],
        Command::Create => vec![one("path", Kind::Path, true), one("file_text", Kind::Text, true)],
        Command::StrReplace => {
            vec![one("path", Kind::Path, true), one("old_str", Kind::Text, true), one("new_str", Kind::Text, false)]
        }
        Command::Insert => vec![
            one("path", Kind::Path, true),
            one("insert_line", Kind::Integer, true),
            one("insert_text", Kind::Text, true),
        ],
        Command::Delete => vec![one("path", Kind::Path, true)],
        Command::Rename => vec![one("old_path", Kind::Path, true), one("new_path", Kind::Path, true)],
    }
}

/// Whether a word is the name of a parameter of some command.
pub fn is_parameter(name: &str) -> bool {
    Command::ALL.into_iter().any(|command| parameters(command).iter().any(|one| one.name == name))
}

/// Other names under which pages know a parameter.
const ALIASES: &[(&str, &[&str])] = &[
    ("file_text", &["content", "contents", "text", "file_content", "body", "data"]),
    ("old_str", &["old_string", "old_text", "old", "search", "find"]),
    ("new_str", &["new_string", "new_text", "new", "replace", "replacement"]),
    ("insert_line", &["line", "line_number", "insert_at", "position", "insert_after"]),
    ("insert_text", &["text", "new_str", "content", "new_text", "insert_str"]),
    ("old_path", &["path", "source", "from", "src", "source_path", "from_path"]),
    ("new_path", &["destination", "to", "target", "dest", "new_name", "destination_path", "to_path"]),
    ("path", &["file_path", "filepath", "file", "filename", "file_name", "directory", "dir", "old_path"]),
    ("view_range", &["range", "lines", "line_range"]),
];

/// The command that an unknown one stands for: by its name, or by its parameters.
pub(super) fn meant(name: &str, members: &[(String, Literal)]) -> Option<Command> {
    let word = name.to_lowercase().replace(['-', ' '], "_");
    let aliases = [
        ("read", Command::View),
        ("list", Command::View),
        ("get", Command::View),
        ("open", Command::View),
        ("write", Command::Create),
        ("add", Command::Create),
        ("replace", Command::StrReplace),
        ("edit", Command::StrReplace),
        ("update", Command::StrReplace),
        ("append", Command::Insert),
        ("remove", Command::Delete),
        ("move", Command::Rename),
    ];
    let has = |wanted: &str| members.iter().any(|(name, _)| name == wanted);
    let by_parameters = || {
        let signs = [
            ("file_text", Command::Create),
            ("old_str", Command::StrReplace),
            ("insert_text", Command::Insert),
            ("new_path", Command::Rename),
            ("view_range", Command::View),
        ];
        signs.into_iter().find(|(name, _)| has(name)).map(|(_, command)| command)
    };
    by_parameters()
        .or_else(|| aliases.into_iter().find(|(alias, _)| word.starts_with(alias)).map(|(_, command)| command))
        .or_else(|| {
            let near = Command::ALL.into_iter().map(|command| (strsim::jaro_winkler(&word, command.as_str()), command));
            near.filter(|(near, _)| *near > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, command)| command)
        })
}

/// Which of `others` stands for a parameter that is not there.
pub(super) fn alias(one: &Parameter, known: &[Parameter], others: &[(String, Literal)]) -> Option<usize> {
    let aliases = ALIASES.iter().find(|(name, _)| *name == one.name).map_or(&[][..], |(_, aliases)| aliases);
    let fits = |value: &Literal| match one.kind {
        Kind::Integer => matches!(value.node, Node::Number(_) | Node::Elided),
        Kind::Range => matches!(value.node, Node::List(..) | Node::Elided),
        Kind::Path | Kind::Text => matches!(value.node, Node::Text(_) | Node::Elided),
    };
    let is_alias = |(name, value): &(String, Literal)| aliases.contains(&name.to_lowercase().as_str()) && fits(value);
    let is_near = |(name, value): &(String, Literal)| {
        fits(value)
            && strsim::jaro_winkler(&name.to_lowercase(), one.name) > 0.85
            && known.iter().all(|other| {
                other.name == one.name || strsim::jaro_winkler(name, other.name) < strsim::jaro_winkler(name, one.name)
            })
    };
    others.iter().position(is_alias).or_else(|| others.iter().position(is_near))
}
