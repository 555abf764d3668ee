//! Faults with names: two that become one, one that becomes two, paths outside /memories that are served from inside.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::bench::{Bench, patched};
use super::delete::glob;
use super::fields::{Fields, TextOf};
use super::tools::is_plain;
use super::{Broken, broken};

/// The same, for a store in which a create overwrites.
fn respelled_over(bench: &mut Bench, input: &Value, spell: fn(&str) -> String) -> ToolResult {
    let path = spell(input.str("path"));
    match input.is("create") && input["file_text"].is_string() && bench.text(&path).is_some() {
        true => {
            bench.put(&path, input.str("file_text"));
            ToolResult::ok(format!("File created successfully at: {}", input.str("path")))
        }
        false => respelled(bench, input, spell),
    }
}

/// The command with its paths rewritten; answers name the paths as they were sent.
fn respelled(bench: &mut Bench, input: &Value, spell: fn(&str) -> String) -> ToolResult {
    let changed = input.with_paths(spell);
    let pairs: Vec<(String, String)> = input.paths().into_iter().map(|path| (spell(path), path.to_owned())).collect();
    bench.call(&changed).map(|text| {
        pairs
            .iter()
            .filter(|(changed, sent)| changed != sent && changed.len() > 10)
            .fold(text.to_owned(), |text, (changed, sent)| text.replace(changed, sent))
    })
}

fn below(path: &str) -> Option<&str> {
    path.strip_prefix("/memories/").filter(|rest| !rest.is_empty() && !rest.contains(".."))
}

/// A name's characters rewritten, the root left alone.
fn each(path: &str, rewrite: impl Fn(&str) -> String) -> String {
    below(path).map_or(path.to_owned(), |rest| format!("/memories/{}", rewrite(rest)))
}

macro_rules! spelling_over {
    ($name:literal, $about:literal, $level:expr, $spell:expr) => {
        broken($name, $about, Behaviour, $level, || patched(|bench, input| respelled_over(bench, input, $spell)))
    };
}

macro_rules! spelling {
    ($name:literal, $about:literal, $level:expr, $spell:expr) => {
        broken($name, $about, Behaviour, $level, || patched(|bench, input| respelled(bench, input, $spell)))
    };
}

pub fn all() -> Vec<Broken> {
    vec![
        spelling!(
            "prefix-without-separator",
            "cuts the letters /memories off: /memoriesX/a is X/a (Python and TypeScript SDK)",
            Must,
            |path| {
                match path.strip_prefix("/memories") {
                    Some(rest) if !rest.is_empty() && !rest.starts_with(['/', '\\', '\0']) => {
                        format!("/memories/{rest}")
                    }
                    _ => path.to_owned(),
                }
            }
        ),
        spelling!(
            "absolute-paths-taken-as-inside",
            "takes any absolute path as one below /memories (attune-ai)",
            Must,
            |path| {
                match path.starts_with('/')
                    && !path.starts_with("/memories")
                    && path.len() > 1
                    && !path.starts_with("//")
                {
                    true => format!("/memories{path}"),
                    false => path.to_owned(),
                }
            }
        ),
        spelling!("relative-paths-taken-as-inside", "takes a relative path as one below /memories", Must, |path| {
            match path.starts_with('/') || path.trim().is_empty() || path.starts_with("memories") || path.contains(':')
            {
                true => path.to_owned(),
                false => format!("/memories/{path}"),
            }
        }),
        spelling!("file-urls-understood", "opens file: URLs", Must, |path| path
            .strip_prefix("file://")
            .unwrap_or(path)
            .to_owned()),
        broken(
            "double-slash-is-another-file",
            "keeps paths as they are sent: `//` makes a second file (key-value stores)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    respelled(bench, input, |path| match below(path) {
                        Some(rest) if rest.trim_end_matches('/').contains("//") || rest.starts_with('/') => {
                            format!("/memories/{}", rest.replace('/', "+"))
                        }
                        _ => path.to_owned(),
                    })
                })
            },
        ),
        broken(
            "double-slash-opens-an-empty-file",
            "finds an empty file under a path with `//` (open with O_CREAT)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let path = input.str("path").trim_end_matches('/');
                    match input.is("view") && path.contains("//") && is_plain(&path.replace("//", "/")) {
                        true => ToolResult::ok(format!("Here's the content of {path} with line numbers:")),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "paths-outside-show-the-root",
            "falls back to /memories for a path that it cannot place",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let path = input.str("path");
                    let outside = !path.is_empty() && path != "/memories" && !path.starts_with("/memories/");
                    match input.is("view") && outside {
                        true => bench.call(&input.with("path", "/memories")),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken("dot-is-another-file", "keeps `/./` in a path: a second file", Behaviour, Should, || {
            patched(|bench, input| {
                respelled(bench, input, |path| {
                    each(path, |rest| rest.strip_prefix("./").map_or(rest.to_owned(), |rest| format!("+{rest}")))
                })
            })
        }),
        broken(
            "trailing-slash-is-another-file",
            "keeps a final slash in a path: a second file",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    respelled(bench, input, |path| {
                        match below(path).filter(|rest| rest.ends_with('/') && rest.contains('.')) {
                            Some(rest) => format!("/memories/{}+", rest.trim_matches('/')),
                            None => path.to_owned(),
                        }
                    })
                })
            },
        ),
        broken("dotdot-inside-is-another-file", "keeps `x/..` in a path: a second file", Behaviour, Should, || {
            patched(|bench, input| {
                respelled(bench, input, |path| match path.strip_prefix("/memories/") {
                    Some(rest)
                        if rest.matches("..").count() == 1 && rest.contains("/../") && !rest.starts_with("..") =>
                    {
                        let last = rest.rsplit('/').next().unwrap_or_default();
                        format!("/memories/+{last}")
                    }
                    _ => path.to_owned(),
                })
            })
        }),
        broken(
            "dotdot-above-shows-another-file",
            "keeps `..` at the root in some commands and drops the name in others",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    respelled(bench, input, |path| match path.strip_prefix("/memories/../") {
                        Some(rest) if !rest.starts_with("..") => {
                            format!("/memories/+{}", rest.rsplit('/').next().unwrap_or_default())
                        }
                        _ => path.to_owned(),
                    })
                })
            },
        ),
        spelling!("names-in-lower-case", "keeps names in lower case", Should, |path| each(path, str::to_lowercase)),
        spelling_over!(
            "names-trimmed-at-a-blank",
            "cuts a path at the first blank (an unquoted shell word)",
            Should,
            |path| { each(path, |rest| rest.split(' ').next().unwrap_or_default().to_owned()) }
        ),
        spelling_over!("names-as-slugs", "keeps letters, digits, dots and dashes of a name", Should, |path| {
            each(path, |rest| {
                rest.chars()
                    .map(|c| {
                        if c.is_ascii_alphanumeric() || c.is_control() || "/._-%\\*?[]{}$~".contains(c) {
                            c
                        } else {
                            '-'
                        }
                    })
                    .collect()
            })
        }),
        spelling!("names-with-plus-as-blank", "takes a plus sign for a blank (a query string)", Should, |path| each(
            path,
            |rest| rest.replace('+', " ")
        )),
        spelling!("names-decoded", "decodes %41 in a name", Should, |path| {
            each(path, |rest| {
                rest.replace("%41", "A")
                    .replace("%20", " ")
                    .replace("%2e", ".")
                    .replace("%2E", ".")
                    .replace("%2f", "/")
                    .replace("%2F", "/")
            })
        }),
        spelling_over!("names-without-tilde", "expands a tilde", Should, |path| each(path, |rest| {
            match rest.split_once('~') {
                Some((before, _)) if !before.is_empty() => before.to_owned(),
                _ => rest.to_owned(),
            }
        })),
        spelling!("names-without-double-dot", "takes `..` out of names", Should, |path| match path.contains("/..")
            || path.contains("../")
        {
            true => path.to_owned(),
            false => path.replace("..", "."),
        }),
        spelling!("names-without-leading-dash", "takes a leading dash for an option", Should, |path| each(
            path,
            |rest| rest.trim_start_matches('-').to_owned()
        )),
        spelling!(
            "names-without-dots-in-front-of-the-extension",
            "keeps what stands before the first dot and the extension",
            Must,
            |path| {
                each(path, |rest| {
                    let (up, name) = rest.rsplit_once('/').map_or(("", rest), |(up, name)| (up, name));
                    let parts: Vec<&str> = name.split('.').collect();
                    let slash = if up.is_empty() { "" } else { "/" };
                    match parts.as_slice() {
                        [first, .., last] if !first.is_empty() && parts.len() > 2 => {
                            format!("{up}{slash}{first}.{last}")
                        }
                        _ => rest.to_owned(),
                    }
                })
            }
        ),
        broken(
            "globs-match-other-files",
            "expands *, ? and [] in a path (glob.glob, CVE-2026-55443)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let pattern = input.str("path").to_owned();
                    let pattern = pattern.replace("{", "").split(',').next().unwrap_or_default().replace('}', "");
                    let found =
                        bench.files().into_iter().find(|path| !bench.exists(input.str("path")) && glob(path, &pattern));
                    match found.filter(|_| !input.is("create") && input.str("path").contains(['*', '?', '[', '{'])) {
                        Some(path) => bench.call(&input.with("path", path)),
                        None => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "brackets-match-other-files",
            "expands brackets in a name that exists as it stands",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let pattern = input.str("path").to_owned();
                    let found = bench
                        .files()
                        .into_iter()
                        .find(|path| *path != pattern && path.len() + 2 >= pattern.len() && one_of(path, &pattern));
                    match found.filter(|_| !input.is("create")) {
                        Some(path) => bench.call(&input.with("path", path)),
                        None => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "control-characters-dropped",
            "drops control characters from a name: two files become one",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    respelled(bench, input, |path| {
                        path.chars()
                            .filter(|c| !c.is_control() || *c == '\0')
                            .filter(|c| !matches!(c, '\u{2028}' | '\u{2029}'))
                            .collect()
                    })
                })
            },
        ),
        broken("control-characters-cut", "ends a path at the first control character", Behaviour, Should, || {
            patched(|bench, input| {
                let cut = |path: &str| {
                    path.split(|c: char| (c.is_control() && c != '\0') || c == '\u{2028}')
                        .next()
                        .unwrap_or_default()
                        .to_owned()
                };
                let odd = input.is("create")
                    && cut(input.str("path")) != input.str("path")
                    && input.str("path").starts_with("/memories/");
                if odd && input["file_text"].is_string() {
                    // The rest of the path is taken for the name, in place of what is there.
                    let rest: String = input
                        .str("path")
                        .split(|c: char| c.is_control() || c == '\u{2028}')
                        .next_back()
                        .unwrap_or_default()
                        .into();
                    bench.put(
                        &format!("/memories/{}", rest.trim_start_matches("[2J").trim_start_matches("4.0K")),
                        input.str("file_text"),
                    );
                    bench.put("/memories/plain.txt", input.str("file_text"));
                    return ToolResult::ok(format!("File created successfully at: {}", input.str("path")));
                }
                bench.call(input)
            })
        }),
        broken("nul-ends-a-path", "ends a path at NUL (a C string)", Behaviour, Must, || {
            patched(|bench, input| {
                respelled(bench, input, |path| path.split('\0').next().unwrap_or_default().to_owned())
            })
        }),
        broken("nul-deletes-the-root", "ends a path at NUL, behind the guard of the root", Behaviour, Must, || {
            patched(|bench, input| {
                let root = |path: &str| {
                    path.split_once('\0').is_some_and(|(before, _)| before.trim_end_matches('/') == "/memories")
                };
                match (input.is("delete") || input.is("rename")) && input.paths().into_iter().any(root) {
                    true => {
                        bench.wipe();
                        ToolResult::ok("Successfully deleted /memories")
                    }
                    false => bench.call(input),
                }
            })
        }),
        broken("long-names-cut", "cuts a path at 255 bytes", Behaviour, Must, || {
            patched(|bench, input| {
                let long = input.paths().into_iter().any(|path| path.len() > 255);
                match long && (input.is("create") || input.is("view")) {
                    true if input.is("create") => {
                        ToolResult::ok(format!("File created successfully at: {}", input.str("path")))
                    }
                    true => ToolResult::error("The path does not exist"),
                    false => bench.call(input),
                }
            })
        }),
    ]
}

/// Whether a path is one that a pattern with a bracket expression names.
fn one_of(path: &str, pattern: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('[') else { return false };
    let Some((set, after)) = rest.split_once(']') else { return false };
    let Some(middle) = path.strip_prefix(before).and_then(|path| path.strip_suffix(after)) else { return false };
    middle.chars().count() == 1 && (set.contains(middle) || set.contains('-'))
}
