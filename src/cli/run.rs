//! `memconf run`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use memconf::case::Case;
use memconf::event::{Event, Material, RunReport, exit};
use memconf::fixtures::golden::{Golden, Mode, Outcome, holds_any};
use memconf::judge::{Demands, KnownFailures, Verdict};
use memconf::report::{Progress, Report};
use memconf::runner::{RunOptions, run};
use memconf::transport::give_way;

use super::Stop;
use super::select::{Select, dialect_named};
use super::target::{Care, Target};

const EXAMPLES: &str = "Examples:
  memconf run                                        the built-in handler, in memory
  memconf run -- python memconf_adapter.py           a handler in a process of its own
  memconf run --filter str_replace/ --level must -- node adapter.mjs
  memconf run --url http://127.0.0.1:8080/memory     a handler behind HTTP
  memconf run --url https://host/memory --header 'Authorization: Bearer env:TOKEN' --session-header X-User
  memconf run --report json=report.json -- ./adapter
  memconf run --report junit=junit.xml --report github=- -- ./adapter
  memconf run --known-failures known.toml -- ./adapter    in CI: fails on what is new, and on what is mended
  memconf run --golden transcripts -- ./adapter           fails on what changed since `memconf record`";

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
    /// Hold the handler against its own transcripts in this folder, that `memconf record` wrote, and not against the
    /// documentation. What changed is written beside them, for `memconf review` (unless CI is set)
    #[arg(long, value_name = "DIR", conflicts_with_all = ["known_failures", "write_known_failures", "strict", "dialect"])]
    golden: Option<PathBuf>,
    /// Write what changed over the transcripts
    #[arg(long, requires = "golden")]
    update: bool,
    /// Show every case, every choice, and what is information only
    #[arg(long, short)]
    verbose: bool,
}

impl Run {
    pub fn run(self) -> Result<u8, Stop> {
        let selected = self.select.load(self.target.has_stores())?;
        let demands = Demands { dialect: self.dialect()?, strict: self.strict, facets: self.select.facets() };
        let known = self.known_failures.as_deref().map(KnownFailures::read).transpose().map_err(Stop::usage)?;
        let options = RunOptions {
            jobs: self.jobs.unwrap_or(0),
            shuffle: self.shuffle,
            fail_fast: self.fail_fast,
            demands,
            known,
            keep_steps: !self.target.report.is_empty() || self.golden.is_some(),
        };
        let mut golden = self.golden(&selected.cases)?;
        let connect = self.target.connect(Care::Plain, self.jobs)?;
        self.target.watch()?;
        let material = Material { cases: &selected.cases, catalogue: &selected.catalogue };
        let exists = |id: &str| selected.ids.iter().any(|known| known == id);
        let mut reports = self.target.reports(self.verbose)?;
        let mut progress = Progress::new();
        let mut emit = |event: Event<'_>| {
            // A progress bar that cannot be drawn is no reason to stop.
            let _ = progress.event(&event, material);
            reports.event(&event, material);
            if let Some(golden) = &mut golden {
                golden.event(&event, material);
            }
        };
        let report = run(&selected.cases, &selected.catalogue, connect.as_ref(), &options, &exists, &mut emit);
        give_way();
        let mut report = report.map_err(|error| Stop::Message(error.to_string(), exit::OWN_FAULT))?;
        report.again = self.again();
        report.cases_dir = self.select.cases.as_ref().map(|folder| folder.display().to_string());
        if let Some(golden) = golden {
            let outcome = golden.apply(&mut report).map_err(|error| Stop::usage(error.to_string()))?;
            report.warnings.push(self.held(outcome));
        }
        let finished = Event::RunFinished(&report);
        let _ = progress.event(&finished, material);
        reports.event(&finished, material);
        let code = self.known_written(&report)?;
        reports.finish()?;
        Ok(code.unwrap_or_else(|| report.exit_code()))
    }

    fn dialect(&self) -> Result<Option<usize>, Stop> {
        self.dialect.as_deref().map(dialect_named).transpose()
    }

    fn golden(&self, cases: &[Case]) -> Result<Option<Golden>, Stop> {
        let Some(folder) = &self.golden else { return Ok(None) };
        let mode = match (self.update, std::env::var_os("CI")) {
            (true, _) => Mode::Update,
            (false, None) => Mode::Compare,
            (false, Some(_)) => Mode::CompareOnly,
        };
        if !self.update && !holds_any(folder, cases) {
            return Err(Stop::usage(format!(
                "{} holds no transcript of these cases; write them with `memconf record --out {0}`",
                folder.display()
            )));
        }
        Ok(Some(Golden::new(folder, mode)))
    }

    /// What the run was held against, for its reports.
    fn held(&self, outcome: Outcome) -> String {
        let Outcome { same, changed, unrecorded, unjudged } = outcome;
        let folder = self.golden.as_deref().unwrap_or(std::path::Path::new("")).display();
        let what = if self.update {
            format!("written: {changed} changed, {unrecorded} not recorded before")
        } else {
            format!("{changed} changed, {unrecorded} not recorded")
        };
        let next = match (self.update, changed + unrecorded) {
            (false, 1..) => format!("; `memconf review {folder}` walks through them, `--update` accepts them all"),
            _ => String::new(),
        };
        format!(
            "held against the transcripts in {folder}, not against the documentation: {same} as recorded, {what}, \
             {unjudged} not held against any{next}"
        )
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
        if let Some(folder) = &self.golden {
            words.extend(["--golden".to_owned(), folder.display().to_string()]);
        }
        self.target.again(&words)
    }
}
