//! Faults of `rename`, apart from the root.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::delete::{glob, like};
use super::tools::is_plain;
use super::{Broken, broken};
use crate::common::{Bench, Fields, patched};

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
        broken("rename-deletes", "removes the old path and makes no new one", Behaviour, Must, || {
            patched(|bench, input| {
                then(bench, input, |bench, _, new, _| {
                    bench.remove(new);
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
            Should,
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
        broken(
            "rename-replaces-every-occurrence",
            "replaces the old name wherever it stands in a path",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    then(bench, input, |bench, old, new, _| {
                        let (from, to) = (old.trim_start_matches("/memories"), new.trim_start_matches("/memories"));
                        for path in bench.below(new).into_iter().rev() {
                            let rest = &path[new.len()..];
                            let again = rest.replace(&format!("{from}/"), &format!("{to}/"));
                            if again != rest && bench.text(&path).is_some() {
                                bench.shift(&path, &format!("{new}{again}"));
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
        broken("rename-leaves-a-forwarding-name", "follows the old name after a rename", Behaviour, Must, || {
            patched(|bench, input| {
                let path = input.str("path");
                if let Some(new) = bench.kept.get(path).filter(|_| !input.is("create") && !bench.exists(path)) {
                    return bench.call(&input.with("path", new.clone()));
                }
                let answer = bench.call(input);
                if input.is("rename") && !answer.is_error {
                    bench.kept.insert(input.str("old_path").to_owned(), input.str("new_path").to_owned());
                }
                answer
            })
        }),
        broken(
            "old-path-stays-taken",
            "refuses a create at a path that was renamed or deleted",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let used = |path: &str| bench.kept.contains_key(path) && !bench.exists(path);
                    if (input.is("create") && used(input.str("path")))
                        || (input.is("rename") && used(input.str("new_path")))
                    {
                        return ToolResult::error("Error: the path is taken");
                    }
                    let answer = bench.call(input);
                    if !answer.is_error && (input.is("rename") || input.is("delete")) {
                        let path = input.paths().first().map(|path| (*path).to_owned()).unwrap_or_default();
                        bench.kept.insert(path, String::new());
                    }
                    answer
                })
            },
        ),
        broken(
            "renamed-file-depends-on-its-old-directory",
            "keeps a reference to the old directory, which goes with it",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let answer = bench.call(input);
                    if !answer.is_error && input.is("rename") {
                        bench.kept.insert(input.str("new_path").to_owned(), input.str("old_path").to_owned());
                    }
                    if !answer.is_error && input.is("delete") {
                        let gone: Vec<String> = bench
                            .kept
                            .iter()
                            .filter(|(_, old)| old.starts_with(&format!("{}/", input.str("path"))))
                            .map(|(new, _)| new.clone())
                            .collect();
                        for path in gone {
                            bench.remove(&path);
                        }
                    }
                    answer
                })
            },
        ),
        broken(
            "renamed-file-and-its-successor-are-one",
            "links a renamed file to a new one at the old path",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let answer = bench.call(input);
                    let path = input.str("path").to_owned();
                    if !answer.is_error && input.is("rename") {
                        bench.kept.insert(input.str("old_path").to_owned(), input.str("new_path").to_owned());
                    } else if !answer.is_error
                        && (input.is("create") || input.edits())
                        && let Some(new) = bench.kept.get(&path).cloned()
                    {
                        let text = bench.text(&path).unwrap_or_default();
                        if bench.text(&new).is_some() {
                            bench.put(&new, &text);
                        }
                    }
                    answer
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
