//! The transport against small handlers in Python, each wrong in its own way. Only python3 is needed.

mod hostile;
mod isolation;
mod survivors;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Stdio, StdioCommand};
use crate::transport::{Fault, Transport};
use crate::wire::{Ready, ToolResult};

/// What every handler here has: the loop, and words for its answers.
const PRELUDE: &str = r#"
import json, os, signal, subprocess, sys, time
def send(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
def result(id, text):
    return json.dumps({"type": "tool_result", "tool_use_id": id, "content": text})
def ready():
    send('{"type":"ready"}')
def unknown():
    send('{"type":"error"}')
def note(name, text):
    with open(os.path.join(os.environ["MEMCONF_ROOT"], name), "a") as file:
        file.write(str(text) + "\n")
"#;

/// A handler that does `setup` at its start, `reset` for a reset, and `call` for a command: `m` is the message, and
/// `ok(text)` answers it.
#[derive(Clone, Copy)]
struct Script {
    setup: &'static str,
    reset: &'static str,
    call: &'static str,
}

const PLAIN: Script = Script { setup: "", reset: "ready()", call: "ok('fine')" };

impl Script {
    fn command(self) -> StdioCommand {
        let block = |text: &str, indent: &str| text.trim().replace('\n', &format!("\n{indent}"));
        let code = format!(
            "{PRELUDE}\n{}\nfor line in sys.stdin:\n    m = json.loads(line)\n    if m['type'] == 'reset':\n        {}\n    \
             else:\n        ok = lambda text: send(result(m['id'], text))\n        {}\n",
            block(self.setup, ""),
            block(self.reset, "        "),
            block(self.call, "        "),
        );
        let mut command = StdioCommand::new(vec![python().into(), "-c".into(), code]);
        command.timeout = Duration::from_secs(30);
        command
    }

    fn bench(self) -> Bench {
        Bench::new(self.command())
    }

    /// With a timeout for what is meant to run into it.
    fn impatient(self) -> Bench {
        let mut command = self.command();
        command.timeout = Duration::from_millis(300);
        Bench::new(command)
    }
}

/// The interpreter itself: what `python3` names may be a launcher that takes longer than the handler.
fn python() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let found = Command::new("python3").args(["-c", "import sys; print(sys.executable, end='')"]).output();
        let found = found.unwrap_or_else(|error| panic!("these tests need python3 on PATH: {error}"));
        assert!(found.status.success(), "these tests need a python3 that works: {found:?}");
        String::from_utf8(found.stdout).unwrap()
    })
}

/// A transport with directories to work in.
struct Bench {
    stdio: Stdio,
    roots: usize,
    dir: TempDir,
}

impl Bench {
    fn new(command: StdioCommand) -> Bench {
        let dir = tempfile::tempdir().unwrap();
        let scratch = dir.path().join("scratch");
        std::fs::create_dir(&scratch).unwrap();
        Bench { stdio: Stdio::new(command, scratch), roots: 0, dir }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(format!("root-{}", self.roots))
    }

    fn try_begin(&mut self) -> Result<Ready, Fault> {
        self.roots += 1;
        let root = self.root();
        std::fs::create_dir(&root).unwrap();
        self.stdio.begin(&root)
    }

    fn begin(&mut self) -> Ready {
        self.try_begin().unwrap()
    }

    fn try_call(&mut self) -> Result<ToolResult, Fault> {
        self.stdio.call(&view())
    }

    fn call(&mut self) -> String {
        let result = self.try_call();
        result.unwrap_or_else(|fault| panic!("{fault}; its log: {}", self.stdio.log())).content
    }

    fn fault(&mut self) -> Fault {
        self.begin();
        self.try_call().expect_err("a fault is due")
    }
}

fn view() -> Value {
    json!({"command": "view", "path": "/memories"})
}

/// Whether a process runs; one that is dead and not yet reaped does not.
fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|fields| !fields.is_empty() && !fields.trim_start().starts_with(['Z', 'X']))
}

fn wait_for<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(Instant::now() < until, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The lines of a file that a handler writes with `note`, once there are as many.
fn notes(path: &Path, count: usize) -> Vec<String> {
    wait_for(&format!("{count} lines in {}", path.display()), || {
        let text = std::fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'))?;
        let lines: Vec<String> = text.lines().map(String::from).collect();
        (lines.len() >= count).then_some(lines)
    })
}
