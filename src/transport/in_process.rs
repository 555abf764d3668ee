//! A handler in Rust, called directly.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde_json::Value;

use super::{Fault, Handler, Transport};
use crate::wire::{Ready, ToolResult};

/// Calls a [`Handler`] in this process. A panic is a failed step; a handler that never returns cannot be ended.
pub struct InProcess<H> {
    handler: H,
}

impl<H: Handler> InProcess<H> {
    /// Wraps a handler.
    pub fn new(handler: H) -> Self {
        InProcess { handler }
    }
}

impl<H: Handler> Transport for InProcess<H> {
    fn begin(&mut self, root: &Path) -> Result<Ready, Fault> {
        guarded(|| self.handler.reset(root))
    }

    fn call(&mut self, input: &Value) -> Result<ToolResult, Fault> {
        guarded(|| self.handler.call(input))
    }

    fn restart(&mut self) -> Result<(), Fault> {
        match guarded(|| self.handler.restart())? {
            true => Ok(()),
            false => Err(Fault::CannotRestart { reason: "its `restart` says so".into() }),
        }
    }

    fn join(&mut self, root: &Path) -> Result<(), Fault> {
        match guarded(|| self.handler.join(root))? {
            true => Ok(()),
            false => Err(Fault::CannotRestart { reason: "its `join` says so".into() }),
        }
    }
}

fn guarded<T>(action: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(action)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into());
        Fault::Panicked { message }
    })
}
