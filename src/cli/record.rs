//! `memconf record`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use memconf::event::{Event, Material, exit};
use memconf::fixtures::golden::{Golden, Mode, Outcome};
use memconf::judge::Verdict;
use memconf::report::{Progress, Report};
use memconf::runner::{RunOptions, run};
use memconf::transport::give_way;

use super::Stop;
use super::select::Select;
use super::target::{Care, Target};

const EXAMPLES: &str = "Examples:
  memconf record --out transcripts -- python memconf_adapter.py
  memconf run --golden transcripts -- python memconf_adapter.py    later: what changed since?

One readable file a case, exact to the byte but for holes: sizes of directories, UUIDs, ids of tool_use blocks.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Record {
    /// Where the transcripts go
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    select: Select,
    #[command(flatten)]
    target: Target,
    /// How many handlers work at once [default: the number of cores]
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
}

impl Record {
    pub fn run(self) -> Result<u8, Stop> {
        let selected = self.select.load(self.target.has_stores())?;
        let options = RunOptions { jobs: self.jobs.unwrap_or(0), keep_steps: true, ..RunOptions::default() };
        self.target.watch()?;
        let material = Material { cases: &selected.cases, catalogue: &selected.catalogue };
        let mut golden = Golden::new(&self.out, Mode::Update);
        let mut progress = Progress::new();
        let mut emit = |event: Event<'_>| {
            // A progress bar that cannot be drawn is no reason to stop.
            let _ = progress.event(&event, material);
            golden.event(&event, material);
        };
        let connect = self.target.connect(Care::Plain, self.jobs)?;
        let report = run(&selected.cases, &selected.catalogue, connect.as_ref(), &options, &|_| true, &mut emit);
        give_way();
        let mut report = report.map_err(|error| Stop::Message(error.to_string(), exit::OWN_FAULT))?;
        emit(Event::RunFinished(&report));
        let Outcome { same, changed, unrecorded, unjudged } =
            golden.apply(&mut report).map_err(|error| Stop::usage(error.to_string()))?;
        let mut out = anstream::stdout().lock();
        let all = same + changed + unrecorded;
        writeln!(
            out,
            "{all} transcripts in {}: {unrecorded} new, {changed} changed, {same} as they were",
            self.out.display()
        )?;
        for (verdict, word) in [
            (Verdict::NotApplicable, "not applicable to this handler"),
            (Verdict::CouldNotRun, "could not run"),
            (Verdict::HarnessError, "memconf failed"),
        ] {
            let of = report.results.iter().filter(|result| result.verdict == verdict);
            let notes: Vec<&str> = of.map(|result| result.notes.first().map_or("", String::as_str)).collect();
            if let Some(first) = notes.first() {
                writeln!(out, "{word}, so not recorded: {} cases, {first}", notes.len())?;
            }
        }
        let troubles = report.count(Verdict::CouldNotRun) + report.count(Verdict::HarnessError);
        Ok(if troubles > 0 || unjudged == report.results.len() { exit::INCOMPLETE } else { exit::OK })
    }
}
