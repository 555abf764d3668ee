//! What reproduces a failure: the smallest script, and the text that explains it.

use std::fmt::Write;

use super::text::quote;
use super::verdict::{CaseResult, Failure, Verdict};
use crate::case::{Action, Case, Level, PlantNode};

/// The steps up to `step` (from 1; 0: all), one a line, as they are sent.
pub fn script(case: &Case, step: usize) -> Vec<String> {
    let steps = if step == 0 { case.steps.len() } else { step.min(case.steps.len()) };
    case.steps[..steps]
        .iter()
        .map(|step| match &step.action {
            Action::Call(input) => shorten(&input.to_string()),
            Action::Restart => "(the handler is restarted on the same store)".into(),
            Action::Plant(plant) => format!("(memconf puts {} at {})", node(&plant.node), plant.path),
        })
        .collect()
}

/// All that is to be said of a case that is not well, for a person.
pub fn explain(result: &CaseResult, case: &Case) -> String {
    let mut text = format!("{}: {}\n", result.id, result.title);
    for failure in &result.failures {
        let _ = writeln!(text, "  {} {}: {}", failure.level, failure.facet, located(failure));
    }
    for note in &result.notes {
        let _ = writeln!(text, "  {}: {note}", result.verdict.as_str());
    }
    let worst = result.failures.iter().filter(|failure| failure.level > Level::May).map(|failure| failure.step).max();
    let _ = writeln!(text, "  script:");
    for line in script(case, worst.unwrap_or(0)) {
        let _ = writeln!(text, "    {line}");
    }
    if !result.log.is_empty() {
        let _ = writeln!(text, "  the handler's log:");
        for line in result.log.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}

/// A failure's message, with its step.
pub fn located(failure: &Failure) -> String {
    match failure.step {
        0 => failure.message.clone(),
        step => format!("step {step}: {}", failure.message),
    }
}

/// Whether a verdict needs somebody's attention.
pub fn is_trouble(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Pass | Verdict::Warn | Verdict::ExpectedFail | Verdict::NotApplicable)
}

fn node(node: &PlantNode) -> String {
    match node {
        PlantNode::File(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => format!("a file with {}", quote(text)),
            Err(_) => format!("a file of {} bytes that are not UTF-8", bytes.len()),
        },
        PlantNode::Link(target) => format!("a link to {target}"),
        PlantNode::Fifo => "a named pipe".into(),
        PlantNode::HardLink(file) => format!("a hard link to {file}"),
        PlantNode::Mode(mode) => format!("the permissions {mode:04o}"),
        PlantNode::RawName(name) => format!("a file named {} in bytes", quote(&String::from_utf8_lossy(name))),
        PlantNode::Entries(count) => format!("a directory with {count} files"),
        PlantNode::BehindLink => "a link to the store".into(),
    }
}

fn shorten(line: &str) -> String {
    const MOST: usize = 600;
    if line.chars().count() <= MOST {
        return line.to_owned();
    }
    let head: String = line.chars().take(MOST).collect();
    format!("{head}... ({} bytes in all)", line.len())
}
