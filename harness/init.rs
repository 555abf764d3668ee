//! What `memconf init` writes is run for real: each template is judged as this folder's own adapter is for the same
//! handler, the Rust one in a crate of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod common;
mod provision;

use std::fs;
use std::path::{Path, PathBuf};

use common::command::{Ran, judged, memconf, ran, report, scratch_crate};
use provision::{Provisioned, provision};
use serde_json::json;
use tempfile::tempdir;

/// All views, and enough of the rest to need every part of an adapter: long texts, errors, a start on an old store.
const ENOUGH: [&str; 8] = [
    "--filter=view/",
    "--filter=input/very-long-text",
    "--filter=input/unknown-command",
    "--filter=fidelity/unicode-separators-survive-insert",
    "--filter=fidelity/four-byte-characters-survive",
    "--filter=str_replace/new-str-omitted",
    "--filter=store/link-to-itself",
    "--filter=store/file-persists",
];

#[test]
fn python() {
    let sdk = provision("python-sdk").unwrap_or_else(|error| panic!("{error}"));
    let folder = tempdir().unwrap();
    assert!(init(folder.path(), &["python"]).out.contains("memconf run -- python3 memconf_adapter.py\n"));
    agrees(folder.path(), [&sdk.command[0], "memconf_adapter.py"], &sdk);
}

#[test]
fn typescript() {
    let sdk = provision("typescript-sdk").unwrap_or_else(|error| panic!("{error}"));
    let folder = tempdir().unwrap();
    let modules = Path::new(&sdk.env[0].1).join("node_modules");
    std::os::unix::fs::symlink(modules, folder.path().join("node_modules")).unwrap();
    let said = init(folder.path(), &["typescript"]).out;
    assert!(said.contains("memconf run -- node_modules/.bin/tsx memconf_adapter.ts\n"), "{said}");
    agrees(folder.path(), ["node_modules/.bin/tsx", "memconf_adapter.ts"], &sdk);
}

#[test]
fn shell() {
    needs("bash");
    needs("jq");
    let folder = tempdir().unwrap();
    assert!(init(folder.path(), &["shell"]).out.contains("memconf run -- bash memconf_adapter.sh\n"));
    let report = report(folder.path(), &ENOUGH, &["bash", "memconf_adapter.sh"].map(String::from), &[]);
    let warnings = report["warnings"].as_array().unwrap();
    assert!(warnings.iter().all(|one| one.as_str().unwrap().contains("is not implemented")), "{warnings:?}");
    let mut answers = 0;
    for case in report["cases"].as_array().unwrap() {
        for step in case["steps"].as_array().unwrap() {
            assert_eq!(step.get("fault"), None, "{case:#}");
            let Some(result) = step.get("result") else { continue };
            let command = step["call"]["command"].as_str().unwrap_or("null");
            let text = format!("Error: the command {command} is not implemented");
            assert_eq!(result, &json!({ "content": text, "is_error": true }), "{case:#}");
            answers += 1;
        }
        assert_ne!(case["verdict"], "harness-error", "{case:#}");
    }
    assert!(answers > 50);
}

#[test]
fn a_shell_handler_is_text_for_text_what_it_prints() {
    needs("jq");
    let folder = tempdir().unwrap();
    init(folder.path(), &["shell"]);
    let file = folder.path().join("memconf_adapter.sh");
    let template = fs::read_to_string(&file).unwrap();
    let (before, _) = template.split_once("  printf 'Error: the command").unwrap();
    let (_, after) = template.split_once("# CHANGE: call your handler\n").unwrap();
    // The reference handler, a process for each command: its answer goes out as it is, to the last LF.
    let memconf = common::command::binary();
    let served = format!(
        "  answer=$(jq -c '{{type: \"tool_use\", id: \"x\", input: .}}' | '{}' serve --stdio --disk)\n  \
           jq -j .content <<<\"$answer\"; ! jq -e .is_error <<<\"$answer\" >/dev/null\n",
        memconf.display()
    );
    fs::write(&file, format!("{before}{served}{after}")).unwrap();
    let handler = ["bash".to_owned(), "memconf_adapter.sh".to_owned()];
    let options =
        ["--filter=trailing", "--filter=fidelity/quotes-and-json-survive", "--filter=fidelity/bom", "--filter=joiners"];
    let report = report(folder.path(), &options, &handler, &[]);
    for case in report["cases"].as_array().unwrap() {
        assert_eq!(case["verdict"], "pass", "{case:#}");
    }
    assert!(report["summary"]["cases"].as_u64() > Some(5), "{}", report["summary"]);
}

#[test]
fn rust() {
    let project = scratch_crate();
    let said = init(project.path(), &["rust"]).out;
    let template = fs::read_to_string(project.path().join("tests/memory_tool.rs")).unwrap();
    let in_comment = template.split("//! ```toml\n").nth(1).and_then(|rest| rest.split("//! ```\n").next()).unwrap();
    let lines: Vec<&str> = in_comment.lines().map(|line| line.trim_start_matches("//!").trim()).collect();
    for line in &lines {
        assert!(said.lines().any(|said| said.trim() == *line), "init does not say `{line}`:\n{said}");
    }
    project.add(&lines.join("\n"));
    assert!(said.ends_with("Next:\n  cargo test --test memory_tool\n"), "{said}");
    let ran = project.cargo(&["test", "--test", "memory_tool"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let last = ran.out.lines().rfind(|line| line.starts_with("test result: ok. ")).unwrap_or_default();
    let passed: usize = last.split(' ').nth(3).and_then(|count| count.parse().ok()).unwrap_or(0);
    assert!(passed > 400 && last.contains(" 0 failed"), "{}", ran.out);
}

#[test]
fn nothing_is_overwritten_and_only_a_missing_tests_folder_is_made() {
    let folder = tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("memconf_adapter.py"), "mine").unwrap();
    let refused = ran(memconf().current_dir(here).args(["init", "python"]));
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert!(refused.err.contains("memconf_adapter.py is there already") && refused.err.contains("--out"));
    assert_eq!(fs::read_to_string(here.join("memconf_adapter.py")).unwrap(), "mine");

    let nowhere = ran(memconf().current_dir(here).args(["init", "shell", "--out", "tools/adapter.sh"]));
    assert_eq!(nowhere.code, 2);
    assert!(nowhere.err.contains("there is no folder tools"), "{}", nowhere.err);

    init(here, &["rust", "--out", "deep/tests/mine.rs"]);
    let said = init(here, &["shell", "--out", "an adapter.sh"]).out;
    assert!(said.contains("memconf run -- bash 'an adapter.sh'\n"), "{said}");
    assert!(here.join("deep/tests/mine.rs").is_file() && here.join("an adapter.sh").is_file());
}

#[test]
fn a_dash_prints_the_adapter_and_nothing_else() {
    for (language, file) in [
        ("python", "memconf_adapter.py"),
        ("typescript", "memconf_adapter.ts"),
        ("rust", "memory_tool.rs"),
        ("shell", "memconf_adapter.sh"),
    ] {
        let folder = tempdir().unwrap();
        let printed = init(folder.path(), &[language, "--out", "-"]).out;
        let template = common::package().join("src/cli/templates").join(file);
        assert_eq!(printed, fs::read_to_string(template).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(printed.matches(" CHANGE: ").count(), 2, "{printed}");
    }
}

/// `memconf init ARGS` in `folder`.
#[track_caller]
fn init(folder: &Path, args: &[&str]) -> Ran {
    let ran = ran(memconf().current_dir(folder).arg("init").args(args));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    ran
}

/// The template is judged as the harness's own adapter is, on the same SDK.
fn agrees(folder: &Path, adapter: [&str; 2], sdk: &Provisioned) {
    let own = report(folder, &ENOUGH, &sdk.command, &sdk.env);
    let template = report(folder, &ENOUGH, &adapter.map(String::from), &[]);
    assert_eq!(template["warnings"], json!([]));
    assert_eq!(template["handler"]["name"], "BetaLocalFilesystemMemoryTool");
    let (own, template) = (judged(&own), judged(&template));
    assert!(own.len() > 40 && own.values().any(|line| line.starts_with("\"pass\"")), "{own:#?}");
    for (id, line) in &own {
        assert_eq!(template.get(id), Some(line), "{id}");
    }
}

#[track_caller]
fn needs(tool: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.is_file());
    found.unwrap_or_else(|| {
        panic!("{tool} is not on the PATH: install it (Debian: apt-get install {tool}; macOS: brew install {tool})")
    })
}
