//! A store in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use super::{Entry, Node, Store, StoreError, VirtualPath};

/// A tree of files in memory. It outlives a restart of the handler, which keeps it as a database would.
#[derive(Debug, Default)]
pub struct MemoryStore {
    root: Directory,
}

#[derive(Debug)]
enum Item {
    File(String),
    Directory(Directory),
}

#[derive(Debug, Default)]
struct Directory {
    items: BTreeMap<Box<str>, Item>,
}

impl Store for MemoryStore {
    fn reset(&mut self, _root: &Path) -> Result<Option<String>, StoreError> {
        self.root = Directory::default();
        Ok(None)
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn look(&self, path: &VirtualPath<'_>) -> Result<Node<'_>, StoreError> {
        let Some(name) = path.name() else { return Ok(Node::Directory) };
        match self.root.directory(path.parents())?.items.get(name) {
            Some(Item::File(text)) => Ok(Node::File(Cow::Borrowed(text))),
            Some(Item::Directory(_)) => Ok(Node::Directory),
            None => Err(StoreError::Missing),
        }
    }

    fn walk(&self, path: &VirtualPath<'_>, visit: &mut dyn FnMut(Entry<'_>) -> bool) -> Result<(), StoreError> {
        self.root.directory(path.names())?.walk(1, visit);
        Ok(())
    }

    fn create(&mut self, path: &VirtualPath<'_>, text: &str) -> Result<(), StoreError> {
        self.vacant(path)?;
        self.place(path, Item::File(text.to_owned()))
    }

    fn edit(
        &mut self,
        path: &VirtualPath<'_>,
        change: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Result<(), StoreError> {
        let name = path.name().ok_or(StoreError::IsADirectory)?;
        match self.root.directory_mut(path.parents())?.items.get_mut(name) {
            Some(Item::File(text)) => {
                if let Some(changed) = change(text) {
                    *text = changed;
                }
                Ok(())
            }
            Some(Item::Directory(_)) => Err(StoreError::IsADirectory),
            None => Err(StoreError::Missing),
        }
    }

    fn delete(&mut self, path: &VirtualPath<'_>) -> Result<(), StoreError> {
        self.take(path).map(drop)
    }

    fn rename(&mut self, old: &VirtualPath<'_>, new: &VirtualPath<'_>) -> Result<(), StoreError> {
        let name = old.name().ok_or(StoreError::Root)?;
        match self.root.directory(old.parents()) {
            Ok(parent) if parent.items.contains_key(name) => {}
            _ => return Err(StoreError::Missing),
        }
        self.vacant(new)?;
        let item = self.take(old)?;
        self.place(new, item)
    }
}

impl MemoryStore {
    /// Checks that an item can be placed at a path.
    fn vacant(&self, path: &VirtualPath<'_>) -> Result<(), StoreError> {
        let name = path.name().ok_or(StoreError::Exists)?;
        match self.root.directory(path.parents()) {
            Ok(parent) if parent.items.contains_key(name) => Err(StoreError::Exists),
            Ok(_) | Err(StoreError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Places an item at a path that is vacant, and makes the directories that lead to it.
    fn place(&mut self, path: &VirtualPath<'_>, item: Item) -> Result<(), StoreError> {
        let name = path.name().ok_or(StoreError::Exists)?;
        let mut directory = &mut self.root;
        for name in path.parents() {
            if !directory.items.contains_key(name) {
                directory.items.insert(name.into(), Item::Directory(Directory::default()));
            }
            directory = directory.below_mut(name)?;
        }
        directory.items.insert(name.into(), item);
        Ok(())
    }

    fn take(&mut self, path: &VirtualPath<'_>) -> Result<Item, StoreError> {
        let name = path.name().ok_or(StoreError::Root)?;
        self.root.directory_mut(path.parents())?.items.remove(name).ok_or(StoreError::Missing)
    }
}

impl Directory {
    fn directory<'p>(&self, names: impl Iterator<Item = &'p str>) -> Result<&Directory, StoreError> {
        let mut directory = self;
        for name in names {
            match directory.items.get(name) {
                Some(Item::Directory(below)) => directory = below,
                Some(Item::File(_)) => return Err(StoreError::UnderAFile),
                None => return Err(StoreError::Missing),
            }
        }
        Ok(directory)
    }

    fn directory_mut<'p>(&mut self, mut names: impl Iterator<Item = &'p str>) -> Result<&mut Directory, StoreError> {
        names.try_fold(self, |directory, name| directory.below_mut(name))
    }

    fn below_mut(&mut self, name: &str) -> Result<&mut Directory, StoreError> {
        match self.items.get_mut(name) {
            Some(Item::Directory(below)) => Ok(below),
            Some(Item::File(_)) => Err(StoreError::UnderAFile),
            None => Err(StoreError::Missing),
        }
    }

    fn walk(&self, level: usize, visit: &mut dyn FnMut(Entry<'_>) -> bool) {
        for (name, item) in &self.items {
            let (size, below) = match item {
                Item::File(text) => (Some(text.len() as u64), None),
                Item::Directory(below) => (None, Some(below)),
            };
            if visit(Entry { level, name, size })
                && let Some(below) = below
            {
                below.walk(level + 1, visit);
            }
        }
    }
}

/// Renames make trees of any depth, and the stack is not to pay for it.
impl Drop for Directory {
    fn drop(&mut self) {
        let mut pending = Vec::new();
        let mut items = std::mem::take(&mut self.items);
        loop {
            for (_, item) in std::mem::take(&mut items) {
                if let Item::Directory(mut below) = item {
                    pending.push(std::mem::take(&mut below.items));
                }
            }
            match pending.pop() {
                Some(next) => items = next,
                None => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_of_any_depth_is_dropped() {
        let deep = format!("/memories/d{}", "/n".repeat(254));
        let (leaf, other, below) = (format!("{deep}/leaf"), format!("{deep}/other"), format!("{deep}/s"));
        let path = |text| VirtualPath::parse(text).unwrap();
        let (top, side) = (path("/memories/d"), path("/memories/s"));
        let mut store = MemoryStore::default();
        for _ in 0..1000 {
            store.create(&path(&leaf), "").unwrap();
            store.rename(&top, &side).unwrap();
            store.create(&path(&other), "").unwrap();
            store.rename(&side, &path(&below)).unwrap();
        }
        store.delete(&top).unwrap();
        assert!(matches!(store.look(&top), Err(StoreError::Missing)));
    }
}
