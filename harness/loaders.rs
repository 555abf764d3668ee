//! The loaders of docs/loaders/ on real handlers: pytest and vitest come to memconf's own verdicts.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;
mod provision;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::command::{binary, report, run};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Verdicts that differ, each with its reason. A text that only begins as documented is judged by memconf in the
/// documented dialect alone; and an error that is not flagged is one for memconf if its words say so.
const DIFFER: [&str; 3] = ["fidelity/end-of-long-file-survives", "view/long-file", "input/prototype-commands"];

const PYTEST: &str = "pytest==9.0.2";
const VITEST: &str = "vitest@4.1.12";

#[test]
fn pytest_and_vitest_agree_with_memconf() {
    let reference = vec![binary().display().to_string(), "serve".into(), "--stdio".into()];
    let mut handlers = vec![("docs", reference, Vec::new())];
    for name in ["python-sdk", "typescript-sdk"] {
        let provisioned = provision::provision(name).unwrap();
        handlers.push((name, provisioned.command, provisioned.env));
    }
    for (dialect, command, env) in handlers {
        let folder = tempdir().unwrap();
        let path = folder.path();
        let written = run(&["fixtures", "--out", path.to_str().unwrap(), "--format", "vectors", "--dialect", dialect]);
        assert_eq!(written.code, 0, "{}", written.err);
        let own = memconf_fails(&report(path, &["--dialect", dialect, "--strict"], &command, &env));
        let set = |runner: &mut Command| {
            runner
                .envs(env.iter().cloned())
                .env("COMMAND", json!(command).to_string())
                .env("VECTORS", path.join("vectors.json"));
        };
        for (loader, verdicts) in [("pytest", pytest(path, &set)), ("vitest", vitest(path, &set))] {
            assert!(verdicts.len() > 400, "{loader} ran {} vectors", verdicts.len());
            let differ: Vec<&String> = verdicts
                .iter()
                .filter(|(id, failed)| own.get(*id) != Some(failed) && !DIFFER.contains(&id.as_str()))
                .map(|(id, _)| id)
                .collect();
            assert!(differ.is_empty(), "{loader} on {dialect} differs: {differ:?}");
        }
    }
}

/// Whether behaviour or wording of a case fails at all.
fn memconf_fails(report: &Value) -> BTreeMap<String, bool> {
    let cases = report["cases"].as_array().unwrap().iter();
    let failed = |case: &Value| case["failures"].as_array().unwrap().iter().any(|failure| failure["facet"] != "safety");
    cases.map(|case| (case["id"].as_str().unwrap().to_owned(), failed(case))).collect()
}

/// Whether each vector that was not skipped failed.
fn pytest(folder: &Path, set: &dyn Fn(&mut Command)) -> BTreeMap<String, bool> {
    // The installer that provisioning has brought.
    provision::provision("python-sdk").unwrap();
    fs::copy(common::package().join("docs/loaders/test_memory_vectors.py"), folder.join("test_memory_vectors.py"))
        .unwrap();
    fs::copy(common::harness("loaders/conftest.py"), folder.join("conftest.py")).unwrap();
    let mut runner = Command::new(common::package().join("target/provision/uv/bin/uv"));
    runner.args(["run", "--no-project", "--with", PYTEST, "python", "-m", "pytest", "-q", "--tb=no", "-rA"]);
    set(&mut runner);
    let output = runner.current_dir(folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let verdict = |line: &str| {
        let failed = match line.split(' ').next() {
            Some("FAILED") => true,
            Some("PASSED") => false,
            _ => return None,
        };
        Some((line.split('[').nth(1)?.split(']').next()?.to_owned(), failed))
    };
    let found: BTreeMap<String, bool> = text.lines().filter_map(verdict).collect();
    assert!(!found.is_empty(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    found
}

fn vitest(folder: &Path, set: &dyn Fn(&mut Command)) -> BTreeMap<String, bool> {
    let modules = vitest_installed();
    std::os::unix::fs::symlink(modules.join("node_modules"), folder.join("node_modules")).unwrap();
    for (from, name) in [
        (common::package().join("docs/loaders/memory-vectors.test.mjs"), "memory-vectors.test.mjs"),
        (common::harness("loaders/handler.mjs"), "handler.mjs"),
    ] {
        fs::copy(from, folder.join(name)).unwrap();
    }
    let mut runner = Command::new("node");
    // A loaded machine is no verdict on a handler.
    let patience = "--testTimeout=120000";
    runner.args(["node_modules/vitest/vitest.mjs", "run", "--reporter=json", "--outputFile=out.json", patience]);
    set(&mut runner);
    let output = runner.env("TMPDIR", folder).current_dir(folder).output().unwrap();
    let told = fs::read(folder.join("out.json"));
    let told = told.unwrap_or_else(|_| panic!("no report: {}", String::from_utf8_lossy(&output.stderr)));
    let told: Value = serde_json::from_slice(&told).unwrap();
    let tests =
        told["testResults"].as_array().unwrap().iter().flat_map(|file| file["assertionResults"].as_array().unwrap());
    let verdict = |test: &Value| match test["status"].as_str() {
        Some("failed") => Some((test["title"].as_str()?.to_owned(), true)),
        Some("passed") => Some((test["title"].as_str()?.to_owned(), false)),
        _ => None,
    };
    tests.filter_map(verdict).collect()
}

/// vitest, below target/provision/.
fn vitest_installed() -> PathBuf {
    let folder = common::package().join("target/provision").join(VITEST.replace('@', "-"));
    if !folder.join("node_modules/vitest/vitest.mjs").exists() {
        fs::create_dir_all(&folder).unwrap();
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock", VITEST]).arg("--prefix").arg(&folder);
        let output = npm.current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    folder
}
