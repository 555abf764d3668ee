//! Which handler, and where the reports go: the options that `run` and `fuzz` share.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use memconf::event::{Event, Material, RunReport, exit};
use memconf::reference::Reference;
use memconf::report::{JsonReport, Report, TerminalReport};
use memconf::runner::{Connect, connect_attacked, connect_builtin, connect_in_process, connect_stdio};
use memconf::sandbox::remove_all;
use memconf::transport::{StdioCommand, adopt_orphans, on_interrupt};

use super::Stop;

#[derive(Args)]
pub struct Target {
    /// How long an answer is awaited, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
    /// Write a report for other programs: json=FILE, or json=- for standard output
    #[arg(long, value_name = "KIND=FILE", value_parser = report)]
    pub report: Vec<ReportArg>,
    /// Use the built-in handler's store in a directory instead of the one in memory
    #[arg(long, conflicts_with = "command")]
    disk: bool,
    /// Start the handler in this folder instead of an empty throw-away one
    #[arg(long, value_name = "DIR", requires = "command")]
    cwd: Option<PathBuf>,
    /// The command that starts the handler, behind `--`; without it the built-in handler is tried
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Clone)]
pub struct ReportArg {
    file: String,
}

fn report(text: &str) -> Result<ReportArg, String> {
    match text.split_once('=') {
        Some(("json", file)) if !file.is_empty() => Ok(ReportArg { file: file.into() }),
        _ => Err("write `json=FILE`, or `json=-` for standard output".into()),
    }
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

    /// The way to the handler; where it is `attacked`, its home directory lies in the sandbox too.
    pub fn connect(&self, attacked: bool) -> Box<dyn Connect> {
        match (self.command.is_empty(), self.disk) {
            (true, false) => Box::new(connect_builtin()),
            (true, true) => Box::new(connect_in_process("built-in", Reference::in_directory)),
            (false, _) => {
                let mut command = StdioCommand::new(self.command.clone());
                command.timeout = self.timeout;
                command.cwd.clone_from(&self.cwd);
                if attacked { Box::new(connect_attacked(command)) } else { Box::new(connect_stdio(command)) }
            }
        }
    }

    /// Writes all reports; the one for people, unless another takes standard output.
    pub fn tell(&self, report: &RunReport, material: Material<'_>, verbose: bool) -> Result<(), Stop> {
        let finished = Event::RunFinished(report);
        let mut to_stdout = false;
        for ReportArg { file } in &self.report {
            if file == "-" {
                to_stdout = true;
                JsonReport::new(BufWriter::new(std::io::stdout().lock())).event(&finished, material)?;
            } else {
                let failed = |error| Stop::usage(format!("failed to write the report {file}: {error}"));
                let to = File::create(file).map_err(failed)?;
                JsonReport::new(BufWriter::new(to)).event(&finished, material).map_err(failed)?;
            }
        }
        if !to_stdout {
            TerminalReport::new(anstream::stdout(), verbose).event(&finished, material)?;
        }
        Ok(())
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
