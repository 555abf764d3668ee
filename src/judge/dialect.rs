//! Published sets of result strings, as data: recognising a text of the `docs` dialect, and saying whether an
//! answer is what another dialect has in its place.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::paths::spellings;
use crate::wire::Command;

/// A template with holes: `The path {path} does not exist`.
#[derive(Clone, Debug)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Hole(String),
}

/// What fills the holes of a template.
pub type Filling = BTreeMap<String, String>;

impl Template {
    /// Reads a template; `{word}` and `{word:width}` are holes.
    pub fn parse(text: &str) -> Template {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('{') {
            let Some(length) = rest[start..].find('}') else { break };
            let name = &rest[start + 1..start + length];
            let is_hole = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
            let end = start + length + 1;
            let text = if is_hole { &rest[..start] } else { &rest[..end] };
            if !text.is_empty() {
                parts.push(Part::Text(text.into()));
            }
            if is_hole {
                parts.push(Part::Hole(name.into()));
            }
            rest = &rest[end..];
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.into()));
        }
        Template { parts }
    }

    /// What fills the holes, if `text` is an instance of this template. Holes that `known` has must hold just
    /// that; a hole that stands twice must hold the same.
    pub fn read(&self, text: &str, known: &Filling) -> Option<Filling> {
        let mut filling = Filling::new();
        read(&self.parts, text, known, &mut filling).then_some(filling)
    }

    /// Whether `text` is this template with these fillings, or (`prefix`) begins with it. A path may stand as it
    /// was sent or normalised; `{n_lines}` may count a final empty line or not; `{count}` is any number; `{any}`
    /// is anything. A hole without filling never matches.
    pub fn fits(&self, text: &str, filling: &Filling, prefix: bool) -> bool {
        fits(&self.parts, text, filling, prefix)
    }

    /// The template's text up to its first hole.
    pub fn head(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => text,
            _ => "",
        }
    }

    /// The names of the holes, in order; a name that stands twice comes twice.
    pub fn holes(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Hole(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// Fills the holes; `None` where one has no filling.
    pub fn fill(&self, filling: &Filling) -> Option<String> {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Hole(name) => filling.get(name).map(String::as_str),
        });
        parts.collect()
    }
}

impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Text(text) => f.write_str(text),
            Part::Hole(name) => write!(f, "{{{name}}}"),
        })
    }
}

fn read(parts: &[Part], text: &str, known: &Filling, filling: &mut Filling) -> bool {
    match parts.split_first() {
        None => text.is_empty(),
        Some((Part::Text(literal), rest)) => {
            text.strip_prefix(literal.as_str()).is_some_and(|text| read(rest, text, known, filling))
        }
        Some((Part::Hole(name), rest)) => {
            if let Some(value) = filling.get(name).or_else(|| known.get(name)).cloned() {
                let had = filling.insert(name.clone(), value.clone());
                let done = text.strip_prefix(value.as_str()).is_some_and(|text| read(rest, text, known, filling));
                if !done && had.is_none() {
                    filling.remove(name);
                }
                return done;
            }
            let ends: Vec<usize> = match rest.first() {
                None => vec![text.len()],
                Some(Part::Text(next)) => text.match_indices(next.as_str()).map(|(at, _)| at).collect(),
                Some(Part::Hole(_)) => (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect(),
            };
            for end in ends {
                filling.insert(name.clone(), text[..end].to_owned());
                if read(rest, &text[end..], known, filling) {
                    return true;
                }
            }
            filling.remove(name);
            false
        }
    }
}

fn fits(parts: &[Part], text: &str, filling: &Filling, prefix: bool) -> bool {
    match parts.split_first() {
        None => prefix || text.is_empty(),
        Some((Part::Text(literal), rest)) => {
            text.strip_prefix(literal.as_str()).is_some_and(|text| fits(rest, text, filling, prefix))
        }
        Some((Part::Hole(name), rest)) => match name.as_str() {
            "any" => {
                let mut ends = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
                ends.any(|end| fits(rest, &text[end..], filling, prefix))
            }
            "count" => {
                let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || b",.".contains(byte)).count();
                digits > 0 && fits(rest, &text[digits..], filling, prefix)
            }
            _ => variants(name, filling)
                .iter()
                .any(|value| text.strip_prefix(value.as_str()).is_some_and(|text| fits(rest, text, filling, prefix))),
        },
    }
}

fn variants(name: &str, filling: &Filling) -> Vec<String> {
    let Some(value) = filling.get(name) else { return Vec::new() };
    match (name, value.parse::<i64>()) {
        ("path" | "old_path" | "new_path", _) => spellings(value),
        ("n_lines", Ok(count)) => vec![value.clone(), (count + 1).to_string(), (count - 1).to_string()],
        _ => vec![value.clone()],
    }
}

/// One dialect.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// `docs`, `python-sdk`, ...
    pub name: String,
    /// Whose strings these are.
    pub title: String,
    messages: BTreeMap<String, Vec<Template>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DialectFile {
    name: String,
    title: String,
    messages: BTreeMap<String, OneOrMore>,
}

struct OneOrMore(Vec<String>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(one) => Ok(OneOrMore(vec![one])),
            serde_json::Value::Array(list) => {
                let strings = list.into_iter().map(|one| one.as_str().map(str::to_owned));
                strings.collect::<Option<_>>().map(OneOrMore).ok_or_else(|| D::Error::custom("a template is a string"))
            }
            _ => Err(D::Error::custom("expected a template or a list of templates")),
        }
    }
}

impl Dialect {
    /// Reads a dialect file.
    ///
    /// # Errors
    /// What serde says, with line and column.
    pub fn parse(json: &str) -> Result<Dialect, serde_json::Error> {
        let file: DialectFile = serde_json::from_str(json)?;
        let messages = file
            .messages
            .into_iter()
            .map(|(key, OneOrMore(list))| (key, list.iter().map(|text| Template::parse(text)).collect()));
        Ok(Dialect { name: file.name, title: file.title, messages: messages.collect() })
    }

    /// The templates of one message; none where the dialect does not have it.
    pub fn templates(&self, key: &str) -> &[Template] {
        self.messages.get(key).map_or(&[], Vec::as_slice)
    }

    /// The keys of the whole messages of one command, ordered.
    pub fn messages_of(&self, command: Command) -> Vec<&str> {
        let keys = self.messages.keys().map(String::as_str);
        keys.filter(|key| key.split('.').next() == Some(command.as_str()) && !is_row(key)).collect()
    }

    /// The messages of one command that `text` is, with their fillings.
    pub fn recognise(&self, command: Option<Command>, text: &str, known: &Filling) -> Vec<(&str, Filling)> {
        let of_command = |key: &str| match command {
            Some(command) => key.split('.').next() == Some(command.as_str()) || key == "path.outside",
            None => key == "command.unknown",
        };
        let messages = self.messages.iter().filter(|(key, _)| of_command(key) && !is_row(key));
        messages
            .filter_map(|(key, templates)| {
                templates.iter().find_map(|template| template.read(text, known)).map(|filling| (key.as_str(), filling))
            })
            .collect()
    }
}

/// Keys that are parts of a view and not a whole message.
fn is_row(key: &str) -> bool {
    matches!(key, "view.line" | "view.directory-row" | "view.subdirectory-row" | "view.empty-directory")
}

/// The texts by which an unflagged error is recognised, beside the dialects' own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorPhrases {
    #[allow(dead_code)]
    comment: String,
    starts_with: Vec<String>,
    contains: Vec<String>,
}

/// All dialects; `docs` is the first.
#[derive(Clone, Debug)]
pub struct Dialects {
    list: Vec<Dialect>,
    phrases: ErrorPhrases,
}

impl Dialects {
    /// Those that ship with memconf.
    pub fn builtin() -> &'static Dialects {
        static BUILTIN: std::sync::LazyLock<Dialects> = std::sync::LazyLock::new(|| {
            let files = crate::case::builtin_dialects();
            let mut list: Vec<Dialect> = files.iter().filter_map(|(_, json)| Dialect::parse(json).ok()).collect();
            list.sort_by_key(|dialect| (dialect.name != "docs", dialect.name.clone()));
            let phrases = files.iter().find(|(name, _)| *name == "errors");
            let mut phrases: ErrorPhrases =
                phrases.and_then(|(_, json)| serde_json::from_str(json).ok()).unwrap_or_default();
            for phrase in phrases.starts_with.iter_mut().chain(&mut phrases.contains) {
                *phrase = phrase.to_lowercase();
            }
            Dialects { list, phrases }
        });
        &BUILTIN
    }

    /// In a fixed order, `docs` first.
    pub fn iter(&self) -> impl Iterator<Item = &Dialect> {
        self.list.iter()
    }

    /// The documented dialect.
    pub fn docs(&self) -> &Dialect {
        &self.list[0]
    }

    /// By name, with its place in the order.
    pub fn get(&self, name: &str) -> Option<(usize, &Dialect)> {
        self.list.iter().enumerate().find(|(_, dialect)| dialect.name == name)
    }

    /// Whether a text is an error by its words alone: an error string of any dialect, or one of the phrases. For
    /// replies of a few lines; a longer one is not taken for an error.
    pub fn reads_as_error(&self, text: &str) -> bool {
        const LONGEST: usize = 2000;
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST {
            return false;
        }
        let lower = text.to_lowercase();
        let first = lower.lines().next().unwrap_or_default();
        self.phrases.starts_with.iter().any(|phrase| lower.starts_with(phrase.as_str()))
            || self.phrases.contains.iter().any(|phrase| first.contains(phrase.as_str()))
    }

    /// Whether a text says in some dialect's words that the path of the command does not exist.
    pub fn reads_as_missing(&self, command: Option<Command>, text: &str) -> bool {
        let Some(command) = command else { return false };
        let key = format!("{command}.missing");
        let mut templates = self.list.iter().flat_map(|dialect| dialect.templates(&key));
        templates.any(|template| template.read(text, &Filling::new()).is_some())
    }

    /// Whether a first line is the header of a view in some dialect.
    pub fn reads_as_view(&self, header: &str) -> bool {
        let keys = ["view.file-header", "view.directory-header"];
        let templates = self.list.iter().flat_map(|dialect| keys.iter().flat_map(|key| dialect.templates(key)));
        templates.into_iter().any(|template| template.read(header, &Filling::new()).is_some())
    }

    /// Whether a text is a success string of some dialect for this command.
    pub fn reads_as_success(&self, command: Command, text: &str) -> bool {
        let key = format!("{command}.ok");
        self.list.iter().flat_map(|dialect| dialect.templates(&key)).any(|template| {
            let head = template.head();
            head.len() > 8 && text.starts_with(head)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filling(pairs: &[(&str, &str)]) -> Filling {
        pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect()
    }

    #[test]
    fn every_dialect_file_is_read() {
        let names: Vec<_> = Dialects::builtin().iter().map(|dialect| dialect.name.as_str()).collect();
        assert_eq!(names, ["docs", "cookbook", "csharp-example", "java-example", "python-sdk", "typescript-sdk"]);
        for (name, json) in crate::case::builtin_dialects() {
            match name {
                "errors" => assert!(serde_json::from_str::<ErrorPhrases>(json).is_ok()),
                _ => assert_eq!(Dialect::parse(json).unwrap().name, name),
            }
        }
    }

    #[test]
    fn a_documented_text_is_recognised_with_its_fillings() {
        let docs = Dialects::builtin().docs();
        let known = filling(&[("old_str", "a `b` c")]);
        let text = "No replacement was performed, old_str `a `b` c` did not appear verbatim in /memories/x.";
        let found = docs.recognise(Some(Command::StrReplace), text, &known);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "str_replace.not-found");
        assert_eq!(found[0].1["path"], "/memories/x");
        let text = "Error: The path /memories/x does not exist. Please provide a valid path.";
        let keys: Vec<_> =
            docs.recognise(Some(Command::StrReplace), text, &known).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["str_replace.directory", "str_replace.missing"]);
    }

    #[test]
    fn an_instance_fits_with_the_allowed_variants_only() {
        let template = Template::parse("The path {path} has [0, {n_lines}], {count} times");
        let filling = filling(&[("path", "/memories//a"), ("n_lines", "2")]);
        assert!(template.fits("The path /memories/a has [0, 3], 17 times", &filling, false));
        assert!(template.fits("The path /memories//a has [0, 2], 1 times", &filling, false));
        assert!(!template.fits("The path /memories/b has [0, 2], 1 times", &filling, false));
        assert!(!template.fits("The path /memories/a has [0, 4], 1 times", &filling, false));
        assert!(!template.fits("The path /memories/a has [0, 2], 1 times.", &filling, false));
        assert!(template.fits("The path /memories/a has [0, 2], 1 times.", &filling, true));
        assert!(!Template::parse("{unknown}").fits("x", &filling, true));
    }

    #[test]
    fn no_success_reads_as_an_error() {
        let dialects = Dialects::builtin();
        let filling = filling(&[
            ("path", "/memories/a.txt"),
            ("old_path", "/memories/a.txt"),
            ("new_path", "/memories/b.txt"),
            ("insert_line", "3"),
        ]);
        for dialect in dialects.iter() {
            for (key, templates) in &dialect.messages {
                let success =
                    key.ends_with(".ok") || ["view.file-header", "view.directory-header"].contains(&key.as_str());
                for template in templates.iter().filter(|_| success) {
                    let text = template.fill(&filling).unwrap();
                    assert!(!dialects.reads_as_error(&text), "{}: {key}: {text}", dialect.name);
                }
            }
        }
    }
}
