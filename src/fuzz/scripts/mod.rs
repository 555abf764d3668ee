//! Random scripts, judged by the reference handler as the model.
//!
//! A script is a few commands over paths and texts that are easily taken for one another. The model plays it first and
//! says, command by command, what comes of it; where a ruling leaves a choice, the model does what the handler
//! [chooses](learn), and where it is not known what that is, the command is left out. So each script becomes a case
//! like any other, in which every command is followed by a look at what it touched, and all by a look at every file.

mod cause;
mod choices;
mod generate;
mod model;
mod op;
mod player;
mod rules;
mod shrink;

pub use choices::{Choices, learn};
pub use op::Script;

use super::{Cause, Source};
use crate::case::Case;
use crate::judge::CaseResult;
use op::Op;
use player::Player;

/// So many scripts are tried unless told otherwise: about a minute on a handler that answers 1,000 commands a second.
pub const DEFAULT_COUNT: u64 = 3000;

/// Random scripts from a seed, for a handler with these choices.
pub fn scripts(seed: u64, choices: Choices) -> Scripts {
    Scripts { seed, choices }
}

/// See [`scripts`].
#[derive(Debug)]
pub struct Scripts {
    seed: u64,
    choices: Choices,
}

impl Source for Scripts {
    type Attempt = Script;

    fn attempt(&self, number: u64) -> Option<Script> {
        Some(generate::script(self.seed, number, &self.choices))
    }

    fn case(&self, script: &Script) -> Case {
        self.observed(script).0
    }

    fn cause(&self, script: &Script, result: &CaseResult) -> Option<Cause> {
        if result.failures.is_empty() {
            return None;
        }
        cause::of(&self.case(script), result)
    }

    fn shrink(&self, script: Script, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
        shrink::smallest(script, self, fails)
    }
}

impl Scripts {
    /// What makes the files that these commands leave.
    fn creates(&self, ops: &[Op]) -> Vec<Op> {
        let mut player = Player::new(&self.choices, false);
        for op in ops {
            player.play(op);
        }
        player.creates()
    }

    /// The script as a case, and the places of its observations among all steps that the case would have if none
    /// were left out.
    fn observed(&self, script: &Script) -> (Case, Vec<usize>) {
        let mut player = Player::new(&self.choices, true);
        for op in &script.ops {
            player.play(op);
        }
        player.finish();
        let mut steps = player.steps.unwrap_or_default();
        if !script.unobserved.is_empty() {
            let mut at = 0;
            steps.retain(|_| {
                at += 1;
                !script.unobserved.contains(&(at - 1))
            });
        }
        let mut requirements: Vec<String> = Vec::new();
        for id in steps.iter().flat_map(|step| &step.requirements) {
            if !requirements.contains(id) {
                requirements.push(id.clone());
            }
        }
        let case =
            Case { id: "fuzz/scripts".into(), title: "A random script".into(), requirements, needs: Vec::new(), steps };
        (case, player.observations)
    }
}
