//! Faults of `view_range`.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;
use serde_json::{Value, json};

use super::tools::{lines, shown, viewed};
use super::view::ranged;
use super::{Broken, broken};
use crate::common::{Bench, Fields, TextOf, patched};

/// A view with a range, shown by `pick` from all numbered lines; any other view is the reference's.
fn picked(
    bench: &mut Bench,
    input: &Value,
    pick: for<'a> fn(&[(usize, &'a str)], (i64, i64)) -> Vec<(usize, &'a str)>,
) -> ToolResult {
    match viewed(bench, input) {
        Some((text, Some(range))) => {
            let all: Vec<(usize, &str)> = (1..).zip(lines(&text)).collect();
            shown(input.str("path"), pick(&all, range))
        }
        _ => bench.call(input),
    }
}

/// A slice as Python takes it: negative ends count from the back, all is clamped.
fn slice<'a>(all: &[(usize, &'a str)], start: i64, end: i64) -> Vec<(usize, &'a str)> {
    let count = all.len() as i64;
    let place = |at: i64| (if at < 0 { at + count } else { at }).clamp(0, count) as usize;
    all.get(place(start)..place(end)).unwrap_or_default().to_vec()
}

pub fn all() -> Vec<Broken> {
    vec![
        broken(
            "range-ignored",
            "shows the whole file whatever the range (doc examples, langchain)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| match input.is("view") {
                    true => bench.call(&input.without("view_range")),
                    false => bench.call(input),
                })
            },
        ),
        broken("range-end-left-out", "takes the end of a range as exclusive", Behaviour, Should, || {
            patched(|bench, input| {
                picked(bench, input, |all, (first, last)| {
                    slice(all, (first - 1).max(0), if last == -1 { i64::MAX } else { last - 1 })
                })
            })
        }),
        broken("range-numbers-restart", "numbers the lines of a range from 1", Behaviour, Should, || {
            patched(|bench, input| {
                picked(bench, input, |all, (first, last)| {
                    let lines = slice(all, (first - 1).max(0), if last == -1 { i64::MAX } else { last });
                    (1..).zip(lines.into_iter().map(|(_, text)| text)).collect()
                })
            })
        }),
        broken(
            "range-to-minus-one-loses-the-last-line",
            "takes -1 for an index from the end (world-model-mcp)",
            Behaviour,
            Should,
            || patched(|bench, input| picked(bench, input, |all, (first, last)| slice(all, (first - 1).max(0), last))),
        ),
        broken("range-starts-at-zero", "counts the lines of a range from 0", Behaviour, Should, || {
            patched(|bench, input| {
                picked(bench, input, |all, (first, last)| {
                    slice(all, first.max(0), if last == -1 { i64::MAX } else { last + 1 })
                })
            })
        }),
        broken(
            "range-negative-start-wraps",
            "takes a negative start for an index from the end",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    picked(bench, input, |all, (first, last)| {
                        let last = if last == -1 { i64::MAX } else { last.max(0) };
                        if first < 0 { slice(all, first, i64::MAX) } else { slice(all, (first - 1).max(0), last) }
                    })
                })
            },
        ),
        broken(
            "range-end-past-last-line-refused",
            "answers an end past the last line with an error",
            Behaviour,
            Should,
            || {
                patched(|bench, input| match viewed(bench, input) {
                    Some((text, Some((_, last)))) if last > lines(&text).len() as i64 => {
                        ToolResult::error("Error: Invalid `view_range` parameter")
                    }
                    _ => bench.call(input),
                })
            },
        ),
        broken(
            "range-odd-shows-all",
            "shows the whole file for a range that makes no sense",
            Behaviour,
            Should,
            || {
                patched(|bench, input| match viewed(bench, input) {
                    Some((text, Some((first, last))))
                        if first < 1 || first > lines(&text).len() as i64 || (last != -1 && last < first) =>
                    {
                        bench.call(&input.without("view_range"))
                    }
                    _ => bench.call(input),
                })
            },
        ),
        broken("range-of-one-to-minus-one-refused", "refuses -1 as an end", Behaviour, Should, || {
            patched(|bench, input| match viewed(bench, input) {
                Some((_, Some((_, -1)))) => ToolResult::error("Error: the end of view_range must be positive"),
                _ => bench.call(input),
            })
        }),
        broken("range-cuts-a-listing", "applies the range to the rows of a listing", Behaviour, Should, || {
            patched(|bench, input| {
                let range = input["view_range"].as_array().cloned().unwrap_or_default();
                let (first, last) = (range.first().and_then(Value::as_u64), range.get(1).and_then(Value::as_u64));
                let directory = bench.is_directory(input.str("path"));
                let answer = bench.call(input);
                match (first, last) {
                    (Some(first), Some(last)) if directory => answer.map_ok(|text| {
                        let kept =
                            (0..).zip(text.split('\n')).filter(|(at, _)| *at == 0 || (first..=last).contains(at));
                        kept.map(|(_, row)| row).collect::<Vec<_>>().join("\n")
                    }),
                    _ => answer,
                }
            })
        }),
        broken("range-not-a-list-panics", "takes every view_range for a list of two numbers", Behaviour, Must, || {
            patched(|bench, input| {
                let range = &input["view_range"];
                let right = range.as_array().is_some_and(|list| list.len() == 2 && list.iter().all(Value::is_i64));
                match input.get("view_range").is_none() || right {
                    true => bench.call(input),
                    false => panic!("on purpose: not two numbers"),
                }
            })
        }),
        broken(
            "range-of-fractions-gives-fractions",
            "numbers the lines 1.5, 2.5 (TypeScript SDK)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let list = input["view_range"].as_array().cloned().unwrap_or_default();
                    match (list.first(), bench.text(input.str("path"))) {
                        (Some(first), Some(text)) if first.is_f64() => {
                            let first = first.as_f64().unwrap_or_default();
                            let header = format!("Here's the content of {} with line numbers:", input.str("path"));
                            let numbered = lines(&text).into_iter().zip(0u32..).skip(1);
                            ToolResult::ok(numbered.fold(header, |text, (line, at)| {
                                format!("{text}\n{:6.1}\t{line}", first + f64::from(at) - 1.0)
                            }))
                        }
                        _ => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "odd-range-shows-one-line-off",
            "reads a range in strings or of other lengths a line off",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let list = input["view_range"].as_array().cloned();
                    let number = |value: &Value| value.as_i64().or_else(|| value.as_str()?.parse().ok());
                    match (list, bench.text(input.str("path"))) {
                        (Some(list), Some(text)) if list.len() != 2 || !list.iter().all(Value::is_i64) => {
                            let first = list.first().and_then(number).unwrap_or(1);
                            shown(input.str("path"), ranged(&text, Some((first + 1, first + 1))))
                        }
                        _ => bench.call(input),
                    }
                })
            },
        ),
        broken(
            "range-in-words-edits-nothing-shows-line-one",
            "falls back to the first line for a range that is no list",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.get("view_range") {
                    Some(range) if !range.is_array() => bench.call(&input.with("view_range", json!([2, 2]))),
                    Some(Value::Array(list))
                        if list.iter().any(|one| one.as_str().is_some_and(|one| one.parse::<i64>().is_err())) =>
                    {
                        bench.call(&input.with("view_range", json!([2, 2])))
                    }
                    _ => bench.call(input),
                })
            },
        ),
    ]
}
