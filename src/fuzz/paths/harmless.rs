//! The rule that no attack can harm anything but what memconf made for it.
//!
//! A command that can destroy is sent only where every interpretation of its paths ends at a place of memconf's own, or
//! strictly inside the host's `/memories`: the store itself of a handler that is really mounted there. A path that
//! leads out therefore carries the absolute path of a canary behind `..` enough to reach the top of any file system
//! ([`Walk::Top`](super::Walk::Top)): joined, pasted, decoded, or taken for a path of the host, it ends in the sandbox.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::landing::{is_ours, places};
use super::reading::Reading;
use super::script::Attempt;
use super::token::{Slot, UPS};
use crate::wire::ROOT;

/// A store lies at most so much deeper than the temporary folder: five levels of the sandbox, and those of the store.
const SANDBOX_DEPTH: usize = 5 + crate::sandbox::STORE_LEVELS;

/// What decides on this machine whether an attack is harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// The host has no `/memories`: a command that takes something away finds nothing there to take.
    pub root_is_free: bool,
    /// The sandbox's path can stand in an attack: no interpretation reads it otherwise, and `..` enough lead to the
    /// top from all places that a handler may start from.
    pub has_plain_sandbox: bool,
}

impl Host {
    /// This machine.
    pub fn here() -> Host {
        let temporary = std::env::temp_dir();
        let temporary = temporary.canonicalize().unwrap_or(temporary);
        let starts = [std::env::current_dir().ok(), std::env::home_dir()];
        let deep = |path: &PathBuf| path.components().count() >= UPS;
        Host {
            root_is_free: Path::new(ROOT).symlink_metadata().is_err(),
            has_plain_sandbox: temporary.components().count() + SANDBOX_DEPTH < UPS
                && is_plain(&temporary)
                && !starts.iter().flatten().any(deep),
        }
    }

    /// What is not sent on this host.
    pub fn warnings(self) -> Vec<String> {
        let mut found = Vec::new();
        if !self.root_is_free {
            found.push("this machine has a /memories of its own: no command that could destroy a store was sent with the root for its path; run where there is none".to_owned());
        }
        if !self.has_plain_sandbox {
            found.push("the temporary folder, the working directory or the home directory lies too deep, or has odd characters in its path: paths that lead out were only viewed; set TMPDIR to a folder such as /tmp".to_owned());
        }
        found
    }

    /// Whether an attempt can hit nothing but what memconf made for it, whatever a handler makes of its strings.
    pub fn is_harmless(self, attempt: &Attempt) -> bool {
        attempt.shots.iter().all(|shot| {
            let other = if shot.slot == Slot::RenameNew { Slot::RenameOld } else { Slot::RenameNew };
            self.may_be_sent(shot.slot, &shot.sent.value())
                && shot.other.as_ref().is_none_or(|path| self.string_may_be_sent(other, path))
        })
    }

    /// Whether a value may be sent in a slot.
    pub fn may_be_sent(self, slot: Slot, value: &Value) -> bool {
        match value {
            _ if !slot.is_destructive() => true,
            Value::String(text) => self.string_may_be_sent(slot, text),
            // A language that makes a text of it finds a name without any way in it, at worst.
            value => coerced(value)
                .iter()
                .all(|text| !text.contains(['/', '\\']) && !text.contains("..") || self.string_may_be_sent(slot, text)),
        }
    }

    fn string_may_be_sent(self, slot: Slot, text: &str) -> bool {
        let has_hole = text.contains("{outside}") || text.contains("{store}");
        if has_hole && !self.has_plain_sandbox {
            return false;
        }
        let makes = matches!(slot, Slot::Create | Slot::RenameNew);
        places(text, |place| match place {
            ["memories"] => self.root_is_free && !makes,
            ["memories", ..] => true,
            place => is_ours(place),
        })
    }
}

/// Whether every reading leaves a path as it is. Letter case does not matter where it does not on the disk.
fn is_plain(path: &Path) -> bool {
    let Some(text) = path.to_str() else { return false };
    Reading::ALL.into_iter().all(|reading| {
        let read = reading.read(text);
        read == text || (reading == Reading::Fold && Path::new(&read).canonicalize().is_ok_and(|real| real == path))
    })
}

/// The texts that languages make of a value that is none.
fn coerced(value: &Value) -> Vec<String> {
    let mut found = vec![value.to_string()];
    match value {
        Value::Array(parts) => {
            let parts: Vec<String> =
                parts.iter().map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned)).collect();
            found.extend(["/", ",", ""].map(|between| parts.join(between)));
        }
        Value::Object(fields) => {
            found.push("[object Object]".into());
            found.extend(fields.values().filter_map(Value::as_str).map(str::to_owned));
        }
        _ => {}
    }
    found
}
