//! Reads a reply in the light of what a case has sent: success or error, a file's lines, a listing's rows, whatever
//! the wording.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::dialect::Dialects;
use super::lines::{self, Reading};
use super::listing::{self, Tolerance};
use super::paths::normalised;
use super::profile::Profile;
use super::sent::{known_lines, known_paths};
use super::shape::Shape;
use super::text::quote;
use super::wording::{self, Wording};
use crate::case::{Case, Expected, Outcome};
use crate::wire::{Command, ToolResult};

/// How well a reply fits one outcome.
pub(super) enum Fit {
    /// The right kind and meaning.
    Good,
    /// Nothing speaks against it, and nothing but its effect for it: words that memconf does not know.
    Possible,
    /// Not what is expected.
    Bad(Misfit),
    /// It cannot be told.
    Unseen(String),
}

/// Why a reply does not fit.
pub(super) struct Misfit {
    pub(super) message: String,
    pub(super) kind: MisfitKind,
    /// The requirement that is really at stake, where it is another than the case's: it bounds the level.
    pub(super) about: Option<String>,
}

/// What does not fit.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(super) enum MisfitKind {
    /// An error, where success is expected.
    Refused,
    /// Success, where an error is expected.
    Succeeded,
    /// Something else is shown.
    Shown,
}

impl Misfit {
    fn plain(kind: MisfitKind, message: String) -> Fit {
        Fit::Bad(Misfit { message, kind, about: None })
    }

    fn about(kind: MisfitKind, message: String, about: Option<String>) -> Fit {
        Fit::Bad(Misfit { message, kind, about })
    }
}

#[derive(PartialEq, Eq, Clone, Copy)]
pub(super) enum Kind {
    Success,
    Error,
    Unclear,
}

/// What is known when a reply is read.
pub(super) struct Reader<'a> {
    pub(super) dialects: &'a Dialects,
    profile: &'a Profile,
    lines: HashSet<&'a str>,
    pub(super) paths: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(case: &'a Case, profile: &'a Profile) -> Self {
        Reader { dialects: Dialects::builtin(), profile, lines: known_lines(case), paths: known_paths(case) }
    }

    pub(super) fn fit(
        &self,
        outcome: &Outcome,
        ids: &[String],
        command: Option<Command>,
        input: &Value,
        reply: &ToolResult,
    ) -> Fit {
        match &outcome.expected {
            Expected::Error(_) | Expected::AnyError => match self.kind(command, input, reply) {
                Kind::Error => Fit::Good,
                Kind::Unclear => Fit::Possible,
                Kind::Success => {
                    let message = format!("an error is expected, but the command succeeded: {}", quote(&reply.content));
                    // A documented error that does not come weighs as its own requirement does; what the command
                    // did all the same is seen by the steps that follow. But what is shown is there.
                    let text = outcome.expected.text().filter(|_| !self.shows(input, &reply.content));
                    let about = text.and_then(|text| self.documented(command, text));
                    Misfit::about(MisfitKind::Succeeded, message, about)
                }
            },
            Expected::AnyOk => self.fit_success(command, input, reply),
            Expected::Ok(text) => self.fit_text(text, false, ids, command, input, reply),
            Expected::OkStartsWith(text) => self.fit_text(text, true, ids, command, input, reply),
        }
    }

    /// The requirement of a documented error text.
    fn documented(&self, command: Option<Command>, text: &str) -> Option<String> {
        let found = self.dialects.docs().recognise(command, text, &Default::default());
        found.first().map(|(key, _)| (*key).to_owned())
    }

    fn fit_success(&self, command: Option<Command>, input: &Value, reply: &ToolResult) -> Fit {
        // What comes for a path where nothing is says nothing of this one.
        let is_view = command == Some(Command::View) && !self.shows_known(&reply.content);
        if is_view && self.profile.looks_missing(input, &reply.content) {
            return refused("success", input, reply, None);
        }
        match self.kind(command, input, reply) {
            Kind::Error => refused("success", input, reply, None),
            Kind::Success => Fit::Good,
            Kind::Unclear => Fit::Possible,
        }
    }

    fn fit_text(
        &self,
        text: &str,
        cut: bool,
        ids: &[String],
        command: Option<Command>,
        input: &Value,
        reply: &ToolResult,
    ) -> Fit {
        let shape = match Shape::of(command, text, self.dialects) {
            Ok(shape) => shape,
            Err(why) => return Fit::Unseen(format!("the case itself is wrong: {why}")),
        };
        if matches!(shape, Shape::Lines(_) | Shape::Listing(_)) && reply.content.is_empty() && reply.other_blocks > 0 {
            return Fit::Unseen("the answer has no text, only blocks of another kind".into());
        }
        match shape {
            Shape::Done => self.fit_success(command, input, reply),
            Shape::Lines(lines) => {
                // That an empty file is an error is one thing, that it is gone another.
                let gone = self.dialects.reads_as_missing(command, &reply.content);
                let empty = lines.iter().all(|(_, text)| text.is_empty()) && !gone;
                let empty = empty.then_some("ruling.empty-file");
                if reply.is_error {
                    return refused("the file", input, reply, empty);
                }
                match lines::read(&reply.content, &lines, &self.lines, self.profile.style.as_ref(), cut) {
                    // Nothing is shown, as it should be: by what the words say, if they are known.
                    Reading::Match(_) if lines.is_empty() => match self.fit_success(command, input, reply) {
                        Fit::Bad(_) => refused("the file", input, reply, empty),
                        fit => fit,
                    },
                    Reading::Match(_) => Fit::Good,
                    _ if self.kind(command, input, reply) == Kind::Error => refused("the file", input, reply, empty),
                    Reading::Mismatch(why) => Misfit::plain(MisfitKind::Shown, why),
                    Reading::Renumbered(why) => {
                        let first = lines.first().is_none_or(|(number, _)| *number == 1);
                        let about = if first { "view.one-indexed" } else { "view.range" };
                        Misfit::about(MisfitKind::Shown, why, Some(about.into()))
                    }
                    Reading::Unobservable => Fit::Unseen(format!(
                        "the answer shows nothing of the file that memconf can recognise: {}",
                        quote(&reply.content)
                    )),
                }
            }
            Shape::Listing(_) if reply.is_error => refused("a listing", input, reply, None),
            Shape::Listing(expected) => {
                let about = |words: &[&str]| ids.iter().any(|id| words.contains(&id.as_str()));
                let tolerance = Tolerance {
                    depth: !about(&["view.directory-depth"]),
                    hidden: !about(&["view.directory-hidden", "view.directory-node-modules"]),
                    directories: !about(&["view.directory-rows"]),
                };
                let seen = listing::read(&reply.content, &expected.directory, &self.paths);
                match listing::compare(&seen, &expected, tolerance, &self.paths) {
                    _ if seen.rows.is_empty() && self.kind(command, input, reply) == Kind::Error => {
                        refused("a listing", input, reply, None)
                    }
                    None if seen.rows.is_empty() => self.fit_success(command, input, reply),
                    None => Fit::Good,
                    Some(why) => Misfit::plain(MisfitKind::Shown, why),
                }
            }
        }
    }

    /// Success or error, by flag, then by what is shown, then by the words.
    pub(super) fn kind(&self, command: Option<Command>, input: &Value, reply: &ToolResult) -> Kind {
        if reply.is_error {
            return Kind::Error;
        }
        let text = reply.content.as_str();
        if let Some(command) = command.filter(|command| command.mutates()) {
            let learned = self.profile.looks_like_success(command, input, text);
            if learned == Some(true) || self.dialects.reads_as_success(command, text) {
                return Kind::Success;
            }
            if self.dialects.reads_as_error(text) {
                return Kind::Error;
            }
            return if text.trim().is_empty() { Kind::Success } else { self.unclear() };
        }
        if command == Some(Command::View) {
            if self.shows_known(text) || text.trim().is_empty() {
                return Kind::Success;
            }
            let header = text.lines().next().unwrap_or_default();
            if self.dialects.reads_as_view(header) || self.shows_rows(input, text) {
                return Kind::Success;
            }
        }
        if self.dialects.reads_as_error(text) {
            return Kind::Error;
        }
        if command.is_none() && (self.shows(input, text) || text.trim().is_empty()) {
            return Kind::Success;
        }
        self.unclear()
    }

    /// A reply without flag in words that memconf does not know: from a handler that flags its errors it is none.
    fn unclear(&self) -> Kind {
        if self.profile.flags_errors == Some(true) { Kind::Success } else { Kind::Unclear }
    }

    /// Whether a text shows something of the store.
    fn shows(&self, input: &Value, text: &str) -> bool {
        self.shows_known(text) || self.shows_rows(input, text)
    }

    /// Whether a text of several lines has a row for the viewed directory, or for something in it.
    fn shows_rows(&self, input: &Value, text: &str) -> bool {
        let directory = input.get("path").and_then(Value::as_str).map(normalised).unwrap_or_default();
        let (_, body) = text.split_once('\n').unwrap_or_default();
        let of_directory = |line: &str| line.rsplit_once('\t').is_some_and(|(_, path)| normalised(path) == directory);
        body.lines().any(of_directory) || !listing::read(body, &directory, &self.paths).rows.is_empty()
    }

    fn shows_known(&self, text: &str) -> bool {
        text.split('\n').take(2000).any(|line| {
            let shown = lines::split_number(line).map_or(line, |(_, _, text)| text);
            [line, shown].iter().any(|line| !line.trim().is_empty() && self.lines.contains(line))
        })
    }

    pub(super) fn wording(
        &self,
        outcome: &Outcome,
        command: Option<Command>,
        input: &Value,
        reply: &ToolResult,
    ) -> Option<Wording> {
        let text = outcome.expected.text()?;
        let shape = match outcome.expected.is_error() {
            true => Shape::Done,
            false => Shape::of(command, text, self.dialects).ok()?,
        };
        let context = wording::Context { dialects: self.dialects, command, input, paths: &self.paths };
        wording::check(&outcome.expected, &reply.content, &shape, &context)
    }
}

/// An error where something else is expected. `about` is the requirement that is at stake where it is a lesser one
/// than the case's; a hidden file that cannot be viewed is another such.
fn refused(expected: &str, input: &Value, reply: &ToolResult, about: Option<&str>) -> Fit {
    let message = format!("{expected} is expected, but the answer is the error {}", quote(&reply.content));
    let about = about.or(is_hidden_view(input).then_some(HIDDEN));
    Misfit::about(MisfitKind::Refused, message, about.map(str::to_owned))
}

/// The requirement that hidden files are shown at all.
pub(super) const HIDDEN: &str = "ruling.hidden-direct";

/// Whether a command views something hidden by its own path.
pub(super) fn is_hidden_view(input: &Value) -> bool {
    let path = input.get("path").and_then(Value::as_str).unwrap_or_default();
    Command::of(input) == Some(Command::View)
        && normalised(path).split('/').any(|part| part.starts_with('.') && part != ".." && part != ".")
}
