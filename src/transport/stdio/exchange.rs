//! One message to a handler, and the message that answers it.

use std::time::{Duration, Instant};

use super::pipes::Moved;
use super::process::Process;
use super::reply::{Junk, judge};
use super::tail::Tail;
use crate::transport::Fault;
use crate::wire::Reply;

/// How long only the pipes are watched, not the process: an answer mostly comes sooner.
const QUICK: Duration = Duration::from_millis(50);

/// How long a handler that closed a pipe may take to end, and one that ended to be heard: a child that it left
/// behind may hold its stdout open for ever.
const GRACE: Duration = Duration::from_millis(100);

/// How often the end of a process is asked for where no file descriptor tells it.
const TICK: Duration = Duration::from_millis(5);

/// The longest patience: an `Instant` cannot hold any duration.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What is sent, and the limits of the answer.
pub(super) struct Request<'a> {
    pub(super) line: &'a [u8],
    pub(super) patience: Duration,
    /// How long to wait on, at most, once a line came that is no message.
    pub(super) patience_after_junk: Duration,
    pub(super) max_reply: usize,
}

/// How far an exchange is.
#[derive(Default)]
struct State<'a> {
    /// What is still to be sent.
    left: &'a [u8],
    is_stdin_closed: bool,
    is_stdout_closed: bool,
    is_ended: bool,
    /// Whether stdout was read without a `poll` before.
    has_peeked: bool,
    /// Whether the end of the process is waited for too.
    is_watching: bool,
    /// Until when who closed a pipe may end, and who ended may be heard.
    grace: Option<Instant>,
}

/// Sends a line and waits for a message. Afterwards `junk` is what was skipped before it.
///
/// At best that is one `write`, one `read`, and one look at the clock; mostly a `poll` and a `read` more.
pub(super) fn exchange(
    process: &mut Process,
    request: &Request<'_>,
    log: &mut Tail,
    junk: &mut Option<Junk>,
) -> Result<Reply, Fault> {
    let mut now = Instant::now();
    let mut deadline = now + request.patience.min(LONGEST);
    let mut state = State { left: request.line, ..State::default() };
    loop {
        state.write(process);
        if state.is_stdin_closed || state.is_stdout_closed || state.is_ended {
            state.is_watching = true;
            state.grace.get_or_insert(now + GRACE);
        }
        let until = state.grace.map_or(deadline, |grace| grace.min(deadline));
        if state.is_stdout_closed && state.is_ended || state.grace.is_some() && now >= until {
            return conclude(process, &state);
        }
        if now >= until {
            let partial = !process.pipes.rest().trim_ascii().is_empty();
            let timeout = Fault::Timeout { after: request.patience, partial };
            return Err(junk.take().map_or(timeout, Junk::into_fault));
        }
        state.wait(process, until - now, log)?;
        while let Some(line) = process.pipes.line() {
            if line.len() > request.max_reply {
                return Err(Fault::Flood { limit: request.max_reply });
            }
            if let Some(reply) = judge(line, junk)? {
                return Ok(reply);
            }
            if let Some(Junk { lines: 1, .. }) = junk {
                deadline = deadline.min(Instant::now() + request.patience_after_junk.min(LONGEST));
            }
        }
        if process.pipes.rest().len() > request.max_reply {
            return Err(Fault::Flood { limit: request.max_reply });
        }
        now = Instant::now();
    }
}

impl State<'_> {
    fn write(&mut self, process: &mut Process) {
        while !self.left.is_empty() {
            match process.pipes.write(self.left) {
                Moved::Bytes(count) => self.left = &self.left[count..],
                Moved::WouldBlock => break,
                Moved::Closed => {
                    self.left = &[];
                    self.is_stdin_closed = true;
                }
            }
        }
    }

    /// Waits for something to happen, and reads what came.
    fn wait(&mut self, process: &mut Process, longest: Duration, log: &mut Tail) -> Result<(), Fault> {
        if !std::mem::replace(&mut self.has_peeked, true) && !process.pipes.has_news() {
            // The kernel often lets a handler on the same core run as soon as its stdin is written; then the answer
            // is there, and the `poll` with its timer is saved. If not, a read in vain costs little.
            let moved = process.pipes.read();
            if moved != Moved::WouldBlock {
                self.is_stdout_closed = moved == Moved::Closed;
                return Ok(());
            }
        }
        let has_exit = process.has_exit();
        let timeout = match (self.is_watching, has_exit) {
            // What is left from the last answer is looked at before anything else is awaited.
            _ if process.pipes.has_news() => Duration::ZERO,
            (false, _) => longest.min(QUICK),
            (true, false) => longest.min(TICK),
            (true, true) => longest,
        };
        let is_watching = self.is_watching && !self.is_ended;
        let found = process.poll(!self.left.is_empty(), is_watching, timeout, log);
        let found = found.map_err(|error| Fault::Own { reason: format!("cannot wait for the handler: {error}") })?;
        if found.stdout {
            self.is_stdout_closed |= process.pipes.read() == Moved::Closed;
        }
        if is_watching {
            self.is_ended = if has_exit { found.exit } else { process.status().is_some() };
        }
        self.is_watching |= found.nothing;
        Ok(())
    }
}

/// What it means that no more will come.
fn conclude(process: &mut Process, state: &State<'_>) -> Result<Reply, Fault> {
    if state.is_stdout_closed {
        // The last line need not have an end where the stream has one.
        if let Ok(reply) = Reply::parse(process.pipes.rest()) {
            process.pipes.drop_rest();
            return Ok(reply);
        }
    }
    match process.status() {
        Some(status) if process.has_answered => Err(Fault::Ended { status }),
        Some(status) => Err(Fault::Ended { status: format!("{status}, before its first answer") }),
        None => Err(Fault::Closed { stream: if state.is_stdout_closed { "stdout" } else { "stdin" } }),
    }
}
