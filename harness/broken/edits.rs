//! What an edit does to the rest of a file.

use memconf::case::{Facet::Behaviour, Level::Must};
use memconf::transport::Handler;

use super::bench::patched;
use super::fields::Fields;
use super::tools::{bare, insert_with, mangled_by_edits, split_lines};
use super::{Broken, broken};

macro_rules! mangling {
    ($name:literal, $about:literal, $mangle:expr) => {
        broken($name, $about, Behaviour, Must, || -> Box<dyn Handler> {
            patched(|bench, input| mangled_by_edits(bench, input, $mangle))
        })
    };
}

/// Only after a `str_replace`, or only after an `insert`.
macro_rules! mangling_of {
    ($command:literal, $name:literal, $about:literal, $mangle:expr) => {
        broken($name, $about, Behaviour, Must, || -> Box<dyn Handler> {
            patched(|bench, input| match input.is($command) {
                true => mangled_by_edits(bench, input, $mangle),
                false => bench.call(input),
            })
        })
    };
}

fn each_line(text: &str, change: fn(&str) -> &str) -> String {
    text.split('\n').map(change).collect::<Vec<_>>().join("\n")
}

pub fn all() -> Vec<Broken> {
    vec![
        mangling!("edits-rewrite-crlf", "reads in text mode and writes LF (PyPI anthropic 1.1.0)", |text| {
            text.replace("\r\n", "\n")
        }),
        mangling!("edits-rewrite-lone-cr", "takes a lone CR for a line end", |text| {
            text.replace("\r\n", "\u{0}").replace('\r', "\n").replace('\u{0}', "\r\n")
        }),
        mangling!("edits-expand-tabs", "writes tabs back as spaces (inspect-ai)", |text| text
            .replace('\t', "        ")),
        mangling!("edits-trim-line-ends", "takes the blanks off the end of each line", |text| {
            each_line(text, |line| line.trim_end_matches([' ', '\t']))
        }),
        mangling!(
            "edits-split-everywhere",
            "splits and joins with splitlines (attune-ai, anthropic-sdk-python#1748)",
            |text| { split_lines(text).into_iter().map(|line| format!("{}\n", bare(line))).collect() }
        ),
        mangling!("edits-drop-line-separators", "writes U+0085, U+2028 and U+2029 back as blanks", |text| {
            text.replace(['\u{85}', '\u{2028}', '\u{2029}'], " ")
        }),
        mangling!("edits-drop-the-bom", "drops a byte order mark (utf-8-sig)", |text| {
            text.trim_start_matches('\u{feff}').to_owned()
        }),
        mangling!("edits-cut-lines-at-2000", "writes back what a view shows, cut at 2,000 characters a line", |text| {
            each_line(text, |line| line.get(..2000).unwrap_or(line))
        }),
        mangling!("edits-cut-lines-at-8k", "keeps 8,191 bytes of a line (a buffer of fixed size)", |text| {
            each_line(text, |line| line.get(..8191).unwrap_or(line))
        }),
        mangling!("edits-write-a-bom", "writes a byte order mark (C# example)", |text| format!("\u{feff}{text}")),
        mangling!("edits-end-in-newline", "ends every edited file in LF", |text| match text.ends_with('\n') {
            true => text.to_owned(),
            false => format!("{text}\n"),
        }),
        mangling!("edits-lose-the-final-newline", "joins lines without a final LF (Java example)", |text| {
            text.strip_suffix('\n').unwrap_or(text).to_owned()
        }),
        mangling!("edits-lose-trailing-blank-lines", "trims the end of the file to one LF", |text| {
            match text.trim_end_matches('\n') {
                body if text.ends_with('\n') => format!("{body}\n"),
                body => body.to_owned(),
            }
        }),
        mangling_of!(
            "insert",
            "insert-loses-one-trailing-blank-line",
            "drops one trailing blank line each time (Python SDK)",
            |text| {
                match text.ends_with("\n\n") {
                    true => text[..text.len() - 1].to_owned(),
                    false => text.to_owned(),
                }
            }
        ),
        mangling!("edits-lose-inner-blank-lines", "squeezes blank lines into one", |text| {
            let mut text = text.trim_start_matches('\n').to_owned();
            while text.contains("\n\n\n") {
                text = text.replace("\n\n\n", "\n\n");
            }
            text
        }),
        mangling!("edits-in-three-bytes", "loses characters of four bytes (utf8mb3)", |text| {
            text.chars().map(|c| if c.len_utf8() < 4 { c } else { '\u{fffd}' }).collect()
        }),
        mangling!("edits-drop-invisible-characters", "drops joiners and direction marks", |text| {
            text.chars().filter(|c| !('\u{200b}'..='\u{200f}').contains(c)).collect()
        }),
        mangling!("edits-escape-html", "escapes the whole file for a web page", |text| {
            text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
        }),
        mangling!("edits-fill-braces", "fills in names in braces (str.format)", |text| {
            text.replace("{{", "{").replace("}}", "}").replace("{name}", "").replace("${", "{").replace("{0}", "")
        }),
        mangling!("edits-cut-at-16000-characters", "keeps the first 16,000 characters", |text| {
            text.chars().take(16_000).collect()
        }),
        mangling!("edits-cut-long-lines", "cuts lines at 4096 bytes (fgets)", |text| {
            each_line(text, |line| line.get(..4096).unwrap_or(line))
        }),
        mangling_of!("str_replace", "str-replace-trims-the-text", "trims the whole text", |text| text
            .trim()
            .to_owned()),
        mangling_of!("insert", "insert-trims-the-text", "trims the whole text", |text| text.trim().to_owned()),
        broken(
            "insert-counts-form-feeds-as-lines",
            "counts lines as splitlines does, and keeps what ends them",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    insert_with(bench, input, |text, line, new| {
                        let mut pieces: Vec<String> = split_lines(text).into_iter().map(str::to_owned).collect();
                        let new = if new.ends_with('\n') { new.to_owned() } else { format!("{new}\n") };
                        let at = line.min(pieces.len());
                        if at > 0
                            && !pieces[at - 1].ends_with([
                                '\n', '\r', '\u{c}', '\u{b}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}',
                                '\u{2029}',
                            ])
                        {
                            pieces[at - 1].push('\n');
                        }
                        pieces.insert(at, new);
                        pieces.concat()
                    })
                })
            },
        ),
    ]
}
