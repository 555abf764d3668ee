//! What the proofs of the suite share: running all built-in cases on a handler in this process, and the reference
//! handler laid open, so that a fault can be put into it from outside.

#![allow(dead_code, reason = "each test target uses its own part")]

mod bench;
mod fields;
mod suite;

pub use bench::{Bench, patched, patched_on_disk, patched_with_restart};
pub use fields::{Fields, TextOf};
pub use suite::{cases, quiet_panics, run_suite, work};
