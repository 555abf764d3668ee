//! Faults of `rename`, apart from the root.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::bench::{Bench, patched};
use super::delete::{glob, like};
use super::fields::Fields;
use super::tools::is_plain;
use super::{Broken, broken};

pub fn renamed(input: &Value) -> ToolResult {
    ToolResult::ok(format!("Successfully renamed {} to {}", input.str("old_path"), input.str("new_path")))
}

/// Everything below a path, and the path itself where it is a file, with its text.
pub fn tree(bench: &Bench, path: &str) -> Vec<(String, String)> {
    let below = bench.below(path);
    below.into_iter().chain([path.to_owned()]).filter_map(|path| Some((path.clone(), bench.text(&path)?))).collect()
}

/// A rename, of which `after` spoils the effect; it gets what stood below the old path.
fn then(
    bench: &mut Bench,
    input: &Value,
    after: fn(&mut Bench, old: &str, new: &str, before: &[(String, String)]),
) -> ToolResult {
    let before = if input.is("rename") { tree(bench, input.str("old_path")) } else { Vec::new() };
    let answer = bench.call(input);
    if input.is("rename") && !answer.is_error {
        after(bench, input.str("old_path"), input.str("new_path"), &before);
    }
    answer
}

pub fn all() -> Vec<Broken> {
    vec![
        broken("rename-copies", "leaves the old path as it was", Behaviour, Must, || {
            patched(|bench, input| {
                then(bench, input, |bench, old, new, before| {
                    for (path, text) in before {
                        if old != new && !bench.exists(path) {
                            bench.put(path, text);
                        }
                    }
                })
            })
        }),
        broken("rename-changes-nothing", "reports success and moves nothing", Behaviour, Must, || {
            patched(|bench, input| {
                then(bench, input, |bench, old, new, _| {
                    bench.shift(new, old);
                })
            })
        }),
        broken("rename-drops-children", "arrives with an empty directory", Behaviour, Must, || {
            patched(|bench, input| {
                then(bench, input, |bench, _, new, _| {
                    for path in bench.below(new) {
                        bench.remove(&path);
                    }
                })
            })
        }),
        broken("rename-drops-grandchildren", "takes one level of a directory along", Behaviour, Must, || {
            patched(|bench, input| {
                then(bench, input, |bench, _, new, _| {
                    for path in bench.below(new) {
                        if path[new.len() + 1..].contains('/') {
                            bench.remove(&path);
                        }
                    }
                })
            })
        }),
        broken(
            "rename-drops-hidden-children",
            "leaves hidden files of a directory behind (mv dir/*)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    then(bench, input, |bench, _, new, _| {
                        for path in bench.below(new) {
                            if path[new.len()..].contains("/.") {
                                bench.remove(&path);
                            }
                        }
                    })
                })
            },
        ),
        broken(
            "rename-directories-refused",
            "renames files alone (synapt, dejadb, claude-hippo)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    match input.is("rename")
                        && bench.is_directory(input.str("old_path"))
                        && input.str("old_path").len() > 10
                    {
                        true => ToolResult::error(format!("Error: The path {} does not exist", input.str("old_path"))),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "rename-by-prefix",
            "renames whatever begins with the path (UPDATE ... LIKE 'a%')",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    then(bench, input, |bench, old, new, _| {
                        for path in bench.files() {
                            if let Some(rest) = path.strip_prefix(old).filter(|_| !path.starts_with(new)) {
                                bench.shift(&path, &format!("{new}{rest}"));
                            }
                        }
                    })
                })
            },
        ),
        broken("rename-by-like", "renames with SQL's LIKE: `_` and `%` stand for anything", Behaviour, Must, || {
            patched(|bench, input| {
                by_pattern(bench, input, |path, pattern| pattern.contains(['_', '%']) && like(path, pattern))
            })
        }),
        broken("rename-by-glob", "renames with a shell: `*` and `?` stand for anything", Behaviour, Must, || {
            patched(|bench, input| {
                by_pattern(bench, input, |path, pattern| pattern.contains(['*', '?']) && glob(path, pattern))
            })
        }),
        broken("rename-trims-the-text", "reads, trims and writes the text", Behaviour, Must, || {
            patched(|bench, input| {
                then(bench, input, |bench, _, new, _| {
                    if let Some(text) = bench.text(new) {
                        bench.put(new, text.trim());
                    }
                })
            })
        }),
        broken("rename-rewrites-line-ends", "reads and writes the text in text mode", Behaviour, Must, || {
            patched(|bench, input| {
                then(bench, input, |bench, _, new, _| {
                    if let Some(text) = bench.text(new) {
                        bench.put(new, &text.replace("\r\n", "\n"));
                    }
                })
            })
        }),
        broken("rename-drops-an-empty-file", "takes an empty text for no file", Behaviour, Must, || {
            patched(|bench, input| {
                match input.is("rename") && bench.text(input.str("old_path")).as_deref() == Some("") {
                    true => ToolResult::error(format!("Error: The path {} does not exist", input.str("old_path"))),
                    false => bench.call(input),
                }
            })
        }),
        broken("rename-missing-succeeds", "reports success for a missing source", Behaviour, Should, || {
            patched(|bench, input| {
                let answer = bench.call(input);
                let missing = is_plain(input.str("old_path")) && !bench.is_below_a_file(input.str("old_path"));
                match input.is("rename") && missing && answer.content.ends_with("does not exist") {
                    true => renamed(input),
                    false => answer,
                }
            })
        }),
        broken("rename-missing-makes-a-file", "makes the new path from a missing source", Behaviour, Should, || {
            patched(|bench, input| {
                let answer = bench.call(input);
                let missing = is_plain(input.str("old_path")) && !bench.is_below_a_file(input.str("old_path"));
                if input.is("rename")
                    && missing
                    && answer.content.ends_with("does not exist")
                    && !bench.exists(input.str("new_path"))
                {
                    bench.put(input.str("new_path"), "");
                }
                answer
            })
        }),
        broken(
            "rename-of-a-path-below-a-file-renames-the-file",
            "takes the nearest file for the source",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let parent = input.str("old_path").rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
                    match input.is("rename")
                        && bench.text(&parent).is_some()
                        && bench.shift(&parent, input.str("new_path"))
                    {
                        true => renamed(input),
                        false => bench.call(input),
                    }
                })
            },
        ),
    ]
}

/// A rename of the first file that a pattern matches, where nothing has that very name.
fn by_pattern(bench: &mut Bench, input: &Value, matches: fn(path: &str, pattern: &str) -> bool) -> ToolResult {
    let old = input.str("old_path").to_owned();
    let found: Vec<String> = match input.is("rename") {
        true => bench.below("/memories").into_iter().filter(|path| matches(path, &old)).collect(),
        false => Vec::new(),
    };
    let Some(other) = found.iter().find(|path| **path != old) else { return bench.call(input) };
    match bench.exists(&old) {
        true => {
            let answer = bench.call(input);
            bench.remove(other);
            answer
        }
        false => {
            bench.shift(other, input.str("new_path"));
            renamed(input)
        }
    }
}
