//! Placeholder until the process transport lands.
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::{Fault, Transport};
use crate::wire::{Ready, ToolResult};

/// What to start.
#[derive(Clone, Debug)]
pub struct StdioCommand {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// How long an answer is awaited.
    pub timeout: Duration,
    /// cwd
    pub cwd: Option<std::path::PathBuf>,
}

impl StdioCommand {
    /// x
    pub fn new(argv: Vec<String>, timeout: Duration) -> Self {
        StdioCommand { argv, timeout, cwd: None }
    }
}

/// A handler in a process of its own.
pub struct Stdio {
    command: StdioCommand,
}

impl Stdio {
    /// Not started yet.
    pub fn new(command: StdioCommand, _scratch: std::path::PathBuf) -> Self {
        Stdio { command }
    }
}

impl Transport for Stdio {
    fn begin(&mut self, _root: &Path) -> Result<Ready, Fault> {
        Err(Fault::Own { reason: self.command.argv.join(" ") })
    }

    fn call(&mut self, _input: &Value) -> Result<ToolResult, Fault> {
        Err(Fault::Own { reason: String::new() })
    }

    fn restart(&mut self) -> Result<(), Fault> {
        Err(Fault::Own { reason: String::new() })
    }
}
