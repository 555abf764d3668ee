//! Schedules cases over workers. One handler a worker; results in a stable order whatever the scheduling. Emits
//! events; nothing here knows how a result looks.

mod connect;
mod suite;
pub mod tenants;
mod worker;

pub use connect::{
    Connect, connect_attacked, connect_belted, connect_builtin, connect_http, connect_in_process, connect_stdio,
};
pub use suite::Suite;
pub use worker::Worker;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Instant;

use crate::case::{Case, Catalogue};
use crate::event::{Event, HandlerInfo, RunReport};
use crate::judge::{CaseResult, Demands, KnownFailures, Verdict, settle};
use crate::sandbox::{Sandbox, SandboxError};

/// How a run is done.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Workers; 0: as many as the machine has cores.
    pub jobs: usize,
    /// The order of the work, from this seed; the order of the results is the same all the same.
    pub shuffle: Option<u64>,
    /// Stop after the first failed case.
    pub fail_fast: bool,
    /// What is demanded of all cases.
    pub demands: Demands,
    /// Failures that are known.
    pub known: Option<KnownFailures>,
    /// Keep the answers of passing cases too.
    pub keep_steps: bool,
}

/// Runs `cases` (ordered by id) and tells `emit` what happens. `exists` says whether a case of a list of known
/// failures exists at all, though it may not be part of this run.
///
/// # Errors
/// Where the sandbox cannot be made.
pub fn run(
    cases: &[Case],
    catalogue: &Catalogue,
    connect: &dyn Connect,
    options: &RunOptions,
    exists: &dyn Fn(&str) -> bool,
    emit: &mut dyn FnMut(Event<'_>),
) -> Result<RunReport, SandboxError> {
    let started = Instant::now();
    let sandbox = Sandbox::new()?;
    emit(Event::RunStarted { cases: cases.len() });
    let order = order(cases.len(), options.shuffle);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = if options.jobs == 0 { cores } else { options.jobs };
    let jobs = jobs.min(connect.most_workers()).clamp(1, cases.len().max(1));
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let about = Mutex::new((HandlerInfo::default(), Vec::new()));
    let mut results: Vec<Option<CaseResult>> = (0..cases.len()).map(|_| None).collect();
    let (sender, receiver) = mpsc::channel::<(usize, CaseResult)>();
    std::thread::scope(|scope| -> Result<(), SandboxError> {
        for number in 0..jobs {
            let area = sandbox.area(number, connect.touches_disk())?;
            let (sender, order, next, stop, about) = (sender.clone(), &order, &next, &stop, &about);
            scope.spawn(move || {
                let mut worker = Worker::new(connect, area, catalogue, &options.demands);
                while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let case = &cases[index];
                    let two_stores = tenants::run(&case.id, connect, catalogue);
                    let mut result = two_stores.unwrap_or_else(|| worker.run(case));
                    if !options.keep_steps && result.verdict == Verdict::Pass && result.failures.is_empty() {
                        result.steps = Vec::new();
                    }
                    if sender.send((index, result)).is_err() {
                        break;
                    }
                }
                let (info, warnings) = worker.close();
                if let Ok(mut about) = about.lock() {
                    about.0 = info;
                    about.1.extend(warnings);
                }
            });
        }
        drop(sender);
        for (index, result) in receiver {
            emit(Event::CaseFinished(&result));
            if options.fail_fast && result.verdict == Verdict::Fail {
                stop.store(true, Ordering::Relaxed);
            }
            results[index] = Some(result);
        }
        Ok(())
    })?;
    let (handler, mut warnings) = about.into_inner().unwrap_or_default();
    warnings.sort();
    warnings.dedup();
    let mut results: Vec<CaseResult> = results.into_iter().flatten().collect();
    let choices = settle(&mut results, catalogue, options.demands.strict);
    let known = options.known.as_ref().map(|known| known.apply(&mut results, exists)).unwrap_or_default();
    let duration = started.elapsed();
    Ok(RunReport { handler, results, choices, known, warnings, duration, ..RunReport::default() })
}

/// 0 to `count`, or a permutation of it that depends on the seed alone.
fn order(count: usize, seed: Option<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let Some(mut state) = seed else { return order };
    for at in (1..count).rev() {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        order.swap(at, ((mixed ^ (mixed >> 31)) % (at as u64 + 1)) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn a_seed_is_a_permutation_of_its_own() {
        let shuffled = order(100, Some(7));
        assert_eq!(shuffled, order(100, Some(7)));
        assert_ne!(shuffled, order(100, Some(8)));
        let mut sorted = shuffled;
        sorted.sort_unstable();
        assert_eq!(sorted, order(100, None));
    }
}
