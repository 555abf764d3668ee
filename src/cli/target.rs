//! Which handler, and where the reports go: the options that `run` and `fuzz` share.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use memconf::event::{Event, Material, RunReport, exit};
use memconf::reference::Reference;
use memconf::report::{JsonReport, Report, TerminalReport};
use memconf::runner::{Connect, connect_attacked, connect_builtin, connect_http, connect_in_process, connect_stdio};
use memconf::sandbox::remove_all;
use memconf::transport::{HttpTarget, StdioCommand, adopt_orphans, on_interrupt};

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
    #[command(flatten)]
    http: HttpArgs,
    /// The command that starts the handler, behind `--`; without it the built-in handler is tried
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// A handler behind HTTP.
#[derive(Args)]
struct HttpArgs {
    /// Reach the handler over HTTP: a POST to this URL for each message
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "disk", "cwd"])]
    url: Option<String>,
    /// Send this header with every request; a value `env:VAR`, also behind a scheme as in
    /// 'Authorization: Bearer env:TOKEN', is taken from the environment. No value is ever printed
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    header: Vec<String>,
    /// The header that says whose store is meant: each case gets a fresh name, and stores are tried against each other
    #[arg(long, value_name = "NAME", requires = "url")]
    session_header: Option<String>,
    /// Trust the certificates in this PEM file, and no others
    #[arg(long, value_name = "FILE", requires = "url")]
    cacert: Option<PathBuf>,
    /// All that the store holds may be deleted, where it is emptied by commands
    #[arg(long, requires = "url", conflicts_with = "session_header")]
    erase: bool,
}

impl HttpArgs {
    fn target(&self, url: &str, timeout: Duration) -> Result<HttpTarget, Stop> {
        let mut target = HttpTarget::new(url).map_err(Stop::usage)?;
        target.timeout = timeout;
        target.erase = self.erase;
        self.header.iter().try_for_each(|header| target.add_header(header)).map_err(Stop::usage)?;
        if let Some(name) = &self.session_header {
            target.set_session_header(name).map_err(Stop::usage)?;
        }
        if let Some(file) = &self.cacert {
            target.trust(file).map_err(Stop::usage)?;
        }
        Ok(target)
    }

    /// The options again, without any secret.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(url) = &self.url {
            words.extend(["--url".to_owned(), url.clone()]);
        }
        for header in &self.header {
            let (name, value) = header.split_once(':').unwrap_or((header, ""));
            let is_secret = !value.split(' ').any(|word| word.starts_with("env:"));
            words.extend(["--header".to_owned(), if is_secret { format!("{name}: ...") } else { header.clone() }]);
        }
        if let Some(name) = &self.session_header {
            words.extend(["--session-header".to_owned(), name.clone()]);
        }
        if let Some(file) = &self.cacert {
            words.extend(["--cacert".to_owned(), file.display().to_string()]);
        }
        if self.erase {
            words.push("--erase".into());
        }
        words
    }
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

    /// The way to the handler; where it is `attacked`, its home directory lies in the sandbox too. `jobs` is how many
    /// workers were asked for.
    pub fn connect(&self, attacked: bool, jobs: Option<usize>) -> Result<Box<dyn Connect>, Stop> {
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
                if attacked { Box::new(connect_attacked(command)) } else { Box::new(connect_stdio(command)) }
            }
        })
    }

    /// Whether a header says whose store is meant, so that two stores can be tried against each other.
    pub fn has_stores(&self) -> bool {
        self.http.session_header.is_some()
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
