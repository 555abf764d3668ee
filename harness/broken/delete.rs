//! Faults of `delete`, apart from the root.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::bench::{Bench, patched};
use super::fields::Fields;
use super::tools::is_plain;
use super::{Broken, broken};

/// The answer of the reference; after a successful delete everything that `also` picks goes too.
fn taking_along(bench: &mut Bench, input: &Value, also: fn(path: &str, deleted: &str) -> bool) -> ToolResult {
    let answer = bench.call(input);
    if input.is("delete") && !answer.is_error {
        for path in bench.below("/memories") {
            if also(&path, input.str("path").trim_end_matches('/')) {
                bench.remove(&path);
            }
        }
    }
    answer
}

/// A delete of whatever a pattern matches, also where there is nothing of that name.
fn by_pattern(bench: &mut Bench, input: &Value, matches: fn(path: &str, pattern: &str) -> bool) -> ToolResult {
    let found: Vec<String> = match input.is("delete") {
        true => bench.below("/memories").into_iter().filter(|path| matches(path, input.str("path"))).collect(),
        false => Vec::new(),
    };
    if found.is_empty() {
        return bench.call(input);
    }
    for path in found {
        bench.remove(&path);
    }
    ToolResult::ok(format!("Successfully deleted {}", input.str("path")))
}

/// What SQL's LIKE matches: `%` is any text, `_` any character.
pub fn like(text: &str, pattern: &str) -> bool {
    matches_with(text, pattern, '%', '_')
}

/// What a shell matches: `*` is any text, `?` any character, `[...]` is not understood.
pub fn glob(text: &str, pattern: &str) -> bool {
    let pattern = pattern.replace(['['], "?").replace(']', "");
    text.matches('/').count() == pattern.matches('/').count() && matches_with(text, &pattern, '*', '?')
}

fn matches_with(text: &str, pattern: &str, any: char, one: char) -> bool {
    let Some(first) = pattern.chars().next() else { return text.is_empty() };
    let rest = &pattern[first.len_utf8()..];
    if first == any {
        let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        return ends.any(|at| matches_with(&text[at..], rest, any, one));
    }
    text.chars()
        .next()
        .is_some_and(|c| (c == first || first == one) && matches_with(&text[c.len_utf8()..], rest, any, one))
}

pub fn all() -> Vec<Broken> {
    vec![
        broken("delete-keeps-the-file", "reports success and deletes nothing", Behaviour, Must, || {
            patched(|bench, input| match input.is("delete") && bench.text(input.str("path")).is_some() {
                true => ToolResult::ok(format!("Successfully deleted {}", input.str("path"))),
                false => bench.call(input),
            })
        }),
        broken("delete-directories-refused", "deletes files alone (attune-ai, claude-hippo)", Behaviour, Must, || {
            patched(|bench, input| {
                let path = input.str("path").trim_end_matches('/');
                match input.is("delete") && path != "/memories" && bench.is_directory(path) {
                    true => ToolResult::error("Error: is a directory"),
                    false => bench.call(input),
                }
            })
        }),
        broken("delete-full-directories-refused", "deletes empty directories alone (rmdir)", Behaviour, Must, || {
            patched(|bench, input| {
                let path = input.str("path");
                match input.is("delete") && path.len() > 10 && !bench.below(path).is_empty() {
                    true => ToolResult::error("Error: Directory not empty"),
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "delete-directory-without-effect",
            "reports a directory as deleted and keeps it (langchain)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let path = input.str("path").trim_end_matches('/');
                    match input.is("delete")
                        && path.starts_with("/memories/")
                        && path.len() > 10
                        && bench.is_directory(path)
                    {
                        true => ToolResult::ok(format!("Successfully deleted {path}")),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "delete-one-level-deep",
            "leaves what lies deeper in a deleted directory (synapt)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let path = input.str("path").trim_end_matches('/').to_owned();
                    if !input.is("delete") || path.len() <= 10 || path.contains("..") || !bench.is_directory(&path) {
                        return bench.call(input);
                    }
                    for file in bench.below(&path) {
                        if file[path.len() + 1..].split('/').count() == 1 && bench.text(&file).is_some() {
                            bench.remove(&file);
                        }
                    }
                    if bench.below(&path).is_empty() {
                        bench.remove(&path);
                    }
                    ToolResult::ok(format!("Successfully deleted {path}"))
                })
            },
        ),
        broken(
            "delete-leaves-hidden-files",
            "leaves hidden files of a deleted directory (rm dir/*)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let path = input.str("path").trim_end_matches('/').to_owned();
                    let hidden: Vec<(String, String)> = match input.is("delete") && path.len() > 10 {
                        true => bench
                            .below(&path)
                            .into_iter()
                            .filter(|file| file.contains("/."))
                            .filter_map(|file| Some((file.clone(), bench.text(&file)?)))
                            .collect(),
                        false => Vec::new(),
                    };
                    let answer = bench.call(input);
                    for (file, text) in hidden.into_iter().filter(|_| !answer.is_error) {
                        bench.put(&file, &text);
                    }
                    answer
                })
            },
        ),
        broken(
            "delete-takes-the-hidden-neighbour",
            "deletes every name that ends so (rm *name)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    taking_along(bench, input, |path, deleted| {
                        let (up, name) = deleted.rsplit_once('/').unwrap_or_default();
                        path == format!("{up}/.{name}")
                    })
                })
            },
        ),
        broken("delete-hidden-files-refused", "does not find hidden files", Behaviour, Must, || {
            patched(|bench, input| {
                match input.is("delete")
                    && input.str("path").contains("/.")
                    && !input.str("path").contains("/..")
                    && input.str("path").len() > 12
                {
                    true => ToolResult::error(format!("Error: The path {} does not exist", input.str("path"))),
                    false => bench.call(input),
                }
            })
        }),
        broken("delete-by-prefix", "deletes whatever begins with the path (object stores)", Behaviour, Must, || {
            patched(|bench, input| taking_along(bench, input, |path, deleted| path.starts_with(deleted)))
        }),
        broken("delete-takes-siblings", "deletes the directory that held the file", Behaviour, Must, || {
            patched(|bench, input| {
                taking_along(bench, input, |path, deleted| {
                    deleted.rsplit_once('/').is_some_and(|(parent, _)| parent.len() > 10 && path == parent)
                })
            })
        }),
        broken("delete-by-like", "deletes with SQL's LIKE: `_` and `%` stand for anything", Behaviour, Must, || {
            patched(|bench, input| {
                by_pattern(bench, input, |path, pattern| pattern.contains(['_', '%']) && like(path, pattern))
            })
        }),
        broken("delete-by-glob", "deletes with a shell: `*` and `?` stand for anything", Behaviour, Must, || {
            patched(|bench, input| {
                by_pattern(bench, input, |path, pattern| pattern.contains(['*', '?', '[']) && glob(path, pattern))
            })
        }),
        broken(
            "delete-missing-succeeds",
            "reports success for a missing path (rm -f, langchain)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let answer = bench.call(input);
                    let missing = is_plain(input.str("path")) && !bench.is_below_a_file(input.str("path"));
                    match input.is("delete") && missing && answer.content.ends_with("does not exist") {
                        true => ToolResult::ok(format!("Successfully deleted {}", input.str("path"))),
                        false => answer,
                    }
                })
            },
        ),
        broken(
            "delete-missing-makes-directories",
            "makes the directories that lead to a missing path",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let answer = bench.call(input);
                    let path = input.str("path");
                    if input.is("delete") && answer.content.ends_with("does not exist") && bench.put(path, "") {
                        bench.remove(path);
                    }
                    answer
                })
            },
        ),
        broken(
            "delete-missing-deletes-its-neighbour",
            "deletes the nearest name instead of a missing one",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let answer = bench.call(input);
                    if input.is("delete") && answer.is_error && input.str("path").len() > 12 {
                        let near = bench.files().into_iter().next();
                        near.map(|path| bench.remove(&path));
                    }
                    answer
                })
            },
        ),
        broken(
            "delete-through-dotdot-takes-the-directory",
            "deletes the directory that a path goes through",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let through = input.str("path").split_once("/../").map(|(through, _)| through.to_owned());
                    if let Some(through) = through.filter(|through| input.is("delete") && through.len() > 10) {
                        bench.remove(&through);
                    }
                    bench.call(input)
                })
            },
        ),
        broken(
            "delete-with-slash-takes-the-name-too",
            "deletes the file whose name begins like a directory with a slash",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let slashed = input.is("delete") && input.str("path").ends_with('/');
                    let path = input.str("path").trim_end_matches('/').to_owned();
                    let answer = bench.call(input);
                    for other in bench.below("/memories") {
                        if slashed && path.len() > 10 && other.starts_with(&path) {
                            bench.remove(&other);
                        }
                    }
                    answer
                })
            },
        ),
    ]
}
