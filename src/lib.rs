//! memconf tells whether a handler of Claude's memory tool does what it should.
//!
//! Claude sends six commands (`view`, `create`, `str_replace`, `insert`, `delete`, `rename`); an application carries them
//! out, and Claude reads what comes back. memconf replays scripts of such commands, *cases*, on any handler, and judges
//! every answer on three counts: [safety, behaviour and wording](judge).
//!
//! # Which tool for what
//!
//! | you have | you use |
//! |---|---|
//! | a handler in Rust | [`Suite`], in a test target of your crate: one test a case |
//! | a handler in any other language | `memconf run -- COMMAND`, where the command speaks the [protocol](#the-wire-protocol) below |
//! | no adapter yet | `memconf init python`, `typescript`, `rust` or `shell`: one that works, with two lines to change |
//! | a verdict that you do not understand | `memconf explain ID`, for a case or a requirement |
//! | failures that you know of | `memconf run --write-known-failures FILE`, then `--known-failures FILE` in CI |
//! | a program that reads verdicts | `memconf run --report json=FILE`; its format is a contract, see [`report`] |
//! | a client, to be tried on a handler that is right | `memconf serve --stdio`, or [`mod@reference`] in Rust |
//!
//! # The workflow
//!
//! 1. Write an adapter with `memconf init`, and run it: `memconf run -- python3 memconf_adapter.py`.
//! 2. Read the report from the top: failures of one cause stand together, the weightiest first. `FAIL must` fails the run,
//!    `warn should` does so with `--strict`.
//! 3. Repeat one case with the line behind `again:`, and mend the handler.
//! 4. Write what you cannot mend into a list of known failures. In CI the list is checked in both directions: what is not
//!    listed may not fail, and what is listed must, with the result that was seen.
//!
//! A command ends with one of the codes in [`event::exit`].
//!
//! In Rust, a handler implements [`Handler`]; `tests/memory_tool.rs`, with `harness = false` in `Cargo.toml`, is then
//!
//! ```no_run
//! use std::path::Path;
//!
//! use memconf::wire::{Ready, ToolResult};
//! use memconf::{Handler, Suite};
//! use serde_json::Value;
//!
//! #[derive(Default)]
//! struct Notes {
//!     // your store
//! }
//!
//! impl Handler for Notes {
//!     fn call(&mut self, input: &Value) -> ToolResult {
//!         match input["command"].as_str() {
//!             // your commands
//!             _ => ToolResult::error("Error: not implemented"),
//!         }
//!     }
//!
//!     fn reset(&mut self, root: &Path) -> Ready {
//!         *self = Notes::default(); // or open a store in the empty directory `root`, and say so:
//!         Ready { store: Some(root.display().to_string()), ..Ready::default() }
//!     }
//! }
//!
//! fn main() {
//!     Suite::new(Notes::default).main()
//! }
//! ```
//!
//! # The wire protocol
//!
//! Version 1. JSON objects in UTF-8, one a line, on the handler's stdin and stdout; an answer before the next message.
//! Commands and results are the very blocks of the Messages API.
//!
//! | memconf sends | the handler answers |
//! |---|---|
//! | `{"type":"tool_use","id":"toolu_1","name":"memory","input":{...}}` | `{"type":"tool_result","tool_use_id":"toolu_1","content":"...","is_error":true}` |
//! | `{"type":"reset","root":"/an/empty/directory"}` | `{"type":"ready"}` |
//!
//! - `input` is the object that Claude sends: `{"command":"view","path":"/memories"}`. It can be wrong on purpose; an error
//!   is the right answer then.
//! - `content` is a string, or a list of content blocks, whose texts are joined. `is_error` may be left out: no error.
//! - After `reset` the store is empty; a handler on disk keeps it below `root`. One process so serves all cases. A handler
//!   that answers with anything else, such as `{"type":"error"}`, is started anew for each case. The smallest handler is a
//!   loop over `tool_use`.
//! - A process that gets no `reset` finds its empty directory in the environment variable `MEMCONF_ROOT`. So does one that
//!   is started on the store of the process before it: there the directory is as that one left it.
//! - `ready` may name more:
//!
//! | field | meaning |
//! |---|---|
//! | `store` | the directory that `/memories` maps to, below `root`. memconf then looks at the disk, too |
//! | `persists` | whether the store outlives the process, to be found again by `MEMCONF_ROOT`. Assumed with `store` |
//! | `name`, `version`, `url` | of the handler, for reports |
//!
//! - stdout is for messages alone, and is flushed after each. A line that is none is skipped, and told with the verdicts.
//!   stderr is the handler's log; its end is shown with a failure.
//! - An answer is awaited for 10 s (`--timeout`), the first of a process for 30 s. A handler that hangs, ends, answers with
//!   a wrong id or without end fails the step; it is ended with all that it started, and the run goes on with a new one.
//! - At the end of stdin the handler ends.
//! - It runs in a throw-away directory, unless `--cwd` names another. Arguments that name files are made absolute.
//!
//! The types are in [`wire`], the transports in [`transport`].
//!
//! # The format of cases
//!
//! Plain data, for memconf and for any other program that replays it. It is described in `cases/README.md`, with a JSON
//! Schema in `cases/schema/case.json`; the types are in [`mod@case`]. `--cases DIR`, or [`Suite::cases`], takes the cases
//! of a folder of yours instead of the built-in ones.

pub mod case;
pub mod docs;
pub mod event;
pub mod fixtures;
pub mod fuzz;
pub mod judge;
pub mod reference;
pub mod report;
pub mod runner;
pub mod sandbox;
pub mod transport;
pub mod wire;

pub use runner::Suite;
pub use transport::Handler;
