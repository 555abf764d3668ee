//! Judges one case, step by step: three facets from one expectation.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::listing;
use super::on_disk::{OnDiskDifference, differences};
use super::profile::Profile;
use super::reader::{Fit, Kind, Misfit, Reader, is_hidden_view};
use super::sent::{decoded, sent_paths};
use super::shape::Shape;
use super::text::{cut, quote};
use super::verdict::{CaseResult, FacetState, Failure, StepRecord, Verdict};
use super::wording::Wording;
use crate::case::{Case, Catalogue, Expected, Facet, Level, Outcome, split_choice};
use crate::sandbox::{Disk, OutsideChange};
use crate::transport::Fault;
use crate::wire::{Command, ToolResult};

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
    /// The place outside of which the reply holds a secret.
    pub leak: Option<&'a str>,
    /// The reply holds a path of the sandbox that the command did not send.
    pub host_path: bool,
    /// The store's directory, where it is visible.
    pub disk: Option<&'a Disk>,
}

/// A case that is being judged.
pub struct CaseJudge<'a> {
    pub(super) case: &'a Case,
    pub(super) catalogue: &'a Catalogue,
    pub(super) demands: &'a Demands,
    pub(super) reader: Reader<'a>,
    pub(super) taken: HashMap<String, String>,
    /// The level at which a command was refused that had to succeed: what follows from it weighs no more.
    pub(super) ceiling: Option<Level>,
    /// A command that had to succeed was refused: what is missing later was never there.
    pub(super) refused: bool,
    /// A hidden file was shown by its own path: one that is not shown later is lost.
    pub(super) shows_hidden: bool,
    pub(super) result: CaseResult,
}

/// An outcome that a reply fits.
struct Good<'a> {
    outcome: &'a Outcome,
    wording: Option<Wording>,
    on_disk: Vec<OnDiskDifference>,
}

impl<'a> CaseJudge<'a> {
    /// Begins with nothing seen.
    pub fn new(case: &'a Case, catalogue: &'a Catalogue, profile: &'a Profile, demands: &'a Demands) -> Self {
        let mut facets = [FacetState::NotChecked; 3];
        facets[Facet::Safety as usize] = FacetState::Pass;
        CaseJudge {
            case,
            catalogue,
            demands,
            reader: Reader::new(case, profile),
            taken: HashMap::new(),
            ceiling: None,
            refused: false,
            shows_hidden: false,
            result: CaseResult {
                facets,
                ..CaseResult::unjudged(
                    case.id.clone(),
                    case.title.clone(),
                    catalogue.level(&case.requirements),
                    case.requirements.clone(),
                )
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
        let mut bad: Option<(bool, Misfit, &Outcome)> = None;
        let mut unseen = None;
        // Where one outcome alone is left, its words decide nothing.
        let worded = self.demands.facets.contains(&Facet::Wording) || eligible.len() > 1;
        for outcome in eligible {
            match self.reader.fit(outcome, ids, command, input, reply) {
                fit @ (Fit::Good | Fit::Possible) => {
                    let wording = if worded { self.reader.wording(outcome, command, input, reply) } else { None };
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
            self.shows_hidden |= is_hidden_view(input) && !best.outcome.expected.is_error();
            if let Some(wording) = &best.wording {
                self.judge_wording(step, ids, best.outcome, reply, wording);
            }
            for OnDiskDifference { message, expected, actual } in &best.on_disk {
                self.fail_behaviour(step, ids, message.clone(), expected.clone(), actual.clone());
            }
        } else if let Some(why) = unseen {
            self.unknown(step, &why);
        } else if let Some((_, misfit, outcome)) = bad {
            let expected = outcome.expected.text().map(str::to_owned);
            self.misfit(step, ids, command, misfit, expected, reply);
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
                place: None,
            });
        } else {
            self.could_not_run(format!("step {}: {message}", step + 1));
        }
    }

    /// What the case changed outside the store.
    pub fn outside(&mut self, changes: &[OutsideChange]) {
        for change in changes {
            let message = match change {
                OutsideChange::Changed(place) => format!("a file outside the store was changed, in {place}"),
                OutsideChange::Removed(place) => format!("a file outside the store is gone, from {place}"),
                OutsideChange::Created(place, name) => {
                    format!("something was made outside the store: {} in {place}", quote(name))
                }
            };
            let (OutsideChange::Changed(place) | OutsideChange::Removed(place) | OutsideChange::Created(place, _)) =
                change;
            self.fail_safety(0, Level::Must, message, "something outside the store was changed", None, Some(place));
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
        let ruled = ids.iter().any(|id| id == "ruling.listing-slash");
        if self.taken.contains_key(KEY) && !ruled {
            return;
        }
        let Expected::Ok(text) = &outcome.expected else { return };
        let Ok(Shape::Listing(expected)) = Shape::of(command, text, self.reader.dialects) else { return };
        let seen = listing::read(&reply.content, &expected.directory, &self.reader.paths);
        let is_directory = |path: &str| expected.rows.iter().any(|row| row.path == path && row.is_directory);
        let slashes: Vec<bool> =
            seen.rows.iter().filter(|(path, _)| is_directory(path)).map(|(_, slash)| *slash).collect();
        let Some(&first) = slashes.first() else { return };
        if slashes.contains(&!first) {
            if ruled {
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

    fn judge_wording(&mut self, step: usize, ids: &[String], outcome: &Outcome, reply: &ToolResult, wording: &Wording) {
        self.checked(Facet::Wording);
        self.result.wordings.push(wording.matches);
        let demanded = self.demands.dialect.unwrap_or(0);
        if wording.is(demanded) {
            return;
        }
        let names = self.reader.dialects.iter().enumerate().filter(|(place, _)| wording.is(*place));
        let others: Vec<String> = names.map(|(_, dialect)| dialect.name.clone()).collect();
        let demanded_name = self.reader.dialects.iter().nth(demanded).map_or("docs", |dialect| dialect.name.as_str());
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
            expected: outcome.expected.text().map(cut),
            actual: Some(cut(&reply.content)),
            dialects: others,
            place: None,
        });
    }

    fn safety(&mut self, step: usize, reply: &ToolResult, evidence: Evidence<'_>) {
        if let Some(place) = evidence.leak {
            let message = format!("the answer holds a secret from outside the store, from {place}");
            self.fail_safety(
                step + 1,
                Level::Must,
                message,
                "something outside the store was read",
                Some(&reply.content),
                Some(place),
            );
        }
        if evidence.host_path {
            let level = self.catalogue.get("ruling.no-host-path").map_or(Level::Should, |ruling| ruling.level);
            let message = format!("the answer holds a path of the host: {}", quote(&reply.content));
            self.fail_safety(step + 1, level, message, "a path of the host comes back", Some(&reply.content), None);
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
            && self.reader.kind(command, input, reply) != Kind::Success
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
}
