//! `memconf report`.

use std::path::PathBuf;

use clap::Args;
use memconf::event::{Event, exit};
use memconf::report::StoredRun;

use super::Stop;
use super::reports::{ReportArg, Reports, report};

const EXAMPLES: &str = "Examples:
  memconf report --from run.json                                     as a run prints it
  memconf report --from run.json --to junit=junit.xml --to github=-  in CI, when the run is long over";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportCommand {
    /// The JSON report of a run
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// What it becomes; KIND is terminal, json, ndjson, junit, markdown or github, and `-` as the FILE is standard
    /// output. May be repeated [default: terminal=-]
    #[arg(long, value_name = "KIND=FILE", value_parser = report)]
    to: Vec<ReportArg>,
    /// Show every case, every choice, and what is information only
    #[arg(long, short, conflicts_with = "to")]
    verbose: bool,
}

impl ReportCommand {
    pub fn run(self) -> Result<u8, Stop> {
        let run = StoredRun::open(&self.from).map_err(|error| Stop::usage(error.to_string()))?;
        let mut reports = match self.to.as_slice() {
            [] => Reports::open(&[], self.verbose)?,
            wanted => Reports::only(wanted)?,
        };
        reports.event(&Event::RunStarted { cases: run.report.results.len() }, run.material());
        for result in &run.report.results {
            reports.event(&Event::CaseFinished(result), run.material());
        }
        reports.event(&Event::RunFinished(&run.report), run.material());
        reports.finish()?;
        Ok(exit::OK)
    }
}
