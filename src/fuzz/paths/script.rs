//! An attempt, and the case that it becomes.

use serde_json::{Value, json};

use super::Class;
use super::landing::inside;
use super::token::{Slot, Tree, Walk};
use crate::case::{Action, Case, Expected, Need, Outcome, Plant, Step};

/// A directory inside the store that every set-up makes.
pub const NEST: &str = "memconf-nest";
/// A name that nothing has before an attack makes it.
pub const FRESH: &str = "memconf-new.txt";
const BAIT: &str = "/memories/memconf-bait.md";
const TAKEN: &str = "/memories/memconf-taken.md";
/// The first line of every canary.
const KEY: &str = "canary";
/// What a `create` that reported success answers to: the choice that a later look depends on.
const ACCEPTED: &str = "fuzz-create: accepted";

/// The value of one path parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Sent {
    /// From the grammar.
    Tree(Tree),
    /// As it is: odd types, very long strings, keys of stores.
    Value(Value),
}

impl Sent {
    /// The value that is sent.
    pub fn value(&self) -> Value {
        match self {
            Sent::Tree(tree) => tree.render().into(),
            Sent::Value(value) => value.clone(),
        }
    }

    /// The string, if it is one.
    pub fn text(&self) -> Option<String> {
        self.value().as_str().map(str::to_owned)
    }
}

/// One attacking command.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// The parameter.
    pub slot: Slot,
    /// Its value.
    pub sent: Sent,
    /// The other path of a rename; `None`: a harmless one.
    pub other: Option<String>,
    /// Any success is wrong, since the path is neither `/memories` nor below it.
    pub refused: bool,
}

impl Shot {
    /// A path from the grammar.
    pub fn new(slot: Slot, tree: Tree) -> Shot {
        Shot { slot, sent: Sent::Tree(tree), other: None, refused: false }
    }

    /// Any value.
    pub fn raw(slot: Slot, value: impl Into<Value>) -> Shot {
        Shot { slot, sent: Sent::Value(value.into()), other: None, refused: false }
    }

    /// The input object of the command.
    fn input(&self) -> Value {
        let path = self.sent.value();
        let other = |harmless: &str| self.other.clone().unwrap_or_else(|| harmless.to_owned());
        match self.slot {
            Slot::View => json!({ "command": "view", "path": path }),
            Slot::Create => {
                json!({ "command": "create", "path": path, "file_text": "Written by an attack on a canary" })
            }
            Slot::StrReplace => {
                json!({ "command": "str_replace", "path": path, "old_str": KEY, "new_str": "sparrow" })
            }
            Slot::Insert => {
                json!({ "command": "insert", "path": path, "insert_line": 0, "insert_text": "Inserted by an attack\n" })
            }
            Slot::Delete => json!({ "command": "delete", "path": path }),
            Slot::RenameOld => json!({ "command": "rename", "old_path": path, "new_path": other(TAKEN) }),
            Slot::RenameNew => json!({ "command": "rename", "old_path": other(BAIT), "new_path": path }),
        }
    }
}

/// One attempt: some attacking commands in one store, of which at most one can destroy.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// What it is meant to show; what it did show is found out from the result.
    pub class: Class,
    /// Words for what it does, where it is no walk through the grammar: behind "a handler", and a word for ids.
    pub about: Option<(&'static str, &'static str)>,
    /// Nodes that are put into the store first.
    pub plants: Vec<Plant>,
    /// The commands.
    pub shots: Vec<Shot>,
    /// Files inside that must survive, with their text; made first.
    pub kept: Vec<(String, String)>,
    /// Permissions that the last command must leave.
    pub modes: Vec<(String, u32)>,
}

impl Attempt {
    /// Shots alone.
    pub fn new(class: Class, shots: Vec<Shot>) -> Attempt {
        Attempt { class, about: None, plants: Vec::new(), shots, kept: Vec::new(), modes: Vec::new() }
    }

    /// Every string that is sent in an attacked parameter.
    pub fn strings(&self) -> impl Iterator<Item = (Slot, String)> {
        self.shots.iter().filter_map(|shot| Some((shot.slot, shot.sent.text()?)))
    }

    fn destroys(&self) -> bool {
        self.shots.iter().any(|shot| shot.slot.is_destructive())
    }

    /// The files that must survive: the attempt's own, or else two of every set-up, and none that an allowed
    /// reading of an attack names.
    fn survivors(&self) -> Vec<(String, String)> {
        if !self.kept.is_empty() || !self.destroys() {
            return self.kept.clone();
        }
        let mut kept = vec![
            ("/memories/memconf-kept.md".to_owned(), "Kept in the root".to_owned()),
            (format!("/memories/{NEST}/kept.md"), "Kept one level down".to_owned()),
        ];
        for (_, text) in self.strings().filter(|(slot, _)| slot.is_destructive()) {
            let named = inside(&text);
            kept.retain(|(path, _)| {
                let path = path.trim_start_matches("/memories/");
                !named.iter().any(|named| {
                    path.strip_prefix(named.as_str())
                        .is_some_and(|rest| !named.is_empty() && (rest.is_empty() || rest.starts_with('/')))
                })
            });
        }
        kept
    }

    /// What is aimed at with a command that can destroy must be this machine's: a store that memconf sees.
    fn needs_disk(&self) -> bool {
        let aims = |(slot, text): (Slot, String)| slot.is_destructive() && has_hole(&text);
        !self.plants.is_empty() || !self.modes.is_empty() || self.strings().any(aims)
    }

    fn uses_nest(&self) -> bool {
        let inside = |walk: &Walk| matches!(walk, Walk::In(name) if name == NEST);
        self.shots.iter().any(|shot| matches!(&shot.sent, Sent::Tree(tree) if tree.walk.iter().any(inside)))
    }
}

/// What a step of the case is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Makes or plants what the attack needs.
    SetUp,
    /// The shot of this number.
    Shot(usize),
    /// The plain form of an attack: a handler that falls for it needs no other.
    Control,
    /// Looks whether a file inside survived.
    Kept,
    /// Looks for what a `create` claims to have made.
    Account,
}

/// The case of an attempt, and what each of its steps is there for.
pub fn script(attempt: &Attempt) -> (Case, Vec<Role>) {
    let mut steps: Vec<(Role, Step)> = Vec::new();
    let survivors = attempt.survivors();
    let create = |path: &str, text: &str| {
        let input = json!({ "command": "create", "path": path, "file_text": text });
        (Role::SetUp, step(Action::Call(input), vec![Expected::AnyOk]))
    };
    steps.extend(survivors.iter().map(|(path, text)| create(path, text)));
    let has_nest = survivors.iter().any(|(path, _)| path.contains(NEST));
    if attempt.uses_nest() && !has_nest {
        steps.push(create(&format!("/memories/{NEST}/kept.md"), "Kept one level down"));
    }
    if attempt.shots.iter().any(|shot| shot.slot == Slot::RenameNew && shot.other.is_none()) {
        steps.push(create(BAIT, "To be moved"));
    }
    steps.extend(attempt.plants.iter().map(|plant| (Role::SetUp, step(Action::Plant(plant.clone()), Vec::new()))));
    if attempt.class == Class::A7 && attempt.shots.iter().any(|shot| !shot.refused) {
        let input = json!({ "command": "view", "path": "/memories/../canary.txt" });
        steps.push((Role::Control, step(Action::Call(input), either())));
    }
    for (number, shot) in attempt.shots.iter().enumerate() {
        let outcomes = if shot.refused { vec![Expected::AnyError] } else { either() };
        let mut one = step(Action::Call(shot.input()), outcomes);
        if shot.refused {
            one.requirements = vec!["path.inside-only".into()];
        }
        let accounted = shot.slot == Slot::Create && !shot.refused && shot.sent.text().is_some();
        if accounted {
            one.outcomes[1].choice = Some(ACCEPTED.into());
            one.outcomes[0].choice = Some("fuzz-create: refused".into());
        }
        if number + 1 == attempt.shots.len() && !attempt.modes.is_empty() {
            one.requirements = vec!["ruling.file-mode".into()];
            one.outcomes.iter_mut().for_each(|outcome| outcome.modes.clone_from(&attempt.modes));
            one.outcomes.retain(|outcome| outcome.expected == Expected::AnyOk);
        }
        steps.push((Role::Shot(number), one));
        if accounted && attempt.plants.is_empty() {
            let input = json!({ "command": "view", "path": shot.sent.value() });
            let mut look = step(Action::Call(input), vec![Expected::AnyOk]);
            look.when = Some(ACCEPTED.into());
            look.requirements = vec!["ruling.names".into()];
            steps.push((Role::Account, look));
        }
    }
    if attempt.shots.iter().any(|shot| matches!(shot.slot, Slot::Create | Slot::RenameNew)) {
        // Names what may turn up outside, however the attack's string is cut into names.
        let input = json!({ "command": "view", "path": format!("/memories/{FRESH}") });
        steps.push((Role::Control, step(Action::Call(input), either())));
    }
    for (path, text) in &survivors {
        let expected = format!("Here's the content of {path} with line numbers:\n     1\t{text}");
        let input = json!({ "command": "view", "path": path });
        let mut look = step(Action::Call(input), vec![Expected::Ok(expected)]);
        look.requirements = vec![about_survivors(attempt).into()];
        steps.push((Role::Kept, look));
    }
    let (roles, steps) = steps.into_iter().unzip();
    let case = Case {
        id: "fuzz/paths".into(),
        title: "An attack on a path".into(),
        requirements: vec![attempt.class.requirement().into()],
        needs: if attempt.needs_disk() { vec![Need::Disk] } else { Vec::new() },
        steps,
    };
    (case, roles)
}

fn has_hole(text: &str) -> bool {
    text.contains("{outside}") || text.contains("{store}")
}

fn about_survivors(attempt: &Attempt) -> &'static str {
    match attempt.class {
        Class::A10 => "ruling.root-aliases",
        _ if !attempt.plants.is_empty() => "ruling.symlink-escape",
        _ => "path.no-escape",
    }
}

fn either() -> Vec<Expected> {
    vec![Expected::AnyError, Expected::AnyOk]
}

fn step(action: Action, expected: Vec<Expected>) -> Step {
    let outcome = |expected| Outcome { expected, choice: None, when: None, disk: Vec::new(), modes: Vec::new() };
    Step { action, when: None, requirements: Vec::new(), outcomes: expected.into_iter().map(outcome).collect() }
}
