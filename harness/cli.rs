//! The command line, as its users meet it: exit codes, messages, what goes to which stream, and what memconf says of
//! itself over stdio.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod common;
mod provision;
#[path = "cli/told.rs"]
mod told;

use std::fs;

use assert_cmd::Command;
use common::command::{Ran, binary, judged, memconf, ran, report, run};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

#[test]
fn exit_codes() {
    let cases = own_cases(FAILING);
    let own = cases.path().to_str().unwrap();
    expect(&["run", "--filter", "view/empty-root"], 0);
    let failed = expect(&["run", "--cases", own], 1);
    assert!(failed.out.contains("FAIL must behaviour") && failed.out.contains("does not conform"), "{}", failed.out);
    // A failed `should` fails the run with --strict alone.
    let cases = own_cases(&FAILING.replace("create.stores-text", "view.missing"));
    let own = cases.path().to_str().unwrap();
    expect(&["run", "--cases", own], 0);
    expect(&["run", "--cases", own, "--strict"], 1);

    expect(&["run", "--no-such-option"], 2);
    expect(&["run", "--report", "xml=a"], 2);
    expect(&["frobnicate"], 2);
    expect(&[], 2);

    let nothing = expect(&["run", "--filter", "no such case"], 3);
    assert!(nothing.err.contains("nothing ran") && nothing.out.is_empty());
    let absent = expect(&["run", "--filter", "view/empty-root", "--", "./no-such-program"], 3);
    assert!(absent.out.contains("could not start") && absent.out.contains("there is no such file"), "{}", absent.out);
    // A handler that never gives an answer, for a reason that its log knows.
    let broken = "import sys; print('no module of that name', file=sys.stderr); sys.exit(7)";
    let mute = expect(&["run", "--jobs", "2", "--", "python3", "-c", broken], 3);
    for words in ["the handler does not start", "exit status 7", "no module of that name", " could-not-run ("] {
        assert!(mute.out.contains(words), "{words}: {}", mute.out);
    }
    assert!(!mute.out.contains("FAIL") && mute.out.matches("no module of that name").count() == 2, "{}", mute.out);
    // One command that ends it is a failure of that command.
    let crashing = "import sys, json\nfor line in sys.stdin:\n  message = json.loads(line)\n  \
                    if message['type'] == 'reset' or message['input']['command'] == 'view': sys.exit(7)\n  \
                    print(json.dumps({'type': 'tool_result', 'tool_use_id': message['id'], 'content': 'x'}), flush=True)";
    let crashed = expect(&["run", "--filter", "view/empty-root", "--", "python3", "-c", crashing], 1);
    assert!(crashed.out.contains("ended without an answer (exit status 7"), "{}", crashed.out);
    // All that was to run does not apply to a handler whose store memconf does not see.
    let unseen = expect(&["run", "--filter", "store/link-to-itself"], 3);
    assert!(unseen.out.contains("1 not-applicable"), "{}", unseen.out);

    let own_fault = ran(memconf().env("TMPDIR", "/no/such/folder").arg("run"));
    assert_eq!(own_fault.code, 4, "{}", own_fault.err);
    assert!(own_fault.err.contains("/no/such/folder") && own_fault.err.contains("TMPDIR"), "{}", own_fault.err);
}

#[test]
fn a_pipe_gets_no_colour_and_no_progress() {
    let cases = own_cases(FAILING);
    for args in [
        vec!["run"],
        vec!["run", "--cases", cases.path().to_str().unwrap()],
        vec!["list"],
        vec!["explain", "view.range"],
    ] {
        let ran = run(&args);
        assert!(!ran.out.contains('\x1b') && !ran.out.contains('\r'), "{}", ran.out);
        assert_eq!(ran.err, "", "{args:?}");
    }
}

#[test]
fn a_terminal_gets_both_and_no_color_is_heeded() {
    let cases = own_cases(FAILING);
    let words = ["run", "--cases", cases.path().to_str().unwrap()];
    let coloured = on_terminal(&words, false);
    assert!(coloured.contains("\x1b[1m\x1b[31mFAIL") || coloured.contains("\x1b[31m"), "{coloured:?}");
    assert!(on_terminal(&["run"], false).contains(" cases, "), "a bar is drawn");
    let plain = on_terminal(&words, true);
    assert!(plain.contains("FAIL must behaviour"), "{plain:?}");
    assert!(!has_style(&plain), "{plain:?}");
}

#[test]
fn the_json_report_is_one_object_with_the_fields_of_the_contract() {
    let cases = own_cases(FAILING);
    let ran = run(&["run", "--cases", cases.path().to_str().unwrap(), "--report", "json=-"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&ran.out).expect("one object and nothing else");
    assert_eq!(report["memconf"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["schema"], 1);
    assert_eq!(report["exit_code"], 1);
    assert_eq!(report["handler"]["transport"], "built-in");
    assert_eq!(report["handler"]["name"], "memconf reference");
    assert!(report["handler"]["version"].is_string());
    let summary = &report["summary"];
    assert_eq!(summary["cases"], 1);
    for verdict in
        ["pass", "fail", "warn", "expected-fail", "unexpected-pass", "not-applicable", "could-not-run", "harness-error"]
    {
        assert_eq!(summary["verdicts"][verdict], u64::from(verdict == "fail"), "{verdict}");
    }
    for facet in ["safety", "behaviour", "wording"] {
        assert!(summary["facets"][facet]["pass"].is_u64() && summary["facets"][facet]["fail"].is_u64(), "{summary}");
    }
    assert!(summary.get("dialect").is_some() && summary["choices"].is_object(), "{summary}");
    let case = &report["cases"][0];
    assert_eq!(case["id"], "view/mine");
    assert_eq!(case["verdict"], "fail");
    assert_eq!(case["level"], "must");
    assert_eq!(case["requirements"], json!(["create.stores-text"]));
    assert_eq!(case["facets"]["behaviour"], "fail");
    assert!(case["duration_us"].is_u64());
    let failure = &case["failures"][0];
    assert_eq!(
        (&failure["step"], &failure["facet"], &failure["level"]),
        (&json!(1), &json!("behaviour"), &json!("must"))
    );
    for field in ["message", "expected", "actual"] {
        assert!(failure.get(field).is_some(), "{failure}");
    }
    assert_eq!(case["steps"][0]["call"], json!({ "command": "view", "path": "/memories/none.txt" }));
    assert_eq!(case["steps"][0]["result"]["is_error"], true);
    assert!(case["steps"][0]["result"]["content"].is_string());

    // The same in a file, beside the report for people.
    let file = cases.path().join("report.txt");
    let kind = format!("json={}", file.display());
    let with_file = run(&["run", "--cases", cases.path().to_str().unwrap(), "--report", &kind]);
    assert!(with_file.code == 1 && with_file.out.contains("does not conform"), "{}", with_file.out);
    let mut written: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let mut printed = report;
    without_durations(&mut written);
    without_durations(&mut printed);
    assert_eq!(written, printed);

    let nowhere = run(&["run", "--filter", "view/empty-root", "--report", "json=/no/such/folder/r.json"]);
    assert!(nowhere.code == 2 && nowhere.err.contains("/no/such/folder/r.json"), "{}", nowhere.err);
}

#[test]
fn a_wrong_case_file_is_named_with_line_and_field() {
    for (from, to, said) in [
        ("\"any_ok\"", "\"any_okay\"", ["view/mine.json:6:", "`any_okay`", "did you mean `any_ok`?"]),
        ("\"title\"", "\"titel\"", ["view/mine.json:3:", "`titel`", "did you mean `title`?"]),
        ("create.stores-text", "create.store-text", ["view/mine.json:4:", "`requirements`", "`create.stores-text`"]),
        ("view/mine", "view/other", ["view/mine.json:2:", "`view/other`", "`view/mine`"]),
        ("  ]\n}", "  ]\n", ["view/mine.json:", "EOF", ""]),
        (", \"expect\": { \"any_ok\": true }", "", ["view/mine.json", "expect", ""]),
    ] {
        assert!(FAILING.contains(from), "{from}");
        let cases = own_cases(&FAILING.replace(from, to));
        for command in ["run", "list"] {
            let ran = run(&[command, "--cases", cases.path().to_str().unwrap()]);
            assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{to}: {}", ran.err);
            assert!(said.iter().all(|said| ran.err.contains(said)), "{said:?}: {}", ran.err);
            assert!(ran.err.starts_with("memconf: "), "{}", ran.err);
        }
    }
    let absent = expect(&["run", "--cases", "no/such/folder"], 2);
    assert!(absent.err.contains("no/such/folder"), "{}", absent.err);
}

#[test]
fn a_wrong_name_is_answered_with_the_nearest() {
    for (args, code, said) in [
        (["run", "--requirement", "view.rang"].as_slice(), 2, "did you mean `view.range`?"),
        (&["list", "--requirement", "view.rang"], 2, "did you mean `view.range`?"),
        (&["run", "--dialect", "pyton-sdk"], 2, "did you mean `python-sdk`?"),
        (&["run", "--filter", "view/empty-rot"], 3, "did you mean `view/empty-root`?"),
        (&["explain", "view/empty-rot"], 2, "did you mean `view/empty-root`?"),
        (&["explain", "view.rang"], 2, "did you mean `view.range`?"),
        (&["explain", "nonsense"], 2, "`memconf list` shows all"),
        (&["run", "--known-failures", "no/such.toml"], 2, "no/such.toml"),
        (&["run", "--timeout", "0"], 2, "--timeout"),
        (&["run", "--dialekt", "docs"], 2, "--dialect"),
        (&["init", "pyton"], 2, "python"),
    ] {
        let ran = expect(args, code);
        assert!(ran.err.contains(said), "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
    }
}

#[test]
fn a_list_of_known_failures_with_a_mistake_is_named_with_its_line() {
    let folder = tempdir().unwrap();
    let list = folder.path().join("known.toml");
    for (text, said) in [
        ("[[failure]]\ncase = \"view/empty-root\"\nfacet = \"style\"\nseen = \"\"\n", ["style", "behaviour"]),
        ("[[failure]]\ncase = \"view/empty-root\"\nfacets = \"safety\"\nseen = \"\"\n", ["facets", "facet"]),
    ] {
        fs::write(&list, text).unwrap();
        let ran = expect(&["run", "--known-failures", list.to_str().unwrap()], 2);
        assert!(said.iter().all(|said| ran.err.contains(said)) && ran.err.contains("line 3"), "{}", ran.err);
        assert!(ran.err.contains("known.toml"), "{}", ran.err);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_belt_lets_a_handler_write_in_its_sandbox_only() {
    let (inner, outer) = (tempdir().unwrap(), tempdir().unwrap());
    let script = "echo in > \"$1/in\"; mv \"$1/in\" \"$1/moved\"; echo out > \"$2/out\"; cat \"$2/there\" > /dev/null";
    fs::write(outer.path().join("there"), "").unwrap();
    let words = ["-c", script, "sh"].map(str::to_owned).into_iter();
    let places = [inner.path(), outer.path()].map(|path| path.display().to_string());
    let belt =
        Command::new(binary()).arg("belt").arg(inner.path()).args(["--", "sh"]).args(words).args(places).output();
    let said = String::from_utf8(belt.unwrap().stderr).unwrap();
    assert!(inner.path().join("moved").exists(), "{said}");
    assert!(!outer.path().join("out").exists() && said.to_lowercase().contains("denied"), "{said}");

    let own = binary().display().to_string();
    let handler = ["--", &own, "serve", "--stdio", "--disk"];
    let fuzz = expect(&[&["fuzz", "--belt", "--count", "100", "--jobs", "1"], handler.as_slice()].concat(), 0).out;
    assert!(fuzz.contains("nothing found in 200 attempts"), "{fuzz}");
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let own = own_cases(FAILING);
    for words in [
        "list --json".to_owned(),
        "list --requirements --json".to_owned(),
        "run --report json=-".to_owned(),
        "completions bash".to_owned(),
        format!("run --cases '{}' --verbose", own.path().display()),
    ] {
        let script = format!("set -o pipefail; '{}' {words} | head -c 1", binary().display());
        let ran = ran(Command::new("bash").args(["-c", &script]));
        assert_eq!(ran.err, "", "{words}");
        assert!(ran.code == 0 || (words.contains("--cases") && ran.code <= 1), "{words}: {}", ran.code);
    }
}

#[test]
fn an_id_selects_just_its_case() {
    let ids = |filter: &str| -> Vec<String> {
        let list: Value = serde_json::from_str(&expect(&["list", "--json", "--filter", filter], 0).out).unwrap();
        list.as_array().unwrap().iter().map(|case| case["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("delete/root"), ["delete/root"]);
    assert!(ids("delete/roo").len() > 3);
    let both = expect(&["list", "--filter", "delete/root", "--filter", "view/empty-root"], 0);
    assert_eq!(both.out.lines().count(), 2);
    let level = expect(&["list", "--filter", "view/", "--level", "must"], 0).out;
    assert!(level.lines().all(|line| line.starts_with("must ")), "{level}");
}

#[test]
fn known_failures_work_in_both_directions() {
    let cases = own_cases(FAILING);
    let own = cases.path().to_str().unwrap();
    let list = cases.path().join("known.toml");
    let file = list.to_str().unwrap();

    let written = expect(&["run", "--cases", own, "--write-known-failures", file], 0);
    assert!(written.err.contains("1 known failure") && written.err.contains(file), "{}", written.err);
    let text = fs::read_to_string(&list).unwrap();
    assert!(text.contains("case = \"view/mine\"\nfacet = \"behaviour\"\nseen = "), "{text}");

    let expected = expect(&["run", "--cases", own, "--known-failures", file], 0);
    assert!(expected.out.contains("1 expected-fail"), "{}", expected.out);

    // What was filled in by hand is kept.
    fs::write(&list, text.replace("reason = \"\"", "reason = \"on purpose\"")).unwrap();
    expect(&["run", "--cases", own, "--write-known-failures", file], 0);
    assert!(fs::read_to_string(&list).unwrap().contains("reason = \"on purpose\""));

    // It fails with another result than the one listed.
    fs::write(&list, text.replace("seen = \"step 1", "seen = \"step 7")).unwrap();
    let otherwise = expect(&["run", "--cases", own, "--known-failures", file], 1);
    assert!(otherwise.out.contains("another result") && otherwise.out.contains("line 4"), "{}", otherwise.out);

    // It fails no more.
    let mended = FAILING.replace("\"any_ok\"", "\"any_error\"");
    fs::write(cases.path().join("view/mine.json"), mended).unwrap();
    fs::write(&list, &text).unwrap();
    let stale = expect(&["run", "--cases", own, "--known-failures", file], 1);
    assert!(stale.out.contains("view/mine no longer fails") && stale.out.contains("line 4"), "{}", stale.out);
    assert!(stale.out.contains("1 unexpected-pass"), "{}", stale.out);

    // There is no such case.
    fs::write(&list, text.replace("view/mine", "view/gone")).unwrap();
    let gone = expect(&["run", "--cases", own, "--known-failures", file], 1);
    assert!(gone.out.contains("no case is called view/gone") && gone.out.contains("line 4"), "{}", gone.out);
}

#[test]
fn the_order_of_the_work_changes_nothing() {
    let folder = tempdir().unwrap();
    let of = |options: &[&str], handler: &[String]| {
        let mut report = report(folder.path(), options, handler, &[]);
        without_durations(&mut report);
        report
    };
    let served = [binary().display().to_string(), "serve".into(), "--stdio".into(), "--disk".into()];
    for handler in [[].as_slice(), &served] {
        let serial = of(&["--jobs", "1"], handler);
        for options in
            [["--jobs", "4"].as_slice(), &["--jobs", "4", "--shuffle", "1"], &["--jobs", "1", "--shuffle", "2"]]
        {
            assert_eq!(of(options, handler), serial, "{options:?} {handler:?}");
        }
    }
}

#[test]
fn memconf_conforms_over_stdio_too() {
    let folder = tempdir().unwrap();
    let served = |more: &[&str]| {
        let mut words = vec![binary().display().to_string(), "serve".into(), "--stdio".into()];
        words.extend(more.iter().map(|word| (*word).to_owned()));
        report(folder.path(), &[], &words, &[])
    };
    let built_in = report(folder.path(), &["--disk"], &[], &[]);
    let disk = served(&["--disk"]);
    assert_eq!(judged(&disk), judged(&built_in));
    assert_eq!(disk["summary"]["verdicts"]["pass"], disk["summary"]["cases"]);
    assert_eq!(disk["handler"]["transport"], "stdio");
    assert_eq!(disk["warnings"], json!([]));

    // In memory, what has to outlive the process does not.
    let built_in = judged(&report(folder.path(), &[], &[], &[]));
    for (id, line) in judged(&served(&[])) {
        if line != built_in[&id] {
            assert!(line.starts_with("\"not-applicable\"") && id.starts_with("store/"), "{id}: {line}");
        }
    }
}

#[test]
fn serve_answers_what_it_does_not_know() {
    let input = "{\"type\":\"hello\"}\nnonsense\n\
                 {\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"memory\",\"input\":{\"command\":\"view\",\"path\":\"/memories\"}}\n";
    let ran = ran(memconf().args(["serve", "--stdio"]).write_stdin(input));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<&Value> = lines.iter().map(|line| &line["type"]).collect();
    assert_eq!(types, [&json!("error"), &json!("error"), &json!("tool_result")]);
    assert_eq!(lines[2]["tool_use_id"], "toolu_1");
}

/// A case that memconf's own handler fails, since it is wrong.
const FAILING: &str = r#"{
  "id": "view/mine",
  "title": "A view of a missing file succeeds",
  "requirements": ["create.stores-text"],
  "steps": [
    { "call": { "command": "view", "path": "/memories/none.txt" }, "expect": { "any_ok": true } }
  ]
}
"#;

/// A folder with one case, `view/mine`.
fn own_cases(text: &str) -> TempDir {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("view")).unwrap();
    fs::write(folder.path().join("view/mine.json"), text).unwrap();
    folder
}

#[track_caller]
fn expect(args: &[&str], code: i32) -> Ran {
    let ran = run(args);
    assert_eq!(ran.code, code, "memconf {args:?}\n{}\n{}", ran.out, ran.err);
    ran
}

/// What `memconf ARGS` shows on a terminal.
fn on_terminal(args: &[&str], no_color: bool) -> String {
    let python = provision::python().unwrap_or_else(|error| panic!("{error}"));
    let script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
    let mut command = Command::new(python);
    command.args(["-I", "-c", script]).arg(binary()).args(args).env("TERM", "xterm-256color");
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(name);
    }
    if no_color {
        command.env("NO_COLOR", "1");
    }
    ran(&mut command).out
}

/// Whether a text has an escape code for colours or weights (`ESC [ ... m`); those that move the cursor do not count.
fn has_style(text: &str) -> bool {
    text.split("\x1b[")
        .skip(1)
        .any(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m'))
}

fn without_durations(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove("duration_us");
            object.values_mut().for_each(without_durations);
        }
        Value::Array(list) => list.iter_mut().for_each(without_durations),
        _ => {}
    }
}
