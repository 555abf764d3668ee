//! One process of a handler: its start, its end, and how it ended.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitIdStatus};

use super::command::StdioCommand;
use super::pipes::{Found, Pipes, Want};
use super::tail::Tail;
use super::{kin, watch};
use crate::transport::Fault;

/// How long a process may take to end once its stdin is closed.
const AT_EOF: Duration = Duration::from_millis(200);

/// The same where the handler is restarted: it may have to write its store.
const AT_RESTART: Duration = Duration::from_secs(2);

/// How long a process may take to end after SIGTERM.
const AT_TERM: Duration = Duration::from_millis(500);

/// How much of the log is read once the process is dead: what a pipe can hold at most, by default.
const LAST_WORDS: usize = 1 << 20;

/// How a process is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// At once.
    Kill,
    /// By closing its stdin, then by killing it.
    Close,
    /// By closing its stdin, then by SIGTERM, then by killing it; with more patience.
    Restart,
}

/// A process and memconf's ends of its pipes. Ended when dropped.
pub(super) struct Process {
    pub(super) pipes: Pipes,
    /// Whether it has ever answered.
    pub(super) has_answered: bool,
    child: Child,
    pid: Pid,
    marker: String,
    exit: Option<OwnedFd>,
    is_buried: bool,
}

impl Process {
    /// Starts the command in `cwd`, with `MEMCONF_ROOT` naming `root`.
    pub(super) fn start(command: &StdioCommand, cwd: &Path, root: &Path) -> Result<Process, Fault> {
        let own = |reason: String| Fault::Own { reason };
        let mut nonce = [0; 16];
        getrandom::fill(&mut nonce).map_err(|error| own(format!("no random number can be had: {error}")))?;
        let marker = format!("{:032x}", u128::from_ne_bytes(nonce));
        let program = command.argv.first().map(String::as_str).unwrap_or_default();
        let mut start = Command::new(program);
        start.args(command.argv.iter().skip(1)).current_dir(cwd);
        start.envs(command.env.iter().map(|(name, value)| (name, value)));
        start.env("MEMCONF_ROOT", root).env("MEMCONF_RUN", &marker);
        start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match watch::spawn(start, &marker) {
            Ok(child) => child,
            Err(_) if watch::is_closed() => return Err(interrupted()),
            Err(error) => return Err(command.spawn_fault(&error, cwd)),
        };
        let pid = Pid::from_child(&child);
        let pipes = match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => Pipes::new(stdin.into(), stdout.into(), stderr.into()),
            _ => Err(io::Error::other("a pipe is missing")),
        };
        let pipes = pipes.map_err(|error| {
            watch::kill(pid, Signal::KILL);
            watch::bury(&mut child, &marker, Vec::new());
            own(format!("the pipes cannot be set up: {error}"))
        })?;
        Ok(Process { pipes, has_answered: false, child, pid, marker, exit: pidfd(pid), is_buried: false })
    }

    /// Whether a `poll` tells that the process has ended; not all systems have that.
    pub(super) fn has_exit(&self) -> bool {
        self.exit.is_some()
    }

    /// Waits for the pipes: stdout and stderr, and stdin and the end of the process where wanted.
    pub(super) fn poll(&mut self, stdin: bool, exit: bool, timeout: Duration, log: &mut Tail) -> io::Result<Found> {
        let exit = self.exit.as_ref().filter(|_| exit).map(AsFd::as_fd);
        self.pipes.wait(Want { stdin, exit }, timeout, log)
    }

    /// How the process ended, if it has.
    pub(super) fn status(&self) -> Option<String> {
        let status = watch::ended(self.pid)?;
        Some(status.map_or_else(|| "its status is not known".to_owned(), status_text))
    }

    /// Ends the process and all that it started, and reaps it.
    pub(super) fn end(mut self, ending: Ending, log: &mut Tail) {
        self.finish(ending, log);
    }

    fn finish(&mut self, ending: Ending, log: &mut Tail) {
        if std::mem::replace(&mut self.is_buried, true) {
            return;
        }
        // Who its descendants are can be told only as long as those between live.
        let mut kin = kin::descendants(self.pid);
        if ending != Ending::Kill {
            self.pipes.stdin = None;
            let patience = if ending == Ending::Close { AT_EOF } else { AT_RESTART };
            let mut is_ended = self.wait(patience, log);
            if !is_ended && ending == Ending::Restart {
                watch::kill(self.pid, Signal::TERM);
                is_ended = self.wait(AT_TERM, log);
            }
            if !is_ended {
                kin.extend(kin::descendants(self.pid));
            }
        }
        watch::kill(self.pid, Signal::KILL);
        self.wait(watch::GONE, log);
        watch::bury(&mut self.child, &self.marker, kin);
        self.pipes.drain_log(log, LAST_WORDS);
    }

    /// Waits for the end of the process, and keeps its pipes flowing meanwhile.
    fn wait(&mut self, patience: Duration, log: &mut Tail) -> bool {
        let until = Instant::now() + patience;
        while watch::ended(self.pid).is_none() && Instant::now() < until {
            let slice = if self.exit.is_some() { until } else { Instant::now() + Duration::from_millis(2) };
            self.pipes.drain(self.exit.as_ref().map(AsFd::as_fd), slice.min(until), log);
        }
        watch::ended(self.pid).is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.finish(Ending::Kill, &mut Tail::default());
    }
}

/// The fault of whatever happens to a handler once memconf was interrupted.
pub(super) fn interrupted() -> Fault {
    Fault::Own { reason: "memconf was interrupted".to_owned() }
}

fn status_text(status: WaitIdStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => match signal_hook::low_level::signal_name(signal) {
            Some(name) => format!("signal {signal} ({name})"),
            None => format!("signal {signal}"),
        },
        (None, None) => "its status is not known".to_owned(),
    }
}

#[cfg(target_os = "linux")]
fn pidfd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn pidfd(_: Pid) -> Option<OwnedFd> {
    None
}
