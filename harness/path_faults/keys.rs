//! A key-value store in memory.

use std::collections::BTreeMap;
use std::path::Path;

use memconf::Handler;
use memconf::wire::{Ready, ToolResult};
use serde_json::Value;

use super::handler::{Answer, below, no_dots};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    /// Right: no slash at an end, no `..`.
    None,
    /// Right: any string below `/memories/` is a key, `..` and all.
    Literal,
    DeletesByPrefix,
    RenamesByPrefix,
    Like,
    Glob,
    /// Right: one file whatever the case.
    Folds,
    /// Right: one file with or without blanks.
    Trims,
    Decodes,
    /// A delete takes every key that differs in its case only.
    DeletesAnyCase,
    /// A delete takes a stream's name for its file's.
    DeletesStreams,
    /// Right: whatever stands below `/memories/` is a part of a key, and may be moved below itself.
    MovesAnywhere,
}

pub struct Keys {
    quirk: Quirk,
    held: BTreeMap<String, String>,
}

impl Keys {
    pub fn new(quirk: Quirk) -> Keys {
        Keys { quirk, held: BTreeMap::new() }
    }

    fn key(&self, input: &Value, name: &str) -> Answer {
        let sent = input[name].as_str().ok_or("Error: no path")?;
        let rest = below(sent)?;
        if self.quirk != Quirk::Literal {
            no_dots(rest)?;
        }
        let key = rest.trim_end_matches('/').to_owned();
        match key.as_str() {
            "" | "." => Err("Error: the root".into()),
            _ if self.quirk == Quirk::Folds => Ok(key.to_lowercase()),
            _ if self.quirk == Quirk::Decodes => Ok(memconf::fuzz::paths::Reading::Percent.read(&key)),
            _ if self.quirk == Quirk::Trims => Ok(key.trim().to_owned()),
            _ => Ok(key),
        }
    }

    /// The keys that a key stands for: itself, and what is below it.
    fn matching(&self, key: &str) -> Vec<String> {
        let matches = |held: &&String| match self.quirk {
            Quirk::DeletesByPrefix => held.starts_with(key),
            Quirk::Like => like(key, held, '%', '_'),
            Quirk::Glob => like(key, held, '*', '?'),
            Quirk::DeletesAnyCase => held.to_lowercase() == key.to_lowercase(),
            Quirk::DeletesStreams => {
                *held == key || key.split_once(':').is_some_and(|(file, _)| held.split('/').next() == Some(file))
            }
            _ => *held == key || held.strip_prefix(key).is_some_and(|rest| rest.starts_with('/')),
        };
        self.held.keys().filter(matches).cloned().collect()
    }

    fn answer(&mut self, input: &Value) -> Answer {
        let text = |name: &str| input[name].as_str().ok_or_else(|| format!("Error: no `{name}`"));
        match input["command"].as_str() {
            Some("view") => {
                let key = self.key(input, "path")?;
                let held = self.held.get(&key).ok_or("The path does not exist. Please provide a valid path.")?;
                let mut shown = format!("Here's the content of {} with line numbers:", text("path")?);
                for (number, line) in held.lines().enumerate() {
                    shown += &format!("\n{:6}\t{line}", number + 1);
                }
                Ok(shown)
            }
            Some("create") => {
                let key = self.key(input, "path")?;
                self.held.insert(key, text("file_text")?.to_owned());
                Ok(format!("File created successfully at: {}", text("path")?))
            }
            Some("str_replace") => {
                let key = self.key(input, "path")?;
                let (old, new) = (text("old_str")?, text("new_str")?);
                let held = self.held.get_mut(&key).ok_or("Error: The path does not exist")?;
                if held.matches(old).count() != 1 {
                    return Err("Error: No replacement was performed".into());
                }
                *held = held.replacen(old, new, 1);
                Ok("The memory file has been edited.".into())
            }
            Some("insert") => {
                let key = self.key(input, "path")?;
                let held = self.held.get_mut(&key).ok_or("Error: The path does not exist")?;
                *held = format!("{}{held}", text("insert_text")?);
                Ok(format!("The file {} has been edited.", text("path")?))
            }
            Some("delete") => {
                let key = self.key(input, "path")?;
                let gone = self.matching(&key);
                if gone.is_empty() {
                    return Err("Error: The path does not exist".into());
                }
                gone.iter().for_each(|key| drop(self.held.remove(key)));
                Ok(format!("Successfully deleted {}", text("path")?))
            }
            Some("rename") => {
                let (old, new) = (self.key(input, "old_path")?, self.key(input, "new_path")?);
                let mut moved = self.matching(&old);
                if self.quirk == Quirk::RenamesByPrefix {
                    moved = self.held.keys().filter(|held| held.starts_with(&old)).cloned().collect();
                }
                let below = new.strip_prefix(&old).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
                let below = below && self.quirk != Quirk::MovesAnywhere;
                let taken = self.quirk != Quirk::MovesAnywhere && !self.matching(&new).is_empty();
                if moved.is_empty() || below || taken || self.held.contains_key(&new) {
                    return Err("Error: The path does not exist, or the destination exists".into());
                }
                for key in moved {
                    let text = self.held.remove(&key).unwrap_or_default();
                    self.held.insert(format!("{new}{}", key.strip_prefix(&old).unwrap_or_default()), text);
                }
                Ok("Successfully renamed".into())
            }
            _ => Err("Error: unknown command".into()),
        }
    }
}

/// A pattern of any text and any character.
fn like(pattern: &str, text: &str, any: char, one: char) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some(c) if c == any => {
            let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            places.into_iter().any(|at| like(rest.as_str(), &text[at..], any, one))
        }
        Some(c) => text
            .chars()
            .next()
            .is_some_and(|first| (c == one || c == first) && like(rest.as_str(), &text[first.len_utf8()..], any, one)),
    }
}

impl Handler for Keys {
    fn call(&mut self, input: &Value) -> ToolResult {
        match self.answer(input) {
            Ok(text) => ToolResult::ok(text),
            Err(text) => ToolResult::error(text),
        }
    }

    fn reset(&mut self, _: &Path) -> Ready {
        self.held.clear();
        Ready::default()
    }
}
