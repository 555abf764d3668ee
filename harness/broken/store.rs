//! Faults of the store itself: what a restart loses, permissions, files of the handler's own, odd names.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::{Broken, broken, on_disk};
use crate::common::{Bench, Fields, TextOf, patched, patched_on_disk, patched_with_restart};

fn mode(place: &Path, mode: u32) {
    let _ = std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode));
}

/// Remembers every text and every path, as a log without deletes does.
fn logged(bench: &mut Bench, input: &Value) -> ToolResult {
    let answer = bench.call(input);
    for path in bench.files() {
        let text = bench.text(&path).unwrap_or_default();
        bench.kept.entry(path).or_insert(text);
    }
    answer
}

/// Puts back every file that `logged` saw and that is gone.
fn bring_back(bench: &mut Bench) {
    for (path, text) in bench.kept.clone() {
        if !bench.exists(&path) {
            bench.put(&path, &text);
        }
    }
}

/// The names that every object has.
const PROPERTIES: [&str; 6] = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype"];

pub fn all() -> Vec<Broken> {
    vec![
        broken("not-persistent", "keeps its files in the process", Behaviour, Must, || {
            patched_with_restart(|bench, input| bench.call(input), Bench::wipe)
        }),
        broken("restart-loses-empty-files", "does not write an empty file", Behaviour, Must, || {
            patched_with_restart(
                |bench, input| bench.call(input),
                |bench| {
                    for path in bench.files() {
                        if bench.text(&path).as_deref() == Some("") {
                            bench.remove(&path);
                        }
                    }
                },
            )
        }),
        broken("restart-loses-directories", "loads the files of the root alone", Behaviour, Must, || {
            patched_with_restart(
                |bench, input| bench.call(input),
                |bench| {
                    for path in bench.below("/memories") {
                        if bench.is_directory(&path) {
                            bench.remove(&path);
                        }
                    }
                },
            )
        }),
        broken("restart-brings-deleted-files-back", "writes no deletes and no old names", Behaviour, Must, || {
            patched_with_restart(logged, bring_back)
        }),
        broken("restart-undoes-edits", "writes creates alone", Behaviour, Must, || {
            patched_with_restart(logged, |bench| {
                for (path, text) in bench.kept.clone() {
                    if bench.exists(&path) {
                        bench.put(&path, &text);
                    }
                }
            })
        }),
        broken(
            "restart-changes-line-ends",
            "loads its files in text mode, without blank ends",
            Behaviour,
            Must,
            || {
                patched_with_restart(
                    |bench, input| bench.call(input),
                    |bench| {
                        for path in bench.files() {
                            let text = bench.text(&path).unwrap_or_default();
                            bench.put(
                                &path,
                                text.replace("\r\n", "\n").replace('\u{2028}', "\n").trim_end_matches('\n'),
                            );
                        }
                    },
                )
            },
        ),
        broken("second-restart-loses-all", "loads what it wrote, and does not write it again", Behaviour, Must, || {
            patched_with_restart(
                |bench, input| bench.call(input),
                |bench| match bench.exists("/memories/.restarted") {
                    true => bench.wipe(),
                    false => {
                        bench.put("/memories/.restarted", "");
                    }
                },
            )
        }),
        broken(
            "restart-renames-files",
            "files reappear under a name with their hash (synapt)",
            Behaviour,
            Must,
            || {
                patched_with_restart(
                    |bench, input| bench.call(input),
                    |bench| {
                        for path in bench.files() {
                            bench.shift(&path, &format!("{path}-48b8b6.md"));
                        }
                    },
                )
            },
        ),
        broken(
            "restart-with-wreckage-in-an-empty-store",
            "fills an empty store with an example at the start",
            Behaviour,
            Must,
            || {
                patched_with_restart(
                    |bench, input| bench.call(input),
                    |bench| {
                        if bench.files().is_empty() {
                            bench.put("/memories/fresh.md", "example");
                        }
                    },
                )
            },
        ),
        on_disk(
            "files-readable-by-all",
            "leaves the mode to the umask (CVE-2026-34450, CVE-2026-41686)",
            Behaviour,
            Should,
            || {
                patched_on_disk(|bench, input| {
                    let answer = bench.call(input);
                    if input.is("create") && !answer.is_error {
                        mode(&bench.place(input.str("path")), 0o644);
                    }
                    answer
                })
            },
        ),
        on_disk(
            "edited-files-readable-by-all",
            "writes an edit into a new file with the usual mode",
            Behaviour,
            Should,
            || {
                patched_on_disk(|bench, input| {
                    let answer = bench.call(input);
                    if input.edits() && !answer.is_error {
                        mode(&bench.place(input.str("path")), 0o644);
                    }
                    answer
                })
            },
        ),
        on_disk(
            "first-parent-readable-by-all",
            "gives the mode to the last of the directories it makes (PyPI anthropic 0.87.0)",
            Behaviour,
            Should,
            || {
                patched_on_disk(|bench, input| {
                    let answer = bench.call(input);
                    let name = if input.is("rename") { "new_path" } else { "path" };
                    let first = input
                        .str(name)
                        .trim_start_matches("/memories/")
                        .split_once('/')
                        .map(|(first, _)| first.to_owned());
                    if let Some(first) = first.filter(|_| !answer.is_error && !input.is("delete")) {
                        mode(&bench.root.join(first), 0o755);
                    }
                    answer
                })
            },
        ),
        broken("temporary-files-listed", "leaves its temporary files in the store", Behaviour, Should, || {
            patched(|bench, input| {
                let answer = bench.call(input);
                if input.edits() && !answer.is_error {
                    bench.put(&format!("{}.tmp-1", input.str("path")), "x");
                }
                answer
            })
        }),
        broken(
            "temporary-file-of-a-fixed-name",
            "writes through a.tmp, which may be a file of its own (omnicoreagent)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let answer = bench.call(input);
                    let stem = input.str("path").rsplit_once('.').map_or(input.str("path"), |(stem, _)| stem);
                    let temporary = format!("{stem}.tmp");
                    if (input.edits() || input.is("create")) && !answer.is_error && temporary != input.str("path") {
                        bench.remove(&temporary);
                    }
                    answer
                })
            },
        ),
        on_disk(
            "bad-bytes-written-back",
            "reads with replacement characters, and writes them back (TypeScript SDK, C# example)",
            Behaviour,
            Should,
            || {
                patched_on_disk(|bench, input| {
                    let place = bench.place(input.str("path"));
                    let bytes = std::fs::read(&place).ok().filter(|bytes| std::str::from_utf8(bytes).is_err());
                    match bytes.filter(|_| input.edits()) {
                        Some(bytes) => {
                            let _ = std::fs::write(&place, String::from_utf8_lossy(&bytes).as_bytes());
                            bench.call(input)
                        }
                        None => bench.call(input),
                    }
                })
            },
        ),
        on_disk(
            "bad-bytes-left-out-of-a-view",
            "shows a file that is not UTF-8 without the odd bytes, as a success",
            Behaviour,
            Should,
            || {
                patched_on_disk(|bench, input| {
                    let bytes = std::fs::read(bench.place(input.str("path")))
                        .ok()
                        .filter(|bytes| std::str::from_utf8(bytes).is_err());
                    match bytes.filter(|_| input.is("view")) {
                        Some(bytes) => {
                            let text: String =
                                bytes.iter().filter(|byte| byte.is_ascii()).map(|byte| char::from(*byte)).collect();
                            super::tools::shown(input.str("path"), [(1, text.as_str())])
                        }
                        None => bench.call(input),
                    }
                })
            },
        ),
        on_disk("bad-bytes-panic", "takes every file for UTF-8", Behaviour, Must, || {
            patched_on_disk(|bench, input| {
                let bytes = std::fs::read(bench.place(input.str("path"))).unwrap_or_default();
                match std::str::from_utf8(&bytes).is_err() {
                    true => panic!("on purpose: not UTF-8"),
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "object-properties-exist",
            "finds toString and constructor in an object (a map without null prototype)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let name = input.str("path").trim_start_matches("/memories/");
                    match input.is("view") && PROPERTIES.contains(&name) && !bench.exists(input.str("path")) {
                        true => super::tools::shown(input.str("path"), [(1, "function () { [native code] }")]),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "object-properties-lose-files",
            "stores under __proto__ and constructor without effect",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let odd = input.str("path").split('/').any(|name| PROPERTIES.contains(&name));
                    let answer = bench.call(input);
                    if input.is("create") && odd && !answer.is_error {
                        bench.remove(input.str("path"));
                    }
                    answer
                })
            },
        ),
        broken(
            "file-hides-what-is-below",
            "keeps a file and a directory under one name, of which the first wins",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let answer = bench.call(input);
                    if input.is("delete") && !answer.is_error {
                        let text = format!("deleted {}", bench.count);
                        bench.kept.insert(input.str("path").to_owned(), text);
                    }
                    let gone = bench.kept.contains_key(input.str("path"));
                    match input.is("view") && gone && bench.exists(input.str("path")) {
                        true => ToolResult::error(format!(
                            "The path {} does not exist. Please provide a valid path.",
                            input.str("path")
                        )),
                        false => answer.map_ok(str::to_owned),
                    }
                })
            },
        ),
    ]
}
