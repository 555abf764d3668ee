//! Handlers with one path fault each: the default attacks find each, and name its class. On handlers that are right
//! in their own way the same attacks, and many at random, find nothing that must not be.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[path = "path_faults/handler.rs"]
mod handler;
#[path = "path_faults/keys.rs"]
mod keys;
#[path = "path_faults/tenants.rs"]
mod tenants;
#[path = "path_faults/zoo.rs"]
mod zoo;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use memconf::Handler;
use memconf::case::{Level, builtin_catalogue};
use memconf::fuzz::paths::{OutsideCanary, PathAttacks};
use memconf::fuzz::{FuzzOptions, FuzzReport, fuzz};
use memconf::judge::Demands;
use memconf::reference::Reference;
use memconf::runner::{Connect, connect_builtin, connect_in_process};

fn main() {
    in_memory();
    let arguments = Arguments::from_args();
    std::panic::set_hook(Box::new(|_| {}));
    let mut trials = Vec::new();
    for (name, expected, make) in zoo::all() {
        // Permissions keep root from nothing: there such a fault cannot show.
        let could_not_run = is_root() && expected.contains(&"C9");
        let trial = Trial::test(format!("found/{name}"), move || is_found(name, &expected, make));
        trials.push(trial.with_ignored_flag(could_not_run));
    }
    let (name, expected, make) = zoo::crowded();
    trials.push(Trial::test(format!("found/{name}"), move || {
        let attacks = PathAttacks::new(1);
        is_named(name, &expected, &attack(&attacks, &connect_in_process("built-in", make), attacks.enumerated()))
    }));
    trials.push(Trial::test("silent/reference-in-memory", || is_silent(&connect_builtin())));
    trials.push(Trial::test("silent/reference-in-a-directory", || {
        is_silent(&connect_in_process("built-in", Reference::in_directory))
    }));
    for (name, make) in zoo::right() {
        trials.push(Trial::test(format!("silent/{name}"), move || is_silent(&connect_in_process("built-in", make))));
    }
    trials.push(Trial::test("author's-secret/found", || author(false)));
    trials.push(Trial::test("author's-secret/silent", || author(true)));
    trials.push(Trial::test("silent/very-many-files", || {
        let attacks = PathAttacks::new(1);
        is_calm(&attacks, &connect_in_process("built-in", Reference::in_directory), attacks.enumerated())
    }));
    libtest_mimic::run(&arguments, trials).exit()
}

/// Starts anew with the sandboxes in memory, where the system has such a folder: the disk takes most of the time. Not
/// as root either, whom no permissions keep out.
fn in_memory() {
    use std::os::unix::process::CommandExt;
    const MEMORY: &str = "/dev/shm";
    const STARTED: &str = "MEMCONF_STARTED_ANEW";
    const NOBODY: u32 = 65534;
    let Ok(exe) = std::env::current_exe() else { return };
    if std::env::var_os(STARTED).is_some() {
        return;
    }
    let mut again = Command::new(exe);
    again.args(std::env::args_os().skip(1)).env(STARTED, "1");
    if Path::new(MEMORY).is_dir() {
        again.env("TMPDIR", MEMORY);
    }
    // Gives back only where it cannot be started.
    if is_root() {
        let _ = again.uid(NOBODY).gid(NOBODY).exec();
        again.uid(0).gid(0);
    }
    let _ = again.exec();
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

pub type Make = fn() -> Box<dyn Handler>;

static ATTACKS: LazyLock<PathAttacks> = LazyLock::new(|| PathAttacks::new(1).without_many_files());

fn attack(attacks: &PathAttacks, connect: &dyn Connect, count: u64) -> FuzzReport {
    let options = FuzzOptions { jobs: 1, seed: 1, count, time: None, demands: Demands::default() };
    fuzz(attacks, builtin_catalogue(), connect, &options, &mut |_| {}).unwrap()
}

/// The classes of the findings at level must as they are, of those at level should with the level; and all titles.
fn classes(report: &FuzzReport) -> (BTreeSet<String>, String) {
    let (mut classes, mut told) = (BTreeSet::new(), String::new());
    for result in &report.report.results {
        let must = result.worst() == Some(Level::Must);
        told += &format!("{} {}: {}\n", if must { "must" } else { "    " }, result.id, result.title);
        let word = result.id.split('-').nth(1).unwrap_or_default().to_uppercase();
        classes.insert(if must { word } else { format!("{word} should") });
        if std::env::var_os("SHOW").is_some() {
            told += &format!("{:#?}\n{:#?}\n", result.failures, result.steps);
        }
    }
    (classes, told)
}

fn is_found(name: &str, expected: &[&str], make: Make) -> Result<(), Failed> {
    let report = attack(&ATTACKS, &connect_in_process("built-in", make), ATTACKS.enumerated());
    is_named(name, expected, &report)
}

/// Exactly these classes are found at level must, and at least these at level should.
fn is_named(name: &str, expected: &[&str], report: &FuzzReport) -> Result<(), Failed> {
    let (classes, told) = classes(report);
    let is_must = |class: &&String| !class.ends_with(" should");
    let expected: BTreeSet<String> = expected.iter().map(|class| (*class).to_owned()).collect();
    let musts = |of: &BTreeSet<String>| of.iter().filter(is_must).cloned().collect::<Vec<_>>();
    match musts(&classes) == musts(&expected) && classes.is_superset(&expected) {
        true => Ok(()),
        false => Err(format!("{name}: {expected:?} expected, found {classes:?}:\n{told}").into()),
    }
}

/// A store in a database, with a secret of another tenant's: found where `..` leads there, silent where it does not.
fn author(checks: bool) -> Result<(), Failed> {
    let canary = OutsideCanary::parse("/tenant-b/notes.md=kf83hd02mc").unwrap();
    let attacks = PathAttacks::new(1).without_many_files().with_canary(&canary);
    let make = move || tenants::Tenants::new(checks, "tenant-b/notes.md", "kf83hd02mc");
    let report = attack(&attacks, &connect_in_process("built-in", make), 400);
    let (found, told) = classes(&report);
    let id = report.cases.iter().find(|case| case.id == "fuzz/paths-a1-outside-canary-read");
    match (checks, id) {
        (true, None) if found.iter().all(|class| class.ends_with(" should")) => Ok(()),
        (false, Some(case)) if case.steps.len() == 1 => Ok(()),
        _ => Err(told.into()),
    }
}

fn is_silent(connect: &dyn Connect) -> Result<(), Failed> {
    let count =
        std::env::var("ATTACKS").ok().and_then(|count| count.parse().ok()).unwrap_or(ATTACKS.enumerated() + 500);
    is_calm(&ATTACKS, connect, count)
}

fn is_calm(attacks: &PathAttacks, connect: &dyn Connect, count: u64) -> Result<(), Failed> {
    let report = attack(attacks, connect, count);
    let (classes, told) = classes(&report);
    if report.report.attempts != count {
        return Err(format!("{} attempts of {count}: {:?}", report.report.attempts, report.report.results).into());
    }
    if classes.iter().all(|class| class.ends_with(" should")) { Ok(()) } else { Err(told.into()) }
}
