//! Proof that the suite raises no false alarm: handlers that are right in their own way fail no must, and at should
//! just what is true of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]

mod common;
#[path = "right/mod.rs"]
mod zoo;

use std::collections::BTreeSet;

use libtest_mimic::{Arguments, Failed, Trial};
use memconf::case::{Facet, Level, builtin_catalogue};
use memconf::event::RunReport;
use memconf::judge::{Failure, Verdict};

use common::{cases, run_suite};
use zoo::Right;

fn main() {
    let arguments = Arguments::from_args();
    let rights = zoo::all();
    let mut names = BTreeSet::new();
    let twice: Vec<&str> = rights.iter().map(|right| right.name).filter(|name| !names.insert(*name)).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let trials = rights.into_iter().map(|right| Trial::test(right.name, move || is_right(&right))).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn is_right(right: &Right) -> Result<(), Failed> {
    let report = run_suite(right.make, right.disk);
    let all: Vec<(&str, &Failure)> = report
        .results
        .iter()
        .flat_map(|result| result.failures.iter().map(|failure| (result.id.as_str(), failure)))
        .collect();
    let line = |(id, failure): &(&str, &Failure)| {
        let Failure { step, level, facet, message, .. } = failure;
        format!("  {id} step {step}: {level} {facet}: {message}\n")
    };
    let mut problems = String::new();
    problems.extend(all.iter().filter(|(_, failure)| failure.level == Level::Must).map(line));
    for result in &report.results {
        if matches!(result.verdict, Verdict::CouldNotRun | Verdict::HarnessError) {
            problems.push_str(&format!("  {} {}: {}\n", result.id, result.verdict.as_str(), result.notes.join("; ")));
        }
    }
    problems.extend(report.warnings.iter().map(|warning| format!("  {warning}\n")));
    let found: BTreeSet<String> = all
        .iter()
        .filter(|(_, failure)| failure.level == Level::Should)
        .flat_map(|(id, failure)| reasons(id, failure))
        .collect();
    let known: BTreeSet<String> = right.fails.iter().copied().flatten().map(|reason| (*reason).to_owned()).collect();
    for reason in found.difference(&known) {
        problems.push_str(&format!("  fails at should, and is not known to: {reason:?}\n"));
        let of_reason =
            |(id, failure): &&(&str, &Failure)| failure.level == Level::Should && reasons(id, failure).contains(reason);
        problems.extend(all.iter().filter(of_reason).take(3).map(line));
    }
    problems.extend(known.difference(&found).map(|reason| format!("  known to fail, and does not: {reason:?}\n")));
    println!("{}", choices(right, &report));
    if problems.is_empty() { Ok(()) } else { Err(format!("{} ({}):\n{problems}", right.name, right.about).into()) }
}

/// What is not as it should be: a requirement, or a wording's cause.
fn reasons(id: &str, failure: &Failure) -> Vec<String> {
    if failure.facet == Facet::Wording || failure.cause.starts_with("inconsistent choice") {
        return vec![failure.cause.clone()];
    }
    let speaks = |id: &String| builtin_catalogue().get(id).is_some_and(|one| one.facets.contains(&failure.facet));
    if speaks(&failure.cause) {
        return vec![failure.cause.clone()];
    }
    let Some(case) = cases().iter().find(|case| case.id == id) else { return Vec::new() };
    let ids = failure.step.checked_sub(1).map_or(case.requirements.as_slice(), |step| case.requirements_of(step));
    let about: Vec<String> = ids.iter().filter(|id| speaks(id)).cloned().collect();
    if about.is_empty() { ids.to_vec() } else { about }
}

fn choices(right: &Right, report: &RunReport) -> String {
    let choices: Vec<String> = report.choices.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    let passed = report.count(Verdict::Pass);
    let open = report.count(Verdict::NotApplicable);
    format!(
        "{} ({}): {passed} pass, {} warn, {open} not applicable\n  choices: {}",
        right.name,
        right.about,
        report.count(Verdict::Warn),
        choices.join(", ")
    )
}
