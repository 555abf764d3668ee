//! Every case against both stores of the reference handler, one test each, and its transcript as a snapshot.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use std::fmt::Write;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use memconf::case::{Action, Case, builtin_cases, builtin_catalogue};
use memconf::judge::{CaseResult, Demands, Verdict, explain, quote};
use memconf::reference::Reference;
use memconf::runner::{Connect, Worker, connect_builtin, connect_in_process};
use memconf::sandbox::Sandbox;

fn main() {
    let arguments = Arguments::from_args();
    let cases: Vec<Arc<Case>> = builtin_cases().unwrap().into_iter().map(Arc::new).collect();
    let memory: Arc<dyn Connect + Send> = Arc::new(connect_builtin());
    let directory: Arc<dyn Connect + Send> = Arc::new(connect_in_process("built-in", Reference::in_directory));
    let mut trials = Vec::new();
    for (store, connect) in [("memory", memory), ("directory", directory)] {
        for case in &cases {
            let (case, connect) = (case.clone(), connect.clone());
            trials.push(Trial::ignorable_test(format!("{store}/{}", case.id), move || test(&case, connect.as_ref())));
        }
    }
    libtest_mimic::run(&arguments, trials).exit()
}

fn test(case: &Case, connect: &dyn Connect) -> Result<Completion, Failed> {
    let sandbox = Sandbox::new().map_err(|error| error.to_string())?;
    let area = sandbox.area(0, connect.touches_disk()).map_err(|error| error.to_string())?;
    let demands = Demands::default();
    let result = Worker::new(connect, area, builtin_catalogue(), &demands).run(case);
    match result.verdict {
        Verdict::NotApplicable if !connect.touches_disk() => {
            return Ok(Completion::ignored_with(result.notes.join("; ")));
        }
        Verdict::Pass if result.failures.is_empty() => {}
        _ => return Err(explain(&result, case).into()),
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(common::package().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(case.title.clone());
    settings.bind(|| insta::assert_snapshot!(case.id.as_str(), transcript(case, &result)));
    Ok(Completion::Completed)
}

/// What was sent and what came, with everything that cannot be seen written out, except line feeds.
fn transcript(case: &Case, result: &CaseResult) -> String {
    let mut text = String::new();
    for (index, step) in case.steps.iter().enumerate() {
        let sent = match &step.action {
            Action::Call(input) => common::shortened(&input.to_string()),
            Action::Restart => "(restart)".into(),
            Action::Plant(plant) => format!("(plant {plant:?})"),
        };
        let Some(answer) = result.steps.iter().find(|answer| answer.step == index + 1) else {
            if !matches!(step.action, Action::Call(_)) {
                let _ = writeln!(text, "> {sent}");
            }
            continue;
        };
        let _ = writeln!(text, "> {sent}");
        let mark = if answer.is_error { "!" } else { "<" };
        for line in common::shortened(&answer.content).split('\n') {
            let _ = writeln!(text, "{mark} {}", visible(line));
        }
    }
    text
}

fn visible(line: &str) -> String {
    let plain = |c: char| c != '\\' && (c == '\t' || !c.is_control()) && quote(&c.to_string()).chars().count() == 3;
    line.chars().map(|c| if c == '\t' || plain(c) { c.to_string() } else { c.escape_default().to_string() }).collect()
}
