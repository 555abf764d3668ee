//! `memconf docs check`: what is planted on a page is found, at its line, with the right text beside; what is right is
//! left alone.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use std::fmt::Write as _;
use std::fs;

use common::command::{binary, run};
use memconf::case::builtin_catalogue;
use memconf::docs::{Checked, check};
use memconf::judge::{Dialects, Filling};
use memconf::wire::Command;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::tempdir;

fn page(name: &str) -> String {
    fs::read_to_string(common::harness(&format!("docs_check/{name}.md"))).unwrap()
}

fn checked(text: &str) -> Checked {
    check(text, Dialects::builtin().docs())
}

/// The faults of `planted.md`: a part of the line, a part of the right text, the requirement. In the page's order.
const PLANTED: &[(&str, &str, &str)] = &[
    ("\"name\": \"memory_tool\"", "\"name\": \"memory\"", "tool.definition"),
    ("append", r#"{"command":"insert","path""#, "tool.six-commands"),
    ("\"1-10\"", r#""view_range":[1,10]"#, "view.range"),
    ("\"view_range\": [5, 2]", r#""view_range":[2,5]"#, "view.range"),
    ("\"content\": \"hello\"", r#""file_text":"hello""#, "ruling.wrong-input"),
    ("d.md", r#""file_text":"...""#, "ruling.wrong-input"),
    ("\"path\": \"/memories/e.md\"", r#""old_path":"/memories/e.md""#, "ruling.wrong-input"),
    ("\"insert_line\": \"3\"", r#""insert_line":3,"#, "ruling.wrong-input"),
    ("/etc/motd", "\"/memories/motd\"", "path.inside-only"),
    ("\"memories/h.md\"", "\"/memories/h.md\"", "path.inside-only"),
    ("recursive", r#"{"command":"delete","path":"/memories/i.md"}"#, "ruling.extra-input"),
    ("'old_string'", r#""old_str":"a""#, "ruling.wrong-input"),
    ("{\"command\": \"delete\", \"path\": \"/memories\"}", "/memories/...", "delete.root"),
    ("successfully at /memories/k.md", "File created successfully at: /memories/k.md", "create.ok"),
    ("The path /memories/l.md", "The path /memories/l.md does not exist. Please provide a valid path.", "view.missing"),
    ("1\\tone", "     1\tone", "view.line-format"),
    ("The path /memories/n.md", "\"is_error\": true", "result.error-flagged"),
    ("plain text of", "/memories/o.md with line numbers:\n     1\tplain text of the file", "view.file-header"),
    ("renamed /memories/q", "Successfully renamed /memories/p to /memories/q", "rename.ok"),
    ("\"w2\"", "\"w1\"", "result.answers-each-use"),
    ("     1  spaces here", "     1\tspaces here", "view.line-format"),
    ("Here’s", "Here's the content of /memories/s.md with line numbers:", "view.file-header"),
    (
        "Here's the files",
        "Here're the files and directories up to 2 levels deep in /memories,",
        "view.directory-header",
    ),
    ("1536", "1.5K\t/memories/t.md", "view.directory-size"),
    ("2.0K    ", "2.0K\t/memories/u.md", "view.directory-rows"),
    ("/memories/.secret", "(no such row)", "view.directory-hidden"),
    ("/memories/v.md", "4.0K\t/memories", "view.directory-rows"),
    ("was saved", "File created successfully at: /memories/w.md", "create.ok"),
    ("does not exist.`", "Error: The path {path} does not exist", "delete.missing"),
    ("removed {path}", "Successfully deleted {path}", "delete.ok"),
    ("* Missing: `Error: ", "The path {path} does not exist. Please provide a valid path.", "view.missing"),
    ("the maximum", "File <path> exceeds maximum line limit of 999,999 lines.", "view.line-limit"),
    ("does not appear", "old_str `{old_str}` did not appear verbatim in {path}.", "str_replace.not-found"),
    ("“Error: No", "No replacement was performed. Multiple", "str_replace.ambiguous"),
    ("file was edited", "The memory file has been edited.", "str_replace.ok"),
    ("white", "     2\tblack", "create.stores-text"),
    ("1.5K\\t/memories/tea.md", "12B\t/memories/tea.md", "view.directory-size"),
    ("\"s4\", \"content\"", "old_str `red` did not appear verbatim in /memories/tea.md.", "str_replace.edits"),
    ("[0, 6]", "[0, 2]", "insert.bad-line"),
    ("\\n     2\\tblack\"", "(not shown)", "view.range"),
    ("breads", "     2\tbread", "create.stores-text"),
];

#[test]
fn all_that_is_planted_is_found_and_nothing_else() {
    let text = page("planted");
    for text in [text.clone(), text.replace('\n', "\r\n")] {
        let found = checked(&text).findings;
        let mut expected: Vec<(usize, &str, &str)> = PLANTED
            .iter()
            .map(|(mark, right, requirement)| {
                let lines: Vec<usize> =
                    text.lines().zip(1..).filter(|(line, _)| line.contains(mark)).map(|(_, line)| line).collect();
                assert_eq!(lines.len(), 1, "{mark} marks one line: {lines:?}");
                (lines[0], *right, *requirement)
            })
            .collect();
        expected.sort_unstable();
        let lines: Vec<usize> = found.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, expected.iter().map(|(line, ..)| *line).collect::<Vec<_>>(), "{found:#?}");
        for (finding, (line, right, requirement)) in found.iter().zip(expected) {
            assert!(finding.right.contains(right), "line {line}: {finding:#?}");
            assert_eq!(finding.requirement, requirement, "line {line}: {finding:#?}");
        }
    }
}

#[test]
fn every_finding_can_be_explained() {
    for finding in checked(&page("planted")).findings {
        assert!(builtin_catalogue().get(&finding.requirement).is_some(), "{finding:?}");
    }
}

#[test]
fn a_page_that_is_right_is_left_alone() {
    let found = checked(&page("right"));
    assert_eq!(found.findings, [], "nothing is wrong there");
    assert!(found.examples > 45, "{}", found.examples);
}

#[test]
fn pages_about_other_things_are_left_alone() {
    assert_eq!(checked(&page("others")), Checked::default());
    assert_eq!(
        checked(&page("others").replace("/memories", "the store").replace("memory tool", "it")),
        Checked::default()
    );
}

#[test]
fn the_pages_of_the_project_are_right() {
    let folder = common::package().join("docs/fixtures/markdown");
    let mut pages = vec![common::package().join("README.md"), common::package().join("cases/README.md")];
    pages.extend(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    for page in pages {
        let found = checked(&fs::read_to_string(&page).unwrap());
        assert_eq!(found.findings, [], "{}", page.display());
    }
}

/// Every pair that the reference handler has answered, a section a case: thousands of right answers, in the words of
/// every dialect.
#[test]
fn what_the_reference_handler_answers_is_right() {
    for dialect in Dialects::builtin().iter() {
        let folder = tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        assert_eq!(run(&["fixtures", "--out", path, "--dialect", &dialect.name]).code, 0);
        let mut text = String::from("# Memory tool\n");
        let mut pairs = 0;
        for entry in fs::read_dir(folder.path().join("jsonl")).unwrap() {
            let mut last = String::new();
            for line in fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
                let pair: Value = serde_json::from_str(line).unwrap();
                let case = pair["case"].as_str().unwrap();
                if case != last {
                    writeln!(text, "\n## {case}\n").unwrap();
                    last = case.to_owned();
                }
                writeln!(text, "```json\n{line}\n```\n").unwrap();
                pairs += 1;
            }
        }
        let mut found = check(&text, dialect);
        // Some commands of the cases have a parameter too many, on purpose, and are carried out nevertheless.
        found.findings.retain(|finding| finding.requirement != "ruling.extra-input");
        assert_eq!(found.findings, [], "{}", dialect.name);
        assert!(pairs > 1000 && found.examples > pairs, "{pairs} pairs, {} examples", found.examples);
        for entry in fs::read_dir(folder.path().join("markdown")).unwrap() {
            let page = entry.unwrap().path();
            let found = check(&fs::read_to_string(&page).unwrap(), dialect);
            assert_eq!(found.findings, [], "{}: {}", dialect.name, page.display());
            assert!(found.examples > 0, "{}: {}", dialect.name, page.display());
        }
    }
}

/// Every documented message, with one small fault after another, as a page can show it: none gets through.
#[test]
fn no_small_fault_of_a_message_gets_through() {
    let docs = Dialects::builtin().docs();
    let (mut tried, mut failed) = (0, Vec::new());
    for command in Command::ALL {
        let input = match command {
            Command::View => json!({"command": "view", "path": "/memories/a.txt"}),
            Command::Create => json!({"command": "create", "path": "/memories/a.txt", "file_text": "x"}),
            Command::StrReplace => {
                json!({"command": "str_replace", "path": "/memories/a.txt", "old_str": "one", "new_str": "two"})
            }
            Command::Insert => {
                json!({"command": "insert", "path": "/memories/a.txt", "insert_line": 9, "insert_text": "x"})
            }
            Command::Delete => json!({"command": "delete", "path": "/memories/a.txt"}),
            Command::Rename => {
                json!({"command": "rename", "old_path": "/memories/a.txt", "new_path": "/memories/b.txt"})
            }
        };
        for key in docs.messages_of(command).into_iter().filter(|key| !key.ends_with("-header")) {
            let template = &docs.templates(key)[0];
            let mut filling = Filling::from([("n_lines".into(), "3".into()), ("line_numbers".into(), "1, 4".into())]);
            for (name, value) in input.as_object().unwrap() {
                filling.insert(name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            }
            let error = !key.ends_with(".ok");
            for (text, open) in [(template.fill(&filling).unwrap(), false), (template.to_string(), true)] {
                for wrong in mutants(&text) {
                    let pages = [
                        format!(
                            "```json\n{}\n{}\n```\n",
                            json!({"type": "tool_use", "id": "t", "name": "memory", "input": input}),
                            json!({"type": "tool_result", "tool_use_id": "t", "content": wrong, "is_error": error})
                        ),
                        format!("```json\n{input}\n```\n\nThe result:\n\n```text\n{wrong}\n```\n"),
                        format!("## {command}\n\n- The answer: ``{wrong}``\n"),
                    ];
                    for page in &pages[if open { 2 } else { 0 }..] {
                        let page = format!("# Memory tool\n\n{page}");
                        tried += 1;
                        let right = checked(&page.replace(&wrong, &text)).findings;
                        let found = checked(&page).findings;
                        // Where the argument itself is gone, the right text has the name of the hole.
                        let is_right = |found: &str| found == text || found == template.to_string();
                        if !right.is_empty() || found.len() != 1 || !is_right(&found[0].right) {
                            failed.push(format!("{key}: {page}\n{right:?}\n{found:?}"));
                        }
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} of {tried}:\n{}", failed.len(), failed.join("\n\n"));
    assert!(tried > 300, "{tried}");
}

/// A text with one small fault.
fn mutants(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let without = |at: usize| [&words[..at], &words[at + 1..]].concat().join(" ");
    let mut all = vec![
        text.to_lowercase(),
        format!("{text}!"),
        match text.strip_suffix('.') {
            Some(text) => text.to_owned(),
            None => format!("{text}."),
        },
        match text.strip_prefix("Error: ") {
            Some(text) => text.to_owned(),
            None => format!("Error: {text}"),
        },
        without(1),
        text.replacen(' ', "  ", 1),
    ];
    let middle = words.iter().position(|word| word.len() > 3 && word.chars().all(char::is_alphabetic)).unwrap();
    all.push(text.replacen(words[middle], &words[middle][1..], 1));
    all
}

#[test]
fn a_dialect_has_its_own_words() {
    let text = "# Memory tool\n\n```json\n{\"command\": \"create\", \"path\": \"/memories/a\", \"file_text\": \"\"}\n```\n\
                \nResult:\n\n```\nError: File /memories/a already exists\n```\n";
    assert_eq!(checked(text).findings, []);
    let dialect = Dialects::builtin().get("python-sdk").unwrap().1;
    let found = check(text, dialect).findings;
    assert_eq!((found.len(), found[0].line, found[0].right.as_str()), (1, 10, "File /memories/a already exists"));
    assert!(found[0].message.contains("prefix \"Error: \" added"), "{found:?}");
}

#[test]
fn the_command_line() {
    let file = |name: &str| common::harness(&format!("docs_check/{name}.md")).display().to_string();
    let (right, others, planted) = (file("right"), file("others"), file("planted"));
    let ran = run(&["docs", "check", &right, &others]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.starts_with("2 pages checked in the words of docs: ") && ran.out.ends_with(" examples, 0 wrong\n"));

    let ran = run(&["docs", "check", &planted, &right]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    let tab =
        "    page:       1  spaces here\n    right:      1→spaces here\n    why:   memconf explain view.line-format\n";
    assert!(ran.out.contains(&format!("{planted}:119: ")) && ran.out.contains(tab), "{}", ran.out);
    assert!(!ran.out.contains('\t') && !ran.out.contains('\x1b'), "{}", ran.out);
    assert!(ran.out.contains(&format!("{} wrong\n", PLANTED.len())), "{}", ran.out);

    let ran = run(&["docs", "check", &planted, "--report", "json=-"]);
    let report: Value = serde_json::from_str(&ran.out).expect("one object and nothing else");
    assert_eq!((ran.code, &report["exit_code"]), (1, &1.into()));
    assert_eq!(report["summary"]["wrong"], PLANTED.len());
    assert_eq!(report["files"][0]["findings"].as_array().unwrap().len(), PLANTED.len());
    assert_eq!(report["files"][0]["findings"][0]["requirement"], "tool.definition");

    let ran = run(&["docs", "check", &others]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("nothing was checked"), "{}", ran.err);
    for wrong in [
        &["docs", "check"][..],
        &["docs"],
        &["docs", "check", "no/such/file.md"],
        &["docs", "check", &right, "--dialect", "dosc"],
        &["docs", "check", &right, "--report", "xml=a"],
        &["docs", "check", &right, "--report", "json=no/such/folder/a"],
    ] {
        assert_eq!(run(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn hostile_files_are_bounded() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("a.md");
    let path = file.to_str().unwrap();
    fs::write(&file, vec![b'#'; (4 << 20) + 1]).unwrap();
    let ran = run(&["docs", "check", path]);
    assert!(ran.code == 2 && ran.err.contains("more than 4 MiB"), "{}", ran.err);
    fs::write(&file, b"\xff\xfe memory tool \xc3( `Error: \xff`\n```json\n{\"command\": \"view\", \"path\": \"/memories/\xff\"}\n```\n").unwrap();
    assert_eq!(run(&["docs", "check", path]).code, 0);
    assert!(binary().exists());
}

/// Large pages of one thing each: the time grows with the page, not with its square.
#[test]
fn large_pages_end() {
    let pieces = [
        "```json\n{\"command\": \"view\", \"path\": \"/memories/a\"}\n```\n",
        "- `Error: The path {path} does not exist` \"and {x} `y` <z\"\n",
        "```\n     1\tx\n     2\ty\n```\n",
        "{[<\"`",
        "> ",
        "# view\n",
        "{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"x\"}\n",
    ];
    for piece in pieces {
        let text = format!("memory tool\n\n{}", piece.repeat(100_000 / piece.len()));
        checked(&text);
        checked(&format!("memory tool\n\n```json\n{}\n```\n", piece.repeat(100_000 / piece.len())));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        checked(&format!("/memories\n{}", String::from_utf8_lossy(&bytes)));
    }

    /// The pages above, cut and mixed: each finding stands on a line of the page.
    #[test]
    fn no_mixture_makes_it_panic(cuts in proptest::collection::vec((0_usize..3, 0.0..1.0_f64, 1_usize..300), 1..12)) {
        let pages = ["planted", "right", "others"].map(page);
        let mut text = String::from("memory tool\n");
        for (which, from, length) in cuts {
            let characters: Vec<char> = pages[which].chars().collect();
            let from = (from * characters.len() as f64) as usize;
            text.extend(characters.iter().skip(from).take(length));
        }
        let lines = text.split('\n').count();
        for dialect in Dialects::builtin().iter() {
            for finding in check(&text, dialect).findings {
                prop_assert!((1..=lines).contains(&finding.line));
                prop_assert!(builtin_catalogue().get(&finding.requirement).is_some(), "{:?}", finding);
            }
        }
    }
}
