//! A store of several tenants in one map, of which the handler serves one.

use std::collections::BTreeMap;
use std::path::Path;

use memconf::Handler;
use memconf::wire::{Ready, ToolResult};
use serde_json::Value;

use super::handler::{Answer, below, normal};

const OWN: &str = "/tenant-a";

pub struct Tenants {
    /// Whether a path is looked at after it was normalised.
    checks: bool,
    held: BTreeMap<String, String>,
}

impl Tenants {
    pub fn new(checks: bool, path: &str, text: &str) -> Tenants {
        Tenants { checks, held: BTreeMap::from([(format!("/{path}"), text.to_owned())]) }
    }

    fn key(&self, input: &Value) -> Answer {
        let rest = below(input["path"].as_str().ok_or("Error: no path")?)?;
        let key = normal(Path::new(&format!("{OWN}/{rest}"))).display().to_string();
        let inside = key.strip_prefix(OWN).is_some_and(|rest| rest.starts_with('/'));
        if inside || !self.checks { Ok(key) } else { Err("Error: outside".into()) }
    }

    fn answer(&mut self, input: &Value) -> Answer {
        let key = self.key(input)?;
        match input["command"].as_str() {
            Some("view") => {
                let held = self.held.get(&key).ok_or("Error: The path does not exist")?;
                let sent = input["path"].as_str().unwrap_or_default();
                Ok(format!("Here's the content of {sent} with line numbers:\n     1\t{held}"))
            }
            Some("create") => {
                self.held.insert(key, input["file_text"].as_str().unwrap_or_default().to_owned());
                Ok(format!("File created successfully at: {}", input["path"].as_str().unwrap_or_default()))
            }
            Some("delete") => {
                self.held.remove(&key).ok_or("Error: The path does not exist")?;
                Ok(format!("Successfully deleted {}", input["path"].as_str().unwrap_or_default()))
            }
            _ => Err("Error: not supported".into()),
        }
    }
}

impl Handler for Tenants {
    fn call(&mut self, input: &Value) -> ToolResult {
        match self.answer(input) {
            Ok(text) => ToolResult::ok(text),
            Err(text) => ToolResult::error(text),
        }
    }

    fn reset(&mut self, _: &Path) -> Ready {
        self.held.retain(|key, _| !key.starts_with(OWN));
        Ready::default()
    }
}
