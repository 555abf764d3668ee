//! A JSON report read back, so that it can be told in another form. Strict in what it knows, deaf to fields that a
//! later version adds.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::case::{Action, Case, Catalogue, Facet, Level, Plant, PlantNode, Requirement, Step};
use crate::event::{HandlerInfo, Material, RunReport};
use crate::judge::{CaseResult, Dialects, FacetState, Failure, KnownProblem, StepRecord, Verdict};

/// A run that was told in a JSON report.
#[derive(Debug)]
pub struct StoredRun {
    /// What came of it.
    pub report: RunReport,
    /// Its scripts, as far as the report has them: what was done, not what was expected.
    pub cases: Vec<Case>,
    /// The requirements that failures name.
    pub catalogue: Catalogue,
}

/// Why a file is not a JSON report. Displayed after the name of the program.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error("failed to read {}: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is longer than any report.
    #[error("{} is longer than {} MB, which no report is", file.display(), LONGEST >> 20)]
    TooLong {
        /// The file.
        file: PathBuf,
    },
    /// It is not JSON, or a field is missing or of another type.
    #[error("{} is not a report that `--report json=FILE` wrote: {reason}", file.display())]
    NotAReport {
        /// The file.
        file: PathBuf,
        /// What is wrong, with line and column where they are known.
        reason: String,
    },
}

/// No report is longer, in bytes.
const LONGEST: u64 = 512 << 20;

impl StoredRun {
    /// Reads a report from a file.
    ///
    /// # Errors
    /// Where it is none; see [`ReadError`].
    pub fn open(file: &Path) -> Result<StoredRun, ReadError> {
        let unreadable = |source| ReadError::Unreadable { file: file.into(), source };
        let mut bytes = Vec::new();
        let opened = File::open(file).map_err(unreadable)?;
        opened.take(LONGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > LONGEST {
            return Err(ReadError::TooLong { file: file.into() });
        }
        StoredRun::parse(&bytes).map_err(|reason| ReadError::NotAReport { file: file.into(), reason })
    }

    /// Reads a report.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(json: &[u8]) -> Result<StoredRun, String> {
        let file: ReportFile = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        if file.schema != 1 {
            return Err(format!(
                "it has the schema {}, and this memconf reads 1; take the memconf that wrote it",
                file.schema
            ));
        }
        let mut catalogue = Catalogue::default();
        for requirement in file.asked {
            catalogue.add_requirement(requirement)?;
        }
        let (mut cases, mut results) = (Vec::new(), Vec::new());
        for case in file.cases {
            let id = case.id.clone();
            let (case, result) = case.read().map_err(|reason| format!("in the case `{id}`: {reason}"))?;
            cases.push(case);
            results.push(result);
        }
        if let Some(pair) = cases.windows(2).find(|pair| pair[0].id >= pair[1].id) {
            return Err(format!("its cases are not ordered by id: `{}` stands before `{}`", pair[0].id, pair[1].id));
        }
        let known = file.known_failures.into_iter();
        let report = RunReport {
            handler: HandlerInfo {
                transport: file.handler.transport,
                name: file.handler.name,
                version: file.handler.version,
                url: file.handler.url,
                disk: file.handler.disk,
                resets: file.handler.resets,
            },
            results,
            choices: file.summary.choices,
            known: known.map(|one| KnownProblem { case: one.case, line: one.line, message: one.message }).collect(),
            warnings: file.warnings,
            attempts: file.attempts,
            commands: file.commands,
            duration: Duration::from_micros(file.duration_us),
            again: file.again,
            cases_dir: file.cases_dir,
            recorded: file.recorded,
        };
        Ok(StoredRun { report, cases, catalogue })
    }

    /// What reports look up.
    pub fn material(&self) -> Material<'_> {
        Material { cases: &self.cases, catalogue: &self.catalogue }
    }
}

#[derive(Deserialize)]
struct ReportFile {
    schema: u64,
    handler: HandlerFile,
    summary: SummaryFile,
    cases: Vec<CaseFile>,
    known_failures: Vec<KnownFile>,
    warnings: Vec<String>,
    #[serde(default)]
    asked: Vec<Requirement>,
    #[serde(default)]
    cases_dir: Option<String>,
    #[serde(default)]
    recorded: bool,
    #[serde(default)]
    again: String,
    #[serde(default)]
    attempts: u64,
    #[serde(default)]
    commands: u64,
    duration_us: u64,
}

#[derive(Deserialize)]
struct HandlerFile {
    transport: String,
    name: Option<String>,
    version: Option<String>,
    url: Option<String>,
    #[serde(default)]
    disk: bool,
    #[serde(default)]
    resets: bool,
}

#[derive(Deserialize)]
struct SummaryFile {
    choices: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct KnownFile {
    case: String,
    line: usize,
    message: String,
}

#[derive(Deserialize)]
struct CaseFile {
    id: String,
    title: String,
    verdict: String,
    level: Level,
    requirements: Vec<String>,
    facets: BTreeMap<Facet, String>,
    failures: Vec<FailureFile>,
    notes: Vec<String>,
    choices: Map<String, Value>,
    #[serde(default)]
    texts: Vec<String>,
    steps: Vec<StepFile>,
    duration_us: u64,
    #[serde(default)]
    log: String,
}

#[derive(Deserialize)]
struct FailureFile {
    step: usize,
    facet: Facet,
    level: Level,
    message: String,
    cause: String,
    expected: Option<String>,
    actual: Option<String>,
    dialects: Vec<String>,
    place: Option<String>,
}

#[derive(Deserialize)]
struct StepFile {
    call: Option<Value>,
    #[serde(default)]
    restart: bool,
    plant: Option<String>,
    node: Option<Map<String, Value>>,
    result: Option<ResultFile>,
    fault: Option<String>,
}

#[derive(Deserialize)]
struct ResultFile {
    content: String,
    is_error: bool,
}

impl CaseFile {
    fn read(self) -> Result<(Case, CaseResult), String> {
        let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.as_str() == self.verdict);
        let verdict = verdict.ok_or_else(|| format!("`{}` is not a verdict", self.verdict))?;
        let mut facets = [FacetState::NotChecked; 3];
        for (facet, word) in self.facets {
            let state = FacetState::ALL.into_iter().find(|state| state.as_str() == word);
            facets[facet as usize] = state.ok_or_else(|| format!("`{word}` is not the state of a facet"))?;
        }
        let mut choices = Vec::new();
        for (key, value) in self.choices {
            let value = value.as_str().ok_or_else(|| format!("the choice `{key}` is not a string"))?.to_owned();
            choices.push((key, value, 0));
        }
        let wordings = self.texts.iter().map(|names| matches(names)).collect::<Result<Vec<_>, _>>()?;
        let (mut steps, mut records) = (Vec::new(), Vec::new());
        for (index, step) in self.steps.into_iter().enumerate() {
            let number = index + 1;
            let (action, record) = step.read(number).map_err(|reason| format!("step {number} {reason}"))?;
            steps.push(Step { action, when: None, requirements: Vec::new(), outcomes: Vec::new() });
            records.extend(record);
        }
        let failures = self.failures.into_iter().map(|one| Failure {
            step: one.step,
            facet: one.facet,
            level: one.level,
            message: one.message,
            cause: one.cause,
            expected: one.expected,
            actual: one.actual,
            dialects: one.dialects,
            place: one.place,
        });
        let result = CaseResult {
            id: self.id.clone(),
            title: self.title.clone(),
            verdict,
            level: self.level,
            requirements: self.requirements.clone(),
            facets,
            failures: failures.collect(),
            notes: self.notes,
            choices,
            wordings,
            steps: records,
            log: self.log,
            duration: Duration::from_micros(self.duration_us),
        };
        let case = Case { id: self.id, title: self.title, requirements: self.requirements, needs: Vec::new(), steps };
        Ok((case, result))
    }
}

impl StepFile {
    fn read(self, number: usize) -> Result<(Action, Option<StepRecord>), &'static str> {
        let action = match (self.call, self.restart, self.plant) {
            (Some(input), false, None) => Action::Call(input),
            (None, true, None) => Action::Restart,
            (None, false, Some(path)) => {
                let node = self.node.as_ref().and_then(|node| node.iter().next());
                let node = node.and_then(|(field, value)| PlantNode::from_json(field, value));
                Action::Plant(Plant { path, node: node.ok_or("plants something unknown")? })
            }
            _ => return Err("is not one of `call`, `restart` and `plant`"),
        };
        let record = match (self.result, self.fault) {
            (Some(result), None) => {
                Some(StepRecord { step: number, content: result.content, is_error: result.is_error, fault: None })
            }
            (None, Some(fault)) => {
                Some(StepRecord { step: number, content: String::new(), is_error: false, fault: Some(fault) })
            }
            (None, None) => None,
            (Some(_), Some(_)) => return Err("has both a `result` and a `fault`"),
        };
        Ok((action, record))
    }
}

/// The bits of the dialects with these names.
fn matches(names: &str) -> Result<u32, String> {
    names.split(' ').filter(|name| !name.is_empty()).try_fold(0, |bits, name| {
        let (place, _) = Dialects::builtin().get(name).ok_or_else(|| format!("no dialect is called `{name}`"))?;
        Ok(bits | 1 << place)
    })
}
