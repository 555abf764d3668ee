//! What a well-kept collection of cases keeps to, beyond what the loader demands.

use std::collections::{BTreeSet, HashMap};

use super::{Action, Case, Catalogue, split_choice};
use crate::wire::Command;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    /// The case or the requirement.
    pub id: String,
    /// What is wrong.
    pub message: String,
}

/// All findings for a complete collection: repeated ids, cases without assertion or requirement, refused
/// mutations whose effect no later step looks at, undeclared choices, requirements without a case.
pub fn lint(cases: &[Case], catalogue: &Catalogue) -> Vec<Lint> {
    let mut found = Vec::new();
    let mut add = |id: &str, message: String| found.push(Lint { id: id.into(), message });
    let mut ids: HashMap<&str, usize> = HashMap::new();
    let mut cited = BTreeSet::new();
    let declared: HashMap<&str, &Vec<String>> =
        catalogue.iter().flat_map(|one| &one.choices).map(|(key, values)| (key.as_str(), values)).collect();
    for case in cases {
        *ids.entry(&case.id).or_default() += 1;
        if case.requirements.is_empty() {
            add(&case.id, "cites no requirement".into());
        }
        cited.extend(case.requirements.iter().chain(case.steps.iter().flat_map(|step| &step.requirements)));
        if case.steps.iter().all(|step| step.outcomes.is_empty()) {
            add(&case.id, "has no assertion".into());
        }
        if !case.title.ends_with(|c: char| c != '.') || case.title.len() > 120 {
            add(&case.id, "the title is empty, longer than 120 characters, or ends in a full stop".into());
        }
        for (index, step) in case.steps.iter().enumerate() {
            let Action::Call(input) = &step.action else { continue };
            let refused = step.outcomes.iter().any(|outcome| outcome.expected.is_error());
            let mutates = Command::of(input) != Some(Command::View);
            let looked_at = case.steps[index + 1..].iter().any(|later| {
                matches!(&later.action, Action::Call(input) if Command::of(input) == Some(Command::View) && !later.outcomes.is_empty())
            });
            if refused && mutates && !looked_at {
                add(
                    &case.id,
                    format!("step {}: no later view looks at the effect of a mutation that may be refused", index + 1),
                );
            }
            let taken = step.outcomes.iter().flat_map(|one| [&one.choice, &one.when]).chain([&step.when]).flatten();
            for choice in taken {
                let known = split_choice(choice).is_some_and(|(key, value)| {
                    declared.get(key).is_some_and(|values| values.iter().any(|one| one == value))
                });
                if !known {
                    add(&case.id, format!("step {}: the choice `{choice}` stands at no requirement", index + 1));
                }
            }
        }
    }
    for (id, count) in ids {
        if count > 1 {
            add(id, "the id stands twice".into());
        }
    }
    for requirement in catalogue.iter() {
        match (&requirement.no_case, cited.contains(&requirement.id)) {
            (None, false) => add(&requirement.id, "no case cites it, and no `no_case` says why".into()),
            (Some(_), true) => add(&requirement.id, "has a `no_case` reason, but a case cites it".into()),
            _ => {}
        }
    }
    found.sort_by(|a, b| (&a.id, &a.message).cmp(&(&b.id, &b.message)));
    found
}
