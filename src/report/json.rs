//! The report for other programs, version 1: a contract. Fields may be added, none renamed or removed.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::Report;
use crate::case::{Action, Case, Facet, Requirement};
use crate::event::{Event, Material, RunReport};
use crate::judge::{CaseResult, Dialects, FacetState, Verdict};

/// Writes one JSON object when the run is over.
pub struct JsonReport<W> {
    to: W,
}

impl<W: Write> JsonReport<W> {
    /// Writes to `to`.
    pub fn new(to: W) -> Self {
        JsonReport { to }
    }
}

impl<W: Write> Report for JsonReport<W> {
    fn event(&mut self, event: &Event<'_>, material: Material<'_>) -> io::Result<()> {
        if let Event::RunFinished(report) = event {
            serde_json::to_writer_pretty(&mut self.to, &to_json(report, material))?;
            self.to.write_all(b"\n")?;
            self.to.flush()?;
        }
        Ok(())
    }
}

/// The whole report as a value.
pub fn to_json(report: &RunReport, material: Material<'_>) -> Value {
    let mut verdicts = Map::new();
    for verdict in Verdict::ALL {
        verdicts.insert(verdict.as_str().into(), report.count(verdict).into());
    }
    let mut facets = Map::new();
    for facet in Facet::ALL {
        let mut states = Map::new();
        for state in FacetState::ALL {
            states.insert(state.as_str().into(), report.count_facet(facet, state).into());
        }
        facets.insert(facet.as_str().into(), Value::Object(states));
    }
    let known = report.known.iter().map(|one| json!({ "case": one.case, "line": one.line, "message": one.message }));
    json!({
        "memconf": env!("CARGO_PKG_VERSION"),
        "schema": 1,
        "handler": {
            "transport": report.handler.transport,
            "name": report.handler.name,
            "version": report.handler.version,
            "url": report.handler.url,
            "disk": report.handler.disk,
            "resets": report.handler.resets,
        },
        "summary": {
            "cases": report.results.len(),
            "verdicts": verdicts,
            "facets": facets,
            "dialect": report.nearest_dialect().map(|(name, ..)| name),
            "choices": report.choices,
        },
        "cases": report.results.iter().map(|result| case(result, material.case(&result.id))).collect::<Vec<_>>(),
        "known_failures": known.collect::<Vec<_>>(),
        "warnings": report.warnings,
        "asked": asked(report, material),
        "cases_dir": report.cases_dir,
        "again": report.again,
        "recorded": report.recorded,
        "attempts": report.attempts,
        "commands": report.commands,
        "duration_us": micros(report.duration),
        "exit_code": report.exit_code(),
    })
}

/// The requirements that a failure names as its cause, whole.
fn asked<'a>(report: &RunReport, material: Material<'a>) -> Vec<&'a Requirement> {
    let causes: BTreeSet<&str> =
        report.results.iter().flat_map(|result| &result.failures).map(|failure| failure.cause.as_str()).collect();
    causes.into_iter().filter_map(|cause| material.catalogue.get(cause)).collect()
}

/// The dialects that a text matches, separated by blanks.
fn dialects(matches: u32) -> String {
    let names = Dialects::builtin().iter().enumerate().filter(|(place, _)| matches & (1 << place) != 0);
    names.map(|(_, dialect)| dialect.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// One case, as it stands in the report.
pub(super) fn case(result: &CaseResult, script: Option<&Case>) -> Value {
    let mut facets = Map::new();
    for facet in Facet::ALL {
        facets.insert(facet.as_str().into(), result.facet(facet).as_str().into());
    }
    let failures = result.failures.iter().map(|failure| {
        json!({
            "step": failure.step,
            "facet": failure.facet,
            "level": failure.level,
            "message": failure.message,
            "cause": failure.cause,
            "expected": failure.expected,
            "actual": failure.actual,
            "dialects": failure.dialects,
            "place": failure.place,
        })
    });
    let mut choices = Map::new();
    for (key, value, _) in &result.choices {
        choices.insert(key.clone(), value.clone().into());
    }
    let mut object = json!({
        "id": result.id,
        "title": result.title,
        "verdict": result.verdict.as_str(),
        "level": result.level,
        "requirements": result.requirements,
        "facets": facets,
        "failures": failures.collect::<Vec<_>>(),
        "notes": result.notes,
        "choices": choices,
        "texts": result.wordings.iter().map(|matches| dialects(*matches)).collect::<Vec<_>>(),
        "steps": script.map(|script| steps(result, script)).unwrap_or_default(),
        "duration_us": micros(result.duration),
    });
    if !result.log.is_empty() {
        object["log"] = result.log.clone().into();
    }
    object
}

fn steps(result: &CaseResult, script: &Case) -> Vec<Value> {
    let steps = script.steps.iter().enumerate().map(|(index, step)| {
        let answer = result.steps.iter().find(|record| record.step == index + 1);
        match &step.action {
            Action::Call(input) => {
                let mut object = json!({ "call": input });
                match answer {
                    Some(record) if record.fault.is_some() => object["fault"] = record.fault.clone().into(),
                    Some(record) => {
                        object["result"] = json!({ "content": record.content, "is_error": record.is_error });
                    }
                    None => {}
                }
                object
            }
            Action::Restart => json!({ "restart": true }),
            Action::Plant(plant) => {
                let (kind, value) = plant.node.to_json();
                json!({ "plant": plant.path, "node": { kind: value } })
            }
        }
    });
    steps.collect()
}

fn micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
