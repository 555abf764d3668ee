//! Faults with names that differ in letter case alone, and with /memories itself in other letters.

use memconf::case::{
    Facet::{Behaviour, Safety},
    Level::Must,
};
use memconf::wire::ToolResult;
use serde_json::Value;

use super::bench::{Bench, patched};
use super::fields::{Fields, TextOf};
use super::host::{checked, host, joined, lexical};
use super::{Broken, broken, on_disk};

/// Another path with a text, of the same letters.
fn twin(bench: &Bench, path: &str) -> Option<String> {
    let same = |other: &String| other != path && other.eq_ignore_ascii_case(path);
    bench.files().into_iter().find(same)
}

/// /memories in other letters, with the rest of the path.
fn in_other_letters(path: &str) -> Option<&str> {
    let (prefix, rest) = path.split_at_checked("/memories".len())?;
    let is = prefix != "/memories" && prefix.eq_ignore_ascii_case("/memories") && rest.starts_with('/');
    is.then_some(rest)
}

/// The command with /memories in other letters put somewhere else; answers name the paths as sent.
fn elsewhere(bench: &mut Bench, input: &Value, put: fn(&str) -> String) -> ToolResult {
    let place = |path: &str| in_other_letters(path).map_or(path.to_owned(), put);
    let pairs: Vec<(String, String)> = input.paths().into_iter().map(|path| (place(path), path.to_owned())).collect();
    let answer = bench.call(&input.with_paths(place));
    answer.map(|text| pairs.iter().fold(text.to_owned(), |text, (put, sent)| text.replace(put, sent)))
}

pub fn all() -> Vec<Broken> {
    vec![
        broken(
            "delete-takes-the-other-letter-case",
            "deletes names without regard to letter case (SQLite's LIKE, COLLATE NOCASE)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let twin = twin(bench, input.str("path")).filter(|_| input.is("delete"));
                    let answer = bench.call(input);
                    if let Some(twin) = twin.filter(|_| !answer.is_error) {
                        bench.remove(&twin);
                    }
                    answer
                })
            },
        ),
        broken(
            "rename-takes-the-other-letter-case",
            "moves the first name of the same letters (a lookup without regard to case)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match twin(bench, input.str("old_path")).filter(|_| input.is("rename")) {
                    Some(twin) => bench.call(&input.with("old_path", twin)),
                    None => bench.call(input),
                })
            },
        ),
        broken("edits-take-the-other-letter-case", "edits every name of the same letters", Behaviour, Must, || {
            patched(|bench, input| {
                let twin = twin(bench, input.str("path")).filter(|_| input.edits());
                let answer = bench.call(input);
                let text = bench.text(input.str("path"));
                if let (Some(twin), Some(text), false) = (twin, text, answer.is_error) {
                    bench.put(&twin, &text);
                }
                answer
            })
        }),
        broken(
            "create-takes-the-other-letter-case",
            "writes over a name of the same letters (an index with case, files without)",
            Behaviour,
            Must,
            || {
                patched(|bench, input| {
                    let twin = twin(bench, input.str("path")).filter(|_| input.is("create"));
                    let answer = bench.call(input);
                    if let Some(twin) = twin.filter(|_| !answer.is_error) {
                        bench.put(&twin, input.str("file_text"));
                    }
                    answer
                })
            },
        ),
        broken(
            "prefix-in-other-case-is-another-store",
            "keeps /Memories beside /memories (a raw path as the key, a check without regard to case)",
            Behaviour,
            Must,
            || patched(|bench, input| elsewhere(bench, input, |rest| format!("/memories/+{rest}"))),
        ),
        broken(
            "prefix-in-other-case-for-create-alone",
            "finds /Memories to be inside when it writes, and outside when it reads",
            Behaviour,
            Must,
            || {
                patched(|bench, input| match input.is("create") {
                    true => elsewhere(bench, input, |rest| format!("/memories{rest}")),
                    false => bench.call(input),
                })
            },
        ),
        on_disk(
            "prefix-in-other-case-on-the-host",
            "checks the prefix without regard to case, and joins the path with the folder above",
            Safety,
            Must,
            || {
                host(|site, sent| match in_other_letters(sent.path) {
                    Some(_) => {
                        let above = site.root.parent().unwrap_or(&site.root);
                        Ok(lexical(&above.join(sent.path.trim_start_matches('/'))))
                    }
                    None => Ok(joined(site, checked(sent.path)?)),
                })
            },
        ),
    ]
}
