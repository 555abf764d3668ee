//! JUnit's XML: a suite a group of cases, a test a case.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::Report;
use crate::event::{Event, Material, RunReport};
use crate::judge::{CaseResult, Verdict, explain, located, visible};

/// Writes when the run is over.
///
/// | verdict | in the XML |
/// |---|---|
/// | `pass`, `warn` | a success; what failed at level should is its `system-out` |
/// | `fail`, `unexpected-pass` | a `failure`, whose type is level and facet |
/// | `could-not-run`, `harness-error` | an `error` |
/// | `not-applicable`, `expected-fail` | `skipped`, with the reason |
pub struct JunitReport<W> {
    to: W,
}

impl<W: Write> JunitReport<W> {
    /// Writes to `to`.
    pub fn new(to: W) -> Self {
        JunitReport { to }
    }
}

impl<W: Write> Report for JunitReport<W> {
    fn event(&mut self, event: &Event<'_>, material: Material<'_>) -> io::Result<()> {
        let Event::RunFinished(report) = event else { return Ok(()) };
        xml(report, material).serialize(&mut self.to).map_err(io::Error::other)?;
        self.to.flush()
    }
}

fn xml(report: &RunReport, material: Material<'_>) -> Xml {
    let mut xml = Xml::new("memconf");
    xml.set_time(whole_micros(report.duration));
    let group = |result: &CaseResult| result.id.split('/').next().unwrap_or_default().to_owned();
    for results in report.results.chunk_by(|a, b| group(a) == group(b)) {
        let mut suite = TestSuite::new(results.first().map(group).unwrap_or_default());
        suite.set_time(results.iter().map(|result| whole_micros(result.duration)).sum());
        suite.add_test_cases(results.iter().map(|result| test(result, material)));
        xml.add_test_suite(suite);
    }
    if !report.known.is_empty() {
        let mut suite = TestSuite::new("known-failures");
        suite.add_test_cases(report.known.iter().map(|problem| {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type("known-failure").set_message(visible(&problem.message));
            let mut test = TestCase::new(format!("line {}: {}", problem.line, problem.case), status);
            test.set_classname("memconf.known-failures");
            test
        }));
        xml.add_test_suite(suite);
    }
    xml
}

fn test(result: &CaseResult, material: Material<'_>) -> TestCase {
    let note = || result.notes.first().map(|note| visible(note)).unwrap_or_default();
    let whole = || match material.case(&result.id) {
        Some(case) => visible(&explain(result, case)),
        None => String::new(),
    };
    let failed = |kind| {
        let mut status = TestCaseStatus::non_success(kind);
        match result.failures.iter().max_by_key(|failure| (failure.level, std::cmp::Reverse(failure.step))) {
            Some(worst) => {
                status.set_type(format!("{} {}", worst.level, worst.facet)).set_message(visible(&located(worst)))
            }
            None => status.set_type(result.verdict.as_str()).set_message(note()),
        };
        status.set_description(whole());
        status
    };
    let skipped = |message: String| {
        let mut status = TestCaseStatus::skipped();
        status.set_message(message);
        status
    };
    let status = match result.verdict {
        Verdict::Pass | Verdict::Warn => TestCaseStatus::success(),
        Verdict::Fail | Verdict::UnexpectedPass => failed(NonSuccessKind::Failure),
        Verdict::CouldNotRun | Verdict::HarnessError => failed(NonSuccessKind::Error),
        Verdict::NotApplicable => skipped(note()),
        Verdict::ExpectedFail => skipped(match result.failures.first() {
            Some(failure) => format!("known failure: {}", visible(&located(failure))),
            None => "known failure".into(),
        }),
    };
    let mut test = TestCase::new(result.id.as_str(), status);
    let group = result.id.split('/').next().unwrap_or_default();
    test.set_classname(format!("memconf.{group}")).set_time(whole_micros(result.duration));
    if result.verdict == Verdict::Warn {
        test.set_system_out(whole());
    }
    if !result.log.is_empty() {
        test.set_system_err(visible(&result.log));
    }
    test
}

/// As a JSON report keeps it, so that a report converted later says the same.
fn whole_micros(time: Duration) -> Duration {
    Duration::from_micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}
