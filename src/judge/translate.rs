//! A text of the documented dialect, as another published dialect says it.

use serde_json::Value;

use super::dialect::{Dialect, Dialects, Filling};
use super::paths::{kept_inside, normalised};
use super::wording::{LineFormat, as_sent, sent};
use crate::wire::{Command, PATH_PARAMETERS};

/// What a text answers.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// The command, if it is one of the six.
    pub command: Option<Command>,
    /// Its input.
    pub input: &'a Value,
    /// Whether its path is a directory: two messages of `docs` have the same text.
    pub directory: bool,
}

impl Answered<'_> {
    /// The documented message that `text` is, or begins with; `None` where its text is nowhere documented.
    pub fn message(&self, text: &str) -> Option<String> {
        self.recognised(text).map(|(key, _)| key)
    }

    /// `text` in the words of `to`; `None` where that dialect has none for it.
    pub fn translated(&self, text: &str, to: &Dialect) -> Option<String> {
        if to.name == "docs" {
            return Some(text.to_owned());
        }
        let body = text.split_once('\n').map(|(_, body)| body);
        let (key, filling) = self.recognised(text)?;
        let fill = |key: &str| to.templates(key).iter().find_map(|template| template.fill(&filling));
        let body: Option<Vec<String>> = match key.as_str() {
            "view.file-header" => {
                let format = LineFormat::of(to.templates("view.line").first()?)?;
                body.into_iter().flat_map(|body| body.split('\n')).map(|line| renumbered(line, &format)).collect()
            }
            "view.directory-header" => {
                let mut rows = body.into_iter().flat_map(|body| body.split('\n'));
                let first = rows.next().and_then(|line| row(line, to, "view.directory-row"))?;
                let rows = rows.map(|line| row(line, to, "view.subdirectory-row"));
                std::iter::once(Some(first)).chain(rows).collect()
            }
            "str_replace.ok" | "insert.ok" => Some(body.map(str::to_owned).into_iter().collect()),
            _ => return fill(&key),
        };
        let header = match key.as_str() {
            "view.file-header" | "view.directory-header" if to.templates(&key).is_empty() => None,
            _ => Some(fill(&key)?),
        };
        Some(header.into_iter().chain(body?).collect::<Vec<_>>().join("\n"))
    }

    /// `text`, and the same with the paths of the command as they were sent, or in their plain form: a handler may
    /// answer with either.
    pub fn spelled(&self, text: &str) -> Vec<String> {
        let mut forms = vec![text.to_owned()];
        let paths = PATH_PARAMETERS.iter().filter_map(|name| self.input.get(*name)?.as_str());
        let (mut plain, mut sent) = (text.to_owned(), text.to_owned());
        for path in paths.filter(|path| !path.is_empty()) {
            let form = kept_inside(path).unwrap_or_else(|| normalised(path));
            if form == path {
                continue;
            }
            // A relative path is part of its own plain form.
            if !(form.contains(path) && plain.contains(&form)) {
                plain = plain.replace(path, &form);
            }
            if !text.contains(path) {
                sent = sent.replace(&form, path);
            }
        }
        for form in [plain, sent] {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        forms
    }

    fn recognised(&self, text: &str) -> Option<(String, Filling)> {
        let docs = Dialects::builtin().docs();
        let sent = sent(self.command, self.input);
        let header = text.split('\n').next().unwrap_or_default();
        let mut found = docs.recognise(self.command, text, &sent);
        if found.is_empty() {
            found = docs.recognise(self.command, header, &sent);
        }
        found.sort_by_key(|(key, _)| key.ends_with(".directory") != self.directory);
        found.into_iter().next().map(|(key, filling)| (key.to_owned(), as_sent(&filling, &sent)))
    }
}

fn renumbered(line: &str, format: &LineFormat) -> Option<String> {
    if line.is_empty() {
        return Some(String::new());
    }
    let (number, text) = line.split_once('\t')?;
    Some(format.write(number.trim_start().parse().ok()?, text))
}

/// A row in the words of `to`: a directory's by the template of its own.
fn row(line: &str, to: &Dialect, key: &str) -> Option<String> {
    let (size, path) = line.split_once('\t')?;
    let is_directory = path.ends_with('/');
    let mut filling = Filling::new();
    filling.insert("size".into(), size.into());
    if let Some(bytes) = size.strip_suffix('B') {
        filling.insert("bytes".into(), bytes.into());
    }
    filling.insert("path".into(), normalised(path));
    filling.insert("name".into(), path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().into());
    let key = if is_directory { key } else { "view.directory-row" };
    to.templates(key).iter().find_map(|template| template.fill(&filling))
}
