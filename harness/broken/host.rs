//! A handler that makes host paths by itself. Where a path leads is decided by a function, right or wrong; what is then
//! done there is done as the reference does it.
//!
//! It works in the sandbox alone: a place above it is refused, and so is the removal of anything that holds the root.

use std::path::{Component, Path, PathBuf};

use memconf::reference::{DirectoryStore, Reference};
use memconf::transport::Handler;
use memconf::wire::{Ready, ToolResult};
use serde_json::Value;

use crate::common::Fields;

/// Where things lie on the host.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// What `/memories` maps to.
    pub root: PathBuf,
    /// The part of the sandbox around it; nothing outside is touched.
    pub base: PathBuf,
}

/// One path of a command.
#[derive(Clone, Copy)]
pub struct Sent<'a> {
    /// The command that sends it.
    pub command: &'a str,
    /// Its parameter.
    pub name: &'a str,
    /// As it was sent.
    pub path: &'a str,
}

/// Where a path leads; `Err` is the text of an error.
pub type Place = fn(&Site, Sent<'_>) -> Result<PathBuf, String>;

/// Makes the handler.
pub fn host(place: Place) -> Box<dyn Handler> {
    Box::new(Host { site: Site::default(), reference: Reference::in_directory(), place })
}

/// The part below `/memories` of a path that is inside and has no `..`.
pub fn checked(path: &str) -> Result<&str, String> {
    let rest = below(path)?;
    match rest.split('/').any(|name| name == "..") {
        true => Err(format!("Error: The path {path} would escape /memories")),
        false => Ok(rest),
    }
}

/// The part below `/memories` of a path that begins so.
pub fn below(path: &str) -> Result<&str, String> {
    match path.strip_prefix("/memories") {
        Some("") => Ok(""),
        Some(rest) if rest.starts_with('/') => Ok(&rest[1..]),
        _ => Err(format!("Error: Path must start with /memories, got: {path}")),
    }
}

/// The place of names below the root; a leading `/` does not make them absolute.
pub fn joined(site: &Site, names: &str) -> PathBuf {
    lexical(&site.root.join(names.trim_start_matches('/')))
}

/// The right place of a path.
pub fn right(site: &Site, sent: Sent<'_>) -> Result<PathBuf, String> {
    Ok(joined(site, checked(sent.path)?))
}

/// A path with `.` and `..` resolved by text.
pub fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

struct Host {
    site: Site,
    reference: Reference<DirectoryStore>,
    place: Place,
}

impl Host {
    /// The path for the reference, which has the whole sandbox for its store.
    fn relocated(&self, sent: Sent<'_>) -> Result<String, String> {
        let place = (self.place)(&self.site, sent)?;
        let takes_away = sent.command == "delete" || sent.name == "old_path";
        if takes_away && self.site.root.starts_with(&place) {
            return Err(format!("Error: Cannot {} the /memories directory itself", sent.command));
        }
        let relative = place.strip_prefix(&self.site.base).map_err(|_| "Error: not in the sandbox".to_owned())?;
        Ok(format!("/memories/{}", relative.display()).trim_end_matches('/').to_owned())
    }
}

impl Handler for Host {
    fn call(&mut self, input: &Value) -> ToolResult {
        let mut changed = input.clone();
        let mut pairs = Vec::new();
        for name in ["path", "old_path", "new_path"] {
            let Some(path) = input[name].as_str() else { continue };
            match self.relocated(Sent { command: input.str("command"), name, path }) {
                Ok(relocated) => {
                    changed = changed.with(name, relocated.clone());
                    pairs.push((relocated, path.trim_end_matches('/').to_owned()));
                }
                Err(text) => return ToolResult::error(text),
            }
        }
        pairs.sort_by_key(|(relocated, _)| std::cmp::Reverse(relocated.len()));
        let mut answer = self.reference.call(&changed);
        for (relocated, sent) in pairs {
            answer.content = answer.content.replace(&relocated, &sent);
        }
        answer
    }

    fn reset(&mut self, root: &Path) -> Ready {
        let base = root.ancestors().nth(3).unwrap_or(root).to_path_buf();
        self.site = Site { root: root.to_path_buf(), base: base.clone() };
        let ready = self.reference.reset(&base);
        Ready { store: root.to_str().map(str::to_owned), ..ready }
    }

    fn restart(&mut self) -> bool {
        self.reference.restart()
    }
}
