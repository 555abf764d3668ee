//! Golden fixtures: those of the project are up to date, and a handler's own transcripts tell exactly what changed.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;
mod provision;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::command::{Ran, binary, run};
use memconf::judge::Dialects;
use memconf::wire::Command;
use serde_json::Value;
use tempfile::tempdir;

#[test]
fn the_fixtures_of_the_project_are_up_to_date() {
    let folder = common::package().join("docs/fixtures");
    let ran = run(&["fixtures", "--check", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "write them with `memconf fixtures --out docs/fixtures`:\n{}{}", ran.out, ran.err);
}

#[test]
fn a_stale_file_is_shown_with_a_diff() {
    let folder = tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert_eq!(run(&["fixtures", "--out", path]).code, 0);
    assert_eq!(run(&["fixtures", "--check", path]).code, 0);
    let page = folder.path().join("markdown/view.md");
    fs::write(&page, fs::read_to_string(&page).unwrap().replace("# `view`", "# `look`")).unwrap();
    fs::remove_file(folder.path().join("vectors.json")).unwrap();
    fs::write(folder.path().join("jsonl/old.jsonl"), "").unwrap();
    let ran = run(&["fixtures", "--check", path]);
    assert_eq!(ran.code, 1);
    for said in
        ["view.md is stale:", "-# `look`\n+# `view`", "vectors.json is missing", "old.jsonl belongs to no fixture"]
    {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    assert_eq!(run(&["fixtures", "--out", path, "--case", "no such case"]).code, 2);
    let wrong = run(&["fixtures", "--out", path, "--dialect", "pyton-sdk"]);
    assert!(wrong.code == 2 && wrong.err.contains("did you mean `python-sdk`?"), "{}", wrong.err);
    assert_eq!(run(&["fixtures"]).code, 2);
}

#[test]
fn pairs_are_blocks_of_the_messages_api() {
    let folder = common::package().join("docs/fixtures/jsonl");
    let mut ids = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        for line in fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            let pair: Value = serde_json::from_str(line).expect(line);
            let (call, result) = (&pair["tool_use"], &pair["tool_result"]);
            let id = call["id"].as_str().unwrap();
            assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{id}");
            assert!(ids.insert(id.to_owned()), "{id} stands twice");
            assert_eq!(result["tool_use_id"], id);
            assert_eq!((&call["type"], &call["name"]), (&"tool_use".into(), &"memory".into()));
            assert!(call["input"].is_object() && result["content"].is_string(), "{line}");
        }
    }
    assert!(ids.len() > 1500);
}

#[test]
fn every_documented_message_has_its_example() {
    for command in Command::ALL {
        let page = fs::read_to_string(common::package().join(format!("docs/fixtures/markdown/{command}.md"))).unwrap();
        let messages = Dialects::builtin().docs().messages_of(command).len();
        assert_eq!(page.matches("\n### ").count(), messages, "{page}");
        // The one whose request has a million lines.
        let without = usize::from(command == Command::View);
        assert_eq!(page.matches("Without an example here").count(), without, "{page}");
        assert!(!page.contains('\t'), "TABs are visible");
    }
}

#[test]
fn vectors_are_as_their_schema_says() {
    let read = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(common::package().join("docs/fixtures").join(name)).unwrap()).unwrap()
    };
    let validator = jsonschema::validator_for(&read("vectors.schema.json")).unwrap();
    let vectors = read("vectors.json");
    if let Err(error) = validator.validate(&vectors) {
        panic!("{error}");
    }
    assert!(vectors["vectors"].as_array().unwrap().len() > 450);
}

#[test]
fn a_dialect_has_its_own_words() {
    let folder = tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    for (dialect, page, said) in [
        ("python-sdk", "str_replace", " is not a file.\n"),
        ("python-sdk", "create", "\nFile /memories/"),
        ("docs", "create", "\nError: File /memories/"),
    ] {
        assert_eq!(run(&["fixtures", "--out", path, "--dialect", dialect]).code, 0);
        let page = fs::read_to_string(folder.path().join(format!("markdown/{page}.md"))).unwrap();
        assert!(page.contains(said), "{dialect}: {page}");
    }
}

/// `memconf WORDS -- the reference handler`, one of whose words is replaced by another.
fn rewording(words: &[&str], from: &str, to: &str) -> Ran {
    const WRAP: &str = "import subprocess, sys\n\
        old, new = (word.encode() for word in sys.argv[1:3])\n\
        handler = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n\
        for line in sys.stdin.buffer:\n\
        \x20   handler.stdin.write(line)\n\
        \x20   handler.stdin.flush()\n\
        \x20   sys.stdout.buffer.write(handler.stdout.readline().replace(old, new))\n\
        \x20   sys.stdout.buffer.flush()\n";
    let (python, memconf) = (provision::python().unwrap(), binary());
    let handler = [python.to_str().unwrap(), "-S", "-E", "-c", WRAP, from, to, memconf.to_str().unwrap()];
    let mut command = common::command::memconf();
    command.env_remove("CI").args(words).arg("--").args(handler).args(["serve", "--stdio"]);
    common::command::ran(&mut command)
}

const SELECT: [&str; 4] = ["--filter", "rename/", "--filter", "view/"];

fn with<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [words, SELECT.as_slice()].concat()
}

#[test]
fn a_changed_wording_is_exactly_what_is_reported() {
    let folder = tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let recorded = rewording(&with(&["record", "--out", path]), "x-", "x-");
    assert_eq!(recorded.code, 0, "{}{}", recorded.out, recorded.err);
    let same = rewording(&with(&["run", "--golden", path]), "x-", "x-");
    assert_eq!(same.code, 0, "{}", same.out);
    assert!(same.out.contains("as recorded: ") && same.out.contains("0 changed, 0 not recorded"), "{}", same.out);
    assert_eq!(waiting(folder.path()), 0);

    let drifted = rewording(&with(&["run", "--golden", path]), "Successfully renamed", "Moved");
    assert_eq!(drifted.code, 1);
    assert_eq!(drifted.out.matches("FAIL").count(), 1, "{}", drifted.out);
    assert_eq!(drifted.out.matches("warn").count(), 0, "{}", drifted.out);
    for said in [
        "FAIL must wording: `Successfully renamed` became `Moved`",
        "-Successfully renamed /memories/",
        "+Moved /memories/",
        "not as recorded: ",
        "memconf review ",
    ] {
        assert!(drifted.out.contains(said), "{said}: {}", drifted.out);
    }
    // The report names just those cases whose transcripts hold the words.
    let holding =
        files(folder.path(), ".golden").into_iter().filter(|text| text.contains("\n< Successfully renamed")).count();
    assert!(holding > 20 && drifted.out.contains(&format!("({holding} cases)")), "{holding}: {}", drifted.out);
    assert_eq!(waiting(folder.path()), holding);

    // A review needs a terminal; all at once does not.
    let piped = run(&["review", path]);
    assert!(
        piped.code == 2 && piped.err.contains("needs a terminal") && piped.err.contains("--accept"),
        "{}",
        piped.err
    );
    assert_eq!(run(&["review", path, "--reject"]).code, 0);
    assert_eq!(waiting(folder.path()), 0);
    rewording(&with(&["run", "--golden", path]), "Successfully renamed", "Moved");
    assert_eq!(run(&["review", path, "--accept"]).code, 0);
    assert_eq!(rewording(&with(&["run", "--golden", path]), "Successfully renamed", "Moved").code, 0);

    // --update goes back to how it was.
    let updated = rewording(&with(&["run", "--golden", path, "--update"]), "x-", "x-");
    assert_eq!(updated.code, 0, "{}", updated.out);
    assert!(updated.out.contains(&format!("written: {holding} changed, 0 not recorded before")), "{}", updated.out);
    assert_eq!(rewording(&with(&["run", "--golden", path]), "x-", "x-").code, 0);
}

#[test]
fn an_error_that_became_a_success_is_behaviour() {
    let folder = tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    rewording(&with(&["record", "--out", path]), "x-", "x-");
    let flipped = rewording(&with(&["run", "--golden", path]), ",\"is_error\":true}", "}");
    assert!(flipped.out.contains("FAIL must behaviour: an error became a success"), "{}", flipped.out);
}

#[test]
fn what_was_never_recorded_is_said() {
    let folder = tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let nothing = rewording(&with(&["run", "--golden", path]), "x-", "x-");
    assert!(nothing.code == 2 && nothing.err.contains("memconf record --out"), "{}", nothing.err);
    rewording(&["record", "--out", path, "--filter", "view/empty-root"], "x-", "x-");
    let more = rewording(&with(&["run", "--golden", path]), "x-", "x-");
    assert!(more.code == 0 && more.out.contains("warn should behaviour: not recorded"), "{}", more.out);
    assert!(!more.out.contains("FAIL"), "{}", more.out);
}

fn files(folder: &Path, ending: &str) -> Vec<String> {
    let all = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    let of = all.filter(|entry| entry.file_name().to_str().unwrap().ends_with(ending));
    of.map(|entry| fs::read_to_string(entry.path()).unwrap()).collect()
}

fn waiting(folder: &Path) -> usize {
    files(folder, ".golden.new").len()
}
