//! Events as they come, one JSON object a line.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::Report;
use super::json::{case, to_json};
use crate::event::{Event, Material};
use crate::judge::Verdict;

/// Writes a line an event: `run-started`, `case-finished` (with the case as in the JSON report), `case-revised` (when
/// the run is over, for a case whose verdict changed: its choice is not that of the others, or a list of known
/// failures names it), `run-finished` (the JSON report without its cases). The last line about a case counts.
pub struct NdjsonReport<W> {
    to: W,
    told: HashMap<String, Verdict>,
}

impl<W: Write> NdjsonReport<W> {
    /// Writes to `to`.
    pub fn new(to: W) -> Self {
        NdjsonReport { to, told: HashMap::new() }
    }

    fn line(&mut self, object: &Value) -> io::Result<()> {
        serde_json::to_writer(&mut self.to, object)?;
        self.to.write_all(b"\n")?;
        self.to.flush()
    }
}

impl<W: Write> Report for NdjsonReport<W> {
    fn event(&mut self, event: &Event<'_>, material: Material<'_>) -> io::Result<()> {
        match event {
            Event::RunStarted { cases } => self.line(&json!({ "event": "run-started", "cases": cases })),
            Event::FuzzStarted { .. } => self.line(&json!({ "event": "fuzz-started" })),
            Event::FuzzProgress { done, found } => {
                self.line(&json!({ "event": "fuzz-progress", "attempts": done, "findings": found }))
            }
            Event::CaseFinished(result) => {
                self.told.insert(result.id.clone(), result.verdict);
                self.line(&json!({ "event": "case-finished", "case": case(result, material.case(&result.id)) }))
            }
            Event::RunFinished(report) => {
                for result in &report.results {
                    let event = match self.told.get(&result.id) {
                        None => "case-finished",
                        Some(told) if *told != result.verdict => "case-revised",
                        Some(_) => continue,
                    };
                    self.line(&json!({ "event": event, "case": case(result, material.case(&result.id)) }))?;
                }
                let mut last = json!({ "event": "run-finished" });
                if let (Value::Object(last), Value::Object(whole)) = (&mut last, to_json(report, material)) {
                    last.extend(whole.into_iter().filter(|(field, _)| field != "cases"));
                }
                self.line(&last)
            }
        }
    }
}
