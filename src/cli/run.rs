//! `memconf run`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use memconf::event::{Event, Material, RunReport, exit};
use memconf::judge::{Demands, Dialects, KnownFailures, Verdict};
use memconf::report::{Progress, Report};
use memconf::runner::{RunOptions, run};
use memconf::transport::give_way;

use super::Stop;
use super::select::{Select, nearest};
use super::target::Target;

const EXAMPLES: &str = "Examples:
  memconf run                                        the built-in handler, in memory
  memconf run -- python memconf_adapter.py           a handler in a process of its own
  memconf run --filter str_replace/ --level must -- node adapter.mjs
  memconf run --report json=report.json -- ./adapter
  memconf run --known-failures known.toml -- ./adapter    in CI: fails on what is new, and on what is mended";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    #[command(flatten)]
    select: Select,
    #[command(flatten)]
    target: Target,
    /// How many handlers work at once [default: the number of cores]
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// Work through the cases in an order made from this seed
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// Stop after the first case that fails
    #[arg(long)]
    fail_fast: bool,
    /// A failed `should` fails the run
    #[arg(long)]
    strict: bool,
    /// Demand the texts of one published dialect: docs, python-sdk, typescript-sdk, ...
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    /// Failures that are known; the run fails where the list is no longer true
    #[arg(long, value_name = "FILE")]
    known_failures: Option<PathBuf>,
    /// Write all that fails now into a list; reasons and links that stand in it are kept
    #[arg(long, value_name = "FILE")]
    write_known_failures: Option<PathBuf>,
    /// Show every case, every choice, and what is information only
    #[arg(long, short)]
    verbose: bool,
}

impl Run {
    pub fn run(self) -> Result<u8, Stop> {
        let selected = self.select.load()?;
        let demands = Demands { dialect: self.dialect()?, strict: self.strict, facets: self.select.facets() };
        let known = self.known_failures.as_deref().map(KnownFailures::read).transpose().map_err(Stop::usage)?;
        let options = RunOptions {
            jobs: self.jobs.unwrap_or(0),
            shuffle: self.shuffle,
            fail_fast: self.fail_fast,
            demands,
            known,
            keep_steps: !self.target.report.is_empty(),
        };
        self.target.watch()?;
        let material = Material { cases: &selected.cases, catalogue: &selected.catalogue };
        let exists = |id: &str| selected.ids.iter().any(|known| known == id);
        let mut reports = self.target.reports(self.verbose)?;
        let mut progress = Progress::new();
        let mut emit = |event: Event<'_>| {
            // A progress bar that cannot be drawn is no reason to stop.
            let _ = progress.event(&event, material);
            reports.event(&event, material);
        };
        let connect = self.target.connect(false);
        let report = run(&selected.cases, &selected.catalogue, connect.as_ref(), &options, &exists, &mut emit);
        give_way();
        let mut report = report.map_err(|error| Stop::Message(error.to_string(), exit::OWN_FAULT))?;
        report.again = self.again();
        report.cases_dir = self.select.cases.as_ref().map(|folder| folder.display().to_string());
        emit(Event::RunFinished(&report));
        let code = self.known_written(&report)?;
        reports.finish()?;
        Ok(code.unwrap_or_else(|| report.exit_code()))
    }

    fn dialect(&self) -> Result<Option<usize>, Stop> {
        let Some(name) = &self.dialect else { return Ok(None) };
        let dialects = Dialects::builtin();
        match dialects.get(name) {
            Some((place, _)) => Ok(Some(place)),
            None => {
                let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name.as_str()).collect();
                let near = nearest(name, names.iter().copied());
                Err(Stop::usage(format!("no dialect is called `{name}`{near}; there are {}", names.join(", "))))
            }
        }
    }

    /// Writes the list of known failures, if asked for; the run is then as good as its completeness.
    fn known_written(&self, report: &RunReport) -> Result<Option<u8>, Stop> {
        let Some(file) = &self.write_known_failures else { return Ok(None) };
        let before = match file.exists() {
            true => Some(KnownFailures::read(file).map_err(Stop::usage)?),
            false => None,
        };
        let list = KnownFailures::of(&report.results, before.as_ref());
        std::fs::write(file, list.to_string())
            .map_err(|error| Stop::usage(format!("failed to write {}: {error}", file.display())))?;
        writeln!(anstream::stderr(), "memconf: {} known failures written to {}", list.entries.len(), file.display())?;
        let incomplete = [Verdict::CouldNotRun, Verdict::HarnessError].iter().any(|one| report.count(*one) > 0);
        Ok(Some(if incomplete { exit::INCOMPLETE } else { exit::OK }))
    }

    /// The command line that repeats one case of this run.
    fn again(&self) -> String {
        let mut words = ["memconf", "run", "--filter", "{id}"].map(str::to_owned).to_vec();
        if let Some(folder) = &self.select.cases {
            words.extend(["--cases".to_owned(), folder.display().to_string()]);
        }
        if let Some(name) = &self.dialect {
            words.extend(["--dialect".to_owned(), name.clone()]);
        }
        self.target.again(&words)
    }
}
