//! Scripts and the requirements that they cite: plain data, its loader, its lints and its JSON Schema.

mod catalogue;
mod embedded;
mod file;
mod lines;
mod lint;
mod load;
mod plant;
mod text;
mod write;

pub use catalogue::{Catalogue, Facet, Level, Requirement};
pub use embedded::{builtin_case_text, builtin_cases, builtin_catalogue, builtin_dialects};
pub use file::{CaseFile, ExpectFile, OutcomeFile, RepeatFile, StepFile, schema};
pub use lines::step_lines;
pub use lint::{Lint, lint};
pub use load::{LoadError, LoadErrors, load_case, load_dir};
pub use plant::PlantFile;
pub use text::Text;

use serde_json::Value;

/// A script: ordered steps in one empty store.
#[derive(Clone, Debug)]
pub struct Case {
    /// `GROUP/NAME`, the same as its file; never reused or renamed.
    pub id: String,
    /// One sentence that says what is right.
    pub title: String,
    /// Ids of the requirements and rulings that the case is about.
    pub requirements: Vec<String>,
    /// What the case cannot do without.
    pub needs: Vec<Need>,
    /// In the order of execution.
    pub steps: Vec<Step>,
}

impl Case {
    /// Whether the case cannot do without `need`.
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// The requirements of one step: its own, or else the case's.
    pub fn requirements_of(&self, step: usize) -> &[String] {
        match self.steps.get(step) {
            Some(step) if !step.requirements.is_empty() => &step.requirements,
            _ => &self.requirements,
        }
    }
}

/// What a case cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// memconf sees the directory that `/memories` maps to.
    Disk,
    /// The handler can be stopped and started on the same store.
    Restart,
    /// Several commands can be under way at once.
    Concurrency,
}

impl Need {
    /// The word in the case file.
    pub fn as_str(self) -> &'static str {
        match self {
            Need::Disk => "disk",
            Need::Restart => "restart",
            Need::Concurrency => "concurrency",
        }
    }
}

/// One step of a case.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// Counts only if this choice (`KEY: VALUE`) was taken earlier in the case.
    pub when: Option<String>,
    /// Requirements of this step alone; empty: the case's.
    pub requirements: Vec<String>,
    /// The allowed outcomes; empty: not judged.
    pub outcomes: Vec<Outcome>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Sends a command. The input is sent as it is; `repeat` fields are filled in already.
    Call(Value),
    /// Stops the handler and starts it on the same store.
    Restart,
    /// Puts a node into the store from outside.
    Plant(Plant),
}

/// A node that memconf itself puts into the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plant {
    /// Where, below `/memories`.
    pub path: String,
    /// What.
    pub node: PlantNode,
}

/// The kinds of planted nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlantNode {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A symbolic link with this target; `{outside}` stands for a directory outside the store.
    Link(String),
    /// A named pipe.
    Fifo,
    /// A further name of a file that stands at this path below `/memories`.
    HardLink(String),
    /// Other permissions for what stands there. Where they keep this user from nothing, the case cannot be run.
    Mode(u32),
    /// A file whose name has these bytes, in a directory.
    RawName(Vec<u8>),
    /// A directory with so many files.
    Entries(usize),
    /// The store's own directory moves aside, and a link to it takes its place.
    BehindLink,
}

/// One allowed outcome of a step.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What the handler answers.
    pub expected: Expected,
    /// The choice that this outcome takes, `KEY: VALUE`.
    pub choice: Option<String>,
    /// Allowed only if this choice was taken earlier in the case.
    pub when: Option<String>,
    /// What the store's directory holds afterwards, where it is visible: exact bytes, or nothing at all.
    pub disk: Vec<(String, Option<Vec<u8>>)>,
    /// Permissions afterwards, where the disk is visible.
    pub modes: Vec<(String, u32)>,
}

/// What a handler answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Success with this text.
    Ok(String),
    /// Success with a text that begins so.
    OkStartsWith(String),
    /// Success, whatever the text.
    AnyOk,
    /// An error with this text.
    Error(String),
    /// An error, whatever the text.
    AnyError,
}

impl Expected {
    /// Whether an error is expected.
    pub fn is_error(&self) -> bool {
        matches!(self, Expected::Error(_) | Expected::AnyError)
    }

    /// The text, where one is expected.
    pub fn text(&self) -> Option<&str> {
        match self {
            Expected::Ok(text) | Expected::OkStartsWith(text) | Expected::Error(text) => Some(text),
            Expected::AnyOk | Expected::AnyError => None,
        }
    }
}

/// Splits `KEY: VALUE`.
pub fn split_choice(choice: &str) -> Option<(&str, &str)> {
    let (key, value) = choice.split_once(": ")?;
    let word = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c))
    };
    (word(key) && word(value)).then_some((key, value))
}
