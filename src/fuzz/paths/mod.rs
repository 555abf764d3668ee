//! Attacks on the path parameters of a handler, with proof of every finding.
//!
//! A path is a tree of tokens (`token`), disguised by encodings (`encode`). Where its string leads is computed under
//! every plausible interpretation (`reading`, `landing`): readings closed under composition, then a mapping into the
//! file system. A different secret stands at each such place outside the store, so that what comes back, or what
//! changed, says positively which interpretation the handler applied. Nothing is inferred from absence: a refusal is
//! always right, and so is a success that touched nothing it must not.
//!
//! Every attempt is a case like those in `cases/` (`script`), so a finding is replayed by `memconf run --cases`.

mod canary;
mod class;
mod encode;
mod enumerate;
mod finding;
mod forged;
mod harmless;
mod keys;
mod landing;
mod planted;
mod random;
mod reading;
mod script;
mod shrink;
mod token;

#[cfg(test)]
mod tests;

pub use canary::OutsideCanary;
pub use class::Class;
pub use encode::{Code, Encoding, On};
pub use harmless::Host;
pub use landing::{Chain, Mapping, Met, explain, interpretations};
pub use reading::Reading;
pub use script::{Attempt, Sent, Shot};
pub use token::{Slot, Tree, Walk};

use super::{Cause, Source};
use crate::case::{Case, PlantNode};
use crate::judge::CaseResult;

/// Suffixes of directories that stand beside the store, as the sandbox makes them.
const SIBLINGS: [&str; 3] = ["_evil", "-x", "X"];

/// Every slot with every class first, then attacks at random.
#[derive(Debug)]
pub struct PathAttacks {
    seed: u64,
    host: Host,
    first: Vec<Attempt>,
    secrets: Vec<String>,
}

impl PathAttacks {
    /// All attacks of a seed that are harmless on this host.
    pub fn new(seed: u64) -> PathAttacks {
        PathAttacks::on(Host::here(), seed)
    }

    /// All attacks of a seed that are harmless on a host.
    pub fn on(host: Host, seed: u64) -> PathAttacks {
        let mut first = enumerate::all();
        first.extend(keys::all());
        first.extend(planted::all());
        first.extend(planted::odd());
        first.retain(|attempt| host.is_harmless(attempt));
        PathAttacks { seed, host, first, secrets: Vec::new() }
    }

    /// With attacks on a secret of the author's, before all others.
    #[must_use]
    pub fn with_canary(mut self, canary: &OutsideCanary) -> PathAttacks {
        self.first.splice(0..0, canary.attempts());
        self.secrets.push(canary.secret.clone());
        self
    }

    /// Without directories of many thousand files, which take as long to make as hundreds of other attacks.
    #[must_use]
    pub fn without_many_files(mut self) -> PathAttacks {
        self.first.retain(|attempt| !attempt.plants.iter().any(|plant| matches!(plant.node, PlantNode::Entries(_))));
        self
    }

    /// How many attempts are enumerated, before the random ones begin.
    pub fn enumerated(&self) -> u64 {
        self.first.len() as u64
    }
}

impl Source for PathAttacks {
    type Attempt = Attempt;

    fn attempt(&self, number: u64) -> Option<Attempt> {
        let place = usize::try_from(number).ok()?;
        Some(match self.first.get(place) {
            Some(attempt) => attempt.clone(),
            None => random::attempt(self.seed, number, self.host),
        })
    }

    fn secrets(&self) -> &[String] {
        &self.secrets
    }

    fn warnings(&self) -> Vec<String> {
        self.host.warnings()
    }

    fn case(&self, attempt: &Attempt) -> Case {
        script::script(attempt).0
    }

    fn cause(&self, attempt: &Attempt, result: &CaseResult) -> Option<Cause> {
        finding::cause(attempt, result)
    }

    fn shrink(&self, attempt: Attempt, fails: &mut dyn FnMut(&Attempt) -> bool) -> Attempt {
        shrink::shrink(attempt, self.host, fails)
    }
}
