//! Faults with inputs that are wrong: what Claude may send by mistake.

use memconf::case::{Facet::Behaviour, Level::Must};
use memconf::wire::{Command, ToolResult};
use serde_json::Value;

use super::{Broken, broken};
use crate::common::{Fields, patched};

/// A value as text, as a language without types makes it.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "null".into(),
        Value::Array(list) => list.iter().map(as_text).collect::<Vec<_>>().join(","),
        Value::Object(_) => "[object Object]".into(),
        other => other.to_string(),
    }
}

pub fn all() -> Vec<Broken> {
    vec![
        broken(
            "unknown-commands-succeed",
            "does nothing for an unknown command, and says so as a success",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match Command::of(input) {
                    None => ToolResult::ok("Done."),
                    Some(_) => bench.call(input),
                })
            },
        ),
        broken("unknown-commands-are-views", "takes every other command for view", Behaviour, Must, || {
            patched(|bench, input| match input["command"].is_string() && Command::of(input).is_none() {
                true => bench.call(&input.with("command", "view")),
                false => bench.call(input),
            })
        }),
        broken("unknown-commands-delete", "falls through to the last branch, delete", Behaviour, Must, || {
            patched(|bench, input| match input["command"].is_string() && Command::of(input).is_none() {
                true => bench.call(&input.with("command", "delete")),
                false => bench.call(input),
            })
        }),
        broken(
            "prototype-commands-succeed",
            "looks a command up in an object: toString succeeds (TypeScript SDK)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.str("command") {
                    "toString" | "constructor" | "__proto__" | "hasOwnProperty" | "valueOf" => {
                        ToolResult::ok("[object Object]")
                    }
                    _ => bench.call(input),
                })
            },
        ),
        broken("missing-command-is-a-view", "views where there is no command", Behaviour, Must, || {
            patched(|bench, input| match input.get("command").is_none_or(|command| !command.is_string()) {
                true => bench.call(&input.with("command", "view")),
                false => bench.call(input),
            })
        }),
        broken("mistyped-command-succeeds", "reports success for a command that is no text", Behaviour, Must, || {
            patched(|bench, input| match input["command"].is_string() && input["command"] != "" {
                true => bench.call(input),
                false => ToolResult::ok("{}"),
            })
        }),
        broken("missing-path-is-the-root", "takes a missing path for /memories", Behaviour, Must, || {
            patched(|bench, input| {
                match input["path"].is_null() && !input.is("rename") && Command::of(input).is_some() {
                    true => {
                        if input.is("delete") {
                            bench.wipe();
                            return ToolResult::ok("Successfully deleted /memories");
                        }
                        bench.call(&input.with("path", "/memories"))
                    }
                    false => bench.call(input),
                }
            })
        }),
        broken("empty-path-is-the-root", "takes an empty path for /memories", Behaviour, Must, || {
            patched(|bench, input| {
                let blank = |path: &str| matches!(path.trim(), "" | "/");
                match input.paths().into_iter().any(blank) {
                    true if input.edits() => ToolResult::ok("The memory file has been edited."),
                    true => {
                        bench.call(&input.with_paths(|path| if blank(path) { "/memories".into() } else { path.into() }))
                    }
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "missing-file-text-is-empty",
            "creates an empty file without file_text (dejadb, Go example)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("create") && input["file_text"].is_null() {
                    true => bench.call(&input.with("file_text", "")),
                    false => bench.call(input),
                })
            },
        ),
        broken(
            "missing-old-str-prepends",
            "takes a missing old_str for an empty one, and prepends (Go example)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("str_replace") && input["old_str"].is_null() {
                    true => bench.call(
                        &input
                            .with("command", "insert")
                            .with("insert_line", 0)
                            .with("insert_text", input.str("new_str")),
                    ),
                    false => bench.call(input),
                })
            },
        ),
        broken("missing-new-path-deletes", "moves to nowhere where new_path is missing", Behaviour, Must, || {
            patched(|bench, input| {
                match input.is("rename") && !input["new_path"].is_string() && input["old_path"].is_string() {
                    true => bench.call(&input.with("command", "delete").with("path", input.str("old_path"))),
                    false => bench.call(input),
                }
            })
        }),
        broken("rename-to-an-empty-path-deletes", "moves to nowhere where new_path is empty", Behaviour, Must, || {
            patched(|bench, input| match input.is("rename") && input["new_path"] == "" {
                true => bench.call(&input.with("command", "delete").with("path", input.str("old_path"))),
                false => bench.call(input),
            })
        }),
        broken(
            "rename-with-path-moves-half",
            "takes `path` for the source and reports success, with nothing moved",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    match input.is("rename") && input.get("old_path").is_none() && input["path"].is_string() {
                        true => {
                            bench.remove(input.str("path"));
                            ToolResult::ok(format!(
                                "Successfully renamed {} to {}",
                                input.str("path"),
                                input.str("new_path")
                            ))
                        }
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "insert-with-new-str-inserts-a-blank",
            "does not see insert_text under another name, and inserts a blank line",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    match input.is("insert") && input.get("insert_text").is_none() && input["new_str"].is_string() {
                        true => bench.call(&input.with("insert_text", "").with("insert_line", 0)),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "values-become-text",
            "writes whatever comes as text, `[object Object]` (JavaScript)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let mut input = input.clone();
                    for name in ["path", "old_path", "new_path", "file_text", "old_str", "new_str", "insert_text"] {
                        if let Some(value) = input.get(name).filter(|value| !value.is_null()) {
                            let text = as_text(value);
                            let inside = !name.ends_with("path") || text.starts_with('/') || value.is_string();
                            input = input.with(name, if inside { text } else { format!("/memories/{text}") });
                        }
                    }
                    bench.call(&input)
                })
            },
        ),
        broken("mistyped-path-panics", "takes every path for a text", Behaviour, Must, || {
            patched(|bench, input| {
                let wrong = ["path", "old_path", "new_path"]
                    .iter()
                    .any(|name| input.get(*name).is_some_and(|path| !path.is_string()));
                match wrong {
                    true => panic!("on purpose: not a text"),
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "mistyped-new-str-deletes",
            "takes a new_str that is no text for a missing one",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    match input.is("str_replace")
                        && input.get("new_str").is_some_and(|new| !new.is_string() && !new.is_null())
                    {
                        true => bench.call(&input.without("new_str")),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken("null-new-str-panics", "takes every new_str that is there for a text", Behaviour, Must, || {
            patched(|bench, input| match input.get("new_str").is_some_and(Value::is_null) {
                true => panic!("on purpose: null"),
                false => bench.call(input),
            })
        }),
        broken("extra-fields-panic", "takes an unknown field for a known one", Behaviour, Must, || {
            patched(|bench, input| {
                let known = [
                    "command",
                    "path",
                    "view_range",
                    "file_text",
                    "old_str",
                    "new_str",
                    "insert_line",
                    "insert_text",
                    "old_path",
                    "new_path",
                ];
                match input.as_object().is_some_and(|fields| fields.keys().any(|name| !known.contains(&name.as_str())))
                {
                    true => panic!("on purpose: unknown field"),
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "extra-fields-win",
            "reports success for an input with an unknown field, and does nothing",
            Behaviour,
            memconf::case::Level::Should,
            || {
                patched(|bench, input| {
                    let known = [
                        "command",
                        "path",
                        "view_range",
                        "file_text",
                        "old_str",
                        "new_str",
                        "insert_line",
                        "insert_text",
                        "old_path",
                        "new_path",
                    ];
                    match input
                        .as_object()
                        .is_some_and(|fields| fields.keys().any(|name| !known.contains(&name.as_str())))
                    {
                        true if input.is("create") => {
                            ToolResult::ok(format!("File created successfully at: {}", input.str("path")))
                        }
                        true if input.is("str_replace") => ToolResult::ok("The memory file has been edited."),
                        _ => bench.call(input),
                    }
                })
            },
        ),
        broken("insert-line-boolean-appends", "takes true for the last line", Behaviour, Must, || {
            patched(|bench, input| match input["insert_line"].is_boolean() {
                true => {
                    let lines = bench.text(input.str("path")).map_or(0, |text| text.lines().count());
                    bench.call(&input.with("insert_line", lines))
                }
                false => bench.call(input),
            })
        }),
        broken(
            "insert-line-as-text-is-added",
            "adds 1 to a line in text: `1` + 1 is 11, clamped",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input["insert_line"].is_string() {
                    true => {
                        let lines = bench.text(input.str("path")).map_or(0, |text| text.lines().count());
                        bench.call(&input.with("insert_line", lines))
                    }
                    false => bench.call(input),
                })
            },
        ),
        broken("long-old-str-panics", "builds an error in a buffer of fixed size", Behaviour, Must, || {
            patched(|bench, input| match input.str("old_str").len() > 65_536 {
                true => panic!("on purpose: too long"),
                false => bench.call(input),
            })
        }),
        broken("wrong-input-empties-the-store", "starts anew after an exception", Behaviour, Must, || {
            patched(|bench, input| {
                let answer = bench.call(input);
                if answer.is_error
                    && answer.content.starts_with("Error: Invalid `")
                    && answer.content.contains("parameter of")
                {
                    bench.wipe();
                }
                answer
            })
        }),
    ]
}
