//! The report for people: what failed and why, the weightiest first, failures of one cause together, each with what
//! reproduces it.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::Report;
use super::group::{Group, groups};
use crate::case::{Facet, Level};
use crate::event::{Event, Material, RunReport, exit};
use crate::judge::{CaseResult, FacetState, Verdict, located, script};

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Prints when the run is over. Styles are always written; the writer strips them where they are not wanted.
pub struct TerminalReport<W> {
    to: W,
    verbose: bool,
    plain: bool,
}

impl<W: Write> TerminalReport<W> {
    /// Prints to `to`; `verbose` also shows what is information only, and every case.
    pub fn new(to: W, verbose: bool) -> Self {
        TerminalReport { to, verbose, plain: false }
    }

    /// Prints to `to`, without styles: for a file.
    pub fn plain(to: W) -> Self {
        TerminalReport { to, verbose: false, plain: true }
    }
}

impl<W: Write> Report for TerminalReport<W> {
    fn event(&mut self, event: &Event<'_>, material: Material<'_>) -> io::Result<()> {
        if let Event::RunFinished(report) = event {
            let text = render(report, material, self.verbose);
            match self.plain {
                true => write!(self.to, "{}", anstream::adapter::strip_str(&text))?,
                false => self.to.write_all(text.as_bytes())?,
            }
            self.to.flush()?;
        }
        Ok(())
    }
}

fn render(report: &RunReport, material: Material<'_>, verbose: bool) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "memconf {}: {}\n", env!("CARGO_PKG_VERSION"), handler(report));
    if verbose {
        for result in &report.results {
            let _ = writeln!(out, "{:<15} {:<6} {}", result.verdict.as_str(), result.level, result.id);
        }
        out.push('\n');
    }
    let all = groups(report);
    let (weighty, information): (Vec<_>, Vec<_>) = all.into_iter().partition(|group| group.level > Level::May);
    for group in &weighty {
        failure(&mut out, group, report, material);
    }
    unjudged(&mut out, report);
    for problem in &report.known {
        let _ = writeln!(out, "{RED}KNOWN FAILURE{RED:#} {}\n", problem.message);
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "{YELLOW}note{YELLOW:#} {warning}\n");
    }
    if report.attempts == 0 {
        facts(&mut out, report, &information, verbose);
        conclusion(&mut out, report);
    } else {
        fuzzed(&mut out, report);
    }
    out
}

fn handler(report: &RunReport) -> String {
    let info = &report.handler;
    let mut text = info.transport.clone();
    if let Some(name) = &info.name {
        let version = info.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        let _ = write!(text, ", {name}{version}");
    }
    text
}

fn failure(out: &mut String, group: &Group<'_>, report: &RunReport, material: Material<'_>) {
    let (style, word) = match group.level {
        Level::Must => (RED, "FAIL"),
        _ => (YELLOW, "warn"),
    };
    let cases = group.cases.len();
    let many = if cases == 1 { String::new() } else { format!("  ({cases} cases)") };
    let _ = writeln!(out, "{style}{word}{style:#} {} {}: {}{many}", group.level, group.facet, group.cause);
    let (result, example) = group.example;
    let _ = writeln!(out, "  {}: {}", result.id, result.title);
    let _ = writeln!(out, "  {}", located(example).replace('\n', "\n  "));
    if let Some(case) = material.case(&result.id) {
        for line in script(case, example.step) {
            let _ = writeln!(out, "    {DIM}{line}{DIM:#}");
        }
    }
    if let Some(requirement) = material.catalogue.get(group.cause) {
        let _ = writeln!(out, "  asked: {}", requirement.text);
    }
    if group.level == Level::Must {
        log(out, &result.log);
    }
    if cases > 1 {
        let others: Vec<&str> = group.cases.iter().copied().filter(|id| *id != result.id).collect();
        let more = if others.len() > 6 { format!(", and {} more", others.len() - 6) } else { String::new() };
        let _ = writeln!(out, "  also: {}{more}", others[..others.len().min(6)].join(", "));
    }
    let _ = writeln!(out, "  again: {}\n", again(report, &result.id));
}

/// The end of what the handler wrote to its log, if anything.
fn log(out: &mut String, log: &str) {
    if log.is_empty() {
        return;
    }
    let _ = writeln!(out, "  the handler's log ends with:");
    for line in log.lines().rev().take(5).collect::<Vec<_>>().into_iter().rev() {
        let _ = writeln!(out, "    {DIM}{line}{DIM:#}");
    }
}

/// The command line that repeats one case.
fn again(report: &RunReport, id: &str) -> String {
    report.again.replace("{id}", id)
}

fn unjudged(out: &mut String, report: &RunReport) {
    for verdict in [Verdict::CouldNotRun, Verdict::HarnessError] {
        let mut reasons: Vec<(String, Vec<&CaseResult>)> = Vec::new();
        for result in report.results.iter().filter(|result| result.verdict == verdict) {
            let reason = result.notes.first().cloned().unwrap_or_default();
            let reason = reason
                .split_once(": ")
                .filter(|(step, _)| step.starts_with("step "))
                .map_or(reason.as_str(), |(_, rest)| rest);
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, same)) => same.push(result),
                None => reasons.push((reason.to_owned(), vec![result])),
            }
        }
        for (reason, results) in reasons {
            let ids: Vec<&str> = results.iter().map(|result| result.id.as_str()).collect();
            let more = if ids.len() > 3 { format!(", and {} more", ids.len() - 3) } else { String::new() };
            let shown = ids[..ids.len().min(3)].join(", ");
            let _ = writeln!(out, "{YELLOW}{}{YELLOW:#} {reason}\n  {shown}{more}", verdict.as_str());
            log(out, results.iter().map(|result| result.log.as_str()).find(|log| !log.is_empty()).unwrap_or_default());
            let _ = writeln!(out, "  again: {}\n", again(report, ids[0]));
        }
    }
}

fn facts(out: &mut String, report: &RunReport, information: &[Group<'_>], verbose: bool) {
    for facet in Facet::ALL {
        let passed = report.count_facet(facet, FacetState::Pass);
        let failed = report.results.iter().filter(|result| {
            let weighty = |level| level > Level::May;
            result.failures.iter().any(|failure| failure.facet == facet && weighty(failure.level))
        });
        let failed = failed.count();
        let differ = report.count_facet(facet, FacetState::Fail).saturating_sub(failed);
        let unknown = report.count_facet(facet, FacetState::Unknown);
        let mut line = format!("{:<10} {passed} pass", facet.as_str());
        for (count, word) in [(failed, "not as asked"), (differ, "otherwise, for information"), (unknown, "not judged")]
        {
            if count > 0 {
                let _ = write!(line, ", {count} {word}");
            }
        }
        let _ = writeln!(out, "{line}");
    }
    if let Some((name, count, of)) = report.nearest_dialect() {
        let _ = writeln!(out, "dialect    nearest is {name}: {count} of {of} texts");
    }
    if !report.choices.is_empty() {
        let choices: Vec<String> = report.choices.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        match verbose {
            true => {
                let _ = writeln!(out, "choices    {}", choices.join("\n           "));
            }
            false => {
                let main = ["existing-file", "final-newline", "dotdot-above", "encoded-dots"];
                let shown: Vec<&String> =
                    choices.iter().filter(|one| main.iter().any(|key| one.split(':').next() == Some(key))).collect();
                let mut shown: Vec<&str> = shown.into_iter().map(String::as_str).collect();
                let rest = format!("{} more (--verbose)", choices.len() - shown.len());
                if choices.len() > shown.len() {
                    shown.push(&rest);
                }
                let _ = writeln!(out, "choices    {}", shown.join(", "));
            }
        }
    }
    let texts: usize = information.iter().map(|group| group.cases.len()).sum();
    if texts > 0 {
        let _ = writeln!(
            out,
            "for information: {texts} texts are those of another published dialect; `--dialect docs` demands the documented ones"
        );
        if verbose {
            for group in information {
                let (result, example) = group.example;
                let _ = writeln!(out, "  {} ({}): {}", group.cause, result.id, example.message);
            }
        }
    }
    let missing = report.results.iter().filter(|result| result.verdict == Verdict::NotApplicable);
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for reason in missing.filter_map(|result| result.notes.first()) {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    for (reason, count) in reasons {
        let _ = writeln!(out, "not applicable to this handler: {count} cases, {reason}");
    }
}

fn conclusion(out: &mut String, report: &RunReport) {
    let counts: Vec<String> = Verdict::ALL
        .into_iter()
        .map(|verdict| (report.count(verdict), verdict.as_str()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let code = report.exit_code();
    let style = match code {
        exit::OK => GREEN,
        exit::INCOMPLETE => YELLOW,
        _ => RED,
    };
    let word = report.conclusion();
    let cases = report.results.len();
    let what = if counts.is_empty() { "nothing ran".to_owned() } else { counts.join(", ") };
    let _ = writeln!(out, "\n{style}{word}{style:#}: {cases} cases, {what} ({:.2} s)", report.duration.as_secs_f64());
}

fn fuzzed(out: &mut String, report: &RunReport) {
    let weighty = report.results.iter().filter(|result| result.worst().is_some());
    let (style, found) = match (weighty.count(), report.exit_code()) {
        (0, _) => (GREEN, "nothing found".to_owned()),
        (1, exit::OK) => (YELLOW, "1 finding".into()),
        (count, exit::OK) => (YELLOW, format!("{count} findings")),
        (1, _) => (RED, "1 finding".into()),
        (count, _) => (RED, format!("{count} findings")),
    };
    let (attempts, commands, time) = (report.attempts, report.commands, report.duration.as_secs_f64());
    let _ = writeln!(out, "{style}{found}{style:#} in {attempts} attempts with {commands} commands ({time:.2} s)");
}
