//! Faults that cost the whole store: the root deleted or renamed under one of its names.

use memconf::case::{Facet::Safety, Level::Must};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::{Broken, broken};
use crate::common::{Bench, Fields, patched};

/// A `delete` of the root, or a `rename` of it, that goes through where `unguarded` holds for the path as sent.
fn lost(bench: &mut Bench, input: &Value, command: &str, unguarded: fn(&Bench, &str) -> bool) -> ToolResult {
    let path = if command == "delete" { input.str("path") } else { input.str("old_path") };
    if !input.is(command) || !unguarded(bench, path) {
        return bench.call(input);
    }
    bench.wipe();
    ToolResult::ok(match command {
        "delete" => format!("Successfully deleted {path}"),
        _ => format!("Successfully renamed {path} to {}", input.str("new_path")),
    })
}

fn exact(_: &Bench, path: &str) -> bool {
    path == "/memories"
}

fn with_slash(_: &Bench, path: &str) -> bool {
    path == "/memories/"
}

fn with_slashes(_: &Bench, path: &str) -> bool {
    path.len() > 10 && path.starts_with("/memories") && path.trim_end_matches('/') == "/memories"
}

fn with_dot(_: &Bench, path: &str) -> bool {
    path == "/memories/."
}

fn with_dots(_: &Bench, path: &str) -> bool {
    let rest = path.strip_prefix("/memories/").unwrap_or("x");
    rest.contains('.') && rest.split('/').all(|name| name.is_empty() || name == ".")
}

fn through_directory(bench: &Bench, path: &str) -> bool {
    through(path).is_some_and(|name| bench.is_directory(name))
}

fn through_missing(bench: &Bench, path: &str) -> bool {
    through(path).is_some_and(|name| !bench.exists(name))
}

fn through_file(bench: &Bench, path: &str) -> bool {
    through(path).is_some_and(|name| bench.text(name).is_some())
}

/// `/memories/x` of `/memories/x/..`.
fn through(path: &str) -> Option<&str> {
    let name = path.trim_end_matches('/').strip_suffix("/..")?;
    (name.matches('/').count() == 2).then_some(name)
}

fn leading_slashes(_: &Bench, path: &str) -> bool {
    path.starts_with("//") && path.trim_matches('/') == "memories"
}

fn encoded(bench: &Bench, path: &str) -> bool {
    let decoded = path.replace("%2e", ".").replace("%2E", ".");
    decoded != path && through(&decoded).is_some_and(|name| bench.exists(name))
}

pub fn all() -> Vec<Broken> {
    vec![
        broken("deletes-the-root", "has no guard for /memories (langchain, Java example)", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "delete", exact))
        }),
        broken(
            "deletes-the-root-with-slash",
            "guards the exact text `/memories` alone (memory-lake-sdk)",
            Safety,
            Must,
            || patched(|bench, input| lost(bench, input, "delete", with_slash)),
        ),
        broken("deletes-the-root-with-slashes", "takes one slash off before it compares", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "delete", with_slashes))
        }),
        broken("deletes-the-root-with-dot", "takes slashes off before it compares, and no dot", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "delete", with_dot))
        }),
        broken("deletes-the-root-with-dot-and-slash", "compares before it drops `/./`", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "delete", with_dots))
        }),
        broken(
            "deletes-the-root-through-a-directory",
            "compares before it resolves `..` (SDKs up to summer 2026)",
            Safety,
            Must,
            || patched(|bench, input| lost(bench, input, "delete", through_directory)),
        ),
        broken(
            "deletes-the-root-through-a-missing-name",
            "resolves `..` by text, after the guard",
            Safety,
            Must,
            || patched(|bench, input| lost(bench, input, "delete", through_missing)),
        ),
        broken("deletes-the-root-through-a-file", "resolves `..` behind a file, after the guard", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "delete", through_file))
        }),
        broken("deletes-the-root-after-leading-slashes", "drops leading slashes after the guard", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "delete", leading_slashes))
        }),
        broken("deletes-the-root-through-encoded-dots", "decodes `%2e%2e` after the guard", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "delete", encoded))
        }),
        broken(
            "deletes-the-root-for-an-error",
            "empties the store, then fails on the root itself (omnicoreagent)",
            Safety,
            Must,
            || {
                patched(|bench, input| match input.is("delete") && input.str("path") == "/memories" {
                    true => {
                        bench.wipe();
                        ToolResult::error("Error: Directory not empty")
                    }
                    false => bench.call(input),
                })
            },
        ),
        broken("renames-the-root", "has no guard for /memories (inspect-ai)", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "rename", exact))
        }),
        broken("renames-the-root-with-slash", "guards the exact text `/memories` alone", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "rename", with_slash))
        }),
        broken("renames-the-root-with-slashes", "takes one slash off before it compares", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "rename", with_slashes))
        }),
        broken("renames-the-root-with-dot", "takes slashes off before it compares, and no dot", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "rename", with_dot))
        }),
        broken("renames-the-root-through-a-directory", "compares before it resolves `..`", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "rename", through_directory))
        }),
        broken(
            "renames-the-root-through-a-missing-name",
            "resolves `..` by text, after the guard",
            Safety,
            Must,
            || patched(|bench, input| lost(bench, input, "rename", through_missing)),
        ),
        broken("renames-the-root-after-leading-slashes", "drops leading slashes after the guard", Safety, Must, || {
            patched(|bench, input| lost(bench, input, "rename", leading_slashes))
        }),
        broken(
            "rename-onto-the-root",
            "puts a file in the place of /memories",
            memconf::case::Facet::Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let onto = matches!(input.str("new_path"), "/memories" | "/memories/");
                    match input.is("rename") && onto && input.str("old_path").len() > 10 {
                        true => {
                            bench.wipe();
                            ToolResult::ok(format!("Successfully renamed {} to /memories", input.str("old_path")))
                        }
                        false => bench.call(input),
                    }
                })
            },
        ),
    ]
}
