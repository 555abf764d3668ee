//! The grammar of attacks on one path parameter. What is kept is the tree, not the string, so that an attack can be
//! made smaller token by token.

use super::encode::{Encoding, Piece, encode};
use crate::wire::Command;

/// A command and the parameter of it that holds the attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Slot {
    View,
    Create,
    StrReplace,
    Insert,
    Delete,
    RenameOld,
    RenameNew,
}

impl Slot {
    /// All seven.
    pub const ALL: [Slot; 7] =
        [Slot::View, Slot::Create, Slot::StrReplace, Slot::Insert, Slot::Delete, Slot::RenameOld, Slot::RenameNew];

    /// The command.
    pub fn command(self) -> Command {
        match self {
            Slot::View => Command::View,
            Slot::Create => Command::Create,
            Slot::StrReplace => Command::StrReplace,
            Slot::Insert => Command::Insert,
            Slot::Delete => Command::Delete,
            Slot::RenameOld | Slot::RenameNew => Command::Rename,
        }
    }

    /// Whether something may be written, moved or lost at the place that the path names.
    pub fn is_destructive(self) -> bool {
        self != Slot::View
    }

    /// How the slot is named in a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Slot::View => "view",
            Slot::Create => "create",
            Slot::StrReplace => "str_replace",
            Slot::Insert => "insert",
            Slot::Delete => "delete",
            Slot::RenameOld => "rename (old_path)",
            Slot::RenameNew => "rename (new_path)",
        }
    }
}

/// One component of the walk from the prefix to the target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Walk {
    /// `..`
    Up,
    /// `.`
    Own,
    /// Nothing between two slashes.
    Empty,
    /// A name.
    In(String),
    /// So many `..` that the top of the file system is reached from anywhere. An absolute path behind it leads to the
    /// same place, whatever the walk began with.
    Top,
}

/// How many `..` [`Walk::Top`] stands for.
pub(super) const UPS: usize = 24;

/// A path as a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tree {
    /// What stands first: `/memories`, another spelling of it, or nothing.
    pub prefix: String,
    /// What leads to the target.
    pub walk: Vec<Walk>,
    /// What is aimed at, its components joined by `/`; empty: the end of the walk. `{outside}` or
    /// `{store}` may begin it.
    pub target: String,
    /// Applied one after the other to what stands behind the prefix.
    pub encodings: Vec<Encoding>,
    /// Stands before everything.
    pub before: String,
    /// Stands behind everything.
    pub after: String,
}

impl Tree {
    /// `/memories` and a target below it.
    pub fn new(walk: Vec<Walk>, target: impl Into<String>) -> Tree {
        Tree {
            prefix: crate::wire::ROOT.into(),
            walk,
            target: target.into(),
            encodings: Vec::new(),
            before: String::new(),
            after: String::new(),
        }
    }

    /// `/memories`, so many times `..`, and a target.
    pub fn up(times: usize, target: impl Into<String>) -> Tree {
        Tree::new(vec![Walk::Up; times], target)
    }

    /// The same with a further encoding.
    #[must_use]
    pub fn with(mut self, encoding: Encoding) -> Tree {
        self.encodings.push(encoding);
        self
    }

    /// The same with another prefix.
    #[must_use]
    pub fn prefixed(mut self, prefix: &str) -> Tree {
        self.prefix = prefix.into();
        self
    }

    /// The string that is sent. `{outside}` is filled in by the runner.
    pub fn render(&self) -> String {
        let mut pieces = Vec::new();
        let slash = |pieces: &mut Vec<Piece>| match (pieces.is_empty(), self.prefix.is_empty()) {
            (true, true) => {}
            (true, false) => pieces.push(Piece::lead()),
            (false, _) => pieces.push(Piece::separator()),
        };
        for walk in &self.walk {
            slash(&mut pieces);
            match walk {
                Walk::Up => pieces.extend([Piece::dot(), Piece::dot()]),
                Walk::Own => pieces.push(Piece::dot()),
                Walk::Empty => {}
                Walk::In(name) => pieces.push(Piece::name(name)),
                Walk::Top => {
                    pieces.extend([Piece::dot(), Piece::dot()]);
                    for _ in 1..UPS {
                        pieces.extend([Piece::separator(), Piece::dot(), Piece::dot()]);
                    }
                }
            }
        }
        for part in self.target.split('/').filter(|part| !part.is_empty()) {
            slash(&mut pieces);
            pieces.push(Piece::name(part));
        }
        for encoding in &self.encodings {
            pieces = encode(pieces, encoding);
        }
        let mut text = format!("{}{}", self.before, self.prefix);
        pieces.iter().for_each(|piece| text.push_str(&piece.text));
        text.push_str(&self.after);
        text
    }

    /// Every tree that is smaller by one token, encoding or decoration, the boldest first.
    pub fn smaller(&self) -> Vec<Tree> {
        let mut found = Vec::new();
        for at in 0..self.encodings.len() {
            let mut smaller = self.clone();
            smaller.encodings.remove(at);
            found.push(smaller);
        }
        if !self.before.is_empty() {
            found.push(Tree { before: String::new(), ..self.clone() });
        }
        if !self.after.is_empty() {
            found.push(Tree { after: String::new(), ..self.clone() });
        }
        for at in 0..self.walk.len() {
            let mut smaller = self.clone();
            smaller.walk.remove(at);
            found.push(smaller);
        }
        if let Some((first, _)) = self.target.split_once('/').filter(|(first, _)| !first.starts_with('{')) {
            found.push(Tree { target: first.into(), ..self.clone() });
        }
        if self.prefix != crate::wire::ROOT {
            found.push(self.clone().prefixed(crate::wire::ROOT));
        }
        found
    }
}
