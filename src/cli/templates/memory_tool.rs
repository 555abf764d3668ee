//! memconf on your handler of Claude's memory tool: one test a case.
//!
//! As it stands, this tests memconf's own handler. Make it test yours in the two lines marked CHANGE, and add to
//! Cargo.toml:
//!
//! ```toml
//! [dev-dependencies]
//! memconf = { path = "../memconf" } # where memconf's source is
//! serde_json = "1"
//!
//! [[test]]
//! name = "memory_tool"
//! harness = false
//! ```
//!
//! Then: `cargo test --test memory_tool`

use std::path::{Path, PathBuf};

use memconf::reference::Reference;
use memconf::wire::{Ready, ToolResult};
use memconf::{Handler, Suite};
use serde_json::Value;

/// Your handler, with its store in the folder `root`, which is empty before each script, or, after a restart, as your
/// handler left it.
fn open_store(root: &Path) -> Store {
    let mut handler = Reference::open_directory(root).expect("the store opens"); // CHANGE: make your handler, ...
    let folder = Some(root.to_owned()); // ... and name the folder that /memories maps to (`None`: it is not a folder)

    // Carries out one command, such as {"command": "view", "path": "/memories"}, and gives what Claude gets to read:
    // `ToolResult::ok(text)`, or `ToolResult::error(text)` where your application would send Claude an error.
    let handle = move |command: &Value| handler.call(command); // CHANGE: call your handler
    Store { handle: Box::new(handle), folder }
}

// Below here nothing needs to change.

struct Store {
    handle: Box<dyn FnMut(&Value) -> ToolResult + Send>,
    folder: Option<PathBuf>,
}

#[derive(Default)]
struct Adapter {
    root: PathBuf,
    store: Option<Store>,
}

impl Handler for Adapter {
    fn reset(&mut self, root: &Path) -> Ready {
        self.root = root.to_owned();
        let store = self.store.insert(open_store(root));
        Ready { store: store.folder.as_ref().map(|folder| folder.display().to_string()), ..Ready::default() }
    }

    fn call(&mut self, input: &Value) -> ToolResult {
        match &mut self.store {
            Some(store) => (store.handle)(input),
            None => ToolResult::error("no store is open"),
        }
    }

    fn restart(&mut self) -> bool {
        self.store = None; // the old handler is gone before the new one opens the same folder
        self.store = Some(open_store(&self.root));
        true
    }
}

fn main() {
    Suite::new(Adapter::default).main()
}
