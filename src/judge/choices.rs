//! Where several behaviours are allowed, a handler takes one of them, in every case.

use std::collections::BTreeMap;

use super::verdict::{CaseResult, FacetState, Failure};
use crate::case::{Catalogue, Facet, Level};

/// Finds the choice that the handler takes for each key, and fails the cases that take another: the value of most
/// cases counts, or else the first in the order of the values. Returns the choices.
pub fn settle(results: &mut [CaseResult], catalogue: &Catalogue, strict: bool) -> BTreeMap<String, String> {
    let mut counts: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for (key, value, _) in results.iter().flat_map(|result| &result.choices) {
        *counts.entry(key.clone()).or_default().entry(value.clone()).or_default() += 1;
    }
    let usual: BTreeMap<String, String> = counts
        .iter()
        .filter_map(|(key, values)| {
            let most = values.values().max()?;
            let value = values.iter().find(|(_, count)| *count == most)?.0;
            Some((key.clone(), value.clone()))
        })
        .collect();
    for result in results {
        let mut failures = Vec::new();
        for (key, value, step) in &result.choices {
            let expected = &usual[key];
            if value == expected {
                continue;
            }
            let others = counts[key][expected];
            let message = format!(
                "takes the choice `{key}: {value}`, but `{key}: {expected}` in {others} other case{}; one of them must hold throughout",
                if others == 1 { "" } else { "s" }
            );
            failures.push(Failure {
                step: *step,
                facet: Facet::Behaviour,
                level: level(catalogue, key),
                message,
                cause: format!("inconsistent choice {key}"),
                expected: None,
                actual: None,
                dialects: Vec::new(),
                place: None,
            });
        }
        if !failures.is_empty() {
            result.facets[Facet::Behaviour as usize] = FacetState::Fail;
            result.failures.extend(failures);
            result.failures.sort_by_key(|failure| failure.step);
            result.decide(strict);
        }
    }
    usual
}

/// The level of the requirement that declares the choice.
fn level(catalogue: &Catalogue, key: &str) -> Level {
    let declared = catalogue.iter().find(|one| one.choices.contains_key(key));
    declared.map_or(Level::Should, |one| one.level.min(Level::Should))
}
