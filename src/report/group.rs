//! Failures with one cause, shown once.

use std::collections::BTreeMap;

use crate::case::{Facet, Level};
use crate::event::RunReport;
use crate::judge::{CaseResult, Failure, Verdict};

/// All failures of one cause.
pub struct Group<'a> {
    pub level: Level,
    pub facet: Facet,
    pub cause: &'a str,
    /// The case with the shortest script that shows it.
    pub example: (&'a CaseResult, &'a Failure),
    /// All cases, each once, ordered by id.
    pub cases: Vec<&'a str>,
}

/// The failures of a run, the weightiest first. A case whose behaviour failed shows what failed first; what follows
/// from it is in the JSON report.
pub fn groups(report: &RunReport) -> Vec<Group<'_>> {
    let mut found: BTreeMap<(std::cmp::Reverse<Level>, Facet, &str), Group<'_>> = BTreeMap::new();
    let shown = report.results.iter().filter(|result| result.verdict != Verdict::ExpectedFail);
    for result in shown {
        let mut behaviour_failed = false;
        for failure in &result.failures {
            if failure.facet == Facet::Behaviour && std::mem::replace(&mut behaviour_failed, true) {
                continue;
            }
            let key = (std::cmp::Reverse(failure.level), failure.facet, failure.cause.as_str());
            let group = found.entry(key).or_insert_with(|| Group {
                level: failure.level,
                facet: failure.facet,
                cause: &failure.cause,
                example: (result, failure),
                cases: Vec::new(),
            });
            let steps = |failure: &Failure| if failure.step == 0 { usize::MAX } else { failure.step };
            if steps(failure) < steps(group.example.1) {
                group.example = (result, failure);
            }
            if group.cases.last() != Some(&result.id.as_str()) {
                group.cases.push(&result.id);
            }
        }
    }
    found.into_values().collect()
}
