//! What a page shows: commands, results, and what is wrong beside them.

use super::command::Checked;
use super::hints::Warning;
use crate::wire::Command;

/// Something that a page shows.
#[derive(Debug)]
pub enum Entry {
    /// A new section, whose examples have nothing to do with those before.
    Break,
    /// A command.
    Command(Box<Shown>),
    /// A result.
    Answer(Answer),
    /// Something else that is wrong: line, message, page, right, requirement.
    Wrong(usize, String, String, String, &'static str),
    /// The declaration of the tool, and nothing wrong with it.
    Declared,
}

/// A command that a page shows.
#[derive(Debug)]
pub struct Shown {
    /// What it says, and what is wrong with it.
    pub checked: Checked,
    /// The lines of its faults, in their order.
    pub lines: Vec<usize>,
    /// The id of its `tool_use`.
    pub id: Option<String>,
    /// The code block that it stands in.
    pub block: usize,
    /// The page says that it is wrong, or to be refused.
    pub warned: Warning,
    /// The entry that answers it.
    pub answer: Option<usize>,
}

/// Where a result stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a JSON value.
    Json,
    /// In a block of text.
    Block,
    /// In running text.
    Prose,
}

/// A result that a page shows.
#[derive(Debug)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// The line of the page for every line of the text; the last one stands for all that follow.
    pub lines: Vec<usize>,
    /// The flag of a `tool_result`; `None` where it is not there.
    pub is_error: Option<bool>,
    /// Whether a flag can stand there at all.
    pub has_flag: bool,
    /// Where it stands.
    pub place: Place,
    /// The entry of the command that it answers.
    pub command: Option<usize>,
    /// It is taken as the answer only because it follows the command.
    pub tentative: bool,
    /// The command that the section is about.
    pub section: Option<Command>,
}

impl Answer {
    /// The line of the page that a line of the text stands on.
    pub fn line(&self, row: usize) -> usize {
        self.lines.get(row).or(self.lines.last()).copied().unwrap_or(1)
    }
}

/// All that a page shows.
#[derive(Debug, Default)]
pub struct Collected {
    /// In order.
    pub entries: Vec<Entry>,
    /// The page says somewhere that something is a TAB.
    pub says_tab: bool,
    /// Not all code could be read: it is nested too deep, or too long.
    pub unread: bool,
}

impl Answer {
    /// An answer at the same place, still without text.
    pub fn clone_place(&self) -> Answer {
        Answer { text: String::new(), lines: Vec::new(), ..*self }
    }
}
