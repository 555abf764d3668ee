//! What several test targets share: places, command lines, running all built-in cases on a handler in this process,
//! and the reference handler laid open, so that a fault can be put into it from outside.
#![allow(dead_code, unused_imports, reason = "each test target uses its own part")]

mod bench;
pub mod command;
mod fields;
mod suite;

pub use bench::{Bench, patched, patched_on_disk, patched_with_restart};
pub use fields::{Fields, TextOf};
pub use suite::{cases, quiet_panics, run_suite, work};

use std::path::{Path, PathBuf};

/// The folder of the package.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file or folder of the harness.
pub fn harness(name: &str) -> PathBuf {
    package().join("harness").join(name)
}

/// A long text, cut at a line, with its length and a checksum, so that a snapshot stays readable and exact.
pub fn shortened(text: &str) -> String {
    const MOST: usize = 3000;
    if text.len() <= MOST {
        return text.to_owned();
    }
    let end = (0..=MOST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let checksum = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{}\n[... {} bytes in all, FNV-1a {checksum:016x}]", &text[..end], text.len())
}
