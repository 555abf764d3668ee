//! `memconf init`: writes an adapter that works as it stands.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use memconf::event::exit;

use super::Stop;
use super::target::quoted;

const EXAMPLES: &str = "Examples:
  memconf init python                      memconf_adapter.py, for the memory tool of the Python SDK
  memconf init typescript --out tools/memconf.ts
  memconf init rust                        tests/memory_tool.rs, for `cargo test`
  memconf init shell --out -               to standard output";

/// Two lines of what is written are marked CHANGE: there your handler takes the place of the one that stands there.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Init {
    /// What your handler is written in
    #[arg(value_enum)]
    language: Language,
    /// Write to this file, or `-` for standard output, instead of the usual file in this folder
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// For the memory tool of the Python SDK
    Python,
    /// For the memory tool of the TypeScript SDK
    Typescript,
    /// A test target of your crate
    Rust,
    /// Bash and jq, for any command
    Shell,
}

impl Language {
    fn template(self) -> &'static str {
        match self {
            Language::Python => include_str!("templates/memconf_adapter.py"),
            Language::Typescript => include_str!("templates/memconf_adapter.ts"),
            Language::Rust => include_str!("templates/memory_tool.rs"),
            Language::Shell => include_str!("templates/memconf_adapter.sh"),
        }
    }

    fn file(self) -> &'static str {
        match self {
            Language::Python => "memconf_adapter.py",
            Language::Typescript => "memconf_adapter.ts",
            Language::Rust => "tests/memory_tool.rs",
            Language::Shell => "memconf_adapter.sh",
        }
    }

    /// What it does before anything is changed in it.
    fn as_it_stands(self) -> &'static str {
        match self {
            Language::Python => "drives the memory tool of the Python SDK",
            Language::Typescript => "drives the memory tool of the TypeScript SDK",
            Language::Rust => "tests memconf's own handler",
            Language::Shell => "answers every command with an error",
        }
    }

    /// What to do next. `file` is as it was written, for a shell.
    fn next(self, file: &str) -> String {
        match self {
            Language::Python => format!("Next:\n  pip install anthropic\n  memconf run -- python3 {file}"),
            Language::Typescript => {
                format!("Next:\n  npm install @anthropic-ai/sdk tsx\n  memconf run -- node_modules/.bin/tsx {file}")
            }
            Language::Rust => format!("Add to Cargo.toml:\n{CARGO_LINES}\nNext:\n  cargo test --test memory_tool"),
            Language::Shell => format!("Next:\n  memconf run -- bash {file}"),
        }
    }
}

const CARGO_LINES: &str = r#"
  [dev-dependencies]
  memconf = { path = "../memconf" } # where memconf's source is
  serde_json = "1"

  [[test]]
  name = "memory_tool"
  harness = false
"#;

impl Init {
    pub fn run(self) -> Result<u8, Stop> {
        let language = self.language;
        let mut out = std::io::stdout().lock();
        let file = self.out.unwrap_or_else(|| language.file().into());
        if file == Path::new("-") {
            out.write_all(language.template().as_bytes())?;
            return Ok(exit::OK);
        }
        write(&file, language)?;
        let file = quoted(&file.display().to_string());
        writeln!(out, "Wrote {file}. As it stands, it {}: put your", language.as_it_stands())?;
        writeln!(out, "handler in its place in the two lines marked CHANGE.\n\n{}", language.next(&file))?;
        Ok(exit::OK)
    }
}

/// Writes a file that is not there yet.
fn write(file: &Path, language: Language) -> Result<(), Stop> {
    let shown = file.display();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        if language == Language::Rust {
            fs::create_dir_all(folder)
                .map_err(|error| Stop::usage(format!("failed to create the folder {}: {error}", folder.display())))?;
        } else if !folder.is_dir() {
            return Err(Stop::usage(format!("there is no folder {}: create it, or name another", folder.display())));
        }
    }
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let written = opened.and_then(|mut opened| opened.write_all(language.template().as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Stop::usage(format!(
            "{shown} is there already, and is left as it is: move it away, or name another with --out"
        )),
        _ => Stop::usage(format!("failed to write {shown}: {error}")),
    })
}
