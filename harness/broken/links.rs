//! Links in the store that lead outside, and are followed.

use std::path::{Path, PathBuf};

use memconf::case::{
    Facet::{Behaviour, Safety},
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::host::{Sent, Site, host, lexical, right};
use super::{Broken, on_disk};
use crate::common::{Bench, Fields, TextOf, patched_on_disk};

/// The place that a path has once every link on its way is followed, dangling ones too.
fn followed(place: &Path) -> PathBuf {
    let mut place = place.to_path_buf();
    for _ in 0..8 {
        let Some(link) = place.ancestors().find(|part| part.read_link().is_ok()).map(Path::to_path_buf) else { break };
        let target = link.read_link().unwrap_or_default();
        let rest = place.strip_prefix(&link).unwrap_or(Path::new("")).to_path_buf();
        let from = link.parent().unwrap_or(&link);
        place = lexical(&from.join(target).join(rest));
    }
    place
}

/// The right place, with links followed for these commands.
fn following(site: &Site, sent: Sent<'_>, commands: &[&str]) -> Result<PathBuf, String> {
    let place = right(site, sent)?;
    Ok(if commands.contains(&sent.command) { followed(&place) } else { place })
}

/// The same, for links on the way alone, not for the last name.
fn following_parents(site: &Site, sent: Sent<'_>, commands: &[&str]) -> Result<PathBuf, String> {
    let place = right(site, sent)?;
    match (place.parent(), place.file_name()) {
        (Some(parent), Some(name)) if commands.contains(&sent.command) => Ok(followed(parent).join(name)),
        _ => Ok(place),
    }
}

/// Whether a link stands at a path.
fn is_link(bench: &Bench, path: &str) -> bool {
    bench.place(path).read_link().is_ok()
}

/// A file's view by the system's own reading, which follows links; `None` where the system has nothing.
fn read_through(bench: &Bench, input: &Value) -> Option<ToolResult> {
    let text = std::fs::read_to_string(bench.place(input.str("path"))).ok().filter(|_| input.is("view"))?;
    Some(super::tools::shown(input.str("path"), (1..).zip(super::tools::lines(&text))))
}

pub fn all() -> Vec<Broken> {
    vec![
        on_disk("view-follows-links", "reads through a link (open without O_NOFOLLOW)", Safety, Must, || {
            host(|site, sent| following(site, sent, &["view"]))
        }),
        on_disk(
            "edits-follow-links",
            "edits the target of a link (Python SDK, inside; Java example)",
            Safety,
            Must,
            || host(|site, sent| following(site, sent, &["str_replace", "insert"])),
        ),
        on_disk(
            "create-follows-links",
            "creates below a link, and through a dangling one (Java example)",
            Safety,
            Must,
            || host(|site, sent| following(site, sent, &["create"])),
        ),
        on_disk("delete-follows-links", "deletes the target of a link", Safety, Must, || {
            host(|site, sent| following(site, sent, &["delete"]))
        }),
        on_disk("delete-below-links", "deletes below a link to a directory", Safety, Must, || {
            host(|site, sent| following_parents(site, sent, &["delete"]))
        }),
        on_disk("edits-below-links", "edits below a link to a directory", Safety, Must, || {
            host(|site, sent| following_parents(site, sent, &["str_replace", "insert"]))
        }),
        on_disk(
            "create-below-links",
            "checks the real path of what exists alone, and a new file does not (Java example)",
            Safety,
            Must,
            || host(|site, sent| following_parents(site, sent, &["create"])),
        ),
        on_disk("view-below-links", "reads below a link to a directory", Safety, Must, || {
            host(|site, sent| following_parents(site, sent, &["view"]))
        }),
        on_disk("rename-follows-links", "moves through links in both paths", Safety, Must, || {
            host(|site, sent| following_parents(site, sent, &["rename"]))
        }),
        on_disk("every-command-follows-links", "resolves no link before it uses a path", Safety, Must, || {
            host(|site, sent| following(site, sent, &["view", "create", "str_replace", "insert", "delete", "rename"]))
        }),
        on_disk("relative-links-followed", "looks for links with absolute targets alone", Safety, Must, || {
            host(|site, sent| {
                let place = right(site, sent)?;
                let relative = place.read_link().is_ok_and(|target| target.is_relative());
                Ok(if relative && sent.command == "view" { followed(&place) } else { place })
            })
        }),
        on_disk(
            "create-overwrites-through-a-link",
            "writes into an existing link's target (open with O_CREAT)",
            Safety,
            Must,
            || {
                patched_on_disk(|bench, input| {
                    let place = bench.place(input.str("path"));
                    match input.is("create") && is_link(bench, input.str("path")) && place.is_file() {
                        true => {
                            let _ = std::fs::write(place, input.str("file_text"));
                            ToolResult::ok(format!("File created successfully at: {}", input.str("path")))
                        }
                        false => bench.call(input),
                    }
                })
            },
        ),
        on_disk(
            "rename-writes-through-a-link",
            "copies onto a link at the new path (shutil.copy, then unlink)",
            Safety,
            Must,
            || {
                patched_on_disk(|bench, input| {
                    let text = bench.text(input.str("old_path"));
                    match (text, is_link(bench, input.str("new_path"))) {
                        (Some(text), true) => {
                            let _ = std::fs::write(bench.place(input.str("new_path")), text);
                            bench.remove(input.str("old_path"));
                            ToolResult::ok(format!(
                                "Successfully renamed {} to {}",
                                input.str("old_path"),
                                input.str("new_path")
                            ))
                        }
                        _ => bench.call(input),
                    }
                })
            },
        ),
        on_disk(
            "renamed-links-followed",
            "renames a link, and reads through it under its new name",
            Safety,
            Must,
            || {
                patched_on_disk(|bench, input| {
                    if input.is("rename") && is_link(bench, input.str("old_path")) {
                        let moved =
                            std::fs::rename(bench.place(input.str("old_path")), bench.place(input.str("new_path")));
                        bench.kept.insert(input.str("new_path").to_owned(), String::new());
                        return match moved {
                            Ok(()) => ToolResult::ok(format!(
                                "Successfully renamed {} to {}",
                                input.str("old_path"),
                                input.str("new_path")
                            )),
                            Err(_) => ToolResult::error("Error: Could not rename"),
                        };
                    }
                    let through =
                        bench.kept.contains_key(input.str("path")).then(|| read_through(bench, input)).flatten();
                    through.unwrap_or_else(|| bench.call(input))
                })
            },
        ),
        on_disk(
            "lists-through-links",
            "lists names and sizes behind a link (SDKs up to summer 2026)",
            Safety,
            Must,
            || {
                patched_on_disk(|bench, input| {
                    let path = input.str("path").trim_end_matches('/').to_owned();
                    if !input.is("view") || !bench.place(&path).is_dir() {
                        return bench.call(input);
                    }
                    let mut rows = String::new();
                    let links = if is_link(bench, &path) { vec![path.clone()] } else { entries(bench, &path) };
                    for link in links.into_iter().filter(|link| is_link(bench, link)) {
                        for name in std::fs::read_dir(bench.place(&link)).into_iter().flatten().flatten() {
                            let size = name.metadata().map_or(0, |meta| meta.len());
                            rows.push_str(&format!("\n{size}B\t{link}/{}", name.file_name().to_string_lossy()));
                        }
                    }
                    let answer = bench.call(input);
                    match answer.is_error {
                        true if !rows.is_empty() => ToolResult::ok(format!(
                            "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:\n4.0K\t{path}{rows}"
                        )),
                        _ => answer.map_ok(|text| text.to_owned() + &rows),
                    }
                })
            },
        ),
        on_disk(
            "deletes-through-links-inside",
            "removes what the links in a deleted directory lead to (rm -rL)",
            Safety,
            Must,
            || {
                patched_on_disk(|bench, input| {
                    let path = input.str("path").trim_end_matches('/').to_owned();
                    if input.is("delete") && bench.is_directory(&path) && path.len() > 10 {
                        for link in entries(bench, &path).into_iter().filter(|link| is_link(bench, link)) {
                            let place = bench.place(&link);
                            match place.is_dir() {
                                true => {
                                    let _ = std::fs::remove_file(place.join("canary.txt"));
                                }
                                false => {
                                    let _ = std::fs::remove_file(followed(&place));
                                }
                            }
                        }
                    }
                    bench.call(input)
                })
            },
        ),
        on_disk(
            "deletes-the-root-through-a-link",
            "deletes what a link to the root leads to (Java example)",
            Safety,
            Must,
            || {
                patched_on_disk(|bench, input| {
                    match input.is("delete")
                        && is_link(bench, input.str("path"))
                        && followed(&bench.place(input.str("path"))) == bench.root
                    {
                        true => {
                            bench.wipe();
                            ToolResult::ok(format!("Successfully deleted {}", input.str("path")))
                        }
                        false => bench.call(input),
                    }
                })
            },
        ),
        on_disk(
            "link-loop-names-the-host-path",
            "answers a link to itself with the exception's text (Python SDK)",
            Safety,
            Should,
            || {
                patched_on_disk(|bench, input| match input.is("view") && is_link(bench, input.str("path")) {
                    true => ToolResult::error(format!(
                        "RuntimeError(\"Symlink loop from '{}'\")",
                        bench.place(input.str("path")).display()
                    )),
                    false => bench.call(input),
                })
            },
        ),
        on_disk("links-panic", "takes every entry for a file or a directory", Behaviour, Must, || {
            patched_on_disk(|bench, input| {
                match input
                    .paths()
                    .into_iter()
                    .any(|path| path.starts_with("/memories/") && !path.contains('\0') && is_link(bench, path))
                {
                    true => panic!("on purpose: a link"),
                    false => bench.call(input),
                }
            })
        }),
    ]
}

/// The paths of what a directory holds, links too.
fn entries(bench: &Bench, directory: &str) -> Vec<String> {
    let names = std::fs::read_dir(bench.place(directory)).into_iter().flatten().flatten();
    names.map(|entry| format!("{directory}/{}", entry.file_name().to_string_lossy())).collect()
}
