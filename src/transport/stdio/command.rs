//! What to start, and why it could not be started.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::Fault;

/// How long an answer is awaited, by default.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long the first answer of a process is awaited at least, by default: imports can take seconds.
const START: Duration = Duration::from_secs(30);

/// How long a reply may be, by default.
const MAX_REPLY: usize = 32 << 20;

/// What to start, and the limits that it is held to.
///
/// The process runs in a directory of memconf's choice (see [`Stdio`](super::Stdio)), so paths on the command
/// line that are relative to the user's directory are made absolute: the program, where it contains a `/`, and
/// each later argument that names an existing file. An argument that does not begin with the path (`--config=x`)
/// or that names a directory is left alone. Where [`cwd`](StdioCommand::cwd) is given, a path that exists there
/// is left alone as well.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StdioCommand {
    /// Program and arguments. A program without a `/` is looked up on `PATH`.
    pub argv: Vec<String>,
    /// How long an answer is awaited; 10 s by default.
    pub timeout: Duration,
    /// How long the first answer of a process is awaited, its start included; at least 30 s by default, more
    /// where `timeout` is.
    pub start_timeout: Option<Duration>,
    /// Where the process runs, in place of the directory that memconf chooses.
    pub cwd: Option<PathBuf>,
    /// Environment variables beside those that memconf itself has. `MEMCONF_ROOT` and `MEMCONF_RUN` are set by
    /// memconf in any case.
    pub env: Vec<(String, String)>,
    /// How many bytes one reply may have; 32 MiB by default.
    pub max_reply: usize,
}

impl StdioCommand {
    /// A command line with the default limits.
    pub fn new(argv: Vec<String>) -> Self {
        let env = Vec::new();
        StdioCommand { argv, timeout: TIMEOUT, start_timeout: None, cwd: None, env, max_reply: MAX_REPLY }
    }

    /// How long the first answer of a process is awaited.
    pub(super) fn first_timeout(&self) -> Duration {
        self.start_timeout.unwrap_or_else(|| self.timeout.max(START))
    }

    /// Makes the paths on the command line absolute, as the type's documentation says. `base` is the user's
    /// directory.
    pub(super) fn resolve(&mut self, base: &Path) {
        if let Some(cwd) = &mut self.cwd {
            *cwd = base.join(&*cwd);
        }
        let cwd = self.cwd.as_deref();
        for (index, argument) in self.argv.iter_mut().enumerate() {
            let path = Path::new(&*argument);
            let is_candidate = if index == 0 { argument.contains('/') } else { !argument.starts_with('-') };
            if !is_candidate || argument.is_empty() || path.is_absolute() {
                continue;
            }
            let here = cwd.map(|cwd| cwd.join(path)).filter(|path| path.is_file());
            let found = match (index, here) {
                (0, Some(here)) => here, // whether execve sees it from the old or the new directory is not defined
                (_, Some(_)) => continue,
                (0, None) => base.join(path),
                (_, None) if base.join(path).is_file() => base.join(path),
                (_, None) => continue,
            };
            if let Some(found) = found.to_str() {
                *argument = found.to_owned();
            }
        }
    }

    /// Why the program could not be started, in words that help.
    pub(super) fn spawn_fault(&self, error: &io::Error, cwd: &Path) -> Fault {
        let program = self.argv.first().cloned().unwrap_or_default();
        let path = Path::new(&program);
        let reason = match error.kind() {
            _ if program.is_empty() => "no program is given".to_owned(),
            _ if !cwd.is_dir() => format!("there is no directory `{}` to run it in", cwd.display()),
            io::ErrorKind::NotFound if !program.contains('/') => "it is not found on PATH".to_owned(),
            io::ErrorKind::NotFound if path.exists() => {
                "the file is there, but the interpreter that it names (in its `#!` line, or as its loader) is not"
                    .to_owned()
            }
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::PermissionDenied if path.is_dir() => "it is a directory".to_owned(),
            io::ErrorKind::PermissionDenied => {
                "it is not executable: `chmod +x` it, or name its interpreter first, as in `-- python3 adapter.py`"
                    .to_owned()
            }
            _ => error.to_string(),
        };
        Fault::Spawn { program, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_are_made_absolute() {
        let base = tempfile::tempdir().unwrap();
        let cwd = tempfile::tempdir().unwrap();
        std::fs::write(base.path().join("adapter.py"), "").unwrap();
        std::fs::write(base.path().join("both"), "").unwrap();
        std::fs::write(cwd.path().join("both"), "").unwrap();
        std::fs::create_dir(base.path().join("dir")).unwrap();
        let argv = ["./venv/bin/python", "adapter.py", "dir", "-v", "none.py", "both"].map(String::from);
        let here = |name: &str| base.path().join(name).to_str().unwrap().to_owned();

        let mut command = StdioCommand::new(argv.to_vec());
        command.resolve(base.path());
        assert_eq!(command.argv[0], here("./venv/bin/python"));
        assert_eq!(command.argv[1..], [here("adapter.py"), "dir".into(), "-v".into(), "none.py".into(), here("both")]);

        let mut command = StdioCommand::new(argv.to_vec());
        command.cwd = Some(cwd.path().to_owned());
        command.resolve(base.path());
        assert_eq!(command.argv[5], "both");

        let mut command = StdioCommand::new(vec!["python3".into()]);
        command.resolve(base.path());
        assert_eq!(command.argv, ["python3"]);
    }
}
