//! Handlers with one path fault each: the default attacks find each, and name its class. On handlers that are right
//! in their own way the same attacks, and many at random, find nothing that must not be.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[path = "path_faults/handler.rs"]
mod handler;
#[path = "path_faults/keys.rs"]
mod keys;
#[path = "path_faults/zoo.rs"]
mod zoo;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use memconf::Handler;
use memconf::case::{Level, builtin_catalogue};
use memconf::fuzz::paths::PathAttacks;
use memconf::fuzz::{FuzzOptions, FuzzReport, fuzz};
use memconf::judge::Demands;
use memconf::reference::Reference;
use memconf::runner::{Connect, connect_builtin, connect_in_process};

fn main() {
    let arguments = Arguments::from_args();
    std::panic::set_hook(Box::new(|_| {}));
    let mut trials = Vec::new();
    for (name, expected, make) in zoo::all() {
        trials.push(Trial::test(format!("found/{name}"), move || is_found(name, &expected, make)));
    }
    trials.push(Trial::test("silent/reference-in-memory", || is_silent(&connect_builtin())));
    trials.push(Trial::test("silent/reference-in-a-directory", || {
        is_silent(&connect_in_process("built-in", Reference::in_directory))
    }));
    for (name, make) in zoo::right() {
        trials.push(Trial::test(format!("silent/{name}"), move || is_silent(&connect_in_process("built-in", make))));
    }
    libtest_mimic::run(&arguments, trials).exit()
}

pub type Make = fn() -> Box<dyn Handler>;

static ATTACKS: LazyLock<PathAttacks> = LazyLock::new(|| PathAttacks::new(1));

fn attack(connect: &dyn Connect, count: u64) -> FuzzReport {
    let options = FuzzOptions { jobs: 1, seed: 1, count, time: None, demands: Demands::default() };
    fuzz(&*ATTACKS, builtin_catalogue(), connect, &options, &mut |_| {}).unwrap()
}

/// The classes of the findings at level must, and all titles.
fn musts(report: &FuzzReport) -> (BTreeSet<String>, String) {
    let (mut classes, mut told) = (BTreeSet::new(), String::new());
    for result in &report.report.results {
        let must = result.worst() == Some(Level::Must);
        told += &format!("{} {}: {}\n", if must { "must" } else { "    " }, result.id, result.title);
        if must {
            let word = result.id.split('-').nth(1).unwrap_or_default();
            classes.insert(word.to_uppercase());
            if std::env::var_os("SHOW").is_some() {
                told += &format!("{:#?}\n{:#?}\n", result.failures, result.steps);
            }
        }
    }
    (classes, told)
}

fn is_found(name: &str, expected: &[&str], make: Make) -> Result<(), Failed> {
    let report = attack(&connect_in_process("built-in", make), ATTACKS.enumerated());
    let (classes, told) = musts(&report);
    let expected: BTreeSet<String> = expected.iter().map(|class| (*class).to_owned()).collect();
    match classes == expected {
        true => Ok(()),
        false => Err(format!("{name}: {expected:?} expected, found {classes:?}:\n{told}").into()),
    }
}

fn is_silent(connect: &dyn Connect) -> Result<(), Failed> {
    let count = std::env::var("ATTACKS").ok().and_then(|count| count.parse().ok()).unwrap_or(3000);
    let report = attack(connect, count);
    let (classes, told) = musts(&report);
    if report.report.attempts != count {
        return Err(format!("{} attempts of {count}: {:?}", report.report.attempts, report.report.results).into());
    }
    if classes.is_empty() { Ok(()) } else { Err(told.into()) }
}
