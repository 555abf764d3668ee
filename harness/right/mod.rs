//! Handlers that are right in their own way: none may fail a must, and what is a should of theirs is known.

mod files;
mod forms;
mod handler;
mod input;
mod list;
mod readings;
mod say;
mod voices;

pub use list::all;

use memconf::transport::Handler;

/// A handler that is right.
pub struct Right {
    /// In kebab-case, unique.
    pub name: &'static str,
    /// In what way it is right.
    pub about: &'static str,
    /// Whether it keeps its files on disk.
    pub disk: bool,
    /// Makes it.
    pub make: fn() -> Box<dyn Handler>,
    /// What fails at should, and is true: for behaviour and safety the requirement, for wording the cause as the
    /// report gives it.
    pub fails: &'static [&'static [&'static str]],
}
