//! Arguments and exit codes; a file a subcommand, no logic of its own.

mod belt;
mod completions;
mod diff;
mod docs;
mod explain;
mod fixtures;
mod fuzz;
mod http;
mod init;
mod list;
mod record;
mod report;
mod reports;
mod review;
mod run;
mod select;
mod serve;
mod target;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use memconf::event::exit;

const ABOUT: &str = "Tells whether a handler of Claude's memory tool does what it should";

const EXAMPLES: &str = "Examples:
  memconf run                          all cases on the built-in handler
  memconf init python                  write an adapter for a handler in Python
  memconf run -- python memconf_adapter.py   all cases on that handler
  memconf explain view.range           what is asked, and why

Exit codes: 0 all that had to hold, held; 1 a check failed; 2 wrong usage or an invalid case file;
3 incomplete: a case could not run, or nothing ran; 4 a fault of memconf's own";

#[derive(Parser)]
#[command(name = "memconf", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Replay the cases on a handler and judge every answer
    Run(run::Run),
    /// Attack a handler, or play random scripts on it, and shrink what is found
    Fuzz(fuzz::Fuzz),
    /// Record a handler's own transcripts, as a net against regressions
    Record(record::Record),
    /// Walk through the transcripts that changed: accept, reject, skip
    Review(review::Review),
    /// Write golden fixtures from the built-in handler, for docs and other test frameworks
    Fixtures(fixtures::Fixtures),
    /// Check the examples of the memory tool in Markdown pages
    Docs(docs::Docs),
    /// Tell a run again in another form, from its JSON report
    Report(report::ReportCommand),
    /// Compare two runs by their JSON reports: better, worse, new, gone
    Diff(diff::Diff),
    /// List the cases, or the requirements
    List(list::List),
    /// Say what a case or a requirement asks, why it matters, and how to reproduce it
    Explain(explain::Explain),
    /// Write an adapter: the few lines between memconf and your handler
    Init(init::Init),
    /// Serve the built-in reference handler
    Serve(serve::Serve),
    /// Print a completion script for a shell
    Completions(completions::Completions),
    #[command(hide = true)]
    Belt(belt::Belt),
}

/// Why a command ends early.
enum Stop {
    /// With a message for the user and an exit code.
    Message(String, u8),
    /// Standard output is gone; nobody is left to tell.
    BrokenPipe,
}

impl Stop {
    fn usage(message: impl Into<String>) -> Stop {
        Stop::Message(message.into(), exit::USAGE)
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Stop {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Stop::BrokenPipe,
            _ => Stop::Message(format!("failed to write the output: {error}"), exit::OWN_FAULT),
        }
    }
}

pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // clap's own code for help and version is 0, for a mistake 2.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::OK });
        }
    };
    let done = match cli.command {
        Command::Run(run) => run.run(),
        Command::Fuzz(fuzz) => fuzz.run(),
        Command::Record(record) => record.run(),
        Command::Review(review) => review.run(),
        Command::Fixtures(fixtures) => fixtures.run(),
        Command::Docs(docs) => docs.run(),
        Command::Report(report) => report.run(),
        Command::Diff(diff) => diff.run(),
        Command::List(list) => list.run(),
        Command::Explain(explain) => explain.run(),
        Command::Init(init) => init.run(),
        Command::Serve(serve) => serve.run(),
        Command::Belt(belt) => belt.run(),
        Command::Completions(completions) => completions.run::<Cli>(),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(Stop::BrokenPipe) => ExitCode::from(exit::OK),
        Err(Stop::Message(message, code)) => {
            use std::io::Write;
            let _ = writeln!(anstream::stderr(), "memconf: {message}");
            ExitCode::from(code)
        }
    }
}
