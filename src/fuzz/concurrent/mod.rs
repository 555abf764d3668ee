//! Several commands at once, from several handlers on one store: is there an order that explains what came of it?
//!
//! Every round has a file or two of its own in one store, so that no handler need be reset between rounds. The
//! commands of a round start together; afterwards the store is read back. A round is fine where, for some order of
//! its commands, the reference handler gives the same successes and errors and ends with the same files.

mod run;

pub use run::run;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::mix;
use crate::reference::Reference;
use crate::transport::{Fault, Handler, Transport};
use crate::wire::ToolResult;

/// One round: what stands there before, and what is sent at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// What the round is about: `edits-of-one-file`, `creates-of-one-path`, ...
    pub about: &'static str,
    /// Carried out one after the other, before.
    pub before: Vec<Value>,
    /// Sent at once, one from each handler.
    pub at_once: Vec<Value>,
    /// The files that are looked at afterwards.
    pub files: Vec<String>,
}

/// A round that no order explains.
#[derive(Clone, Debug)]
pub struct Unexplained {
    /// Its number.
    pub number: u64,
    /// What was sent.
    pub round: Round,
    /// What each of the handlers answered.
    pub answers: Vec<ToolResult>,
    /// What the files show afterwards; `None`: not there.
    pub files: BTreeMap<String, Option<String>>,
}

/// What came of all rounds.
#[derive(Debug, Default)]
pub struct Rounds {
    /// How many were played.
    pub played: u64,
    /// Those that no order explains.
    pub unexplained: Vec<Unexplained>,
}

/// The round of this number, for `handlers` handlers. Depends on nothing else.
pub fn round(seed: u64, number: u64, handlers: usize) -> Round {
    let folder = format!("/memories/round-{number}");
    let path = format!("{folder}/shared.md");
    let of = |index: usize| mix(seed, number.wrapping_mul(64).wrapping_add(index as u64));
    let create = |path: &str, text: &str| json!({ "command": "create", "path": path, "file_text": text });
    match of(0) % 4 {
        0 => {
            let text: String = (0..handlers).map(|index| format!("token-{index} of {number}\n")).collect();
            let edits = (0..handlers).map(|index| {
                let (old, new) = (format!("token-{index} "), format!("changed-{index} "));
                json!({ "command": "str_replace", "path": path, "old_str": old, "new_str": new })
            });
            Round {
                about: "edits-of-one-file",
                before: vec![create(&path, &text)],
                at_once: edits.collect(),
                files: vec![path.clone()],
            }
        }
        1 => {
            let inserts = (0..handlers).map(|index| {
                let text = format!("added by {index} in {number}\n");
                json!({ "command": "insert", "path": path, "insert_line": of(index) % 3, "insert_text": text })
            });
            Round {
                about: "inserts-into-one-file",
                before: vec![create(&path, &format!("first {number}\nsecond {number}\n"))],
                at_once: inserts.collect(),
                files: vec![path.clone()],
            }
        }
        2 => Round {
            about: "creates-of-one-path",
            before: vec![create(&format!("{folder}/other.md"), &format!("other {number}\n"))],
            at_once: (0..handlers).map(|index| create(&path, &format!("by {index} in {number}\n"))).collect(),
            files: vec![path.clone()],
        },
        _ => {
            let sources: Vec<String> = (0..handlers).map(|index| format!("{folder}/draft-{index}.md")).collect();
            let renames = sources.iter().map(|old| json!({ "command": "rename", "old_path": old, "new_path": path }));
            Round {
                about: "renames-to-one-path",
                at_once: renames.collect(),
                before: sources.iter().map(|source| create(source, &format!("{source} of {number}\n"))).collect(),
                files: sources.iter().cloned().chain([path.clone()]).collect(),
            }
        }
    }
}

/// Plays rounds until `count` or `time` is reached. The first of `handlers` has the store, the others have joined it.
///
/// # Errors
/// The first fault of a handler: what comes after it could not be judged.
pub fn play(
    handlers: &mut [Box<dyn Transport>],
    seed: u64,
    count: u64,
    time: Option<Duration>,
    mut tell: impl FnMut(&Rounds),
) -> Result<Rounds, Fault> {
    let started = Instant::now();
    let mut rounds = Rounds::default();
    for number in 0..count {
        if time.is_some_and(|time| started.elapsed() >= time) {
            break;
        }
        let round = round(seed, number, handlers.len());
        if let Some(found) = play_one(handlers, number, round)? {
            rounds.unexplained.push(found);
        }
        rounds.played += 1;
        tell(&rounds);
    }
    Ok(rounds)
}

fn play_one(handlers: &mut [Box<dyn Transport>], number: u64, round: Round) -> Result<Option<Unexplained>, Fault> {
    for input in &round.before {
        handlers[0].call(input)?;
    }
    let barrier = Barrier::new(round.at_once.len());
    let answers: Vec<Result<ToolResult, Fault>> = std::thread::scope(|scope| {
        let calls = handlers.iter_mut().zip(&round.at_once).map(|(handler, input)| {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                handler.call(input)
            })
        });
        let threads: Vec<_> = calls.collect();
        let lost = || Err(Fault::Own { reason: "a thread of memconf panicked".into() });
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| lost())).collect()
    });
    let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut files = BTreeMap::new();
    for path in &round.files {
        let view = handlers[0].call(&json!({ "command": "view", "path": path }))?;
        files.insert(path.clone(), (!view.is_error).then_some(view.content));
    }
    let explained = is_explained(&round, &answers, &files);
    Ok((!explained).then_some(Unexplained { number, round, answers, files }))
}

/// Whether some order of the commands gives the same successes and errors, and files that show the same lines.
pub fn is_explained(round: &Round, answers: &[ToolResult], files: &BTreeMap<String, Option<String>>) -> bool {
    // Where an existing file is overwritten by choice, any of the successes may be the last.
    let overwrites = round.about == "creates-of-one-path" && answers.iter().filter(|one| !one.is_error).count() > 1;
    if overwrites {
        let texts = round.at_once.iter().zip(answers).filter(|(_, answer)| !answer.is_error);
        return texts.into_iter().any(|(input, _)| shows(files, &round.files[0], input["file_text"].as_str()));
    }
    search(round, answers, files, &mut Vec::new())
}

fn search(
    round: &Round,
    answers: &[ToolResult],
    files: &BTreeMap<String, Option<String>>,
    order: &mut Vec<usize>,
) -> bool {
    let Some(mut model) = replayed(round, answers, order) else { return false };
    if order.len() == round.at_once.len() {
        return round.files.iter().all(|path| {
            let view = model.call(&json!({ "command": "view", "path": path }));
            let text = (!view.is_error).then(|| view.content.split_once('\n').map_or("", |(_, body)| body).to_owned());
            let plain = text.map(|text| text.lines().map(unnumbered).collect::<Vec<_>>().join("\n"));
            shows(files, path, plain.as_deref())
        });
    }
    for next in 0..round.at_once.len() {
        if !order.contains(&next) {
            order.push(next);
            if search(round, answers, files, order) {
                return true;
            }
            order.pop();
        }
    }
    false
}

/// The reference handler after these commands in this order; `None` where one of them answers otherwise than it did.
fn replayed(
    round: &Round,
    answers: &[ToolResult],
    order: &[usize],
) -> Option<Reference<crate::reference::MemoryStore>> {
    let mut model = Reference::in_memory();
    model.reset(Path::new("/"));
    for input in &round.before {
        model.call(input);
    }
    let agrees = order.iter().all(|&index| model.call(&round.at_once[index]).is_error == answers[index].is_error);
    agrees.then_some(model)
}

/// Whether a view shows just these lines, whatever its wording; `None`: the file is not there.
fn shows(files: &BTreeMap<String, Option<String>>, path: &str, text: Option<&str>) -> bool {
    match (files.get(path).and_then(Option::as_deref), text) {
        (None, None) => true,
        (Some(view), Some(text)) => {
            let shown: Vec<&str> = view.lines().map(unnumbered).filter(|line| !line.is_empty()).collect();
            let wanted: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
            // A header may stand before the lines.
            shown.len() <= wanted.len() + 2 && shown.ends_with(&wanted)
        }
        _ => false,
    }
}

fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start_matches(' ');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let separators = ["\t", ": ", "| ", "|", " "];
    match digits {
        0 => line,
        _ => separators.iter().find_map(|one| rest[digits..].strip_prefix(one)).unwrap_or(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(lines: &[&str]) -> Option<String> {
        let numbered: Vec<String> = lines.iter().zip(1..).map(|(line, number)| format!("{number:6}\t{line}")).collect();
        Some(format!("Here's the content:\n{}", numbered.join("\n")))
    }

    fn of(about: &str) -> Round {
        (0..).map(|number| round(1, number, 2)).find(|round| round.about == about).unwrap()
    }

    #[test]
    fn rounds_depend_on_seed_and_number_alone() {
        for number in 0..20 {
            assert_eq!(round(7, number, 3), round(7, number, 3));
        }
        let kinds: std::collections::BTreeSet<_> = (0..40).map(|number| round(7, number, 3).about).collect();
        assert_eq!(kinds.len(), 4);
    }

    #[test]
    fn a_lost_update_is_not_explained() {
        let round = of("edits-of-one-file");
        let text = round.before[0]["file_text"].as_str().unwrap();
        let both = text.replace("token-0 ", "changed-0 ").replace("token-1 ", "changed-1 ");
        let one = text.replace("token-1 ", "changed-1 ");
        let ok = vec![ToolResult::ok("done"), ToolResult::ok("done")];
        let files = |text: &str| BTreeMap::from([(round.files[0].clone(), view(&text.lines().collect::<Vec<_>>()))]);
        assert!(is_explained(&round, &ok, &files(&both)));
        assert!(!is_explained(&round, &ok, &files(&one)));
        let refused = vec![ToolResult::error("busy"), ToolResult::ok("done")];
        assert!(!is_explained(&round, &refused, &files(&both)), "an edit that says it failed did something");
    }

    #[test]
    fn two_renames_to_one_path_never_both_succeed() {
        let round = of("renames-to-one-path");
        let ok = vec![ToolResult::ok("done"), ToolResult::ok("done")];
        let text = |index: usize| round.before[index]["file_text"].as_str().unwrap().trim().to_owned();
        let second = text(1);
        let files = BTreeMap::from([
            (round.files[0].clone(), None),
            (round.files[1].clone(), None),
            (round.files[2].clone(), view(&[&second])),
        ]);
        assert!(!is_explained(&round, &ok, &files));
        let one = vec![ToolResult::error("exists"), ToolResult::ok("done")];
        let first = text(0);
        let files = BTreeMap::from([
            (round.files[0].clone(), view(&[&first])),
            (round.files[1].clone(), None),
            (round.files[2].clone(), view(&[&second])),
        ]);
        assert!(is_explained(&round, &one, &files));
    }
}
