//! Real handlers from the registries, at pinned versions. What fails is listed, entry by entry with its reason; the
//! list is two-way, so that neither a new failure nor a mended one goes unnoticed.
//!
//! `MEMCONF_UPDATE=1` writes the lists again; reasons are kept, and new entries need one by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;
mod provision;

use libtest_mimic::{Arguments, Failed, Trial};
use memconf::case::{Facet, builtin_cases, builtin_catalogue};
use memconf::event::RunReport;
use memconf::judge::{Demands, Dialects, KnownFailures, Verdict, explain};
use memconf::runner::{RunOptions, connect_stdio, run};
use memconf::transport::StdioCommand;

/// Defects that are published or were measured, and the case whose failure shows each.
const DEFECTS: [(&str, &str, &str, Facet); 21] = [
    ("python-sdk", "drops a trailing blank line on insert", "fidelity/one-trailing-blank-line-survives-insert", B),
    ("python-sdk", "TypeError where new_str is omitted", "str_replace/new-str-omitted", B),
    ("python-sdk", "lists node_modules", "view/node-modules-is-left-out", B),
    ("python-sdk", "short header of a listing", "view/directory", W),
    ("python-sdk", "deviating text for a bad line", "insert/negative-line", W),
    ("python-sdk", "accepts /memoriesX", "paths/prefix-without-separator-view", B),
    ("python-sdk", "host path for a link loop", "store/link-to-itself", S),
    ("python-sdk", "empty file after a refused create", "create/refused-leaves-no-file", B),
    ("python-sdk", "empty directories after a refused rename", "rename/failed-leaves-no-directory", B),
    ("typescript-sdk", "accepts /memoriesX", "paths/prefix-without-separator-view", B),
    ("typescript-sdk", "multi-line old_str never matches", "str_replace/multi-line", B),
    ("typescript-sdk", "writes `undefined` where new_str is omitted", "str_replace/new-str-omitted", B),
    ("typescript-sdk", "two occurrences on one line go unnoticed", "str_replace/same-line-twice", B),
    ("typescript-sdk", "deviating text for the line limit", "view/line-limit", W),
    ("typescript-sdk", "host path below a file", "paths/no-host-path-below-a-file", S),
    ("typescript-sdk", "host path for a move into itself", "paths/no-host-path-for-a-move-into-itself", S),
    ("typescript-sdk", "host path for a long name", "paths/no-host-path-for-a-long-name", S),
    ("typescript-sdk", "a command named like a method succeeds", "input/prototype-commands", B),
    ("typescript-sdk", "replacement characters written back", "store/not-utf8-edit", B),
    ("typescript-sdk", "empty file after a refused create", "create/refused-leaves-no-file", B),
    ("typescript-sdk", "empty directories after a refused rename", "rename/failed-leaves-no-directory", B),
];

const S: Facet = Facet::Safety;
const B: Facet = Facet::Behaviour;
const W: Facet = Facet::Wording;

fn main() {
    let arguments = Arguments::from_args();
    let handlers = provision::handlers().unwrap();
    let handlers = handlers.into_iter().filter(|handler| !handler.control);
    let trials = handlers.map(|handler| Trial::test(handler.name.clone(), move || test(&handler)));
    libtest_mimic::run(&arguments, trials.collect()).exit()
}

fn test(handler: &provision::Handler) -> Result<(), Failed> {
    let list = &handler.known_failures;
    let update = std::env::var_os("MEMCONF_UPDATE").is_some();
    let known = KnownFailures::read(list);
    let report = replay(handler, if update { None } else { Some(known.clone()?) })?;
    if update {
        let written = KnownFailures::of(&report.results, known.as_ref().ok());
        std::fs::create_dir_all(list.parent().unwrap()).unwrap();
        std::fs::write(list, written.to_string()).unwrap();
        return Err(format!("{} is written again; run without MEMCONF_UPDATE", list.display()).into());
    }
    let known = known?;
    let mut wrong: Vec<String> = report.known.iter().map(|problem| problem.message.clone()).collect();
    let cases = builtin_cases().unwrap();
    for result in &report.results {
        let fine = matches!(result.verdict, Verdict::Pass | Verdict::ExpectedFail);
        if !fine && !wrong.iter().any(|message| message.contains(&result.id)) {
            let case = cases.iter().find(|case| case.id == result.id).unwrap();
            wrong.push(format!("{}: {}", result.verdict.as_str(), explain(result, case)));
        }
    }
    for entry in known.entries.iter().filter(|entry| entry.reason.is_empty()) {
        wrong.push(format!("{}:{}: {} has no reason", list.display(), entry.line, entry.case));
    }
    let family = handler.name.trim_end_matches("-async");
    for (_, defect, case, facet) in DEFECTS.iter().filter(|(name, ..)| *name == family) {
        if !known.entries.iter().any(|entry| entry.case == *case && entry.facet == *facet) {
            wrong.push(format!("the defect `{defect}` is not on the list: no entry for {case} in its {facet}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn replay(handler: &provision::Handler, known: Option<KnownFailures>) -> Result<RunReport, Failed> {
    let provisioned = provision::provision(&handler.name)?;
    let mut command = StdioCommand::new(provisioned.command);
    command.env = provisioned.env;
    let (docs, _) = Dialects::builtin().get("docs").unwrap();
    let demands = Demands { dialect: Some(docs), ..Demands::default() };
    let options = RunOptions { demands, known, keep_steps: true, ..RunOptions::default() };
    let cases = builtin_cases().unwrap();
    let exists = |id: &str| cases.iter().any(|case| case.id == id);
    let connect = connect_stdio(command);
    Ok(run(&cases, builtin_catalogue(), &connect, &options, &exists, &mut |_| {}).map_err(|error| error.to_string())?)
}
