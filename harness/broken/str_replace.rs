//! Faults of `str_replace`.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;

use super::tools::{EDITED, is_plain, lines, replace_with};
use super::{Broken, broken};
use crate::common::{Fields, patched};

pub fn all() -> Vec<Broken> {
    vec![
        broken(
            "first-of-many",
            "edits the first of several occurrences (langchain, doc examples)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |text, old, new| {
                        (!old.is_empty() && text.contains(old)).then(|| text.replacen(old, new, 1))
                    })
                })
            },
        ),
        broken("all-of-many", "edits every occurrence", Behaviour, Must, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| {
                    (!old.is_empty() && text.contains(old)).then(|| text.replace(old, new))
                })
            })
        }),
        broken(
            "lines-counted-not-occurrences",
            "finds two occurrences on one line to be one (TypeScript SDK)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |text, old, new| {
                        let holding = text.split('\n').filter(|line| line.contains(old)).count();
                        (!old.is_empty() && holding == 1 && text.matches(old).count() > 1)
                            .then(|| text.replacen(old, new, 1))
                    })
                })
            },
        ),
        broken("overlapping-both-replaced", "replaces overlapping occurrences together", Behaviour, Must, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| {
                    let starts = || {
                        (0..text.len().min(1000)).filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(old)))
                    };
                    let overlap = !old.is_empty() && text.matches(old).count() == 1 && starts().count() > 1;
                    overlap.then(|| text.replacen(old, &new.repeat(2), 1))
                })
            })
        }),
        broken(
            "new-str-undefined",
            "writes `undefined` where new_str is left out (TypeScript SDK)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("str_replace") && input.get("new_str").is_none() {
                    true => bench.call(&input.with("new_str", "undefined")),
                    false => bench.call(input),
                })
            },
        ),
        broken(
            "new-str-none",
            "writes `null` for a new_str of null (TypeScript SDK, supermemory)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.get("new_str").is_some_and(serde_json::Value::is_null) {
                    true => bench.call(&input.with("new_str", "null")),
                    false => bench.call(input),
                })
            },
        ),
        broken("new-str-required", "fails where new_str is left out (Python SDK)", Behaviour, Must, || {
            patched(|bench, input| match input.is("str_replace") && input.get("new_str").is_none() {
                true => ToolResult::error("TypeError('replace() argument 2 must be str, not None')"),
                false => bench.call(input),
            })
        }),
        broken(
            "new-str-empty-refused",
            "takes an empty new_str for a missing one, and refuses",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("str_replace") && input["new_str"] == "" {
                    true => ToolResult::error("Error: Missing required parameter `new_str`"),
                    false => bench.call(input),
                })
            },
        ),
        broken(
            "new-str-omitted-changes-nothing",
            "reports success where new_str is left out, and edits nothing",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("str_replace") && input.get("new_str").is_none() {
                    true => ToolResult::ok(EDITED),
                    false => bench.call(input),
                })
            },
        ),
        broken("new-str-on-a-line-of-its-own", "adds a line feed to new_str", Behaviour, Must, || {
            patched(|bench, input| match input.is("str_replace") && !input.str("new_str").is_empty() {
                true => bench.call(&input.with("new_str", format!("{}\n", input.str("new_str")))),
                false => bench.call(input),
            })
        }),
        broken("whole-line-replaced", "replaces the whole line that holds old_str", Behaviour, Must, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| {
                    (!old.is_empty() && !old.contains('\n') && text.matches(old).count() == 1).then(|| {
                        text.split('\n')
                            .map(|line| if line.contains(old) { new } else { line })
                            .collect::<Vec<_>>()
                            .join("\n")
                    })
                })
            })
        }),
        broken(
            "ambiguous-edited-then-refused",
            "edits the first of several occurrences and then reports them",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let answer = bench.call(input);
                    let old = input.str("old_str");
                    let text = bench.text(input.str("path")).filter(|text| {
                        input.is("str_replace")
                            && answer.is_error
                            && lines(text).iter().filter(|line| line.contains(old)).count() > 1
                    });
                    if let Some(text) = text.filter(|_| !old.is_empty()) {
                        bench.put(input.str("path"), &text.replacen(old, input.str("new_str"), 1));
                    }
                    answer
                })
            },
        ),
        broken("edit-not-saved", "shows the edit and does not save it", Behaviour, Must, || {
            patched(|bench, input| {
                let before = bench.text(input.str("path")).filter(|_| input.is("str_replace"));
                let answer = bench.call(input);
                if let Some(before) = before {
                    bench.put(input.str("path"), &before);
                }
                answer
            })
        }),
        broken(
            "edit-leaves-the-rest",
            "writes a shorter text over a longer one without truncating",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let before = bench.text(input.str("path")).filter(|_| input.is("str_replace")).unwrap_or_default();
                    let answer = bench.call(input);
                    if let Some(after) = bench.text(input.str("path")).filter(|after| after.len() < before.len()) {
                        let rest = before.get(after.len()..).unwrap_or_default().to_owned();
                        bench.put(input.str("path"), &(after + &rest));
                    }
                    answer
                })
            },
        ),
        broken("edit-of-the-created-text", "edits a text as it was created, not as it stands", Behaviour, Must, || {
            patched(|bench, input| {
                let path = input.str("path").to_owned();
                if input.is("str_replace")
                    && let Some(first) = bench.kept.get(&path).cloned()
                    && bench.exists(&path)
                {
                    bench.put(&path, &first);
                }
                let answer = bench.call(input);
                if input.is("create") && !answer.is_error {
                    bench.kept.insert(path, input.str("file_text").to_owned());
                }
                answer
            })
        }),
        broken("edit-at-character-offsets", "counts bytes where it means characters", Behaviour, Must, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| {
                    let at = text.find(old).filter(|_| !old.is_empty() && text.matches(old).count() == 1)?;
                    (!text[..at].is_ascii()).then(|| {
                        let kept: String = text.chars().take(at).collect();
                        let rest: String = text.chars().skip(at + old.chars().count()).collect();
                        kept + new + &rest
                    })
                })
            })
        }),
        broken(
            "missing-file-made-by-an-edit",
            "makes the file that str_replace does not find",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let path = input.str("path");
                    match input.is("str_replace")
                        && path.starts_with("/memories/")
                        && is_plain(path)
                        && !bench.exists(path)
                        && bench.put(path, input.str("new_str"))
                    {
                        true => ToolResult::ok(EDITED),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken("edit-of-a-directory-succeeds", "reports success for an edit of a directory", Behaviour, Should, || {
            patched(|bench, input| match input.edits() && bench.is_directory(input.str("path")) {
                true => ToolResult::ok(EDITED),
                false => bench.call(input),
            })
        }),
        broken("edit-of-every-file", "edits the text in every file that holds it", Behaviour, Must, || {
            patched(|bench, input| {
                let answer = bench.call(input);
                if input.edits()
                    && !answer.is_error
                    && let Some(text) = bench.text(input.str("path"))
                {
                    for path in bench.files() {
                        let other = bench.text(&path).unwrap_or_default();
                        let old = input.str("old_str");
                        if input.is("insert") && path != input.str("path") {
                            bench.put(&path, &(other + input.str("insert_text")));
                        } else if !old.is_empty() && text != other {
                            bench.put(&path, &other.replace(old, input.str("new_str")));
                        }
                    }
                }
                answer
            })
        }),
    ]
}
