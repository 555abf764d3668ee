//! GitHub's workflow commands: a line a cause, that annotates the file of the case which shows it best.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use super::Report;
use super::group::{Group, groups};
use crate::case::{Level, builtin_case_text, step_lines};
use crate::event::{Event, Material, RunReport};
use crate::judge::{CaseResult, Verdict, located, visible};

/// Writes when the run is over. GitHub shows ten errors and ten warnings a step, so what has one cause is said once.
pub struct GithubReport<W> {
    to: W,
}

impl<W: Write> GithubReport<W> {
    /// Writes to `to`, which is the job's log: standard output.
    pub fn new(to: W) -> Self {
        GithubReport { to }
    }
}

impl<W: Write> Report for GithubReport<W> {
    fn event(&mut self, event: &Event<'_>, _: Material<'_>) -> io::Result<()> {
        let Event::RunFinished(report) = event else { return Ok(()) };
        self.to.write_all(render(report).as_bytes())?;
        self.to.flush()
    }
}

fn render(report: &RunReport) -> String {
    let mut out = String::new();
    let mut files = Files { folder: report.cases_dir.as_deref(), last: None };
    for group in groups(report).iter().filter(|group| group.level > Level::May) {
        let fails = group.cases.iter().any(|id| report.results.iter().any(|one| one.id == *id && is_failed(one)));
        let word = if group.level == Level::Must || fails { "error" } else { "warning" };
        let (result, failure) = group.example;
        let place = files.place(&result.id, failure.step);
        command(&mut out, word, &place, &title(group), &message(group, report));
    }
    for verdict in [Verdict::CouldNotRun, Verdict::HarnessError] {
        let results: Vec<&CaseResult> = report.results.iter().filter(|result| result.verdict == verdict).collect();
        let Some(first) = results.first() else { continue };
        let why = first.notes.first().cloned().unwrap_or_default();
        let others = others(results.iter().map(|result| result.id.as_str()));
        let message = format!("{why}\n{}: {}{others}", first.id, first.title);
        command(&mut out, "error", &files.place(&first.id, 0), &format!("memconf: {}", verdict.as_str()), &message);
    }
    for problem in &report.known {
        command(&mut out, "error", &[], "memconf: the list of known failures is not true", &problem.message);
    }
    for warning in &report.warnings {
        command(&mut out, "notice", &[], "memconf", warning);
    }
    out
}

fn is_failed(result: &CaseResult) -> bool {
    result.verdict == Verdict::Fail
}

fn title(group: &Group<'_>) -> String {
    format!("memconf: {} {}: {}", group.level, group.facet, group.cause)
}

fn message(group: &Group<'_>, report: &RunReport) -> String {
    let (result, failure) = group.example;
    let others = others(group.cases.iter().copied());
    let again = report.again.replace("{id}", &result.id);
    format!("{}\n{}: {}{others}\nagain: {again}", located(failure), result.id, result.title)
}

fn others<'a>(cases: impl ExactSizeIterator<Item = &'a str>) -> String {
    match cases.len().saturating_sub(1) {
        0 => String::new(),
        1 => " (and 1 other case)".into(),
        more => format!(" (and {more} other cases)"),
    }
}

/// The files of the cases, and their lines.
struct Files<'a> {
    folder: Option<&'a str>,
    last: Option<(String, Vec<usize>)>,
}

impl Files<'_> {
    fn place(&mut self, id: &str, step: usize) -> Vec<(&'static str, String)> {
        let file = format!("{}/{id}.json", self.folder.unwrap_or("cases"));
        if self.last.as_ref().is_none_or(|(known, _)| known != id) {
            // A file that is gone is named all the same, with its first line.
            let text = match self.folder {
                Some(_) => std::fs::read_to_string(Path::new(&file)).unwrap_or_default(),
                None => builtin_case_text(id).unwrap_or_default().to_owned(),
            };
            self.last = Some((id.to_owned(), step_lines(&text)));
        }
        let lines = self.last.as_ref().map(|(_, lines)| lines.as_slice()).unwrap_or_default();
        let line = step.checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or(1);
        vec![("file", file), ("line", line.to_string())]
    }
}

fn command(out: &mut String, word: &str, place: &[(&str, String)], title: &str, message: &str) {
    let mut properties: Vec<String> = place.iter().map(|(name, value)| format!("{name}={}", property(value))).collect();
    properties.push(format!("title={}", property(title)));
    let _ = writeln!(out, "::{word} {}::{}", properties.join(","), data(message));
}

/// A message: `%` and line ends would end it, and control characters would colour the log.
fn data(text: &str) -> String {
    visible(text).replace('%', "%25").replace('\n', "%0A")
}

/// A property: `:` and `,` would end it too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        let mut out = String::new();
        command(&mut out, "error", &[("file", "a,b:c%.json".into())], "x::y\n", "100%\r\n::warning::no");
        assert_eq!(out, "::error file=a%2Cb%3Ac%25.json,title=x%3A%3Ay%0A::100%25\\r%0A::warning::no\n");
    }
}
