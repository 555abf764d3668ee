//! The reports by their names.

use std::io::Write;

use super::{GithubReport, JsonReport, JunitReport, MarkdownReport, NdjsonReport, Report, TerminalReport};

/// A form in which a run is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// For people, without styles.
    Terminal,
    /// One JSON object: the contract for other programs.
    Json,
    /// Events as they come, a JSON object a line.
    Ndjson,
    /// JUnit's XML.
    Junit,
    /// A page for GitHub's step summary.
    Markdown,
    /// GitHub's workflow commands, that annotate files.
    Github,
}

impl ReportKind {
    /// All of them.
    pub const ALL: [ReportKind; 6] = [
        ReportKind::Terminal,
        ReportKind::Json,
        ReportKind::Ndjson,
        ReportKind::Junit,
        ReportKind::Markdown,
        ReportKind::Github,
    ];

    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            ReportKind::Terminal => "terminal",
            ReportKind::Json => "json",
            ReportKind::Ndjson => "ndjson",
            ReportKind::Junit => "junit",
            ReportKind::Markdown => "markdown",
            ReportKind::Github => "github",
        }
    }

    /// The kind that is called so.
    pub fn named(word: &str) -> Option<ReportKind> {
        ReportKind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// A report of this kind, that writes to `to`.
    pub fn report<'w>(self, to: impl Write + 'w) -> Box<dyn Report + 'w> {
        match self {
            ReportKind::Terminal => Box::new(TerminalReport::plain(to)),
            ReportKind::Json => Box::new(JsonReport::new(to)),
            ReportKind::Ndjson => Box::new(NdjsonReport::new(to)),
            ReportKind::Junit => Box::new(JunitReport::new(to)),
            ReportKind::Markdown => Box::new(MarkdownReport::new(to)),
            ReportKind::Github => Box::new(GithubReport::new(to)),
        }
    }
}
