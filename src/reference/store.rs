//! What the reference handler keeps its files in.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use thiserror::Error;

use super::VirtualPath;

/// A tree of files under `/memories`. A store knows nothing of texts and commands; each method does one thing whole
/// or leaves the tree as it was.
pub trait Store: Send {
    /// Begins anew with an empty tree, on disk under `root`, an empty directory. Answers the directory that
    /// `/memories` maps to, where there is one that can be looked at.
    ///
    /// # Errors
    /// Where there is no such store; every method answers [`StoreError::Closed`] from then on.
    fn reset(&mut self, root: &Path) -> Result<Option<String>, StoreError>;

    /// Forgets what only the process knows, and opens the same tree again.
    ///
    /// # Errors
    /// As [`Store::reset`].
    fn reopen(&mut self) -> Result<(), StoreError>;

    /// Opens the tree that another store of this kind keeps under `root`, as it is.
    ///
    /// # Errors
    /// [`StoreError::Closed`] where the store is not kept in a place that others can reach.
    fn join(&mut self, root: &Path) -> Result<(), StoreError> {
        let _ = root;
        Err(StoreError::Closed)
    }

    /// What stands at a path; a file with its text.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::UnderAFile`], [`StoreError::NotUtf8`], [`StoreError::Special`],
    /// [`StoreError::TooLarge`].
    fn look(&self, path: &VirtualPath<'_>) -> Result<Node<'_>, StoreError>;

    /// Calls `visit` with what lies below a directory: each entry, then, where `visit` answers true for a directory,
    /// what it holds. Siblings come in the order of their names' bytes. Only files and directories come.
    ///
    /// # Errors
    /// [`StoreError::Missing`] and [`StoreError::UnderAFile`], also where the path names a file.
    fn walk(&self, path: &VirtualPath<'_>, visit: &mut dyn FnMut(Entry<'_>) -> bool) -> Result<(), StoreError>;

    /// Makes a file with this text, and the directories that lead to it.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where anything stands at the path; [`StoreError::UnderAFile`].
    fn create(&mut self, path: &VirtualPath<'_>, text: &str) -> Result<(), StoreError>;

    /// Gives a file the text that `change` makes of its present one; `None` leaves it. No other change of the file
    /// comes between.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::UnderAFile`], [`StoreError::IsADirectory`], [`StoreError::NotUtf8`],
    /// [`StoreError::Special`], [`StoreError::TooLarge`].
    fn edit(
        &mut self,
        path: &VirtualPath<'_>,
        change: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Result<(), StoreError>;

    /// Removes a file, or a directory with all that it holds.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::UnderAFile`]; [`StoreError::Root`] for `/memories` itself.
    fn delete(&mut self, path: &VirtualPath<'_>) -> Result<(), StoreError>;

    /// Moves a file or a directory, and makes the directories that lead to its new path. `new` does not lie below
    /// `old`.
    ///
    /// # Errors
    /// In this order: [`StoreError::Root`] where `old` is `/memories`, [`StoreError::Missing`] where nothing stands at
    /// `old`, [`StoreError::Exists`] where anything stands at `new`, [`StoreError::UnderAFile`] where `new` lies below
    /// a file.
    fn rename(&mut self, old: &VirtualPath<'_>, new: &VirtualPath<'_>) -> Result<(), StoreError>;
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node<'a> {
    /// A file and its text.
    File(Cow<'a, str>),
    /// A directory.
    Directory,
}

/// One entry of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// How far below the directory of the walk: 1 for what it holds itself.
    pub level: usize,
    /// The name, without the path that leads to it.
    pub name: &'a str,
    /// A file's size in bytes; `None` for a directory.
    pub size: Option<u64>,
}

/// Why a store did not do it. Displayed as the reason after "Could not ...: "; it never names a place on the host.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Nothing stands at the path. What a link leads to does not count.
    #[error("there is nothing at this path")]
    Missing,
    /// The path leads through something that is no directory.
    #[error("the path leads through a file")]
    UnderAFile,
    /// A file is needed, a directory stands there.
    #[error("it is a directory")]
    IsADirectory,
    /// Something stands at the path already.
    #[error("something stands at this path")]
    Exists,
    /// `/memories` itself would be lost.
    #[error("it is the root of the store")]
    Root,
    /// The file's bytes are no text (`ruling.not-utf8`).
    #[error("the file is not UTF-8 text")]
    NotUtf8,
    /// A FIFO, a socket or a device: never opened.
    #[error("it is neither a file nor a directory")]
    Special,
    /// The file is larger than the store reads.
    #[error("the file is too large")]
    TooLarge,
    /// There is no store yet, or it could not be opened.
    #[error("the store is not open")]
    Closed,
    /// The system refused.
    #[error("{}", reason(.0))]
    Io(#[from] io::Error),
}

impl From<rustix::io::Errno> for StoreError {
    fn from(errno: rustix::io::Errno) -> Self {
        StoreError::Io(errno.into())
    }
}

/// The system's own words for an error: an [`io::Error`] made by others may name a path of the host.
fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None => error.kind().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_host_path_in_a_reason() {
        let named = io::Error::other("failed to open /home/me/store");
        assert_eq!(StoreError::Io(named).to_string(), "other error");
        let errno = StoreError::from(rustix::io::Errno::ACCESS);
        assert!(errno.to_string().starts_with("Permission denied"), "{errno}");
    }
}
