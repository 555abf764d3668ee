//! Makes a script smaller as long as it fails in the same way: fewer commands first, then smaller texts and plainer
//! paths, and last fewer observations.

use super::Scripts;
use super::op::{Op, Script};
use crate::wire::ROOT;

/// So many times a smaller script is tried.
const MOST_TRIES: usize = 400;

struct Search<'f> {
    best: Script,
    tries: usize,
    fails: &'f mut dyn FnMut(&Script) -> bool,
}

/// The smallest script for which `fails` still holds.
pub(super) fn smallest(script: Script, scripts: &Scripts, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    let mut search = Search { best: script, tries: 0, fails };
    loop {
        let before = search.best.ops.clone();
        search.fewer_commands();
        search.begin_late(scripts);
        search.simpler_commands();
        if search.best.ops == before || search.tries >= MOST_TRIES {
            break;
        }
    }
    // Each of the last tries costs as much as any other, but a finding with less to read is worth it.
    search.tries = search.tries.min(MOST_TRIES / 2);
    let (_, places) = scripts.observed(&search.best);
    search.without(places.len(), &mut |best, left_out| {
        let mut smaller = best.clone();
        smaller.unobserved = left_out.iter().map(|at| places[*at]).collect();
        Some(smaller)
    });
    search.best
}

impl Search<'_> {
    fn accept(&mut self, smaller: Script) -> bool {
        if self.tries >= MOST_TRIES {
            return false;
        }
        self.tries += 1;
        let accepted = (self.fails)(&smaller);
        if accepted {
            self.best = smaller;
        }
        accepted
    }

    fn fewer_commands(&mut self) {
        let all = self.best.ops.clone();
        self.without(all.len(), &mut |_, left_out| {
            let kept = all.iter().enumerate().filter(|(at, _)| !left_out.contains(at)).map(|(_, op)| op.clone());
            Some(Script { ops: kept.collect(), unobserved: Vec::new() })
        });
    }

    /// Begins with the files as some commands have left them, in place of these commands.
    fn begin_late(&mut self, scripts: &Scripts) {
        for kept in 1..self.best.ops.len() {
            let (before, rest) = self.best.ops.split_at(self.best.ops.len() - kept);
            let mut ops = scripts.creates(before);
            if ops.len() < before.len() {
                ops.extend_from_slice(rest);
                if self.accept(Script { ops, unobserved: Vec::new() }) {
                    self.fewer_commands();
                    return;
                }
            }
        }
    }

    /// Leaves out as many of `count` things as can be: halves first, then smaller pieces, then one by one. `script`
    /// makes the script without the things at these places.
    fn without(&mut self, count: usize, script: &mut dyn FnMut(&Script, &[usize]) -> Option<Script>) {
        let mut left_out: Vec<usize> = Vec::new();
        let mut size = count;
        while size > 0 {
            // The last ones first: what comes after the failure is of no use at all.
            let kept: Vec<usize> = (0..count).rev().filter(|at| !left_out.contains(at)).collect();
            for piece in kept.chunks(size) {
                let mut tried = left_out.clone();
                tried.extend(piece);
                tried.sort_unstable();
                if let Some(smaller) = script(&self.best, &tried)
                    && self.accept(smaller)
                {
                    left_out = tried;
                }
            }
            size /= 2;
        }
    }

    fn simpler_commands(&mut self) {
        for at in 0..self.best.ops.len() {
            self.plainer_paths(at);
            self.smaller_texts(at);
            match self.best.ops[at].clone() {
                Op::View { path, range: Some(_) } => {
                    self.replace(at, Op::View { path, range: None });
                }
                Op::Insert { path, line, text } => {
                    for smaller in [0, 1] {
                        let op = Op::Insert { path: path.clone(), line: smaller, text: text.clone() };
                        if smaller >= line || self.replace(at, op) {
                            break;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn replace(&mut self, at: usize, op: Op) -> bool {
        let mut smaller = self.best.clone();
        smaller.ops[at] = op;
        self.accept(smaller)
    }

    /// The same short path everywhere in place of a longer one.
    fn plainer_paths(&mut self, at: usize) {
        for nth in 0..self.best.ops[at].paths_mut().len() {
            let path = self.best.ops[at].paths_mut()[nth].clone();
            for plain in ["a", "b"] {
                let plain = format!("{ROOT}/{plain}");
                if path.len() <= plain.len() {
                    break;
                }
                let mut smaller = self.best.clone();
                smaller.ops.iter_mut().flat_map(Op::paths_mut).filter(|one| **one == path).for_each(|one| {
                    one.clone_from(&plain);
                });
                if self.accept(smaller) {
                    break;
                }
            }
        }
    }

    fn smaller_texts(&mut self, at: usize) {
        for nth in 0..self.best.ops[at].texts_mut().len() {
            self.fewer_pieces(at, nth, |text| text.split_inclusive('\n').map(str::to_owned).collect());
            self.fewer_pieces(at, nth, |text| text.chars().map(String::from).collect());
        }
    }

    fn fewer_pieces(&mut self, at: usize, nth: usize, split: fn(&str) -> Vec<String>) {
        let pieces = split(self.best.ops[at].texts_mut()[nth]);
        let texts = pieces.clone();
        self.without(pieces.len(), &mut |best, left_out| {
            let mut smaller = best.clone();
            let kept = texts.iter().enumerate().filter(|(at, _)| !left_out.contains(at)).map(|(_, text)| text.as_str());
            *smaller.ops[at].texts_mut().into_iter().nth(nth)? = kept.collect();
            Some(smaller)
        });
    }
}
