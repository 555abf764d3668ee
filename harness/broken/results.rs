//! How an answer is given: flags, empty texts, panics, somebody else's answer.

use memconf::case::{
    Facet::{Behaviour, Safety, Wording},
    Level::{Must, Should},
};
use memconf::wire::{Command, ToolResult};

use super::{Broken, broken};
use crate::common::{Fields, TextOf, patched};

pub fn all() -> Vec<Broken> {
    vec![
        broken("errors-not-flagged", "never sets is_error (attune-ai, doc examples)", Behaviour, Should, || {
            patched(|bench, input| ToolResult { is_error: false, ..bench.call(input) })
        }),
        broken(
            "errors-without-text",
            "turns an exception without message into an empty error",
            Behaviour,
            Must,
            || patched(|bench, input| bench.call(input).map_error(|_| String::new())),
        ),
        broken("delete-success-flagged", "flags the success of delete as an error", Behaviour, Must, || {
            patched(|bench, input| ToolResult { is_error: input.is("delete"), ..bench.call(input) })
        }),
        broken(
            "empty-text-is-an-error",
            "takes an empty file for no value: `Unknown error` (cookbook)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| match input.is("view") && bench.text(input.str("path")).as_deref() == Some("") {
                    true => ToolResult::error("Unknown error"),
                    false => bench.call(input),
                })
            },
        ),
        broken(
            "answers-one-behind",
            "gives the answer to the command before (an unread queue)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let answer = bench.call(input);
                    let before = bench.kept.insert("last".into(), answer.content.clone());
                    ToolResult { content: before.unwrap_or_else(|| answer.content.clone()), ..answer }
                })
            },
        ),
        broken("stops-after-twenty-commands", "refuses what comes after twenty commands", Behaviour, Must, || {
            patched(|bench, input| match bench.count > 20 {
                true => ToolResult::error("Error: rate limit exceeded"),
                false => bench.call(input),
            })
        }),
        broken("json-in-json", "sends its answers as JSON strings (json.dumps of a string)", Behaviour, Must, || {
            patched(|bench, input| bench.call(input).map(|text| serde_json::Value::from(text).to_string()))
        }),
        broken(
            "no-answer-without-text",
            "sends nothing after a success (a function that returns nothing)",
            Wording,
            Should,
            || {
                patched(|bench, input| {
                    let view = input.is("view");
                    bench.call(input).map_ok(|text| if view { text.to_owned() } else { String::new() })
                })
            },
        ),
        broken("view-answers-nothing", "sends no text for a view", Behaviour, Must, || {
            patched(|bench, input| {
                let view = input.is("view");
                bench.call(input).map_ok(|text| if view { String::new() } else { text.to_owned() })
            })
        }),
        broken("panics-on-unknown-commands", "has no arm for other commands", Behaviour, Must, || {
            patched(|bench, input| match Command::of(input) {
                None => panic!("on purpose: no such command"),
                Some(_) => bench.call(input),
            })
        }),
        broken("panics-on-a-missing-file", "unwraps what may be missing", Behaviour, Must, || {
            patched(|bench, input| match input.edits() && !bench.exists(input.str("path")) {
                true => panic!("on purpose: unwrapped nothing"),
                false => bench.call(input),
            })
        }),
        broken("panics-on-a-directory", "reads a directory as a file when it is edited", Behaviour, Must, || {
            patched(|bench, input| match input.edits() && bench.is_directory(input.str("path")) {
                true => panic!("on purpose: it is a directory"),
                false => bench.call(input),
            })
        }),
        broken("panics-below-a-file", "takes every parent for a directory", Behaviour, Must, || {
            patched(|bench, input| {
                let below = |path: &&str| path.rsplit_once('/').is_some_and(|(up, _)| bench.text(up).is_some());
                match input.paths().iter().any(below) {
                    true => panic!("on purpose: not a directory"),
                    false => bench.call(input),
                }
            })
        }),
        broken("panics-on-dotdot-above", "pops from an empty list where `..` leaves the root", Behaviour, Must, || {
            patched(|bench, input| {
                let above = |path: &&str| {
                    let names =
                        path.strip_prefix("/memories/").unwrap_or_default().split('/').filter(|name| !name.is_empty());
                    let depths = names.scan(0_i32, |depth, name| {
                        *depth += if name == ".." { -1 } else { i32::from(name != ".") };
                        Some(*depth)
                    });
                    depths.into_iter().any(|depth| depth < 0)
                };
                match input.paths().iter().any(above) {
                    true => panic!("on purpose: pop from an empty list"),
                    false => bench.call(input),
                }
            })
        }),
        broken("panics-on-long-names", "slices a path at a fixed byte", Behaviour, Must, || {
            patched(|bench, input| match input.paths().iter().any(|path| path.len() > 255) {
                true => panic!("on purpose: too long"),
                false => bench.call(input),
            })
        }),
        broken("panics-on-non-ascii-names", "slices a path inside a character", Behaviour, Must, || {
            patched(|bench, input| match input.paths().iter().any(|path| !path.is_ascii()) {
                true => panic!("on purpose: not a boundary"),
                false => bench.call(input),
            })
        }),
        broken(
            "host-path-in-errors",
            "adds the file's place on the host to every error (TypeScript SDK)",
            Safety,
            Should,
            || {
                patched(|bench, input| {
                    let place = bench.place(input.paths().first().unwrap_or(&"/memories"));
                    bench.call(input).map_error(|text| format!("{text} ({})", place.display()))
                })
            },
        ),
        broken("host-path-below-a-file", "ENOTDIR with the place on the host (TypeScript SDK)", Safety, Should, || {
            patched(|bench, input| {
                let below = input.paths().into_iter().any(|path| bench.is_below_a_file(path));
                let place = bench.place(input.paths().last().unwrap_or(&"/memories"));
                bench.call(input).map_error(|text| match below {
                    true => format!("Error: ENOTDIR: not a directory, realpath '{}'", place.display()),
                    false => text.to_owned(),
                })
            })
        }),
        broken(
            "host-path-of-a-long-name",
            "ENAMETOOLONG with the place on the host (TypeScript SDK)",
            Safety,
            Should,
            || {
                patched(|bench, input| match input.paths().into_iter().find(|path| path.len() > 255) {
                    Some(path) => ToolResult::error(format!(
                        "Error: ENAMETOOLONG: name too long, lstat '{}'",
                        bench.place(path).display()
                    )),
                    None => bench.call(input),
                })
            },
        ),
        broken(
            "host-path-of-a-move-into-itself",
            "EINVAL with both places on the host (TypeScript SDK)",
            Safety,
            Should,
            || {
                patched(|bench, input| {
                    let (old, new) = (bench.place(input.str("old_path")), bench.place(input.str("new_path")));
                    bench.call(input).map_error(|text| match text.contains("below itself") {
                        true => format!(
                            "Error: EINVAL: invalid argument, rename '{}' -> '{}'",
                            old.display(),
                            new.display()
                        ),
                        false => text.to_owned(),
                    })
                })
            },
        ),
        broken("host-path-in-success", "names the file's place on the host (omnicoreagent)", Safety, Should, || {
            patched(|bench, input| {
                let place = bench.place(input.str("path"));
                let create = input.is("create");
                bench.call(input).map_ok(|text| match create {
                    true => format!("{text} ({})", place.display()),
                    false => text.to_owned(),
                })
            })
        }),
        broken("insert-not-wired", "has no insert (an older editor tool)", Behaviour, Must, || {
            patched(|bench, input| match input.is("insert") {
                true => ToolResult::error("Error: Unknown command: insert"),
                false => bench.call(input),
            })
        }),
        broken("rename-not-wired", "has no rename: `path: Field required` (langchain)", Behaviour, Must, || {
            patched(|bench, input| match input.is("rename") {
                true => ToolResult::error("path: Field required"),
                false => bench.call(input),
            })
        }),
        broken("delete-not-wired", "has no delete", Behaviour, Must, || {
            patched(|bench, input| match input.is("delete") {
                true => ToolResult::error("Error: Unknown command: delete"),
                false => bench.call(input),
            })
        }),
    ]
}
