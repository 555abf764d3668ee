//! Where the reports of a run go: any number, each a kind and a file.

use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind};

use memconf::event::{Event, Material};
use memconf::report::{Report, ReportKind, TerminalReport};

use super::Stop;
use super::select::nearest;

/// `KIND=FILE`.
#[derive(Clone)]
pub struct ReportArg {
    kind: ReportKind,
    file: String,
}

pub fn report(text: &str) -> Result<ReportArg, String> {
    let names = || ReportKind::ALL.map(ReportKind::as_str);
    let wrong = |near: String| format!("write KIND=FILE, where KIND is one of {}{near}", names().join(", "));
    let Some((word, file)) = text.split_once('=').filter(|(_, file)| !file.is_empty()) else {
        return Err(wrong(String::new()));
    };
    let kind = ReportKind::named(word).ok_or_else(|| wrong(nearest(word, names().into_iter())))?;
    Ok(ReportArg { kind, file: file.into() })
}

/// The reports of one run.
pub struct Reports {
    list: Vec<One>,
}

struct One {
    name: String,
    report: Box<dyn Report>,
    failed: Option<Error>,
}

impl Reports {
    /// Opens the files. The report for people goes to standard output, unless another one takes it.
    pub fn open(wanted: &[ReportArg], verbose: bool) -> Result<Reports, Stop> {
        let mut reports = Reports::only(wanted)?;
        if wanted.iter().all(|one| one.file != "-") {
            let report: Box<dyn Report> = Box::new(TerminalReport::new(anstream::stdout(), verbose));
            reports.list.push(One { name: "-".into(), report, failed: None });
        }
        Ok(reports)
    }

    /// Opens the files, and nothing else.
    pub fn only(wanted: &[ReportArg]) -> Result<Reports, Stop> {
        let mut list: Vec<One> = Vec::new();
        for ReportArg { kind, file } in wanted {
            if list.iter().any(|one| one.name == *file) {
                let place = if file == "-" { "standard output" } else { file };
                return Err(Stop::usage(format!("two reports go to {place}; give each a file of its own")));
            }
            let report = match (kind, file.as_str()) {
                (ReportKind::Terminal, "-") => Box::new(TerminalReport::new(anstream::stdout(), false)),
                (kind, "-") => kind.report(BufWriter::new(std::io::stdout())),
                (kind, file) => {
                    let opened = File::create(file);
                    let failed = |error| Stop::usage(format!("failed to write the report {file}: {error}"));
                    kind.report(BufWriter::new(opened.map_err(failed)?))
                }
            };
            list.push(One { name: file.clone(), report, failed: None });
        }
        Ok(Reports { list })
    }

    /// Tells all reports. One that cannot be written is left out from then on, and said at the end.
    pub fn event(&mut self, event: &Event<'_>, material: Material<'_>) {
        for one in self.list.iter_mut().filter(|one| one.failed.is_none()) {
            one.failed = one.report.event(event, material).err();
        }
    }

    /// Whether all could be written.
    pub fn finish(self) -> Result<(), Stop> {
        for One { name, failed, .. } in self.list {
            match failed {
                None => {}
                Some(error) if name == "-" => return Err(error.into()),
                Some(error) if error.kind() == ErrorKind::BrokenPipe => return Err(Stop::BrokenPipe),
                Some(error) => return Err(Stop::usage(format!("failed to write the report {name}: {error}"))),
            }
        }
        Ok(())
    }
}
