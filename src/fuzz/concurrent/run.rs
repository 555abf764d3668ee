//! Several handlers on one store, and what came of it as a report.

use std::time::Instant;

use super::{Rounds, Unexplained, play};
use crate::case::{Action, Case, Catalogue, Facet, Step};
use crate::event::{Event, HandlerInfo, RunReport};
use crate::fuzz::{FuzzOptions, FuzzReport};
use crate::judge::{CaseResult, FacetState, Failure, StepRecord, Verdict, quote};
use crate::runner::Connect;
use crate::sandbox::{Sandbox, SandboxError};
use crate::transport::{Fault, Transport};
use crate::wire::Ready;

const RULING: &str = "ruling.no-lost-update";

/// Plays rounds with `handlers` handlers on one store.
///
/// # Errors
/// Where the sandbox cannot be made.
pub fn run(
    connect: &dyn Connect,
    catalogue: &Catalogue,
    handlers: usize,
    options: &FuzzOptions,
    emit: &mut dyn FnMut(Event<'_>),
) -> Result<FuzzReport, SandboxError> {
    let started = Instant::now();
    let sandbox = Sandbox::new()?;
    let mut area = sandbox.area(0, true)?;
    let root = area.begin()?;
    emit(Event::FuzzStarted { count: options.count, time: options.time });
    let mut report = RunReport {
        handler: HandlerInfo { transport: connect.transport().into(), ..HandlerInfo::default() },
        ..RunReport::default()
    };
    let mut cases = Vec::new();
    // Each has a part of the sandbox of its own to start in, and the store in common.
    let mut others = Vec::new();
    for number in 1..handlers {
        others.push(sandbox.area(number, true)?);
    }
    let mut transports: Vec<Box<dyn Transport>> = vec![connect.connect(&area)];
    transports.extend(others.iter().map(|area| connect.connect(area)));
    let played = gather(&mut transports, &root, &mut report.handler).and_then(|()| {
        let mut tell = |rounds: &Rounds| {
            emit(Event::FuzzProgress { done: rounds.played, found: rounds.unexplained.len() });
        };
        play(&mut transports, options.seed, options.count, options.time, &mut tell)
    });
    match played {
        Ok(rounds) => {
            report.attempts = rounds.played;
            report.commands = rounds.played * (handlers as u64 + 2);
            let mut seen = Vec::new();
            for found in rounds.unexplained {
                if !seen.contains(&found.round.about) {
                    seen.push(found.round.about);
                    let (case, result) = finding(&found, catalogue);
                    cases.push(case);
                    report.results.push(result);
                }
            }
        }
        Err(fault) => {
            let (verdict, why) = match &fault {
                Fault::CannotRestart { reason } => {
                    (Verdict::NotApplicable, format!("several handlers cannot share a store: {reason}"))
                }
                fault => (Verdict::CouldNotRun, fault.to_string()),
            };
            report.results.push(unjudged(verdict, area.neutral(&why)));
        }
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    report.results.sort_by(|a, b| a.id.cmp(&b.id));
    report.duration = started.elapsed();
    Ok(FuzzReport { cases, report })
}

/// The first handler with an empty store, and the others on the same.
fn gather(transports: &mut [Box<dyn Transport>], root: &std::path::Path, info: &mut HandlerInfo) -> Result<(), Fault> {
    let Some((first, rest)) = transports.split_first_mut() else { return Ok(()) };
    let ready: Ready = first.begin(root)?;
    info.name = ready.name;
    info.version = ready.version;
    info.url = ready.url;
    if !ready.persists.unwrap_or(ready.store.is_some()) {
        let reason = "`ready` names no `store` that outlives the process".into();
        return Err(Fault::CannotRestart { reason });
    }
    rest.iter_mut().try_for_each(|other| other.join(root))
}

fn finding(found: &Unexplained, catalogue: &Catalogue) -> (Case, CaseResult) {
    let id = format!("fuzz/concurrent-{}", found.round.about);
    let title = "What several handlers did at once is explained by no order of their commands".to_owned();
    let inputs = found.round.before.iter().chain(&found.round.at_once);
    let steps = inputs.map(|input| Step {
        action: Action::Call(input.clone()),
        when: None,
        requirements: Vec::new(),
        outcomes: Vec::new(),
    });
    let steps: Vec<Step> = steps.collect();
    let files = found.files.iter().map(|(path, text)| match text {
        Some(text) => format!("{path} shows {}", quote(text)),
        None => format!("{path} is not there"),
    });
    let succeeded = found.answers.iter().filter(|answer| !answer.is_error).count();
    let message = format!(
        "{succeeded} of {} commands sent at once (the last {} of the script) said that they succeeded, but {}",
        found.answers.len(),
        found.answers.len(),
        files.collect::<Vec<_>>().join("; ")
    );
    let level = catalogue.level(&[RULING.to_owned()]);
    let before = found.round.before.len();
    let failure = Failure {
        step: steps.len(),
        facet: Facet::Behaviour,
        level,
        message,
        cause: RULING.to_owned(),
        expected: None,
        actual: None,
        dialects: Vec::new(),
        place: None,
    };
    let records = found.answers.iter().enumerate().map(|(index, answer)| StepRecord {
        step: before + index + 1,
        content: answer.content.clone(),
        is_error: answer.is_error,
        fault: None,
    });
    let case =
        Case { id: id.clone(), title: title.clone(), requirements: vec![RULING.into()], needs: Vec::new(), steps };
    let mut result = CaseResult::unjudged(id, title, level, vec![RULING.into()]);
    result.facets[Facet::Behaviour as usize] = FacetState::Fail;
    result.failures.push(failure);
    result.steps = records.collect();
    result.decide(false);
    (case, result)
}

fn unjudged(verdict: Verdict, why: String) -> CaseResult {
    let title = "Several handlers on one store".into();
    let level = crate::case::Level::Should;
    let mut result = CaseResult::unjudged("fuzz/concurrent".into(), title, level, vec![RULING.into()]);
    result.verdict = verdict;
    result.notes.push(why);
    result
}
