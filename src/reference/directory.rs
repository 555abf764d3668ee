//! A store in a directory of the host.
//!
//! Every path is walked one name at a time from an open directory, and no link is followed: there is no text that
//! leads out of the store. Links in the store are as good as nothing, except that a name that a link has is taken, and
//! that `delete` removes the link itself. What is neither a file nor a directory is never opened.

mod remove;
mod tree;
mod write;

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{FlockOperation, Mode, OFlags};

use self::tree::Kind;
use self::write::{NewParents, Temporary};
use super::path::has_control;
use super::{Entry, Node, Store, StoreError, VirtualPath};

/// A tree of files in a directory. Files get the mode 0600 and directories 0700, whatever the umask; edits and creates
/// are atomic; commands of several handlers over one directory, in this process or others, wait for each other.
#[derive(Debug, Default)]
pub struct DirectoryStore {
    root: Option<Root>,
}

#[derive(Debug)]
struct Root {
    path: PathBuf,
    dir: Dir,
    /// The same directory, open in the way that a lock needs.
    lock: File,
}

impl DirectoryStore {
    /// The store that is kept in a directory, with all that it holds.
    ///
    /// # Errors
    /// Where the directory cannot be opened.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        Ok(DirectoryStore { root: Some(Root::open(root)?) })
    }

    /// The store's directory, an absolute path without links; `None` where no store is open.
    pub fn path(&self) -> Option<&Path> {
        self.root.as_ref().map(|root| root.path.as_path())
    }

    fn root(&self) -> Result<&Root, StoreError> {
        self.root.as_ref().ok_or(StoreError::Closed)
    }
}

impl Store for DirectoryStore {
    fn reset(&mut self, root: &Path) -> Result<Option<String>, StoreError> {
        self.root = None;
        let root = self.root.insert(Root::open(root)?);
        Ok(root.path.to_str().map(String::from))
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        let path = self.root.take().ok_or(StoreError::Closed)?.path;
        self.root = Some(Root::open(&path)?);
        Ok(())
    }

    fn join(&mut self, root: &Path) -> Result<(), StoreError> {
        self.root = Some(Root::open(root)?);
        Ok(())
    }

    fn look(&self, path: &VirtualPath<'_>) -> Result<Node<'_>, StoreError> {
        let root = self.root()?;
        let Some(name) = path.name() else { return Ok(Node::Directory) };
        let parent = tree::descend(&root.dir, path.parents())?;
        match tree::kind(&parent, name)? {
            Some(Kind::Directory) => Ok(Node::Directory),
            _ => Ok(Node::File(Cow::Owned(tree::read(&parent, name)?))),
        }
    }

    fn walk(&self, path: &VirtualPath<'_>, visit: &mut dyn FnMut(Entry<'_>) -> bool) -> Result<(), StoreError> {
        walk(&tree::descend(&self.root()?.dir, path.names())?, 1, visit)
    }

    fn create(&mut self, path: &VirtualPath<'_>, text: &str) -> Result<(), StoreError> {
        let root = self.root()?;
        let _locked = root.lock();
        let name = path.name().ok_or(StoreError::Exists)?;
        let place = tree::vacant(&root.dir, path, name)?;
        let parents = NewParents::make(&root.dir, path, place)?;
        Temporary::write(parents.dir(), text)?.place(name)?;
        parents.keep();
        Ok(())
    }

    fn edit(
        &mut self,
        path: &VirtualPath<'_>,
        change: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Result<(), StoreError> {
        let root = self.root()?;
        let _locked = root.lock();
        let name = path.name().ok_or(StoreError::IsADirectory)?;
        let parent = tree::descend(&root.dir, path.parents())?;
        let changed = change(&tree::read(&parent, name)?);
        if let Some(changed) = changed {
            Temporary::write(&parent, &changed)?.replace(name)?;
        }
        Ok(())
    }

    fn delete(&mut self, path: &VirtualPath<'_>) -> Result<(), StoreError> {
        let root = self.root()?;
        let _locked = root.lock();
        let name = path.name().ok_or(StoreError::Root)?;
        let parent = tree::descend(&root.dir, path.parents())?;
        match tree::kind(&parent, name)? {
            None => Err(StoreError::Missing),
            Some(Kind::Directory) => Ok(remove::tree(&parent, name)?),
            Some(Kind::File | Kind::Link | Kind::Special) => Ok(parent.remove_file(name)?),
        }
    }

    fn rename(&mut self, old: &VirtualPath<'_>, new: &VirtualPath<'_>) -> Result<(), StoreError> {
        let root = self.root()?;
        let _locked = root.lock();
        let from = old.name().ok_or(StoreError::Root)?;
        let parent = match tree::descend(&root.dir, old.parents()) {
            Err(StoreError::UnderAFile) => return Err(StoreError::Missing),
            other => other?,
        };
        match tree::kind(&parent, from)? {
            None | Some(Kind::Link) => return Err(StoreError::Missing),
            Some(Kind::Special) => return Err(StoreError::Special),
            Some(Kind::File | Kind::Directory) => {}
        }
        let to = new.name().ok_or(StoreError::Exists)?;
        let place = tree::vacant(&root.dir, new, to)?;
        let parents = NewParents::make(&root.dir, new, place)?;
        write::move_to_vacant(&parent, from, parents.dir(), to)?;
        parents.keep();
        Ok(())
    }
}

impl Root {
    fn open(path: &Path) -> Result<Self, StoreError> {
        let path = path.canonicalize()?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let lock = File::from(rustix::fs::openat(&dir, ".", flags, Mode::empty())?);
        Ok(Root { path, dir, lock })
    }

    /// Waits until no other handler changes this store. Where the file system has no locks there is none.
    fn lock(&self) -> Locked<'_> {
        while rustix::fs::flock(&self.lock, FlockOperation::LockExclusive) == Err(rustix::io::Errno::INTR) {}
        Locked(&self.lock)
    }
}

struct Locked<'a>(&'a File);

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // A lock that cannot be given back was never had.
        let _ = rustix::fs::flock(self.0, FlockOperation::Unlock);
    }
}

/// Names that are not UTF-8 are skipped, and names that no path can hold and that could forge a row.
fn walk(dir: &Dir, level: usize, visit: &mut dyn FnMut(Entry<'_>) -> bool) -> Result<(), StoreError> {
    let mut names = Vec::new();
    for entry in dir.entries()? {
        if let Ok(name) = entry?.file_name().into_string()
            && !has_control(&name)
        {
            names.push(name);
        }
    }
    names.sort_unstable();
    for name in &names {
        let size = match tree::kind_and_size(dir, name) {
            Ok(Some((Kind::File, size))) => Some(size),
            Ok(Some((Kind::Directory, _))) => None,
            // Links and special files are not listed, nor is what has gone or cannot be looked at.
            _ => continue,
        };
        if visit(Entry { level, name, size })
            && size.is_none()
            && let Ok(below) = tree::open(dir, name)
        {
            // A directory that may not be read is listed without what it holds.
            let _ = walk(&below, level + 1, visit);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
