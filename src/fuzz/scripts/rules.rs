//! The rulings: what each command comes to in the present state.

use super::choices::Ending;
use super::model::{There, parent};
use super::player::{Kind, Player, Verdict};
use crate::wire::ROOT;

/// `None` where no ruling and no known choice says it.
impl Player<'_> {
    pub(super) fn create(&self, path: &str) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        match self.model.at(path) {
            There::Nothing => {
                let vacant = self.vacant(path)?;
                verdict(if vacant { "create.stores-text" } else { "ruling.missing-parents" }, Kind::Done)
            }
            There::File(_) => match self.choices.get("existing-file")? {
                "error" => verdict("create.existing", Kind::Refused),
                _ => verdict("create.existing", Kind::Done),
            },
            There::Directory => verdict("ruling.create-on-directory", Kind::Refused),
            There::UnderAFile => verdict("ruling.under-a-file", Kind::Refused),
        }
    }

    /// Whether a path is no other spelling, in its case of letters, of one that is there: to some stores they are one.
    pub(super) fn is_told_apart(&self, path: &str) -> bool {
        if self.choices.is("rename-case-only", "renamed") {
            return true;
        }
        let like = |other: &str| {
            let (start, rest) = path.split_at_checked(other.len()).unwrap_or_default();
            (rest.is_empty() || rest.starts_with('/')) && start != other && start.eq_ignore_ascii_case(other)
        };
        !self.model.paths().iter().any(|(other, _)| like(other))
    }

    /// Whether a new path needs no new directory; `None` where it cannot be used.
    fn vacant(&self, path: &str) -> Option<bool> {
        let there = parent(path).is_none_or(|parent| self.model.exists(parent));
        (there || self.choices.parents).then_some(there)
    }

    pub(super) fn str_replace(&self, path: &str, old: &str, new: Option<&str>) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        let text = match self.model.at(path) {
            // Which of two errors comes first is the handler's own matter.
            There::Nothing | There::Directory if old.is_empty() => {
                return verdict("ruling.empty-old-str", Kind::Refused);
            }
            There::Nothing => return verdict("str_replace.missing", Kind::Refused),
            There::Directory => return verdict("str_replace.directory", Kind::Refused),
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
            [] => verdict("str_replace.not-found", Kind::Refused),
            [_] => {
                let requirement = match new {
                    None => "str_replace.new-str-optional",
                    Some(_) if old.contains('\n') => "ruling.multi-line",
                    Some(new) if literal(new) || literal(old) => "ruling.literal-text",
                    Some(_) => "str_replace.edits",
                };
                verdict(requirement, Kind::Done)
            }
            [first, .., last] if !text[*first..*last].contains('\n') => {
                verdict("ruling.same-line-twice", Kind::Refused)
            }
            _ => verdict("str_replace.ambiguous", Kind::Refused),
        }
    }

    pub(super) fn insert(&self, path: &str, line: i64, text: &str) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        let file = match self.model.at(path) {
            There::Nothing => return verdict("insert.missing", Kind::Refused),
            There::Directory => return verdict("insert.directory", Kind::Refused),
            There::UnderAFile => return verdict("ruling.under-a-file", Kind::Refused),
            There::File(file) => file,
        };
        let count = line_count(&file) as i64;
        if line == count + 1 && (file.is_empty() || file.ends_with('\n')) && !self.past_end_is_error(&file) {
            return None;
        }
        if !(0..=count).contains(&line) {
            return verdict("insert.bad-line", Kind::Refused);
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

    pub(super) fn delete(&self, path: &str) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        match self.model.at(path) {
            There::Nothing => verdict("delete.missing", Kind::Refused),
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

    pub(super) fn rename(&self, old: &str, new: &str) -> Option<Verdict> {
        let verdict = |requirement, kind| Some(Verdict { requirement, kind });
        if old == ROOT || new == ROOT {
            return None;
        }
        let (source, destination) = (self.model.at(old), self.model.at(new));
        let below = new.strip_prefix(old).is_some_and(|rest| rest.starts_with('/'));
        match (source, destination) {
            (There::UnderAFile, _) => verdict("ruling.under-a-file", Kind::Refused),
            (There::Nothing, There::Nothing | There::UnderAFile) => verdict("rename.missing", Kind::Refused),
            (There::Nothing, _) => verdict("ruling.rename-both-wrong", Kind::Refused),
            (There::File(_), _) if old == new => {
                let kind = Kind::Either("rename-same: error", "rename-same: unchanged");
                verdict("ruling.rename-same", kind)
            }
            _ if old == new => None,
            _ if below => verdict("ruling.rename-into-itself", Kind::Refused),
            (_, There::UnderAFile) => verdict("ruling.under-a-file", Kind::Refused),
            (_, There::File(_) | There::Directory) => verdict("rename.destination-exists", Kind::Refused),
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
