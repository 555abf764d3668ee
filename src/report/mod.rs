//! Consumers of events. Nothing here knows how a case runs.

mod group;
mod json;
mod progress;
mod terminal;

pub use json::{JsonReport, to_json};
pub use progress::Progress;
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
