//! Faults of where a `rename` leads to.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::rename::{renamed, tree};
use super::{Broken, broken};
use crate::common::{Bench, Fields, patched};

/// A rename onto something that stands there: the destination goes first.
fn onto(bench: &mut Bench, input: &Value, allowed: fn(&Bench, old: &str, new: &str) -> bool) -> ToolResult {
    let (old, new) = (input.str("old_path"), input.str("new_path"));
    let plain = |path: &str| path.starts_with("/memories/") && path.len() > 10 && !path.contains("..");
    let both = input.is("rename") && plain(old) && plain(new) && old != new && bench.exists(old) && bench.exists(new);
    if !both || old.starts_with(&format!("{new}/")) || new.starts_with(&format!("{old}/")) || !allowed(bench, old, new)
    {
        return bench.call(input);
    }
    bench.remove(new);
    bench.shift(old, new);
    renamed(input)
}

pub fn all() -> Vec<Broken> {
    vec![
        broken(
            "rename-overwrites-a-file",
            "replaces a file at the new path (POSIX rename, heptagent)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    onto(bench, input, |bench, old, new| bench.text(old).is_some() && bench.text(new).is_some())
                })
            },
        ),
        broken(
            "rename-overwrites-an-empty-directory",
            "puts a directory in the place of an empty one (POSIX rename)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    onto(bench, input, |bench, _, new| bench.is_directory(new) && bench.below(new).is_empty())
                })
            },
        ),
        broken("rename-overwrites-a-directory", "removes a directory at the new path", Behaviour, Must, || {
            patched(|bench, input| onto(bench, input, |bench, _, new| bench.is_directory(new)))
        }),
        broken(
            "rename-overwrites-a-file-with-a-directory",
            "removes a file at a directory's new path",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    onto(bench, input, |bench, old, new| bench.is_directory(old) && bench.text(new).is_some())
                })
            },
        ),
        broken(
            "rename-moves-into-a-directory",
            "moves below a directory at the new path (mv, shutil.move)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let (old, new) = (input.str("old_path"), input.str("new_path").trim_end_matches('/'));
                    let name = old.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                    match input.is("rename")
                        && old != new
                        && bench.is_directory(new)
                        && old.starts_with("/memories/")
                        && bench.shift(old, &format!("{new}/{name}"))
                    {
                        true => renamed(input),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken("rename-merges-directories", "adds what a directory holds to another one", Behaviour, Must, || {
            patched(|bench, input| {
                let (old, new) = (input.str("old_path").to_owned(), input.str("new_path").to_owned());
                let both = input.is("rename") && bench.is_directory(&old) && bench.is_directory(&new);
                if !both || old == new || new.len() <= 10 || old.len() <= 10 {
                    return bench.call(input);
                }
                for (path, text) in tree(bench, &old) {
                    bench.remove(&path);
                    bench.put(&format!("{new}{}", &path[old.len()..]), &text);
                }
                bench.remove(&old);
                renamed(input)
            })
        }),
        broken(
            "rename-onto-its-parent-drops-the-rest",
            "puts a directory in the place of the one that holds it",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let (old, new) = (input.str("old_path").to_owned(), input.str("new_path").to_owned());
                    if !input.is("rename")
                        || !old.starts_with(&format!("{new}/"))
                        || !bench.exists(&old)
                        || new.len() <= 10
                    {
                        return bench.call(input);
                    }
                    let kept = tree(bench, &old);
                    bench.remove(&new);
                    for (path, text) in kept {
                        bench.put(&format!("{new}{}", &path[old.len()..]), &text);
                    }
                    renamed(input)
                })
            },
        ),
        broken(
            "rename-into-itself-loses-the-tree",
            "copies a directory below itself, then removes it",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let below = input.str("new_path").starts_with(&format!("{}/", input.str("old_path")));
                    match input.is("rename")
                        && below
                        && bench.is_directory(input.str("old_path"))
                        && input.str("old_path").len() > 10
                    {
                        true => {
                            bench.remove(input.str("old_path"));
                            renamed(input)
                        }
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "rename-onto-itself-deletes",
            "removes the destination first, which is the source",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let (old, new) = (input.str("old_path"), input.str("new_path"));
                    let plain =
                        |path: &str| path.replace("//", "/").replace("/./", "/").trim_end_matches('/').to_owned();
                    match input.is("rename") && plain(old) == plain(new) && bench.exists(old) && old.len() > 10 {
                        true => {
                            bench.remove(old);
                            renamed(input)
                        }
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "rename-case-loses-the-file",
            "finds the new name to be the old one, and deletes it",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let (old, new) = (input.str("old_path"), input.str("new_path"));
                    match input.is("rename") && old != new && old.eq_ignore_ascii_case(new) && bench.remove(old) {
                        true => renamed(input),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "rename-missing-removes-the-destination",
            "removes the destination before it looks for the source",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let both_wrong = input.is("rename") && !bench.exists(input.str("old_path"));
                    if both_wrong && bench.text(input.str("new_path")).is_some() {
                        bench.remove(input.str("new_path"));
                    }
                    bench.call(input)
                })
            },
        ),
        broken("rename-makes-no-parents", "does not make missing directories", Behaviour, Must, || {
            patched(|bench, input| {
                let parent =
                    input.str("new_path").trim_end_matches('/').rsplit_once('/').map_or("", |(parent, _)| parent);
                match input.is("rename")
                    && parent.starts_with("/memories/")
                    && !bench.exists(parent)
                    && bench.exists(input.str("old_path"))
                {
                    true => ToolResult::error("Error: No such file or directory"),
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "refused-rename-leaves-directories",
            "makes the directories before it looks for the source (Python and TypeScript SDK)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let new = input.str("new_path");
                    let parent = new.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
                    let answer = bench.call(input);
                    if input.is("rename")
                        && answer.is_error
                        && parent.starts_with("/memories/")
                        && !bench.exists(&parent)
                    {
                        let marker = format!("{parent}/x");
                        if bench.put(&marker, "") {
                            bench.remove(&marker);
                        }
                    }
                    answer
                })
            },
        ),
        broken(
            "rename-below-a-file-replaces-it",
            "makes a directory of a file that the new path leads through",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let parent = input.str("new_path").rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
                    match input.is("rename")
                        && bench.text(&parent).is_some()
                        && bench.exists(input.str("old_path"))
                        && parent != input.str("old_path")
                    {
                        true => {
                            bench.remove(&parent);
                            bench.shift(input.str("old_path"), input.str("new_path"));
                            renamed(input)
                        }
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "rename-to-a-longer-name-nests",
            "takes a new name that begins like the old one for a path below it",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let (old, new) = (input.str("old_path"), input.str("new_path"));
                    match input.is("rename") && new.starts_with(old) && new != old && old.len() > 10 {
                        true => ToolResult::error(format!(
                            "Error: Cannot rename {old} to {new}: a path cannot be moved below itself"
                        )),
                        false => bench.call(input),
                    }
                })
            },
        ),
    ]
}
