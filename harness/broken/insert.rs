//! Faults of `insert`.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::tools::{insert_with, is_plain, lines};
use super::{Broken, broken};
use crate::common::{Bench, Fields, patched};

/// The text with lines put in after `line`, each line ended in LF; right but for what the caller does to `new`.
fn put_in(text: &str, line: usize, new: &str) -> String {
    let mut pieces: Vec<&str> = text.split_inclusive('\n').collect();
    let at = line.min(pieces.len());
    pieces.insert(at, new);
    pieces.concat()
}

fn ended(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// The same command for another line.
fn elsewhere(bench: &mut Bench, input: &Value, line: fn(i64, i64) -> i64) -> ToolResult {
    let text = bench.text(input.str("path")).filter(|_| input.is("insert"));
    match (text, input["insert_line"].as_i64()) {
        (Some(text), Some(number)) => {
            let count = lines(&text).len() as i64;
            bench.call(&input.with("insert_line", line(number, count)))
        }
        _ => bench.call(input),
    }
}

pub fn all() -> Vec<Broken> {
    vec![
        broken(
            "insert-before-the-line",
            "inserts before line insert_line (supermemory, world-model-mcp)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    elsewhere(bench, input, |line, count| if (1..=count).contains(&line) { line - 1 } else { line })
                })
            },
        ),
        broken("insert-one-line-late", "inserts a line too far down, where there is one", Behaviour, Must, || {
            patched(|bench, input| {
                elsewhere(bench, input, |line, count| if (0..count).contains(&line) { line + 1 } else { line })
            })
        }),
        broken("insert-at-the-beginning-refused", "refuses line 0 (supermemory)", Behaviour, Must, || {
            patched(|bench, input| elsewhere(bench, input, |line, _| if line == 0 { -1 } else { line }))
        }),
        broken("insert-at-the-beginning-appends", "takes line 0 for no line, and appends", Behaviour, Must, || {
            patched(|bench, input| elsewhere(bench, input, |line, count| if line == 0 { count } else { line }))
        }),
        broken("insert-line-by-its-first-digit", "reads one digit of a line number", Behaviour, Must, || {
            patched(|bench, input| {
                elsewhere(bench, input, |line, _| if (10..100).contains(&line) { line / 10 } else { line })
            })
        }),
        broken("insert-past-end-appends", "appends for any line past the end (dejadb)", Behaviour, Should, || {
            patched(|bench, input| elsewhere(bench, input, |line, count| line.min(count)))
        }),
        broken(
            "insert-negative-counts-from-the-end",
            "takes a negative line for an index from the end",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    elsewhere(bench, input, |line, count| if line < 0 { (count + line).max(0) } else { line })
                })
            },
        ),
        broken(
            "insert-past-end-drops-the-text",
            "reports success for a line past the end, and inserts nothing",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let count = bench.text(input.str("path")).map(|text| lines(&text).len() as u64);
                    match (count, input["insert_line"].as_u64()) {
                        (Some(count), Some(line)) if input.is("insert") && line > count => {
                            ToolResult::ok(format!("The file {} has been edited.", input.str("path")))
                        }
                        _ => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "insert-past-end-replaces-the-last-line",
            "takes one past the end for the last line, and overwrites it",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    let path = input.str("path").to_owned();
                    let text = bench.text(&path).filter(|_| input.is("insert")).unwrap_or_default();
                    let count = lines(&text).len();
                    match input["insert_line"].as_u64() == Some(count as u64 + 1) && count > 0 {
                        true => {
                            let kept: String = text.split_inclusive('\n').take(count - 1).collect();
                            bench.put(&path, &(kept + input.str("insert_text")));
                            ToolResult::ok(format!("The file {path} has been edited."))
                        }
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken("insert-huge-line-panics", "multiplies a line number without a check", Behaviour, Must, || {
            patched(|bench, input| match input["insert_line"].as_u64().is_some_and(|line| line > 1 << 30) {
                true => panic!("on purpose: overflow"),
                false => bench.call(input),
            })
        }),
        broken("insert-line-wraps", "keeps a line number in 32 bits", Behaviour, Must, || {
            patched(|bench, input| {
                match input["insert_line"].is_number()
                    && input["insert_line"].as_i64().is_none_or(|line| line > i64::from(u32::MAX))
                {
                    true => bench.call(&input.with("insert_line", 0)),
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "insert-adds-a-blank-line",
            "adds an LF to a text that ends in one (Java, C# examples, inspect-ai)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    insert_with(bench, input, |text, line, new| put_in(&ended(text), line, &format!("{new}\n")))
                })
            },
        ),
        broken(
            "insert-joins-the-next-line",
            "inserts the text as it is, without a line's end",
            Behaviour,
            Must,
            || patched(|bench, input| insert_with(bench, input, put_in)),
        ),
        broken(
            "insert-glued-to-an-unended-line",
            "appends to a last line without LF (langchain)",
            Behaviour,
            Must,
            || patched(|bench, input| insert_with(bench, input, |text, line, new| put_in(text, line, &ended(new)))),
        ),
        broken(
            "insert-strips-final-newlines",
            "strips all final LF of the text (Python SDK, cookbook)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("insert") && input["insert_text"].is_string() {
                    true => bench.call(
                        &input.with("insert_text", format!("{}\n", input.str("insert_text").trim_end_matches('\n'))),
                    ),
                    false => bench.call(input),
                })
            },
        ),
        broken("insert-trims", "trims insert_text", Behaviour, Must, || {
            patched(|bench, input| match input.is("insert") && input["insert_text"].is_string() {
                true => bench.call(&input.with("insert_text", input.str("insert_text").trim())),
                false => bench.call(input),
            })
        }),
        broken("insert-takes-the-first-line", "inserts one line of a text of several", Behaviour, Must, || {
            patched(|bench, input| match input.is("insert") && input["insert_text"].is_string() {
                true => bench
                    .call(&input.with("insert_text", input.str("insert_text").split('\n').next().unwrap_or_default())),
                false => bench.call(input),
            })
        }),
        broken(
            "insert-lines-in-reverse",
            "puts in several lines one by one at the same place",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let reversed: Vec<&str> =
                        input.str("insert_text").trim_end_matches('\n').split('\n').rev().collect();
                    match input.is("insert") && reversed.len() > 1 {
                        true => bench.call(&input.with("insert_text", reversed.join("\n"))),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken("insert-text-in-crlf", "writes the inserted text with CR LF", Behaviour, Must, || {
            patched(|bench, input| match input.is("insert") && input["insert_text"].is_string() {
                true => bench.call(&input.with("insert_text", ended(input.str("insert_text")).replace('\n', "\r\n"))),
                false => bench.call(input),
            })
        }),
        broken(
            "insert-text-without-cr",
            "takes the CR off the end of the inserted text (Ruby example)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("insert") && input["insert_text"].is_string() {
                    true => bench.call(&input.with("insert_text", input.str("insert_text").replace("\r\n", "\n"))),
                    false => bench.call(input),
                })
            },
        ),
        broken("insert-replaces-the-line", "overwrites the line after which it should insert", Behaviour, Must, || {
            patched(|bench, input| {
                insert_with(bench, input, |text, line, new| {
                    let mut pieces: Vec<&str> = text.split_inclusive('\n').collect();
                    let new = ended(new);
                    match line.checked_sub(1).filter(|at| *at < pieces.len()) {
                        Some(at) => pieces[at] = &new,
                        None => pieces.insert(0, &new),
                    }
                    pieces.concat()
                })
            })
        }),
        broken("insert-into-blank-text", "takes a text of blanks alone for an empty one", Behaviour, Must, || {
            patched(|bench, input| {
                insert_with(bench, input, |text, line, new| match text.trim().is_empty() {
                    true => ended(new),
                    false if line == lines(text).len() && !text.ends_with('\n') => format!("{text}\n{new}"),
                    false => put_in(text, line, &ended(new)),
                })
            })
        }),
        broken(
            "insert-into-empty-file-adds-a-blank",
            "finds one empty line in an empty file, and keeps it",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let empty = input.is("insert") && bench.text(input.str("path")).as_deref() == Some("");
                    let answer = bench.call(input);
                    if empty && !answer.is_error {
                        let text = bench.text(input.str("path")).unwrap_or_default();
                        bench.put(input.str("path"), &format!("\n{text}"));
                    }
                    answer
                })
            },
        ),
        broken("insert-of-nothing-deletes", "takes an empty text for a line to delete", Behaviour, Must, || {
            patched(|bench, input| {
                insert_with(bench, input, |text, line, new| match new.is_empty() {
                    true => (0..)
                        .zip(text.split_inclusive('\n'))
                        .filter(|(at, _)| *at != line)
                        .map(|(_, line)| line)
                        .collect(),
                    false if line == lines(text).len() && !text.ends_with('\n') && !text.is_empty() => {
                        format!("{text}\n{new}")
                    }
                    false => put_in(text, line, &ended(new)),
                })
            })
        }),
        broken(
            "insert-reads-new-str",
            "reads new_str where insert_text belongs: every insert fails (langchain)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("insert") && input.get("new_str").is_none() {
                    true => ToolResult::error("KeyError('new_str')"),
                    false => bench.call(input),
                })
            },
        ),
        broken(
            "insert-without-text-inserts-a-blank",
            "inserts an empty line where insert_text is missing (cookbook)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("insert") && !input["insert_text"].is_string() {
                    true => bench.call(&input.with("insert_text", "")),
                    false => bench.call(input),
                })
            },
        ),
        broken(
            "insert-without-line-goes-to-the-top",
            "takes a missing or null insert_line for 0 (TypeScript SDK, Go example)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("insert") && input["insert_line"].is_null() {
                    true => bench.call(&input.with("insert_line", 0)),
                    false => bench.call(input),
                })
            },
        ),
        broken("insert-line-rounded", "takes 1.5 for 1 (TypeScript SDK)", Behaviour, Must, || {
            patched(|bench, input| match input["insert_line"].is_f64() {
                true => {
                    bench.call(&input.with("insert_line", input["insert_line"].as_f64().unwrap_or_default() as i64))
                }
                false => bench.call(input),
            })
        }),
        broken(
            "insert-line-in-words-is-zero",
            "takes any insert_line that is no number for 0",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    match input.is("insert") && !input["insert_line"].is_number() && !input["insert_line"].is_null() {
                        true => bench.call(&input.with("insert_line", 0)),
                        false => bench.call(input),
                    }
                })
            },
        ),
        broken("insert-makes-a-missing-file", "makes the file that it does not find", Behaviour, Should, || {
            patched(|bench, input| {
                let path = input.str("path");
                match input.is("insert")
                    && path.starts_with("/memories/")
                    && is_plain(path)
                    && !bench.exists(path)
                    && bench.put(path, input.str("insert_text"))
                {
                    true => ToolResult::ok(format!("The file {path} has been edited.")),
                    false => bench.call(input),
                }
            })
        }),
        broken("insert-forgets-earlier-inserts", "inserts into the text as it was created", Behaviour, Must, || {
            patched(|bench, input| {
                let path = input.str("path").to_owned();
                if input.is("insert")
                    && bench.exists(&path)
                    && let Some(first) = bench.kept.get(&path).cloned()
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
    ]
}
