//! What can happen in a run: the only thing that a report sees.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::case::{Case, Catalogue, Facet};
use crate::judge::{CaseResult, Dialects, FacetState, KnownProblem, Verdict};

/// Something that happened. The order of `CaseFinished` is that of the work, not of the report.
#[derive(Debug)]
pub enum Event<'a> {
    /// A run begins.
    RunStarted {
        /// How many cases there are.
        cases: usize,
    },
    /// A case was judged; a choice that is not the usual one, or a list of known failures, may still change its
    /// verdict.
    CaseFinished(&'a CaseResult),
    /// A fuzz run begins.
    FuzzStarted {
        /// At most so many attempts; `u64::MAX` where only the time is bounded.
        count: u64,
        /// At most so long.
        time: Option<Duration>,
    },
    /// How far a fuzz run is.
    FuzzProgress {
        /// Attempts made.
        done: u64,
        /// Findings so far.
        found: usize,
    },
    /// All is judged.
    RunFinished(&'a RunReport),
}

/// What is known of the handler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandlerInfo {
    /// `built-in`, `stdio`, `in-process`.
    pub transport: String,
    /// What it calls itself.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Where it is published.
    pub url: Option<String>,
    /// Whether memconf saw the store's directory.
    pub disk: bool,
    /// Whether one process served many cases (`reset` is known).
    pub resets: bool,
}

/// A finished run.
#[derive(Debug, Default)]
pub struct RunReport {
    /// The handler.
    pub handler: HandlerInfo,
    /// Ordered by id.
    pub results: Vec<CaseResult>,
    /// The handler's choices.
    pub choices: BTreeMap<String, String>,
    /// What no longer agrees with the list of known failures.
    pub known: Vec<KnownProblem>,
    /// What keeps the run from being judged exactly, or went wrong with the probe of the handler.
    pub warnings: Vec<String>,
    /// Attempts of a fuzz run, of which only findings are among the results; 0 for a run of cases.
    pub attempts: u64,
    /// Commands that these attempts sent.
    pub commands: u64,
    /// How long it took.
    pub duration: Duration,
    /// The command line that repeats a case; `{id}` stands for the case's id.
    pub again: String,
    /// The folder that the cases come from; `None` for those that ship with memconf.
    pub cases_dir: Option<String>,
    /// It was held against recorded transcripts, and not against the documentation.
    pub recorded: bool,
}

/// Exit codes: contract.
pub mod exit {
    /// Everything that had to hold, held.
    pub const OK: u8 = 0;
    /// A check failed, or a known failure no longer fails or fails otherwise.
    pub const FAILED: u8 = 1;
    /// Wrong usage, an unreadable or invalid case file.
    pub const USAGE: u8 = 2;
    /// A case could not run, or nothing ran.
    pub const INCOMPLETE: u8 = 3;
    /// A fault of memconf's own.
    pub const OWN_FAULT: u8 = 4;
}

impl RunReport {
    /// How many cases have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.results.iter().filter(|result| result.verdict == verdict).count()
    }

    /// How many cases have this state of a facet.
    pub fn count_facet(&self, facet: Facet, state: FacetState) -> usize {
        self.results.iter().filter(|result| result.facet(facet) == state).count()
    }

    /// The dialect that most texts are of, with how many of how many; `None` where no text was compared.
    pub fn nearest_dialect(&self) -> Option<(String, usize, usize)> {
        let all: Vec<u32> = self.results.iter().flat_map(|result| result.wordings.iter().copied()).collect();
        let counts = Dialects::builtin().iter().enumerate().map(|(place, dialect)| {
            let count = all.iter().filter(|matches| **matches & (1 << place) != 0).count();
            (count, std::cmp::Reverse(place), dialect)
        });
        let (count, _, dialect) = counts.max_by_key(|(count, place, _)| (*count, *place))?;
        (count > 0).then(|| (dialect.name.clone(), count, all.len()))
    }

    /// What the exit code means, in a word or three.
    pub fn conclusion(&self) -> &'static str {
        match (self.exit_code(), self.recorded) {
            (exit::OK, false) => "conforms",
            (exit::OK, true) => "as recorded",
            (exit::FAILED, false) => "does not conform",
            (exit::FAILED, true) => "not as recorded",
            (exit::INCOMPLETE, _) => "incomplete",
            _ => "memconf failed",
        }
    }

    /// The exit code: a failure outweighs memconf's own fault, and that an incomplete run.
    pub fn exit_code(&self) -> u8 {
        let any = |verdict| self.results.iter().any(|result| result.verdict == verdict);
        let judged = self.attempts > 0
            || self.results.iter().any(|result| {
                !matches!(result.verdict, Verdict::NotApplicable | Verdict::CouldNotRun | Verdict::HarnessError)
            });
        if any(Verdict::Fail) || any(Verdict::UnexpectedPass) || !self.known.is_empty() {
            exit::FAILED
        } else if any(Verdict::HarnessError) {
            exit::OWN_FAULT
        } else if any(Verdict::CouldNotRun) || !judged {
            exit::INCOMPLETE
        } else {
            exit::OK
        }
    }
}

/// What a report may look up: the scripts and the requirements of the run.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// Ordered by id.
    pub cases: &'a [Case],
    /// The requirements.
    pub catalogue: &'a Catalogue,
}

impl<'a> Material<'a> {
    /// A case by its id.
    pub fn case(&self, id: &str) -> Option<&'a Case> {
        self.cases.binary_search_by(|case| case.id.as_str().cmp(id)).ok().map(|at| &self.cases[at])
    }
}
