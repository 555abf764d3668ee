//! Examples of the memory tool in Markdown pages, held against what a handler of a dialect answers: commands, results,
//! and quoted texts.
//!
//! Read are code blocks (JSON, with the liberties that pages take, and the literals of programs), blocks of plain text,
//! code spans and quotations. What belongs to other tools is left alone, and so is what a page leaves out. What a file
//! holds is the page's own affair, unless the page itself made the file before: then the commands are played on the
//! reference handler.

mod check;
mod collect;
mod command;
mod entry;
mod hints;
mod listing;
mod literal;
mod message;
mod page;
mod play;
mod quotes;
mod section;
mod view;
mod words;

use crate::judge::Dialect;

/// The longest page, in bytes.
pub const MAX_PAGE: u64 = 4 << 20;

/// Something that is wrong on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The line of the page, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// The text as the page has it.
    pub page: String,
    /// The text as it should be.
    pub right: String,
    /// The requirement or ruling behind it: `memconf explain ID`.
    pub requirement: String,
}

/// What became of one page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// How many examples were checked: commands, results, quoted texts.
    pub examples: usize,
    /// What is wrong, in the order of the page.
    pub findings: Vec<Finding>,
    /// Whether some code was too long or too deeply nested to be read.
    pub unread: bool,
}

/// Checks a Markdown page.
pub fn check(text: &str, dialect: &Dialect) -> Checked {
    let pieces = page::read(text);
    let collected = collect::collect(text, &pieces, dialect);
    let (examples, findings) = check::check(&collected, dialect);
    Checked { examples, findings, unread: collected.unread }
}
