//! memconf as a process, and what comes out of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// The memconf that was built for this test, with nothing of the caller's environment that changes what it prints.
pub fn memconf() -> Command {
    let mut command = Command::new(binary());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "MEMCONF_ROOT"] {
        command.env_remove(name);
    }
    command
}

/// Its path.
pub fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_memconf"))
}

/// What a command did: its exit code, stdout, stderr.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs a command to its end.
#[track_caller]
pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("the command starts");
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        err: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

/// `memconf ARGS`.
#[track_caller]
pub fn run(args: &[&str]) -> Ran {
    ran(memconf().args(args))
}

/// The JSON report of `memconf run OPTIONS -- HANDLER` started in `folder`.
#[track_caller]
pub fn report(folder: &Path, options: &[&str], handler: &[String], env: &[(String, String)]) -> Value {
    let mut command = memconf();
    command.current_dir(folder).args(["run", "--report", "json=-"]).args(options);
    if !handler.is_empty() {
        command.arg("--").args(handler);
    }
    let ran = ran(command.envs(env.iter().cloned()));
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}\n{}\n{}", ran.out, ran.err))
}

/// All that was judged, a line a case: its verdict, its facets, and what failed in it.
pub fn judged(report: &Value) -> BTreeMap<String, String> {
    let cases = report["cases"].as_array().expect("a report has cases");
    let line = |case: &Value| format!("{} {} {}", case["verdict"], case["facets"], case["failures"]);
    cases.iter().map(|case| (case["id"].as_str().unwrap_or_default().to_owned(), line(case))).collect()
}

/// The texts of the blocks of a Markdown page that are fenced as `language`, in order.
pub fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("\n```").next().unwrap_or_default()).collect()
}

/// A crate of its own, as a user's would be, that builds offline from what this package was built from.
pub fn scratch_crate() -> ScratchCrate {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let project = ScratchCrate { folder };
    let manifest = "[package]\nname = \"yours\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                    [profile.dev]\ndebug = false\n\n[workspace]\n";
    std::fs::write(project.path().join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::create_dir(project.path().join("src")).expect("a folder");
    std::fs::write(project.path().join("src/lib.rs"), "").expect("a library");
    // The same versions, which are all there; cargo drops those that are not needed.
    let lock = std::fs::read_to_string(super::package().join("Cargo.lock")).expect("a lock file");
    std::fs::write(project.path().join("Cargo.lock"), lock).expect("a lock file");
    project
}

/// See [`scratch_crate`].
pub struct ScratchCrate {
    folder: tempfile::TempDir,
}

impl ScratchCrate {
    /// Its folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Adds lines to its manifest, with the path that stands for memconf's source replaced by the real one.
    pub fn add(&self, lines: &str) {
        let file = self.path().join("Cargo.toml");
        let here = super::package().display().to_string();
        let before = std::fs::read_to_string(&file).expect("a manifest");
        let lines = lines.replace("\"../memconf\"", &format!("{here:?}"));
        std::fs::write(&file, format!("{before}\n{lines}\n")).expect("a manifest");
    }

    /// Runs cargo in it.
    #[track_caller]
    pub fn cargo(&self, args: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(self.path()).args(args);
        ran(command.envs(self.env()))
    }

    /// What cargo needs in its environment: no network, and a target folder that stays for the next time.
    pub fn env(&self) -> [(&'static str, PathBuf); 2] {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scratch-crate");
        [("CARGO_NET_OFFLINE", "true".into()), ("CARGO_TARGET_DIR", target)]
    }
}
