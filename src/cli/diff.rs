//! `memconf diff`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use memconf::event::{HandlerInfo, exit};
use memconf::report::{StoredRun, compare};

use super::Stop;

const EXAMPLES: &str = "Examples:
  memconf diff yesterday.json today.json     better, worse, new, gone

Exit codes: 0 nothing is worse; 1 something is; 2 a file is not a JSON report";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Diff {
    /// The JSON report of the older run
    old: PathBuf,
    /// The JSON report of the newer run
    new: PathBuf,
}

impl Diff {
    pub fn run(self) -> Result<u8, Stop> {
        let open = |file| StoredRun::open(file).map_err(|error| Stop::usage(error.to_string()));
        let (old, new) = (open(&self.old)?, open(&self.new)?);
        let comparison = compare(&old.report, &new.report);
        let mut out = anstream::stdout().lock();
        let (before, now) = (name(&old.report.handler), name(&new.report.handler));
        if before != now {
            writeln!(out, "handler {before} -> {now}")?;
        }
        write!(out, "{comparison}")?;
        Ok(if comparison.worse.is_empty() { exit::OK } else { exit::FAILED })
    }
}

fn name(info: &HandlerInfo) -> String {
    let words = [Some(info.transport.as_str()), info.name.as_deref(), info.version.as_deref()];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
