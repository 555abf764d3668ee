//! Releases with a published vulnerability or a known defect, and those that mended it: the attacks find it on the
//! first and are silent about it on the second. Nothing in the attacks knows what a release is.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod provision;

use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use memconf::case::{Action, Case, Facet, PlantNode, Step, builtin_catalogue};
use memconf::fuzz::paths::PathAttacks;
use memconf::fuzz::{Cause, FuzzOptions, FuzzReport, Source, fuzz, races, scripts};
use memconf::judge::{CaseResult, Demands, Verdict};
use memconf::runner::{Connect, connect_attacked};
use memconf::transport::StdioCommand;

/// What is tried, and of how many attempts one.
#[derive(Clone, Copy)]
enum Hunt {
    Paths(usize),
    Scripts,
    Races,
}

use Hunt::{Paths, Races, Scripts};

/// What a finding's id begins with, the releases that have it and those that must not.
const PUBLISHED: [(&str, &str, &[&str], &[&str]); 11] = [
    ("CVE-2026-34451: a sibling is read", "fuzz/paths-a7-sibling-read", &[TS_0_79_0], &[TS_0_91_0, TS_0_91_1, TS]),
    ("CVE-2026-34451: written", "fuzz/paths-a7-sibling-written", &[TS_0_79_0], &[TS_0_91_0, TS_0_91_1, TS]),
    ("CVE-2026-34451: made", "fuzz/paths-a7-sibling-created", &[TS_0_79_0], &[TS_0_91_0, TS_0_91_1, TS]),
    ("CVE-2026-34451: listed", "fuzz/paths-a7-sibling-listed", &[TS_0_79_0], &[TS_0_91_0, TS_0_91_1, TS]),
    ("CVE-2026-55443: a sibling is read", "fuzz/paths-a7-sibling-by-name-read", &[LC_1_4_5], &[LC_1_7_10, PY, TS]),
    (
        "CVE-2026-34450, CVE-2026-41686: open to others",
        "fuzz/paths-permissions-",
        &[PY_0_86_0, PY_0_87_0, TS_0_79_0, TS_0_91_0],
        &[PY_1_1_0, PY, TS_0_91_1, TS],
    ),
    (
        "names outside, through a link",
        "fuzz/paths-c2-listing-listed",
        &[PY_0_86_0, PY_1_1_0, TS_0_79_0, TS_0_91_0],
        &[PY, TS],
    ),
    (
        "`/memories/` wipes the store",
        "fuzz/paths-a10-root-alias-root-destroyed",
        &[PY_0_86_0, PY_1_1_0, TS_0_79_0, TS_0_91_0, TS_0_91_1],
        &[PY, TS],
    ),
    ("CRLF is rewritten", "fuzz/scripts-create-stores-text-line-ends", &[PY_1_1_0], &[PY, TS]),
    ("`$&` is expanded", "fuzz/scripts-ruling-literal-text-", &[TS_0_91_0], &[PY, TS]),
    (
        "CVE-2026-34452: a link in a file's place is followed",
        "fuzz/race-view-of-a-file",
        &[PY_0_86_0_ASYNC],
        &[PY_ASYNC],
    ),
];

/// What is tried on which release.
const HUNTS: [(&str, &[Hunt]); 12] = [
    (PY, &[Paths(1), Scripts]),
    (PY_ASYNC, &[Races]),
    (PY_0_86_0, &[Paths(1)]),
    (PY_0_86_0_ASYNC, &[Races]),
    (PY_0_87_0, &[Paths(1)]),
    (PY_1_1_0, &[Paths(1), Scripts]),
    (TS, &[Paths(1), Scripts]),
    (TS_0_79_0, &[Paths(1)]),
    (TS_0_91_0, &[Paths(1), Scripts]),
    (TS_0_91_1, &[Paths(1)]),
    // 8 ms a command.
    (LC_1_4_5, &[Paths(3)]),
    (LC_1_7_10, &[Paths(3)]),
];

const PY: &str = "python-sdk";
const PY_ASYNC: &str = "python-sdk-async";
const PY_0_86_0: &str = "control-python-0.86.0";
const PY_0_86_0_ASYNC: &str = "control-python-0.86.0-async";
const PY_0_87_0: &str = "control-python-0.87.0";
const PY_1_1_0: &str = "control-python-1.1.0";
const TS: &str = "typescript-sdk";
const TS_0_79_0: &str = "control-typescript-0.79.0";
const TS_0_91_0: &str = "control-typescript-0.91.0";
const TS_0_91_1: &str = "control-typescript-0.91.1";
const LC_1_4_5: &str = "control-langchain-1.4.5";
const LC_1_7_10: &str = "control-langchain-1.7.10";

fn main() {
    let arguments = Arguments::from_args();
    let trials = HUNTS.map(|(name, hunts)| Trial::test(name, move || test(name, hunts)));
    libtest_mimic::run(&arguments, trials.into()).exit()
}

fn test(name: &str, hunts: &[Hunt]) -> Result<(), Failed> {
    let connect = connect(name)?;
    let mut found: Vec<(String, String)> = Vec::new();
    for hunt in hunts {
        let report = hunted(*hunt, &connect)?;
        if let Some(why) = report.report.results.iter().find(|result| is_unjudged(result)) {
            return Err(format!("{name}: {:?}", why.notes).into());
        }
        found.extend(report.report.results.into_iter().map(|result| (result.id, result.title)));
    }
    let mut wrong = Vec::new();
    for (what, id, bad, good) in PUBLISHED {
        let has = found.iter().any(|(found, _)| found.starts_with(id));
        if bad.contains(&name) && !has {
            wrong.push(format!("{name}: not found: {what} ({id})"));
        }
        if good.contains(&name) && has {
            wrong.push(format!("{name}: found, though mended: {what} ({id})"));
        }
    }
    let told: Vec<String> = found.iter().map(|(id, title)| format!("  {id}: {title}")).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}\n{}", wrong.join("\n"), told.join("\n")).into()) }
}

fn is_unjudged(result: &CaseResult) -> bool {
    matches!(result.verdict, Verdict::CouldNotRun | Verdict::HarnessError)
}

fn hunted(hunt: Hunt, connect: &dyn Connect) -> Result<FuzzReport, Failed> {
    let facets = vec![Facet::Safety, Facet::Behaviour];
    let demands = Demands { facets, ..Demands::default() };
    let options = |count| FuzzOptions { jobs: 1, seed: 1, count, time: None, demands };
    let catalogue = builtin_catalogue();
    let report = match hunt {
        Paths(of) => fuzz(&Thinned::new(PathAttacks::new(1), of), catalogue, connect, &options(u64::MAX), &mut |_| {}),
        Scripts => {
            let choices = scripts::learn(connect, catalogue)?;
            fuzz(&scripts::scripts(1, choices), catalogue, connect, &options(300), &mut |_| {})
        }
        Races => races::run(connect, catalogue, Duration::from_secs(12), &mut |_| {}),
    };
    report.map_err(|error| error.to_string().into())
}

/// The handler, started so that only its own care keeps others from its files.
fn connect(name: &str) -> Result<impl Connect, Failed> {
    let provisioned = provision::provision(name)?;
    let open = ["sh", "-c", "umask 000; exec \"$@\"", "sh"].map(str::to_owned);
    let mut command = StdioCommand::new(open.into_iter().chain(provisioned.command).collect());
    command.env = provisioned.env;
    // A handler that hangs is waited for again and again; whether one does is not asked here.
    command.timeout = Duration::from_secs(4);
    Ok(connect_attacked(command))
}

/// Of so many attacks in a row one, without those on directories of ten thousand files and more, which take seconds.
struct Thinned {
    attacks: PathAttacks,
    attempts: Vec<<PathAttacks as Source>::Attempt>,
}

impl Thinned {
    fn new(attacks: PathAttacks, of: usize) -> Self {
        let attempts = (0..attacks.enumerated()).step_by(of).filter_map(|number| attacks.attempt(number));
        let is_large =
            |step: &Step| matches!(&step.action, Action::Plant(plant) if matches!(plant.node, PlantNode::Entries(_)));
        let attempts = attempts.filter(|attempt| !attacks.case(attempt).steps.iter().any(is_large)).collect();
        Thinned { attacks, attempts }
    }
}

impl Source for Thinned {
    type Attempt = <PathAttacks as Source>::Attempt;

    fn attempt(&self, number: u64) -> Option<Self::Attempt> {
        self.attempts.get(usize::try_from(number).ok()?).cloned()
    }

    fn case(&self, attempt: &Self::Attempt) -> Case {
        self.attacks.case(attempt)
    }

    fn cause(&self, attempt: &Self::Attempt, result: &CaseResult) -> Option<Cause> {
        self.attacks.cause(attempt, result)
    }

    fn shrink(&self, attempt: Self::Attempt, fails: &mut dyn FnMut(&Self::Attempt) -> bool) -> Self::Attempt {
        self.attacks.shrink(attempt, fails)
    }
}
