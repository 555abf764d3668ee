//! Random scripts find what they are made for, in few commands, and nothing where nothing is wrong.
//!
//! In a debug build the silent runs are a fraction as long: `cargo test --release --test script_faults` makes all of
//! them. Two more are for the eye: `-- --ignored speed` tells how fast it is, and `-- --ignored handler` tries the
//! handler whose command line stands in `MEMCONF_TRY`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

#[path = "script_faults/faults.rs"]
mod faults;
#[path = "script_faults/faulty.rs"]
mod faulty;
#[path = "script_faults/ways.rs"]
mod ways;

use std::path::Path;

use faulty::{Act, Faulty};
use libtest_mimic::{Arguments, Failed, Trial};
use memconf::Handler;
use memconf::case::{Action, Facet, Level, builtin_catalogue, load_dir};
use memconf::event::RunReport;
use memconf::fuzz::scripts::{DEFAULT_COUNT, learn, scripts};
use memconf::fuzz::{FuzzOptions, FuzzReport, fuzz};
use memconf::judge::Demands;
use memconf::reference::Reference;
use memconf::runner::{Connect, RunOptions, connect_builtin, connect_in_process, connect_stdio, run};
use memconf::sandbox::Area;
use memconf::transport::{InProcess, StdioCommand, Transport};

/// Scripts of a silent run.
const SILENT: u64 = if cfg!(debug_assertions) { 800 } else { 20_000 };

/// A finding's commands, without the observations, are at most so many.
const MOST_COMMANDS: usize = 4;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = Vec::new();
    for &(name, words, act) in faults::FAULTS {
        trials.push(Trial::test(format!("found: {name}"), move || is_found(words, act)));
    }
    for &(name, act) in ways::WAYS {
        trials.push(Trial::test(format!("silent: {name}"), move || {
            is_silent(&InMemory(move || Faulty::new(act)), SILENT / 4)
        }));
    }
    trials.push(Trial::test("silent: reference handler in memory", || is_silent(&connect_builtin(), SILENT)));
    trials.push(Trial::test("silent: reference handler in a directory", || {
        is_silent(&connect_in_process("built-in", Reference::in_directory), SILENT)
    }));
    trials.push(Trial::test("the same seed finds the same, whatever the workers", same_seed));
    trials.push(Trial::test("every intended fault is another one", || {
        if faults::FAULTS.len() >= 25 { Ok(()) } else { Err("at least 25 faults are promised".into()) }
    }));
    trials.push(Trial::test("speed", speed).with_ignored_flag(true));
    trials.push(Trial::test("handler", handler).with_ignored_flag(true));
    libtest_mimic::run(&arguments, trials).exit()
}

/// Handlers in this process that touch no disk.
struct InMemory<F>(F);

impl<H: Handler + 'static, F: Fn() -> H + Sync> Connect for InMemory<F> {
    fn transport(&self) -> &'static str {
        "in-process"
    }

    fn touches_disk(&self) -> bool {
        false
    }

    fn connect(&self, _: &Area) -> Box<dyn Transport> {
        Box::new(InProcess::new((self.0)()))
    }
}

fn demands() -> Demands {
    Demands { facets: vec![Facet::Safety, Facet::Behaviour], ..Demands::default() }
}

fn tried(connect: &dyn Connect, seed: u64, count: u64, jobs: usize) -> FuzzReport {
    let choices = learn(connect, builtin_catalogue()).unwrap();
    let options = FuzzOptions { jobs, seed, count, time: None, demands: demands() };
    fuzz(&scripts(seed, choices), builtin_catalogue(), connect, &options, &mut |_| {}).unwrap()
}

/// The findings as text.
fn told(found: &FuzzReport) -> String {
    let mut out = String::new();
    for (case, result) in found.cases.iter().zip(&found.report.results) {
        let failures: Vec<&str> = result.failures.iter().map(|failure| failure.message.as_str()).collect();
        out.push_str(&format!("{}\n{failures:#?}\n", case.to_json()));
    }
    out
}

fn is_found(words: &str, act: Act) -> Result<(), Failed> {
    // A panic of a handler is a finding, and no news.
    std::panic::set_hook(Box::new(|_| {}));
    let connect = InMemory(move || Faulty::new(act));
    let mut found = None;
    for count in [DEFAULT_COUNT / 20, DEFAULT_COUNT / 4, DEFAULT_COUNT] {
        let run = tried(&connect, 1, count, 1);
        if run.cases.iter().any(|case| case.id.contains(words)) {
            found = Some(run);
            break;
        }
        found = Some(run);
    }
    let found = found.unwrap();
    if !found.cases.iter().any(|case| case.id.contains(words)) {
        return Err(format!("nothing with `{words}` is found in {DEFAULT_COUNT} scripts:\n{}", told(&found)).into());
    }
    for (case, result) in found.cases.iter().zip(&found.report.results) {
        let commands = case.steps.iter().filter(|step| match &step.action {
            Action::Call(input) => input["command"] != "view",
            _ => true,
        });
        if commands.count() > MOST_COMMANDS {
            return Err(format!("more than {MOST_COMMANDS} commands:\n{}", told(&found)).into());
        }
        if result.failures.is_empty() {
            return Err(format!("the smallest script of {} does not fail", case.id).into());
        }
    }
    replays(&connect, &found)
}

/// The findings, written as files and run as cases, fail in the same way.
fn replays(connect: &dyn Connect, found: &FuzzReport) -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    for case in &found.cases {
        let file = folder.path().join(format!("{}.json", case.id));
        std::fs::create_dir_all(file.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(&file, case.to_json().to_string()).unwrap();
    }
    let (cases, catalogue) = load_dir(folder.path(), builtin_catalogue()).map_err(|error| error.to_string())?;
    let options = RunOptions { jobs: 1, demands: demands(), ..RunOptions::default() };
    let report: RunReport = run(&cases, &catalogue, connect, &options, &|_| true, &mut |_| {}).unwrap();
    for (again, before) in report.results.iter().zip(&found.report.results) {
        if (again.verdict, &again.failures) != (before.verdict, &before.failures) {
            let message = format!("{} fails otherwise as a case: {:#?}", again.id, again.failures);
            return Err(format!("{message}\nthan before: {:#?}", before.failures).into());
        }
    }
    Ok(())
}

fn is_silent(connect: &dyn Connect, count: u64) -> Result<(), Failed> {
    let found = tried(connect, 2, count, 0);
    let must = |result: &memconf::judge::CaseResult| result.worst() == Some(Level::Must);
    let trouble = found.report.results.iter().any(|result| must(result) || result.failures.is_empty());
    let any = connect.transport() == "built-in" && !found.report.results.is_empty();
    if trouble || any || found.report.attempts < count {
        let notes: Vec<&String> = found.report.results.iter().flat_map(|result| &result.notes).collect();
        return Err(format!("{} attempts\n{}{notes:?}", found.report.attempts, told(&found)).into());
    }
    Ok(())
}

fn same_seed() -> Result<(), Failed> {
    let connect = InMemory(|| Faulty::new(faults::FAULTS[0].2));
    let (one, two) = (told(&tried(&connect, 3, 300, 1)), told(&tried(&connect, 3, 300, 2)));
    if one == two { Ok(()) } else { Err(format!("{one}\n---\n{two}").into()) }
}

fn speed() -> Result<(), Failed> {
    for jobs in [1, 0] {
        let found = tried(&connect_builtin(), 4, SILENT * 3, jobs);
        let seconds = found.report.duration.as_secs_f64();
        let rate = |count: u64| count as f64 / seconds;
        println!(
            "{jobs} jobs: {:.0} commands/s, {:.0} scripts/s",
            rate(found.report.commands),
            rate(found.report.attempts)
        );
    }
    Ok(())
}

fn handler() -> Result<(), Failed> {
    let words = std::env::var("MEMCONF_TRY").map_err(|_| "MEMCONF_TRY names no command line")?;
    let command = StdioCommand::new(words.split_whitespace().map(str::to_owned).collect());
    let connect = connect_stdio(command);
    println!("{:#?}", learn(&connect, builtin_catalogue()).unwrap());
    let found = tried(&connect, 1, DEFAULT_COUNT, 0);
    println!("{}", told(&found));
    let (commands, seconds) = (found.report.commands, found.report.duration.as_secs_f64());
    println!(
        "{} scripts, {commands} commands in {seconds:.1} s: {:.0}/s",
        found.report.attempts,
        commands as f64 / seconds
    );
    println!("{:#?}", found.report.warnings);
    Ok(())
}
