//! The exact text: in the documented dialect, or in another published one.

use std::collections::BTreeSet;

use serde_json::Value;

use super::dialect::{Dialect, Dialects, Filling, Template};
use super::explain::{self, Reason};
use super::paths::normalised;
use super::shape::{Listing, Shape};
use crate::case::Expected;
use crate::wire::{Command, PATH_PARAMETERS};

/// What became of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// A bit for each dialect in the order of [`Dialects::iter`]; bit 0 is `docs`.
    pub matches: u32,
    /// Why it is not the documented text; `None` where it is.
    pub reason: Option<Reason>,
}

impl Wording {
    /// Whether it is the text of the dialect at this place in the order.
    pub fn is(&self, dialect: usize) -> bool {
        self.matches & (1 << dialect) != 0
    }
}

/// What a text is held against.
pub struct Context<'a> {
    /// All dialects.
    pub dialects: &'a Dialects,
    /// The command, if it is one of the six.
    pub command: Option<Command>,
    /// The command's input.
    pub input: &'a Value,
    /// Every path of the case, normalised.
    pub paths: &'a BTreeSet<String>,
}

/// Compares a text with what is expected; `None` where no text is documented.
pub fn check(expected: &Expected, actual: &str, shape: &Shape<'_>, context: &Context<'_>) -> Option<Wording> {
    let (text, prefix) = match expected {
        Expected::AnyOk | Expected::AnyError => return None,
        Expected::Ok(text) | Expected::Error(text) => (text.as_str(), false),
        Expected::OkStartsWith(text) => (text.as_str(), true),
    };
    let header = text.split('\n').next().unwrap_or_default();
    let mut matches = 0;
    let mut key = None;
    match shape {
        Shape::Lines(lines) => {
            let filling = self::filling(context, header, "view.file-header");
            for (place, dialect) in context.dialects.iter().enumerate() {
                if shows_lines(dialect, lines, actual, &filling, prefix) {
                    matches |= 1 << place;
                }
            }
            // The last line may be cut as well.
            matches |= u32::from(prefix && actual.starts_with(text));
        }
        Shape::Listing(listing) => {
            let filling = self::filling(context, header, "view.directory-header");
            for (place, dialect) in context.dialects.iter().enumerate() {
                if shows_listing(dialect, listing, actual, &filling, context.paths) {
                    matches |= 1 << place;
                }
            }
        }
        _ => {
            let sent = sent(context.command, context.input);
            let found = context.dialects.docs().recognise(context.command, text, &sent);
            for (place, dialect) in context.dialects.iter().enumerate() {
                let fits = found.iter().any(|(key, filling)| {
                    let filling = as_sent(filling, &sent);
                    dialect.templates(key).iter().any(|template| template.fits(actual, &filling, prefix))
                });
                if fits {
                    matches |= 1 << place;
                }
            }
            key = found.first().map(|(key, _)| (*key).to_owned());
            let same = if prefix { actual.starts_with(text) } else { actual == text };
            matches |= u32::from(same);
        }
    }
    let reason = (matches & 1 == 0).then(|| explain::wording(text, actual, shape, key.as_deref(), prefix));
    Some(Wording { matches, reason })
}

/// What the command was sent with, for the holes of a template.
pub(super) fn sent(command: Option<Command>, input: &Value) -> Filling {
    let names = PATH_PARAMETERS.into_iter().chain(["old_str", "insert_line", "command"]);
    names
        .filter_map(|name| {
            let value = match input.get(name)? {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some((name.to_owned(), value))
        })
        .filter(|(name, _)| !PATH_PARAMETERS.contains(&name.as_str()) || command.is_some())
        .collect()
}

/// The fillings of an expected text, with paths as they were sent where they mean the same, and with all else that
/// was sent.
pub(super) fn as_sent(filling: &Filling, sent: &Filling) -> Filling {
    let mut all = sent.clone();
    for (name, value) in filling {
        let means_the_same = sent.get(name).is_some_and(|sent| normalised(sent) == normalised(value));
        if !means_the_same {
            all.insert(name.clone(), value.clone());
        }
    }
    all
}

fn filling(context: &Context<'_>, header: &str, key: &str) -> Filling {
    let templates = context.dialects.docs().templates(key);
    let found = templates.iter().find_map(|template| template.read(header, &Filling::new())).unwrap_or_default();
    as_sent(&found, &sent(context.command, context.input))
}

fn after_header<'a>(dialect: &Dialect, key: &str, actual: &'a str, filling: &Filling) -> Option<Option<&'a str>> {
    let templates = dialect.templates(key);
    if templates.is_empty() {
        return Some(Some(actual));
    }
    let (header, body) = actual.split_once('\n').map_or((actual, None), |(header, body)| (header, Some(body)));
    templates.iter().any(|template| template.fits(header, filling, false)).then_some(body)
}

/// With `prefix`, lines may follow.
fn shows_lines(dialect: &Dialect, lines: &[(u64, &str)], actual: &str, filling: &Filling, prefix: bool) -> bool {
    let Some(body) = after_header(dialect, "view.file-header", actual, filling) else { return false };
    let Some(format) = dialect.templates("view.line").first().and_then(LineFormat::of) else { return false };
    let body = body.unwrap_or_default();
    if lines.is_empty() {
        // The header alone, whether or not its line is ended.
        return prefix || body.is_empty();
    }
    let mut rest = body.split('\n');
    let all = lines.iter().all(|(number, text)| rest.next().is_some_and(|line| format.is(line, *number, text)));
    all && (prefix || rest.next().is_none())
}

/// How a dialect writes a numbered line.
pub struct LineFormat {
    /// The number is padded with spaces to this many characters.
    pub width: usize,
    /// What stands between the number and the line's text.
    pub separator: String,
}

impl LineFormat {
    /// From the template of a line, `{n:6}\t{line}`.
    pub fn of(template: &Template) -> Option<LineFormat> {
        // Filled with marks, `{n:6}` and `{line}` show what stands between them.
        let mut filling = Filling::new();
        filling.insert("line".into(), "\u{2}".into());
        for width in 0..=20 {
            let name = if width == 0 { "n".to_owned() } else { format!("n:{width}") };
            filling.insert(name.clone(), "\u{1}".into());
            if let Some(text) = template.fill(&filling) {
                let separator = text.strip_prefix('\u{1}')?.strip_suffix('\u{2}')?.to_owned();
                return Some(LineFormat { width, separator });
            }
            filling.remove(&name);
        }
        None
    }

    /// A numbered line.
    pub fn write(&self, number: u64, text: &str) -> String {
        format!("{number:>width$}{}{text}", self.separator, width = self.width)
    }

    fn is(&self, line: &str, number: u64, text: &str) -> bool {
        let prefix = line.strip_suffix(text).and_then(|prefix| prefix.strip_suffix(self.separator.as_str()));
        prefix.is_some_and(|prefix| {
            let digits = prefix.trim_start_matches(' ');
            prefix.len() == self.width.max(digits.len()) && digits.parse() == Ok(number)
        })
    }
}

fn shows_listing(
    dialect: &Dialect,
    listing: &Listing,
    actual: &str,
    filling: &Filling,
    paths: &BTreeSet<String>,
) -> bool {
    let Some(body) = after_header(dialect, "view.directory-header", actual, filling) else { return false };
    let rows: Vec<&str> = body.into_iter().flat_map(|body| body.split('\n')).collect();
    let empty = dialect.templates("view.empty-directory");
    if rows.len() == 1 && empty.iter().any(|template| template.fits(rows[0], filling, false)) {
        return true;
    }
    let of = |key: &str| dialect.templates(key).to_vec();
    let (plain, below) = (of("view.directory-row"), of("view.subdirectory-row"));
    let with_root = plain.iter().any(|template| template.head().is_empty() && reads_path(template));
    let documented = dialect.name == "docs";
    let mut rows = rows.into_iter().filter(|row| !row.is_empty() || documented);
    if with_root {
        let first = rows.next().and_then(|row| Entry::read(&plain, row, &listing.directory));
        if first.is_none_or(|entry| normalised(&entry.path) != listing.directory) {
            return false;
        }
    }
    rows.all(|row| {
        let entry =
            Entry::read(&plain, row, &listing.directory).or_else(|| Entry::read(&below, row, &listing.directory));
        entry.is_some_and(|entry| {
            let known = paths.contains(&normalised(&entry.path));
            let bytes = listing.rows.iter().find(|row| row.path == normalised(&entry.path)).and_then(|row| row.size);
            let sized = match (&entry.size, bytes) {
                (Some((form, size)), Some(bytes)) => form.is(size, bytes),
                _ => true,
            };
            let is_size = |(_, size): &(SizeForm, String)| explain::is_size(size);
            known && sized && (!documented || entry.size.as_ref().is_some_and(is_size))
        })
    })
}

fn reads_path(template: &Template) -> bool {
    template.read("1K\t/memories/x", &Filling::new()).is_some_and(|filling| filling.contains_key("path"))
}

/// How a dialect writes the size of a file, by the name of the hole.
#[derive(Clone, Copy)]
enum SizeForm {
    /// `{size}`: a number and a unit, as documented.
    WithUnit,
    /// `{bytes}`: the bare number of bytes.
    Bytes,
    /// `{bare_size}`: the bare number of bytes, or 1000-based with a unit (`1.5k`).
    Bare,
}

impl SizeForm {
    fn of(hole: &str) -> Option<SizeForm> {
        match hole.split(':').next()? {
            "size" => Some(SizeForm::WithUnit),
            "bytes" => Some(SizeForm::Bytes),
            "bare_size" => Some(SizeForm::Bare),
            _ => None,
        }
    }

    fn is(self, size: &str, bytes: u64) -> bool {
        match self {
            SizeForm::WithUnit => explain::size_is(size, bytes),
            SizeForm::Bytes => size.parse() == Ok(bytes),
            SizeForm::Bare => size.parse() == Ok(bytes) || explain::size_is(&size.to_uppercase(), bytes),
        }
    }
}

struct Entry {
    /// `None` where the dialect shows no sizes.
    size: Option<(SizeForm, String)>,
    path: String,
}

impl Entry {
    fn read(templates: &[Template], row: &str, directory: &str) -> Option<Entry> {
        templates.iter().find_map(|template| {
            let filling = template.read(row, &Filling::new())?;
            let size =
                filling.iter().find_map(|(name, size)| SizeForm::of(name).map(|form| (form, size.trim().to_owned())));
            let path = match (filling.get("path"), filling.get("name")) {
                (Some(path), _) => path.clone(),
                (None, Some(name)) => format!("{directory}/{name}"),
                (None, None) => return None,
            };
            Some(Entry { size, path })
        })
    }
}
