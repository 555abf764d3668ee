//! What the store's directory holds otherwise than an outcome says.

use super::text::{cut, quote};
use crate::case::Outcome;
use crate::sandbox::{Disk, OnDisk};

/// One difference.
pub(super) struct OnDiskDifference {
    pub(super) message: String,
    pub(super) expected: Option<String>,
    pub(super) actual: Option<String>,
}

/// What the disk holds otherwise than an outcome says.
pub(super) fn differences(outcome: &Outcome, disk: &Disk) -> Vec<OnDiskDifference> {
    let mut found = Vec::new();
    for (path, expected) in &outcome.disk {
        let Some(there) = disk.read(path) else { continue };
        let message = match (&there, expected) {
            (OnDisk::Nothing, None) => continue,
            (OnDisk::File(bytes), Some(wanted)) if bytes == wanted => continue,
            (there, None) => format!("on disk, {path} is still there ({})", describe(there)),
            (there, Some(wanted)) => {
                format!("on disk, {path} is {}, {} expected", describe(there), describe_bytes(wanted))
            }
        };
        let text = |bytes: &Vec<u8>| cut(&String::from_utf8_lossy(bytes));
        let actual = match &there {
            OnDisk::File(bytes) => Some(text(bytes)),
            _ => None,
        };
        found.push(OnDiskDifference { message, expected: expected.as_ref().map(text), actual });
    }
    for (path, expected) in &outcome.modes {
        if let Some(mode) = disk.mode(path).filter(|mode| mode != expected) {
            let message = format!("on disk, {path} has the mode {mode:04o}, {expected:04o} expected");
            found.push(OnDiskDifference { message, expected: None, actual: None });
        }
    }
    found
}

fn describe(found: &OnDisk) -> String {
    match found {
        OnDisk::Nothing => "not there".into(),
        OnDisk::Directory => "a directory".into(),
        OnDisk::Other(what) => (*what).into(),
        OnDisk::File(bytes) => describe_bytes(bytes),
    }
}

fn describe_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("a file with {}", quote(text)),
        Err(_) => format!("a file of {} bytes that are not UTF-8", bytes.len()),
    }
}
