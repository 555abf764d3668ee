//! What becomes of the text of a `create`.

use memconf::case::{Facet::Behaviour, Level::Must};
use memconf::wire::ToolResult;

use super::tools::{lines, mangled_by_create};
use super::{Broken, broken};
use crate::common::{Fields, patched};

pub fn all() -> Vec<Broken> {
    vec![
        broken("create-adds-a-final-newline", "ends every file in LF (langchain)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| match text.ends_with('\n') {
                    true => text.to_owned(),
                    false => format!("{text}\n"),
                })
            })
        }),
        broken("create-trims", "trims the text", Behaviour, Must, || {
            patched(|bench, input| mangled_by_create(bench, input, |text| text.trim().to_owned()))
        }),
        broken("create-trims-the-end", "trims the end of the text", Behaviour, Must, || {
            patched(|bench, input| mangled_by_create(bench, input, |text| text.trim_end().to_owned()))
        }),
        broken("create-dedents", "takes the indentation off (textwrap.dedent)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| {
                    text.split('\n').map(str::trim_start).collect::<Vec<_>>().join("\n")
                })
            })
        }),
        broken("create-one-newline-less", "takes a text of one line feed for an empty one", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| if text == "\n" { String::new() } else { text.to_owned() })
            })
        }),
        broken(
            "create-squeezes-blank-lines",
            "squeezes blank lines at the end (a formatter on save)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    mangled_by_create(bench, input, |text| match text.trim_end_matches('\n') {
                        "" => text.to_owned(),
                        body if text.ends_with('\n') => format!("{body}\n"),
                        body => body.to_owned(),
                    })
                })
            },
        ),
        broken("create-empty-text-refused", "refuses an empty text (supermemory)", Behaviour, Must, || {
            patched(|bench, input| match input.is("create") && input["file_text"] == "" {
                true => ToolResult::error("Error: Missing required parameter `file_text`"),
                false => bench.call(input),
            })
        }),
        broken("create-drops-the-bom", "drops a byte order mark (C# example)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| text.trim_start_matches('\u{feff}').to_owned())
            })
        }),
        broken("create-writes-crlf", "writes CR LF for LF (text mode on Windows)", Behaviour, Must, || {
            patched(|bench, input| mangled_by_create(bench, input, |text| text.replace('\n', "\r\n")))
        }),
        broken("create-unescapes", "turns \\n and \\t into line feeds and tabs", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| text.replace("\\n", "\n").replace("\\t", "\t"))
            })
        }),
        broken("create-escapes-html", "escapes the text for a web page", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| {
                    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
                })
            })
        }),
        broken("create-doubles-quotes", "writes quotes twice (SQL by concatenation)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| text.replace('\'', "''").replace('"', "\\\""))
            })
        }),
        broken("create-decodes-percent", "decodes percent escapes in the text", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| {
                    text.replace("%20", " ").replace("%41", "A").replace("%2F", "/").replace("%%", "%")
                })
            })
        }),
        broken("create-fills-braces", "fills in names in braces (a template engine)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| text.replace("{{", "{").replace("}}", "}").replace("{name}", ""))
            })
        }),
        broken("create-in-latin-1", "loses what is outside Latin-1", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| {
                    text.chars().map(|c| if (c as u32) < 256 { c } else { '?' }).collect()
                })
            })
        }),
        broken("create-in-three-bytes", "cuts characters of four bytes (utf8mb3)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| {
                    text.chars().map(|c| if c.len_utf8() < 4 { c } else { '?' }).collect()
                })
            })
        }),
        broken("create-drops-invisible-characters", "drops joiners and direction marks", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| {
                    text.chars()
                        .filter(|c| !('\u{200b}'..='\u{200f}').contains(c) && !('\u{202a}'..='\u{202e}').contains(c))
                        .collect()
                })
            })
        }),
        broken("create-composes", "composes letters (NFC)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| {
                    text.replace("e\u{301}", "\u{e9}")
                        .replace("o\u{308}", "\u{f6}")
                        .replace("u\u{308}", "\u{fc}")
                        .replace("a\u{308}", "\u{e4}")
                })
            })
        }),
        broken("create-cuts-at-64k", "keeps the first 65,535 bytes of a text (a TEXT column)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| match text.len() < 900_000 {
                    true => text.get(..65_535).unwrap_or(text).to_owned(),
                    false => text.to_owned(),
                })
            })
        }),
        broken("create-keeps-a-hundred-lines", "keeps the first hundred lines", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| match text.len() < 100_000 {
                    true => lines(text)
                        .len()
                        .min(100)
                        .checked_sub(100)
                        .map_or(text.to_owned(), |_| text.split_inclusive('\n').take(100).collect()),
                    false => text.to_owned(),
                })
            })
        }),
        broken(
            "create-takes-words-for-nothing",
            "takes the texts null, undefined and None for no value",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    mangled_by_create(bench, input, |text| match text.trim() {
                        "null" | "undefined" | "None" => String::new(),
                        _ => text.to_owned(),
                    })
                })
            },
        ),
        broken("create-lower-case", "keeps paths and texts in lower case", Behaviour, Must, || {
            patched(|bench, input| mangled_by_create(bench, input, str::to_lowercase))
        }),
        broken(
            "create-without-extension-refused",
            "accepts a few extensions alone (cookbook)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let name = input.str("path").rsplit('/').next().unwrap_or_default();
                    let known = [".txt", ".md", ".json", ".py", ".yaml", ".yml", ".xml"];
                    match input.is("create")
                        && !known.iter().any(|end| name.ends_with(end))
                        && !input.str("path").contains("memconf-probe")
                    {
                        true => ToolResult::error(format!(
                            "Cannot create {}: Only text files are supported",
                            input.str("path")
                        )),
                        false => bench.call(input),
                    }
                })
            },
        ),
    ]
}
