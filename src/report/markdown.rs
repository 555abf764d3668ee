//! A page for GitHub's step summary, or any other place that shows Markdown.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Report;
use super::group::{Group, groups};
use crate::case::{Facet, Level};
use crate::event::{Event, Material, RunReport};
use crate::judge::{FacetState, Verdict, located, script, visible};

/// Writes when the run is over. The page stays below the megabyte that GitHub takes.
pub struct MarkdownReport<W> {
    to: W,
}

impl<W: Write> MarkdownReport<W> {
    /// Writes to `to`.
    pub fn new(to: W) -> Self {
        MarkdownReport { to }
    }
}

impl<W: Write> Report for MarkdownReport<W> {
    fn event(&mut self, event: &Event<'_>, material: Material<'_>) -> io::Result<()> {
        let Event::RunFinished(report) = event else { return Ok(()) };
        self.to.write_all(render(report, material).as_bytes())?;
        self.to.flush()
    }
}

/// So many causes are shown whole; of the others, the number.
const MOST_GROUPS: usize = 50;
/// A text that is longer is cut, in characters.
const LONGEST: usize = 4_000;

fn render(report: &RunReport, material: Material<'_>) -> String {
    let mut out = String::new();
    let word = report.conclusion();
    let info = &report.handler;
    let name = info.name.as_deref().unwrap_or(&info.transport);
    let version = info.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let _ = writeln!(out, "## memconf: {} {word}\n", inline(&format!("{name}{version}")));
    let counts = Verdict::ALL.into_iter().map(|verdict| (report.count(verdict), verdict.as_str()));
    let counts: Vec<String> = counts.filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let what = if counts.is_empty() { "nothing ran".to_owned() } else { counts.join(", ") };
    let _ = writeln!(out, "{} cases: {what}.\n", report.results.len());
    if report.attempts > 0 {
        let _ = writeln!(out, "{} attempts with {} commands.\n", report.attempts, report.commands);
    }
    facets(&mut out, report);
    let all = groups(report);
    let weighty: Vec<&Group<'_>> = all.iter().filter(|group| group.level > Level::May).collect();
    if !weighty.is_empty() {
        let _ = writeln!(out, "### What is not as asked\n");
    }
    for group in weighty.iter().take(MOST_GROUPS) {
        failure(&mut out, group, report, material);
    }
    if weighty.len() > MOST_GROUPS {
        let _ = writeln!(out, "And {} more causes; the JSON report has them all.\n", weighty.len() - MOST_GROUPS);
    }
    unjudged(&mut out, report);
    for problem in &report.known {
        let _ = writeln!(out, "- known failures: {}", inline(&problem.message));
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "- note: {}", inline(warning));
    }
    choices(&mut out, report);
    out
}

fn facets(out: &mut String, report: &RunReport) {
    let _ = writeln!(out, "| facet | pass | fail | not judged |\n|---|---:|---:|---:|");
    for facet in Facet::ALL {
        let count = |state| report.count_facet(facet, state);
        let (pass, fail, unknown) = (count(FacetState::Pass), count(FacetState::Fail), count(FacetState::Unknown));
        let _ = writeln!(out, "| {facet} | {pass} | {fail} | {unknown} |");
    }
    out.push('\n');
    if let Some((name, count, of)) = report.nearest_dialect() {
        let _ = writeln!(out, "The nearest dialect is {}: {count} of {of} texts.\n", inline(&name));
    }
}

fn failure(out: &mut String, group: &Group<'_>, report: &RunReport, material: Material<'_>) {
    let (result, example) = group.example;
    let word = if group.level == Level::Must { "FAIL" } else { "warn" };
    let cases = match group.cases.len() {
        1 => String::new(),
        more => format!(" ({more} cases)"),
    };
    let (level, facet) = (group.level, group.facet);
    let _ =
        writeln!(out, "<details><summary>{word} {level} {facet}: {}{cases}</summary>\n", code(&one_line(group.cause)));
    let _ = writeln!(out, "{}: {}\n", inline(&result.id), inline(&result.title));
    fenced(out, &located(example));
    if let Some(requirement) = material.catalogue.get(group.cause) {
        let _ = writeln!(out, "Asked: {}\n", inline(&requirement.text));
    }
    if let Some(case) = material.case(&result.id) {
        fenced(out, &script(case, example.step).join("\n"));
    }
    for (word, text) in [("Expected", &example.expected), ("Actual", &example.actual)] {
        if let Some(text) = text {
            let _ = writeln!(out, "{word}:\n");
            fenced(out, text);
        }
    }
    if group.cases.len() > 1 {
        let shown: Vec<String> = group.cases.iter().take(20).map(|id| code(id)).collect();
        let more = group.cases.len().saturating_sub(shown.len());
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let _ = writeln!(out, "Cases: {}{more}\n", shown.join(", "));
    }
    let _ = writeln!(out, "Again:\n");
    fenced(out, &report.again.replace("{id}", &result.id));
    let _ = writeln!(out, "</details>\n");
}

fn unjudged(out: &mut String, report: &RunReport) {
    for verdict in [Verdict::CouldNotRun, Verdict::HarnessError] {
        let results: Vec<_> = report.results.iter().filter(|result| result.verdict == verdict).collect();
        for result in results.iter().take(20) {
            let why = result.notes.first().map(String::as_str).unwrap_or_default();
            let _ = writeln!(out, "- {} {}: {}", verdict.as_str(), code(&result.id), inline(why));
        }
        if results.len() > 20 {
            let _ = writeln!(out, "- and {} more {}", results.len() - 20, verdict.as_str());
        }
    }
}

fn choices(out: &mut String, report: &RunReport) {
    if report.choices.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n<details><summary>Choices</summary>\n\n| choice | taken |\n|---|---|");
    for (key, value) in &report.choices {
        let _ = writeln!(out, "| {} | {} |", code(key), code(value));
    }
    let _ = writeln!(out, "\n</details>");
}

/// A block that its text cannot end.
fn fenced(out: &mut String, text: &str) {
    let text = visible(text);
    let cut: String = text.chars().take(LONGEST).collect();
    let longest = cut.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let more = if cut.len() < text.len() { "\n..." } else { "" };
    let _ = writeln!(out, "{fence}text\n{cut}{more}\n{fence}\n");
}

/// A text on one line, in which nothing is markup.
fn inline(text: &str) -> String {
    let mut safe = String::new();
    for c in one_line(text).chars().take(LONGEST) {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '@' | '!' => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}

/// A text on one line as code, also in a table.
fn code(text: &str) -> String {
    let mut safe = String::from("<code>");
    for c in one_line(text).chars().take(LONGEST) {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' | '@' => {
                let _ = write!(safe, "&#{};", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe + "</code>"
}

fn one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(inline("a|b <b>`x`\n- *y*"), "a\\|b &lt;b&gt;\\`x\\` - \\*y\\*");
        assert_eq!(code("a|b`<"), "<code>a&#124;b&#96;&lt;</code>");
        let mut out = String::new();
        fenced(&mut out, "```\n````x");
        assert_eq!(out, "`````text\n```\n````x\n`````\n\n");
    }
}
