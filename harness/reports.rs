//! Reports: each kind is what its readers expect, any number come from one run, and a run told later says the same.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::command::{Ran, run};
use roxmltree::{Document, Node};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

const KINDS: [&str; 6] = ["terminal", "json", "ndjson", "junit", "markdown", "github"];

/// Cases of which some fail, with texts that try to break out of every format.
fn cases() -> TempDir {
    let folder = tempdir().unwrap();
    let write = |id: &str, title: &str, needs: Value, expect: Value| {
        let case = json!({
            "id": id, "title": title, "requirements": ["create.stores-text"], "needs": needs,
            "steps": [
                { "call": { "command": "create", "path": "/memories/a.txt", "file_text": NASTY }, "expect": { "any_ok": true } },
                { "call": { "command": "view", "path": "/memories/a.txt" }, "expect": expect }
            ]
        });
        let file = folder.path().join(format!("{id}.json"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("{case:#}\n")).unwrap();
    };
    write("good/one", "It is well", json!([]), json!({ "any_ok": true }));
    write("bad/two", "100% ]]> <b>bold</b> | `code` ```", json!([]), json!({ "any_error": true }));
    write(
        "bad/three",
        "::error::, 50% <b>bold</b>\u{7}\u{1b}[31m",
        json!([]),
        json!({ "ok": format!("Here's the content of /memories/a.txt with line numbers:\n     1\t{NASTY}x") }),
    );
    write("off/four", "It needs a disk", json!(["disk"]), json!({ "any_ok": true }));
    folder
}

const NASTY: &str = "```\u{1b}[31m]]></failure>&amp;\u{0}|%0A::error::x";

struct Told {
    folder: TempDir,
    ran: Ran,
}

impl Told {
    fn file(&self, kind: &str) -> PathBuf {
        self.folder.path().join(kind)
    }

    fn text(&self, kind: &str) -> String {
        fs::read_to_string(self.file(kind)).unwrap()
    }
}

/// All reports of one run.
fn told(cases: &Path) -> Told {
    let folder = tempdir().unwrap();
    let reports: Vec<String> =
        KINDS.iter().map(|kind| format!("{kind}={}", folder.path().join(kind).display())).collect();
    let mut args = vec!["run", "--jobs", "1", "--cases", cases.to_str().unwrap()];
    for report in &reports {
        args.extend(["--report", report]);
    }
    let ran = run(&args);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    Told { folder, ran }
}

#[test]
fn a_run_told_later_says_the_same_to_the_byte() {
    let cases = cases();
    let told = told(cases.path());
    let later = tempdir().unwrap();
    let from = told.file("json");
    let reports: Vec<String> =
        KINDS.iter().map(|kind| format!("{kind}={}", later.path().join(kind).display())).collect();
    let mut args = vec!["report", "--from", from.to_str().unwrap()];
    for report in &reports {
        args.extend(["--to", report]);
    }
    let ran = run(&args);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    for kind in KINDS {
        assert_eq!(told.text(kind), fs::read_to_string(later.path().join(kind)).unwrap(), "{kind}");
    }
    // Without --to, as a run prints it.
    let printed = run(&["report", "--from", from.to_str().unwrap()]);
    assert_eq!(printed.out, told.ran.out);
    assert_eq!(told.text("terminal"), told.ran.out);
}

#[test]
fn the_same_holds_for_all_built_in_cases() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let first =
        run(&["run", "--report", &format!("json={}", path("a")), "--report", &format!("junit={}", path("a.xml"))]);
    assert_eq!(first.code, 0, "{}", first.out);
    let ran = run(&[
        "report",
        "--from",
        &path("a"),
        "--to",
        &format!("json={}", path("b")),
        "--to",
        &format!("junit={}", path("b.xml")),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (a, b) in [("a", "b"), ("a.xml", "b.xml")] {
        assert!(fs::read(path(a)).unwrap() == fs::read(path(b)).unwrap(), "{a}");
    }
}

#[test]
fn junit_is_what_its_readers_expect() {
    let cases = cases();
    let told = told(cases.path());
    let text = told.text("junit");
    let document = Document::parse(&text).expect("another parser reads it");
    let root = document.root_element();
    is_junit(root);
    assert_eq!(counts(root), ["4", "2", "0"]);
    let suites: Vec<_> = root.children().filter(Node::is_element).collect();
    let names: Vec<_> = suites.iter().map(|suite| suite.attribute("name").unwrap()).collect();
    assert_eq!(names, ["bad", "good", "off"]);
    let test = |name: &str| {
        document
            .descendants()
            .find(|node| node.has_tag_name("testcase") && node.attribute("name") == Some(name))
            .unwrap()
    };
    let failure = test("bad/two").children().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(failure.attribute("type"), Some("must behaviour"));
    assert!(failure.attribute("message").unwrap().contains("an error is expected"), "{text}");
    assert!(failure.text().unwrap().contains("bad/two: 100% ]]> <b>bold</b> | `code` ```"), "{text}");
    assert!(failure.text().unwrap().contains("\\u{1b}[31m"), "what cannot be seen is written out: {text}");
    let skipped = test("off/four").children().find(|node| node.has_tag_name("skipped")).unwrap();
    assert!(skipped.attribute("message").unwrap().contains("store's directory"), "{text}");
    assert_eq!(test("good/one").children().filter(Node::is_element).count(), 0);
    assert_eq!(test("good/one").attribute("classname"), Some("memconf.good"));
}

/// The elements, their attributes and their counts, as Jenkins' and Apache Ant's schemas have them.
fn is_junit(root: Node<'_, '_>) {
    let allowed = |node: &Node<'_, '_>| -> (&[&str], &[&str], &[&str]) {
        match node.tag_name().name() {
            "testsuites" => (&["name", "tests", "failures", "errors"], &["time", "skipped"], &["testsuite"]),
            "testsuite" => (&["name", "tests", "failures", "errors"], &["time", "disabled", "skipped"], &["testcase"]),
            "testcase" => {
                (&["name", "classname"], &["time"], &["failure", "error", "skipped", "system-out", "system-err"])
            }
            "failure" | "error" => (&["type"], &["message"], &[]),
            "skipped" => (&[], &["message", "type"], &[]),
            "system-out" | "system-err" => (&[], &[], &[]),
            other => panic!("{other} is no element of JUnit"),
        }
    };
    assert!(root.has_tag_name("testsuites"));
    for node in root.descendants().filter(Node::is_element) {
        let (must, may, children) = allowed(&node);
        let names: Vec<&str> = node.attributes().map(|attribute| attribute.name()).collect();
        assert!(must.iter().all(|name| names.contains(name)), "{node:?}");
        assert!(names.iter().all(|name| must.contains(name) || may.contains(name)), "{node:?}");
        for child in node.children().filter(Node::is_element) {
            assert!(children.contains(&child.tag_name().name()), "{child:?} in {node:?}");
        }
        if let Some(time) = node.attribute("time") {
            assert!(time.parse::<f64>().is_ok(), "{time}");
        }
        if node.tag_name().name().starts_with("testsuite") {
            let tests = |tag: &str| node.descendants().filter(|one| one.has_tag_name(tag)).count().to_string();
            assert_eq!(counts(node), [tests("testcase"), tests("failure"), tests("error")], "{node:?}");
        }
    }
}

fn counts(node: Node<'_, '_>) -> [String; 3] {
    ["tests", "failures", "errors"].map(|name| node.attribute(name).unwrap().to_owned())
}

#[test]
fn ndjson_is_an_event_a_line() {
    let cases = cases();
    let told = told(cases.path());
    let text = told.text("ndjson");
    assert!(text.ends_with('\n'));
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["run-started", "case-finished", "case-finished", "case-finished", "case-finished", "run-finished"]
    );
    assert_eq!(events[0]["cases"], 4);
    let whole: Value = serde_json::from_str(&told.text("json")).unwrap();
    let told_cases: Vec<&Value> = events[1..5].iter().map(|event| &event["case"]).collect();
    assert_eq!(told_cases, whole["cases"].as_array().unwrap().iter().collect::<Vec<_>>());
    assert_eq!(events[5]["summary"], whole["summary"]);
    assert_eq!(events[5]["exit_code"], 1);
}

#[test]
fn github_annotates_the_line_of_the_step() {
    let cases = cases();
    let told = told(cases.path());
    let text = told.text("github");
    for line in text.lines() {
        let (properties, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let word = properties.split(' ').next().unwrap();
        assert!(["error", "warning", "notice"].contains(&word), "{line}");
        assert!(!message.contains('\u{1b}'), "{line}");
    }
    let two = text.lines().find(|line| line.contains("bad/")).expect(&text);
    assert!(two.starts_with("::error file="), "{two}");
    let place = two.split("file=").nth(1).unwrap().split(',').next().unwrap();
    let file = fs::read_to_string(place).expect(place);
    let line: usize = two.split("line=").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    // The second step, which is the one that fails.
    let after = file.lines().skip(line - 1).collect::<Vec<_>>().join("\n");
    assert!(
        after.trim_start().starts_with('{') && after.contains("\"view\"") && !after.contains("\"create\""),
        "{after}"
    );
    assert!(two.contains("%25 "), "a percent sign is escaped: {two}");
    assert!(two.contains("%0Aagain: memconf run"), "{two}");
}

#[test]
fn markdown_holds_no_markup_of_a_handler() {
    let cases = cases();
    let told = told(cases.path());
    let text = told.text("markdown");
    assert!(text.starts_with("## memconf: memconf reference "), "{text}");
    assert!(text.contains("does not conform"), "{text}");
    assert!(text.contains("| behaviour | 1 | 2 | 0 |"), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text}");
    // Outside of code blocks nothing that came from a case or a handler is markup.
    let mut fence: Option<&str> = None;
    let mut outside = String::new();
    for line in text.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None => outside.push_str(&format!("{line}\n")),
        }
    }
    assert_eq!(fence, None, "{text}");
    assert!(!outside.contains("<b>") && !outside.contains("```"), "{outside}");
    assert!(outside.contains("&lt;b&gt;bold"), "{outside}");
    let depth = outside.matches("<details>").count();
    assert!(depth > 0 && depth == outside.matches("</details>").count(), "{outside}");
}

#[test]
fn wrong_uses_are_said() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (args, said) in [
        (vec!["run", "--report", "junit"], "KIND=FILE"),
        (vec!["run", "--report", "junti=a"], "did you mean `junit`?"),
        (vec!["run", "--report", "json=-", "--report", "junit=-"], "two reports go to standard output"),
        (vec!["report", "--from", "/no/such/file"], "/no/such/file"),
        (vec!["diff", "/no/such/file", "/no/such/file"], "/no/such/file"),
    ] {
        let ran = run(&args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(ran.err.contains(said), "{args:?}: {}", ran.err);
    }
    run(&["run", "--filter", "view/empty-root", "--report", &format!("json={}", path("good"))]);
    let good = fs::read_to_string(path("good")).unwrap();
    for (from, to, said) in [
        ("\"schema\": 1", "\"schema\": 9", "it has the schema 9"),
        ("\"verdict\": \"pass\"", "\"verdict\": \"fine\"", "in the case `view/empty-root`: `fine` is not a verdict"),
        ("\"title\"", "\"titel\"", "missing field `title`"),
        ("\"warnings\": []", "\"warnings\": [1]", "at line"),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(path("bad"), good.replacen(from, to, 1)).unwrap();
        let ran = run(&["report", "--from", &path("bad")]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{to}");
        assert!(ran.err.contains(said) && ran.err.contains(&path("bad")), "{to}: {}", ran.err);
    }
    for bytes in [b"".as_slice(), b"[]", b"\xff", b"{\"schema\":1}", "[".repeat(10_000).as_bytes()] {
        fs::write(path("bad"), bytes).unwrap();
        assert_eq!(run(&["diff", &path("bad"), &path("good")]).code, 2);
    }
    // A field of a later version is no fault.
    fs::write(path("bad"), good.replacen("\"schema\": 1", "\"later\": {}, \"schema\": 1", 1)).unwrap();
    assert_eq!(run(&["report", "--from", &path("bad")]).code, 0);
}

#[test]
fn diff_tells_better_worse_new_and_gone() {
    let cases = cases();
    let told = told(cases.path());
    let old: Value = serde_json::from_str(&told.text("json")).unwrap();
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let diff = |new: &Value| {
        fs::write(path("old"), old.to_string()).unwrap();
        fs::write(path("new"), new.to_string()).unwrap();
        run(&["diff", &path("old"), &path("new")])
    };
    let same = diff(&old);
    assert_eq!((same.code, same.out.as_str()), (0, "0 worse, 0 better, 0 new, 0 gone, 4 as before\n"));

    // bad/three, bad/two, good/one, off/four
    let mut better = old.clone();
    better["cases"][1]["verdict"] = "pass".into();
    better["cases"][1]["failures"] = json!([]);
    let ran = diff(&better);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(
        ran.out.contains("better  bad/two  fail -> pass: must behaviour: step 2: an error is expected"),
        "{}",
        ran.out
    );

    let mut worse = old.clone();
    worse["cases"][2]["verdict"] = "could-not-run".into();
    worse["cases"][2]["notes"] = json!(["it hangs"]);
    worse["cases"][0]["failures"][0]["cause"] = "another".into();
    worse["cases"][3]["id"] = "off/five".into();
    let ran = diff(&worse);
    assert_eq!(ran.code, 1, "{}", ran.out);
    for said in [
        "worse   good/one  pass -> could-not-run: it hangs",
        "worse   bad/three  fail -> fail: must",
        "new     off/five  not-applicable",
        "gone    off/four  not-applicable",
        "2 worse, 0 better, 1 new, 1 gone, 1 as before",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
}
