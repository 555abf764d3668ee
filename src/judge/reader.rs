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
    Bad(String),
    /// It cannot be told.
    Unseen(String),
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
                    Fit::Bad(format!("an error is expected, but the command succeeded: {}", quote(&reply.content)))
                }
            },
            Expected::AnyOk => self.fit_success(command, input, reply),
            Expected::Ok(text) => self.fit_text(text, false, ids, command, input, reply),
            Expected::OkStartsWith(text) => self.fit_text(text, true, ids, command, input, reply),
        }
    }

    fn fit_success(&self, command: Option<Command>, input: &Value, reply: &ToolResult) -> Fit {
        match self.kind(command, input, reply) {
            Kind::Error => {
                Fit::Bad(format!("success is expected, but the answer is the error {}", quote(&reply.content)))
            }
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
        if reply.is_error {
            return Fit::Bad(format!("success is expected, but the answer is the error {}", quote(&reply.content)));
        }
        if matches!(shape, Shape::Lines(_) | Shape::Listing(_)) && reply.content.is_empty() && reply.other_blocks > 0 {
            return Fit::Unseen("the answer has no text, only blocks of another kind".into());
        }
        match shape {
            Shape::Done => self.fit_success(command, input, reply),
            Shape::Lines(lines) => {
                match lines::read(&reply.content, &lines, &self.lines, self.profile.style.as_ref(), cut) {
                    Reading::Match(_) => Fit::Good,
                    _ if self.kind(command, input, reply) == Kind::Error => {
                        Fit::Bad(format!("the file is expected, but the answer is the error {}", quote(&reply.content)))
                    }
                    Reading::Mismatch(why) => Fit::Bad(why),
                    Reading::Unobservable => Fit::Unseen(format!(
                        "the answer shows nothing of the file that memconf can recognise: {}",
                        quote(&reply.content)
                    )),
                }
            }
            Shape::Listing(expected) => {
                let about = |words: &[&str]| ids.iter().any(|id| words.contains(&id.as_str()));
                let tolerance = Tolerance {
                    depth: !about(&["view.directory-depth"]),
                    hidden: !about(&["view.directory-hidden", "view.directory-node-modules"]),
                    directories: !about(&["view.directory-rows", "view.directory-depth"]),
                };
                let seen = listing::read(&reply.content, &expected.directory, &self.paths);
                match listing::compare(&seen, &expected, tolerance) {
                    None if seen.rows.is_empty() && self.kind(command, input, reply) == Kind::Error => Fit::Bad(
                        format!("a listing is expected, but the answer is the error {}", quote(&reply.content)),
                    ),
                    None => Fit::Good,
                    Some(_) if seen.rows.is_empty() && self.kind(command, input, reply) == Kind::Error => Fit::Bad(
                        format!("a listing is expected, but the answer is the error {}", quote(&reply.content)),
                    ),
                    Some(why) => Fit::Bad(why),
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
            return if text.trim().is_empty() { Kind::Success } else { Kind::Unclear };
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
        match self.dialects.reads_as_error(text) {
            true => Kind::Error,
            false => Kind::Unclear,
        }
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
        let text = text_of(&outcome.expected)?;
        let shape = match outcome.expected.is_error() {
            true => Shape::Done,
            false => Shape::of(command, text, self.dialects).ok()?,
        };
        let context = wording::Context { dialects: self.dialects, command, input, paths: &self.paths };
        wording::check(&outcome.expected, &reply.content, &shape, &context)
    }
}

/// The text of an outcome, where it has one.
pub(super) fn text_of(expected: &Expected) -> Option<&str> {
    match expected {
        Expected::Ok(text) | Expected::OkStartsWith(text) | Expected::Error(text) => Some(text),
        Expected::AnyOk | Expected::AnyError => None,
    }
}
