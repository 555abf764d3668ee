//! Lists of known failures. Two-way: a listed failure that fails no longer, or otherwise, is a problem too.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::text::push_visible;
use super::verdict::{CaseResult, Verdict};
use crate::case::{Facet, Level};

/// One listed failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The case.
    pub case: String,
    /// The facet that fails.
    pub facet: Facet,
    /// The result seen.
    pub seen: String,
    /// Why it is known, filled in by hand.
    pub reason: String,
    /// Where it is reported, filled in by hand.
    pub link: String,
    /// The line in the file, counted from 1.
    pub line: usize,
}

/// A list of known failures.
#[derive(Clone, Debug, Default)]
pub struct KnownFailures {
    /// In the order of the file.
    pub entries: Vec<Entry>,
}

/// What does not agree with the list any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownProblem {
    /// The case that the entry names.
    pub case: String,
    /// The line of the entry.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListFile {
    #[serde(default)]
    failure: Vec<Spanned<EntryFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryFile {
    case: String,
    facet: Facet,
    seen: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    link: String,
}

/// A longer result is cut in the list.
const LONGEST_SEEN: usize = 300;

impl KnownFailures {
    /// Reads a list.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn parse(text: &str) -> Result<KnownFailures, String> {
        let file: ListFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let entries = file.failure.into_iter().map(|entry| {
            let line = text[..entry.span().start].bytes().filter(|byte| *byte == b'\n').count() + 1;
            let EntryFile { case, facet, seen, reason, link } = entry.into_inner();
            Entry { case, facet, seen, reason, link, line }
        });
        Ok(KnownFailures { entries: entries.collect() })
    }

    /// Reads a list from a file.
    ///
    /// # Errors
    /// What is wrong, with the file.
    pub fn read(file: &Path) -> Result<KnownFailures, String> {
        let text =
            std::fs::read_to_string(file).map_err(|error| format!("{}: cannot be read: {error}", file.display()))?;
        KnownFailures::parse(&text).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// The list of all that fails at level should or must, one entry a case and facet; reasons and links are taken
    /// over from `before`.
    pub fn of(results: &[CaseResult], before: Option<&KnownFailures>) -> KnownFailures {
        let mut entries = Vec::new();
        for result in results {
            for (facet, seen) in failing(result) {
                let old =
                    before.and_then(|list| list.entries.iter().find(|old| old.case == result.id && old.facet == facet));
                let (reason, link) = old.map(|old| (old.reason.clone(), old.link.clone())).unwrap_or_default();
                entries.push(Entry { case: result.id.clone(), facet, seen, reason, link, line: 0 });
            }
        }
        KnownFailures { entries }
    }

    /// Marks the cases whose failures are all listed, and gives what no longer agrees. Cases that were not part of
    /// the run (`ran` says which ids exist at all) are left alone.
    pub fn apply(&self, results: &mut [CaseResult], exists: impl Fn(&str) -> bool) -> Vec<KnownProblem> {
        let mut problems = Vec::new();
        let mut of_case: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in &self.entries {
            of_case.entry(&entry.case).or_default().push(entry);
        }
        for result in results {
            let Some(entries) = of_case.remove(result.id.as_str()) else { continue };
            if matches!(result.verdict, Verdict::NotApplicable | Verdict::CouldNotRun | Verdict::HarnessError) {
                continue;
            }
            let failing = failing(result);
            let mut agrees = true;
            for entry in &entries {
                let found = failing.iter().find(|(facet, _)| *facet == entry.facet);
                let problem = match found {
                    None => Some(format!(
                        "{} no longer fails in its {}: remove the entry at line {}",
                        entry.case, entry.facet, entry.line
                    )),
                    Some((_, seen)) if *seen != entry.seen => Some(format!(
                        "{} fails in its {} with another result: remove the entry at line {}, or write the list again\n  listed: {}\n  now:    {seen}",
                        entry.case, entry.facet, entry.line, entry.seen
                    )),
                    Some(_) => None,
                };
                if let Some(message) = problem {
                    agrees = false;
                    problems.push(KnownProblem { case: entry.case.clone(), line: entry.line, message });
                }
            }
            let all_listed = failing.iter().all(|(facet, _)| entries.iter().any(|entry| entry.facet == *facet));
            result.verdict = match (agrees, all_listed) {
                (true, true) => Verdict::ExpectedFail,
                (false, true) => Verdict::UnexpectedPass,
                (_, false) => result.verdict,
            };
        }
        for (case, entries) in of_case {
            for entry in entries.into_iter().filter(|_| !exists(case)) {
                let message = format!("no case is called {case}: remove the entry at line {}", entry.line);
                problems.push(KnownProblem { case: case.into(), line: entry.line, message });
            }
        }
        problems.sort_by_key(|problem| problem.line);
        problems
    }
}

impl fmt::Display for KnownFailures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Known failures, one entry a case and facet. Written by `memconf run --write-known-failures`;")?;
        writeln!(f, "# fill in `reason` and `link` by hand, they are kept when the list is written again.")?;
        for entry in &self.entries {
            writeln!(f, "\n[[failure]]")?;
            for (key, value) in [
                ("case", entry.case.as_str()),
                ("facet", entry.facet.as_str()),
                ("seen", &entry.seen),
                ("reason", &entry.reason),
                ("link", &entry.link),
            ] {
                writeln!(f, "{key} = {}", toml::Value::String(value.to_owned()))?;
            }
        }
        Ok(())
    }
}

/// The facets that fail at level should or must, each with the result seen: of the first such failure.
fn failing(result: &CaseResult) -> Vec<(Facet, String)> {
    Facet::ALL
        .into_iter()
        .filter_map(|facet| {
            let weighty = |level| level >= Level::Should;
            let first = result.failures.iter().find(|one| one.facet == facet && weighty(one.level))?;
            Some((facet, visible(&format!("step {}: {}", first.step, first.message))))
        })
        .collect()
}

/// On one line, with sizes of listings left out (they differ from file system to file system).
fn visible(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars().take(LONGEST_SEEN) {
        push_visible(&mut shown, c);
    }
    shown
}
