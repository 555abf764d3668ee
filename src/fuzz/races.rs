//! Races: a file or a directory of the store and a link that leads outside change places in a loop while commands come.
//!
//! A handler that checks a path and then opens it by its name again can be led outside between the two. A secret in
//! an answer, or a canary that changed, proves it; that nothing was seen proves nothing.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::FuzzReport;
use crate::case::{Action, Case, Catalogue, Facet, Level, Need, Plant, PlantNode, Step};
use crate::event::{Event, HandlerInfo, RunReport};
use crate::judge::{CaseResult, FacetState, Failure, StepRecord, Verdict};
use crate::runner::Connect;
use crate::sandbox::{Area, Disk, OutsideChange, Sandbox, SandboxError};
use crate::transport::{Fault, Transport};

const RULING: &str = "ruling.symlink-escape";

/// What changes places with a link, and what is asked meanwhile.
struct Race {
    name: &'static str,
    /// In the store.
    path: &'static str,
    is_directory: bool,
    asked: fn(u64) -> Value,
}

const FILE: &str = "/memories/race.md";
const DIRECTORY: &str = "/memories/race";

const RACES: [Race; 6] = [
    Race {
        name: "view-of-a-file",
        path: FILE,
        is_directory: false,
        asked: |_| json!({ "command": "view", "path": FILE }),
    },
    Race {
        name: "view-below-a-directory",
        path: DIRECTORY,
        is_directory: true,
        asked: |_| json!({ "command": "view", "path": "/memories/race/canary.txt" }),
    },
    Race {
        name: "view-of-a-directory",
        path: DIRECTORY,
        is_directory: true,
        asked: |_| json!({ "command": "view", "path": DIRECTORY }),
    },
    Race {
        name: "create-below-a-directory",
        path: DIRECTORY,
        is_directory: true,
        asked: |number| json!({ "command": "create", "path": format!("/memories/race/memconf-{number}.txt"), "file_text": "raced" }),
    },
    Race {
        name: "edit-below-a-directory",
        path: DIRECTORY,
        is_directory: true,
        asked: |number| json!({ "command": "insert", "path": "/memories/race/canary.txt", "insert_line": 0, "insert_text": format!("raced {number}") }),
    },
    Race {
        name: "delete-below-a-directory",
        path: DIRECTORY,
        is_directory: true,
        asked: |_| json!({ "command": "delete", "path": "/memories/race/canary.txt" }),
    },
];

/// Runs every race for a share of `time`, on one handler.
///
/// # Errors
/// Where the sandbox cannot be made or written.
pub fn run(
    connect: &dyn Connect,
    catalogue: &Catalogue,
    time: Duration,
    emit: &mut dyn FnMut(Event<'_>),
) -> Result<FuzzReport, SandboxError> {
    let started = Instant::now();
    let sandbox = Sandbox::new()?;
    let mut area = sandbox.area(0, true)?;
    let mut transport = connect.connect(&area);
    let handler = HandlerInfo { transport: connect.transport().into(), ..HandlerInfo::default() };
    let mut report = RunReport { handler, ..RunReport::default() };
    let mut cases = Vec::new();
    emit(Event::FuzzStarted { count: u64::MAX, time: Some(time) });
    for race in &RACES {
        let until = Instant::now() + time / RACES.len() as u32;
        match run_one(race, transport.as_mut(), &mut area, until, &mut report)? {
            Outcome::Hit { number, input, message, answer, place } => {
                let (case, result) = finding(race, catalogue, number, input, message, answer, place);
                cases.push(case);
                report.results.push(result);
            }
            Outcome::NotObserved => {}
            Outcome::Unjudged(verdict, why) => {
                report.results.push(unjudged(verdict, area.neutral(&why)));
                break;
            }
        }
        emit(Event::FuzzProgress { done: report.attempts, found: cases.len() });
        area.end();
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    report.results.sort_by(|a, b| a.id.cmp(&b.id));
    report.commands = report.attempts;
    report.duration = started.elapsed();
    Ok(FuzzReport { cases, report })
}

enum Outcome {
    Hit { number: u64, input: Value, message: String, answer: Option<String>, place: String },
    NotObserved,
    Unjudged(Verdict, String),
}

fn run_one(
    race: &Race,
    transport: &mut dyn Transport,
    area: &mut Area,
    until: Instant,
    report: &mut RunReport,
) -> Result<Outcome, SandboxError> {
    let root = area.begin()?;
    let ready = match transport.begin(&root) {
        Ok(ready) => ready,
        Err(fault) => return Ok(Outcome::Unjudged(Verdict::CouldNotRun, fault.to_string())),
    };
    report.handler.name = ready.name;
    report.handler.version = ready.version;
    let Some(disk) = area.guard(ready.store.as_deref(), true)? else {
        let why = "memconf does not see the store's directory: `ready` names no `store` below the root";
        return Ok(Outcome::Unjudged(Verdict::NotApplicable, why.into()));
    };
    let asked = |number| (race.asked)(number);
    let stop = AtomicBool::new(false);
    let places = (disk.place(race.path), root.with_file_name("swap"));
    let (Some(inside), outside) = places else { return Ok(Outcome::NotObserved) };
    plant(race, &disk, &area.outside(), &outside)?;
    let mut sent = BTreeSet::new();
    let mut last = 0;
    let hit = std::thread::scope(|scope| -> Result<Option<(u64, String, String)>, Fault> {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                exchange(&inside, &outside);
            }
        });
        let mut hit = Ok(None);
        for number in 0.. {
            let input = asked(number);
            last = number;
            sent.extend(input["path"].as_str().and_then(|path| path.rsplit('/').next()).map(str::to_owned));
            match transport.call(&input) {
                Ok(reply) => {
                    if let Some(place) = area.leaked(&reply.content) {
                        hit = Ok(Some((number, place.to_owned(), reply.content)));
                        break;
                    }
                }
                Err(fault) => {
                    hit = Err(fault);
                    break;
                }
            }
            if Instant::now() >= until {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        hit
    });
    report.attempts += last + 1;
    match hit {
        Err(fault) => Ok(Outcome::Unjudged(Verdict::CouldNotRun, fault.to_string())),
        Ok(Some((number, place, content))) => Ok(Outcome::Hit {
            number,
            input: asked(number),
            message: format!("while a link and {} changed places, the answer held a secret from {place}", race.path),
            answer: Some(area.neutral(&content)),
            place,
        }),
        Ok(None) => Ok(match area.changes(&sent).into_iter().next() {
            None => Outcome::NotObserved,
            Some(change) => {
                let (OutsideChange::Changed(place) | OutsideChange::Removed(place) | OutsideChange::Created(place, _)) =
                    change;
                let message =
                    format!("while a link and {} changed places, something in {place} was changed", race.path);
                Outcome::Hit { number: last, input: asked(last), message, answer: None, place }
            }
        }),
    }
}

/// The node in the store, and the link that it changes places with, outside the store.
fn plant(race: &Race, disk: &Disk, target: &Path, link: &Path) -> Result<(), SandboxError> {
    let text = PlantNode::File(b"canary\nnothing secret\n".to_vec());
    let inner = if race.is_directory { format!("{}/canary.txt", race.path) } else { race.path.to_owned() };
    disk.plant(&Plant { path: inner, node: text })?;
    let target = if race.is_directory { target.to_path_buf() } else { target.join("canary.txt") };
    disk.link(&target, link)
}

#[cfg(target_os = "linux")]
fn exchange(a: &Path, b: &Path) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    // Where a command has just removed one of the two, the next turn finds it again or not at all.
    let _ = renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE);
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) {
    std::thread::sleep(Duration::from_millis(1));
}

fn finding(
    race: &Race,
    catalogue: &Catalogue,
    number: u64,
    input: Value,
    message: String,
    answer: Option<String>,
    place: String,
) -> (Case, CaseResult) {
    let id = format!("fuzz/race-{}", race.name);
    let title = "A link that takes the place of a file or directory in time leads the handler outside".to_owned();
    let path = race.path.to_owned();
    let planted = Plant { path, node: PlantNode::Link("{outside}".into()) };
    let step = |action| Step { action, when: None, requirements: Vec::new(), outcomes: Vec::new() };
    let steps = vec![step(Action::Plant(planted)), step(Action::Call(input))];
    let failure = Failure {
        step: 2,
        facet: Facet::Safety,
        level: Level::Must,
        message: format!("{message}, at command {} of the race", number + 1),
        cause: "a race leads outside the store".into(),
        expected: None,
        actual: answer.clone(),
        dialects: Vec::new(),
        place: Some(place),
    };
    let record = StepRecord { step: 2, content: answer.unwrap_or_default(), is_error: false, fault: None };
    let requirements = vec![RULING.to_owned()];
    let case = Case {
        id: id.clone(),
        title: title.clone(),
        requirements: requirements.clone(),
        needs: vec![Need::Disk],
        steps,
    };
    let mut result = CaseResult::unjudged(id, title, catalogue.level(&requirements), requirements);
    result.facets[Facet::Safety as usize] = FacetState::Fail;
    result.failures.push(failure);
    result.steps.push(record);
    result.decide(false);
    (case, result)
}

fn unjudged(verdict: Verdict, why: String) -> CaseResult {
    let title = "Links that take the place of files".into();
    let mut result = CaseResult::unjudged("fuzz/race".into(), title, Level::Must, vec![RULING.into()]);
    result.verdict = verdict;
    result.notes.push(why);
    result
}
