//! Consumers of events. Nothing here knows how a case runs.

mod compare;
mod github;
mod group;
mod json;
mod junit;
mod kind;
mod markdown;
mod ndjson;
mod progress;
mod read;
mod terminal;

pub use compare::{Comparison, Difference, compare};
pub use github::GithubReport;
pub use json::{JsonReport, to_json};
pub use junit::JunitReport;
pub use kind::ReportKind;
pub use markdown::MarkdownReport;
pub use ndjson::NdjsonReport;
pub use progress::Progress;
pub use read::{ReadError, StoredRun};
pub use terminal::TerminalReport;

use std::io;

use crate::event::{Event, Material};

/// Something that is told what happens.
pub trait Report {
    /// Takes one event.
    ///
    /// # Errors
    /// Where it cannot write.
    fn event(&mut self, event: &Event<'_>, material: Material<'_>) -> io::Result<()>;
}
