//! `memconf explain`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use memconf::case::{Case, Catalogue, Expected, Requirement, builtin_cases, builtin_catalogue, load_dir};
use memconf::event::exit;
use memconf::judge::script;
use memconf::runner::tenants;

use super::Stop;
use super::select::nearest;

const EXAMPLES: &str = "Examples:
  memconf explain ruling.fidelity
  memconf explain str_replace/new-str-omitted";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Explain {
    /// The id of a case or of a requirement
    id: String,
    /// Take the cases below this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
}

impl Explain {
    pub fn run(self) -> Result<u8, Stop> {
        let loaded = match &self.cases {
            Some(folder) => load_dir(folder, builtin_catalogue()),
            None => builtin_cases().map(|cases| (cases, builtin_catalogue().clone())),
        };
        let (mut cases, catalogue) =
            loaded.map_err(|errors| Stop::usage(format!("the cases cannot be read:\n{errors}")))?;
        if self.cases.is_none() {
            cases.extend(tenants::cases());
        }
        let mut out = anstream::stdout().lock();
        let from = self.cases.as_ref().map(|folder| format!(" --cases {}", folder.display())).unwrap_or_default();
        if let Some(requirement) = catalogue.get(&self.id) {
            about_requirement(&mut out, requirement, &cases, &from)?;
        } else if let Some(case) = cases.iter().find(|case| case.id == self.id) {
            about_case(&mut out, case, &catalogue, &from)?;
        } else {
            let words = catalogue.iter().map(|one| one.id.as_str()).chain(cases.iter().map(|case| case.id.as_str()));
            let near = nearest(&self.id, words);
            return Err(Stop::usage(format!(
                "no case and no requirement is called `{}`{near}; `memconf list` shows all",
                self.id
            )));
        }
        Ok(exit::OK)
    }
}

fn about_requirement(out: &mut impl Write, one: &Requirement, cases: &[Case], from: &str) -> std::io::Result<()> {
    writeln!(out, "{} ({})\n", one.id, one.level)?;
    asked(out, one)?;
    for (key, values) in &one.choices {
        writeln!(out, "choice: {key}, one of {}", values.join(", "))?;
    }
    if let Some(why) = &one.no_case {
        return writeln!(out, "no case: {why}");
    }
    writeln!(out, "\ncases:")?;
    let cites = |case: &&Case| {
        case.requirements.contains(&one.id) || case.steps.iter().any(|step| step.requirements.contains(&one.id))
    };
    for case in cases.iter().filter(cites) {
        writeln!(out, "  {:<50} {}", case.id, case.title)?;
    }
    writeln!(out, "\nrun them: memconf run{from} --requirement {} -- YOUR COMMAND", one.id)
}

fn asked(out: &mut impl Write, one: &Requirement) -> std::io::Result<()> {
    let facets: Vec<&str> = one.facets.iter().map(|facet| facet.as_str()).collect();
    writeln!(out, "asked:   {}", one.text)?;
    writeln!(out, "why:     {}", one.why)?;
    writeln!(out, "catches: {}", one.catches)?;
    writeln!(out, "section: {}", one.section)?;
    writeln!(out, "judged:  {}", facets.join(", "))
}

fn about_case(out: &mut impl Write, case: &Case, catalogue: &Catalogue, from: &str) -> std::io::Result<()> {
    writeln!(out, "{} ({})\n{}\n", case.id, catalogue.level(&case.requirements), case.title)?;
    for id in &case.requirements {
        if let Some(one) = catalogue.get(id) {
            writeln!(out, "{} ({})", one.id, one.level)?;
            asked(out, one)?;
            writeln!(out)?;
        }
    }
    if !case.needs.is_empty() {
        let needs: Vec<&str> = case.needs.iter().map(|need| need.as_str()).collect();
        writeln!(out, "needs:   {}\n", needs.join(", "))?;
    }
    writeln!(out, "script:")?;
    for (line, step) in script(case, 0).iter().zip(&case.steps) {
        if let Some(when) = &step.when {
            writeln!(out, "  (only after the choice `{when}`)")?;
        }
        writeln!(out, "  {line}")?;
        for outcome in &step.outcomes {
            let choice = outcome.choice.as_ref().map(|choice| format!(" [{choice}]")).unwrap_or_default();
            let text = match &outcome.expected {
                Expected::Ok(text) => format!("success, {}", indented(text)),
                Expected::OkStartsWith(text) => format!("success that begins with {}", indented(text)),
                Expected::AnyOk => "success, with any text".into(),
                Expected::Error(text) => format!("error, {}", indented(text)),
                Expected::AnyError => "an error, with any text".into(),
            };
            writeln!(out, "    -> {text}{choice}")?;
        }
    }
    if tenants::is_tenants(&case.id) {
        let filter = &case.id;
        return writeln!(out, "\nrun it:  memconf run --url URL --session-header NAME --filter {filter}");
    }
    writeln!(out, "\nrun it:  memconf run{from} --filter {} -- YOUR COMMAND", case.id)
}

fn indented(text: &str) -> String {
    const MOST: usize = 12;
    let mut lines: Vec<&str> = text.lines().take(MOST).collect();
    if text.lines().count() > MOST {
        lines.push("...");
    }
    lines.join("\n       ")
}
