//! `memconf fixtures`.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use memconf::case::{builtin_cases, builtin_catalogue};
use memconf::event::exit;
use memconf::fixtures::{Format, generate, stale, write};
use memconf::judge::Dialects;

use super::Stop;
use super::select::{dialect_named, nearest};

const EXAMPLES: &str = "Examples:
  memconf fixtures --out fixtures                          everything, in the documented words
  memconf fixtures --out fixtures --case str_replace/ --format jsonl
  memconf fixtures --out fixtures --dialect python-sdk     as another published handler words it
  memconf fixtures --check fixtures                        in CI: exit code 1 and a diff where they are stale

jsonl: pairs of tool_use and tool_result blocks, a file a group; markdown: a page a command; vectors: inputs and
allowed results in one JSON file, with its JSON Schema.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Fixtures {
    /// Write the fixtures below this folder
    #[arg(long, value_name = "DIR", required_unless_present = "check")]
    out: Option<PathBuf>,
    /// Write nothing, and say what differs in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    check: Option<PathBuf>,
    /// Only cases whose id contains this text; may be repeated
    #[arg(long, value_name = "TEXT")]
    case: Vec<String>,
    /// The words of one published dialect: docs, python-sdk, typescript-sdk, ...
    #[arg(long, value_name = "NAME", default_value = "docs")]
    dialect: String,
    /// Only this form; may be repeated [default: all]
    #[arg(long, value_enum)]
    format: Vec<FormatArg>,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    Jsonl,
    Markdown,
    Vectors,
}

impl Fixtures {
    pub fn run(self) -> Result<u8, Stop> {
        let place = dialect_named(&self.dialect)?;
        let dialect = Dialects::builtin().iter().nth(place).unwrap_or(Dialects::builtin().docs());
        let cases = builtin_cases().map_err(|errors| Stop::Message(errors.to_string(), exit::OWN_FAULT))?;
        let wants = |id: &str| self.case.is_empty() || self.case.iter().any(|text| id.contains(text.as_str()));
        let (wanted, others): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| wants(&case.id));
        if wanted.is_empty() {
            let ids = others.iter().map(|case| case.id.as_str());
            let near = self.case.first().map(|text| nearest(text, ids)).unwrap_or_default();
            return Err(Stop::usage(format!("no case is selected{near}; `memconf list` shows all")));
        }
        let formats: Vec<Format> = match self.format.as_slice() {
            [] => Format::ALL.to_vec(),
            some => some.iter().copied().map(FormatArg::format).collect(),
        };
        let files = generate(&wanted, builtin_catalogue(), dialect, &formats)
            .map_err(|error| Stop::Message(error.to_string(), exit::OWN_FAULT))?;
        if let Some(folder) = &self.check {
            let whole = self.case.is_empty() && self.format.is_empty();
            let found = stale(folder, &files, whole)
                .map_err(|(file, error)| Stop::usage(format!("failed to read {}: {error}", file.display())))?;
            let mut out = anstream::stdout().lock();
            for one in &found {
                writeln!(out, "{one}\n")?;
            }
            let count = found.len();
            return Ok(if count == 0 {
                writeln!(out, "{} files are as they should be", files.len())?;
                exit::OK
            } else {
                writeln!(
                    out,
                    "{count} of {} files are stale; `memconf fixtures --out` with the same options writes them",
                    files.len()
                )?;
                exit::FAILED
            });
        }
        if let Some(folder) = &self.out {
            write(folder, &files)
                .map_err(|(file, error)| Stop::usage(format!("failed to write {}: {error}", file.display())))?;
            writeln!(anstream::stdout(), "{} files written to {}", files.len(), folder.display())?;
        }
        Ok(exit::OK)
    }
}

impl FormatArg {
    fn format(self) -> Format {
        match self {
            FormatArg::Jsonl => Format::Jsonl,
            FormatArg::Markdown => Format::Markdown,
            FormatArg::Vectors => Format::Vectors,
        }
    }
}
