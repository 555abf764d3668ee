//! README.md is tried out: each of its commands is run, and the output that it shows is compared with a real one.
//!
//! A block of commands stands under a comment that says where it is run: `<!-- readme.rs: PLACE -->`, with `, exit N`
//! where its last command does not exit with 0. There is no way to leave one out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod common;
mod provision;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assert_cmd::Command;
use common::command::{Ran, binary, ran, scratch_crate};
use common::package;
use provision::provision;
use tempfile::{TempDir, tempdir};

const PLACES: [&str; 6] = ["clone", "python-sdk", "typescript-sdk", "rust", "here", "adapter"];

struct Block {
    place: String,
    exit: i32,
    commands: String,
}

#[test]
fn every_block_of_commands_has_its_place() {
    let blocks = blocks();
    assert_eq!(readme().matches("\n```sh\n").count(), blocks.len());
    for place in PLACES {
        assert!(blocks.iter().any(|block| block.place == place), "nothing is run in `{place}`");
    }
    for block in &blocks {
        assert!(PLACES.contains(&block.place.as_str()), "there is no place `{}`", block.place);
    }
    assert!(readme().lines().count() < 260, "the README is short");
}

/// The commands of a fresh clone run cargo on this package, which is what runs this test. So they are compared instead,
/// and what they start is run.
#[test]
fn clone() {
    let commands: Vec<String> = in_place("clone")
        .iter()
        .flat_map(|block| {
            block.commands.lines().map(|line| line.split(" #").next().unwrap().trim().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(commands, ["cargo run --release -- run", "cargo test", "cargo install --path ."]);
    let run = ran(Command::new(binary()).arg("run"));
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    let ci = fs::read_to_string(package().join(".ci/run")).unwrap();
    assert!(ci.lines().any(|line| line.trim() == "cargo test"), ".ci/run runs what the README says");
}

#[test]
fn python() {
    let folder = Folder::new();
    let sdk = provision("python-sdk").unwrap_or_else(|error| panic!("{error}"));
    // What the reader installs is there already, in the version that is pinned.
    folder.stand_in("pip", "[ \"$*\" = 'install anthropic' ]");
    folder.stand_in("python3", &format!("exec '{}' \"$@\"", sdk.command[0]));
    let outputs = folder.run_all("python-sdk");
    shown_is_real(&outputs.last().unwrap().out);
}

#[test]
fn typescript() {
    let folder = Folder::new();
    let sdk = provision("typescript-sdk").unwrap_or_else(|error| panic!("{error}"));
    let modules = Path::new(&sdk.env[0].1).join("node_modules");
    folder.stand_in("npm", &format!("[ \"$*\" = 'install @anthropic-ai/sdk tsx' ] && ln -s '{}' .", modules.display()));
    folder.run_all("typescript-sdk");
}

#[test]
fn rust() {
    let project = scratch_crate();
    let folder = Folder::over(project.path().to_owned());
    // The reader adds the lines that `init` prints; the templates' own test sees that they are complete.
    let said = ran(Command::new(binary()).args(["init", "rust", "--out"]).arg(folder.bin().join("x.rs"))).out;
    let lines = said.split("Add to Cargo.toml:\n").nth(1).and_then(|rest| rest.split("\nNext:").next()).unwrap();
    project.add(&lines.lines().map(str::trim).collect::<Vec<_>>().join("\n"));
    folder.env(&project.env());
    for ran in folder.run_all("rust") {
        assert!(ran.out.contains("test result: ok. "), "{}", ran.out);
    }
}

#[test]
fn here() {
    Folder::new().run_all("here");
}

/// With an adapter that the reader has, and which is quicker here than the Python SDK.
#[test]
fn adapter() {
    let folder = Folder::new();
    fs::write(folder.path().join("memconf_adapter.py"), "").unwrap();
    folder.stand_in("python3", "[ \"${1##*/}\" = memconf_adapter.py ] && exec memconf serve --stdio --disk");
    folder.run_all("adapter");
    let list = fs::read_to_string(folder.path().join("memconf.toml")).unwrap();
    assert!(list.starts_with("# Known failures"), "{list}");
    let report = fs::read_to_string(folder.path().join("memconf.json")).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&report).unwrap()["cases"].is_array());
}

/// Where blocks are run one after the other.
struct Folder {
    path: PathBuf,
    bin: TempDir,
    env: std::cell::RefCell<BTreeMap<String, PathBuf>>,
    _own: Option<TempDir>,
}

impl Folder {
    fn new() -> Folder {
        let own = tempdir().unwrap();
        let folder = Folder::over(own.path().to_owned());
        Folder { _own: Some(own), ..folder }
    }

    fn over(path: PathBuf) -> Folder {
        let bin = tempdir().unwrap();
        symlink(binary(), bin.path().join("memconf")).unwrap();
        Folder { path, bin, env: Default::default(), _own: None }
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// What stands first on the PATH.
    fn bin(&self) -> &Path {
        self.bin.path()
    }

    fn env(&self, env: &[(&'static str, PathBuf)]) {
        self.env.borrow_mut().extend(env.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    }

    /// A program in place of one that is not to be run here.
    fn stand_in(&self, tool: &str, script: &str) {
        let file = self.bin().join(tool);
        fs::remove_file(&file).unwrap_or_default();
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs the README's blocks of a place as its reader would, with a shell that stops at the first failure.
    fn run_all(&self, place: &str) -> Vec<Ran> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths([self.bin().to_owned()].into_iter().chain(std::env::split_paths(&path))).unwrap();
        let run = |block: &Block| {
            let mut command = Command::new("bash");
            command.args(["-e", "-u", "-o", "pipefail", "-c", &block.commands]).current_dir(self.path());
            let ran = ran(command.env("PATH", &path).envs(&*self.env.borrow()));
            assert_eq!(ran.code, block.exit, "{}\n{}\n{}", block.commands, ran.out, ran.err);
            ran
        };
        in_place(place).iter().map(run).collect()
    }
}

/// The README's output is that of the run, apart from numbers, and from groups that are cut at `[...]`.
fn shown_is_real(real: &str) {
    let real = real.split_once("\nmemconf ").map(|(_, run)| format!("memconf {run}")).unwrap(); // behind what `init` says
    let shown = readme().split("\n```text\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
    let numberless = |line: &str| {
        line.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("#")
    };
    let real_lines: Vec<String> = real.lines().map(numberless).collect();
    let real_text = real_lines.join("\n");
    let mut rest = real_text.as_str();
    for (index, group) in shown.split("[...]").enumerate() {
        let group: String = group.trim().lines().map(numberless).collect::<Vec<_>>().join("\n");
        let at = rest
            .find(&group)
            .unwrap_or_else(|| panic!("no longer in the output of a real run:\n{group}\n\nwhich is:\n{real}"));
        assert!(index > 0 || at == 0, "the output begins otherwise:\n{real}");
        rest = &rest[at + group.len()..];
    }
    assert_eq!(rest.trim(), "", "the output ends otherwise");
}

fn readme() -> &'static str {
    static README: OnceLock<String> = OnceLock::new();
    README.get_or_init(|| fs::read_to_string(package().join("README.md")).unwrap())
}

fn in_place(place: &str) -> Vec<Block> {
    blocks().into_iter().filter(|block| block.place == place).collect()
}

fn blocks() -> Vec<Block> {
    let parts = readme().split("<!-- readme.rs: ").skip(1);
    let block = |part: &str| {
        let (said, rest) = part.split_once(" -->\n").expect("the comment ends at its line");
        let (place, exit) = said.split_once(", exit ").unwrap_or((said, "0"));
        let commands = rest.strip_prefix("```sh\n").and_then(|rest| rest.split("\n```").next());
        let commands = commands.unwrap_or_else(|| panic!("no block stands under `{said}`")).to_owned();
        Block { place: place.to_owned(), exit: exit.parse().expect("an exit code"), commands }
    };
    parts.map(block).collect()
}
