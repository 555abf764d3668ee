//! `memconf docs check`.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use memconf::docs::{Checked, MAX_PAGE, check};
use memconf::event::exit;
use memconf::judge::{Dialects, visible};
use serde_json::{Value, json};

use super::Stop;
use super::select::{dialect_named, nearest};

const EXAMPLES: &str = "Examples:
  memconf docs check README.md docs/*.md                  commands and results, against the documented words
  memconf docs check guide.md --dialect python-sdk        against those of another published handler
  memconf docs check guide.md --report json=findings.json

Exit codes: 0 nothing is wrong; 1 something is; 2 wrong usage, or a file cannot be read; 3 there was no example to check";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Docs {
    #[command(subcommand)]
    command: DocsCommand,
}

#[derive(Subcommand)]
enum DocsCommand {
    /// Say which examples of commands and results are not what a handler answers, with the right text beside
    Check(Check),
}

#[derive(Args)]
#[command(after_help = EXAMPLES)]
struct Check {
    /// Markdown pages
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The words of one published dialect: docs, python-sdk, typescript-sdk, ...
    #[arg(long, value_name = "NAME", default_value = "docs")]
    dialect: String,
    /// Also write a report for programs, to a file, or to `-`, standard output; the only kind is json
    #[arg(long, value_name = "json=FILE", value_parser = json_file)]
    report: Option<String>,
}

fn json_file(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some(("json", file)) if !file.is_empty() => Ok(file.into()),
        Some((word, _)) => Err(format!("write json=FILE{}", nearest(word, ["json"].into_iter()))),
        None => Err("write json=FILE".into()),
    }
}

impl Docs {
    pub fn run(self) -> Result<u8, Stop> {
        match self.command {
            DocsCommand::Check(check) => check.run(),
        }
    }
}

impl Check {
    fn run(self) -> Result<u8, Stop> {
        let place = dialect_named(&self.dialect)?;
        let dialect = Dialects::builtin().iter().nth(place).unwrap_or(Dialects::builtin().docs());
        let mut pages = Vec::new();
        for file in &self.files {
            let text = read(file).map_err(Stop::usage)?;
            pages.push((file.display().to_string(), check(&text, dialect)));
        }
        let examples: usize = pages.iter().map(|(_, page)| page.examples).sum();
        let wrong: usize = pages.iter().map(|(_, page)| page.findings.len()).sum();
        let code = match (wrong, examples) {
            (0, 0) => exit::INCOMPLETE,
            (0, _) => exit::OK,
            _ => exit::FAILED,
        };
        if self.report.as_deref() != Some("-") {
            let mut out = anstream::stdout().lock();
            for (file, page) in &pages {
                tell(&mut out, file, page)?;
            }
            writeln!(
                out,
                "{} checked in the words of {}: {}, {wrong} wrong",
                count(pages.len(), "page"),
                dialect.name,
                count(examples, "example")
            )?;
        }
        if code == exit::INCOMPLETE {
            writeln!(anstream::stderr(), "memconf: no example of the memory tool was found, so nothing was checked")?;
        }
        if let Some(file) = &self.report {
            let text = format!("{:#}\n", report(&pages, &dialect.name, examples, wrong, code));
            if file == "-" {
                anstream::stdout().write_all(text.as_bytes())?;
            } else {
                std::fs::write(file, text)
                    .map_err(|error| Stop::usage(format!("failed to write the report {file}: {error}")))?;
            }
        }
        Ok(code)
    }
}

fn read(file: &Path) -> Result<String, String> {
    let failed = |error| format!("failed to read {}: {error}", file.display());
    let mut bytes = Vec::new();
    File::open(file).and_then(|file| file.take(MAX_PAGE + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > MAX_PAGE {
        let most = MAX_PAGE >> 20;
        return Err(format!("{} has more than {most} MiB, which is no page; split it", file.display()));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

fn tell(out: &mut impl Write, file: &str, page: &Checked) -> std::io::Result<()> {
    for finding in &page.findings {
        writeln!(out, "{file}:{}: {}", finding.line, visible(&finding.message))?;
        text(out, "page:  ", &finding.page)?;
        text(out, "right: ", &finding.right)?;
        writeln!(out, "    why:   memconf explain {}\n", finding.requirement)?;
    }
    if page.unread {
        writeln!(out, "{file}: not all of its code was read: it is nested too deep, or very long\n")?;
    }
    Ok(())
}

/// A text with its TABs as `→` and all else that cannot be seen written out; further lines below the first.
fn text(out: &mut impl Write, label: &str, text: &str) -> std::io::Result<()> {
    const LINES: usize = 6;
    const WIDTH: usize = 300;
    let shown = visible(&text.replace('\t', "→"));
    for (index, line) in shown.split('\n').enumerate().take(LINES) {
        let label = if index == 0 { label } else { "       " };
        match line.char_indices().nth(WIDTH) {
            Some((end, _)) => writeln!(out, "    {label}{}...", &line[..end])?,
            None => writeln!(out, "    {label}{line}")?,
        }
    }
    Ok(())
}

fn count(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

fn report(pages: &[(String, Checked)], dialect: &str, examples: usize, wrong: usize, code: u8) -> Value {
    let files: Vec<Value> = pages
        .iter()
        .map(|(file, page)| {
            let findings: Vec<Value> = page
                .findings
                .iter()
                .map(|one| {
                    json!({ "line": one.line, "message": one.message, "page": one.page, "right": one.right,
                            "requirement": one.requirement })
                })
                .collect();
            json!({ "file": file, "examples": page.examples, "unread": page.unread, "findings": findings })
        })
        .collect();
    json!({ "memconf": env!("CARGO_PKG_VERSION"), "schema": 1, "dialect": dialect,
            "summary": { "files": pages.len(), "examples": examples, "wrong": wrong }, "files": files,
            "exit_code": code })
}
