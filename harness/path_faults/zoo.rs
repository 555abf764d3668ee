//! The handlers.

use std::path::PathBuf;

use memconf::fuzz::paths::Reading;

use super::Make;
use super::handler::{Faults, Faulty, below, no_dots, normal};
use super::keys::{Keys, Quirk};

type Resolved = Result<PathBuf, String>;

/// Right: refuses `..`, joins the rest.
fn strict(handler: &Faulty, sent: &str) -> Resolved {
    let rest = below(sent)?;
    no_dots(rest)?;
    Ok(handler.root.join(rest))
}

/// Right: everything but plain names is refused.
fn strictest(handler: &Faulty, sent: &str) -> Resolved {
    let rest = below(sent)?;
    let plain = |name: &str| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) && !name.contains("..") && name != "."
    };
    match rest.is_empty() || rest.split('/').all(|name| !name.is_empty() && plain(name)) {
        true => Ok(handler.root.join(rest)),
        false => Err("Error: not allowed".into()),
    }
}

/// Right in its way: `..` stops at the root.
fn clamped(handler: &Faulty, sent: &str) -> Resolved {
    let mut parts = Vec::new();
    for part in below(sent)?.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Ok(handler.root.join(parts.join("/")))
}

/// Right: normalised, then compared by components.
fn resolves(handler: &Faulty, sent: &str) -> Resolved {
    let place = normal(&handler.root.join(below(sent)?));
    if place.starts_with(&handler.root) { Ok(place) } else { Err("Error: outside".into()) }
}

fn no_check(handler: &Faulty, sent: &str) -> Resolved {
    Ok(handler.root.join(below(sent)?))
}

fn checks_first_component(handler: &Faulty, sent: &str) -> Resolved {
    let rest = below(sent)?;
    if rest.starts_with("..") { Err("Error: `..`".into()) } else { Ok(handler.root.join(rest)) }
}

fn prefix_without_separator(handler: &Faulty, sent: &str) -> Resolved {
    let place = normal(&handler.root.join(below(sent)?));
    let root = handler.root.display().to_string();
    if place.display().to_string().starts_with(&root) { Ok(place) } else { Err("Error: outside".into()) }
}

fn virtual_prefix_pasted(handler: &Faulty, sent: &str) -> Resolved {
    let rest = sent.strip_prefix("/memories").ok_or("Error: outside")?;
    no_dots(rest)?;
    Ok(PathBuf::from(format!("{}{rest}", handler.root.display())))
}

fn virtual_prefix_served(handler: &Faulty, sent: &str) -> Resolved {
    let rest = sent.strip_prefix("/memories").ok_or("Error: outside")?;
    no_dots(rest)?;
    Ok(handler.root.join(rest.trim_start_matches('/')))
}

fn read_after<const N: usize>(handler: &Faulty, sent: &str, readings: [Reading; N]) -> Resolved {
    let rest = below(sent)?;
    no_dots(rest)?;
    let read = readings.into_iter().fold(rest.to_owned(), |text, reading| reading.read(&text));
    Ok(handler.root.join(read.trim_start_matches('/')))
}

fn decodes_once(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::Percent])
}

fn decodes_twice(handler: &Faulty, sent: &str) -> Resolved {
    let once = Reading::Percent.read(below(sent)?);
    no_dots(&once)?;
    Ok(handler.root.join(Reading::Percent.read(&once).trim_start_matches('/')))
}

fn strips_once(handler: &Faulty, sent: &str) -> Resolved {
    let stripped = below(sent)?.replace("../", "");
    if stripped.starts_with("..") && stripped.len() == 2 {
        return Err("Error: `..`".into());
    }
    Ok(handler.root.join(stripped.trim_start_matches('/')))
}

fn strips_dots_once(handler: &Faulty, sent: &str) -> Resolved {
    let rest = below(sent)?;
    no_dots(rest)?;
    Ok(handler.root.join(rest.replace("./", "").trim_start_matches('/')))
}

fn normalises(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::Normalise])
}

fn drops_ignorables(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::DropIgnorables])
}

fn trims_names(handler: &Faulty, sent: &str) -> Resolved {
    let rest = below(sent)?;
    no_dots(rest)?;
    Ok(handler.root.join(rest.split('/').map(str::trim).collect::<Vec<_>>().join("/").trim_start_matches('/')))
}

fn trims(handler: &Faulty, sent: &str) -> Resolved {
    let rest = below(sent)?;
    no_dots(rest)?;
    Ok(handler.root.join(rest.trim()))
}

fn backslash(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::Backslash])
}

fn cuts_nul(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::CutNul])
}

fn drops_controls(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::DropControls])
}

fn percent_u(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::PercentU])
}

fn escapes(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::Escapes])
}

fn entities(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::Entities])
}

fn overlong(handler: &Faulty, sent: &str) -> Resolved {
    read_after(handler, sent, [Reading::Overlong])
}

fn absolute_second(handler: &Faulty, sent: &str) -> Resolved {
    let rest = sent.strip_prefix("/memories").ok_or("Error: outside")?;
    let rest = match rest.strip_prefix('/') {
        Some(rest) => rest,
        None if rest.is_empty() => rest,
        None => return Err("Error: outside".into()),
    };
    no_dots(rest)?;
    Ok(handler.root.join(rest))
}

fn absolute_taken(handler: &Faulty, sent: &str) -> Resolved {
    no_dots(sent)?;
    match below(sent) {
        Ok(rest) => Ok(handler.root.join(rest)),
        Err(_) => Ok(PathBuf::from(sent)),
    }
}

fn home(handler: &Faulty, sent: &str) -> Resolved {
    let rest = below(sent)?;
    no_dots(rest)?;
    match rest.strip_prefix('~') {
        Some(rest) => Ok(PathBuf::from(format!("{}/../../home{rest}", handler.root.display()))),
        None => Ok(handler.root.join(rest)),
    }
}

fn folds_prefix(handler: &Faulty, sent: &str) -> Resolved {
    match sent.get(..9).is_some_and(|prefix| prefix.eq_ignore_ascii_case("/memories")) {
        true => resolves(handler, &format!("/memories{}", &sent[9..])),
        false => Err("Error: outside".into()),
    }
}

fn file_url(handler: &Faulty, sent: &str) -> Resolved {
    match sent.strip_prefix("file://") {
        Some(path) => Ok(PathBuf::from(path)),
        None => strict(handler, sent),
    }
}

/// As Windows joins: a drive letter begins anew.
fn joins_drives(handler: &Faulty, sent: &str) -> Resolved {
    let rest = below(sent)?;
    no_dots(rest)?;
    let mut place = handler.root.clone();
    for name in rest.split('/') {
        match name.strip_prefix(|c: char| c.is_ascii_alphabetic()).and_then(|rest| rest.strip_prefix(':')) {
            Some("") => place = PathBuf::from("/"),
            Some(name) => place.push(name),
            None => place.push(name),
        }
    }
    Ok(place)
}

fn faulty(resolve: super::handler::Resolve, faults: Faults) -> Box<dyn memconf::Handler> {
    Box::new(Faulty::new(resolve, faults))
}

macro_rules! resolve {
    ($name:ident) => {
        || faulty($name, Faults::default())
    };
}

macro_rules! fault {
    ($($flag:ident),*) => {
        || faulty(resolves, Faults { $($flag: true,)* ..Faults::default() })
    };
}

macro_rules! keys {
    ($quirk:ident) => {
        || Box::new(Keys::new(Quirk::$quirk))
    };
}

/// A name, the classes that are found at level must, and the handler.
pub fn all() -> Vec<(&'static str, Vec<&'static str>, Make)> {
    vec![
        ("no-check", vec!["A1"], resolve!(no_check)),
        ("first-component-only", vec!["A1"], resolve!(checks_first_component)),
        ("prefix-without-separator", vec!["A7"], resolve!(prefix_without_separator)),
        ("virtual-prefix-pasted", vec!["A7"], resolve!(virtual_prefix_pasted)),
        ("virtual-prefix-served", vec!["A7"], resolve!(virtual_prefix_served)),
        ("check-then-decode", vec!["A11"], resolve!(decodes_once)),
        ("decode-check-decode", vec!["A11"], resolve!(decodes_twice)),
        ("strip-once", vec!["A2"], resolve!(strips_once)),
        ("strip-own-once", vec!["A2"], resolve!(strips_dots_once)),
        ("nfkc-after-the-check", vec!["A14"], resolve!(normalises)),
        ("ignorables-dropped", vec!["A14"], resolve!(drops_ignorables)),
        ("trim-after-the-check", vec!["A8"], resolve!(trims)),
        ("names-trimmed", vec!["A8"], resolve!(trims_names)),
        ("backslash-after-the-check", vec!["A3"], resolve!(backslash)),
        ("nul-cut", vec!["A16"], resolve!(cuts_nul)),
        ("controls-dropped", vec!["A16"], resolve!(drops_controls)),
        ("percent-u", vec!["A13"], resolve!(percent_u)),
        ("c-escapes", vec!["A13"], resolve!(escapes)),
        ("html-entities", vec!["A13"], resolve!(entities)),
        ("overlong-utf8", vec!["A12"], resolve!(overlong)),
        ("absolute-second-component", vec!["A4"], resolve!(absolute_second)),
        ("absolute-taken", vec!["A4"], resolve!(absolute_taken)),
        ("home-expanded", vec!["A15"], resolve!(home)),
        ("file-url", vec!["A15"], resolve!(file_url)),
        ("lexical-only", vec!["C1", "C2", "C3", "C4"], fault!(follows_links)),
        ("realpath-of-what-exists", vec!["C2", "C3"], fault!(checks_existing_only)),
        ("last-name-only", vec!["C2"], fault!(checks_last_only)),
        ("parent-only", vec!["C1", "C2", "C3", "C4"], fault!(checks_parent_only)),
        ("listing-follows-links", vec!["C2"], fault!(lists_links)),
        ("root-guard-by-string", vec!["A10"], fault!(guards_string)),
        ("root-not-guarded", vec!["A10"], fault!(no_guard)),
        ("root-renamed", vec!["A10"], fault!(renames_root)),
        ("self-move-loses", vec!["A22"], fault!(loses_self_moves)),
        ("rename-destination-unchecked", vec!["A1", "A7", "C2"], fault!(unchecked_destination)),
        ("rename-source-unchecked", vec!["A1", "A7", "C2"], fault!(unchecked_source)),
        ("crash-on-long", vec!["A18"], fault!(panics_on_long)),
        ("joined-lists", vec!["A19"], fault!(joins_lists)),
        ("host-paths", vec!["A16 should", "A18 should"], fault!(host_paths)),
        ("open-modes", vec!["PERMISSIONS should"], fault!(open_modes)),
        ("drive-letters", vec!["A5"], resolve!(joins_drives)),
        ("streams-deleted", vec!["A6"], keys!(DeletesStreams)),
        ("rows-forged", vec!["A17 should"], fault!(lists_raw_names)),
        ("emptied-before-removal", vec!["C6"], fault!(empties_first)),
        ("unreadable-is-empty", vec!["C9"], fault!(unreadable_is_empty)),
        ("crash-on-raw-names", vec!["C10"], fault!(panics_on_raw_names)),
        ("root-guard-by-real-path", vec!["C11"], fault!(guards_real_root)),
        ("delete-in-any-case", vec!["A8"], keys!(DeletesAnyCase)),
        ("delete-by-prefix", vec!["A20"], keys!(DeletesByPrefix)),
        ("rename-by-prefix", vec!["A20"], keys!(RenamesByPrefix)),
        ("like-wildcards", vec!["A20"], keys!(Like)),
        ("glob-wildcards", vec!["A20"], keys!(Glob)),
        ("decoded-keys", vec!["A11"], keys!(Decodes)),
        ("case-folded-prefix", vec!["A10"], || {
            faulty(folds_prefix, Faults { guards_string: true, ..Faults::default() })
        }),
    ]
}

/// Found only where there are very many files.
pub fn crowded() -> (&'static str, Vec<&'static str>, Make) {
    ("crash-on-many-files", vec!["C10"], fault!(panics_on_many))
}

/// Right, each in its own way.
pub fn right() -> Vec<(&'static str, Make)> {
    vec![
        ("strict", resolve!(strict)),
        ("strictest", resolve!(strictest)),
        ("clamper", resolve!(clamped)),
        ("resolves", resolve!(resolves)),
        ("key-value", keys!(None)),
        ("literal-keeper", keys!(Literal)),
        ("case-folding-keys", keys!(Folds)),
        ("trimming-keys", keys!(Trims)),
        ("keys-that-move-anywhere", keys!(MovesAnywhere)),
    ]
}
