//! Where a path leads under every plausible interpretation: some readings of the string, closed under composition,
//! then a mapping into the host's file system, then `..` resolved.
//!
//! Places are symbolic, since the sandbox has another name in every run: `/=sandbox=/w/outer/c/memories` is the root.

use std::collections::{BTreeSet, HashSet, VecDeque};

use super::reading::Reading;
use super::{Class, SIBLINGS};
use crate::judge::quote;
use crate::wire::ROOT;

/// The worker's part of the sandbox.
const SANDBOX: &str = "/=sandbox=/w";
/// What `{outside}` stands for.
const OUTSIDE: &str = "/=sandbox=/w/outer/abs";
/// The case's own folder.
const CASE: &str = "/=sandbox=/w/outer/c";
/// The directory that `/memories` maps to.
const STORE: &str = "/=sandbox=/w/outer/c/memories";

/// Where the places are that a handler brings along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    home: &'static str,
    start: &'static str,
}

/// As memconf sets a process up.
const SET_UP: Ground = Ground { home: super::reading::HOME, start: "/=sandbox=/w/start" };
/// Anywhere on the host: a handler that memconf did not start.
const ANYWHERE: Ground = Ground { home: "/=home=", start: "/=start=" };

/// So many readings are applied one after the other.
const DEEPEST: usize = 3;
/// No more forms of a string are looked at.
const MOST: usize = 3000;
/// A string with more forms than these is never sent with a command that can destroy.
const MOST_HARMLESS: usize = 300;

/// How a path is laid over the host's file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mapping {
    /// `/memories` is taken off, the rest joined below the root.
    Join,
    /// As `Join`, but an absolute rest replaces the root.
    Replace,
    /// The whole string is joined below the root, or replaces it where it is absolute.
    Whole,
    /// The whole string is appended to the root.
    Below,
    /// The text `/memories` is replaced by the root's path, whatever follows it.
    Paste,
    /// The whole string is appended to the directory above the root.
    Beside,
    /// Relative to where the process stands.
    Relative,
    /// As `Join`, but `..` stops at the root.
    Clamp,
}

impl Mapping {
    const ALL: [Mapping; 8] = [
        Mapping::Join,
        Mapping::Replace,
        Mapping::Whole,
        Mapping::Below,
        Mapping::Paste,
        Mapping::Beside,
        Mapping::Relative,
        Mapping::Clamp,
    ];

    /// The absolute place, normalised; `None` where the mapping does not apply.
    fn map(self, text: &str, ground: Ground) -> Option<String> {
        let (base, rest) = self.parts(text, ground)?;
        let mut names = walked(base).1;
        let (ups, below) = walked(rest);
        if self != Mapping::Clamp {
            names.truncate(names.len().saturating_sub(ups));
        }
        names.extend(below);
        Some(format!("/{}", names.join("/")))
    }

    /// Where it begins, and what is walked from there.
    fn parts(self, text: &str, ground: Ground) -> Option<(&'static str, &str)> {
        let rest = text.strip_prefix(ROOT);
        let inner = rest.filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_absolute = text.starts_with('/');
        Some(match self {
            Mapping::Join => (STORE, inner.or(rest)?),
            Mapping::Replace => ("", inner.filter(|rest| rest.starts_with("//"))?),
            Mapping::Whole if is_absolute => ("", text),
            Mapping::Whole | Mapping::Below => (STORE, text),
            // `/memories_evil` becomes the sibling's path. Else it is as joined.
            Mapping::Paste if inner.is_some() => (STORE, inner?),
            Mapping::Paste => (CASE, text.get(1..).filter(|_| rest.is_some())?),
            Mapping::Beside => (CASE, text),
            Mapping::Relative => (ground.start, (!is_absolute).then_some(text)?),
            Mapping::Clamp => (STORE, inner?),
        })
    }
}

/// One interpretation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// What is done to the string, in order.
    pub readings: Vec<Reading>,
    /// What is done with what comes out.
    pub mapping: Mapping,
    /// What the readings make of the string.
    text: String,
    /// Where it leads.
    place: String,
}

impl Chain {
    /// The class of attacks that it makes possible.
    pub fn class(&self) -> Class {
        if let Some(first) = self.readings.first() {
            return first.class();
        }
        let beside = SIBLINGS.iter().any(|suffix| below(&self.place, &format!("{STORE}{suffix}")));
        match self.mapping {
            _ if beside => Class::A7,
            _ if self.text.trim_start_matches('/').starts_with("=sandbox=") => Class::A4,
            Mapping::Join | Mapping::Clamp | Mapping::Below | Mapping::Paste => Class::A1,
            Mapping::Replace => Class::A4,
            Mapping::Whole | Mapping::Beside | Mapping::Relative if self.text.contains("..") => Class::A1,
            Mapping::Whole | Mapping::Beside | Mapping::Relative => Class::A4,
        }
    }

    /// Words for a sentence ("decoded once, then resolved") and for an id ("decoded-once").
    pub fn words(&self) -> (String, String) {
        let (mut sentence, mut slug): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < self.readings.len() {
            let reading = self.readings[at];
            let times = self.readings[at..].iter().take_while(|next| **next == reading).count();
            let (words, word) = reading.words();
            let count = ["once", "twice", "three times"][times.clamp(1, 3) - 1];
            if reading == Reading::Percent || times > 1 {
                sentence.push(format!("{words} {count}"));
                slug.push(format!("{word}-{}", count.replace(' ', "-")));
            } else {
                sentence.push(words.to_owned());
                slug.push(word.to_owned());
            }
            at += times;
        }
        let (last, word) = match (self.class(), self.mapping) {
            (Class::A7, Mapping::Join) => ("resolved and compared with the root's path as text", "sibling"),
            (Class::A7, _) => ("pasted behind the root's path", "sibling-by-name"),
            (_, Mapping::Replace) => ("with its second component taken for an absolute path", "second-component"),
            (Class::A4, Mapping::Whole) => ("taken as an absolute path of the host", "absolute"),
            (_, Mapping::Relative) => ("resolved where the process stands", "relative"),
            _ => ("resolved with its `..`", "dotdot"),
        };
        if slug.is_empty() {
            slug.push(word.to_owned());
        }
        sentence.push(last.to_owned());
        (sentence.join(", then "), slug.join("-"))
    }
}

/// Shows what the readings make of a string, the simplest first, until `see` answers false; whether it saw all.
fn read(sent: &str, most: usize, ground: Ground, mut see: impl FnMut(&str, &[Reading]) -> bool) -> bool {
    let start = sent.replace("{outside}", OUTSIDE).replace("{store}", STORE);
    let mut seen = HashSet::from([start.clone()]);
    let mut waiting = VecDeque::from([(start, Vec::new())]);
    while let Some((text, readings)) = waiting.pop_front() {
        if !see(&text, &readings) {
            return false;
        }
        if readings.len() == DEEPEST {
            continue;
        }
        for reading in Reading::ALL.into_iter().filter(|reading| reading.concerns(&text)) {
            let mut read = reading.read(&text);
            if reading == Reading::Home {
                read = read.replace(super::reading::HOME, ground.home);
            }
            if seen.contains(&read) {
                continue;
            }
            if seen.len() >= most {
                return false;
            }
            seen.insert(read.clone());
            let further = readings.iter().copied().chain([reading]).collect();
            waiting.push_back((read, further));
        }
    }
    true
}

/// Every interpretation of a string, the simplest first; whether that is all of them.
pub fn interpretations(sent: &str) -> (Vec<Chain>, bool) {
    let mut found = Vec::new();
    let all = read(sent, MOST, SET_UP, |text, readings| {
        found.extend(Mapping::ALL.into_iter().filter_map(|mapping| {
            let place = mapping.map(text, SET_UP)?;
            Some(Chain { readings: readings.to_vec(), mapping, text: text.to_owned(), place })
        }));
        true
    });
    (found, all)
}

/// What was met at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met<'a> {
    /// The canary that stands there.
    Canary,
    /// Its names, in a listing of it or of the directory above.
    Names,
    /// Something new, whose name this text holds in quotes.
    New(&'a str),
}

/// The simplest interpretation of a string that leads to what was met at a place, as reports call it.
pub fn explain(sent: &str, place: &str, met: Met<'_>) -> Option<Chain> {
    // A handler may keep its store one level below the root that it was given: all is one level deeper then.
    let nested = place.strip_prefix("{case}/memories").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let place = &nested.map_or_else(|| place.to_owned(), |rest| format!("{{case}}{rest}"));
    let directory = match place.as_str() {
        "{sandbox}/.." => SANDBOX.to_owned(),
        place => place.replace("{sandbox}", "/=sandbox=/w/outer").replace("{case}", CASE),
    };
    let (chains, _) = interpretations(sent);
    let leads = |chain: &Chain| chain.mapping != Mapping::Clamp && leads_to(&chain.place, &directory, met);
    if let Some(place) = chains.iter().position(leads) {
        return chains.into_iter().nth(place);
    }
    chains.into_iter().find(|chain| chain.mapping != Mapping::Clamp && chain.place == directory)
}

fn leads_to(landing: &str, directory: &str, met: Met<'_>) -> bool {
    let inside = |of: &str, directory: &str| below(of, directory).then(|| of[directory.len()..].to_owned());
    match met {
        Met::Canary => inside(landing, directory).is_some_and(|rest| rest == "/canary.txt"),
        Met::Names => inside(directory, landing).is_some_and(|rest| rest.matches('/').count() < 2),
        Met::New(text) => inside(landing, directory).is_some_and(|rest| {
            let mut names = rest.split('/').skip(1);
            names.next().is_some_and(|name| text.contains(&quote(name)))
        }),
    }
}

/// The simplest interpretation of a string that leads to the root itself.
pub fn explain_root(sent: &str) -> Option<Chain> {
    let (chains, _) = interpretations(sent);
    chains.into_iter().find(|chain| chain.mapping != Mapping::Clamp && chain.place == STORE)
}

/// The simplest interpretation of a string that leads to a file of the store, named by its path below the root.
pub fn explain_inside(sent: &str, path: &str) -> Option<Chain> {
    let (chains, _) = interpretations(sent);
    let place = format!("{STORE}/{}", path.trim_start_matches("/memories/"));
    chains.into_iter().find(|chain| chain.mapping != Mapping::Clamp && chain.place == place)
}

/// Where a path stays inside the store under some interpretation: components below it, joined by `/`; empty: the
/// root itself.
pub fn inside(sent: &str) -> BTreeSet<String> {
    let (chains, _) = interpretations(sent);
    let places = chains.iter().filter(|chain| below(&chain.place, STORE));
    places.map(|chain| chain.place[STORE.len()..].trim_start_matches('/').to_owned()).collect()
}

/// Shows the places of a string under every interpretation, as names from the top, until `see` answers false; whether
/// it saw all.
pub(super) fn places(sent: &str, mut see: impl FnMut(&[&str]) -> bool) -> bool {
    read(sent, MOST_HARMLESS, ANYWHERE, |text, _| {
        // Most mappings walk the same from somewhere else.
        let mut walks: Vec<(&str, (usize, Vec<&str>))> = Vec::new();
        Mapping::ALL.into_iter().filter(|mapping| *mapping != Mapping::Clamp).all(|mapping| {
            let Some((base, rest)) = mapping.parts(text, ANYWHERE) else { return true };
            let known = walks.iter().position(|(known, _)| known.len() == rest.len());
            let known = known.unwrap_or_else(|| {
                walks.push((rest, walked(rest)));
                walks.len() - 1
            });
            let (ups, below) = &walks[known].1;
            let mut place = walked(base).1;
            place.truncate(place.len().saturating_sub(*ups));
            place.extend(below);
            see(&place)
        })
    })
}

/// Whether a place is memconf's own, to be made or destroyed.
pub(super) fn is_ours(place: &[&str]) -> bool {
    match place {
        ["=sandbox=", "w", "outer", "c", _, ..] => true,
        ["=sandbox=", "w", "outer", "abs" | "home", name, ..] => is_own_name(name),
        ["=sandbox=", "w", "outer", name, ..] | ["=sandbox=", "w", name, ..] => is_own_name(name),
        _ => false,
    }
}

/// Names that memconf alone uses, with what an attack may put behind them.
fn is_own_name(name: &str) -> bool {
    name.starts_with("canary.txt") || name.starts_with("memconf-")
}

fn below(place: &str, directory: &str) -> bool {
    place.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What the system makes of `.` and `..`: so many steps up from where the path begins, then these names.
fn walked(path: &str) -> (usize, Vec<&str>) {
    let (mut ups, mut names) = (0, Vec::with_capacity(12));
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => ups += usize::from(names.pop().is_none()),
            name => names.push(name),
        }
    }
    (ups, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sent: &str, place: &str) -> (Class, String) {
        let met = if sent.contains("canary") { Met::Canary } else { Met::Names };
        let chain = explain(sent, place, met).unwrap();
        (chain.class(), chain.words().1)
    }

    #[test]
    fn the_simplest_interpretation_is_told() {
        for (sent, place, class, word) in [
            ("/memories/../canary.txt", "{case}", Class::A1, "dotdot"),
            ("/memories/../../canary.txt", "{sandbox}", Class::A1, "dotdot"),
            ("/memories/../../../canary.txt", "{sandbox}/..", Class::A1, "dotdot"),
            ("/memories/..", "{case}", Class::A1, "dotdot"),
            ("/memories/../memories_evil/canary.txt", "{case}/memories_evil", Class::A7, "sibling"),
            ("/memories_evil/canary.txt", "{case}/memories_evil", Class::A7, "sibling-by-name"),
            ("/memories/../memories_evil/canary.txt", "{case}/memories/memories_evil", Class::A7, "sibling"),
            ("/memories_evil/canary.txt", "{case}/memories/memories_evil", Class::A7, "sibling-by-name"),
            ("/memories/../canary.txt", "{case}/memories", Class::A1, "dotdot"),
            ("{outside}/canary.txt", "{sandbox}/abs", Class::A4, "absolute"),
            ("/memories/{outside}/canary.txt", "{sandbox}/abs", Class::A4, "second-component"),
            ("/memories/%2e%2e/canary.txt", "{case}", Class::A11, "decoded-once"),
            ("/memories/%252e%252e%252fcanary.txt", "{case}", Class::A11, "decoded-twice"),
            ("/memories/%25252e./canary.txt", "{case}", Class::A11, "decoded-three-times"),
            ("/memories/....//canary.txt", "{case}", Class::A2, "stripped"),
            ("/memories/..\\canary.txt", "{case}", Class::A3, "backslash"),
            ("/memories/\u{ff0e}\u{ff0e}/canary.txt", "{case}", Class::A14, "normalised"),
            ("/memories/.. /canary.txt", "{case}", Class::A8, "names-trimmed"),
            ("/memories/~/canary.txt", "{sandbox}/home", Class::A15, "home-expanded"),
            ("/memories/%c0%ae%c0%ae/canary.txt", "{case}", Class::A12, "overlong"),
            ("/memories/%u002e%u002e/canary.txt", "{case}", Class::A13, "percent-u"),
            ("/memories/&#46;&#46;/canary.txt", "{case}", Class::A13, "entities"),
            ("/memories/.\0./canary.txt", "{case}", Class::A16, "nul-dropped"),
            ("/memories/../canary.txt\0.md", "{case}", Class::A16, "nul-cut"),
        ] {
            assert_eq!(told(sent, place), (class, word.to_owned()), "{sent}");
        }
    }
}
