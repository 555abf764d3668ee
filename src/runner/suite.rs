//! The suite inside a user's own `cargo test`: one libtest-mimic test a case.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use super::{Connect, RunOptions, Worker, connect_in_process, run};
use crate::case::{Case, Catalogue, LoadErrors, builtin_cases, builtin_catalogue, load_dir};
use crate::judge::{CaseResult, Demands, Dialects, KnownFailures, Verdict, explain, is_trouble};
use crate::sandbox::{Area, Sandbox};
use crate::transport::Handler;

/// The cases, the way to the handler, and what is demanded.
///
/// ```no_run
/// use memconf::Suite;
/// # use memconf::reference::Reference;
///
/// // tests/memory_tool.rs, with `harness = false` in Cargo.toml
/// fn main() {
///     Suite::new(|| Reference::in_memory()).main();
/// }
/// ```
pub struct Suite {
    connect: Arc<dyn Connect + Send>,
    cases: Result<Vec<Case>, LoadErrors>,
    catalogue: Catalogue,
    demands: Demands,
    known: Result<Option<KnownFailures>, String>,
}

impl Suite {
    /// The built-in cases on handlers that `make` makes, one a thread.
    pub fn new<H, F>(make: F) -> Suite
    where
        H: Handler + 'static,
        F: Fn() -> H + Send + Sync + 'static,
    {
        Suite {
            connect: Arc::new(connect_in_process("in-process", make)),
            cases: builtin_cases(),
            catalogue: builtin_catalogue().clone(),
            demands: Demands::default(),
            known: Ok(None),
        }
    }

    /// Takes the cases below a folder instead of the built-in ones.
    #[must_use]
    pub fn cases(mut self, folder: impl AsRef<Path>) -> Suite {
        match load_dir(folder.as_ref(), builtin_catalogue()) {
            Ok((cases, catalogue)) => (self.cases, self.catalogue) = (Ok(cases), catalogue),
            Err(errors) => self.cases = Err(errors),
        }
        self
    }

    /// A failed `should` fails the test.
    #[must_use]
    pub fn strict(mut self) -> Suite {
        self.demands.strict = true;
        self
    }

    /// Demands the texts of one dialect (`docs`, `python-sdk`, ...). An unknown name fails every test.
    #[must_use]
    pub fn dialect(mut self, name: &str) -> Suite {
        match Dialects::builtin().get(name) {
            Some((place, _)) => self.demands.dialect = Some(place),
            None => self.known = Err(format!("no dialect is called `{name}`")),
        }
        self
    }

    /// A list of known failures, as `memconf run --write-known-failures` writes it: what is listed may fail, and
    /// must.
    #[must_use]
    pub fn known_failures(mut self, file: impl AsRef<Path>) -> Suite {
        self.known = KnownFailures::read(file.as_ref()).map(Some);
        self
    }

    /// One test a case, named by its id, and one that the handler's choices are the same in all cases.
    pub fn tests(self) -> Vec<Trial> {
        let Suite { connect, cases, catalogue, demands, known } = self;
        let (cases, known) = match (cases, known) {
            (Ok(cases), Ok(known)) => (cases, known),
            (Err(errors), _) => return vec![broken(errors.to_string())],
            (_, Err(error)) => return vec![broken(error)],
        };
        let sandbox = match Sandbox::new() {
            Ok(sandbox) => sandbox,
            Err(error) => return vec![broken(error.to_string())],
        };
        let shared = Arc::new(Shared {
            connect,
            catalogue,
            demands,
            known: known.unwrap_or_default(),
            pool: Mutex::new(Pool { areas: Vec::new(), made: 0 }),
            sandbox,
            ids: cases.iter().map(|case| (case.id.clone(), ())).collect(),
        });
        let cases: Vec<Arc<Case>> = cases.into_iter().map(Arc::new).collect();
        let mut trials: Vec<Trial> = cases
            .iter()
            .map(|case| {
                let (shared, case) = (shared.clone(), case.clone());
                Trial::ignorable_test(case.id.clone(), move || shared.test(&case))
            })
            .collect();
        trials.push(Trial::test("choices-are-consistent", move || {
            let cases: Vec<Case> = cases.iter().map(|case| (**case).clone()).collect();
            shared.consistent(&cases)
        }));
        trials
    }

    /// The `main` of a test target with `harness = false`: reads libtest's arguments, runs the tests, exits.
    pub fn main(self) -> ! {
        let arguments = Arguments::from_args();
        libtest_mimic::run(&arguments, self.tests()).exit()
    }
}

struct Shared {
    connect: Arc<dyn Connect + Send>,
    catalogue: Catalogue,
    demands: Demands,
    known: KnownFailures,
    pool: Mutex<Pool>,
    sandbox: Sandbox,
    ids: BTreeMap<String, ()>,
}

struct Pool {
    areas: Vec<Area>,
    made: usize,
}

impl Shared {
    fn test(&self, case: &Case) -> Result<Completion, Failed> {
        let area = self.area()?;
        let mut worker = Worker::new(self.connect.as_ref(), area, &self.catalogue, &self.demands);
        let mut results = [worker.run(case)];
        let problems = self.known.apply(&mut results, |id| self.ids.contains_key(id));
        let of_case = problems.iter().filter(|problem| problem.case == case.id);
        let stale: Vec<String> = of_case.map(|problem| problem.message.clone()).collect();
        if let Ok(mut pool) = self.pool.lock() {
            pool.areas.push(worker.into_area());
        }
        let [result] = results;
        if !stale.is_empty() {
            return Err(stale.join("\n").into());
        }
        verdict(&result, case)
    }

    fn consistent(&self, cases: &[Case]) -> Result<(), Failed> {
        let options = RunOptions { demands: self.demands.clone(), ..RunOptions::default() };
        let report = run(cases, &self.catalogue, self.connect.as_ref(), &options, &|_| true, &mut |_| {})
            .map_err(|error| error.to_string())?;
        let inconsistent = report.results.iter().flat_map(|result| {
            let found = result.failures.iter().filter(|failure| failure.cause.starts_with("inconsistent choice"));
            found.map(|failure| format!("{}: {}", result.id, failure.message))
        });
        let inconsistent: Vec<String> = inconsistent.collect();
        if inconsistent.is_empty() { Ok(()) } else { Err(inconsistent.join("\n").into()) }
    }

    fn area(&self) -> Result<Area, Failed> {
        let mut pool = self.pool.lock().map_err(|_| "another test panicked")?;
        if let Some(area) = pool.areas.pop() {
            return Ok(area);
        }
        pool.made += 1;
        self.sandbox.area(pool.made, self.connect.touches_disk()).map_err(|error| error.to_string().into())
    }
}

fn verdict(result: &CaseResult, case: &Case) -> Result<Completion, Failed> {
    match result.verdict {
        Verdict::NotApplicable => Ok(Completion::ignored_with(result.notes.join("; "))),
        verdict if is_trouble(verdict) => Err(explain(result, case).into()),
        _ => Ok(Completion::Completed),
    }
}

fn broken(message: String) -> Trial {
    Trial::test("memconf-can-begin", move || Err(message.into()))
}
