//! Texts of one line, held against the texts of a dialect.

use serde_json::Value;

use super::words::{Arguments, Shape, is_path, is_placeholder, skeleton};
use crate::judge::{Dialect, Dialects, Filling, Template, normalised};
use crate::wire::{Command, PATH_PARAMETERS};

/// What a text is.
#[derive(Clone, Debug, PartialEq)]
pub enum Match {
    /// A text of the dialect: its key, as `view.missing`.
    Right(String),
    /// None of its texts; the one that is most like it.
    Near(Near),
    /// There is nothing to compare it with.
    None,
}

/// The text that another one is most like.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// From 0 to 1.
    pub likeness: f64,
    /// Its key.
    pub key: String,
    /// The text, with the arguments of the command, or else of the page.
    pub right: String,
    /// Whether the template has holes.
    pub has_holes: bool,
}

/// The arguments that a command was sent with, by the names of holes.
pub fn sent(input: &Value) -> Filling {
    let names = PATH_PARAMETERS.into_iter().chain(["old_str", "insert_line", "command"]);
    let values = names.filter_map(|name| {
        let value = match input.get(name)? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Some((name.to_owned(), value))
    });
    values.collect()
}

/// The keys of the texts that can answer a command, in this dialect.
pub fn keys(dialect: &Dialect, commands: &[Command]) -> Vec<String> {
    let own = commands.iter().flat_map(|command| dialect.messages_of(*command)).filter(|key| !key.ends_with("-header"));
    let shared = ["path.outside", "command.unknown"].into_iter().filter(|key| !dialect.templates(key).is_empty());
    own.chain(shared).map(str::to_owned).collect()
}

/// Holds a text against the texts of these keys.
pub fn compare(dialect: &Dialect, text: &str, keys: &[String], sent: Option<&Filling>) -> Match {
    for key in keys {
        if dialect.templates(key).iter().any(|template| is(dialect, key, template, text, sent)) {
            return Match::Right(key.clone());
        }
    }
    let first = text.split('\n').next().unwrap_or_default();
    let (words, arguments) = skeleton(first);
    let shape = Shape::new(words);
    let mut best: Option<(f64, &String, &Template)> = None;
    for key in keys {
        for template in dialect.templates(key) {
            let likeness = shape.likeness(&Shape::of_template(template));
            if best.is_none_or(|(most, ..)| likeness > most) {
                best = Some((likeness, key, template));
            }
        }
    }
    best.map_or(Match::None, |(likeness, key, template)| {
        let right = fill(template, sent, &arguments);
        let has_holes = template.holes().next().is_some();
        Match::Near(Near { likeness, key: key.clone(), right, has_holes })
    })
}

/// Whether `text` is an instance of the template, or the same template with its holes named otherwise.
fn is(dialect: &Dialect, key: &str, template: &Template, text: &str, sent: Option<&Filling>) -> bool {
    const LONGEST: usize = 4000;
    let display = template.to_string();
    // A snippet follows, of which nothing is documented; in the words of `docs`, not even that it begins a line.
    let text = match key {
        "str_replace.ok" if dialect.name == "docs" => match text.strip_prefix(display.as_str()) {
            Some(rest) if rest.is_empty() || rest.starts_with(char::is_whitespace) => &display,
            _ => text,
        },
        "str_replace.ok" => cut_lines(text, display.split('\n').count()),
        _ => text,
    };
    if text.len() > LONGEST {
        return false;
    }
    if let Some(head) = text.strip_suffix("...").or_else(|| text.strip_suffix('…')).filter(|head| head.len() > 12) {
        let template = Shape::of_template(template);
        if template.skeleton.starts_with(skeleton(head.trim_end()).0.as_str()) {
            return true;
        }
    }
    let known = sent.and_then(|sent| sent.get("old_str")).map(|old| Filling::from([("old_str".into(), old.clone())]));
    let read = known.and_then(|known| template.read(text, &known)).or_else(|| template.read(text, &Filling::new()));
    read.is_some_and(|filling| {
        filling.iter().all(|(name, value)| match sent.and_then(|sent| sent.get(name)) {
            Some(sent) => agrees(name, value, sent),
            None => is_plausible(name, value),
        })
    })
}

fn cut_lines(text: &str, count: usize) -> &str {
    text.match_indices('\n').nth(count - 1).map_or(text, |(at, _)| &text[..at])
}

fn is_plausible(name: &str, value: &str) -> bool {
    if is_placeholder(value) {
        return value == value.trim();
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match name {
        "path" | "old_path" | "new_path" => is_path(value),
        "n_lines" | "count" => is_number(value),
        "insert_line" => is_number(value.strip_prefix('-').unwrap_or(value)),
        "line_numbers" => value.split(", ").all(|one| is_number(one) || one == "..."),
        _ => true,
    }
}

/// Whether a hole holds what the command was sent with.
fn agrees(name: &str, value: &str, sent: &str) -> bool {
    let is_open = |text: &str| is_placeholder(text) || text.contains("...") || text.contains(['{', '<', '…']);
    is_open(value)
        || is_open(sent)
        || value == sent
        || (name.ends_with("path") && normalised(value) == normalised(sent))
}

/// The template with the arguments of the command, or of the page's own text; holes without any stay as they are.
pub fn fill(template: &Template, sent: Option<&Filling>, arguments: &Arguments) -> String {
    let (mut paths, mut numbers) = (arguments.paths.iter(), arguments.numbers.iter());
    let mut quoted = arguments.quoted.iter();
    let in_template = skeleton(&template.to_string()).1.all;
    // As many arguments as the template has: each in its place.
    let placed = |name: &str| {
        let place = in_template.iter().position(|hole| *hole == format!("{{{name}}}"))?;
        arguments.all.get(place).filter(|_| arguments.all.len() == in_template.len()).cloned()
    };
    let mut filling = Filling::new();
    for name in template.holes() {
        if filling.contains_key(name) {
            continue;
        }
        let own = match name {
            "path" | "old_path" | "new_path" => paths.next().cloned(),
            "old_str" => quoted.next().cloned(),
            "insert_line" | "count" => numbers.next().cloned(),
            "n_lines" => arguments.numbers.last().filter(|_| arguments.numbers.len() > 1).cloned(),
            "line_numbers" => Some(arguments.numbers.join(", ")).filter(|list| !list.is_empty()),
            _ => None,
        };
        let own = placed(name).or(own);
        let value = sent.and_then(|sent| sent.get(name)).cloned().or(own).unwrap_or_else(|| format!("{{{name}}}"));
        filling.insert(name.to_owned(), value);
    }
    template.fill(&filling).unwrap_or_else(|| template.to_string())
}

/// The dialect other than this one that has the text among its own.
pub fn said_by(dialect: &Dialect, text: &str, commands: &[Command], sent: Option<&Filling>) -> Option<&'static str> {
    let others = Dialects::builtin().iter().filter(|other| other.name != dialect.name);
    others
        .filter(|other| matches!(compare(other, text, &keys(other, commands), sent), Match::Right(_)))
        .map(|other| other.name.as_str())
        .next()
}

/// What an error is about, by its words: the ends of the keys that say the same.
pub fn meaning(text: &str) -> &'static [&'static str] {
    let text = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&["already exist", "exists already", "file exists"]) {
        &["existing", "destination-exists"]
    } else if has(&[
        "did not appear",
        "not appear",
        "no match",
        "string not found",
        "text not found",
        "old_str not found",
    ]) {
        &["not-found"]
    } else if has(&["multiple", "more than once", "not unique", "occurrences", "must be unique", "several times"]) {
        &["ambiguous"]
    } else if has(&["insert_line", "line number", "invalid line", "out of range", "out of bounds"]) {
        &["bad-line"]
    } else if has(&["too many lines", "maximum line", "line limit", "999,999"]) {
        &["line-limit"]
    } else if has(&["not found", "does not exist", "doesn't exist", "no such file", "cannot find", "could not find"]) {
        &["missing", "directory"]
    } else {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn docs(text: &str, commands: &[Command], input: Option<Value>) -> Match {
        let docs = Dialects::builtin().docs();
        compare(docs, text, &keys(docs, commands), input.as_ref().map(sent).as_ref())
    }

    #[test]
    fn texts_with_arguments_and_with_placeholders_of_any_kind() {
        for text in [
            "Error: The path /memories/a.txt does not exist",
            "Error: The path <path> does not exist",
            "Error: The path ${path} does not exist",
            "Error: Invalid `insert_line` parameter: 7. It should be within the range of lines of the file: [0, {n}]",
            "No replacement was performed, old_str `\\{old_str}` did not appear verbatim in {path}.",
            "No replacement was performed. Multiple occurrences of old_str `a b` in lines: 1, 2. Please ensure it is unique",
            "The memory file has been edited. And so on",
            "Successfully renamed {a} to {b}",
        ] {
            assert!(matches!(docs(text, &Command::ALL, None), Match::Right(_)), "{text}");
        }
    }

    #[test]
    fn the_nearest_text_has_the_arguments_of_the_page() {
        let Match::Near(near) = docs("Error: The path '/memories/a.txt' doesn't exist", &[Command::Delete], None)
        else {
            panic!()
        };
        assert_eq!(
            (near.key.as_str(), near.right.as_str()),
            ("delete.missing", "Error: The path /memories/a.txt does not exist")
        );
        let sent = json!({"command": "delete", "path": "/memories/b.txt"});
        let Match::Near(near) = docs("Deleted /memories/a.txt successfully", &[Command::Delete], Some(sent)) else {
            panic!()
        };
        assert_eq!(near.right, "Successfully deleted /memories/b.txt");
    }

    #[test]
    fn an_argument_that_was_not_sent_is_wrong() {
        let sent = json!({"command": "create", "path": "/memories//a.txt"});
        let made =
            |path: &str| docs(&format!("File created successfully at: {path}"), &[Command::Create], Some(sent.clone()));
        assert!(matches!(made("/memories/a.txt"), Match::Right(_)));
        assert!(matches!(made("{path}"), Match::Right(_)));
        assert!(matches!(made("/memories/b.txt"), Match::Near(_)));
    }
}
