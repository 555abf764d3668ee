//! Handlers that crash, hang, flood and lie: each ends in the right verdict, the cases beside it are judged as ever,
//! and no process of theirs survives, also when memconf is interrupted or killed.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;
mod provision;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// What a mode does to the case that triggers it: the verdict, and words of its message or of the run's warnings.
const MODES: [(&str, &str, &str); 29] = [
    ("none", "pass", ""),
    ("crash", "fail", "ended without an answer (exit status 3)"),
    ("crash-signal", "fail", "ended without an answer (signal 11"),
    ("hang", "fail", "no answer within"),
    ("never-answer", "fail", "no answer within"),
    ("slow-drip", "fail", "part of a line came"),
    ("close-stdin", "pass", ""),
    ("close-stdout", "fail", "closed its stdout without an answer"),
    ("ignore-eof", "pass", ""),
    ("fork-child", "pass", ""),
    ("fork-daemon", "pass", ""),
    ("flood-stderr", "pass", ""),
    ("garbage", "fail", "`hello` is not a JSON object"),
    ("two-on-a-line", "fail", "one JSON object a line"),
    ("split-over-two-lines", "fail", "one JSON object a line"),
    ("output-before-reply", "pass", "print logs to stderr"),
    ("flood-line", "fail", "longer than"),
    ("flood-lines", "fail", ""),
    ("not-utf8", "fail", "is not UTF-8"),
    ("deep-json", "fail", "recursion limit"),
    ("huge-number", "fail", "number out of range"),
    ("wrong-id", "fail", "names the id"),
    ("late-reply", "fail", ""),
    ("null-content", "fail", "nothing is shown"),
    ("no-content", "fail", "nothing is shown"),
    ("is-error-string", "fail", "`is_error` that is a string"),
    ("is-error-number", "fail", "`is_error` that is a number"),
    ("content-blocks", "pass", ""),
    ("content-image", "pass", ""),
];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = MODES
        .iter()
        .map(|(mode, verdict, words)| Trial::test(*mode, move || is_judged(mode, verdict, words)))
        .collect();
    trials.push(Trial::test("every-mode-is-tried", every_mode_is_tried));
    trials.push(Trial::test("interrupted", || is_stopped("INT", 130)));
    trials.push(Trial::test("terminated", || is_stopped("TERM", 143)));
    trials.push(Trial::test("killed", || is_stopped("KILL", 137)));
    libtest_mimic::run(&arguments, trials).exit()
}

/// Runs a case before, the case that triggers the mode, and a case after it, all with one worker.
fn is_judged(mode: &str, verdict: &str, words: &str) -> Result<(), Failed> {
    let place = Place::new(mode);
    let output = place.memconf(mode, "1").output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no report: {error}\n{}", String::from_utf8_lossy(&output.stderr)))?;
    let case = |id: &str| report["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap().clone();
    let (before, trigger, after) = (case("a/before"), case("b/trigger"), case("c/after"));
    let text = format!("{trigger:#}\nwarnings: {:#}", report["warnings"]);
    if trigger["verdict"] != verdict || !text.contains(words) {
        return Err(format!("{verdict} with `{words}` expected:\n{text}").into());
    }
    for other in [before, after] {
        if other["verdict"] != "pass" {
            return Err(format!("a case beside it is not judged as ever:\n{other:#}").into());
        }
    }
    place.is_clean()
}

fn every_mode_is_tried() -> Result<(), Failed> {
    let output =
        Command::new(provision::python()?).arg(common::harness("hostile/hostile.py")).arg("--list").output()?;
    let listed = String::from_utf8(output.stdout)?;
    let missing: Vec<&str> = listed.lines().filter(|mode| !MODES.iter().any(|(known, ..)| known == mode)).collect();
    if missing.is_empty() && !listed.is_empty() { Ok(()) } else { Err(format!("not tried: {missing:?}").into()) }
}

/// Stops memconf while a handler hangs that ignores every polite signal.
fn is_stopped(signal: &str, code: i32) -> Result<(), Failed> {
    let place = Place::new("hang");
    let mut child = place.memconf("hang", "600").stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // The mark is there before the handler hangs.
    place.wait_for(|| !place.survivors().is_empty());
    std::thread::sleep(Duration::from_millis(1500));
    Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status()?;
    let status = child.wait()?;
    let ended =
        status.code().unwrap_or_else(|| 128 + std::os::unix::process::ExitStatusExt::signal(&status).unwrap_or(0));
    if ended != code {
        return Err(format!("ended with {ended}, {code} expected").into());
    }
    if signal == "KILL" {
        // Nobody was left to clean the sandbox; the handler must be gone all the same.
        place.wait_for(|| place.survivors().is_empty());
        return match place.survivors().as_slice() {
            [] => Ok(()),
            alive => Err(format!("still alive: {alive:?}").into()),
        };
    }
    place.is_clean()
}

struct Place {
    folder: tempfile::TempDir,
    mark: String,
}

impl Place {
    fn new(mode: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let mark = format!("{mode}-{}", folder.path().file_name().unwrap().to_string_lossy());
        let place = Place { folder, mark };
        std::fs::create_dir(place.tmp()).unwrap();
        place.write("a/before", "before.txt", "quiet one");
        place.write("b/trigger", "trigger.txt", "quiet two");
        place.write("c/after", "after.txt", "quiet three");
        place
    }

    fn tmp(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    fn write(&self, id: &str, name: &str, text: &str) {
        let path = format!("/memories/{name}");
        let case = serde_json::json!({
            "id": id,
            "title": "A file is shown as it was written",
            "requirements": ["create.stores-text"],
            "steps": [
                { "call": { "command": "create", "path": path, "file_text": text },
                  "expect": { "ok": format!("File created successfully at: {path}") } },
                { "call": { "command": "view", "path": path },
                  "expect": { "ok": [format!("Here's the content of {path} with line numbers:"), format!("     1\t{text}")] } }
            ]
        });
        let file = self.folder.path().join("cases").join(format!("{id}.json"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, case.to_string()).unwrap();
    }

    fn memconf(&self, mode: &str, timeout: &str) -> Command {
        // Memory is bounded for memconf and the handler alike: 1.5 GB of address space.
        let mut command = Command::new("bash");
        command
            .args(["-c", "ulimit -v 1500000; exec \"$@\"", "memconf"])
            .arg(assert_cmd::cargo::cargo_bin!("memconf"))
            .args(["run", "--jobs", "1", "--report", "json=-", "--timeout", timeout, "--cases"])
            .arg(self.folder.path().join("cases"))
            .arg("--")
            .arg(provision::python().unwrap())
            .args(["-S", "-E"])
            .arg(common::harness("hostile/hostile.py"))
            .arg(mode)
            .env("TMPDIR", self.tmp())
            .env("HOSTILE_MARK", &self.mark);
        command
    }

    /// No process with our mark is left, and nothing of the sandbox.
    fn is_clean(&self) -> Result<(), Failed> {
        self.wait_for(|| self.survivors().is_empty());
        let alive = self.survivors();
        let left: Vec<_> = std::fs::read_dir(self.tmp())?.flatten().map(|entry| entry.file_name()).collect();
        if alive.is_empty() && left.is_empty() {
            Ok(())
        } else {
            Err(format!("still alive: {alive:?}; left in the temporary folder: {left:?}").into())
        }
    }

    fn survivors(&self) -> Vec<String> {
        let mark = format!("HOSTILE_MARK={}", self.mark);
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let marked = processes.filter(|entry| {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let is_handler = std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| {
                String::from_utf8_lossy(&line).split('\0').any(|word| Path::new(word).ends_with("hostile.py"))
            }) && std::fs::read_link(entry.path().join("exe"))
                .is_ok_and(|exe| !exe.ends_with("memconf") && !exe.ends_with("bash"));
            is_handler && environment.split(|byte| *byte == 0).any(|one| one == mark.as_bytes())
        });
        marked.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Waits for a condition, for a generous while.
    fn wait_for(&self, condition: impl Fn() -> bool) {
        let started = Instant::now();
        while !condition() && started.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
