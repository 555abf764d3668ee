//! Faults of how `old_str` is looked for, and of what is made of `new_str`.

use memconf::case::{
    Facet::Behaviour,
    Level::{Must, Should},
};
use memconf::wire::ToolResult;

use super::tools::replace_with;
use super::{Broken, broken};
use crate::common::{Fields, patched};

pub fn all() -> Vec<Broken> {
    vec![
        broken(
            "multi-line-never-found",
            "looks for old_str line by line (TypeScript SDK, #1180)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("str_replace") && input.str("old_str").contains('\n') {
                    true => ToolResult::error(format!(
                        "No replacement was performed, old_str `{}` did not appear verbatim in {}.",
                        input.str("old_str"),
                        input.str("path")
                    )),
                    false => bench.call(input),
                })
            },
        ),
        broken("old-str-trimmed", "trims old_str and new_str", Behaviour, Must, || {
            patched(|bench, input| {
                let (old, new) = (input.str("old_str").trim().to_owned(), input.str("new_str").trim().to_owned());
                match input.is("str_replace") && input["new_str"].is_string() {
                    true => bench.call(&input.with("old_str", old).with("new_str", new)),
                    false => bench.call(input),
                }
            })
        }),
        broken(
            "old-str-is-a-pattern",
            "takes old_str for a regular expression (a dot, a star)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |text, old, new| {
                        let (start, end) = dotted(text, old)?;
                        Some(format!("{}{new}{}", &text[..start], &text[end..]))
                    })
                })
            },
        ),
        broken("old-str-in-any-case", "finds old_str in another case", Behaviour, Must, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| {
                    let at = text.to_lowercase().find(&old.to_lowercase())?;
                    let end = text.len().min(at + old.len());
                    (!old.is_empty() && text.get(at..end).is_some_and(|found| found != old))
                        .then(|| format!("{}{new}{}", &text[..at], &text[end..]))
                })
            })
        }),
        broken(
            "old-str-without-regard-to-blanks",
            "finds old_str with other blanks than it has",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |text, old, new| {
                        let bare = old.trim_end();
                        (!text.contains(old) && !bare.is_empty() && text.contains(bare))
                            .then(|| text.replacen(bare, new, 1))
                    })
                })
            },
        ),
        broken("old-str-without-line-number", "takes a line number off old_str", Behaviour, Should, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| {
                    let (number, rest) = old.split_once('\t')?;
                    (number.trim().parse::<u32>().is_ok() && !text.contains(old) && text.contains(rest))
                        .then(|| text.replacen(rest, new, 1))
                })
            })
        }),
        broken(
            "crlf-found-by-lf",
            "finds old_str with LF in a text with CR LF, and writes it with LF (cookbook)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |text, old, new| {
                        let plain = text.replace("\r\n", "\n");
                        (!text.contains(old) && plain.contains(old)).then(|| plain.replacen(old, new, 1))
                    })
                })
            },
        ),
        broken("decomposed-found-by-composed", "finds composed letters in decomposed ones", Behaviour, Must, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| {
                    let compose = |text: &str| {
                        text.replace("e\u{301}", "\u{e9}")
                            .replace("o\u{308}", "\u{f6}")
                            .replace("u\u{308}", "\u{fc}")
                            .replace("a\u{308}", "\u{e4}")
                    };
                    let (plain, old) = (compose(text), compose(old));
                    (plain != text && plain.contains(&old)).then(|| plain.replacen(&old, new, 1))
                })
            })
        }),
        broken(
            "dollar-patterns-expanded",
            "expands $&, $$, $1 in new_str (String.replace, npm before 0.136.0)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |text, old, new| {
                        let new = new.replace("$$", "\u{0}").replace("$&", old).replace("$1", "").replace('\u{0}', "$");
                        (!old.is_empty() && text.matches(old).count() == 1).then(|| text.replacen(old, &new, 1))
                    })
                })
            },
        ),
        broken("backslash-groups-expanded", "expands \\1 and \\g<0> in new_str (re.sub)", Behaviour, Must, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| {
                    let new = new.replace("\\0", old).replace("\\1", "").replace("\\2", "").replace("\\g<0>", old);
                    (!old.is_empty() && text.matches(old).count() == 1).then(|| text.replacen(old, &new, 1))
                })
            })
        }),
        broken("percent-fields-expanded", "formats new_str with % (printf)", Behaviour, Must, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| {
                    let new = new
                        .replace("%s", old)
                        .replace("%d", "0")
                        .replace("%%", "%")
                        .replace("{}", old)
                        .replace("{0}", old);
                    (!old.is_empty() && text.matches(old).count() == 1).then(|| text.replacen(old, &new, 1))
                })
            })
        }),
        broken(
            "empty-old-str-prepends",
            "puts new_str in front of the text for an empty old_str (doc examples)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |text, old, new| old.is_empty().then(|| format!("{new}{text}")))
                })
            },
        ),
        broken(
            "empty-old-str-everywhere",
            "puts new_str between all characters for an empty old_str",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |text, old, new| old.is_empty().then(|| text.replace(old, new)))
                })
            },
        ),
        broken(
            "empty-old-str-erases",
            "replaces the whole text for an empty old_str, and an empty file by the word itself",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |_, old, new| old.is_empty().then(|| format!("{new}{new}")))
                })
            },
        ),
        broken(
            "not-found-is-success",
            "reports success where old_str is not in the file (str.replace)",
            Behaviour,
            Should,
            || {
                patched(|bench, input| {
                    replace_with(bench, input, |text, old, _| (!text.contains(old)).then(|| text.to_owned()))
                })
            },
        ),
        broken("not-found-appends", "appends new_str where old_str is not in the file", Behaviour, Must, || {
            patched(|bench, input| {
                replace_with(bench, input, |text, old, new| (!text.contains(old)).then(|| format!("{text}{new}")))
            })
        }),
    ]
}

/// Where a text matches a pattern in which `.` is any character and `x*` any number of `x`; other characters mean
/// themselves. The pattern as it stands in the text is none.
fn dotted(text: &str, pattern: &str) -> Option<(usize, usize)> {
    let special = pattern.contains(['.', '*', '[', '+', '?', '^', '$', '|']);
    if !special || text.len() > 10_000 {
        return None;
    }
    let starts = text.char_indices().map(|(at, _)| at);
    let pattern: Vec<char> = pattern.chars().collect();
    starts.into_iter().find_map(|start| matched(&text[start..], &pattern).map(|length| (start, start + length)))
}

fn matched(text: &str, pattern: &[char]) -> Option<usize> {
    let Some((first, rest)) = pattern.split_first() else { return Some(0) };
    let next = text.chars().next();
    let fits = |c: char| *first == '.' && c != '\n' || *first == c;
    match rest.first() {
        Some('*' | '+') => {
            let count = text.chars().take_while(|c| fits(*c)).count();
            let least = usize::from(rest[0] == '+');
            (least..=count).rev().find_map(|taken| {
                let length: usize = text.chars().take(taken).map(char::len_utf8).sum();
                matched(&text[length..], &rest[1..]).map(|more| length + more)
            })
        }
        _ if *first == '^' => matched(text, rest),
        _ if *first == '$' => text.is_empty().then_some(0),
        _ => {
            next.filter(|c| fits(*c)).and_then(|c| matched(&text[c.len_utf8()..], rest).map(|more| c.len_utf8() + more))
        }
    }
}
