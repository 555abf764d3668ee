//! Faults of `create`, apart from what becomes of the text.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::{Broken, broken};
use crate::common::{Bench, Fields, patched};

/// A `create` on a file that exists, answered as `act` says with the old text and the new one.
fn on_existing(bench: &mut Bench, input: &Value, act: fn(&mut Bench, &str, &str, &str) -> ToolResult) -> ToolResult {
    let old = bench.text(input.str("path")).filter(|_| input.is("create") && input["file_text"].is_string());
    match old {
        Some(old) => act(bench, input.str("path"), &old, input.str("file_text")),
        None => bench.call(input),
    }
}

fn created(path: &str) -> ToolResult {
    ToolResult::ok(format!("File created successfully at: {path}"))
}

fn exists(path: &str) -> ToolResult {
    ToolResult::error(format!("Error: File {path} already exists"))
}

/// A file made whatever stands in its place or above it.
fn forced(bench: &mut Bench, path: &str, text: &str) -> ToolResult {
    let path = path.trim_end_matches('/');
    let mut up = path;
    while let Some((parent, _)) = up.rsplit_once('/') {
        if bench.text(parent).is_some() {
            bench.remove(parent);
        }
        up = parent;
    }
    bench.remove(path);
    bench.put(path, text);
    created(path)
}

pub fn all() -> Vec<Broken> {
    vec![
        broken("create-appends", "opens an existing file to append", Behaviour, Must, || {
            patched(|bench, input| {
                on_existing(bench, input, |bench, path, old, new| {
                    bench.put(path, &format!("{old}{new}"));
                    created(path)
                })
            })
        }),
        broken("create-leaves-the-rest", "overwrites without truncating", Behaviour, Must, || {
            patched(|bench, input| {
                on_existing(bench, input, |bench, path, old, new| {
                    let rest = old.get(new.len()..).unwrap_or_default();
                    bench.put(path, &format!("{new}{rest}"));
                    created(path)
                })
            })
        }),
        broken(
            "create-truncates-before-its-check",
            "opens with O_TRUNC, then says that the file exists",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    on_existing(bench, input, |bench, path, _, _| {
                        bench.put(path, "");
                        exists(path)
                    })
                })
            },
        ),
        broken(
            "create-reports-success-without-effect",
            "says created where the file exists, and keeps the old text",
            Behaviour,
            Must,
            || patched(|bench, input| on_existing(bench, input, |_, path, _, _| created(path))),
        ),
        broken(
            "create-overwrites-and-refuses",
            "writes first and reports the error afterwards",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    on_existing(bench, input, |bench, path, _, new| {
                        bench.put(path, new);
                        exists(path)
                    })
                })
            },
        ),
        broken(
            "empty-file-is-no-file",
            "takes an empty text for no file, and writes over it before it refuses",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    on_existing(bench, input, |bench, path, old, new| {
                        if old.is_empty() {
                            bench.put(path, new);
                        }
                        exists(path)
                    })
                })
            },
        ),
        broken(
            "same-text-created-anew",
            "says created where the same text is there already, and adds a line",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    on_existing(bench, input, |bench, path, old, new| match old == new {
                        true => {
                            bench.put(path, &format!("{old}{new}"));
                            created(path)
                        }
                        false => exists(path),
                    })
                })
            },
        ),
        broken("create-makes-no-parents", "does not make missing directories", Behaviour, Must, || {
            patched(|bench, input| {
                let parent = input.str("path").trim_end_matches('/').rsplit_once('/').map_or("", |(parent, _)| parent);
                match input.is("create") && parent.starts_with("/memories/") && !bench.is_directory(parent) {
                    true => ToolResult::error("Error: No such file or directory"),
                    false => bench.call(input),
                }
            })
        }),
        broken("create-in-the-place-of-a-directory", "puts a file in a directory's place", Behaviour, Must, || {
            patched(|bench, input| {
                match input.is("create") && bench.is_directory(input.str("path")) && input.str("path").len() > 10 {
                    true => forced(bench, input.str("path"), input.str("file_text")),
                    false => bench.call(input),
                }
            })
        }),
        broken("create-at-the-root", "puts a file at /memories (inspect-ai)", Behaviour, Must, || {
            patched(|bench, input| {
                match input.is("create") && matches!(input.str("path"), "/memories" | "/memories/") {
                    true => {
                        bench.wipe();
                        created(input.str("path"))
                    }
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "create-below-a-file",
            "makes a directory of a file whose path is continued (inspect-ai, synapt)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let below =
                        input.str("path").rsplit_once('/').is_some_and(|(parent, _)| bench.text(parent).is_some());
                    match input.is("create") && below {
                        true => forced(bench, input.str("path"), input.str("file_text")),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "refused-create-leaves-an-empty-file",
            "opens the file before it looks at file_text (Python and TypeScript SDK)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let path = input.str("path");
                    if input.is("create")
                        && !input["file_text"].is_string()
                        && path.starts_with("/memories/")
                        && !bench.exists(path)
                    {
                        bench.put(path, "");
                    }
                    bench.call(input)
                })
            },
        ),
        broken(
            "extension-replaced",
            "keeps every file under its name with .md (a.txt and a.md collide)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let renamed = input.with_paths(|path| {
                        let (up, name) = path.rsplit_once('/').unwrap_or(("", path));
                        match name.rsplit_once('.') {
                            Some((stem, "txt" | "lock" | "tmp" | "json" | "markdown" | "bak")) if !stem.is_empty() => {
                                format!("{up}/{stem}.md")
                            }
                            _ => path.to_owned(),
                        }
                    });
                    bench.call(&renamed)
                })
            },
        ),
        broken("separators-collide", "keeps `a/b` under the key `a_b` (supermemory)", Behaviour, Must, || {
            patched(|bench, input| {
                let keyed = input.with_paths(|path| match path.strip_prefix("/memories/") {
                    Some(rest) if !rest.starts_with('/') && !rest.contains("..") => {
                        format!("/memories/{}", rest.trim_end_matches('/').replace(['/', '-'], "_"))
                    }
                    _ => path.to_owned(),
                });
                bench.call(&keyed)
            })
        }),
        broken(
            "same-text-is-one-file",
            "keeps texts by their hash and drops the second of two (claude-hippo)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let text = input.str("file_text");
                    let twin = || bench.files().into_iter().any(|path| bench.text(&path).as_deref() == Some(text));
                    match input.is("create") && text.len() > 3 && !bench.exists(input.str("path")) && twin() {
                        true => created(input.str("path")),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "twins-share-their-text",
            "links files of one text to each other, so that an edit changes both",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let before = bench.text(input.str("path")).filter(|_| input.edits() || input.is("delete"));
                    let answer = bench.call(input);
                    if let (Some(before), false) = (before, answer.is_error) {
                        let now = bench.text(input.str("path"));
                        for path in bench.files() {
                            if bench.text(&path).as_deref() == Some(&before) {
                                match &now {
                                    Some(now) => bench.put(&path, now),
                                    None => bench.remove(&path),
                                };
                            }
                        }
                    }
                    answer
                })
            },
        ),
        broken("paths-of-eight-levels-refused", "holds paths of at most five levels", Behaviour, Must, || {
            patched(|bench, input| {
                match input.is("create")
                    && (6..100).contains(&input.str("path").trim_end_matches('/').split('/').count().saturating_sub(1))
                {
                    true => ToolResult::error("Error: too deep"),
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "recreated-file-keeps-its-old-text",
            "marks deleted files and brings them back with what they held",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let path = input.str("path").to_owned();
                    if input.is("delete")
                        && let Some(text) = bench.text(&path)
                    {
                        bench.kept.insert(path.clone(), text);
                    }
                    let answer = bench.call(input);
                    if input.is("create")
                        && !answer.is_error
                        && let Some(old) = bench.kept.remove(&path)
                    {
                        let text = bench.text(&path).unwrap_or_default();
                        bench.put(&path, &(text + &old));
                    }
                    answer
                })
            },
        ),
        broken(
            "recreated-directory-keeps-its-old-files",
            "marks a deleted directory and brings back all it held",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let path = input.str("path").to_owned();
                    if input.is("delete") && bench.is_directory(&path) {
                        for file in bench.below(&path) {
                            if let Some(text) = bench.text(&file) {
                                bench.kept.insert(file, text);
                            }
                        }
                    }
                    let answer = bench.call(input);
                    if input.is("create") && !answer.is_error {
                        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                        let old: Vec<String> =
                            bench.kept.keys().filter(|file| file.starts_with(&format!("{parent}/"))).cloned().collect();
                        for file in old {
                            let text = bench.kept.remove(&file).unwrap_or_default();
                            if !bench.exists(&file) && parent != "/memories" {
                                bench.put(&file, &text);
                            }
                        }
                    }
                    answer
                })
            },
        ),
        broken(
            "path-never-changes-its-kind",
            "remembers that a path was a file, and refuses it as a directory",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let kinds: Vec<(String, String)> = bench
                        .below("/memories")
                        .into_iter()
                        .map(|path| {
                            let kind = if bench.is_directory(&path) { "d" } else { "f" };
                            (path, kind.to_owned())
                        })
                        .collect();
                    for (path, kind) in kinds {
                        bench.kept.entry(path).or_insert(kind);
                    }
                    let path = input.str("path");
                    let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
                    let other = bench.kept.get(path).is_some_and(|kind| kind == "d")
                        || parents.into_iter().any(|up| bench.kept.get(up).is_some_and(|kind| kind == "f"));
                    match input.is("create") && other {
                        true => ToolResult::error("Error: it was something else before"),
                        false => bench.call(input),
                    }
                })
            },
        ),
    ]
}
