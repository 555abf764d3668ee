//! What an expected text of the `docs` dialect means, apart from its wording.

use super::dialect::{Dialects, Filling};
use super::paths::normalised;
use crate::wire::Command;

/// The meaning of an expected success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape<'a> {
    /// A file's lines, with their numbers.
    Lines(Vec<(u64, &'a str)>),
    /// A listing.
    Listing(Listing),
    /// Anything else: done.
    Done,
}

/// The rows of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The viewed directory, normalised.
    pub directory: String,
    /// The other rows.
    pub rows: Vec<Row>,
}

/// One row of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Normalised, absolute.
    pub path: String,
    /// Whether it ends in `/` in the case: a directory.
    pub is_directory: bool,
    /// The bytes, where the case states them.
    pub size: Option<u64>,
}

impl<'a> Shape<'a> {
    /// Reads an expected text. `Err` says why the author of the case must look at it again.
    pub fn of(command: Option<Command>, text: &'a str, dialects: &Dialects) -> Result<Shape<'a>, String> {
        if command != Some(Command::View) {
            return Ok(Shape::Done);
        }
        let (header, body) = text.split_once('\n').map_or((text, None), |(header, body)| (header, Some(body)));
        let is = |key: &str| {
            let templates = dialects.docs().templates(key);
            templates.iter().any(|template| template.read(header, &Filling::new()).is_some())
        };
        if is("view.file-header") {
            // A header whose line is ended shows no line either.
            let lines = body.filter(|body| !body.is_empty()).into_iter().flat_map(|body| body.split('\n'));
            return lines.map(numbered).collect::<Result<_, _>>().map(Shape::Lines);
        }
        if is("view.directory-header") {
            let rows = body.into_iter().flat_map(|body| body.split('\n'));
            let mut rows = rows.map(row).collect::<Result<Vec<_>, _>>()?;
            if rows.is_empty() {
                return Err("a listing begins with the row of the viewed directory".into());
            }
            let directory = rows.remove(0).path;
            return Ok(Shape::Listing(Listing { directory, rows }));
        }
        Ok(Shape::Done)
    }
}

fn numbered(line: &str) -> Result<(u64, &str), String> {
    let parsed = line.split_once('\t').and_then(|(number, text)| Some((number.trim_start().parse().ok()?, text)));
    parsed.ok_or_else(|| format!("the expected line `{line}` is not a number of 6 characters, a TAB and text"))
}

fn row(line: &str) -> Result<Row, String> {
    let wrong = || format!("the expected row `{line}` is not `{{size}}`, a TAB and a path");
    let (size, path) = line.split_once('\t').ok_or_else(wrong)?;
    let size = match size {
        "{size}" => None,
        sized => {
            let bytes = sized.strip_prefix("{size:").and_then(|rest| rest.strip_suffix('}')).ok_or_else(wrong)?;
            Some(bytes.parse().map_err(|_| wrong())?)
        }
    };
    Ok(Row { path: normalised(path), is_directory: path.ends_with('/'), size })
}
