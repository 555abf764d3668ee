//! Faults of viewing a file.

use memconf::case::{
    Facet::{Behaviour, Wording},
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::bench::{Bench, patched};
use super::fields::{Fields, TextOf};
use super::tools::{bare, lines, shown, split_lines, viewed};
use super::{Broken, broken};

/// A view whose text goes through `mangle` first.
fn mangled(bench: &mut Bench, input: &Value, mangle: fn(&str) -> String) -> ToolResult {
    match viewed(bench, input) {
        Some((text, range)) => {
            let text = mangle(&text);
            shown(input.str("path"), ranged(&text, range))
        }
        None => bench.call(input),
    }
}

/// The numbered lines of a range, clamped; -1 is the end.
pub fn ranged(text: &str, range: Option<(i64, i64)>) -> Vec<(usize, &str)> {
    let (first, last) = range.unwrap_or((1, -1));
    let last = if last < 0 { i64::MAX } else { last };
    let inside = |(number, _): &(usize, &str)| (first..=last).contains(&(*number as i64));
    (1..).zip(lines(text)).filter(inside).collect()
}

pub fn all() -> Vec<Broken> {
    vec![
        broken("lines-counted-from-zero", "numbers the first line 0", Behaviour, Should, || {
            patched(|bench, input| match viewed(bench, input) {
                Some((text, None)) => shown(input.str("path"), (0..).zip(lines(&text))),
                _ => bench.call(input),
            })
        }),
        broken(
            "last-line-lost-with-final-newline",
            "drops what follows the last LF, and the line before it",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    mangled(bench, input, |text| match text.strip_suffix('\n') {
                        Some(rest) => rest.rsplit_once('\n').map_or(String::new(), |(before, _)| before.to_owned()),
                        None => text.to_owned(),
                    })
                })
            },
        ),
        broken("unended-line-lost", "shows only lines that end in LF", Behaviour, Must, || {
            patched(|bench, input| {
                mangled(bench, input, |text| text.rfind('\n').map_or(String::new(), |at| text[..=at].to_owned()))
            })
        }),
        broken("trailing-blank-lines-trimmed", "trims the end of a view (Java, C# examples)", Behaviour, Must, || {
            patched(|bench, input| mangled(bench, input, |text| text.trim_end_matches('\n').to_owned()))
        }),
        broken("blank-lines-skipped", "shows no blank lines", Behaviour, Must, || {
            patched(|bench, input| {
                mangled(bench, input, |text| {
                    let full = lines(text).into_iter().filter(|line| !line.is_empty());
                    full.map(|line| format!("{line}\n")).collect()
                })
            })
        }),
        broken("lines-trimmed-in-view", "trims each line", Behaviour, Must, || {
            patched(|bench, input| {
                mangled(bench, input, |text| lines(text).into_iter().map(|line| format!("{}\n", line.trim())).collect())
            })
        }),
        broken("line-ends-trimmed-in-view", "trims the end of each line", Behaviour, Must, || {
            patched(|bench, input| {
                mangled(bench, input, |text| {
                    lines(text).into_iter().map(|line| format!("{}\n", line.trim_end())).collect()
                })
            })
        }),
        broken("view-in-text-mode", "shows CRLF and lone CR as LF (Python's text mode)", Behaviour, Must, || {
            patched(|bench, input| mangled(bench, input, |text| text.replace("\r\n", "\n").replace('\r', "\n")))
        }),
        broken(
            "view-splits-everywhere",
            "ends lines at form feeds and U+2028 (splitlines, cookbook)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    mangled(bench, input, |text| {
                        split_lines(text).into_iter().map(|line| format!("{}\n", bare(line))).collect()
                    })
                })
            },
        ),
        broken("view-expands-tabs", "shows tabs as spaces (inspect-ai)", Behaviour, Must, || {
            patched(|bench, input| mangled(bench, input, |text| text.replace('\t', "    ")))
        }),
        broken("view-in-latin-1", "shows what is outside ASCII as question marks", Behaviour, Must, || {
            patched(|bench, input| {
                mangled(bench, input, |text| text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect())
            })
        }),
        broken("numbers-with-separators", "writes 1,000 for 1000 (toLocaleString)", Behaviour, Should, || {
            patched(|bench, input| {
                bench.call(input).map_ok(|text| {
                    let comma = |line: &str| match line.split_once('\t') {
                        Some((number, text)) if number.len() == 6 => match number.trim().parse::<usize>() {
                            Ok(number) if number >= 1000 => {
                                format!("{:>6}\t{text}", format!("{},{:03}", number / 1000, number % 1000))
                            }
                            _ => line.to_owned(),
                        },
                        _ => line.to_owned(),
                    };
                    match text.len() < 100_000 {
                        true => text.split('\n').map(comma).collect::<Vec<_>>().join("\n"),
                        false => text.to_owned(),
                    }
                })
            })
        }),
        broken("no-line-limit", "shows a file of a million lines (doc examples)", Behaviour, Should, || {
            patched(|bench, input| match viewed(bench, input) {
                Some((text, range)) if text.len() > 999_999 => {
                    shown(input.str("path"), ranged(&text, range).into_iter().take(1000))
                }
                _ => bench.call(input),
            })
        }),
        broken(
            "line-limit-off-by-one",
            "refuses 999,999 lines (Python and TypeScript SDK, with a final LF)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| match viewed(bench, input) {
                    Some((text, _)) if text.len() >= 999_999 && lines(&text).len() >= 999_999 => ToolResult::error(
                        format!("File {} exceeds maximum line limit of 999,999 lines.", input.str("path")),
                    ),
                    _ => bench.call(input),
                })
            },
        ),
        broken("line-limit-in-own-words", "words the limit its own way", Wording, Should, || {
            patched(|bench, input| {
                bench.call(input).map_error(|text| match text.contains("exceeds maximum line limit") {
                    true => "Error: file is too long".into(),
                    false => text.to_owned(),
                })
            })
        }),
        broken("cuts-at-16000-characters", "cuts long files, and ranges of them too", Behaviour, Should, || {
            patched(|bench, input| match viewed(bench, input) {
                Some((text, range)) if (16_000..500_000).contains(&text.len()) => {
                    let cut: String = text.chars().take(16_000).collect();
                    shown(input.str("path"), ranged(&cut, range))
                }
                _ => bench.call(input),
            })
        }),
        broken(
            "long-file-from-its-end",
            "shows the end of a long file instead of its beginning",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match viewed(bench, input) {
                    Some((text, None)) if (16_000..500_000).contains(&text.len()) => {
                        let all: Vec<(usize, &str)> = (1..).zip(lines(&text)).collect();
                        shown(input.str("path"), all[all.len() / 2..].to_vec())
                    }
                    _ => bench.call(input),
                })
            },
        ),
        broken(
            "missing-file-is-empty",
            "answers a missing path with an empty success (world-model-mcp)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("view") && bench.call(input).content.contains("does not exist") {
                    true => ToolResult::ok(""),
                    false => bench.call(input),
                })
            },
        ),
        broken("missing-file-is-made", "makes a file that is viewed and missing", Behaviour, Must, || {
            patched(|bench, input| {
                let path = input.str("path");
                if input.is("view") && path.starts_with("/memories/") && !path.ends_with('/') && !bench.exists(path) {
                    bench.put(path, "");
                }
                bench.call(input)
            })
        }),
        broken("view-cuts-lines-at-2000", "cuts a line after 2,000 characters", Behaviour, Should, || {
            patched(|bench, input| {
                let answer = bench.call(input);
                match input.is("view") {
                    true => answer.map(|text| {
                        let cut = |line: &str| line.get(..2007).map_or(line.to_owned(), |cut| format!("{cut}..."));
                        text.split('\n').map(cut).collect::<Vec<_>>().join("\n")
                    }),
                    false => answer,
                }
            })
        }),
        broken("hidden-file-not-viewable", "refuses a hidden file by its own path", Behaviour, Should, || {
            patched(|bench, input| match input.is("view") && input.str("path").contains("/.") {
                true => ToolResult::error(format!(
                    "The path {} does not exist. Please provide a valid path.",
                    input.str("path")
                )),
                false => bench.call(input),
            })
        }),
        broken("view-from-a-cache", "shows a file as it was first seen", Behaviour, Must, || {
            patched(|bench, input| {
                let plain = input.is("view") && bench.text(input.str("path")).is_some();
                if !plain || !input["view_range"].is_null() {
                    return bench.call(input);
                }
                let answer = bench.call(input);
                let first = bench.kept.entry(input.str("path").to_owned()).or_insert(answer.content);
                ToolResult::ok(first.clone())
            })
        }),
    ]
}
