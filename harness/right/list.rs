//! The handlers, each with what is its own.

use memconf::transport::Handler;

use super::Right;
use super::files::{Files, Folding, Host, Keys, Tree};
use super::handler::{OddRange, Own, Reading, USUAL, Ways};
use super::input::Manner;
use super::say::Voice;
use super::{forms, readings, voices};

fn own(files: impl Files + 'static, ways: Ways, reading: Reading, voice: Voice) -> Box<dyn Handler> {
    Box::new(Own { files: Box::new(files), ways, reading, voice })
}

/// In a tree in memory, with the usual paths and the documented words.
fn usual(ways: Ways) -> Box<dyn Handler> {
    own(Tree::default(), ways, readings::usual, voices::docs)
}

/// The usual ways in other words.
fn speaking(voice: Voice) -> Box<dyn Handler> {
    own(Tree::default(), USUAL, readings::usual, voice)
}

fn right(
    name: &'static str,
    about: &'static str,
    make: fn() -> Box<dyn Handler>,
    fails: &'static [&'static [&'static str]],
) -> Right {
    Right { name, about, disk: false, make, fails }
}

impl Right {
    /// On disk.
    fn on_disk(self) -> Right {
        Right { disk: true, ..self }
    }
}

/// Other words for everything but views.
const OWN_TEXTS: &[&str] = &[
    "another text for create.ok",
    "another text for delete.missing",
    "another text for delete.ok",
    "another text for insert.bad-line",
    "another text for insert.directory",
    "another text for insert.ok",
    "another text for rename.destination-exists",
    "another text for rename.missing",
    "another text for rename.ok",
    "another text for str_replace.ambiguous",
    "another text for str_replace.directory",
    "another text for str_replace.not-found",
    "another text for str_replace.ok",
    "another text for view.line-limit",
    "another text for view.missing",
];
const OWN_EXISTING: &[&str] = &["another text for create.existing"];
const OWN_FILE_HEADER: &[&str] = &["another header for a file", "another text"];
const NO_FILE_HEADER: &[&str] = &["the header line is missing"];
const OWN_LISTING_HEADER: &[&str] = &["another header for a directory"];
const NO_LISTING_HEADER: &[&str] = &["the header of the listing is missing"];
const ONE_LEVEL: &[&str] = &["view.directory-depth"];
const NO_FLAG: &[&str] = &["result.error-flagged"];

const OWN_WORDS: &[&[&str]] = &[OWN_TEXTS, OWN_EXISTING, OWN_FILE_HEADER, OWN_LISTING_HEADER];
const OWN_WORDS_UNFLAGGED: &[&[&str]] = &[OWN_TEXTS, OWN_EXISTING, OWN_FILE_HEADER, OWN_LISTING_HEADER, NO_FLAG];

/// All of them.
pub fn all() -> Vec<Right> {
    vec![
        right("documented", "the documented strings and choices, in code of its own", || usual(USUAL), &[]),
        right("overwrites", "create overwrites", || usual(Ways { overwrites: true, ..USUAL }), &[]),
        right(
            "phantom-line",
            "a final newline begins a line, in view and in insert (TypeScript SDK)",
            || usual(Ways { phantom_line: true, empty_is_a_line: true, ..USUAL }),
            &[],
        ),
        right(
            "phantom-line-in-view",
            "a final newline begins a line in view alone (Python SDK)",
            || usual(Ways { phantom_in_view: true, empty_is_a_line: true, adds_final_newline: true, ..USUAL }),
            &[],
        ),
        right(
            "final-newline-added",
            "an insertion leaves a final newline",
            || usual(Ways { adds_final_newline: true, ..USUAL }),
            &[],
        ),
        right("echoes-as-sent", "answers with paths as they were sent", || usual(Ways { echoes: true, ..USUAL }), &[]),
        right("ranges-clamped", "cuts odd ranges", || usual(Ways { range: OddRange::Clamped, ..USUAL }), &[]),
        right(
            "ranges-empty",
            "shows no lines for an odd range, and refuses one on a directory",
            || usual(Ways { range: OddRange::Nothing, range_on_directory_refused: true, ..USUAL }),
            &[],
        ),
        right(
            "other-choices",
            "counts overlaps, names a line once, fills empty files, lets a file keep its name",
            || {
                usual(Ways {
                    overlaps: true,
                    names_a_line_once: true,
                    empty_old_fills: true,
                    same_is_done: true,
                    destination_first: true,
                    case_is_one_name: true,
                    ..USUAL
                })
            },
            &[],
        ),
        right(
            "strict-input",
            "refuses unknown fields and nulls",
            || usual(Ways { input: Manner::Strict, ..USUAL }),
            &[],
        ),
        right(
            "lenient-input",
            "takes \"1\" and true for 1, and fields under another name",
            || usual(Ways { input: Manner::Lenient, ..USUAL }),
            &[],
        ),
        right(
            "small-files",
            "refuses texts of more than 20,000 bytes",
            || usual(Ways { most_bytes: 20_000, ..USUAL }),
            &[],
        ),
        right(
            "tiny-files",
            "refuses texts of more than 5,000 bytes",
            || usual(Ways { most_bytes: 5_000, ..USUAL }),
            &[],
        ),
        right(
            "long-views-cut-with-a-note",
            "shows no more than 16,000 characters at a time, and says how many lines are left",
            || usual(Ways { most_shown: 16_000, notes_what_is_cut: true, ..USUAL }),
            &[],
        ),
        right(
            "long-files-cut",
            "cuts a view after 16,000 characters, and no range",
            || usual(Ways { most_shown: 16_000, ..USUAL }),
            &[],
        ),
        right("forgets", "keeps files in the process, and says so", || usual(Ways { restarts: false, ..USUAL }), &[]),
        right(
            "strict-paths",
            "refuses every path but the one spelling of a plain one",
            || own(Tree::default(), USUAL, readings::strict, voices::docs),
            &[],
        ),
        right(
            "clamps",
            "keeps `..` at the root, as chroot does",
            || own(Tree::default(), USUAL, readings::clamped, voices::docs),
            &[],
        ),
        right(
            "literal-names",
            "keeps %2e%2e, backslashes and control characters in names",
            || own(Tree::default(), Ways { echoes: true, ..USUAL }, readings::literal, forms::escaped_paths),
            &[NO_LISTING_HEADER],
        ),
        right(
            "generous-prefix",
            "takes memories/a and /Memories/a for /memories/a",
            || own(Tree::default(), USUAL, readings::generous, voices::docs),
            &[],
        ),
        right(
            "key-value",
            "keeps flat keys: a directory is there as long as a file in it",
            || own(Keys::default(), USUAL, readings::keys, voices::docs),
            &[],
        ),
        right(
            "key-value-overwriting",
            "flat keys, overwritten by create, one level listed, errors not flagged",
            || {
                let ways = Ways { overwrites: true, flags: false, levels: 1, ..USUAL };
                own(Keys::default(), ways, readings::keys, forms::bullets)
            },
            &[OWN_TEXTS, OWN_FILE_HEADER, NO_LISTING_HEADER, ONE_LEVEL, NO_FLAG],
        ),
        right(
            "on-disk",
            "keeps its files on disk, below the root it is given",
            || own(Host::default(), USUAL, readings::usual, voices::docs),
            &[],
        )
        .on_disk(),
        right(
            "on-disk-clamping",
            "the same, with `..` kept at the root and replacement characters shown",
            || {
                let ways = Ways { overwrites: true, ..USUAL };
                own(Host::showing_replacements(), ways, readings::clamped, voices::python_sdk)
            },
            &[],
        )
        .on_disk(),
        right(
            "case-folding",
            "takes names that differ in case alone for one, as macOS and Windows do",
            || own(Folding::default(), Ways { same_is_done: true, ..USUAL }, readings::usual, voices::docs),
            &[],
        ),
        right(
            "case-folding-overwriting",
            "the same, where create overwrites",
            || {
                let ways = Ways { overwrites: true, same_is_done: true, ..USUAL };
                own(Folding::default(), ways, readings::usual, voices::docs)
            },
            &[],
        ),
        right(
            "case-collisions-refused",
            "refuses a name that differs from another in case alone",
            || usual(Ways { case_collisions_refused: true, case_is_one_name: true, ..USUAL }),
            &[],
        ),
        right(
            "backslashes-are-slashes",
            "takes a backslash for a slash, as Windows does, and refuses every `..`",
            || own(Tree::default(), USUAL, readings::backslashed, voices::docs),
            &[],
        ),
        right(
            "files-alone",
            "lists files without rows for their directories, as an object store does",
            || own(Keys::default(), USUAL, readings::keys, forms::files_alone),
            &[&["view.directory-rows"]],
        ),
        right("no-slash", "lists directories without a slash", || speaking(forms::no_slash), &[]),
        right("thousands", "sizes in units of 1000, rows from last to first", || speaking(forms::thousands), &[]),
        right("paths-alone", "lists paths without sizes", || speaking(forms::paths_alone), &[NO_LISTING_HEADER]),
        right("tree", "lists as `tree` does", || speaking(forms::tree), &[NO_LISTING_HEADER]),
        right("one-level", "lists one level", || usual(Ways { levels: 1, ..USUAL }), &[ONE_LEVEL]),
        right(
            "plain-text",
            "views a file without header and numbers",
            || speaking(forms::plain_text),
            &[&["another text", "the lines are not numbered", "the text is empty"]],
        ),
        right(
            "hides-byte-order-marks",
            "leaves a byte order mark out of a view, and keeps it in the file",
            || speaking(forms::without_mark),
            &[&["view.line-format"]],
        ),
        right("cat-n", "views a file as `cat -n` does", || speaking(forms::cat_n), &[NO_FILE_HEADER]),
        right("fenced", "views a file in a fence, numbers in brackets", || speaking(forms::fenced), &[OWN_FILE_HEADER]),
        right(
            "python-sdk",
            "the words of the Python SDK",
            || own(Tree::default(), Ways { echoes: true, ..USUAL }, readings::usual, voices::python_sdk),
            &[],
        ),
        right("typescript-sdk", "the words of the TypeScript SDK", || speaking(voices::typescript_sdk), &[]),
        right(
            "java-example",
            "the words of the Java example",
            || own(Tree::default(), Ways { levels: 1, ..USUAL }, readings::usual, voices::java_example),
            &[ONE_LEVEL],
        ),
        right(
            "csharp-example",
            "the words of the C# example",
            || own(Tree::default(), Ways { levels: 1, ..USUAL }, readings::usual, voices::csharp_example),
            &[ONE_LEVEL],
        ),
        right(
            "cookbook",
            "the words of the cookbook: no flag, `1: text`, `- name`",
            || {
                let ways = Ways { overwrites: true, flags: false, levels: 1, range: OddRange::Clamped, ..USUAL };
                own(Tree::default(), ways, readings::usual, voices::cookbook)
            },
            &[ONE_LEVEL, NO_FLAG, &["another text for view.line-limit"]],
        ),
        right(
            "unflagged",
            "the documented strings without a flag",
            || usual(Ways { flags: false, ..USUAL }),
            &[NO_FLAG],
        ),
        right("friendly", "English of its own", || speaking(voices::friendly), OWN_WORDS),
        right(
            "friendly-unflagged",
            "English of its own, without a flag",
            || own(Tree::default(), Ways { flags: false, ..USUAL }, readings::usual, voices::friendly),
            OWN_WORDS_UNFLAGGED,
        ),
        right("chinese", "Chinese", || speaking(voices::chinese), OWN_WORDS),
        right(
            "chinese-unflagged",
            "Chinese, without a flag",
            || own(Tree::default(), Ways { flags: false, ..USUAL }, readings::usual, voices::chinese),
            OWN_WORDS_UNFLAGGED,
        ),
    ]
}
