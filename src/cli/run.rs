//! `memconf run`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use memconf::event::{Event, Material, RunReport, exit};
use memconf::judge::{Demands, Dialects, KnownFailures, Verdict};
use memconf::reference::Reference;
use memconf::report::{JsonReport, Progress, Report, TerminalReport};
use memconf::runner::{Connect, RunOptions, connect_builtin, connect_in_process, connect_stdio, run};
use memconf::sandbox::remove_all;
use memconf::transport::{StdioCommand, adopt_orphans, give_way, on_interrupt};

use super::Stop;
use super::select::{Select, nearest};

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
    /// How many handlers work at once [default: the number of cores]
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// How long an answer is awaited, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
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
    /// Write a report for other programs: json=FILE, or json=- for standard output
    #[arg(long, value_name = "KIND=FILE", value_parser = report)]
    report: Vec<ReportArg>,
    /// Use the built-in handler's store in a directory instead of the one in memory
    #[arg(long, conflicts_with = "command")]
    disk: bool,
    /// Start the handler in this folder instead of an empty throw-away one
    #[arg(long, value_name = "DIR", requires = "command")]
    cwd: Option<PathBuf>,
    /// Show every case, every choice, and what is information only
    #[arg(long, short)]
    verbose: bool,
    /// The command that starts the handler, behind `--`; without it the built-in handler is run
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Clone)]
struct ReportArg {
    file: String,
}

fn report(text: &str) -> Result<ReportArg, String> {
    match text.split_once('=') {
        Some(("json", file)) if !file.is_empty() => Ok(ReportArg { file: file.into() }),
        _ => Err("write `json=FILE`, or `json=-` for standard output".into()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if (0.001..=86_400.0).contains(&number) {
        Ok(Duration::from_secs_f64(number))
    } else {
        Err("between 0.001 and 86400 seconds".into())
    }
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
            keep_steps: !self.report.is_empty(),
        };
        let watched = adopt_orphans().and_then(|()| on_interrupt(remove_all));
        watched.map_err(|error| Stop::Message(format!("failed to watch for signals: {error}"), exit::OWN_FAULT))?;
        let material = Material { cases: &selected.cases, catalogue: &selected.catalogue };
        let exists = |id: &str| selected.ids.iter().any(|known| known == id);
        let mut progress = Progress::new();
        let mut emit = |event: Event<'_>| {
            // A progress bar that cannot be drawn is no reason to stop.
            let _ = progress.event(&event, material);
        };
        let connect = self.connect();
        let report = run(&selected.cases, &selected.catalogue, connect.as_ref(), &options, &exists, &mut emit);
        give_way();
        let mut report = report.map_err(|error| Stop::Message(error.to_string(), exit::OWN_FAULT))?;
        emit(Event::RunFinished(&report));
        report.again = self.again();
        let code = self.known_written(&report)?;
        self.tell(&report, material)?;
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

    fn connect(&self) -> Box<dyn Connect> {
        match (self.command.is_empty(), self.disk) {
            (true, false) => Box::new(connect_builtin()),
            (true, true) => Box::new(connect_in_process("built-in", Reference::in_directory)),
            (false, _) => {
                let mut command = StdioCommand::new(self.command.clone());
                command.timeout = self.timeout;
                command.cwd.clone_from(&self.cwd);
                Box::new(connect_stdio(command))
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

    fn tell(&self, report: &RunReport, material: Material<'_>) -> Result<(), Stop> {
        let finished = Event::RunFinished(report);
        let mut to_stdout = false;
        for ReportArg { file } in &self.report {
            if file == "-" {
                to_stdout = true;
                JsonReport::new(BufWriter::new(std::io::stdout().lock())).event(&finished, material)?;
            } else {
                let failed = |error| Stop::usage(format!("failed to write the report {file}: {error}"));
                let to = File::create(file).map_err(failed)?;
                JsonReport::new(BufWriter::new(to)).event(&finished, material).map_err(failed)?;
            }
        }
        if !to_stdout {
            TerminalReport::new(anstream::stdout(), self.verbose).event(&finished, material)?;
        }
        Ok(())
    }

    /// The words that repeat this run, without what selects its cases.
    fn again(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if let Some(folder) = &self.select.cases {
            option("--cases", folder.display().to_string());
        }
        if let Some(name) = &self.dialect {
            option("--dialect", name.clone());
        }
        if let Some(folder) = &self.cwd {
            option("--cwd", folder.display().to_string());
        }
        if self.disk {
            words.push("--disk".into());
        }
        if !self.command.is_empty() {
            words.push("--".into());
            words.extend(self.command.iter().cloned());
        }
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// For a POSIX shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
