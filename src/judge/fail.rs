//! How a failure is weighed: at which facet and level, and what follows from it.

use super::case::CaseJudge;
use super::reader::{HIDDEN, Misfit, MisfitKind};
use super::text::cut;
use super::verdict::{FacetState, Failure, StepRecord};
use crate::case::{Facet, Level};
use crate::wire::{Command, ToolResult};

impl CaseJudge<'_> {
    /// A reply that is not what is expected.
    pub(super) fn misfit(
        &mut self,
        step: usize,
        ids: &[String],
        command: Option<Command>,
        misfit: Misfit,
        expected: Option<String>,
        reply: &ToolResult,
    ) {
        let Misfit { message, kind, about } = misfit;
        let actual = Some(reply.content.clone());
        let lost = kind != MisfitKind::Succeeded;
        let about = about.filter(|id| self.catalogue.get(id).is_some());
        let about = about.filter(|id| !(self.shows_hidden && id == HIDDEN));
        let level = self.fail_effect(step, ids, lost, about, message, expected, actual);
        if kind == MisfitKind::Refused && command.is_none_or(Command::mutates) {
            self.refused = true;
            self.ceiling.get_or_insert(level);
        }
    }

    pub(super) fn fail_behaviour(
        &mut self,
        step: usize,
        ids: &[String],
        message: String,
        expected: Option<String>,
        actual: Option<String>,
    ) {
        self.fail_effect(step, ids, true, None, message, expected, actual);
    }

    /// `lost`: something is not as it should be, beyond what an answer says of itself. `about`: the requirement that
    /// is at stake, where it is another than those of the step.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn fail_effect(
        &mut self,
        step: usize,
        ids: &[String],
        lost: bool,
        about: Option<String>,
        message: String,
        expected: Option<String>,
        actual: Option<String>,
    ) -> Level {
        // A wrong answer is a matter of behaviour; what was lost by it, of safety.
        let safety = lost && about.is_none() && !self.refused && self.catalogue.effect_is_safety(ids);
        let facet = if safety { Facet::Safety } else { Facet::Behaviour };
        let mut level = self.catalogue.level_of(ids, facet);
        if let Some(about) = &about {
            level = level.min(self.catalogue.level(std::slice::from_ref(about)));
        }
        if !safety {
            level = level.min(self.ceiling.unwrap_or(Level::Must));
        }
        let cause = about.or_else(|| ids.first().cloned()).unwrap_or_else(|| self.case.id.clone());
        let (expected, actual) = (expected.as_deref().map(cut), actual.as_deref().map(cut));
        self.fail(Failure {
            step: step + 1,
            facet,
            level,
            message,
            cause,
            expected,
            actual,
            dialects: Vec::new(),
            place: None,
        });
        level
    }

    pub(super) fn fail_safety(
        &mut self,
        step: usize,
        level: Level,
        message: String,
        cause: &str,
        actual: Option<&str>,
        place: Option<&str>,
    ) {
        let (cause, actual) = (cause.to_owned(), actual.map(cut));
        let facet = Facet::Safety;
        self.fail(Failure {
            step,
            facet,
            level,
            message,
            cause,
            expected: None,
            actual,
            dialects: Vec::new(),
            place: place.map(str::to_owned),
        });
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        self.result.facets[failure.facet as usize] = FacetState::Fail;
        self.result.failures.push(failure);
    }

    pub(super) fn checked(&mut self, facet: Facet) {
        let state = &mut self.result.facets[facet as usize];
        if *state == FacetState::NotChecked {
            *state = FacetState::Pass;
        }
    }

    pub(super) fn unknown(&mut self, step: usize, why: &str) {
        let state = &mut self.result.facets[Facet::Behaviour as usize];
        if *state != FacetState::Fail {
            *state = FacetState::Unknown;
        }
        self.result.notes.push(format!("step {}: {why}", step + 1));
    }

    pub(super) fn record(&mut self, step: usize, reply: &ToolResult) {
        let content = cut(&reply.content);
        self.result.steps.push(StepRecord { step: step + 1, content, is_error: reply.is_error, fault: None });
    }
}
