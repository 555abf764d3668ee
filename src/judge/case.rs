//! Judges one case, step by step: three facets from one expectation.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::dialect::Dialects;
use super::lines::{self, Reading};
use super::listing::{self, Tolerance};
use super::paths::{normalised, with_parents};
use super::profile::Profile;
use super::shape::Shape;
use super::text::quote;
use super::verdict::{CaseResult, FacetState, Failure, StepRecord, Verdict};
use super::wording::{self, Wording};
use crate::case::{Action, Case, Catalogue, Expected, Facet, Level, Outcome, split_choice};
use crate::sandbox::{Disk, OnDisk, OutsideChange};
use crate::transport::Fault;
use crate::wire::{Command, PATH_PARAMETERS, ToolResult};

/// What is demanded of all cases of a run.
#[derive(Clone, Debug)]
pub struct Demands {
    /// The place of the dialect that is demanded; `None`: the documented one, where another published one is
    /// information only.
    pub dialect: Option<usize>,
    /// A failed should fails the case.
    pub strict: bool,
    /// The facets that are judged.
    pub facets: Vec<Facet>,
}

impl Default for Demands {
    fn default() -> Self {
        Demands { dialect: None, strict: false, facets: Facet::ALL.to_vec() }
    }
}

/// What was seen beside the reply.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// The reply holds a secret of a canary.
    pub leak: bool,
    /// The reply holds a path of the sandbox that the command did not send.
    pub host_path: bool,
    /// The store's directory, where it is visible.
    pub disk: Option<&'a Disk>,
}

/// A case that is being judged.
pub struct CaseJudge<'a> {
    case: &'a Case,
    catalogue: &'a Catalogue,
    dialects: &'a Dialects,
    profile: &'a Profile,
    demands: &'a Demands,
    known_lines: HashSet<&'a str>,
    known_paths: BTreeSet<String>,
    taken: HashMap<String, String>,
    /// The level of the first failed behaviour: what follows from it weighs no more.
    ceiling: Option<Level>,
    /// A command that had to succeed was refused: what is missing later was never there.
    refused: bool,
    result: CaseResult,
}

/// How well a reply fits one outcome.
enum Fit {
    /// The right kind and meaning.
    Good,
    /// Nothing speaks against it, and nothing but its effect for it: words that memconf does not know.
    Possible,
    /// Not what is expected.
    Bad(String),
    /// It cannot be told.
    Unseen(String),
}

/// An outcome that a reply fits.
struct Good<'a> {
    outcome: &'a Outcome,
    wording: Option<Wording>,
    on_disk: Vec<OnDiskDifference>,
}

struct OnDiskDifference {
    message: String,
    expected: Option<String>,
    actual: Option<String>,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Kind {
    Success,
    Error,
    Unclear,
}

const LONGEST_KEPT: usize = 100_000;

impl<'a> CaseJudge<'a> {
    /// Begins with nothing seen.
    pub fn new(case: &'a Case, catalogue: &'a Catalogue, profile: &'a Profile, demands: &'a Demands) -> Self {
        let mut facets = [FacetState::NotChecked; 3];
        facets[Facet::Safety as usize] = FacetState::Pass;
        CaseJudge {
            case,
            catalogue,
            dialects: Dialects::builtin(),
            profile,
            demands,
            known_lines: known_lines(case),
            known_paths: known_paths(case),
            taken: HashMap::new(),
            ceiling: None,
            refused: false,
            result: CaseResult {
                id: case.id.clone(),
                title: case.title.clone(),
                verdict: Verdict::Pass,
                level: catalogue.level(&case.requirements),
                requirements: case.requirements.clone(),
                facets,
                failures: Vec::new(),
                notes: Vec::new(),
                choices: Vec::new(),
                wordings: Vec::new(),
                steps: Vec::new(),
                log: String::new(),
                duration: std::time::Duration::ZERO,
            },
        }
    }

    /// Whether a step counts, by the choices taken so far.
    pub fn wants(&self, step: usize) -> bool {
        self.case.steps[step].when.as_deref().is_none_or(|when| self.took(when))
    }

    /// Judges the answer to the call in `step` (from 0).
    pub fn call(&mut self, step: usize, input: &Value, reply: &ToolResult, evidence: Evidence<'_>) {
        self.record(step, reply);
        self.safety(step, reply, evidence);
        let ids = self.case.requirements_of(step);
        let command = Command::of(input);
        self.flag(step, ids, reply, command, input);
        let outcomes: Vec<&'a Outcome> = self.case.steps[step].outcomes.iter().collect();
        let eligible: Vec<&Outcome> =
            outcomes.iter().copied().filter(|one| one.when.as_deref().is_none_or(|when| self.took(when))).collect();
        if eligible.is_empty() {
            return;
        }
        let (mut good, mut possible): (Vec<Good<'a>>, Vec<Good<'a>>) = (Vec::new(), Vec::new());
        let mut bad: Option<(bool, String, &Outcome)> = None;
        let mut unseen = None;
        for outcome in eligible {
            match self.fit(outcome, ids, command, input, reply) {
                fit @ (Fit::Good | Fit::Possible) => {
                    let wording = self.wording(outcome, command, input, reply);
                    let on_disk = evidence.disk.map_or(Vec::new(), |disk| differences(outcome, disk));
                    let list = if matches!(fit, Fit::Good) { &mut good } else { &mut possible };
                    list.push(Good { outcome, wording, on_disk });
                }
                Fit::Unseen(why) => unseen = Some(why),
                Fit::Bad(why) => {
                    let same_kind = outcome.expected.is_error() == reply.is_error;
                    if bad.as_ref().is_none_or(|(better, ..)| same_kind && !better) {
                        bad = Some((same_kind, why, outcome));
                    }
                }
            }
        }
        if good.is_empty() {
            good = possible;
        }
        if let Some(best) = self.choose(&good) {
            self.checked(Facet::Behaviour);
            self.take(step, ids, best.outcome, &good);
            self.take_slash(step, ids, command, best.outcome, reply);
            if let Some(wording) = &best.wording {
                self.judge_wording(step, ids, best.outcome, reply, wording);
            }
            for OnDiskDifference { message, expected, actual } in &best.on_disk {
                self.fail_behaviour(step, ids, message.clone(), expected.clone(), actual.clone());
            }
        } else if let Some(why) = unseen {
            self.unknown(step, &why);
        } else if let Some((_, message, outcome)) = bad {
            let expected = text_of(&outcome.expected).map(str::to_owned);
            self.refused |= command.is_some_and(Command::mutates) && !outcome.expected.is_error();
            self.fail_behaviour(step, ids, message, expected, Some(reply.content.clone()));
        }
    }

    /// No proper answer came.
    pub fn fault(&mut self, step: usize, fault: &Fault) {
        let message = fault.to_string();
        self.result.steps.push(StepRecord {
            step: step + 1,
            content: String::new(),
            is_error: false,
            fault: Some(message.clone()),
        });
        if fault.is_failure() {
            let cause = format!("fault: {message}");
            self.fail(Failure {
                step: step + 1,
                facet: Facet::Behaviour,
                level: Level::Must,
                message,
                cause,
                expected: None,
                actual: None,
                dialects: Vec::new(),
            });
        } else {
            self.could_not_run(format!("step {}: {message}", step + 1));
        }
    }

    /// What the case changed outside the store.
    pub fn outside(&mut self, changes: &[OutsideChange]) {
        for change in changes {
            let message = match change {
                OutsideChange::Changed(path) => format!("a file outside the store was changed: {path}"),
                OutsideChange::Removed(path) => format!("a file outside the store is gone: {path}"),
                OutsideChange::Created(path) => format!("something was made outside the store: {path}"),
            };
            self.fail_safety(0, Level::Must, message, "something outside the store was changed", None);
        }
    }

    /// The handler does not have what the case needs.
    pub fn not_applicable(&mut self, why: impl Into<String>) {
        self.result.verdict = Verdict::NotApplicable;
        self.result.facets = [FacetState::NotChecked; 3];
        self.result.notes.push(why.into());
    }

    /// Something kept the case from running to its end.
    pub fn could_not_run(&mut self, why: impl Into<String>) {
        for state in self.result.facets.iter_mut().filter(|state| **state != FacetState::Fail) {
            *state = FacetState::Unknown;
        }
        self.result.verdict = Verdict::CouldNotRun;
        self.result.notes.push(why.into());
    }

    /// memconf's own trouble.
    pub fn harness_error(&mut self, why: impl Into<String>) {
        self.result.verdict = Verdict::HarnessError;
        self.result.notes.push(why.into());
    }

    /// Whether something of the case failed or is not known: its log is worth keeping.
    pub fn has_trouble(&self) -> bool {
        !self.result.failures.is_empty() || !self.result.notes.is_empty()
    }

    /// Every name that the case sent in a path, decoded as well: what may turn up outside.
    pub fn sent_names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for path in sent_paths(self.case) {
            for form in [path.to_owned(), decoded(path), decoded(&decoded(path))] {
                names.extend(
                    form.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "memories").map(str::to_owned),
                );
            }
        }
        names
    }

    /// The result, with its verdict.
    pub fn finish(mut self) -> CaseResult {
        let facets = &self.demands.facets;
        self.result.failures.retain(|failure| facets.contains(&failure.facet));
        for facet in Facet::ALL.into_iter().filter(|facet| !facets.contains(facet)) {
            self.result.facets[facet as usize] = FacetState::NotChecked;
        }
        self.result.decide(self.demands.strict);
        self.result
    }

    fn took(&self, choice: &str) -> bool {
        split_choice(choice).is_some_and(|(key, value)| self.taken.get(key).is_some_and(|taken| taken == value))
    }

    fn contradicts(&self, outcome: &Outcome) -> bool {
        let choice = outcome.choice.as_deref().and_then(split_choice);
        choice.is_some_and(|(key, value)| self.taken.get(key).is_some_and(|taken| taken != value))
    }

    /// The best of the outcomes that fit: one that agrees with the disk, with the choices so far, and with the text.
    fn choose<'g>(&self, good: &'g [Good<'a>]) -> Option<&'g Good<'a>> {
        let demanded = self.demands.dialect.unwrap_or(0);
        let rank = |one: &Good<'_>| {
            let worded = one.wording.as_ref().map_or(1, |wording| match wording.is(demanded) {
                true => 2,
                false => u8::from(wording.matches != 0),
            });
            (one.on_disk.is_empty(), !self.contradicts(one.outcome), worded)
        };
        let mut best: Option<&Good<'_>> = None;
        for one in good {
            if best.is_none_or(|best| rank(one) > rank(best)) {
                best = Some(one);
            }
        }
        best
    }

    /// Remembers the choice of an outcome, unless another value of its key would fit as well.
    fn take(&mut self, step: usize, ids: &[String], outcome: &Outcome, good: &[Good<'_>]) {
        let Some((key, value)) = outcome.choice.as_deref().and_then(split_choice) else { return };
        if let Some(before) = self.taken.get(key).filter(|before| *before != value) {
            let message = format!("takes the choice `{key}: {value}`, after `{key}: {before}` in the same case");
            self.fail_behaviour(step, ids, message, None, None);
            return;
        }
        // Where the disk tells two outcomes apart, the one that it contradicts is none.
        let possible = good.iter().filter(|one| one.on_disk.is_empty());
        let clear = possible.map(|one| one.outcome).all(|other| {
            other.choice.as_deref().and_then(split_choice).is_none_or(|(other, found)| other != key || found == value)
        });
        if clear && !self.taken.contains_key(key) {
            self.result.choices.push((key.to_owned(), value.to_owned(), step + 1));
        }
        if clear {
            self.taken.insert(key.to_owned(), value.to_owned());
        }
    }

    /// Notices whether the rows of directories end in a slash: a choice that no case spells out.
    fn take_slash(
        &mut self,
        step: usize,
        ids: &[String],
        command: Option<Command>,
        outcome: &Outcome,
        reply: &ToolResult,
    ) {
        const KEY: &str = "directory-slash";
        let Expected::Ok(text) = &outcome.expected else { return };
        let Ok(Shape::Listing(expected)) = Shape::of(command, text, self.dialects) else { return };
        let seen = listing::read(&reply.content, &expected.directory, &self.known_paths);
        let is_directory = |path: &str| expected.rows.iter().any(|row| row.path == path && row.is_directory);
        let slashes: Vec<bool> =
            seen.rows.iter().filter(|(path, _)| is_directory(path)).map(|(_, slash)| *slash).collect();
        let Some(&first) = slashes.first() else { return };
        if slashes.contains(&!first) {
            if ids.iter().any(|id| id == "ruling.listing-slash") {
                let message = "some rows of directories end in a slash, and some do not".to_owned();
                self.fail_behaviour(step, ids, message, None, Some(reply.content.clone()));
            }
            return;
        }
        let value = if first { "slash" } else { "none" };
        if self.taken.insert(KEY.into(), value.into()).is_none() {
            self.result.choices.push((KEY.into(), value.into(), step + 1));
        }
    }

    fn fit(
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
                match lines::read(&reply.content, &lines, &self.known_lines, self.profile.style.as_ref(), cut) {
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
                let seen = listing::read(&reply.content, &expected.directory, &self.known_paths);
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
    fn kind(&self, command: Option<Command>, input: &Value, reply: &ToolResult) -> Kind {
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
        body.lines().any(of_directory) || !listing::read(body, &directory, &self.known_paths).rows.is_empty()
    }

    fn shows_known(&self, text: &str) -> bool {
        text.split('\n').take(2000).any(|line| {
            let shown = lines::split_number(line).map_or(line, |(_, _, text)| text);
            [line, shown].iter().any(|line| !line.trim().is_empty() && self.known_lines.contains(line))
        })
    }

    fn wording(
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
        let context = wording::Context { dialects: self.dialects, command, input, paths: &self.known_paths };
        wording::check(&outcome.expected, &reply.content, &shape, &context)
    }

    fn judge_wording(&mut self, step: usize, ids: &[String], outcome: &Outcome, reply: &ToolResult, wording: &Wording) {
        self.checked(Facet::Wording);
        self.result.wordings.push(wording.matches);
        let demanded = self.demands.dialect.unwrap_or(0);
        if wording.is(demanded) {
            return;
        }
        let names = self.dialects.iter().enumerate().filter(|(place, _)| wording.is(*place));
        let others: Vec<String> = names.map(|(_, dialect)| dialect.name.clone()).collect();
        let demanded_name = self.dialects.iter().nth(demanded).map_or("docs", |dialect| dialect.name.as_str());
        let reason = wording.reason.as_ref();
        let (message, cause) = match (reason, others.as_slice()) {
            (Some(reason), []) if demanded == 0 => (reason.message.clone(), reason.cause.clone()),
            (Some(reason), []) => {
                (format!("not the text of {demanded_name}; beside docs: {}", reason.message), reason.cause.clone())
            }
            (reason, others) => {
                let why = reason.map(|reason| format!(": {}", reason.message)).unwrap_or_default();
                let matches = format!("matches {}, not {demanded_name}", others.join(" and "));
                let cause = reason.map_or_else(|| matches.clone(), |reason| format!("{}, {matches}", reason.cause));
                (format!("{matches}{why}"), cause)
            }
        };
        let level = match self.demands.dialect {
            None if !others.is_empty() => Level::May,
            _ => self.catalogue.level_of(ids, Facet::Wording),
        };
        self.fail(Failure {
            step: step + 1,
            facet: Facet::Wording,
            level,
            message,
            cause,
            expected: text_of(&outcome.expected).map(cut),
            actual: Some(cut(&reply.content)),
            dialects: others,
        });
    }

    fn safety(&mut self, step: usize, reply: &ToolResult, evidence: Evidence<'_>) {
        if evidence.leak {
            let message = "the answer holds a secret from outside the store".to_owned();
            self.fail_safety(
                step + 1,
                Level::Must,
                message,
                "something outside the store was read",
                Some(&reply.content),
            );
        }
        if evidence.host_path {
            let level = self.catalogue.get("ruling.no-host-path").map_or(Level::Should, |ruling| ruling.level);
            let message = format!("the answer holds a path of the host: {}", quote(&reply.content));
            self.fail_safety(step + 1, level, message, "a path of the host comes back", Some(&reply.content));
        }
    }

    /// In a case about the flag: whether an error is flagged, and has a text.
    fn flag(&mut self, step: usize, ids: &[String], reply: &ToolResult, command: Option<Command>, input: &Value) {
        let cites = |id: &str| ids.iter().any(|own| own == id);
        let expects_error = !self.case.steps[step].outcomes.is_empty()
            && self.case.steps[step].outcomes.iter().all(|outcome| outcome.expected.is_error());
        if cites("result.error-flagged")
            && expects_error
            && !reply.is_error
            && self.kind(command, input, reply) != Kind::Success
        {
            let ids = ["result.error-flagged".to_owned()];
            self.fail_behaviour(
                step,
                &ids,
                "the error is not flagged with `is_error: true`".into(),
                None,
                Some(cut(&reply.content)),
            );
        }
        if cites("result.error-has-text") && reply.is_error && reply.content.is_empty() && reply.other_blocks == 0 {
            let ids = ["result.error-has-text".to_owned()];
            self.fail_behaviour(step, &ids, "the error has no text; the API refuses it".into(), None, None);
        }
    }

    fn fail_behaviour(
        &mut self,
        step: usize,
        ids: &[String],
        message: String,
        expected: Option<String>,
        actual: Option<String>,
    ) {
        // A wrong success is a matter of behaviour; what was lost by it, of safety.
        let lost =
            self.catalogue.effect_is_safety(ids) && !self.refused && !message.starts_with("an error is expected");
        let facet = if lost { Facet::Safety } else { Facet::Behaviour };
        let level = self.catalogue.level_of(ids, facet);
        let level = match (lost, self.ceiling) {
            (false, Some(ceiling)) => level.min(ceiling),
            _ => level,
        };
        let cause = ids.first().cloned().unwrap_or_else(|| self.case.id.clone());
        if !lost && !self.case.requirements.is_empty() {
            self.ceiling.get_or_insert(level);
        }
        let (expected, actual) = (expected.as_deref().map(cut), actual.as_deref().map(cut));
        self.fail(Failure { step: step + 1, facet, level, message, cause, expected, actual, dialects: Vec::new() });
    }

    fn fail_safety(&mut self, step: usize, level: Level, message: String, cause: &str, actual: Option<&str>) {
        let (cause, actual) = (cause.to_owned(), actual.map(cut));
        let facet = Facet::Safety;
        self.fail(Failure { step, facet, level, message, cause, expected: None, actual, dialects: Vec::new() });
    }

    fn fail(&mut self, failure: Failure) {
        self.result.facets[failure.facet as usize] = FacetState::Fail;
        self.result.failures.push(failure);
    }

    fn checked(&mut self, facet: Facet) {
        let state = &mut self.result.facets[facet as usize];
        if *state == FacetState::NotChecked {
            *state = FacetState::Pass;
        }
    }

    fn unknown(&mut self, step: usize, why: &str) {
        let state = &mut self.result.facets[Facet::Behaviour as usize];
        if *state != FacetState::Fail {
            *state = FacetState::Unknown;
        }
        self.result.notes.push(format!("step {}: {why}", step + 1));
    }

    fn record(&mut self, step: usize, reply: &ToolResult) {
        let content = cut(&reply.content);
        self.result.steps.push(StepRecord { step: step + 1, content, is_error: reply.is_error, fault: None });
    }
}

/// What the disk holds otherwise than an outcome says.
fn differences(outcome: &Outcome, disk: &Disk) -> Vec<OnDiskDifference> {
    let mut found = Vec::new();
    for (path, expected) in &outcome.disk {
        let Some(there) = disk.read(path) else { continue };
        let message = match (&there, expected) {
            (OnDisk::Nothing, None) => continue,
            (OnDisk::File(bytes), Some(wanted)) if bytes == wanted => continue,
            (there, None) => format!("on disk, {path} is still there ({})", describe(there)),
            (there, Some(wanted)) => {
                format!("on disk, {path} is {}, {} expected", describe(there), describe_bytes(wanted))
            }
        };
        let text = |bytes: &Vec<u8>| cut(&String::from_utf8_lossy(bytes));
        let actual = match &there {
            OnDisk::File(bytes) => Some(text(bytes)),
            _ => None,
        };
        found.push(OnDiskDifference { message, expected: expected.as_ref().map(text), actual });
    }
    for (path, expected) in &outcome.modes {
        if let Some(mode) = disk.mode(path).filter(|mode| mode != expected) {
            let message = format!("on disk, {path} has the mode {mode:04o}, {expected:04o} expected");
            found.push(OnDiskDifference { message, expected: None, actual: None });
        }
    }
    found
}

fn text_of(expected: &Expected) -> Option<&str> {
    match expected {
        Expected::Ok(text) | Expected::OkStartsWith(text) | Expected::Error(text) => Some(text),
        Expected::AnyOk | Expected::AnyError => None,
    }
}

fn cut(text: &str) -> String {
    if text.len() <= LONGEST_KEPT {
        return text.to_owned();
    }
    let end = (0..=LONGEST_KEPT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}\n... ({} more bytes)", &text[..end], text.len() - end)
}

fn describe(found: &OnDisk) -> String {
    match found {
        OnDisk::Nothing => "not there".into(),
        OnDisk::Directory => "a directory".into(),
        OnDisk::Other(what) => (*what).into(),
        OnDisk::File(bytes) => describe_bytes(bytes),
    }
}

fn describe_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("a file with {}", quote(text)),
        Err(_) => format!("a file of {} bytes that are not UTF-8", bytes.len()),
    }
}

/// Every line that the case writes or expects to read.
fn known_lines(case: &Case) -> HashSet<&str> {
    const MOST: usize = 20_000;
    let mut lines = HashSet::new();
    for step in &case.steps {
        if let Action::Call(input) = &step.action {
            for name in ["file_text", "insert_text", "old_str", "new_str"] {
                if let Some(text) = input.get(name).and_then(Value::as_str) {
                    lines.extend(text.split('\n').take(MOST));
                }
            }
        }
        for outcome in &step.outcomes {
            let shape = text_of(&outcome.expected).filter(|_| !outcome.expected.is_error());
            let numbered = shape.into_iter().flat_map(|text| text.split('\n').skip(1).take(MOST));
            lines.extend(numbered.filter_map(|line| {
                let (number, text) = line.split_once('\t')?;
                number.trim_start().bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
            }));
        }
    }
    lines
}

/// Every path that the case sends, plants or expects to see, normalised, with its parents.
fn known_paths(case: &Case) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for path in sent_paths(case) {
        paths.extend(with_parents(path));
        // A name may also be kept as it was sent.
        paths.insert(path.trim_end_matches('/').to_owned());
        paths.insert(normalised(path));
    }
    for step in &case.steps {
        if let Action::Plant(plant) = &step.action {
            paths.extend(with_parents(&plant.path));
        }
        for text in step.outcomes.iter().filter_map(|outcome| text_of(&outcome.expected)) {
            let rows = text.split('\n').skip(1).filter_map(|row| row.split_once('\t'));
            for (_, path) in rows.filter(|(size, _)| size.starts_with("{size")) {
                paths.extend(with_parents(path));
            }
        }
    }
    paths
}

fn sent_paths(case: &Case) -> impl Iterator<Item = &str> {
    let inputs = case.steps.iter().filter_map(|step| match &step.action {
        Action::Call(input) => Some(input),
        _ => None,
    });
    inputs.flat_map(|input| PATH_PARAMETERS.iter().filter_map(|name| input.get(*name)?.as_str()))
}

/// Percent-decoded once, as far as it goes.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| bytes[at] == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
