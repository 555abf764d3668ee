//! How a handler is reached. Every way is a [`Transport`]; a handler in Rust is a [`Handler`].

mod answer;
mod belt;
mod http;
mod in_process;
mod server;
mod stdio;

pub use answer::answer;
pub use belt::belt_on;
pub use http::{Http, HttpFault, HttpTarget};
pub use in_process::InProcess;
pub use server::{HttpServer, ServerError};
pub use stdio::{Stdio, StdioCommand, adopt_orphans, end_all, give_way, on_interrupt};

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use thiserror::Error;

use crate::wire::{Ready, ReplyFault, ToolResult};

/// A handler in Rust: what executes a command and answers it.
pub trait Handler: Send {
    /// Answers one command. `input` is the input object of a `tool_use` block; it may be wrong in any way.
    fn call(&mut self, input: &Value) -> ToolResult;

    /// Begins anew with an empty store; a handler on disk keeps it under `root`, an empty directory. The
    /// answer may name the store's directory, so that memconf also looks at the disk.
    fn reset(&mut self, root: &Path) -> Ready;

    /// Does what a restart of the application would do: drops all that is kept in memory only, and opens the
    /// same store again. `false` where the handler cannot.
    fn restart(&mut self) -> bool {
        false
    }

    /// Opens the store that another handler keeps under `root`, as it is. `false` where the handler cannot.
    fn join(&mut self, root: &Path) -> bool {
        let _ = root;
        false
    }
}

impl<H: Handler + ?Sized> Handler for Box<H> {
    fn call(&mut self, input: &Value) -> ToolResult {
        (**self).call(input)
    }

    fn reset(&mut self, root: &Path) -> Ready {
        (**self).reset(root)
    }

    fn restart(&mut self) -> bool {
        (**self).restart()
    }

    fn join(&mut self, root: &Path) -> bool {
        (**self).join(root)
    }
}

/// A way to one handler. A runner's worker owns one, begins each case with [`Transport::begin`], and sends the
/// commands of the case one after the other. After a [`Fault`] the next `begin` starts afresh by itself.
pub trait Transport: Send {
    /// An empty store for the next case: by `reset`, or else by a new process. `root` is a fresh empty directory,
    /// named by an absolute path without links.
    ///
    /// # Errors
    /// Where no handler with an empty store can be had; the case could not run.
    fn begin(&mut self, root: &Path) -> Result<Ready, Fault>;

    /// Sends one command and waits for its answer, at most the timeout.
    ///
    /// # Errors
    /// Where no proper answer came. The handler may be gone afterwards; the case ends here.
    fn call(&mut self, input: &Value) -> Result<ToolResult, Fault>;

    /// Stops the handler and starts it on the same store, the one of the latest `begin`.
    ///
    /// # Errors
    /// [`Fault::CannotRestart`] where there is no way to; otherwise as `begin`.
    fn restart(&mut self) -> Result<(), Fault>;

    /// Reaches the store that another handler of the same kind keeps under `root`, as it is: for several at once on
    /// one store.
    ///
    /// # Errors
    /// [`Fault::CannotRestart`] where there is no way to; otherwise as `begin`.
    fn join(&mut self, root: &Path) -> Result<(), Fault>;

    /// The tail of what the handler wrote to its log (stderr) since the latest `begin`, lossily decoded, at most
    /// a few KiB.
    fn log(&mut self) -> String {
        String::new()
    }

    /// Whether the handler has ever given an answer of any kind, in whatever process.
    fn has_answered(&self) -> bool {
        true
    }

    /// What the handler did that keeps the run from being judged exactly, each said once (lines on stdout that are
    /// not messages, for instance).
    fn warnings(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Why there is no answer. Displayed as a sentence without subject: "the handler ...".
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum Fault {
    /// The process could not be started.
    #[error("could not start `{program}`: {reason}")]
    Spawn { program: String, reason: String },
    /// Nothing came within the timeout.
    #[error("no answer within {}{}", seconds(.after), if *.partial { " (part of a line came, without its end: is stdout flushed after each line?)" } else { "" })]
    Timeout { after: Duration, partial: bool },
    /// The process ended while an answer was awaited.
    #[error("the handler ended without an answer ({status})")]
    Ended { status: String },
    /// The handler closed its stdin or stdout, and lives on.
    #[error("the handler closed its {stream} without an answer")]
    Closed { stream: &'static str },
    /// A line or the output before the answer is too long.
    #[error("the answer is longer than {limit} bytes")]
    Flood { limit: usize },
    /// The answer is to another command.
    #[error("the answer names the id `{found}`; `{expected}` was asked")]
    WrongId { expected: String, found: String },
    /// A line that is no message, where the answer should be.
    #[error("the line `{line}` {fault}")]
    NotAMessage { line: String, fault: ReplyFault },
    /// A message, but not the one that is due.
    #[error("a `{found}` message came where a `{expected}` is due")]
    Unexpected { found: String, expected: &'static str },
    /// A handler in Rust panicked.
    #[error("the handler panicked: {message}")]
    Panicked { message: String },
    /// What can go wrong over HTTP.
    #[error(transparent)]
    Http(#[from] HttpFault),
    /// There is no way to restart the handler on the same store.
    #[error("the handler cannot be restarted on the same store: {reason}")]
    CannotRestart { reason: String },
    /// The store of the last case cannot be emptied.
    #[error("an empty store cannot be had: {reason}")]
    CannotIsolate { reason: String },
    /// memconf was interrupted, or failed to do something of its own.
    #[error("{reason}")]
    Own { reason: String },
}

impl Fault {
    /// Whether the handler is to blame: the step fails. Otherwise the case could not run.
    pub fn is_failure(&self) -> bool {
        match self {
            Fault::Timeout { .. }
            | Fault::Ended { .. }
            | Fault::Closed { .. }
            | Fault::Flood { .. }
            | Fault::WrongId { .. }
            | Fault::NotAMessage { .. }
            | Fault::Unexpected { .. }
            | Fault::Panicked { .. } => true,
            Fault::Http(fault) => fault.is_failure(),
            Fault::Spawn { .. } | Fault::CannotRestart { .. } | Fault::CannotIsolate { .. } | Fault::Own { .. } => {
                false
            }
        }
    }
}

impl Fault {
    /// Whether it would be the same for every case: there is no handler to be had.
    pub fn is_hopeless(&self) -> bool {
        match self {
            Fault::Spawn { .. } | Fault::CannotIsolate { .. } => true,
            Fault::Http(fault) => fault.is_hopeless(),
            _ => false,
        }
    }
}

fn seconds(duration: &Duration) -> String {
    if duration.as_secs() >= 1 && duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}
