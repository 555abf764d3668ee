//! Random scripts. proptest draws what is meant, as numbers; what a number means depends on the state that the
//! commands before it have led to, so that most commands meet a file, a text that is there, a line that exists.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::choices::Choices;
use super::model::There;
use super::op::{Op, Script};
use super::player::Player;
use super::rules::line_count;
use crate::fuzz::mix;
use crate::wire::ROOT;

/// Names that are easily taken for one another: by a prefix, an ending, the case of letters, a wildcard, a separator
/// that is written otherwise. A script keeps to one of these sets, so that its names meet.
const PATHS: [&[&str]; 4] = [
    &["a", "a.txt", "ab", "A.txt", "d", "d/a", "d_a", "d/e/b", "a_b/a", "axb/a", "da"],
    &["a", "a.txt", "ab", "A.txt", "a/b"],
    &["d", "d/a", "d_a", "da", "d/e/b", "da/a"],
    &["a_b/a", "axb/a", "a_b/b", "a.b", "a_b"],
];

/// Lines of which the texts are made.
const LINES: [&str; 26] = [
    "",
    "a",
    "b",
    "ab",
    "a b",
    "aXb",
    "é",
    "日本",
    "😀",
    "a😀b",
    "\ta",
    "a\tb",
    "a ",
    " a",
    "$&",
    "a$1b",
    "\\1",
    "\\n",
    "%s",
    "a.b",
    ".*",
    "{a}",
    "<b>&amp;",
    "a\u{2028}b",
    "a\u{c}b",
    LONG,
];

/// A long line.
const LONG: &str = "a long line: 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 \
    0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 \
    0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 é";

/// The kinds of intents that are deletions.
const DELETE: Range<u8> = 175..198;
/// The kinds of intents that are renames.
const RENAME: Range<u8> = 198..226;

/// What is meant by a command.
#[derive(Clone, Debug)]
struct Intent {
    /// Which command.
    kind: u8,
    /// Which of several of something.
    picks: [u16; 3],
    text: Lines,
    other: Lines,
}

/// Lines by their number, each with how it ends.
type Lines = Vec<(u8, u8)>;

fn intents() -> impl Strategy<Value = Vec<Intent>> {
    let intent = (any::<u8>(), any::<[u16; 3]>(), lines(5), lines(3));
    let intent = intent.prop_map(|(kind, picks, text, other)| Intent { kind, picks, text, other });
    vec(intent, 3..=12)
}

fn lines(most: usize) -> impl Strategy<Value = Lines> {
    vec((any::<u8>(), any::<u8>()), 0..=most)
}

/// The script of this number. It depends on nothing but the seed, the number and the choices.
pub(super) fn script(seed: u64, number: u64, choices: &Choices) -> Script {
    let mut bytes = [0; 32];
    for (at, chunk) in (0_u64..).zip(bytes.chunks_mut(8)) {
        chunk.copy_from_slice(&mix(seed, number.wrapping_mul(4).wrapping_add(at)).to_le_bytes());
    }
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { failure_persistence: None, ..Config::default() };
    let Ok(tree) = intents().new_tree(&mut TestRunner::new_with_rng(config, rng)) else { return Script::default() };
    let mut player = Player::new(choices, false);
    let mut script = Script::default();
    let intents = tree.current();
    let names = PATHS[intents.first().map_or(0, |intent| usize::from(intent.picks[2]) % PATHS.len())];
    for intent in intents {
        let op = intent.command(&player, names);
        if player.play(&op) {
            script.ops.push(op);
        }
    }
    script
}

impl Intent {
    fn command(&self, player: &Player<'_>, names: &[&str]) -> Op {
        let paths = player.model.paths();
        let first = self.picks[0];
        match self.kind {
            _ if paths.is_empty() => Op::Create { path: new_path(names, first), text: text(&self.text, true) },
            0..40 => Op::Create { path: self.path(names, &paths, 40), text: text(&self.text, true) },
            40..120 => {
                let path = self.path(names, &paths, 92);
                let old = self.old(player, &path);
                // One thing at a time, so that a finding tells which of them it is: an old text of several lines, or no new
                // one.
                let given = old.contains('\n') || !self.picks[2].is_multiple_of(8);
                let new = given.then(|| text(&self.other, self.picks[2].is_multiple_of(3)));
                Op::StrReplace { path, old, new }
            }
            120..175 => {
                let path = self.path(names, &paths, 92);
                let count = match player.model.at(&path) {
                    There::File(text) => line_count(&text) as i64,
                    _ => 1,
                };
                let line = match self.picks[1] % 16 {
                    0 => count + 1,
                    1 => count + 2,
                    2 => -1,
                    3..=5 => count,
                    _ => i64::from(self.picks[1] / 16) % (count + 1),
                };
                Op::Insert { path, line, text: text(&self.other, true) }
            }
            _ if DELETE.contains(&self.kind) => Op::Delete { path: self.path(names, &paths, 88) },
            _ if RENAME.contains(&self.kind) => {
                let new = match self.picks[1] % 8 {
                    0 => paths[usize::from(self.picks[1] / 8) % paths.len()].0.clone(),
                    1 => format!("{}/a", paths[usize::from(self.picks[1] / 8) % paths.len()].0),
                    _ => new_path(names, self.picks[1] / 8),
                };
                Op::Rename { old: self.path(names, &paths, 92), new }
            }
            _ => {
                let path = self.path(names, &paths, 92);
                let count = match player.model.at(&path) {
                    There::File(text) if self.picks[1].is_multiple_of(2) => line_count(&text) as i64,
                    _ => 0,
                };
                let range = (count > 0).then(|| {
                    let first = i64::from(self.picks[1] / 2) % count + 1;
                    let last = match self.picks[2] % 5 {
                        0 => -1,
                        1 => count + 3,
                        _ => first + i64::from(self.picks[2] / 5) % (count - first + 1),
                    };
                    (first, last)
                });
                Op::View { path, range }
            }
        }
    }

    /// A path: with this chance of a hundred one that exists.
    fn path(&self, names: &[&str], paths: &[(String, bool)], existing: u16) -> String {
        let (chance, pick) = (self.picks[0] % 100, self.picks[0] / 100);
        if chance >= existing {
            return match pick % 6 {
                0 => ROOT.to_owned() + if self.kind < DELETE.start { "/a/b" } else { "" },
                _ => new_path(names, pick / 6),
            };
        }
        // What is edited is a file, what is deleted or renamed may as well be a directory.
        let files = paths.iter().filter(|(_, is_file)| *is_file).count();
        let moves = (DELETE.start..RENAME.end).contains(&self.kind);
        let files_only = files > 0 && pick % 8 >= if moves { 4 } else { 1 };
        let mut eligible = paths.iter().filter(|(_, is_file)| *is_file || !files_only);
        let count = if files_only { files } else { paths.len() };
        eligible.nth(usize::from(pick / 8) % count).map_or_else(|| ROOT.to_owned(), |(path, _)| path.clone())
    }

    /// A text to be replaced: mostly one that stands in the file.
    fn old(&self, player: &Player<'_>, path: &str) -> String {
        let file = match player.model.at(path) {
            There::File(file) if !file.is_empty() => file,
            _ => return text(&self.text, false),
        };
        let pick = usize::from(self.picks[1]);
        let (how, pick) = (pick % 16, pick / 16);
        let line = || {
            let lines: Vec<&str> = file.split_inclusive('\n').collect();
            (lines.len(), pick % lines.len(), lines)
        };
        match how {
            0 => text(&self.text, false),
            1 if pick.is_multiple_of(3) => String::new(),
            1..=4 => {
                let (_, at, lines) = line();
                lines[at].trim_end_matches('\n').to_owned()
            }
            5..=6 => {
                let (_, at, lines) = line();
                lines[at].to_owned()
            }
            7..=8 => {
                let (count, at, lines) = line();
                lines[at..(at + 2).min(count)].concat()
            }
            _ => {
                let starts: Vec<usize> = file.char_indices().map(|(at, _)| at).collect();
                let first = pick % starts.len();
                let last = (first + 1 + usize::from(self.picks[2] / 8) % 5).min(starts.len());
                let end = starts.get(last).copied().unwrap_or(file.len());
                file[starts[first]..end].to_owned()
            }
        }
    }
}

fn new_path(names: &[&str], pick: u16) -> String {
    format!("{ROOT}/{}", names[usize::from(pick) % names.len()])
}

/// A text of these lines; without `ended` the last one has no LF.
fn text(lines: &[(u8, u8)], ended: bool) -> String {
    let mut text = String::new();
    for (at, (line, end)) in lines.iter().enumerate() {
        // Half of all lines are among the plainest, so that they meet again.
        let line = usize::from(*line);
        text.push_str(if line < 128 { LINES[line % 5] } else { LINES[line % LINES.len()] });
        let last = at + 1 == lines.len();
        match end % 16 {
            _ if last && (!ended || *end >= 160) => {}
            0..=1 => text.push_str("\r\n"),
            2 => text.push_str("\n\n"),
            _ => text.push('\n'),
        }
    }
    text
}
