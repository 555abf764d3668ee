//! Proof that the suite finds faults: each handler of `broken/` must be found at the facet and the level that it
//! declares, and each case must find one of them, at the facet that the case is about.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]

mod common;
#[path = "broken/matrix.rs"]
mod matrix;
#[path = "broken/mod.rs"]
mod zoo;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use memconf::case::Level;
use memconf::event::{RunReport, exit};
use memconf::judge::{Failure, Verdict};

use common::run_suite;
use zoo::Broken;

/// Handlers that the suite judges wrongly, with the reason: what is declared is right, and does not come out yet.
const WRONG_VERDICTS: &str = include_str!("broken/wrong-verdicts.txt");

/// A handler and what the suite said of it, once asked.
struct Pen {
    broken: Broken,
    report: OnceLock<RunReport>,
}

impl Pen {
    fn report(&self) -> &RunReport {
        self.report.get_or_init(|| run_suite(self.broken.make, self.broken.disk))
    }
}

fn main() {
    let arguments = Arguments::from_args();
    quiet_panics();
    let pens: Arc<Vec<Pen>> =
        Arc::new(zoo::all().into_iter().map(|broken| Pen { broken, report: OnceLock::new() }).collect());
    let mut trials = vec![Trial::test("names-are-unique", {
        let pens = pens.clone();
        move || names_are_unique(&pens)
    })];
    trials.extend((0..pens.len()).map(|place| {
        let pens = pens.clone();
        Trial::test(pens[place].broken.name, move || {
            let name = pens[place].broken.name;
            match (is_found(&pens[place]), listed(WRONG_VERDICTS).contains_key(name)) {
                (Err(_), true) => Ok(()),
                (Ok(()), true) => Err("it is found as it should be: take it off wrong-verdicts.txt".into()),
                (found, false) => found,
            }
        })
    }));
    trials.push(Trial::test("every-case-finds-a-handler", {
        let pens = pens.clone();
        move || matrix::every_case_finds_a_handler(&pens)
    }));
    trials.push(Trial::test("the-same-answer-to-everything-passes-no-case", the_same_answer_passes_no_case));
    libtest_mimic::run(&arguments, trials).exit();
}

fn the_same_answer_passes_no_case() -> Result<(), Failed> {
    let passed: Vec<String> = zoo::constants::all()
        .iter()
        .flat_map(|constant| {
            let results = run_suite(constant.make, false).results;
            // What is left open fails nobody.
            let claims = results.into_iter().filter(|result| result.level > Level::May);
            let passed = claims.filter(|result| result.verdict == Verdict::Pass);
            passed.map(|result| format!("{}, whatever it is asked: passes {}", constant.answer, result.id))
        })
        .collect();
    if passed.is_empty() { Ok(()) } else { Err(passed.join("\n").into()) }
}

fn names_are_unique(pens: &[Pen]) -> Result<(), Failed> {
    let mut seen = BTreeSet::new();
    for Pen { broken, .. } in pens {
        let kebab = broken.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !kebab || broken.about.is_empty() || !seen.insert(broken.name) {
            return Err(format!("{}: twice, not in kebab-case, or without a description", broken.name).into());
        }
    }
    match listed(WRONG_VERDICTS).keys().find(|name| !seen.contains(**name)) {
        Some(name) => Err(format!("{name}: on wrong-verdicts.txt, and no such handler").into()),
        None => Ok(()),
    }
}

/// The suite finds the handler, by a failure of the declared facet and level, and says so with its exit code; and it
/// finds it by some cases, not by all. With `SHOW_FAILURES` in the environment, what fails is printed.
fn is_found(pen: &Pen) -> Result<(), Failed> {
    let Broken { name, about, facet, level, .. } = &pen.broken;
    let report = pen.report();
    let results = &report.results;
    let all: Vec<(&str, &Failure)> =
        results.iter().flat_map(|result| result.failures.iter().map(|failure| (result.id.as_str(), failure))).collect();
    let fail = |what: &str| -> Result<(), Failed> {
        Err(format!("{name} ({about}): {what}; {} failures:\n{}", all.len(), shown(report, &all)).into())
    };
    if std::env::var_os("SHOW_FAILURES").is_some() {
        println!("{name} ({about}):\n{}", shown(report, &all));
    }
    if !all.iter().any(|(_, failure)| failure.facet == *facet && failure.level >= *level) {
        return fail(&format!("no failure of {facet} at level {level} or above"));
    }
    if *level < Level::Must && all.iter().any(|(_, failure)| failure.level == Level::Must) {
        return fail("a must failed, but should is declared");
    }
    if all.iter().any(|(_, failure)| failure.message.is_empty()) {
        return fail("a failure without a message");
    }
    let usual = if *level == Level::Must { exit::FAILED } else { exit::OK };
    if report.exit_code() != usual {
        return fail(&format!("the exit code is {}, {usual} expected", report.exit_code()));
    }
    let mut strict = RunReport { results: results.clone(), ..RunReport::default() };
    strict.results.iter_mut().for_each(|result| result.decide(true));
    if strict.exit_code() != exit::FAILED {
        return fail(&format!("with --strict the exit code is {}, 1 expected", strict.exit_code()));
    }
    match results.iter().filter(|result| result.worst() >= Some(Level::Should)).count() {
        0 => fail("no case finds it"),
        failed if failed == results.len() => fail("every case of the suite finds it, so none does"),
        _ => Ok(()),
    }
}

fn shown(report: &RunReport, failures: &[(&str, &Failure)]) -> String {
    let first_line = |text: &str| -> String { text.lines().next().unwrap_or_default().chars().take(160).collect() };
    let lines = failures.iter().take(200).map(|(id, failure)| {
        let Failure { step, level, facet, message, .. } = failure;
        format!("  {id} step {step}: {level} {facet}: {}", first_line(message))
    });
    let troubles =
        report.results.iter().filter(|result| matches!(result.verdict, Verdict::CouldNotRun | Verdict::HarnessError));
    let troubles = troubles
        .take(5)
        .map(|result| format!("  {} {}: {}", result.id, result.verdict.as_str(), result.notes.join("; ")));
    lines.chain(troubles).collect::<Vec<_>>().join("\n")
}

/// Handlers that panic on purpose do not fill the log; a panic of anything else is still shown.
fn quiet_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let own = info.payload().downcast_ref::<&str>().is_some_and(|text| text.starts_with("on purpose"));
        if !own {
            usual(info);
        }
    }));
}

/// The lines of a list: a name, a blank, a reason. `#` begins a comment.
fn listed(list: &str) -> BTreeMap<&str, &str> {
    let lines = list.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').unwrap_or((line, ""))).collect()
}
