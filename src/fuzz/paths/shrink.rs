//! Makes a finding smaller, token by token.

use super::Host;
use super::script::{Attempt, Sent};

/// At most so many smaller attempts are run.
const PATIENCE: usize = 200;

/// The smallest attempt for which `fails` still holds.
pub(super) fn shrink(mut attempt: Attempt, host: Host, fails: &mut dyn FnMut(&Attempt) -> bool) -> Attempt {
    let mut left = PATIENCE;
    'again: loop {
        for smaller in smaller(&attempt) {
            if left == 0 {
                return attempt;
            }
            if !host.is_harmless(&smaller) {
                continue;
            }
            left -= 1;
            if fails(&smaller) {
                attempt = smaller;
                continue 'again;
            }
        }
        return attempt;
    }
}

fn smaller(attempt: &Attempt) -> Vec<Attempt> {
    let mut found = Vec::new();
    if attempt.shots.len() > 1 && attempt.modes.is_empty() {
        if attempt.shots.len() > 2 {
            // Each alone, before one less.
            found.extend(attempt.shots.iter().map(|shot| Attempt { shots: vec![shot.clone()], ..attempt.clone() }));
        }
        for at in 0..attempt.shots.len() {
            let mut smaller = attempt.clone();
            smaller.shots.remove(at);
            found.push(smaller);
        }
    }
    for at in 0..attempt.plants.len() {
        if attempt.plants.len() > 1 {
            let mut smaller = attempt.clone();
            smaller.plants.remove(at);
            found.push(smaller);
        }
    }
    if attempt.kept.len() > 1 {
        for at in 0..attempt.kept.len() {
            let mut smaller = attempt.clone();
            smaller.kept.remove(at);
            found.push(smaller);
        }
    }
    for (at, shot) in attempt.shots.iter().enumerate() {
        let Sent::Tree(tree) = &shot.sent else { continue };
        for tree in tree.smaller() {
            let mut smaller = attempt.clone();
            smaller.shots[at].sent = Sent::Tree(tree);
            found.push(smaller);
        }
    }
    found
}
