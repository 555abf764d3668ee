//! Which handler, and where the reports go: the options that `run` and `fuzz` share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use memconf::event::exit;
use memconf::reference::Reference;
use memconf::runner::{
    Connect, connect_attacked, connect_belted, connect_builtin, connect_http, connect_in_process, connect_stdio,
};
use memconf::sandbox::remove_all;
use memconf::transport::{StdioCommand, adopt_orphans, on_interrupt};

use super::Stop;
use super::http::HttpArgs;
use super::reports::{ReportArg, Reports};

#[derive(Args)]
pub struct Target {
    /// How long an answer is awaited, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
    /// Write a report; KIND is terminal, json, ndjson, junit, markdown or github, and `-` as the FILE is standard
    /// output. May be repeated
    #[arg(long, value_name = "KIND=FILE", value_parser = super::reports::report)]
    pub report: Vec<ReportArg>,
    /// Use the built-in handler's store in a directory instead of the one in memory
    #[arg(long, conflicts_with = "command")]
    disk: bool,
    /// Start the handler in this folder instead of an empty throw-away one
    #[arg(long, value_name = "DIR", requires = "command")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    http: HttpArgs,
    /// The command that starts the handler, behind `--`; without it the built-in handler is tried
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// How a handler's process is started.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// As it is.
    Plain,
    /// With its home and temporary directories in the sandbox.
    Attacked,
    /// So that it can write nowhere but there.
    Belted,
}

fn launcher() -> Result<Vec<String>, Stop> {
    let failed = |why: String| Stop::Message(format!("memconf does not find its own program: {why}"), exit::OWN_FAULT);
    let own = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let own = own.to_str().ok_or_else(|| failed(format!("{} is not UTF-8", own.display())))?;
    Ok(vec![own.to_owned(), "belt".to_owned()])
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if (0.001..=86_400.0).contains(&number) {
        Ok(Duration::from_secs_f64(number))
    } else {
        Err("between 0.001 and 86400 seconds".into())
    }
}

impl Target {
    /// From now on, when memconf is interrupted, no handler and nothing of the sandbox is left behind.
    pub fn watch(&self) -> Result<(), Stop> {
        let watched = adopt_orphans().and_then(|()| on_interrupt(remove_all));
        watched.map_err(|error| Stop::Message(format!("failed to watch for signals: {error}"), exit::OWN_FAULT))
    }

    /// The way to the handler. `jobs` is how many workers were asked for.
    pub fn connect(&self, care: Care, jobs: Option<usize>) -> Result<Box<dyn Connect>, Stop> {
        if let Some(url) = &self.http.url {
            let connect = connect_http(self.http.target(url, self.timeout)?);
            if jobs.is_some_and(|jobs| jobs > connect.most_workers()) {
                return Err(Stop::usage(
                    "--jobs: the server has one store, so that one case runs at a time; with `--session-header NAME` \
                     each has its own",
                ));
            }
            return Ok(Box::new(connect));
        }
        Ok(match (self.command.is_empty(), self.disk) {
            (true, false) => Box::new(connect_builtin()),
            (true, true) => Box::new(connect_in_process("built-in", Reference::in_directory)),
            (false, _) => {
                let mut command = StdioCommand::new(self.command.clone());
                command.timeout = self.timeout;
                command.cwd.clone_from(&self.cwd);
                match care {
                    Care::Plain => Box::new(connect_stdio(command)),
                    Care::Attacked => Box::new(connect_attacked(command)),
                    Care::Belted => Box::new(connect_belted(command, launcher()?)),
                }
            }
        })
    }

    /// Whether a header says whose store is meant, so that two stores can be tried against each other.
    pub fn has_stores(&self) -> bool {
        self.http.session_header.is_some()
    }

    /// Opens all reports.
    pub fn reports(&self, verbose: bool) -> Result<Reports, Stop> {
        Reports::open(&self.report, verbose)
    }

    /// `words`, and those that name the handler, for a POSIX shell.
    pub fn again(&self, words: &[String]) -> String {
        let mut words = words.to_vec();
        if let Some(folder) = &self.cwd {
            words.extend(["--cwd".to_owned(), folder.display().to_string()]);
        }
        if self.disk {
            words.push("--disk".into());
        }
        words.extend(self.http.words());
        if !self.command.is_empty() {
            words.push("--".into());
            words.extend(self.command.iter().cloned());
        }
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// For a POSIX shell; the hole `{id}` stays one.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if word == "{id}" || !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
