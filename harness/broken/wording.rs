//! Texts that differ from the documented ones, and from those of every published dialect.

use memconf::case::{Facet::Wording, Level::Should};

use super::{Broken, broken};
use crate::common::{Fields, TextOf, patched};

pub fn all() -> Vec<Broken> {
    vec![
        broken("file-header-missing", "views a file as numbered lines alone", Wording, Should, || {
            patched(|bench, input| {
                let file = input.is("view") && bench.text(input.str("path")).is_some();
                bench.call(input).map_ok(|text| match text.split_once('\n') {
                    Some((_, lines)) if file => lines.to_owned(),
                    _ => text.to_owned(),
                })
            })
        }),
        broken(
            "line-numbers-four-wide",
            "right-aligns line numbers in 4 characters (cookbook)",
            Wording,
            Should,
            || patched(|bench, input| relined(bench.call(input), |number, text| format!("{number:>4}\t{text}"))),
        ),
        broken("line-numbers-left-aligned", "pads line numbers on the wrong side", Wording, Should, || {
            patched(|bench, input| relined(bench.call(input), |number, text| format!("{number:<6}\t{text}")))
        }),
        broken("line-numbers-with-zeros", "pads line numbers with zeros", Wording, Should, || {
            patched(|bench, input| relined(bench.call(input), |number, text| format!("{number:0>6}\t{text}")))
        }),
        broken("colon-after-number", "writes `: ` where the tab belongs (cookbook)", Wording, Should, || {
            patched(|bench, input| relined(bench.call(input), |number, text| format!("{number:>6}: {text}")))
        }),
        broken("blank-lines-end-after-number", "drops the tab where a line is blank", Wording, Should, || {
            patched(|bench, input| {
                relined(bench.call(input), |number, text| match text.is_empty() {
                    true => format!("{number:>6}"),
                    false => format!("{number:>6}\t{text}"),
                })
            })
        }),
        broken("error-prefix-missing", "leaves `Error: ` out where no published dialect does", Wording, Should, || {
            patched(|bench, input| {
                let named = ["invalid", "already", "does not"];
                bench.call(input).map_error(|text| match text.strip_prefix("Error: ") {
                    Some(rest) if named.iter().any(|word| rest.to_lowercase().contains(word)) => {
                        format!("ERROR {rest}")
                    }
                    _ => text.to_owned(),
                })
            })
        }),
        broken("error-prefix-twice", "prefixes errors in the handler and in the adapter", Wording, Should, || {
            patched(|bench, input| bench.call(input).map_error(|text| format!("Error: Error: {text}")))
        }),
        broken("final-full-stop", "ends every sentence with a full stop", Wording, Should, || {
            patched(|bench, input| {
                let one_line = |text: &str| format!("{}.", text.trim_end_matches('.'));
                let view = input.is("view");
                bench.call(input).map(|text| match text.contains('\n') || view {
                    true => text.to_owned(),
                    false => one_line(text),
                })
            })
        }),
        broken("trailing-newline", "ends every answer with a line feed (println)", Wording, Should, || {
            patched(|bench, input| bench.call(input).map(|text| format!("{text}\n")))
        }),
        broken("typographic-quotes", "quotes `old_str` with other quotes", Wording, Should, || {
            patched(|bench, input| {
                let replace = input.is("str_replace");
                bench.call(input).map(|text| if replace { text.replace('`', "'") } else { text.to_owned() })
            })
        }),
        broken("stray-backslash", "copies the page's own typo, \\{old_str}", Wording, Should, || {
            patched(|bench, input| bench.call(input).map_error(|text| text.replace("old_str `", "old_str `\\")))
        }),
        broken("zero-based-occurrences", "numbers the lines of several occurrences from 0", Wording, Should, || {
            patched(|bench, input| {
                bench.call(input).map_error(|text| {
                    let Some((before, after)) = text.split_once("in lines: ") else { return text.to_owned() };
                    let (numbers, rest) = after.split_once('.').unwrap_or((after, ""));
                    let lowered = numbers.split(", ").filter_map(|number| number.parse::<usize>().ok());
                    let lowered: Vec<String> = lowered.map(|number| (number - 1).to_string()).collect();
                    format!("{before}in lines: {}.{rest}", lowered.join(", "))
                })
            })
        }),
        broken("bad-line-without-range", "does not tell the range of lines", Wording, Should, || {
            patched(|bench, input| {
                bench.call(input).map_error(|text| match text.split_once(". It should be within") {
                    Some((before, _)) => before.to_owned(),
                    None => text.to_owned(),
                })
            })
        }),
        broken("create-says-file-written", "words the success of create on its own", Wording, Should, || {
            patched(|bench, input| {
                bench.call(input).map_ok(|text| text.replace("File created successfully at:", "File written to"))
            })
        }),
        broken("edit-says-file-edited", "words the success of str_replace on its own", Wording, Should, || {
            patched(|bench, input| {
                bench.call(input).map_ok(|text| text.replace("The memory file has been edited.", "File edited:"))
            })
        }),
        broken("insert-answers-as-str-replace", "answers insert with the text of str_replace", Wording, Should, || {
            patched(|bench, input| {
                let insert = input.is("insert");
                bench.call(input).map_ok(|text| match insert {
                    true => "The memory file has been edited.".into(),
                    false => text.to_owned(),
                })
            })
        }),
        broken("delete-says-deleted", "words the success of delete on its own", Wording, Should, || {
            patched(|bench, input| bench.call(input).map_ok(|text| text.replace("Successfully deleted", "Deleted")))
        }),
        broken("rename-names-the-new-path-alone", "leaves the old path out of its success", Wording, Should, || {
            patched(|bench, input| {
                let text = format!("Successfully renamed to {}", input.str("new_path"));
                let rename = input.is("rename");
                bench.call(input).map_ok(|usual| if rename { text } else { usual.to_owned() })
            })
        }),
        broken("destination-error-names-the-source", "names the wrong one of two paths", Wording, Should, || {
            patched(|bench, input| {
                let (old, new) = (input.str("old_path").to_owned(), input.str("new_path").to_owned());
                bench.call(input).map_error(|text| match text.starts_with("Error: The destination") {
                    true => text.replace(&new, &old),
                    false => text.to_owned(),
                })
            })
        }),
        broken("paths-without-root", "answers with paths relative to /memories", Wording, Should, || {
            patched(|bench, input| bench.call(input).map(|text| text.replace("/memories/", "")))
        }),
        broken(
            "missing-path-says-file-not-found",
            "says of every missing path the same in its own words",
            Wording,
            Should,
            || {
                patched(|bench, input| {
                    let path = input.paths().first().map(|path| (*path).to_owned()).unwrap_or_default();
                    bench.call(input).map_error(|text| match text.contains("does not exist") {
                        true => format!("Error: no such file: {path}"),
                        false => text.to_owned(),
                    })
                })
            },
        ),
        broken(
            "missing-file-reported-as-text-not-found",
            "says of a missing file that old_str is not in it (doc examples)",
            Wording,
            Should,
            || {
                patched(|bench, input| {
                    let text = format!(
                        "No replacement was performed, old_str `{}` did not appear verbatim in {}.",
                        input.str("old_str"),
                        input.str("path")
                    );
                    let replace = input.is("str_replace");
                    bench.call(input).map_error(|usual| match replace && usual.contains("does not exist") {
                        true => text,
                        false => usual.to_owned(),
                    })
                })
            },
        ),
        broken(
            "directory-edit-is-eisdir",
            "answers an edit of a directory with the system's words",
            Wording,
            Should,
            || {
                patched(|bench, input| {
                    let directory = input.edits() && bench.is_directory(input.str("path"));
                    bench.call(input).map_error(|text| match directory {
                        true => "EISDIR: illegal operation on a directory, read".into(),
                        false => text.to_owned(),
                    })
                })
            },
        ),
        broken(
            "existing-file-error-in-own-words",
            "says of an existing file that it cannot be created",
            Wording,
            Should,
            || {
                patched(|bench, input| {
                    bench.call(input).map_error(|text| match text.ends_with("already exists") {
                        true => "Error: FileExistsError".into(),
                        false => text.to_owned(),
                    })
                })
            },
        ),
        broken("html-escaped-answers", "escapes its answers for a web page", Wording, Should, || {
            patched(|bench, input| {
                let view = input.is("view");
                bench.call(input).map(|text| match view {
                    true => text.to_owned(),
                    false => {
                        text.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&#x27;").replace('`', "&#x60;")
                    }
                })
            })
        }),
        broken("ascii-answers", "writes names outside ASCII as \\u escapes (json.dumps)", Wording, Should, || {
            patched(|bench, input| {
                let path = input.paths().first().map(|path| (*path).to_owned()).unwrap_or_default();
                bench.call(input).map(|text| text.replace(&path, &path.escape_default().to_string()))
            })
        }),
        broken("url-encoded-answers", "answers with paths as in a URL", Wording, Should, || {
            patched(|bench, input| {
                let path = input.paths().first().map(|path| (*path).to_owned()).unwrap_or_default();
                bench.call(input).map(|text| text.replace(&path, &path.replace(' ', "%20")))
            })
        }),
        broken(
            "lines-joined-by-crlf",
            "ends the lines of an answer in CR LF (StringBuilder.AppendLine)",
            Wording,
            Should,
            || {
                patched(|bench, input| {
                    let directory = input.is("view") && bench.is_directory(input.str("path"));
                    bench
                        .call(input)
                        .map_ok(|text| if directory { text.replace('\n', "\r\n") } else { text.to_owned() })
                })
            },
        ),
    ]
}

/// The numbered lines of a view in another form.
fn relined(answer: memconf::wire::ToolResult, form: fn(&str, &str) -> String) -> memconf::wire::ToolResult {
    answer.map_ok(|text| {
        let mut lines = text.split('\n');
        let header = lines.next().unwrap_or_default();
        if !header.ends_with("with line numbers:") {
            return text.to_owned();
        }
        let numbered = lines.map(|line| match line.split_once('\t') {
            Some((number, text)) => format!("\n{}", form(number.trim(), text)),
            None => format!("\n{line}"),
        });
        header.to_owned() + &numbered.collect::<String>()
    })
}
