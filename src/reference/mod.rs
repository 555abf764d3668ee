//! The reference handler: what a handler of the memory tool does when it does all that the documentation says.
//!
//! It speaks the `docs` dialect to the byte. Where the documentation leaves a choice it takes one and keeps to it:
//!
//! | where | what it does |
//! |---|---|
//! | `create` on an existing file | an error; nothing is overwritten |
//! | a final LF | ends the last line, and begins no further one |
//! | an empty file | the header alone, without an LF |
//! | `view_range` | an error where it does not begin inside the file or is reversed; an end past the last line is the last line; ignored for a directory |
//! | occurrences on one line | counted, and named, one by one: `1, 1`. Occurrences that overlap are one |
//! | an empty `old_str` | an error |
//! | `insert` past the last line | an error; so no text is ever far from its place |
//! | a final LF after an insertion at the end | there, where the file or `insert_text` had one |
//! | rows of a listing | a directory, then what it holds; siblings by the bytes of their names; directories below end in `/` |
//! | sizes | `0B`, `1023B`, `1.0K`, `1.5M`; a directory's is `4.0K` |
//! | `{path}` in any text | the one spelling of the path: `/memories/a` for `/memories//./a/` |
//! | a `..` component, plain or encoded | an error, also where it would stay inside |
//! | a null where a parameter is optional | as if it were absent |
//! | links, FIFOs, devices in a directory store | never followed, never opened |
//!
//! A handler with a deliberate fault wraps [`Reference`], or gives it a [`Store`] of its own.

mod commands;
mod directory;
mod input;
mod listing;
mod memory;
mod path;
mod store;
mod text;

pub use directory::DirectoryStore;
pub use memory::MemoryStore;
pub use path::{MAX_LEVELS, MAX_NAME, MAX_PATH, PathFault, VirtualPath};
pub use store::{Entry, Node, Store, StoreError};

use std::path::Path;

use serde_json::Value;

use crate::transport::Handler;
use crate::wire::{Ready, ToolResult};

/// What the handler calls itself.
pub const NAME: &str = "memconf reference";

/// The reference handler over a store.
#[derive(Debug, Default)]
pub struct Reference<S> {
    store: S,
}

impl Reference<MemoryStore> {
    /// Over an empty store in memory.
    pub fn in_memory() -> Self {
        Reference::default()
    }
}

impl Reference<DirectoryStore> {
    /// Over a store in the directory that `reset` names. Before a reset every command is an error.
    pub fn in_directory() -> Self {
        Reference::default()
    }

    /// Over the store that a directory holds.
    ///
    /// # Errors
    /// Where the directory cannot be opened.
    pub fn open_directory(root: &Path) -> Result<Self, StoreError> {
        Ok(Reference::over(DirectoryStore::open(root)?))
    }
}

impl<S: Store> Reference<S> {
    /// Over any store.
    pub fn over(store: S) -> Self {
        Reference { store }
    }

    /// The store, as it is.
    pub fn store(&self) -> &S {
        &self.store
    }
}

impl<S: Store> Handler for Reference<S> {
    fn call(&mut self, input: &Value) -> ToolResult {
        match commands::answer(&mut self.store, input) {
            Ok(text) => ToolResult::ok(text),
            Err(text) => ToolResult::error(text),
        }
    }

    fn reset(&mut self, root: &Path) -> Ready {
        // A store that could not be opened says so with every command.
        let store = self.store.reset(root).unwrap_or_default();
        let version = Some(env!("CARGO_PKG_VERSION").into());
        // `reopen` finds the same tree again, in memory too: the store outlives the handler.
        Ready { store, persists: Some(true), name: Some(NAME.into()), version, url: None }
    }

    fn restart(&mut self) -> bool {
        self.store.reopen().is_ok()
    }

    fn join(&mut self, root: &Path) -> bool {
        self.store.join(root).is_ok()
    }
}

#[cfg(test)]
mod tests;
