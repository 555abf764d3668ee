//! What memconf tells of itself: help, lists, explanations, completions.

use std::fs;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::tempdir;

use super::common::command::run;
use super::{FAILING, expect, own_cases};

/// The subcommands, as the help lists them.
fn subcommands() -> Vec<String> {
    let help = run(&["--help"]).out;
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    // What a long description goes on with stands deeper than the names.
    let entries = list.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names = entries.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let names: Vec<String> = names.map(str::to_owned).collect();
    for name in ["run", "fuzz", "record", "fixtures", "report", "diff", "list", "explain", "init", "serve"] {
        assert!(names.iter().any(|listed| listed == name), "{help}");
    }
    names
}

#[test]
fn every_help_has_an_example() {
    let whole = run(&["--help"]);
    assert_eq!((whole.code, whole.err.as_str()), (0, ""));
    for name in subcommands() {
        for flag in ["--help", "-h"] {
            let help = run(&[&name, flag]);
            assert_eq!((help.code, help.err.as_str()), (0, ""));
            let examples = help.out.split("Example").nth(1).unwrap_or_else(|| panic!("{}", help.out));
            assert!(examples.contains(&format!("memconf {name}")), "{}", help.out);
        }
    }
    for words in ["run", "0 all that had to hold", "1 a check failed", "2 wrong usage", "3 incomplete", "4 a fault"] {
        assert!(whole.out.contains(words), "{}", whole.out);
    }
    let version = run(&["--version"]);
    assert_eq!((version.code, version.out), (0, format!("memconf {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn examples_of_helps_can_be_run() {
    for args in [
        ["explain", "view.range"].as_slice(),
        &["explain", "ruling.fidelity"],
        &["explain", "str_replace/new-str-omitted"],
        &["list", "--filter", "rename/"],
        &["list", "--requirement", "ruling.fidelity"],
        &["list", "--requirements", "--json"],
    ] {
        let help = format!("{}{}", run(&[args[0], "--help"]).out, run(&["--help"]).out);
        assert!(help.contains(&format!("memconf {}", args.join(" "))), "no help has {args:?}");
        let ran = run(args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
        assert!(!ran.out.is_empty());
    }
}

#[test]
fn explain_tells_of_a_case_and_of_a_requirement() {
    let case = expect(&["explain", "str_replace/new-str-omitted"], 0).out;
    for words in [
        "Omitting new_str deletes old_str",
        "str_replace.new-str-optional (must)",
        "why:",
        "script:",
        "\"command\":\"str_replace\"",
        "memconf run --filter str_replace/new-str-omitted",
    ] {
        assert!(case.contains(words), "{words}: {case}");
    }
    let requirement = expect(&["explain", "str_replace.new-str-optional"], 0).out;
    for words in
        ["asked:", "why:", "str_replace/new-str-omitted", "memconf run --requirement str_replace.new-str-optional"]
    {
        assert!(requirement.contains(words), "{words}: {requirement}");
    }
    let own = own_cases(FAILING);
    let case = expect(&["explain", "--cases", own.path().to_str().unwrap(), "view/mine"], 0).out;
    assert!(case.contains("memconf run --cases") && case.contains("--filter view/mine"), "{case}");
}

#[test]
fn cases_of_two_stores_are_known_without_a_server() {
    let list = expect(&["list", "--filter", "tenants/"], 0).out;
    let id = list.split_whitespace().find(|word| word.starts_with("tenants/")).unwrap();
    let case = expect(&["explain", id], 0).out;
    assert!(case.contains("ruling.tenants-apart") && case.contains("--session-header"), "{case}");
    let ran = expect(&["run", "--filter", id], 3);
    assert!(ran.err.contains("--session-header"), "{}", ran.err);
}

#[test]
fn lists_are_json_on_request() {
    let cases: Value = serde_json::from_str(&expect(&["list", "--json"], 0).out).unwrap();
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), expect(&["list"], 0).out.lines().count());
    for case in cases {
        assert!(case["id"].is_string() && case["title"].is_string() && case["requirements"].is_array(), "{case}");
        assert!(["must", "should", "may"].contains(&case["level"].as_str().unwrap()), "{case}");
    }
    let requirements: Value = serde_json::from_str(&expect(&["list", "--requirements", "--json"], 0).out).unwrap();
    assert!(requirements.as_array().unwrap().iter().all(|one| one["id"].is_string() && one["text"].is_string()));
    let some: Value = serde_json::from_str(&expect(&["list", "--json", "--filter", "rename/"], 0).out).unwrap();
    assert!(some.as_array().unwrap().iter().all(|case| case["id"].as_str().unwrap().contains("rename/")));
}

#[test]
fn completions() {
    let names = subcommands();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = expect(&["completions", shell], 0).out;
        assert!(script.contains("memconf") && names.iter().all(|name| script.contains(name)), "{shell}");
    }
    let bash = tempdir().unwrap();
    let file = bash.path().join("memconf.bash");
    fs::write(&file, expect(&["completions", "bash"], 0).out).unwrap();
    Command::new("bash").arg("-n").arg(file).assert().success();
}
