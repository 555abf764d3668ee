//! What becomes of the text of a `create`.

use memconf::case::{Facet::Behaviour, Level::Must};
use memconf::wire::ToolResult;

use super::bench::patched;
use super::fields::Fields;
use super::tools::mangled_by_create;
use super::{Broken, broken};

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
        broken("texts-without-a-bom", "drops a byte order mark from all that it is sent", Behaviour, Must, || {
            patched(|bench, input| {
                let bare = |name: &str| input[name].as_str().map(|text| text.trim_start_matches('\u{feff}').to_owned());
                let fields = ["file_text", "insert_text", "old_str", "new_str"];
                let sent = fields.iter().fold(input.clone(), |sent, name| match bare(name) {
                    Some(text) => sent.with(name, text),
                    None => sent,
                });
                bench.call(&sent)
            })
        }),
        broken("create-writes-crlf", "writes CR LF for LF (text mode on Windows)", Behaviour, Must, || {
            patched(|bench, input| mangled_by_create(bench, input, |text| text.replace('\n', "\r\n")))
        }),
        broken("create-doubles-quotes", "writes quotes twice (SQL by concatenation)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| text.replace('\'', "''").replace('"', "\\\""))
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
        broken("create-cuts-at-64k", "keeps the first 65,535 bytes of a text (a TEXT column)", Behaviour, Must, || {
            patched(|bench, input| {
                mangled_by_create(bench, input, |text| match text.len() < 900_000 {
                    true => text.get(..65_535).unwrap_or(text).to_owned(),
                    false => text.to_owned(),
                })
            })
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
