//! What a result shows: which class, by which interpretation, and how bad.

use super::landing::{Met, explain, explain_inside, explain_root};
use super::script::{Attempt, Role, Shot, script};
use super::token::Slot;
use super::{Cause, Class};
use crate::case::Facet;
use crate::judge::{CaseResult, Failure};

/// What was done, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Read,
    Listed,
    Written,
    Created,
    Deleted,
    Moved,
    RootDestroyed,
    Collateral,
    Crashed,
    Hung,
    Served,
    HostPath,
    Unaccounted,
    Mode,
    Forged,
}

impl Effect {
    fn word(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Listed => "listed",
            Effect::Written => "written",
            Effect::Created => "created",
            Effect::Deleted => "deleted",
            Effect::Moved => "moved",
            Effect::RootDestroyed => "root-destroyed",
            Effect::Collateral => "collateral",
            Effect::Crashed => "crashed",
            Effect::Hung => "hung",
            Effect::Served => "served",
            Effect::HostPath => "host-path",
            Effect::Unaccounted => "unaccounted",
            Effect::Mode => "mode",
            Effect::Forged => "forged",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Effect::Read => "reads a file outside the store",
            Effect::Listed => "lists a directory outside the store",
            Effect::Written => "writes to a file outside the store",
            Effect::Created => "makes a file outside the store",
            Effect::Deleted => "deletes a file outside the store",
            Effect::Moved => "moves a file out of its place outside the store",
            Effect::RootDestroyed => "destroys what `/memories` holds",
            Effect::Collateral => "loses or changes another file of the store",
            Effect::Crashed => "ends the handler",
            Effect::Hung => "gets no answer",
            Effect::Served => "is served from inside the store, though the path is not below `/memories`",
            Effect::HostPath => "gets a path of the host for an answer",
            Effect::Unaccounted => "claims to have made a file that nobody finds",
            Effect::Forged => "prints rows for files that nobody made",
            Effect::Mode => "makes a file or directory that others can open",
        }
    }
}

/// Why the result of an attempt is a finding.
pub(super) fn cause(attempt: &Attempt, result: &CaseResult) -> Option<Cause> {
    if result.failures.iter().all(|failure| failure.facet == Facet::Wording) {
        return None;
    }
    let (_, roles) = script(attempt);
    let role = |failure: &Failure| failure.step.checked_sub(1).and_then(|step| roles.get(step)).copied();
    let set_up_failed = result
        .failures
        .iter()
        .any(|one| one.place.is_none() && one.facet != Facet::Wording && role(one) == Some(Role::SetUp));
    let found = result.failures.iter().filter(|failure| failure.facet != Facet::Wording);
    let found = found.filter(|failure| !set_up_failed || failure.place.is_some());
    let causes = found.filter_map(|failure| one(attempt, role(failure), failure));
    causes
        .min_by_key(|(effect, class, ..)| (*effect >= Effect::Served, *effect >= Effect::Crashed, *class, *effect))
        .map(|(effect, class, sentence, slug)| Cause {
            key: format!("fuzz/paths-{}-{slug}-{}", class.word(), effect.word()),
            title: format!("{sentence} {} ({})", effect.sentence(), class.as_str()),
        })
}

type Told = (Effect, Class, String, String);

fn one(attempt: &Attempt, role: Option<Role>, failure: &Failure) -> Option<Told> {
    if let Some(place) = failure.place.as_deref() {
        return Some(outside(attempt, role, failure, place));
    }
    let shot = |number: usize| attempt.shots.get(number);
    let destructive = || attempt.shots.iter().find(|shot| shot.slot.is_destructive());
    match role {
        Some(Role::Kept) => {
            let shot = destructive().or_else(|| shot(0))?;
            let root = shot.sent.text().and_then(|text| explain_root(&text));
            let lost_root = matches!(shot.slot, Slot::Delete | Slot::RenameOld) && root.is_some();
            if !attempt.plants.is_empty() {
                let effect = if lost_root { Effect::RootDestroyed } else { Effect::Collateral };
                return Some(declared(attempt, shot, effect));
            }
            match (lost_root, root) {
                (true, Some(chain)) => {
                    let class = if chain.readings.is_empty() { Class::A10 } else { chain.class() };
                    let (sentence, slug) = if chain.readings.is_empty() {
                        ("another spelling of the root".to_owned(), "root-alias".to_owned())
                    } else {
                        chain.words()
                    };
                    let sentence = format!("{} of {sentence}", shot.slot.as_str());
                    Some((Effect::RootDestroyed, class, sentence, slug))
                }
                _ => {
                    let text = shot.sent.text();
                    let mut read = attempt.kept.iter().filter_map(|(path, _)| explain_inside(text.as_deref()?, path));
                    match read.find(|chain| !chain.readings.is_empty()) {
                        Some(chain) => {
                            let (_, slug) = chain.words();
                            let words = attempt.about.unwrap_or_else(|| attempt.class.about()).0;
                            let sentence = format!("{} of {words}", shot.slot.as_str());
                            Some((Effect::Collateral, chain.class(), sentence, slug))
                        }
                        None => Some(declared(attempt, shot, Effect::Collateral)),
                    }
                }
            }
        }
        _ if failure.cause.starts_with("fault: ") => {
            let hung = failure.message.contains("no answer within");
            let shot = match role {
                Some(Role::Shot(number)) => shot(number)?,
                _ => attempt.shots.last()?,
            };
            Some(declared(attempt, shot, if hung { Effect::Hung } else { Effect::Crashed }))
        }
        // The secret alone is proof.
        Some(Role::Shot(_)) if attempt.about == Some(super::canary::ABOUT) && failure.facet != Facet::Safety => None,
        Some(Role::Shot(number)) => {
            let effect = match failure.facet {
                Facet::Safety => Effect::HostPath,
                _ if !attempt.modes.is_empty() => {
                    if !failure.message.contains("has the mode") {
                        return None;
                    }
                    Effect::Mode
                }
                _ => Effect::Served,
            };
            match effect {
                Effect::HostPath => Some(host_path(attempt, shot(number)?, failure)),
                _ => Some(declared(attempt, shot(number)?, effect)),
            }
        }
        Some(Role::Account) => match failure.facet {
            Facet::Safety => Some(host_path(attempt, destructive()?, failure)),
            _ => Some(declared(attempt, destructive()?, Effect::Unaccounted)),
        },
        Some(Role::Listing) => match failure.facet {
            Facet::Safety => Some(host_path(attempt, destructive()?, failure)),
            _ => Some(declared(attempt, destructive()?, Effect::Forged)),
        },
        Some(Role::Control | Role::SetUp) | None => None,
    }
}

/// Something outside was read or changed.
fn outside(attempt: &Attempt, role: Option<Role>, failure: &Failure, place: &str) -> Told {
    let destructive = || attempt.shots.iter().find(|shot| shot.slot.is_destructive());
    let shot = match role {
        Some(Role::Shot(number)) => attempt.shots.get(number),
        Some(Role::Control) => None,
        _ => destructive(),
    };
    let slot = shot.map_or(Slot::View, |shot| shot.slot);
    let (effect, met) = if failure.message.starts_with("the answer holds a secret") {
        match failure.actual.as_deref().is_some_and(|text| text.contains("ghost-")) {
            true => (Effect::Listed, Met::Names),
            false => (Effect::Read, Met::Canary),
        }
    } else if failure.message.contains("is gone") {
        (if slot == Slot::Delete { Effect::Deleted } else { Effect::Moved }, Met::Canary)
    } else if failure.message.contains("was made") {
        (Effect::Created, Met::New(&failure.message))
    } else {
        (Effect::Written, Met::Canary)
    };
    let sent = match role {
        Some(Role::Control) => Some("/memories/../canary.txt".to_owned()),
        _ => shot.and_then(|shot| shot.sent.text()),
    };
    match sent.filter(|_| attempt.plants.is_empty()).and_then(|sent| explain(&sent, place, met)) {
        Some(chain) => {
            let (sentence, slug) = chain.words();
            (effect, chain.class(), format!("{} of a path {sentence},", slot.as_str()), slug)
        }
        None => told(attempt, slot, effect),
    }
}

/// A path of the host in an error: what the system refuses in any path is the cause, whatever else the attack tried.
fn host_path(attempt: &Attempt, shot: &Shot, failure: &Failure) -> Told {
    const LONGEST_NAME: usize = 255;
    let text = shot.sent.text().unwrap_or_default();
    let answer = failure.actual.as_deref().unwrap_or_default();
    let shows_nul = ["\0", "\\0", "\\u0000", "\\x00", "null byte"].iter().any(|sign| answer.contains(sign));
    let class = if text.contains('\0') || shows_nul {
        Class::A16
    } else if attempt.class != Class::A18 && text.split('/').any(|name| name.len() > LONGEST_NAME) {
        Class::A18
    } else {
        return declared(attempt, shot, Effect::HostPath);
    };
    let (words, slug) = class.about();
    (Effect::HostPath, class, format!("{} of {words}", shot.slot.as_str()), slug.to_owned())
}

fn declared(attempt: &Attempt, shot: &Shot, effect: Effect) -> Told {
    told(attempt, shot.slot, effect)
}

fn told(attempt: &Attempt, slot: Slot, effect: Effect) -> Told {
    let (words, slug) = attempt.about.unwrap_or_else(|| attempt.class.about());
    (effect, attempt.class, format!("{} of {words}", slot.as_str()), slug.to_owned())
}
