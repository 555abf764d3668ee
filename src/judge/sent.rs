//! What a case sends and expects to see again: the lines and paths that a reply is read by.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::paths::{normalised, with_parents};
use crate::case::{Action, Case};
use crate::wire::PATH_PARAMETERS;

/// Every line that the case writes or expects to read.
pub(super) fn known_lines(case: &Case) -> HashSet<&str> {
    const MOST: usize = 20_000;
    let mut lines = HashSet::new();
    for step in &case.steps {
        if let Action::Call(input) = &step.action {
            for name in ["file_text", "insert_text", "old_str", "new_str"] {
                if let Some(text) = input.get(name).and_then(Value::as_str) {
                    lines.extend(text.split('\n').take(MOST));
                }
            }
        }
        for outcome in &step.outcomes {
            let shape = outcome.expected.text().filter(|_| !outcome.expected.is_error());
            let numbered = shape.into_iter().flat_map(|text| text.split('\n').skip(1).take(MOST));
            lines.extend(numbered.filter_map(|line| {
                let (number, text) = line.split_once('\t')?;
                number.trim_start().bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
            }));
        }
    }
    lines
}

/// Every path that the case sends, plants or expects to see, normalised, with its parents.
pub(super) fn known_paths(case: &Case) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for path in sent_paths(case) {
        paths.extend(with_parents(path));
        // A name may also be kept as it was sent.
        paths.insert(path.trim_end_matches('/').to_owned());
        paths.insert(normalised(path));
    }
    for step in &case.steps {
        if let Action::Plant(plant) = &step.action {
            paths.extend(with_parents(&plant.path));
        }
        for text in step.outcomes.iter().filter_map(|outcome| outcome.expected.text()) {
            let rows = text.split('\n').skip(1).filter_map(|row| row.split_once('\t'));
            for (_, path) in rows.filter(|(size, _)| size.starts_with("{size")) {
                paths.extend(with_parents(path));
            }
        }
    }
    paths
}

pub(super) fn sent_paths(case: &Case) -> impl Iterator<Item = &str> {
    let inputs = case.steps.iter().filter_map(|step| match &step.action {
        Action::Call(input) => Some(input),
        _ => None,
    });
    inputs.flat_map(|input| PATH_PARAMETERS.iter().filter_map(|name| input.get(*name)?.as_str()))
}

/// Percent-decoded once, as far as it goes.
pub(super) fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| bytes[at] == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
