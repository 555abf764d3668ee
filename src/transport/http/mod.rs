//! A handler behind HTTP: a POST a message.

mod answer;
mod clean;
mod client;
mod fault;
mod socket;
mod target;

pub use fault::HttpFault;
pub use target::HttpTarget;

use std::fmt::Write;
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use ureq::http::{HeaderValue, StatusCode};

use super::stdio::{quote, unexpected};
use super::{Fault, Transport};
use crate::wire::{ROOT, Ready, Reply, ToolResult, write_reset, write_tool_use};
use answer::{Meaning, read};
use clean::Made;
use client::Client;

/// A buffer for requests that grew beyond this for a large one is given back.
const IDLE: usize = 1 << 20;

/// Speaks the protocol with a server: a POST a message, answered by a message, or by a plain text with a status (2xx:
/// done; 4xx: an error).
///
/// - With a session header each case gets a store of its own, named by 32 random digits behind `memconf-`; no `reset`
///   is sent. Otherwise, where the server answers `reset` by `ready`, that empties the store. Otherwise memconf deletes
///   what `view` lists, and a last `view` has to show nothing; a store that was not empty at first is left alone unless
///   [`HttpTarget::erase`] is set.
/// - Without a session header the server has one store, so that only one transport may run cases at a time.
/// - Whatever the server does ends in an answer or a [`Fault`], within the timeout and with memory for a few times
///   [`HttpTarget::max_reply`]. A command is never sent twice; no redirect is followed.
pub struct Http {
    client: Client,
    isolation: Isolation,
    /// A name that does not change from case to case.
    fixed: Option<HeaderValue>,
    /// The store of the current case.
    store: Option<HeaderValue>,
    made: Made,
    calls: u64,
    id: String,
    request: Vec<u8>,
    warnings: Vec<String>,
    is_typed: bool,
}

/// How a case gets an empty store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isolation {
    Unknown,
    Reset,
    /// A fresh name for each case; the first answer was looked at.
    Session,
    CleanUp,
}

impl Http {
    /// Nothing is sent yet.
    pub fn new(target: HttpTarget) -> Http {
        Http {
            client: Client::new(target),
            isolation: Isolation::Unknown,
            fixed: None,
            store: None,
            made: Made::default(),
            calls: 0,
            id: String::new(),
            request: Vec::new(),
            warnings: Vec::new(),
            is_typed: true,
        }
    }

    /// As [`Http::new`], always in the store of this name. `None` where the target has no session header, or the name
    /// cannot stand in one.
    pub fn in_store(target: HttpTarget, name: &str) -> Option<Http> {
        let fixed = HeaderValue::from_str(name).ok().filter(|_| target.has_session_header())?;
        let mut http = Http::new(target);
        http.fixed = Some(fixed);
        Some(http)
    }

    /// The name of the store that belongs to a root: the same for all transports of a run, and not to be guessed.
    fn store_of(&self, root: &Path) -> Option<HeaderValue> {
        self.client.target.session.as_ref()?;
        let names = &self.client.target.names;
        let name = format!("memconf-{:016x}{:016x}", names.hash_one((root, 0)), names.hash_one((root, 1)));
        self.fixed.clone().or_else(|| HeaderValue::from_str(&name).ok())
    }

    /// Sends what stands in `request`.
    fn exchange(&mut self) -> Result<Meaning, HttpFault> {
        let answer = self.client.post(&self.request, self.store.as_ref());
        if self.request.capacity() > IDLE {
            self.request = Vec::new();
        }
        let answer = answer?;
        let media = answer.media.clone();
        let meaning = read(&self.client, answer)?;
        let is_typed = media == "application/json" || media.ends_with("+json");
        if matches!(meaning, Meaning::Message(_)) && !is_typed && std::mem::take(&mut self.is_typed) {
            let shown = if media.is_empty() { "no media type".into() } else { quote(media.as_bytes()) };
            self.warnings.push(format!("the server sends messages as {shown}; `application/json` is expected"));
        }
        Ok(meaning)
    }

    fn reset(&mut self, root: &Path) -> Result<Ready, Fault> {
        self.request.clear();
        write_reset(&mut self.request, root);
        match self.exchange()? {
            // The store outlives the connection, unless the server says otherwise.
            Meaning::Message(Reply::Ready(ready)) => Ok(Ready { persists: ready.persists.or(Some(true)), ..ready }),
            Meaning::Message(other) => Err(unexpected(&other, "ready")),
            Meaning::Plain(status, _) => Err(Fault::Unexpected { found: format!("{status}, text"), expected: "ready" }),
        }
    }

    /// Finds out how a case gets an empty store.
    fn negotiate(&mut self, root: &Path) -> Result<Ready, Fault> {
        if self.store.is_some() {
            self.probe()?;
            self.isolation = Isolation::Session;
            return Ok(lasting());
        }
        match self.reset(root) {
            Ok(ready) => {
                self.isolation = Isolation::Reset;
                return Ok(ready);
            }
            // A framework may refuse a body that it does not know before it looks at anything else.
            Err(Fault::Http(HttpFault::Refused { .. })) => {}
            Err(Fault::Http(fault)) if fault.is_hopeless() => return Err(fault.into()),
            Err(Fault::Http(fault @ HttpFault::Timeout { .. })) => {
                return Err(Fault::CannotIsolate { reason: format!("to `reset` there was {fault}") });
            }
            // It does not know `reset`, however it says so.
            Err(_) => {}
        }
        self.probe()?;
        self.clean_up()?;
        self.isolation = Isolation::CleanUp;
        Ok(lasting())
    }

    /// Whether there is a handler at all: the root can be viewed, or is missing in a way that a handler says.
    fn probe(&mut self) -> Result<(), Fault> {
        let input = json!({ "command": "view", "path": ROOT });
        self.write(&input);
        let (status, body) = match self.exchange()? {
            Meaning::Message(_) => return Ok(()),
            Meaning::Plain(status, result) if !result.is_error || result.content.contains(ROOT) => {
                return match status {
                    StatusCode::NO_CONTENT => {
                        Err(Fault::Unexpected { found: status.to_string(), expected: "tool_result" })
                    }
                    _ => Ok(()),
                };
            }
            Meaning::Plain(status, result) => (status.to_string(), quote(result.content.as_bytes())),
        };
        let advice = "`view` of /memories has to be answered: are URL, headers and credentials right?";
        Err(HttpFault::Refused { status, body, advice }.into())
    }

    fn clean_up(&mut self) -> Result<(), Fault> {
        let target = &self.client.target;
        let may_delete = target.erase || target.is_own.load(Ordering::SeqCst);
        let mut made = std::mem::take(&mut self.made);
        clean::empty(&mut |input| self.send(input), &mut made, may_delete)?;
        self.client.target.is_own.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn write(&mut self, input: &Value) {
        self.calls += 1;
        self.id.clear();
        let _ = write!(self.id, "toolu_{}", self.calls);
        self.request.clear();
        write_tool_use(&mut self.request, &self.id, input);
    }

    fn send(&mut self, input: &Value) -> Result<ToolResult, Fault> {
        self.write(input);
        match self.exchange()? {
            Meaning::Plain(_, result) => Ok(result),
            Meaning::Message(Reply::ToolResult { tool_use_id, result }) if tool_use_id == self.id => Ok(result),
            Meaning::Message(Reply::ToolResult { tool_use_id, .. }) => {
                Err(Fault::WrongId { expected: self.id.clone(), found: quote(tool_use_id.as_bytes()) })
            }
            Meaning::Message(other) => Err(unexpected(&other, "tool_result")),
        }
    }
}

impl Transport for Http {
    fn begin(&mut self, root: &Path) -> Result<Ready, Fault> {
        self.store = self.store_of(root);
        match self.isolation {
            Isolation::Unknown => self.negotiate(root),
            Isolation::Reset => self.reset(root),
            Isolation::Session => Ok(lasting()),
            Isolation::CleanUp => self.clean_up().map(|()| lasting()),
        }
    }

    fn call(&mut self, input: &Value) -> Result<ToolResult, Fault> {
        let result = self.send(input)?;
        if self.isolation == Isolation::CleanUp {
            self.made.note(input, &result);
        }
        Ok(result)
    }

    fn restart(&mut self) -> Result<(), Fault> {
        Err(Fault::CannotRestart { reason: "the server is not memconf's to stop and start".into() })
    }

    fn join(&mut self, root: &Path) -> Result<(), Fault> {
        // Without a session header all are in the server's one store.
        self.store = self.store_of(root);
        Ok(())
    }

    fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        if self.isolation == Isolation::CleanUp {
            // What is left would keep the next run from beginning.
            let _ = self.clean_up();
        }
    }
}

/// A server's store outlives the connection.
fn lasting() -> Ready {
    Ready { persists: Some(true), ..Ready::default() }
}
