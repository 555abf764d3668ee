//! A handler in a process of its own, reached over its stdin and stdout.

mod command;
mod exchange;
mod kin;
mod pipes;
mod process;
mod reply;
mod tail;
#[cfg(test)]
mod tests;
mod watch;

pub use command::StdioCommand;
pub use watch::{adopt_orphans, end_all, give_way, on_interrupt};

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::{Fault, Transport};
use crate::wire::{Ready, Reply, ToolResult, write_reset, write_tool_use};
use exchange::{Request, exchange};
use process::{Ending, Process, interrupted};
use reply::Junk;
use tail::Tail;
pub(super) use tail::quote;

/// How long `ready` is awaited after a line that is no message, where it is not known whether `reset` is
/// understood: the line may be the answer.
const AFTER_JUNK: Duration = Duration::from_secs(3);

/// How much of a finished case's log is read away before the next.
const STALE_LOG: usize = 1 << 20;

/// A buffer for requests that grew beyond this for a large one is given back.
const IDLE: usize = 1 << 20;

/// Runs a program that speaks the protocol: JSON objects, one a line, on stdin and stdout.
///
/// - The first [`begin`](Transport::begin) starts the program in a scratch directory and sends `reset`. If it answers
///   `ready`, that one process serves all cases, with a `reset` before each. If not, it is ended, and each case
///   gets a new process, with `MEMCONF_ROOT` naming the empty directory, which is also the working directory.
///   [`StdioCommand::cwd`] replaces the working directory in both.
/// - A [`restart`](Transport::restart) ends the process with patience (end of stdin, SIGTERM, SIGKILL) and starts
///   one with `MEMCONF_ROOT` naming the directory of the current case, and no `reset`. If that one does not answer
///   its first command, the handler cannot be restarted.
/// - Whatever the handler does ends in an answer or a [`Fault`], within the timeout and with memory for a few
///   times [`StdioCommand::max_reply`]. After a fault its process is ended.
/// - Lines on stdout that are no messages are skipped (up to 100, or 64 KiB) and told by
///   [`warnings`](Transport::warnings); so are blank lines, silently. stderr is kept for [`log`](Transport::log).
/// - A process runs in a process group of its own, which is killed when it ends; what left the group is found
///   by ancestry and by an environment variable `MEMCONF_RUN` with a random value (Linux only). When memconf is
///   interrupted see [`on_interrupt`]; when it is killed, the kernel kills the process, but not what that
///   started (Linux only).
pub struct Stdio {
    command: StdioCommand,
    scratch: PathBuf,
    process: Option<Process>,
    isolation: Isolation,
    /// The directory of the latest `begin`.
    root: PathBuf,
    /// Whether the process was started by `restart` and has not yet answered.
    is_restarted: bool,
    /// Whether the last process that was sent a first command gave no answer in all the time of a start.
    is_mute: bool,
    /// Whether any process has ever answered anything.
    has_answered: bool,
    calls: u64,
    id: String,
    request: Vec<u8>,
    log: Tail,
    warnings: Warnings,
}

/// How a case gets an empty store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isolation {
    Unknown,
    Reset,
    Fresh,
}

#[derive(Default)]
struct Warnings {
    said: Vec<&'static str>,
    new: Vec<String>,
}

impl Warnings {
    fn say(&mut self, kind: &'static str, text: impl FnOnce() -> String) {
        if !self.said.contains(&kind) {
            self.said.push(kind);
            self.new.push(text());
        }
    }
}

impl Stdio {
    /// Not started yet. Relative paths in `command` are made absolute here, as its documentation says. `scratch` is
    /// a directory of memconf's sandbox that outlives this value: there the process starts, with `MEMCONF_ROOT`
    /// naming its subdirectory `root`, until a `reset` names another.
    pub fn new(mut command: StdioCommand, scratch: PathBuf) -> Self {
        if let Ok(base) = std::env::current_dir() {
            command.resolve(&base);
        }
        let root = scratch.join("root");
        Stdio {
            command,
            scratch,
            process: None,
            isolation: Isolation::Unknown,
            root,
            is_restarted: false,
            is_mute: false,
            has_answered: false,
            calls: 0,
            id: String::new(),
            request: Vec::new(),
            log: Tail::default(),
            warnings: Warnings::default(),
        }
    }

    fn start_in_scratch(&mut self) -> Result<(), Fault> {
        let root = self.scratch.join("root");
        std::fs::create_dir_all(&root)
            .map_err(|error| Fault::Own { reason: format!("cannot create `{}`: {error}", root.display()) })?;
        self.start_there(&root)
    }

    /// Starts a process that outlives the case: it does not run in the case's own directory.
    fn start_there(&mut self, root: &Path) -> Result<(), Fault> {
        let cwd = self.command.cwd.as_ref().unwrap_or(&self.scratch);
        self.process = Some(Process::start(&self.command, cwd, root)?);
        Ok(())
    }

    fn start_in_root(&mut self) -> Result<(), Fault> {
        let cwd = self.command.cwd.as_ref().unwrap_or(&self.root);
        self.process = Some(Process::start(&self.command, cwd, &self.root)?);
        Ok(())
    }

    fn end(&mut self, ending: Ending) {
        if let Some(process) = self.process.take() {
            process.end(ending, &mut self.log);
        }
    }

    /// Finds out whether the handler knows `reset`.
    fn negotiate(&mut self) -> Result<Ready, Fault> {
        self.end(Ending::Close);
        self.start_in_scratch()?;
        let patience = self.command.first_timeout();
        match self.reset(patience, AFTER_JUNK.min(self.command.timeout)) {
            Ok(ready) => {
                self.isolation = Isolation::Reset;
                Ok(ready)
            }
            Err(fault @ Fault::Own { .. }) => Err(fault),
            Err(fault) => {
                if let Fault::Timeout { .. } = fault {
                    self.warnings.say("mute", || {
                        format!(
                            "to `reset` there was {fault}; each case gets a new process. A handler that does not know \
                             `reset` had better answer it with {{\"type\":\"error\"}}"
                        )
                    });
                }
                self.isolation = Isolation::Fresh;
                self.log.clear();
                self.begin_fresh()
            }
        }
    }

    fn begin_fresh(&mut self) -> Result<Ready, Fault> {
        self.end(Ending::Close);
        self.log.clear();
        self.start_in_root()?;
        Ok(Ready::default())
    }

    fn begin_with_reset(&mut self) -> Result<Ready, Fault> {
        if self.process.is_some() {
            let patience = self.patience();
            match self.reset(patience, patience) {
                Err(fault) if !matches!(fault, Fault::Own { .. }) => self.warnings.say("reset", || {
                    format!("a process was ended between two cases, since to `reset` {}", sentence(&fault))
                }),
                outcome => return outcome,
            }
        }
        self.start_in_scratch()?;
        let patience = self.patience();
        self.reset(patience, patience)
    }

    /// Sends `reset`; where it is not answered by `ready`, the process is ended.
    fn reset(&mut self, patience: Duration, patience_after_junk: Duration) -> Result<Ready, Fault> {
        self.request.clear();
        write_reset(&mut self.request, &self.root);
        let reply = self.exchange(patience, patience_after_junk).and_then(|reply| match reply {
            Reply::Ready(ready) => Ok(ready),
            other => Err(unexpected(&other, "ready")),
        });
        if reply.is_err() {
            self.end(Ending::Kill);
        }
        reply
    }

    fn patience(&self) -> Duration {
        match &self.process {
            Some(process) if !process.has_answered && !self.is_mute => self.command.first_timeout(),
            _ => self.command.timeout,
        }
    }

    /// Sends what stands in `request` and waits for any message.
    fn exchange(&mut self, patience: Duration, patience_after_junk: Duration) -> Result<Reply, Fault> {
        let Some(process) = &mut self.process else {
            return Err(Fault::Own { reason: "the handler was ended by the fault before this command".to_owned() });
        };
        let max_reply = self.command.max_reply;
        let request = Request { line: &self.request, patience, patience_after_junk, max_reply };
        let mut junk = None;
        let outcome = exchange(process, &request, &mut self.log, &mut junk);
        process.has_answered |= outcome.is_ok();
        self.has_answered |= outcome.is_ok();
        if self.request.capacity() > IDLE {
            self.request = Vec::new();
        }
        // A line in answer to the first `reset` is not amiss, unless it turns out to come beside the answer.
        if let Some(junk) = junk.as_ref().filter(|_| outcome.is_ok() || self.isolation != Isolation::Unknown) {
            self.warnings.say("junk", || Junk::warning(junk));
        }
        if outcome.is_err() && watch::is_closed() {
            return Err(interrupted());
        }
        outcome
    }

    fn result(&mut self, reply: Reply) -> Result<ToolResult, Fault> {
        match reply {
            Reply::ToolResult { tool_use_id, result } if tool_use_id == self.id => Ok(result),
            Reply::ToolResult { tool_use_id, .. } => {
                Err(Fault::WrongId { expected: self.id.clone(), found: quote(tool_use_id.as_bytes()) })
            }
            other => Err(unexpected(&other, "tool_result")),
        }
    }
}

impl Transport for Stdio {
    fn begin(&mut self, root: &Path) -> Result<Ready, Fault> {
        root.clone_into(&mut self.root);
        self.is_restarted = false;
        if let Some(process) = &mut self.process {
            process.pipes.drain_log(&mut self.log, STALE_LOG);
        }
        self.log.clear();
        match self.isolation {
            Isolation::Unknown => self.negotiate(),
            Isolation::Reset => self.begin_with_reset(),
            Isolation::Fresh => self.begin_fresh(),
        }
    }

    fn call(&mut self, input: &Value) -> Result<ToolResult, Fault> {
        self.calls += 1;
        self.id.clear();
        let _ = write!(self.id, "toolu_{}", self.calls);
        self.request.clear();
        write_tool_use(&mut self.request, &self.id, input);
        let patience = self.patience();
        let is_first = self.process.as_ref().is_some_and(|process| !process.has_answered);
        let outcome = self.exchange(patience, patience).and_then(|reply| self.result(reply));
        if is_first {
            self.is_mute = matches!(outcome, Err(Fault::Timeout { .. }));
        }
        let is_restarted = std::mem::take(&mut self.is_restarted);
        outcome.map_err(|fault| {
            self.end(Ending::Kill);
            match fault {
                Fault::Ended { .. } | Fault::Closed { .. } | Fault::NotAMessage { .. } if is_restarted => {
                    let root = self.root.display();
                    let why = sentence(&fault);
                    let reason = format!("the new process, with MEMCONF_ROOT={root}, did not answer: {why}");
                    Fault::CannotRestart { reason }
                }
                fault => fault,
            }
        })
    }

    fn restart(&mut self) -> Result<(), Fault> {
        self.end(Ending::Restart);
        match self.isolation {
            // The next case only needs another `reset`.
            Isolation::Reset => self.start_there(&self.root.clone())?,
            Isolation::Unknown | Isolation::Fresh => self.start_in_root()?,
        }
        self.is_restarted = true;
        Ok(())
    }

    fn join(&mut self, root: &Path) -> Result<(), Fault> {
        self.end(Ending::Close);
        root.clone_into(&mut self.root);
        self.start_there(root)?;
        self.is_restarted = true;
        Ok(())
    }

    fn log(&mut self) -> String {
        if let Some(process) = &mut self.process {
            process.pipes.drain_log(&mut self.log, STALE_LOG);
        }
        self.log.text()
    }

    fn has_answered(&self) -> bool {
        self.has_answered
    }

    fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings.new)
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        self.end(Ending::Close);
    }
}

/// A message came that is not the one that is due.
pub(super) fn unexpected(reply: &Reply, expected: &'static str) -> Fault {
    let found = match reply {
        Reply::Ready(_) => "ready".to_owned(),
        Reply::ToolResult { .. } => "tool_result".to_owned(),
        Reply::Other { kind } => quote(kind.as_bytes()),
    };
    Fault::Unexpected { found, expected }
}

/// A fault after a colon or a conjunction.
fn sentence(fault: &Fault) -> String {
    match fault {
        Fault::Timeout { .. } => format!("there was {fault}"),
        _ => fault.to_string(),
    }
}
