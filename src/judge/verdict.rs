//! What comes out of a case.

use std::time::Duration;

use crate::case::{Facet, Level};

/// The outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// All that had to hold, held.
    Pass,
    /// A must failed (or, with `--strict`, a should).
    Fail,
    /// A should failed.
    Warn,
    /// It failed as listed among the known failures.
    ExpectedFail,
    /// A listed failure failed no longer, or otherwise.
    UnexpectedPass,
    /// The handler does not have what the case needs.
    NotApplicable,
    /// Something kept the case, or a check of it, from being judged.
    CouldNotRun,
    /// memconf's own trouble.
    HarnessError,
}

impl Verdict {
    /// In the order of reports.
    pub const ALL: [Verdict; 8] = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Warn,
        Verdict::ExpectedFail,
        Verdict::UnexpectedPass,
        Verdict::NotApplicable,
        Verdict::CouldNotRun,
        Verdict::HarnessError,
    ];

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Warn => "warn",
            Verdict::ExpectedFail => "expected-fail",
            Verdict::UnexpectedPass => "unexpected-pass",
            Verdict::NotApplicable => "not-applicable",
            Verdict::CouldNotRun => "could-not-run",
            Verdict::HarnessError => "harness-error",
        }
    }
}

/// What became of one facet of a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FacetState {
    /// Nothing of it was checked.
    #[default]
    NotChecked,
    /// All checks held.
    Pass,
    /// A check failed, at whatever level.
    Fail,
    /// A check could not be judged, and none failed.
    Unknown,
}

impl FacetState {
    /// In the order of reports.
    pub const ALL: [FacetState; 4] = [FacetState::Pass, FacetState::Fail, FacetState::Unknown, FacetState::NotChecked];

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            FacetState::NotChecked => "not-checked",
            FacetState::Pass => "pass",
            FacetState::Fail => "fail",
            FacetState::Unknown => "could-not-run",
        }
    }
}

/// One failed check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The step, counted from 1; 0 where the case as a whole is meant.
    pub step: usize,
    /// What it is about.
    pub facet: Facet,
    /// Its weight.
    pub level: Level,
    /// What happened.
    pub message: String,
    /// The same for all failures with one cause.
    pub cause: String,
    /// What was expected, where it is a text.
    pub expected: Option<String>,
    /// What came.
    pub actual: Option<String>,
    /// The published dialects (other than `docs`) whose text it is.
    pub dialects: Vec<String>,
    /// The place outside the store that was read or changed.
    pub place: Option<String>,
}

/// What a handler answered to one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// The step, counted from 1.
    pub step: usize,
    /// The text, cut where it is very long.
    pub content: String,
    /// Whether it was flagged as an error.
    pub is_error: bool,
    /// In place of an answer: why there is none.
    pub fault: Option<String>,
}

/// A case, judged.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The case's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The outcome.
    pub verdict: Verdict,
    /// The highest level among its requirements.
    pub level: Level,
    /// What it cites.
    pub requirements: Vec<String>,
    /// Safety, behaviour, wording.
    pub facets: [FacetState; 3],
    /// All failed checks, in the order of the steps.
    pub failures: Vec<Failure>,
    /// Why a check or the case could not be judged, or does not apply.
    pub notes: Vec<String>,
    /// The choices that the handler took: key and value, with the step.
    pub choices: Vec<(String, String, usize)>,
    /// For each text that was compared: the dialects that it matches, a bit each.
    pub wordings: Vec<u32>,
    /// The answers.
    pub steps: Vec<StepRecord>,
    /// The tail of the handler's log, where something failed.
    pub log: String,
    /// How long it took.
    pub duration: Duration,
}

impl CaseResult {
    /// A result in which nothing was checked yet.
    pub fn unjudged(id: String, title: String, level: Level, requirements: Vec<String>) -> CaseResult {
        CaseResult {
            id,
            title,
            verdict: Verdict::Pass,
            level,
            requirements,
            facets: [FacetState::NotChecked; 3],
            failures: Vec::new(),
            notes: Vec::new(),
            choices: Vec::new(),
            wordings: Vec::new(),
            steps: Vec::new(),
            log: String::new(),
            duration: Duration::ZERO,
        }
    }

    /// The state of one facet.
    pub fn facet(&self, facet: Facet) -> FacetState {
        self.facets[facet as usize]
    }

    /// The worst level among the failures.
    pub fn worst(&self) -> Option<Level> {
        self.failures.iter().map(|failure| failure.level).max()
    }

    /// Sets the verdict by what failed. A check that could not be judged outweighs a warning, since what it would
    /// have said is not known.
    pub fn decide(&mut self, strict: bool) {
        if matches!(self.verdict, Verdict::NotApplicable | Verdict::HarnessError) {
            return;
        }
        let unknown = self.verdict == Verdict::CouldNotRun || self.facets.contains(&FacetState::Unknown);
        self.verdict = match self.worst() {
            Some(Level::Must) => Verdict::Fail,
            Some(Level::Should) if strict => Verdict::Fail,
            _ if unknown => Verdict::CouldNotRun,
            Some(Level::Should) => Verdict::Warn,
            Some(Level::May) | None => Verdict::Pass,
        };
    }

    /// Applies `rewrite` to every text that a handler had a part in.
    pub fn rewrite(&mut self, rewrite: impl Fn(&str) -> String) {
        for failure in &mut self.failures {
            failure.message = rewrite(&failure.message);
            failure.actual = failure.actual.take().map(|text| rewrite(&text));
        }
        for step in &mut self.steps {
            step.content = rewrite(&step.content);
            step.fault = step.fault.take().map(|text| rewrite(&text));
        }
        for note in &mut self.notes {
            *note = rewrite(note);
        }
        self.log = rewrite(&self.log);
    }
}
