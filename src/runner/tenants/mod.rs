//! Two stores of one service at once: what one stores, lists, edits, deletes, moves or addresses by any string never
//! shows in the other.

mod scenes;

use std::hash::BuildHasher;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use super::Connect;
use crate::case::{Action, Case, Catalogue, Facet, Step};
use crate::judge::{CaseResult, FacetState, Failure, StepRecord, Verdict, quote};
use crate::transport::{Fault, Transport};
use crate::wire::{Command, ToolResult};
use scenes::{Check, Scene, scenes};

const RULING: &str = "ruling.tenants-apart";

/// The most bytes of an answer that a report keeps.
const KEPT: usize = 2000;

/// The checks as cases, ordered by id. Their steps say what is sent, not to which of the two stores; holes in braces
/// stand for texts and names that are new in each run. Only [`run`](super::run) can run them, where
/// [`Connect::connect_store`] gives two stores.
pub fn cases() -> Vec<Case> {
    let case = |scene: Scene| Case {
        id: scene.id.into(),
        title: scene.title.into(),
        requirements: vec![RULING.into()],
        needs: Vec::new(),
        steps: scene.acts.into_iter().map(|act| step(act.input)).collect(),
    };
    scenes().into_iter().map(case).collect()
}

fn step(input: Value) -> Step {
    Step { action: Action::Call(input), when: None, requirements: Vec::new(), outcomes: Vec::new() }
}

/// Whether the case of this id is one of [`cases`].
pub fn is_tenants(id: &str) -> bool {
    id.starts_with("tenants/")
}

/// Runs the check of this id; `None` where there is none.
pub(super) fn run(id: &str, connect: &dyn Connect, catalogue: &Catalogue) -> Option<CaseResult> {
    let scene = is_tenants(id).then(scenes)?.into_iter().find(|scene| scene.id == id)?;
    let started = Instant::now();
    let mut result = empty(&scene, catalogue);
    let base = format!("{:016x}", std::hash::RandomState::new().hash_one(id));
    let names = scene.names.map(|name| name.replace("{base}", &base));
    let stores = names.each_ref().map(|name| connect.connect_store(name));
    match stores {
        [Some(first), Some(second)] => {
            let secrets = [format!("alpha{base}"), format!("omega{base}")];
            let mut stage = Stage { stores: [first, second], names, secrets, result: &mut result };
            if let Err((verdict, note)) = stage.play(&scene) {
                stage.result.notes.push(note);
                stage.result.verdict = verdict;
            }
        }
        _ => {
            result.verdict = Verdict::NotApplicable;
            result.notes.push("no header says which store is meant: `--session-header NAME`".into());
        }
    }
    result.facets[Facet::Safety as usize] = match (result.failures.is_empty(), result.verdict) {
        (false, _) => FacetState::Fail,
        (true, Verdict::Pass) => FacetState::Pass,
        (true, Verdict::NotApplicable) => FacetState::NotChecked,
        (true, _) => FacetState::Unknown,
    };
    result.decide(false);
    result.rewrite(|text| text.replace(&base, "{base}"));
    result.duration = started.elapsed();
    Some(result)
}

fn empty(scene: &Scene, catalogue: &Catalogue) -> CaseResult {
    let requirements = vec![RULING.to_owned()];
    CaseResult {
        id: scene.id.into(),
        title: scene.title.into(),
        verdict: Verdict::Pass,
        level: catalogue.level(&requirements),
        requirements,
        facets: [FacetState::NotChecked; 3],
        failures: Vec::new(),
        notes: Vec::new(),
        choices: Vec::new(),
        wordings: Vec::new(),
        steps: Vec::new(),
        log: String::new(),
        duration: std::time::Duration::ZERO,
    }
}

/// Two stores, and what is found out about them.
struct Stage<'a> {
    stores: [Box<dyn Transport>; 2],
    names: [String; 2],
    /// Texts of the first and of the second store alone.
    secrets: [String; 2],
    result: &'a mut CaseResult,
}

impl Stage<'_> {
    /// Why it ended early: the verdict, and a note.
    fn play(&mut self, scene: &Scene) -> Result<(), (Verdict, String)> {
        let could_not_run = |note| (Verdict::CouldNotRun, note);
        for store in &mut self.stores {
            // The store has a name of its own: no directory is meant.
            store.begin(Path::new("/")).map_err(|fault| could_not_run(format!("no empty store: {fault}")))?;
        }
        for (index, act) in scene.acts.iter().enumerate() {
            let step = index + 1;
            let input = self.filled(&act.input);
            let who = ["first", "second"][usize::from(act.is_second)];
            let answer = match self.stores[usize::from(act.is_second)].call(&input) {
                Ok(answer) => answer,
                Err(fault) => {
                    self.record(step, "", true, Some(fault.to_string()));
                    match act.check {
                        // No answer shows nothing. What it did is seen in the other store.
                        Check::Any if fault.is_failure() && !matches!(fault, Fault::Timeout { .. }) => continue,
                        _ => return Err(could_not_run(format!("step {step}, in the {who} store: {fault}"))),
                    }
                }
            };
            self.record(step, &answer.content, answer.is_error, None);
            self.judge(step, act, &input, &answer, who)?;
        }
        Ok(())
    }

    fn judge(
        &mut self,
        step: usize,
        act: &scenes::Act,
        input: &Value,
        answer: &ToolResult,
        who: &str,
    ) -> Result<(), (Verdict, String)> {
        let (own, other) = (usize::from(act.is_second), usize::from(!act.is_second));
        let command = Command::of(input).map_or("", Command::as_str);
        // What was sent may come back; a replacement may show the line before, which is the store's own.
        if answer.content.contains(&self.secrets[other]) && !input.to_string().contains(&self.secrets[other]) {
            let message = format!("the answer to `{command}` in the {who} store holds what only the other one stored");
            self.fail(step, message, answer);
            return Ok(());
        }
        let shows = !answer.is_error && answer.content.contains(&self.secrets[own]);
        let said = || quote(&answer.content);
        match act.check {
            Check::Any => {}
            Check::StillShows if !shows => {
                let message = format!(
                    "`{command}` in the {who} store no longer shows what it stored, after commands in the other one"
                );
                self.fail(step, message, answer);
            }
            Check::Must if answer.is_error => {
                let why = format!("step {step}: `{command}` in the {who} store is refused: {}", said());
                return Err((Verdict::CouldNotRun, why));
            }
            Check::Shows if !shows => {
                let why =
                    format!("step {step}: `{command}` does not show what the same store has just stored: {}", said());
                return Err((Verdict::CouldNotRun, why));
            }
            Check::Must | Check::Shows | Check::StillShows => {}
        }
        Ok(())
    }

    fn fail(&mut self, step: usize, message: String, answer: &ToolResult) {
        self.result.failures.push(Failure {
            step,
            facet: Facet::Safety,
            level: self.result.level,
            cause: message.clone(),
            message,
            expected: None,
            actual: Some(cut(&answer.content)),
            dialects: Vec::new(),
            place: None,
        });
    }

    fn record(&mut self, step: usize, content: &str, is_error: bool, fault: Option<String>) {
        self.result.steps.push(StepRecord { step, content: cut(content), is_error, fault });
    }

    /// The input with its holes filled.
    fn filled(&self, input: &Value) -> Value {
        let fill = |text: &str| {
            text.replace("{a}", &self.secrets[0]).replace("{b}", &self.secrets[1]).replace("{A}", &self.names[0])
        };
        match input {
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| match value {
                    Value::String(text) => (name.clone(), Value::String(fill(text))),
                    other => (name.clone(), other.clone()),
                });
                Value::Object(fields.collect())
            }
            other => other.clone(),
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(KEPT) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_can_begin_and_end() {
        let all = scenes();
        assert!(all.is_sorted_by_key(|scene| scene.id));
        for scene in all {
            assert!(scene.id.starts_with("tenants/"));
            assert!(scene.acts.iter().any(|act| act.check == Check::Shows), "{}", scene.id);
            assert!(scene.acts.iter().any(|act| act.check == Check::StillShows && !act.is_second), "{}", scene.id);
        }
    }
}
