//! Plays a script on the model and writes down, step by step, what a handler must answer: the script as a case.

use super::choices::{Choices, Ending};
use super::model::{Model, There, parent};
use super::op::Op;
use crate::case::{Action, Expected, Outcome, Step};
use crate::wire::ROOT;

/// A script that is being played.
pub(super) struct Player<'a> {
    choices: &'a Choices,
    pub(super) model: Model,
    /// The steps so far; `None` while only the state is of interest.
    pub(super) steps: Option<Vec<Step>>,
    /// The places of the steps that are observations.
    pub(super) observations: Vec<usize>,
}

/// What a command comes to, before it is played.
struct Verdict {
    requirement: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Success.
    Done,
    /// An error with a documented text.
    Documented,
    /// An error with whatever text.
    Refused,
    /// Success or an error; nothing changes.
    Either(&'static str, &'static str),
}

impl<'a> Player<'a> {
    pub(super) fn new(choices: &'a Choices, steps: bool) -> Self {
        Player { choices, model: Model::new(), steps: steps.then(Vec::new), observations: Vec::new() }
    }

    /// Plays one command; `false`, and nothing is done, where no ruling and no known choice says what comes of it.
    pub(super) fn play(&mut self, op: &Op) -> bool {
        let verdict = match op {
            Op::View { path, range } => return self.view(path, *range),
            Op::Create { path, .. } => self.create(path),
            Op::StrReplace { path, old, new } => self.str_replace(path, old, new.as_deref()),
            Op::Insert { path, line, text } => self.insert(path, *line, text),
            Op::Delete { path } => self.delete(path),
            Op::Rename { old, new } => self.rename(old, new),
        };
        let Some(verdict) = verdict else { return false };
        let (before, inside) = match op {
            Op::Delete { path } | Op::Rename { old: path, .. } if self.steps.is_some() => {
                (self.model.at(path), self.inside(path))
            }
            _ => (There::Nothing, None),
        };
        let reply = self.execute(op, verdict.kind);
        if self.steps.is_none() {
            return true;
        }
        let disk = self.disk(op);
        let outcome = |expected, choice: Option<String>| Outcome {
            expected,
            choice,
            when: None,
            disk: disk.clone(),
            modes: Vec::new(),
        };
        let outcomes = match verdict.kind {
            Kind::Done if matches!(op, Op::StrReplace { .. }) => {
                vec![outcome(Expected::OkStartsWith("The memory file has been edited.".into()), None)]
            }
            Kind::Done => vec![outcome(Expected::Ok(reply), None)],
            Kind::Documented => vec![outcome(Expected::Error(reply), None)],
            Kind::Refused => vec![outcome(Expected::AnyError, None)],
            Kind::Either(refused, done) => {
                vec![outcome(Expected::AnyError, Some(refused.into())), outcome(Expected::AnyOk, Some(done.into()))]
            }
        };
        self.push(op, verdict.requirement, outcomes);
        self.look_after(op, verdict, &before, inside);
        true
    }

    /// Looks at every file, and at the root.
    pub(super) fn finish(&mut self) {
        for (path, is_file) in self.model.paths() {
            if is_file {
                self.observe(&path, "ruling.fidelity");
            }
        }
        self.observe(ROOT, self.rows());
    }

    fn rows(&self) -> &'static str {
        if self.choices.rows { "view.directory-rows" } else { "view.directory-header" }
    }

    /// Plays the command on the model, and adapts the model to what the handler chose.
    fn execute(&mut self, op: &Op, kind: Kind) -> String {
        if kind != Kind::Done {
            return self.model.play(op).content;
        }
        match op {
            Op::Create { path, text } if self.model.exists(path) => {
                self.model.put(path, text);
                format!("File created successfully at: {path}")
            }
            Op::StrReplace { path, old, new } if old.is_empty() => {
                self.model.put(path, new.as_deref().unwrap_or_default());
                String::new()
            }
            Op::Insert { path, line, text } => {
                let There::File(before) = self.model.at(path) else { return String::new() };
                let reply = self.model.play(op).content;
                if usize::try_from(*line) == Ok(line_count(&before))
                    && let (Some(ended), There::File(after)) =
                        (self.choices.ended(Ending::of(&before, text)), self.model.at(path))
                {
                    match (ended, after.strip_suffix('\n')) {
                        (true, None) => self.model.put(path, &format!("{after}\n")),
                        (false, Some(open)) => self.model.put(path, open),
                        _ => {}
                    }
                }
                reply
            }
            Op::Delete { path } | Op::Rename { old: path, .. } => {
                let reply = self.model.play(op).content;
                if self.choices.is("emptied-directory", "gone") {
                    self.model.prune(path);
                }
                reply
            }
            _ => self.model.play(op).content,
        }
    }

    /// What the store's directory must hold at the paths of the command.
    fn disk(&self, op: &Op) -> Vec<(String, Option<Vec<u8>>)> {
        let paths = match op {
            Op::Rename { old, new } => vec![new, old],
            Op::View { path, .. }
            | Op::Create { path, .. }
            | Op::StrReplace { path, .. }
            | Op::Insert { path, .. }
            | Op::Delete { path } => vec![path],
        };
        let held = paths.into_iter().filter_map(|path| match self.model.at(path) {
            There::File(text) => Some((path.clone(), Some(text.into_bytes()))),
            There::Nothing => Some((path.clone(), None)),
            There::Directory | There::UnderAFile => None,
        });
        held.collect()
    }

    /// Observes what the command touched, and what stands close to it.
    fn look_after(&mut self, op: &Op, verdict: Verdict, before: &There, inside: Option<String>) {
        let (Kind::Done, requirement) = (verdict.kind, verdict.requirement) else {
            // Nothing has changed.
            for path in op.clone().paths_mut() {
                match self.model.at(path) {
                    There::File(_) => self.observe(path, "ruling.fidelity"),
                    There::UnderAFile => {
                        let mut at = path.as_str();
                        while let Some(above) = parent(at) {
                            at = above;
                            if matches!(self.model.at(at), There::File(_)) {
                                self.observe(at, "ruling.under-a-file");
                                break;
                            }
                        }
                    }
                    There::Directory | There::Nothing => {}
                }
            }
            return;
        };
        match op {
            Op::Create { path, .. } => self.observe(path, "create.stores-text"),
            Op::StrReplace { path, .. } | Op::Insert { path, .. } => self.observe(path, requirement),
            Op::Delete { path } => {
                self.observe(path, "delete.removes");
                if let Some(inside) = inside {
                    self.observe(&inside, "delete.removes");
                }
                self.look_beside(path, "delete.removes");
            }
            Op::Rename { old, new } => {
                match before {
                    There::File(_) => self.observe(new, "rename.moves"),
                    _ => {
                        if let Some(rest) = inside.as_deref().and_then(|inside| inside.strip_prefix(old.as_str())) {
                            self.observe(&format!("{new}{rest}"), "rename.moves");
                        }
                    }
                }
                self.observe(old, "rename.moves");
                self.look_beside(old, "rename.moves");
            }
            Op::View { .. } => {}
        }
    }

    /// A file below a directory.
    fn inside(&self, path: &str) -> Option<String> {
        let below = |file: &str| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        self.model.paths().into_iter().find(|(file, is_file)| *is_file && below(file)).map(|(file, _)| file)
    }

    /// Observes one file whose path begins as `path` does.
    fn look_beside(&mut self, path: &str, requirement: &'static str) {
        let beside = |(file, is_file): &(String, bool)| *is_file && file != path && file.starts_with(path);
        if let Some((file, _)) = self.model.paths().into_iter().find(beside) {
            self.observe(&file, requirement);
        }
    }

    fn view(&mut self, path: &str, range: Option<(i64, i64)>) -> bool {
        let requirement = match (self.model.at(path), range) {
            (There::File(text), Some((first, last))) => {
                let count = line_count(&text) as i64;
                if !(1..=count).contains(&first) || (last != -1 && last < first) {
                    return false;
                }
                if last > count { "ruling.range-edges" } else { "view.range" }
            }
            (_, Some(_)) => return false,
            (There::File(_), None) => "ruling.fidelity",
            (There::Directory, None) if path == ROOT || self.choices.directories => self.rows(),
            (There::Directory, None) => return false,
            (There::Nothing, None) => "view.missing",
            (There::UnderAFile, None) => "ruling.under-a-file",
        };
        let op = Op::View { path: path.to_owned(), range };
        if self.steps.is_some() {
            let outcomes = self.expected_view(&op);
            self.push(&op, requirement, outcomes);
        }
        true
    }

    /// Adds a view that is no command of the script.
    fn observe(&mut self, path: &str, requirement: &'static str) {
        if let Some(steps) = &self.steps {
            self.observations.push(steps.len());
            let op = Op::View { path: path.to_owned(), range: None };
            let outcomes = self.expected_view(&op);
            self.push(&op, requirement, outcomes);
        }
    }

    fn push(&mut self, op: &Op, requirement: &'static str, outcomes: Vec<Outcome>) {
        if let Some(steps) = &mut self.steps {
            let (action, requirements) = (Action::Call(op.input()), vec![requirement.to_owned()]);
            steps.push(Step { action, when: None, requirements, outcomes });
        }
    }

    /// What a view shows, in every way that is allowed.
    fn expected_view(&mut self, op: &Op) -> Vec<Outcome> {
        let reply = self.model.play(op);
        let Op::View { path, range } = op else { return Vec::new() };
        let outcome = |expected, choice: Option<&str>| Outcome {
            expected,
            choice: choice.map(str::to_owned),
            when: None,
            disk: Vec::new(),
            modes: Vec::new(),
        };
        if reply.is_error {
            return vec![outcome(Expected::Error(reply.content), None)];
        }
        let text = match self.model.at(path) {
            There::File(text) => text,
            _ => return vec![outcome(Expected::Ok(without_sizes(&reply.content)), None)],
        };
        let count = line_count(&text) as i64;
        let shows_end = range.is_none_or(|(_, last)| last == -1 || last > count);
        let (key, usual, other) = match text.as_str() {
            "" => ("empty-file", "empty-file: no-lines", "empty-file: one-empty-line"),
            text if text.ends_with('\n') && shows_end => {
                ("final-newline", "final-newline: ends-line", "final-newline: starts-line")
            }
            _ => return vec![outcome(Expected::Ok(reply.content), None)],
        };
        let longer = Expected::Ok(format!("{}\n{:>6}\t", reply.content, count + 1));
        let (usual, other) = (outcome(Expected::Ok(reply.content), Some(usual)), outcome(longer, Some(other)));
        match self.choices.get(key) {
            Some("no-lines" | "ends-line") => vec![usual],
            Some(_) => vec![other],
            None => vec![usual, other],
        }
    }
}

/// The rulings: what each command comes to in the present state. `None` where that is not known.
impl Player<'_> {
    fn create(&self, path: &str) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        match self.model.at(path) {
            There::Nothing => {
                let vacant = self.vacant(path)?;
                verdict(if vacant { "create.stores-text" } else { "ruling.missing-parents" }, Kind::Done)
            }
            There::File(_) => match self.choices.get("existing-file")? {
                "error" => verdict("create.existing", Kind::Documented),
                _ => verdict("create.existing", Kind::Done),
            },
            There::Directory => verdict("ruling.create-on-directory", Kind::Refused),
            There::UnderAFile => verdict("ruling.under-a-file", Kind::Refused),
        }
    }

    /// Whether a new path needs no new directory; `None` where it cannot be used.
    fn vacant(&self, path: &str) -> Option<bool> {
        if !self.choices.is("rename-case-only", "renamed") {
            let like = |(other, _): &(String, bool)| other != path && other.eq_ignore_ascii_case(path);
            if self.model.paths().iter().any(like) {
                return None;
            }
        }
        let there = parent(path).is_none_or(|parent| self.model.exists(parent));
        (there || self.choices.parents).then_some(there)
    }

    fn str_replace(&self, path: &str, old: &str, new: Option<&str>) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        let text = match self.model.at(path) {
            // Which of two errors comes first is the handler's own matter.
            There::Nothing | There::Directory if old.is_empty() => {
                return verdict("ruling.empty-old-str", Kind::Refused);
            }
            There::Nothing => return verdict("str_replace.missing", Kind::Documented),
            There::Directory => return verdict("str_replace.directory", Kind::Documented),
            There::UnderAFile => return verdict("ruling.under-a-file", Kind::Refused),
            There::File(text) => text,
        };
        if old.is_empty() {
            let kind = match (text.is_empty(), self.choices.get("empty-old-str-in-empty-file")) {
                (false, _) | (true, Some("error")) => Kind::Refused,
                (true, Some(_)) if new.is_some() => Kind::Done,
                (true, _) => return None,
            };
            return verdict("ruling.empty-old-str", kind);
        }
        let found: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
        if overlaps(&text, old, &found) {
            return None;
        }
        let literal = |text: &str| text.contains(['$', '\\', '%', '*', '.', '{', '<']);
        match found.as_slice() {
            [] => verdict("str_replace.not-found", Kind::Documented),
            [_] => {
                let requirement = match new {
                    None => "str_replace.new-str-optional",
                    Some(new) if literal(new) || literal(old) => "ruling.literal-text",
                    Some(_) if old.contains('\n') => "ruling.multi-line",
                    Some(_) => "str_replace.edits",
                };
                verdict(requirement, Kind::Done)
            }
            [first, .., last] if !text[*first..*last].contains('\n') => {
                verdict("ruling.same-line-twice", Kind::Documented)
            }
            _ => verdict("str_replace.ambiguous", Kind::Documented),
        }
    }

    fn insert(&self, path: &str, line: i64, text: &str) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        let file = match self.model.at(path) {
            There::Nothing => return verdict("insert.missing", Kind::Documented),
            There::Directory => return verdict("insert.directory", Kind::Documented),
            There::UnderAFile => return verdict("ruling.under-a-file", Kind::Refused),
            There::File(file) => file,
        };
        let count = line_count(&file) as i64;
        if line == count + 1 && (file.is_empty() || file.ends_with('\n')) && !self.past_end_is_error(&file) {
            return None;
        }
        if !(0..=count).contains(&line) {
            return verdict("insert.bad-line", Kind::Documented);
        }
        if text.is_empty() {
            return None;
        }
        if line == count {
            let ending = Ending::of(&file, text);
            self.choices.ended(ending)?;
            let free = ending != Ending::Closed { bare: false };
            if free && text.bytes().all(|byte| byte == b'\n') {
                return None;
            }
            if matches!(ending, Ending::Open { .. }) {
                return verdict("ruling.insert-at-end", Kind::Done);
            }
        }
        let plain = text.ends_with('\n') && !text.ends_with("\n\n") && text != "\n";
        verdict(if plain { "insert.after-line" } else { "ruling.insert-newline" }, Kind::Done)
    }

    /// Whether the line after the last one is an error in a file that ends in an LF.
    fn past_end_is_error(&self, file: &str) -> bool {
        !file.is_empty() && self.choices.is("insert-past-end", "error")
    }

    fn delete(&self, path: &str) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        match self.model.at(path) {
            There::Nothing => verdict("delete.missing", Kind::Documented),
            There::UnderAFile => verdict("ruling.under-a-file", Kind::Refused),
            There::Directory if path == ROOT => None,
            There::File(_) | There::Directory => {
                self.may_leave(path)?;
                verdict("delete.removes", Kind::Done)
            }
        }
    }

    /// `None` where the directory above would be emptied, and it is not known what becomes of it.
    fn may_leave(&self, path: &str) -> Option<()> {
        (self.choices.get("emptied-directory").is_some() || !self.model.sole_child(path)).then_some(())
    }

    fn rename(&self, old: &str, new: &str) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        if old == ROOT || new == ROOT {
            return None;
        }
        let (source, destination) = (self.model.at(old), self.model.at(new));
        let below = new.strip_prefix(old).is_some_and(|rest| rest.starts_with('/'));
        match (source, destination) {
            (There::UnderAFile, _) => verdict("ruling.under-a-file", Kind::Refused),
            (There::Nothing, There::Nothing | There::UnderAFile) => verdict("rename.missing", Kind::Documented),
            (There::Nothing, _) => verdict("ruling.rename-both-wrong", Kind::Refused),
            (There::File(_), _) if old == new => {
                let kind = Kind::Either("rename-same: error", "rename-same: unchanged");
                verdict("ruling.rename-same", kind)
            }
            _ if old == new => None,
            _ if below => verdict("ruling.rename-into-itself", Kind::Refused),
            (_, There::UnderAFile) => verdict("ruling.under-a-file", Kind::Refused),
            (_, There::File(_) | There::Directory) => verdict("rename.destination-exists", Kind::Documented),
            (_, There::Nothing) => {
                let vacant = self.vacant(new)?;
                self.may_leave(old)?;
                verdict(if vacant { "rename.moves" } else { "ruling.missing-parents" }, Kind::Done)
            }
        }
    }
}

/// How many lines a text has; a final LF ends the last.
pub(super) fn line_count(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Whether an occurrence begins inside another.
fn overlaps(text: &str, old: &str, found: &[usize]) -> bool {
    found.iter().any(|at| {
        let next = text[*at..].chars().next().map_or(1, char::len_utf8);
        text[at + next..].find(old).is_some_and(|behind| behind + next < old.len())
    })
}

/// A listing as a case writes it: a hole in place of each size.
fn without_sizes(listing: &str) -> String {
    let mut rows = listing.split('\n');
    let mut out = rows.next().unwrap_or_default().to_owned();
    for path in rows.filter_map(|row| row.split_once('\t')).map(|(_, path)| path) {
        out.push_str("\n{size}\t");
        out.push_str(path);
    }
    out
}
