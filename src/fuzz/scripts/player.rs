//! Plays a script on the model and writes down, step by step, what a handler must answer: the script as a case.

use serde_json::Value;

use super::choices::{Choices, Ending};
use super::model::{Model, There, parent};
use super::op::Op;
use super::rules::line_count;
use crate::case::{Action, Expected, Outcome, Step};
use crate::wire::ROOT;

/// A script that is being played.
pub(super) struct Player<'a> {
    pub(super) choices: &'a Choices,
    pub(super) model: Model,
    /// The steps so far; `None` while only the state is of interest.
    pub(super) steps: Option<Vec<Step>>,
    /// The places of the steps that are observations.
    pub(super) observations: Vec<usize>,
    /// What was observed since the last command.
    fresh: Vec<String>,
}

/// What a command comes to, before it is played.
pub(super) struct Verdict {
    pub(super) requirement: &'static str,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Success.
    Done,
    /// An error.
    Refused,
    /// Success or an error; nothing changes.
    Either(&'static str, &'static str),
}

impl<'a> Player<'a> {
    pub(super) fn new(choices: &'a Choices, steps: bool) -> Self {
        Player {
            choices,
            model: Model::new(),
            steps: steps.then(Vec::new),
            observations: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// Plays one command; `false`, and nothing is done, where no ruling and no known choice says what comes of it.
    pub(super) fn play(&mut self, op: &Op) -> bool {
        if !op.paths().iter().all(|path| self.is_told_apart(path)) {
            return false;
        }
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
        self.fresh.clear();
        let input = op.input();
        self.execute(op, &input, verdict.kind);
        if self.steps.is_none() {
            return true;
        }
        let disk = self.disk(op, verdict.kind);
        let outcome = |expected, choice: Option<String>| Outcome {
            expected,
            choice,
            when: None,
            disk: disk.clone(),
            modes: Vec::new(),
        };
        // Texts are no matter of these scripts, only what is done.
        let outcomes = match verdict.kind {
            Kind::Done => vec![outcome(Expected::AnyOk, None)],
            Kind::Refused => vec![outcome(Expected::AnyError, None)],
            Kind::Either(refused, done) => {
                vec![outcome(Expected::AnyError, Some(refused.into())), outcome(Expected::AnyOk, Some(done.into()))]
            }
        };
        self.push(input, verdict.requirement, outcomes);
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

    /// The commands that make the files that are there now.
    pub(super) fn creates(&self) -> Vec<Op> {
        let files = self.model.paths().into_iter().filter_map(|(path, _)| match self.model.at(&path) {
            There::File(text) => Some(Op::Create { path, text }),
            _ => None,
        });
        files.collect()
    }

    fn rows(&self) -> &'static str {
        if self.choices.rows { "view.directory-rows" } else { "view.directory-header" }
    }

    /// Plays the command on the model, and adapts the model to what the handler chose.
    fn execute(&mut self, op: &Op, input: &Value, kind: Kind) {
        if kind != Kind::Done {
            let reply = self.model.play(input);
            debug_assert!(reply.is_error, "{input}: {}", reply.content);
            return;
        }
        match op {
            Op::Create { path, text } if self.model.exists(path) => self.model.put(path, text),
            Op::StrReplace { path, old, new } if old.is_empty() => {
                self.model.put(path, new.as_deref().unwrap_or_default());
            }
            Op::Insert { path, line, text } => {
                let There::File(before) = self.model.at(path) else { return };
                self.model.play(input);
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
            }
            Op::Delete { path } | Op::Rename { old: path, .. } => {
                self.model.play(input);
                if self.choices.is("emptied-directory", "gone") {
                    self.model.prune(path);
                }
            }
            Op::View { .. } | Op::Create { .. } | Op::StrReplace { .. } => {
                self.model.play(input);
            }
        }
    }

    /// What the store's directory must hold at the paths of the command.
    fn disk(&self, op: &Op, kind: Kind) -> Vec<(String, Option<Vec<u8>>)> {
        // A rename that is refused may leave directories behind: that is looked at afterwards.
        let gone = kind == Kind::Done || !matches!(op, Op::Rename { .. });
        let held = op.paths().into_iter().filter_map(|path| match self.model.at(path) {
            There::File(text) => Some((path.to_owned(), Some(text.into_bytes()))),
            There::Nothing => gone.then(|| (path.to_owned(), None)),
            There::Directory | There::UnderAFile => None,
        });
        held.collect()
    }

    /// Observes what the command touched, and what stands close to it.
    fn look_after(&mut self, op: &Op, verdict: Verdict, before: &There, inside: Option<String>) {
        let (Kind::Done, requirement) = (verdict.kind, verdict.requirement) else {
            // Nothing has changed.
            for path in op.paths() {
                match self.model.at(path) {
                    There::File(_) => self.observe(path, "ruling.fidelity"),
                    There::UnderAFile => {
                        let mut at = path;
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
            if let Op::Rename { new, .. } = op
                && let Some(missing) = self.topmost_missing(new)
            {
                self.observe(&missing, "ruling.failed-leaves-nothing");
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

    /// The directory that would have to be made first for this path.
    fn topmost_missing(&self, path: &str) -> Option<String> {
        let mut missing = None;
        let mut at = path;
        while let Some(above) = parent(at).filter(|above| self.model.at(above) == There::Nothing) {
            (missing, at) = (Some(above.to_owned()), above);
        }
        missing
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
        self.push_view(path, range, requirement);
        true
    }

    /// Adds a view that is no command of the script, unless nothing has happened since the last such view.
    fn observe(&mut self, path: &str, requirement: &'static str) {
        if let Some(steps) = &self.steps
            && !self.fresh.iter().any(|fresh| fresh == path)
        {
            self.observations.push(steps.len());
            self.fresh.push(path.to_owned());
            self.push_view(path, None, requirement);
        }
    }

    fn push_view(&mut self, path: &str, range: Option<(i64, i64)>, requirement: &'static str) {
        if self.steps.is_some() {
            let input = Op::View { path: path.to_owned(), range }.input();
            let outcomes = self.expected_view(path, range, &input);
            self.push(input, requirement, outcomes);
        }
    }

    fn push(&mut self, input: Value, requirement: &'static str, outcomes: Vec<Outcome>) {
        if let Some(steps) = &mut self.steps {
            let (action, requirements) = (Action::Call(input), vec![requirement.to_owned()]);
            steps.push(Step { action, when: None, requirements, outcomes });
        }
    }

    /// What a view shows, in every way that is allowed.
    fn expected_view(&mut self, path: &str, range: Option<(i64, i64)>, input: &Value) -> Vec<Outcome> {
        let reply = self.model.play(input);
        let outcome = |expected, choice: Option<&str>| Outcome {
            expected,
            choice: choice.map(str::to_owned),
            when: None,
            disk: Vec::new(),
            modes: Vec::new(),
        };
        if reply.is_error {
            return vec![outcome(Expected::AnyError, None)];
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
