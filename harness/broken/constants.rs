//! Handlers that give every command the same answer: none may pass a case.

use std::path::Path;

use memconf::transport::Handler;
use memconf::wire::{Ready, ToolResult};
use serde_json::Value;

/// A handler, by what it answers.
pub struct Constant {
    /// What it answers, for messages.
    pub answer: &'static str,
    /// Makes it.
    pub make: fn() -> Box<dyn Handler>,
}

/// All of them.
pub fn all() -> [Constant; 6] {
    [
        Constant { answer: "`x`", make: || always(ToolResult::ok("x")) },
        Constant { answer: "nothing", make: || always(ToolResult::ok("")) },
        Constant { answer: "a blank line", make: || always(ToolResult::ok(" \n")) },
        Constant { answer: "`Done.`", make: || always(ToolResult::ok("Done.")) },
        Constant { answer: "an unflagged error", make: || always(ToolResult::ok("Error: try again later")) },
        Constant { answer: "an error", make: || always(ToolResult::error("Error: try again later")) },
    ]
}

fn always(answer: ToolResult) -> Box<dyn Handler> {
    Box::new(Always(answer))
}

struct Always(ToolResult);

impl Handler for Always {
    fn call(&mut self, _: &Value) -> ToolResult {
        self.0.clone()
    }

    fn reset(&mut self, _: &Path) -> Ready {
        Ready { persists: Some(true), ..Ready::default() }
    }

    fn restart(&mut self) -> bool {
        true
    }
}
