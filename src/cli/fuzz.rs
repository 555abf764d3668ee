//! `memconf fuzz`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use memconf::case::{Case, Facet, builtin_catalogue, load_dir};
use memconf::event::{Event, Material, RunReport, exit};
use memconf::fuzz::paths::{OutsideCanary, PathAttacks};
use memconf::fuzz::{FuzzOptions, FuzzReport, concurrent, fuzz, races, scripts};
use memconf::judge::{CaseResult, Demands, Verdict, located};
use memconf::report::{Progress, Report};
use memconf::runner::{Connect, RunOptions, run};
use memconf::transport::give_way;

use super::Stop;
use super::target::{Care, Target};

const EXAMPLES: &str = "Examples:
  memconf fuzz -- python memconf_adapter.py                attacks on paths, then random scripts; within a minute
  memconf fuzz paths -- python memconf_adapter.py          attacks on the paths of every command
  memconf fuzz scripts --seed 7 --save findings -- python memconf_adapter.py
  memconf fuzz concurrent -- python memconf_adapter.py     several handlers on one store
  memconf fuzz concurrent --url http://127.0.0.1:8080/memory
  memconf fuzz paths --url http://127.0.0.1:8080/memory --outside-canary /tenant-b/notes.md=kf83hd02mc
  memconf fuzz --replay findings -- python memconf_adapter.py";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Fuzz {
    /// What is tried [default: paths, then scripts]
    #[arg(value_enum)]
    what: Option<What>,
    #[command(flatten)]
    target: Target,
    /// How many handlers work at once [default: the number of cores; `concurrent`: 3]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: Option<u16>,
    /// Where all random choices come from; the same seed gives the same inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// At most so many attempts
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// At most so long, in seconds [default: 50; paths and scripts together: 40, half each; races: 12]
    #[arg(long, value_name = "SECONDS", value_parser = super::target::seconds)]
    time: Option<Duration>,
    /// A secret that you have put outside the store, and its path: `paths` tries to see it. For stores that memconf
    /// cannot see
    #[arg(long, value_name = "PATH=SECRET", value_parser = OutsideCanary::parse, conflicts_with = "replay")]
    outside_canary: Option<OutsideCanary>,
    /// A failed `should` fails the run
    #[arg(long)]
    strict: bool,
    /// Let the handler write nowhere but in memconf's sandbox (Linux). Off by default: it turns an escape into a refusal
    #[arg(long, requires = "command")]
    belt: bool,
    /// Keep the script of each finding in this folder, as a case that `memconf run --cases` replays
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Replay the scripts that `--save` kept: FIXED, STILL FAILING or COULD NOT RUN for each
    #[arg(long, value_name = "DIR", conflicts_with_all = ["what", "save"])]
    replay: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq)]
enum What {
    /// Attacks on the paths of every command, enumerated first, then random
    Paths,
    /// Random scripts, against the reference handler as the model
    Scripts,
    /// Several commands at once, from several handlers on one store
    Concurrent,
    /// Links that take the place of files and directories while commands come; a hit is proof, a miss proves nothing
    Races,
}

impl Fuzz {
    pub fn run(self) -> Result<u8, Stop> {
        self.target.watch()?;
        if self.outside_canary.is_some() && self.what != Some(What::Paths) {
            return Err(Stop::usage("`--outside-canary` goes with `memconf fuzz paths`"));
        }
        if let Some(folder) = &self.replay {
            return self.replay(folder);
        }
        let connect = self.target.connect(self.care(), self.cases_at_once())?;
        let mut report = self.fuzz(connect.as_ref())?;
        give_way();
        for (case, result) in report.cases.iter_mut().zip(&mut report.report.results) {
            case.title.truncate(200);
            result.title.clone_from(&case.title);
        }
        report.report.again = self.again();
        if let Some(folder) = &self.save {
            save(folder, &report.cases)?;
        }
        self.tell(&report)?;
        Ok(report.report.exit_code())
    }

    fn fuzz(&self, connect: &dyn Connect) -> Result<FuzzReport, Stop> {
        let kinds = self.what.map_or_else(|| vec![What::Paths, What::Scripts], |what| vec![what]);
        let default = match self.what {
            Some(What::Races) => 12,
            Some(_) => 50,
            // What is found last takes its time, too: all in all it stays within a minute.
            None => 40,
        };
        let default = (self.count.is_none() || self.what == Some(What::Races)).then_some(default);
        let time = self.time.or(default.map(Duration::from_secs)).map(|time| time / kinds.len() as u32);
        let mut progress = Progress::new();
        let mut emit = |event: Event<'_>| {
            // A progress bar that cannot be drawn is no reason to stop.
            let material = Material { cases: &[], catalogue: builtin_catalogue() };
            let _ = progress.event(&event, material);
        };
        let mut whole: Option<FuzzReport> = None;
        for kind in kinds {
            let report = self.one(kind, connect, time, &mut emit)?;
            whole = Some(match whole {
                Some(before) => before.and(report),
                None => report,
            });
        }
        let Some(report) = whole else { return Err(Stop::usage("nothing is to be tried")) };
        emit(Event::RunFinished(&report.report));
        Ok(report)
    }

    fn one(
        &self,
        what: What,
        connect: &dyn Connect,
        time: Option<Duration>,
        emit: &mut dyn FnMut(Event<'_>),
    ) -> Result<FuzzReport, Stop> {
        let catalogue = builtin_catalogue();
        // Attacks ask what is done, not in which words it is told.
        let facets = vec![Facet::Safety, Facet::Behaviour];
        let options = FuzzOptions {
            jobs: self.jobs.map_or(0, usize::from),
            seed: self.seed,
            count: self.count.unwrap_or(u64::MAX),
            time,
            demands: Demands { strict: self.strict, facets, ..Demands::default() },
        };
        let report = match what {
            What::Races => races::run(connect, catalogue, time.unwrap_or_default(), emit),
            What::Paths => {
                let mut attacks = PathAttacks::new(self.seed);
                if let Some(canary) = &self.outside_canary {
                    attacks = attacks.with_canary(canary);
                }
                fuzz(&attacks, catalogue, connect, &options, emit)
            }
            What::Scripts => {
                let choices = scripts::learn(connect, catalogue);
                let choices = choices.map_err(|error| Stop::Message(error.to_string(), exit::OWN_FAULT))?;
                fuzz(&scripts::scripts(self.seed, choices), catalogue, connect, &options, emit)
            }
            What::Concurrent => {
                let handlers = self.jobs.map_or(3, usize::from).max(2);
                concurrent::run(connect, catalogue, handlers, &options, emit)
            }
        };
        report.map_err(|error| Stop::Message(error.to_string(), exit::OWN_FAULT))
    }

    fn care(&self) -> Care {
        if self.belt { Care::Belted } else { Care::Attacked }
    }

    /// How many workers run cases; several handlers on one store are no such workers.
    fn cases_at_once(&self) -> Option<usize> {
        self.jobs.map(usize::from).filter(|_| self.replay.is_some())
    }

    /// The command line that makes the same attempts.
    fn again(&self) -> String {
        let what = self.what.and_then(|what| what.to_possible_value()).map(|what| what.get_name().to_owned());
        let mut words: Vec<String> = ["memconf", "fuzz"].map(str::to_owned).to_vec();
        words.extend(what);
        words.extend(["--seed".to_owned(), self.seed.to_string()]);
        if let Some(OutsideCanary { path, secret }) = &self.outside_canary {
            words.extend(["--outside-canary".to_owned(), format!("{path}={secret}")]);
        }
        self.target.again(&words)
    }

    fn tell(&self, report: &FuzzReport) -> Result<(), Stop> {
        let material = Material { cases: &report.cases, catalogue: builtin_catalogue() };
        let mut reports = self.target.reports(false)?;
        reports.event(&Event::RunFinished(&report.report), material);
        reports.finish()
    }

    fn replay(&self, folder: &Path) -> Result<u8, Stop> {
        let loaded = load_dir(folder, builtin_catalogue());
        let (cases, catalogue) =
            loaded.map_err(|errors| Stop::usage(format!("the cases cannot be read:\n{errors}")))?;
        let demands = Demands { strict: self.strict, ..Demands::default() };
        let options = RunOptions { jobs: self.jobs.map_or(0, usize::from), demands, ..RunOptions::default() };
        let connect = self.target.connect(self.care(), self.cases_at_once())?;
        let report = run(&cases, &catalogue, connect.as_ref(), &options, &|_| true, &mut |_| {})
            .map_err(|error| Stop::Message(error.to_string(), exit::OWN_FAULT))?;
        give_way();
        self.replayed(&report)?;
        Ok(code(&report))
    }

    fn replayed(&self, report: &RunReport) -> Result<(), Stop> {
        use std::io::Write;
        let mut out = anstream::stdout().lock();
        for result in &report.results {
            writeln!(out, "{:<13} {}  {}", state(result), result.id, why(result))?;
        }
        Ok(())
    }
}

fn state(result: &CaseResult) -> &'static str {
    match result.verdict {
        Verdict::Pass => "FIXED",
        Verdict::NotApplicable | Verdict::CouldNotRun | Verdict::HarnessError => "COULD NOT RUN",
        _ => "STILL FAILING",
    }
}

fn why(result: &CaseResult) -> String {
    result.failures.first().map(located).or_else(|| result.notes.first().cloned()).unwrap_or_default()
}

fn code(report: &RunReport) -> u8 {
    let any = |word: &str| report.results.iter().any(|result| state(result) == word);
    if any("STILL FAILING") {
        exit::FAILED
    } else if any("COULD NOT RUN") {
        exit::INCOMPLETE
    } else {
        exit::OK
    }
}

/// Writes each case where its id says, below `folder`.
fn save(folder: &Path, cases: &[Case]) -> Result<(), Stop> {
    for case in cases {
        let file = folder.join(format!("{}.json", case.id));
        let failed = |error: std::io::Error| Stop::usage(format!("failed to write {}: {error}", file.display()));
        std::fs::create_dir_all(file.parent().unwrap_or(folder)).map_err(failed)?;
        std::fs::write(&file, format!("{:#}\n", case.to_json())).map_err(failed)?;
    }
    Ok(())
}
