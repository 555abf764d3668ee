//! Faults of listing a directory.

use memconf::case::{
    Facet::{Behaviour, Wording},
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::{Broken, broken};
use crate::common::{Bench, Fields, TextOf, patched};

/// How a listing differs from the right one.
#[derive(Clone, Copy)]
struct Ways {
    levels: usize,
    hidden: bool,
    node_modules: bool,
}

const RIGHT: Ways = Ways { levels: 2, hidden: false, node_modules: false };

/// A listing made in another way; anything else is the reference's.
fn listed(bench: &mut Bench, input: &Value, ways: Ways) -> ToolResult {
    let directory = input.str("path").trim_end_matches('/');
    if !input.is("view") || !bench.is_directory(input.str("path")) || directory.contains("//") {
        return bench.call(input);
    }
    let mut text = format!(
        "Here're the files and directories up to 2 levels deep in {directory}, excluding hidden items and node_modules:\n\
         4.0K\t{directory}"
    );
    for path in bench.below(directory) {
        let names: Vec<&str> = path[directory.len() + 1..].split('/').collect();
        let left_out =
            |name: &&str| (!ways.hidden && name.starts_with('.')) || (!ways.node_modules && *name == "node_modules");
        if names.len() > ways.levels || names.iter().any(|name| left_out(&name)) {
            continue;
        }
        match bench.text(&path) {
            Some(file) => text.push_str(&format!("\n{}\t{path}", size(file.len()))),
            None => text.push_str(&format!("\n4.0K\t{path}/")),
        }
    }
    ToolResult::ok(text)
}

fn size(bytes: usize) -> String {
    if bytes < 1024 { format!("{bytes}B") } else { format!("{:.1}K", bytes as f64 / 1024.0) }
}

/// The rows of a listing, without the first, rewritten or left out.
fn rows(bench: &mut Bench, input: &Value, row: fn(&Bench, &str, &str) -> Option<String>) -> ToolResult {
    if !input.is("view") || !bench.is_directory(input.str("path")) {
        return bench.call(input);
    }
    let answer = bench.call(input);
    let (head, rest) = (answer.content.split('\n').take(2), answer.content.split('\n').skip(2));
    let rest = rest.filter_map(|line| line.split_once('\t')).filter_map(|(size, path)| row(bench, size, path));
    let lines: Vec<String> = head.map(str::to_owned).chain(rest).collect();
    ToolResult { content: lines.join("\n"), ..answer }
}

pub fn all() -> Vec<Broken> {
    vec![
        broken("directory-header-in-own-words", "begins a listing its own way", Wording, Should, || {
            patched(|bench, input| {
                bench.call(input).map_ok(|text| {
                    text.replace("Here're the files and directories up to 2 levels deep in", "Contents of")
                })
            })
        }),
        broken("viewed-directory-without-row", "leaves the viewed directory's own row out", Wording, Should, || {
            patched(|bench, input| {
                let directory = input.is("view") && bench.is_directory(input.str("path"));
                bench.call(input).map_ok(|text| {
                    let kept = (0..).zip(text.split('\n')).filter(|(at, _)| !directory || *at != 1);
                    kept.map(|(_, row)| row).collect::<Vec<_>>().join("\n")
                })
            })
        }),
        broken(
            "viewed-directory-comes-last",
            "writes the viewed directory's own row behind the others",
            Wording,
            Should,
            || {
                patched(|bench, input| {
                    let directory = input.is("view") && bench.is_directory(input.str("path"));
                    bench.call(input).map_ok(|text| {
                        let mut lines: Vec<&str> = text.split('\n').collect();
                        if directory && lines.len() > 2 {
                            let own = lines.remove(1);
                            lines.push(own);
                        }
                        lines.join("\n")
                    })
                })
            },
        ),
        broken("bare-names-in-a-listing", "lists names instead of paths", Wording, Should, || {
            patched(|bench, input| {
                rows(bench, input, |_, size, path| {
                    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                    Some(format!("{size}\t{name}"))
                })
            })
        }),
        broken("sizes-without-unit", "lists bare byte counts", Wording, Should, || {
            patched(|bench, input| {
                rows(bench, input, |bench, _, path| {
                    let bytes = bench.text(path).map_or(4096, |text| text.len());
                    Some(format!("{bytes}\t{path}"))
                })
            })
        }),
        broken("sizes-are-constant", "gives every file the size 1.0K (doc examples)", Wording, Should, || {
            patched(|bench, input| rows(bench, input, |_, _, path| Some(format!("1.0K\t{path}"))))
        }),
        broken("sizes-count-characters", "counts characters instead of bytes", Wording, Should, || {
            patched(|bench, input| {
                rows(bench, input, |bench, old, path| {
                    Some(format!(
                        "{}\t{path}",
                        bench.text(path).map_or(old.to_owned(), |text| size(text.chars().count()))
                    ))
                })
            })
        }),
        broken("sizes-in-blocks", "lists the size on disk, in blocks of 4K (du)", Wording, Should, || {
            patched(|bench, input| {
                rows(bench, input, |bench, _, path| {
                    let blocks = bench.text(path).map_or(1, |text| text.len().div_ceil(4096));
                    Some(format!("{}K\t{path}", blocks * 4))
                })
            })
        }),
        broken("sizes-of-the-first-listing", "remembers a size and does not follow edits", Wording, Should, || {
            patched(|bench, input| {
                if input.is("view") && bench.is_directory(input.str("path")) {
                    for path in bench.files() {
                        let now = size(bench.text(&path).unwrap_or_default().len());
                        bench.kept.entry(path).or_insert(now);
                    }
                } else if input.is("create") && !bench.exists(input.str("path")) {
                    bench.kept.insert(input.str("path").to_owned(), size(input.str("file_text").len()));
                }
                rows(bench, input, |bench, old, path| {
                    Some(format!("{}\t{path}", bench.kept.get(path).map_or(old, String::as_str)))
                })
            })
        }),
        broken(
            "lists-hidden-items",
            "lists names that begin with a dot (inspect-ai, Java example)",
            Behaviour,
            Should,
            || patched(|bench, input| listed(bench, input, Ways { hidden: true, ..RIGHT })),
        ),
        broken("lists-node-modules", "lists node_modules with all it holds (Python SDK)", Behaviour, Should, || {
            patched(|bench, input| listed(bench, input, Ways { node_modules: true, ..RIGHT }))
        }),
        broken("lists-one-level", "lists one level (Java, C# examples)", Behaviour, Should, || {
            patched(|bench, input| listed(bench, input, Ways { levels: 1, ..RIGHT }))
        }),
        broken("lists-three-levels", "lists a level too many", Behaviour, Should, || {
            patched(|bench, input| listed(bench, input, Ways { levels: 3, ..RIGHT }))
        }),
        broken(
            "levels-counted-from-the-root",
            "counts the two levels from /memories, not from the viewed directory",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    rows(bench, input, |_, size, path| {
                        (path.trim_end_matches('/').split('/').count() <= 4).then(|| format!("{size}\t{path}"))
                    })
                })
            },
        ),
        broken(
            "leaves-out-names-with-dots",
            "takes every name with two dots or a dot behind a letter for hidden",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    rows(bench, input, |_, size, path| {
                        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                        (name.matches('.').count() < 2).then(|| format!("{size}\t{path}"))
                    })
                })
            },
        ),
        broken(
            "leaves-out-names-with-node-modules",
            "leaves out every name that holds node_modules",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    rows(bench, input, |_, size, path| {
                        (!path.contains("node_modules")).then(|| format!("{size}\t{path}"))
                    })
                })
            },
        ),
        broken(
            "lists-files-alone",
            "gives no row to a directory that holds none but directories or nothing",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    rows(bench, input, |_, size, path| (!path.ends_with('/')).then(|| format!("{size}\t{path}")))
                })
            },
        ),
        broken(
            "lists-prefix-neighbours",
            "lists by prefix, so that siblings come too (object stores)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let directory = input.str("path").trim_end_matches('/').to_owned();
                    let listing = input.is("view") && bench.is_directory(&directory);
                    let siblings: Vec<String> = bench
                        .files()
                        .into_iter()
                        .filter(|path| path.starts_with(&directory) && !path.starts_with(&format!("{directory}/")))
                        .map(|path| format!("\n1B\t{path}"))
                        .collect();
                    bench
                        .call(input)
                        .map_ok(|text| if listing { text.to_owned() + &siblings.concat() } else { text.to_owned() })
                })
            },
        ),
        broken(
            "listing-from-a-cache",
            "lists what it once listed, and what was created since",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    for path in bench.below("/memories") {
                        bench.kept.insert(path, String::new());
                    }
                    let answer = bench.call(input);
                    let directory = input.str("path").trim_end_matches('/');
                    if !input.is("view") || !bench.is_directory(directory) {
                        return answer;
                    }
                    let gone = bench.kept.keys().filter(|path| {
                        let rest = path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/'));
                        !bench.exists(path)
                            && rest.is_some_and(|rest| {
                                rest.split('/').count() <= 2 && !rest.contains("/.") && !rest.starts_with('.')
                            })
                    });
                    let gone: Vec<String> = gone.map(|path| format!("\n1B\t{path}")).collect();
                    answer.map_ok(|text| text.to_owned() + &gone.concat())
                })
            },
        ),
        broken("lists-fifty-files", "lists no more than fifty rows", Behaviour, Should, || {
            patched(|bench, input| {
                let directory = input.is("view") && bench.is_directory(input.str("path"));
                bench.call(input).map_ok(|text| match directory {
                    true => text.split('\n').take(51).collect::<Vec<_>>().join("\n"),
                    false => text.to_owned(),
                })
            })
        }),
        broken(
            "sub-directories-not-viewable",
            "lists /memories alone (claude-hippo, Go example)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let path = input.str("path").trim_end_matches('/');
                    match input.is("view") && path != "/memories" && bench.is_directory(path) {
                        true => {
                            ToolResult::error(format!("The path {path} does not exist. Please provide a valid path."))
                        }
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "root-with-slash-lists-nothing",
            "takes `/memories/` for a name of its own and finds nothing below it",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let slashed = input.is("view") && input.str("path").len() > 1 && input.str("path").ends_with('/');
                    let directory = bench.is_directory(input.str("path"));
                    bench.call(input).map_ok(|text| match slashed && directory {
                        true => text.split('\n').take(2).collect::<Vec<_>>().join("\n"),
                        false => text.to_owned(),
                    })
                })
            },
        ),
        broken("empty-root-is-missing", "has no root before the first create (langchain)", Behaviour, Must, || {
            patched(|bench, input| {
                match input.is("view")
                    && input.str("path").trim_end_matches('/') == "/memories"
                    && bench.below("/memories").is_empty()
                    && bench.kept.is_empty()
                {
                    true => ToolResult::error("File not found: /memories"),
                    false => {
                        if !bench.below("/memories").is_empty() {
                            bench.kept.insert("made".into(), String::new());
                        }
                        bench.call(input)
                    }
                }
            })
        }),
        broken("emptied-root-is-missing", "removes the root with its last file", Behaviour, Should, || {
            patched(|bench, input| {
                let empty = bench.below("/memories").is_empty();
                if !empty {
                    bench.kept.insert("made".into(), String::new());
                }
                match input.is("view") && input.str("path") == "/memories" && empty && !bench.kept.is_empty() {
                    true => ToolResult::error("The path /memories does not exist. Please provide a valid path."),
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "empty-root-says-so",
            "answers the first view with a sentence of its own, without rows",
            Wording,
            Should,
            || {
                patched(|bench, input| {
                    match input.is("view") && input.str("path") == "/memories" && bench.below("/memories").is_empty() {
                        true => ToolResult::ok("There are no memories yet."),
                        false => bench.call(input),
                    }
                })
            },
        ),
    ]
}
