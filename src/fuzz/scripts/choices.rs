//! What a handler chooses where several behaviours are allowed: learned once, so that the model does the same.

use std::collections::BTreeMap;

use serde_json::json;

use crate::case::{Action, Case, Catalogue, Expected, Facet, Outcome, Step, builtin_cases};
use crate::event::RunReport;
use crate::judge::{CaseResult, Demands, Verdict};
use crate::runner::{Connect, RunOptions, run};
use crate::sandbox::SandboxError;

/// The built-in cases that show the choices, and what a handler can do at all.
const CASES: [&str; 13] = [
    "create/existing-file",
    "create/existing-empty-file",
    "create/missing-parents",
    "rename/missing-parents",
    "rename/file-onto-itself",
    "rename/letter-case-only",
    "insert/one-past-end",
    "str_replace/empty-old-str-in-empty-file",
    "view/emptied-directory",
    "view/empty-file",
    "view/final-newline",
    "view/sub-directory",
    "view/two-levels",
];

/// What stands in the file before the insertion of `z` at its end, and whether `z` has a final LF. In all of them a
/// final LF afterwards is the handler's choice (`ruling.insert-at-end`).
const PROBES: [(Ending, &str, &str); 5] = [
    (Ending::Closed { bare: true }, "x\ny\n", "z"),
    (Ending::Open { bare: false }, "x\ny", "z\n"),
    (Ending::Open { bare: true }, "x\ny", "z"),
    (Ending::Empty { bare: false }, "", "z\n"),
    (Ending::Empty { bare: true }, "", "z"),
];

/// Taken where a probe's file shows the inserted line.
const SHOWN: &str = "probe-line: shown";

/// Begins the ids of the probes.
const PROBE: &str = "probe/";

const FILE: &str = "/memories/memconf-probe.txt";

/// An insertion at the end of a file: how the file ends, and whether the inserted text has no final LF (`bare`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Closed { bare: bool },
    Open { bare: bool },
    Empty { bare: bool },
}

impl Ending {
    pub(super) fn of(file: &str, inserted: &str) -> Ending {
        let bare = !inserted.ends_with('\n');
        match file {
            "" => Ending::Empty { bare },
            closed if closed.ends_with('\n') => Ending::Closed { bare },
            _ => Ending::Open { bare },
        }
    }

    /// The key of the choice; `None` where there is none.
    fn key(self) -> Option<&'static str> {
        match self {
            Ending::Closed { bare: false } => None,
            Ending::Closed { bare: true } => Some("insert-bare-behind-closed"),
            Ending::Open { bare: false } => Some("insert-line-behind-open"),
            Ending::Open { bare: true } => Some("insert-bare-behind-open"),
            Ending::Empty { bare: false } => Some("insert-line-into-empty"),
            Ending::Empty { bare: true } => Some("insert-bare-into-empty"),
        }
    }
}

/// What one handler chooses. What is not known here is not tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    known: BTreeMap<String, String>,
    /// Missing parent directories are made.
    pub(super) parents: bool,
    /// A directory below the root can be viewed.
    pub(super) directories: bool,
    /// Listings have a row for every file and directory, two levels deep.
    pub(super) rows: bool,
}

impl Choices {
    /// The value of a key, where it is known.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.known.get(key).map(String::as_str)
    }

    pub(super) fn is(&self, key: &str, value: &str) -> bool {
        self.get(key) == Some(value)
    }

    /// Whether the file ends in an LF after an insertion at its end; `None` where that is not known.
    pub(super) fn ended(&self, ending: Ending) -> Option<bool> {
        let Some(key) = ending.key() else { return Some(true) };
        Some(self.get(key)? == "ended")
    }

    /// What is known, by key, for a report.
    pub fn known(&self) -> &BTreeMap<String, String> {
        &self.known
    }
}

/// Runs a handful of cases that show what a handler chooses.
///
/// # Errors
/// Where the sandbox cannot be made.
pub fn learn(connect: &dyn Connect, catalogue: &Catalogue) -> Result<Choices, SandboxError> {
    // What cannot be loaded is found by every other use of the built-in cases.
    let cases: Vec<Case> = builtin_cases().unwrap_or_default();
    let cases: Vec<Case> = cases.into_iter().filter(|case| CASES.contains(&case.id.as_str())).collect();
    let options = RunOptions {
        jobs: 1,
        demands: Demands { dialect: None, strict: false, facets: vec![Facet::Safety, Facet::Behaviour] },
        ..RunOptions::default()
    };
    let mut choices = Choices::default();
    let report = run(&cases, catalogue, connect, &options, &|_| true, &mut |_| {})?;
    choices.take(&report);
    let passes = |id: &str| report.results.iter().any(|result| result.id == id && result.verdict == Verdict::Pass);
    choices.parents = passes("create/missing-parents") && passes("rename/missing-parents");
    choices.directories = passes("view/sub-directory");
    choices.rows = passes("view/two-levels");
    let shows_final_newline = choices.is("final-newline", "starts-line");
    let probes: Vec<Case> =
        PROBES.iter().filter_map(|(ending, file, text)| probe(*ending, file, text, shows_final_newline)).collect();
    let report = run(&probes, catalogue, connect, &options, &|_| true, &mut |_| {})?;
    choices.take(&report);
    for result in report.results.iter().filter(|result| result.verdict == Verdict::Fail) {
        // Wrong as it is, it need not be avoided: whatever is expected, it is found.
        if let Some(key) = result.id.strip_prefix(PROBE) {
            choices.known.entry(key.to_owned()).or_insert_with(|| "ended".into());
        }
    }
    choices.known.retain(|key, _| !SHOWN.starts_with(key.as_str()));
    Ok(choices)
}

impl Choices {
    /// Takes over every choice that was the same in all cases.
    fn take(&mut self, report: &RunReport) {
        let inconsistent = |key: &str| {
            let cause = format!("inconsistent choice {key}");
            let about = |result: &CaseResult| result.failures.iter().any(|failure| failure.cause == cause);
            report.results.iter().any(about)
        };
        let sound = report.choices.iter().filter(|(key, _)| !inconsistent(key));
        self.known.extend(sound.map(|(key, value)| (key.clone(), value.clone())));
    }
}

/// A case that shows whether the file has a final LF after an insertion at its end: on the disk, or in a view that
/// shows a final LF, or else by an edit that needs one.
fn probe(ending: Ending, file: &str, text: &str, shows_final_newline: bool) -> Option<Case> {
    let key = ending.key()?;
    let (open, ended) = match file {
        "" => ("z", "z\n"),
        _ => ("x\ny\nz", "x\ny\nz\n"),
    };
    let outcome = |value: &str, expected: Expected, disk: Option<&str>| Outcome {
        expected,
        choice: Some(format!("{key}: {value}")),
        when: None,
        disk: disk.map(|text| (FILE.to_owned(), Some(text.into()))).into_iter().collect(),
        modes: Vec::new(),
    };
    let step = |call, outcomes| Step { action: Action::Call(call), when: None, requirements: Vec::new(), outcomes };
    let number = if file.is_empty() { 0 } else { 2 };
    let look = json!({ "command": "view", "path": FILE });
    let view = |text: &str| {
        let mut view = format!("Here's the content of {FILE} with line numbers:");
        for (number, line) in (1..).zip(text.split('\n')) {
            view.push_str(&format!("\n{number:>6}\t{line}"));
        }
        Expected::Ok(view)
    };
    let mut steps = vec![
        step(json!({ "command": "create", "path": FILE, "file_text": file }), Vec::new()),
        step(
            json!({ "command": "insert", "path": FILE, "insert_line": number, "insert_text": text }),
            vec![outcome("ended", Expected::AnyOk, Some(ended)), outcome("open", Expected::AnyOk, Some(open))],
        ),
    ];
    if shows_final_newline {
        steps.push(step(look, vec![outcome("ended", view(ended), None), outcome("open", view(open), None)]));
    } else {
        // Only where the text is there at all does it say something that an edit finds none.
        steps.push(step(look, vec![Outcome { choice: Some(SHOWN.into()), ..outcome("", view(open), None) }]));
        let outcomes = vec![outcome("ended", Expected::AnyOk, None), outcome("open", Expected::AnyError, None)];
        let call = json!({ "command": "str_replace", "path": FILE, "old_str": "z\n", "new_str": "w" });
        steps.push(Step { when: Some(SHOWN.into()), ..step(call, outcomes) });
    }
    Some(Case {
        id: format!("{PROBE}{key}"),
        title: "What an insertion at the end of a file does about a final LF".into(),
        requirements: vec!["ruling.insert-at-end".into()],
        needs: Vec::new(),
        steps,
    })
}
