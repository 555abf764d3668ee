//! What two stores do to each other, as scripts.

use serde_json::{Value, json};

/// What an answer has to be. The text of one store never shows in an answer to the other, whatever the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// A success, without which the rest says nothing: the case could not run.
    Must,
    /// A success that shows the store's own text, before the other store did anything: else the case could not run.
    Shows,
    /// The same, after the other store did something: else that has changed it.
    StillShows,
    /// Anything, an error included.
    Any,
}

/// One command in one of the two stores.
#[derive(Clone, Debug)]
pub(super) struct Act {
    /// Whether it is the second store, the one that intrudes.
    pub(super) is_second: bool,
    /// With the holes `{a}` and `{b}`, texts of the two stores alone, and `{A}`, the first store's name.
    pub(super) input: Value,
    pub(super) check: Check,
}

/// A script.
pub(super) struct Scene {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// The names of the two stores, with the hole `{base}`, which is new in each run.
    pub(super) names: [&'static str; 2],
    pub(super) acts: Vec<Act>,
}

const PLAN: &str = "/memories/plan.txt";

/// Two names that have nothing in common but their beginning.
const PLAIN: [&str; 2] = ["memconf-{base}-first", "memconf-{base}-second"];

/// All scripts, ordered by id.
pub(super) fn scenes() -> Vec<Scene> {
    let names = |id, title, second| Scene { id, title, names: ["memconf-{base}-First", second], acts: intrusion() };
    let plain = |id, title, acts| Scene { id, title, names: PLAIN, acts };
    vec![
        plain("tenants/cache", "What was just shown to one store is not shown to another", cache()),
        plain("tenants/deletes", "A store deletes only what is its own", deletes()),
        plain("tenants/edits", "A store edits only what is its own", edits()),
        plain("tenants/listings", "A store lists only what is its own", listings()),
        names(
            "tenants/name-in-other-case",
            "Store names that differ in letter case are two stores",
            "memconf-{base}-fIRST",
        ),
        names(
            "tenants/name-is-a-part",
            "A store whose name begins another's is a store of its own",
            "memconf-{base}-Fir",
        ),
        names(
            "tenants/name-with-dotdot",
            "A store name with `..` leads into no other store",
            "memconf-{base}-x/../memconf-{base}-First",
        ),
        names("tenants/name-with-percent", "A `%` in a store name stands for nothing else", "memconf-{base}-F%"),
        names("tenants/name-with-quote", "A quote in a store name ends no query", "memconf-{base}-x' OR '1'='1"),
        names("tenants/name-with-star", "A `*` in a store name stands for nothing else", "memconf-{base}-F*"),
        names("tenants/name-with-underscore", "A `_` in a store name stands for nothing else", "memconf-{base}-F_rst"),
        plain("tenants/paths", "No path leads from one store into another", paths()),
        plain("tenants/renames", "A store moves only what is its own", renames()),
    ]
}

fn a(check: Check, input: Value) -> Act {
    Act { is_second: false, input, check }
}

fn b(check: Check, input: Value) -> Act {
    Act { is_second: true, input, check }
}

fn create(path: &str, text: &str) -> Value {
    json!({ "command": "create", "path": path, "file_text": format!("{text}\nsecond line\n") })
}

fn view(path: &str) -> Value {
    json!({ "command": "view", "path": path })
}

fn delete(path: &str) -> Value {
    json!({ "command": "delete", "path": path })
}

fn rename(from: &str, to: &str) -> Value {
    json!({ "command": "rename", "old_path": from, "new_path": to })
}

fn replace(path: &str, old: &str, new: &str) -> Value {
    json!({ "command": "str_replace", "path": path, "old_str": old, "new_str": new })
}

/// The first store's file, and that it is there.
fn first(path: &str) -> Vec<Act> {
    vec![a(Check::Must, create(path, "{a}")), a(Check::Shows, view(path))]
}

/// All that a store with an odd name may try; it need not be accepted at all.
fn intrusion() -> Vec<Act> {
    let mut acts = first(PLAN);
    acts.extend([
        b(Check::Any, view(PLAN)),
        b(Check::Any, view("/memories")),
        b(Check::Any, create(PLAN, "{b}")),
        a(Check::StillShows, view(PLAN)),
        b(Check::Any, view(PLAN)),
        b(Check::Any, replace(PLAN, "second line", "{b}")),
        a(Check::StillShows, view(PLAN)),
        b(Check::Any, rename(PLAN, "/memories/moved.txt")),
        a(Check::StillShows, view(PLAN)),
        b(Check::Any, view("/memories/moved.txt")),
        b(Check::Any, delete(PLAN)),
        b(Check::Any, delete("/memories/moved.txt")),
        a(Check::StillShows, view(PLAN)),
    ]);
    acts
}

fn cache() -> Vec<Act> {
    let mut acts = first(PLAN);
    acts.extend([
        b(Check::Any, view(PLAN)),
        b(Check::Must, create(PLAN, "{b}")),
        b(Check::StillShows, view(PLAN)),
        a(Check::StillShows, view(PLAN)),
        a(Check::Must, replace(PLAN, "second line", "changed line")),
        b(Check::StillShows, view(PLAN)),
        a(Check::StillShows, view(PLAN)),
        a(Check::Must, delete(PLAN)),
        b(Check::StillShows, view(PLAN)),
        a(Check::Any, view(PLAN)),
        a(Check::Any, view("/memories")),
    ]);
    acts
}

fn deletes() -> Vec<Act> {
    let mut acts = first(PLAN);
    acts.extend([
        b(Check::Any, delete(PLAN)),
        a(Check::StillShows, view(PLAN)),
        b(Check::Must, create(PLAN, "{b}")),
        b(Check::Must, delete(PLAN)),
        a(Check::StillShows, view(PLAN)),
        b(Check::Any, view(PLAN)),
        a(Check::Must, create("/memories/dir/x.txt", "{a}")),
        b(Check::Must, create("/memories/dir/y.txt", "{b}")),
        b(Check::Must, delete("/memories/dir")),
        a(Check::StillShows, view("/memories/dir/x.txt")),
    ]);
    acts
}

fn edits() -> Vec<Act> {
    let mut acts = first(PLAN);
    acts.extend([
        b(Check::Any, replace(PLAN, "second line", "{b}")),
        b(Check::Any, json!({ "command": "insert", "path": PLAN, "insert_line": 0, "insert_text": "{b}\n" })),
        a(Check::StillShows, view(PLAN)),
        b(Check::Must, create(PLAN, "{b}")),
        a(Check::StillShows, view(PLAN)),
        b(Check::Must, replace(PLAN, "second line", "{b} again")),
        b(Check::Must, json!({ "command": "insert", "path": PLAN, "insert_line": 0, "insert_text": "{b}\n" })),
        a(Check::StillShows, view(PLAN)),
        b(Check::StillShows, view(PLAN)),
    ]);
    acts
}

fn listings() -> Vec<Act> {
    let mut acts = first("/memories/{a}.txt");
    acts.extend([
        a(Check::Must, create("/memories/dir/{a}.txt", "{a}")),
        b(Check::Any, view("/memories")),
        b(Check::Must, create("/memories/dir/own.txt", "{b}")),
        b(Check::Any, view("/memories")),
        b(Check::Any, view("/memories/dir")),
        a(Check::StillShows, view("/memories")),
    ]);
    acts
}

fn renames() -> Vec<Act> {
    let (taken, goal) = ("/memories/taken.txt", "/memories/goal.txt");
    let mut acts = first(PLAN);
    acts.extend([
        b(Check::Any, rename(PLAN, taken)),
        a(Check::StillShows, view(PLAN)),
        b(Check::Any, view(taken)),
        b(Check::Must, create(PLAN, "{b}")),
        b(Check::Must, rename(PLAN, "/memories/new.txt")),
        a(Check::StillShows, view(PLAN)),
        b(Check::StillShows, view("/memories/new.txt")),
        a(Check::Must, create(goal, "{a}")),
        b(Check::Must, rename("/memories/new.txt", goal)),
        a(Check::StillShows, view(goal)),
        b(Check::StillShows, view(goal)),
        a(Check::Must, create("/memories/dir/x.txt", "{a}")),
        b(Check::Must, create("/memories/dir/x.txt", "{b}")),
        b(Check::Must, rename("/memories/dir", "/memories/other")),
        a(Check::StillShows, view("/memories/dir/x.txt")),
        b(Check::StillShows, view("/memories/other/x.txt")),
    ]);
    acts
}

/// Ways to write the first store's file as seen from the second.
const ATTACKS: [&str; 16] = [
    "/memories/../{A}/plan.txt",
    "/memories/../{A}/memories/plan.txt",
    "/memories/../../{A}/memories/plan.txt",
    "/memories/x/../../../{A}/memories/plan.txt",
    "/memories/%2e%2e/{A}/plan.txt",
    "/memories/%2e%2e%2f{A}%2fplan.txt",
    "/memories/..\\{A}\\plan.txt",
    "/{A}/memories/plan.txt",
    "/memories/{A}/plan.txt",
    "{A}/memories/plan.txt",
    "/memories/%",
    "/memories/pla_.txt",
    "/memories/*.txt",
    "/memories/x' OR '1'='1",
    "/memories/plan.txt' --",
    "/memories/\u{0}/../{A}/plan.txt",
];

fn paths() -> Vec<Act> {
    let mut acts = first(PLAN);
    for path in ATTACKS {
        acts.extend([
            b(Check::Any, view(path)),
            b(Check::Any, replace(path, "second line", "{b}")),
            b(Check::Any, rename(path, "/memories/taken.txt")),
            b(Check::Any, view("/memories/taken.txt")),
            b(Check::Any, delete("/memories/taken.txt")),
            b(Check::Any, create(path, "{b}")),
            b(Check::Any, delete(path)),
        ]);
        acts.push(a(Check::StillShows, view(PLAN)));
    }
    acts.push(b(Check::Any, view("/memories")));
    acts
}
