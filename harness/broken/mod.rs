//! Handlers that deserve to fail: each has one fault, and says what must find it.
//!
//! Most faults are those of published handlers or of advisories; the others are those that a port to another language
//! or another kind of store makes. A handler is the reference with something wrong around it (`bench::patched`), or one
//! that joins host paths by itself (`host`).

mod bench;
pub mod constants;
mod create;
mod delete;
mod edits;
mod fields;
mod host;
mod input;
mod insert;
mod letter_case;
mod links;
mod listing;
mod matching;
mod names;
mod paths;
mod ranges;
mod rename;
mod rename_onto;
mod results;
mod root;
mod store;
mod str_replace;
mod texts;
mod tools;
mod view;
mod wording;

use memconf::case::{Facet, Level};
use memconf::transport::Handler;

/// A handler with one fault.
pub struct Broken {
    /// In kebab-case, unique.
    pub name: &'static str,
    /// What it does, and whose defect that is.
    pub about: &'static str,
    /// What the fault is about: at least one failure is of this facet,
    pub facet: Facet,
    /// and of this level or above. No failure is of `must` where `should` is declared.
    pub level: Level,
    /// Whether it keeps its files on disk.
    pub disk: bool,
    /// Makes it.
    pub make: fn() -> Box<dyn Handler>,
}

/// All of them, by subject.
pub fn all() -> Vec<Broken> {
    let subjects = [
        wording::all(),
        results::all(),
        view::all(),
        ranges::all(),
        listing::all(),
        create::all(),
        texts::all(),
        edits::all(),
        str_replace::all(),
        matching::all(),
        insert::all(),
        delete::all(),
        rename::all(),
        rename_onto::all(),
        root::all(),
        input::all(),
        names::all(),
        letter_case::all(),
        paths::all(),
        links::all(),
        store::all(),
    ];
    subjects.into_iter().flatten().collect()
}

/// A handler that keeps its files in memory.
fn broken(
    name: &'static str,
    about: &'static str,
    facet: Facet,
    level: Level,
    make: fn() -> Box<dyn Handler>,
) -> Broken {
    Broken { name, about, facet, level, disk: false, make }
}

/// A handler that keeps its files on disk.
fn on_disk(
    name: &'static str,
    about: &'static str,
    facet: Facet,
    level: Level,
    make: fn() -> Box<dyn Handler>,
) -> Broken {
    Broken { name, about, facet, level, disk: true, make }
}
