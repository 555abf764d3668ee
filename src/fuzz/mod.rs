//! Generates attacks and random scripts, runs them as cases, and shrinks what it finds to a small one.
//!
//! Every attempt is a case like those in `cases/`, made from the seed and its number alone, so that the same seed
//! gives the same inputs whatever the number of workers; it is run and judged as any other. What fails is run again
//! in a fresh sandbox with new secrets, shrunk, and kept once for each cause.

pub mod concurrent;
pub mod paths;
pub mod races;
pub mod scripts;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::case::{Case, Catalogue};
use crate::event::{Event, RunReport};
use crate::judge::{CaseResult, Demands, Verdict};
use crate::runner::{Connect, Worker};
use crate::sandbox::{Sandbox, SandboxError};

/// What is tried.
pub trait Source: Sync {
    /// One attempt, with all that is needed to make it smaller.
    type Attempt: Clone + Send;

    /// The attempt of this number; `None` where there are no more. Depends on nothing else.
    fn attempt(&self, number: u64) -> Option<Self::Attempt>;

    /// What no answer may hold, beside the secrets of the sandbox.
    fn secrets(&self) -> &[String] {
        &[]
    }

    /// What is left out on this machine, and why.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The attempt as a case.
    fn case(&self, attempt: &Self::Attempt) -> Case;

    /// Why the result is a finding; `None` where it is none. Two results with the same cause are one finding.
    fn cause(&self, attempt: &Self::Attempt, result: &CaseResult) -> Option<Cause>;

    /// The smallest attempt for which `fails` still holds.
    fn shrink(&self, attempt: Self::Attempt, fails: &mut dyn FnMut(&Self::Attempt) -> bool) -> Self::Attempt;
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The same for all findings that are one: lower-case words with hyphens and slashes. Becomes the id of the
    /// finding's case.
    pub key: String,
    /// One sentence for the title of the case.
    pub title: String,
}

/// How long, and with how many workers.
#[derive(Clone, Debug)]
pub struct FuzzOptions {
    /// Workers; 0: as many as the machine has cores.
    pub jobs: usize,
    /// Where all random choices come from.
    pub seed: u64,
    /// At most so many attempts.
    pub count: u64,
    /// No attempt begins later than this.
    pub time: Option<Duration>,
    /// What is demanded.
    pub demands: Demands,
}

/// A finding: the smallest script that shows it, and what came of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The number of the attempt that found it.
    pub number: u64,
    /// The script.
    pub case: Case,
    /// Its result.
    pub result: CaseResult,
}

/// What a fuzz run gives: the findings as cases with their results, ordered by id, in the form of any run.
#[derive(Debug)]
pub struct FuzzReport {
    /// The findings' scripts, ordered by id.
    pub cases: Vec<Case>,
    /// As of any run; `attempts` says how many were made.
    pub report: RunReport,
}

impl FuzzReport {
    /// Both, as if they were one run.
    #[must_use]
    pub fn and(mut self, other: FuzzReport) -> FuzzReport {
        self.cases.extend(other.cases);
        self.cases.sort_by(|a, b| a.id.cmp(&b.id));
        let (report, other) = (&mut self.report, other.report);
        report.results.extend(other.results);
        report.results.sort_by(|a, b| a.id.cmp(&b.id));
        report.warnings.extend(other.warnings);
        report.warnings.sort();
        report.warnings.dedup();
        report.attempts += other.attempts;
        report.commands += other.commands;
        report.duration += other.duration;
        self
    }
}

/// Tries what `source` has.
///
/// # Errors
/// Where the sandbox cannot be made.
pub fn fuzz<S: Source>(
    source: &S,
    catalogue: &Catalogue,
    connect: &dyn Connect,
    options: &FuzzOptions,
    emit: &mut dyn FnMut(Event<'_>),
) -> Result<FuzzReport, SandboxError> {
    let started = Instant::now();
    let sandbox = Sandbox::new()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = if options.jobs == 0 { cores } else { options.jobs }.min(connect.most_workers());
    emit(Event::FuzzStarted { count: options.count, time: options.time });
    let shared = Shared {
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        commands: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        findings: Mutex::new(BTreeMap::new()),
        unjudged: Mutex::new(Vec::new()),
        not_applicable: Mutex::new(BTreeMap::new()),
    };
    let about = Mutex::new((crate::event::HandlerInfo::default(), Vec::new()));
    std::thread::scope(|scope| -> Result<(), SandboxError> {
        let mut workers = Vec::new();
        for number in 0..jobs {
            let mut area = sandbox.area(number, connect.touches_disk())?;
            area.keep_secret(source.secrets());
            let (shared, about) = (&shared, &about);
            workers.push(scope.spawn(move || {
                let mut worker = Worker::new(connect, area, catalogue, &options.demands);
                while shared.work(source, &mut worker, options, started) {}
                let (info, warnings) = worker.close();
                let mut about = about.lock().unwrap_or_else(PoisonError::into_inner);
                about.0 = info;
                about.1.extend(warnings);
            }));
        }
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(if workers.len() > 1 { 20 } else { 5 }));
            let found = shared.findings.lock().map_or(0, |findings| findings.len());
            emit(Event::FuzzProgress { done: shared.done.load(Ordering::Relaxed), found });
        }
        Ok(())
    })?;
    let (handler, mut warnings) = about.into_inner().unwrap_or_else(PoisonError::into_inner);
    warnings.extend(source.warnings());
    let not_applicable = shared.not_applicable.into_inner().unwrap_or_else(PoisonError::into_inner);
    warnings.extend(not_applicable.into_iter().map(|(why, count)| {
        format!("accepted-unverified: what the handler makes of {count} attempts is not known: {why}")
    }));
    warnings.sort();
    warnings.dedup();
    let findings = shared.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (cases, mut results): (Vec<Case>, Vec<CaseResult>) =
        findings.into_values().map(|finding| (finding.case, finding.result)).unzip();
    results.extend(shared.unjudged.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().take(1));
    let report = RunReport {
        handler,
        results,
        warnings,
        attempts: shared.done.load(Ordering::Relaxed),
        commands: shared.commands.load(Ordering::Relaxed),
        duration: started.elapsed(),
        ..RunReport::default()
    };
    Ok(FuzzReport { cases, report })
}

struct Shared {
    next: AtomicU64,
    done: AtomicU64,
    commands: AtomicU64,
    stop: AtomicBool,
    findings: Mutex<BTreeMap<String, Finding>>,
    /// Attempts that could not run: after some in a row there is no handler to try anything on.
    unjudged: Mutex<Vec<CaseResult>>,
    /// How many attempts the handler has not what they need for, by reason.
    not_applicable: Mutex<BTreeMap<String, u64>>,
}

/// After so many attempts that could not run, the run ends.
const HOPELESS: usize = 20;

impl Shared {
    /// One attempt; `false` where there is no more to do.
    fn work<S: Source>(&self, source: &S, worker: &mut Worker<'_>, options: &FuzzOptions, started: Instant) -> bool {
        let over = options.time.is_some_and(|time| started.elapsed() >= time);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if over || number >= options.count || self.stop.load(Ordering::Relaxed) {
            return false;
        }
        let Some(attempt) = source.attempt(number) else { return false };
        let case = source.case(&attempt);
        let result = worker.run(&case);
        self.done.fetch_add(1, Ordering::Relaxed);
        self.commands.fetch_add(case.steps.len() as u64, Ordering::Relaxed);
        if matches!(result.verdict, Verdict::CouldNotRun | Verdict::HarnessError) {
            let mut unjudged = self.unjudged.lock().unwrap_or_else(PoisonError::into_inner);
            unjudged.push(result);
            if unjudged.len() >= HOPELESS {
                self.stop.store(true, Ordering::Relaxed);
            }
            return true;
        }
        if result.verdict == Verdict::NotApplicable {
            let why = result.notes.first().cloned().unwrap_or_default();
            *self.not_applicable.lock().unwrap_or_else(PoisonError::into_inner).entry(why).or_default() += 1;
            return true;
        }
        let Some(cause) = source.cause(&attempt, &result) else { return true };
        let known =
            |findings: &BTreeMap<String, Finding>| findings.get(&cause.key).is_some_and(|one| one.number < number);
        if known(&self.findings.lock().unwrap_or_else(PoisonError::into_inner)) {
            return true;
        }
        // Proven twice, in a fresh sandbox with new secrets.
        let again = worker.run(&case);
        if source.cause(&attempt, &again).as_ref().map(|cause| &cause.key) != Some(&cause.key) {
            return true;
        }
        let smallest = source.shrink(attempt, &mut |smaller| {
            let result = worker.run(&source.case(smaller));
            source.cause(smaller, &result).is_some_and(|found| found.key == cause.key)
        });
        let mut case = source.case(&smallest);
        case.id.clone_from(&cause.key);
        case.title.clone_from(&cause.title);
        let result = worker.run(&case);
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        if !known(&findings) {
            findings.insert(cause.key, Finding { number, case, result });
        }
        true
    }
}

/// A number that depends on the seed and the number of an attempt alone (SplitMix64).
pub fn mix(seed: u64, number: u64) -> u64 {
    let mut mixed = seed ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
