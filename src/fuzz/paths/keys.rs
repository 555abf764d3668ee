//! What responses alone can prove, without a disk: keys that a store takes for patterns or prefixes, names that
//! collide, moves into themselves, and input that a handler must outlive.

use serde_json::{Value, json};

use super::Class;
use super::script::{Attempt, Shot};
use super::token::{Slot, Tree, Walk};

type About = (&'static str, &'static str);

const LIKE: About = ("a name with a wildcard of SQL's LIKE", "like");
const GLOB: About = ("a name with a wildcard of a glob", "glob");
const PREFIX: About = ("a name that begins another name", "prefix");
const QUOTE: About = ("a name with a quote", "quote");
const FOLDED: About = ("a name that differs from another in its case only", "case-folded");
const COMPOSED: About = ("a name that differs from another in its Unicode form only", "composed");
const TRIMMED: About = ("a name that differs from another in a space or dot at its end only", "trimmed");
const STREAM: About = ("a name of a stream of another file", "stream");
const SELF: About = ("a path moved into itself", "self-move");
const DECODED: About = ("a name that differs from another in its percent-encoding only", "decoded");

/// What is sent, and the file that it must leave alone.
const PATTERNS: [(&str, &str, About); 20] = [
    ("a_b.md", "axb.md", LIKE),
    ("a%b.md", "azzb.md", LIKE),
    ("%", "anything.md", LIKE),
    ("_____", "fiver", LIKE),
    ("a*b.md", "azzb.md", GLOB),
    ("*", "anything.md", GLOB),
    ("**", "deep/anything.md", GLOB),
    ("a?b.md", "axb.md", GLOB),
    ("[ab].md", "a.md", GLOB),
    ("{a,b}.md", "a.md", GLOB),
    (".*", "anything.md", GLOB),
    ("memo", "memory.md", PREFIX),
    ("ab", "abc/inner.md", PREFIX),
    ("note.md", "note.md.bak", PREFIX),
    ("x' OR '1'='1", "anything.md", QUOTE),
    ("x'; --", "anything.md", QUOTE),
    ("x\" OR \"\"=\"", "anything.md", QUOTE),
    ("__proto__", "anything.md", QUOTE),
    ("constructor", "anything.md", QUOTE),
    ("$ne", "anything.md", QUOTE),
];

/// Encoded names: what is done to the first must leave the second alone. (A store that folds case, trims, or keeps one
/// Unicode form takes two names for one file: that is an alias, and its right.)
const TWINS: [(&str, &str); 4] = [("%61.md", "a.md"), ("a%2fb.md", "a/b.md"), ("%2561.md", "a.md"), ("a%2Emd", "a.md")];

pub(super) fn all() -> Vec<Attempt> {
    let mut found = Vec::new();
    for (sent, kept, about) in PATTERNS {
        for slot in [Slot::Delete, Slot::RenameOld, Slot::Create, Slot::StrReplace, Slot::Insert] {
            found.push(leaves_alone(Class::A20, slot, sent, kept, about));
            if slot == Slot::Delete || slot == Slot::RenameOld {
                // Where it exists under its own name too.
                let mut attempt = leaves_alone(Class::A20, slot, sent, kept, about);
                attempt.shots.insert(0, Shot::raw(Slot::Create, format!("/memories/{sent}")));
                found.push(attempt);
            }
        }
    }
    for (sent, kept) in TWINS {
        for slot in [Slot::Delete, Slot::RenameOld, Slot::Create, Slot::Insert] {
            found.push(leaves_alone(Class::A11, slot, sent, kept, DECODED));
        }
    }
    twins(&mut found);
    self_moves(&mut found);
    long(&mut found);
    odd_types(&mut found);
    windows_names(&mut found);
    forged(&mut found);
    found
}

fn leaves_alone(class: Class, slot: Slot, sent: &str, kept: &str, about: About) -> Attempt {
    let shot = Shot::raw(slot, format!("/memories/{sent}"));
    let kept = vec![(format!("/memories/{kept}"), "canary: to be left alone".to_owned())];
    Attempt { about: Some(about), kept, ..Attempt::new(class, vec![shot]) }
}

/// Names that a store may take for one file. Where it keeps them apart, what is done to one leaves the other alone.
fn twins(found: &mut Vec<Attempt>) {
    for (class, sent, kept, about) in [
        (Class::A20, "Note.md", "note.md", FOLDED),
        (Class::A20, "caf\u{e9}.md", "cafe\u{301}.md", COMPOSED),
        (Class::A20, "\u{ff41}.md", "a.md", COMPOSED),
        (Class::A20, "a.md ", "a.md", TRIMMED),
        (Class::A20, "a.md.", "a.md", TRIMMED),
        (Class::A6, "a.md:s", "a.md", STREAM),
        (Class::A6, "a.md::$DATA", "a.md", STREAM),
        (Class::A6, "d::$INDEX_ALLOCATION", "d/a.md", STREAM),
    ] {
        for slot in [Slot::Delete, Slot::RenameOld, Slot::StrReplace, Slot::Insert] {
            found.push(Attempt { is_twin: true, ..leaves_alone(class, slot, sent, kept, about) });
        }
    }
}

/// Names of devices and streams of Windows. On any system they are an error, or a file like another.
fn windows_names(found: &mut Vec<Attempt>) {
    for name in [
        "CON",
        "con.md",
        "PRN",
        "AUX",
        "NUL",
        "NUL.tar.gz",
        "NUL .md",
        "aux.md.",
        "COM1",
        "COM\u{b9}",
        "LPT9.md",
        "memconf-nest/NUL",
        "NUL:",
        "a.md:s",
        "a.md::$DATA",
        "MEMCON~1",
        "MEMCON~1.MD",
    ] {
        each_slot(found, Class::A6, None, &format!("/memories/{name}").into());
    }
}

/// A move into itself fails, or loses nothing: a store may also keep `.` and a file's name as parts of a key, and have
/// moved what it holds.
fn self_moves(found: &mut Vec<Attempt>) {
    let kept = ("/memories/d/kept.md", "Moves nowhere");
    let root = Tree::new(vec![Walk::Top], "{store}").render();
    for (old, new) in [
        ("/memories/d", "/memories/./d/sub"),
        ("/memories/d/kept.md", "/memories/d"),
        ("/memories/d/kept.md", "/memories/d/kept.md/below"),
        ("/memories/d/kept.md", root.as_str()),
        ("/memories/d", "/memories/d/sub"),
        ("/memories/d", "/memories/d/sub/deeper"),
        ("/memories/d", "/memories/d/kept.md"),
        ("/memories/d", "/memories/d"),
        ("/memories/d", "/memories/d/"),
        ("/memories/d/kept.md", "/memories/d/kept.md"),
        ("/memories", "/memories/d"),
        ("/memories", "/memories/d/sub"),
    ] {
        let shot = Shot { other: Some(new.into()), ..Shot::raw(Slot::RenameOld, old) };
        let kept = vec![(kept.0.to_owned(), kept.1.to_owned())];
        let rest = "/memories/d/kept.md".strip_prefix(old).unwrap_or_default();
        let or_at = (old != new && old != "/memories").then(|| format!("{new}{rest}"));
        found.push(Attempt { about: Some(SELF), kept, or_at, ..Attempt::new(Class::A22, vec![shot]) });
    }
}

/// Every slot with each value; no answer, a crash or a path of the host is the finding.
fn each_slot(found: &mut Vec<Attempt>, class: Class, about: Option<About>, value: &Value) {
    for slot in Slot::ALL {
        found.push(Attempt { about, ..Attempt::new(class, vec![Shot::raw(slot, value.clone())]) });
    }
}

fn long(found: &mut Vec<Attempt>) {
    const NAME: About = ("a very long name", "long-name");
    const PATH: About = ("a very long path", "long-path");
    const DEEP: About = ("a very deep path", "deep");
    for length in [255, 256, 4096] {
        each_slot(found, Class::A18, Some(NAME), &format!("/memories/{}", "n".repeat(length)).into());
    }
    each_slot(found, Class::A18, Some(NAME), &format!("/memories/{}", "\u{1f600}".repeat(255)).into());
    for length in [500, 2040, 32_000] {
        each_slot(found, Class::A18, Some(PATH), &format!("/memories{}memconf-long.md", "/./".repeat(length)).into());
    }
    for depth in [100, 1000] {
        each_slot(found, Class::A18, Some(DEEP), &format!("/memories{}", "/d".repeat(depth)).into());
    }
}

fn odd_types(found: &mut Vec<Attempt>) {
    let values = [
        json!(""),
        json!(" "),
        json!("/"),
        json!("."),
        json!(null),
        json!(0),
        json!(-1.5),
        json!(true),
        json!([]),
        json!({}),
        json!(["/memories"]),
        json!({ "path": "/memories" }),
        json!({ "toString": "/memories" }),
    ];
    for value in &values {
        each_slot(found, Class::A19, None, value);
    }
    // As text, by a language that joins lists: the check sees a list, the file system a path.
    for value in [
        json!(["/memories/../canary.txt"]),
        json!(["/memories", "..", "canary.txt"]),
        json!(["/memories/", "../canary.txt"]),
    ] {
        found.push(Attempt::new(Class::A19, vec![Shot::raw(Slot::View, value)]));
    }
}

/// Names that print as rows: they cost no other file, and no listing shows a file that nobody made.
fn forged(found: &mut Vec<Attempt>) {
    const ROW: About = ("a name that imitates a row", "forged-row");
    for name in ["q3.md\n9.9K\tghost.md", "q3.md\r9.9K\tghost.md", "q3.md\u{2028}9.9K\tghost.md"] {
        let kept = vec![("/memories/memconf-kept.md".to_owned(), "Kept in the root".to_owned())];
        let shot = Shot::raw(Slot::Create, format!("/memories/{name}"));
        found.push(Attempt { about: Some(ROW), kept, lists: Some(name), ..Attempt::new(Class::A17, vec![shot]) });
    }
    for name in
        ["a\n4.0K\t/memories/ghost.md", "a\r4.0K\t/memories/ghost.md", "a\u{2028}b.md", "a\u{1b}[2Kb.md", "a\tb"]
    {
        for slot in [Slot::Create, Slot::Delete, Slot::RenameNew] {
            found.push(Attempt::new(Class::A17, vec![Shot::raw(slot, format!("/memories/{name}"))]));
        }
    }
}
