//! `memconf list`.

use std::io::Write;

use clap::Args;
use memconf::event::exit;

use super::Stop;
use super::select::Select;

const EXAMPLES: &str = "Examples:
  memconf list --filter rename/
  memconf list --requirement ruling.fidelity
  memconf list --requirements --json";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct List {
    #[command(flatten)]
    select: Select,
    /// List the requirements and rulings, with the number of cases that cite each
    #[arg(long)]
    requirements: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub fn run(self) -> Result<u8, Stop> {
        let selected = self.select.load(self.select.cases.is_none())?;
        let mut out = anstream::stdout().lock();
        if self.requirements {
            let cited = |id: &String| {
                let cites = |case: &&memconf::case::Case| {
                    case.requirements.contains(id) || case.steps.iter().any(|step| step.requirements.contains(id))
                };
                selected.cases.iter().filter(cites).count()
            };
            if self.json {
                let list: Vec<_> = selected.catalogue.iter().collect();
                writeln!(out, "{:#}", serde_json::json!(list))?;
            } else {
                for one in selected.catalogue.iter() {
                    writeln!(
                        out,
                        "{:<7} {:>3} cases  {:<34} {}",
                        one.level.as_str(),
                        cited(&one.id),
                        one.id,
                        one.text
                    )?;
                }
            }
            return Ok(exit::OK);
        }
        if self.json {
            let cases = selected.cases.iter().map(|case| {
                let level = selected.catalogue.level(&case.requirements);
                serde_json::json!({ "id": case.id, "title": case.title, "level": level, "requirements": case.requirements })
            });
            writeln!(out, "{:#}", serde_json::Value::Array(cases.collect()))?;
        } else {
            for case in &selected.cases {
                let level = selected.catalogue.level(&case.requirements);
                writeln!(out, "{:<7} {:<50} {}", level.as_str(), case.id, case.title)?;
            }
        }
        Ok(exit::OK)
    }
}
