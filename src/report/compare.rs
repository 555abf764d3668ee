//! Two runs side by side: what is better, worse, new and gone.

use std::collections::BTreeMap;
use std::fmt;

use crate::case::{Facet, Level};
use crate::event::RunReport;
use crate::judge::{CaseResult, Verdict, located};

/// One case that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The case.
    pub id: String,
    /// What changed: the verdicts, or what fails.
    pub what: String,
}

/// Two runs side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Fails no longer, or in fewer ways.
    pub better: Vec<Difference>,
    /// Fails, fails in another way, or is no longer judged.
    pub worse: Vec<Difference>,
    /// Only in the newer run.
    pub new: Vec<Difference>,
    /// Only in the older run.
    pub gone: Vec<Difference>,
    /// As it was.
    pub same: usize,
}

/// Compares an older run with a newer one.
///
/// | then | now | |
/// |---|---|---|
/// | judged | not applicable, could not run, harness error | worse: nobody knows |
/// | not judged | pass | better |
/// | not judged | anything that fails | worse |
/// | fails | fails as well, and a check that held (of a facet, with a cause) fails now | worse |
/// | fails | fails as well, in fewer ways | better |
/// | otherwise | | by the order pass, warn, expected-fail, fail or unexpected-pass |
///
/// What is information only (level may) does not count.
pub fn compare(old: &RunReport, new: &RunReport) -> Comparison {
    let mut before: BTreeMap<&str, &CaseResult> = old.results.iter().map(|one| (one.id.as_str(), one)).collect();
    let mut comparison = Comparison::default();
    for now in &new.results {
        let Some(then) = before.remove(now.id.as_str()) else {
            comparison.new.push(Difference { id: now.id.clone(), what: now.verdict.as_str().into() });
            continue;
        };
        match changed(then, now) {
            Some((true, what)) => comparison.better.push(Difference { id: now.id.clone(), what }),
            Some((false, what)) => comparison.worse.push(Difference { id: now.id.clone(), what }),
            None => comparison.same += 1,
        }
    }
    let gone = before.into_values().map(|then| Difference { id: then.id.clone(), what: then.verdict.as_str().into() });
    comparison.gone.extend(gone);
    comparison
}

fn changed(then: &CaseResult, now: &CaseResult) -> Option<(bool, String)> {
    let verdicts = format!("{} -> {}", then.verdict.as_str(), now.verdict.as_str());
    let (was, is) = (failing(then), failing(now));
    let added: Vec<&String> = is.iter().filter(|(key, _)| !was.contains_key(*key)).map(|(_, text)| text).collect();
    let mended: Vec<&String> = was.iter().filter(|(key, _)| !is.contains_key(*key)).map(|(_, text)| text).collect();
    let because = |texts: &[&String]| match texts.first() {
        Some(text) => format!("{verdicts}: {text}"),
        None => verdicts.clone(),
    };
    let note = || match now.notes.first() {
        Some(note) => format!("{verdicts}: {note}"),
        None => verdicts.clone(),
    };
    match (is_judged(then), is_judged(now)) {
        (false, false) => return None,
        (true, false) => return Some((false, note())),
        (false, true) => return Some((rank(now) == 0, because(&added))),
        (true, true) => {}
    }
    if rank(now) > rank(then) || !added.is_empty() {
        return Some((false, because(&added)));
    }
    (rank(now) < rank(then) || !mended.is_empty()).then(|| (true, because(&mended)))
}

fn is_judged(result: &CaseResult) -> bool {
    !matches!(result.verdict, Verdict::NotApplicable | Verdict::CouldNotRun | Verdict::HarnessError)
}

fn rank(result: &CaseResult) -> u8 {
    match result.verdict {
        Verdict::Pass => 0,
        Verdict::Warn => 1,
        Verdict::ExpectedFail => 2,
        _ => 3,
    }
}

/// What fails at level should or must: by facet, cause and level, each with its first message.
fn failing(result: &CaseResult) -> BTreeMap<(Facet, &str, Level), String> {
    let mut found = BTreeMap::new();
    for failure in result.failures.iter().filter(|failure| failure.level > Level::May) {
        found
            .entry((failure.facet, failure.cause.as_str(), failure.level))
            .or_insert_with(|| format!("{} {}: {}", failure.level, failure.facet, located(failure)));
    }
    found
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [("worse", &self.worse), ("better", &self.better), ("new", &self.new), ("gone", &self.gone)];
        for (word, list) in lists {
            for one in list {
                writeln!(f, "{word:<7} {}  {}", one.id, one.what.replace('\n', "\n        "))?;
            }
        }
        let counts = lists.map(|(word, list)| format!("{} {word}", list.len()));
        writeln!(f, "{}, {} as before", counts.join(", "), self.same)
    }
}
