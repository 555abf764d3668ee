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
/// What the other of two names holds.
const TWIN: &str = "canary: the other of two names";
/// The choices of a handler that keeps two names apart, and of one that moved a file.
const TWO_FILES: &str = "fuzz-names: two-files";
const GUARDED: &str = "fuzz-root: guarded";
const GONE: &str = "fuzz-kept: gone";
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
    /// Where else the first of the files that must survive may be found, with a view: a move may have succeeded.
    pub or_at: Option<String>,
    /// The attacked path is made first, and the commands are sent only where that left the file that must survive as
    /// it was: the store takes the two names for two files.
    pub is_twin: bool,
    /// Nodes that are put into the store behind the commands, before anybody looks.
    pub mends: Vec<Plant>,
    /// A name that a listing of the root may show in no more than one row.
    pub lists: Option<&'static str>,
    /// Further texts that the files that must survive may have.
    pub or_text: Vec<String>,
}

impl Attempt {
    /// Shots alone.
    pub fn new(class: Class, shots: Vec<Shot>) -> Attempt {
        Attempt {
            class,
            about: None,
            plants: Vec::new(),
            shots,
            kept: Vec::new(),
            modes: Vec::new(),
            or_at: None,
            is_twin: false,
            mends: Vec::new(),
            or_text: Vec::new(),
            lists: None,
        }
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
        let other = self.shots.iter().filter_map(|shot| shot.other.as_deref()).any(has_hole);
        !self.plants.is_empty() || !self.modes.is_empty() || other || self.strings().any(aims)
    }

    /// The choice that a handler must have taken for the attack to show anything.
    fn only_when(&self) -> Option<String> {
        match self.class {
            Class::C11 if self.destroys() => Some(GUARDED.into()),
            _ => self.is_twin.then(|| TWO_FILES.into()),
        }
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
    /// Looks for rows of files that nobody made.
    Listing,
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
    if attempt.class == Class::C11 {
        steps.extend(without_link(attempt));
    }
    steps.extend(attempt.plants.iter().map(|plant| {
        let plant = step(Action::Plant(plant.clone()), Vec::new());
        (Role::SetUp, Step { when: attempt.only_when(), ..plant })
    }));
    if attempt.class == Class::A7 && attempt.shots.iter().any(|shot| !shot.refused) {
        let input = json!({ "command": "view", "path": "/memories/../canary.txt" });
        steps.push((Role::Control, step(Action::Call(input), either())));
    }
    if attempt.is_twin {
        steps.extend(two_files(attempt));
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
        one.when = attempt.only_when();
        steps.push((Role::Shot(number), one));
        if accounted && attempt.plants.is_empty() && !attempt.is_twin {
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
    if let Some(name) = attempt.lists {
        let mut look = view("/memories", super::forged::listings(name, &survivors));
        look.when = Some(ACCEPTED.into());
        look.requirements = vec!["ruling.control-characters".into()];
        steps.push((Role::Listing, look));
    }
    steps.extend(attempt.mends.iter().map(|plant| (Role::SetUp, step(Action::Plant(plant.clone()), Vec::new()))));
    for (number, (path, text)) in survivors.iter().enumerate() {
        let texts = [text].into_iter().chain(&attempt.or_text);
        let mut look = view(path, texts.map(|text| Expected::Ok(shown(path, text))).collect());
        look.requirements = vec![about_survivors(attempt).into()];
        look.when = attempt.only_when();
        if attempt.class == Class::C11 {
            // A handler may serve nothing from such a root. What it holds is still there.
            look.outcomes.extend(step(Action::Restart, vec![Expected::AnyError]).outcomes);
            look.outcomes.iter_mut().for_each(|one| one.disk = vec![(path.clone(), Some(text.clone().into_bytes()))]);
        }
        let moved = attempt.or_at.as_ref().filter(|_| number == 0);
        if moved.is_some() {
            look.outcomes[0].choice = Some("fuzz-kept: stayed".into());
            look.outcomes.extend(step(Action::Restart, vec![Expected::AnyError]).outcomes);
            look.outcomes[1].choice = Some(GONE.into());
        }
        let requirements = look.requirements.clone();
        steps.push((Role::Kept, look));
        if let Some(moved) = moved {
            let look = view(moved, vec![Expected::Ok(shown(moved, text))]);
            steps.push((Role::Kept, Step { when: Some(GONE.into()), requirements, ..look }));
        }
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

/// Makes the attacked path, and looks whether that left the other file as it was.
fn two_files(attempt: &Attempt) -> Vec<(Role, Step)> {
    const MADE: &str = "fuzz-twin: made";
    let Some(sent) = attempt.strings().next().map(|(_, text)| text) else { return Vec::new() };
    let Some((path, text)) = attempt.kept.first() else { return Vec::new() };
    let input = json!({ "command": "create", "path": sent, "file_text": TWIN });
    let create = step(Action::Call(input), either());
    let mut made = view(&sent, vec![Expected::Ok(shown(&sent, TWIN)), Expected::AnyError]);
    made.outcomes[0].choice = Some(MADE.into());
    made.outcomes[1].choice = Some("fuzz-twin: refused".into());
    let mut kept =
        view(path, vec![Expected::Ok(shown(path, text)), Expected::Ok(shown(path, TWIN)), Expected::AnyError]);
    kept.when = Some(MADE.into());
    kept.outcomes[0].choice = Some(TWO_FILES.into());
    kept.outcomes[1].choice = Some("fuzz-names: one-file".into());
    kept.outcomes[2].choice = Some("fuzz-names: one-file".into());
    vec![(Role::Control, create), (Role::Control, made), (Role::Control, kept)]
}

/// The commands on a root that is no link: a handler that falls for them as they are needs no link.
fn without_link(attempt: &Attempt) -> Vec<(Role, Step)> {
    let Some((path, text)) = attempt.kept.first().filter(|_| attempt.destroys()) else { return Vec::new() };
    let shots = attempt.shots.iter().map(|shot| (Role::Control, step(Action::Call(shot.input()), either())));
    let mut look = view(path, vec![Expected::Ok(shown(path, text)), Expected::AnyError]);
    look.outcomes[0].choice = Some(GUARDED.into());
    look.outcomes[1].choice = Some("fuzz-root: lost".into());
    shots.chain([(Role::Control, look)]).collect()
}

fn view(path: &str, outcomes: Vec<Expected>) -> Step {
    step(Action::Call(json!({ "command": "view", "path": path })), outcomes)
}

/// A file of one line, as `view` shows it.
fn shown(path: &str, text: &str) -> String {
    format!("Here's the content of {path} with line numbers:\n     1\t{text}")
}

fn has_hole(text: &str) -> bool {
    text.contains("{outside}") || text.contains("{store}")
}

fn about_survivors(attempt: &Attempt) -> &'static str {
    match attempt.class {
        Class::A10 => "ruling.root-aliases",
        Class::C6 | Class::C9 | Class::C10 => "path.no-escape",
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
