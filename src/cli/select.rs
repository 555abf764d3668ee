//! Which cases: the options that `run` and `list` share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use memconf::case::{Case, Catalogue, Facet, Level, builtin_cases, builtin_catalogue, load_dir};
use memconf::event::exit;
use memconf::judge::Dialects;
use memconf::runner::tenants;

use super::Stop;

#[derive(Args)]
pub struct Select {
    /// Take the cases below this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
    /// Only cases whose id contains this text, or is this text; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,
    /// Only cases that cite this requirement or ruling; may be repeated
    #[arg(long, value_name = "ID")]
    pub requirement: Vec<String>,
    /// Only cases of this level or above
    #[arg(long, value_enum)]
    pub level: Option<LevelArg>,
    /// Judge only this facet; may be repeated
    #[arg(long, value_enum)]
    pub facet: Vec<FacetArg>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum LevelArg {
    May,
    Should,
    Must,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum FacetArg {
    Safety,
    Behaviour,
    Wording,
}

/// Cases ordered by id, the ids of all that there are, and the requirements.
pub struct Selected {
    pub cases: Vec<Case>,
    pub ids: Vec<String>,
    pub catalogue: Catalogue,
}

impl Select {
    pub fn facets(&self) -> Vec<Facet> {
        let chosen = |facet: &Facet| {
            self.facet.is_empty()
                || self.facet.iter().any(|arg| match arg {
                    FacetArg::Safety => *facet == Facet::Safety,
                    FacetArg::Behaviour => *facet == Facet::Behaviour,
                    FacetArg::Wording => *facet == Facet::Wording,
                })
        };
        Facet::ALL.into_iter().filter(chosen).collect()
    }

    /// The chosen cases; `stores`: also the checks of two stores against each other.
    pub fn load(&self, stores: bool) -> Result<Selected, Stop> {
        let loaded = match &self.cases {
            Some(folder) => load_dir(folder, builtin_catalogue()),
            None => builtin_cases().map(|cases| (cases, builtin_catalogue().clone())),
        };
        let (mut cases, catalogue) =
            loaded.map_err(|errors| Stop::usage(format!("the cases cannot be read:\n{errors}")))?;
        if stores {
            cases.extend(tenants::cases());
            cases.sort_by(|a, b| a.id.cmp(&b.id));
        }
        let ids: Vec<String> = cases.iter().map(|case| case.id.clone()).collect();
        let of_stores = if stores { Vec::new() } else { tenants::cases() };
        for id in &self.requirement {
            if catalogue.get(id).is_none() {
                let near = nearest(id, catalogue.iter().map(|one| one.id.as_str()));
                return Err(Stop::usage(format!(
                    "no requirement is called `{id}`{near}; `memconf list --requirements` shows all"
                )));
            }
        }
        cases.retain(|case| self.wants(case, &catalogue, &ids));
        if cases.is_empty() && of_stores.iter().any(|case| self.wants(case, &catalogue, &ids)) {
            let message = "these cases try two stores of a service against each other; add `--url URL \
                           --session-header NAME`";
            return Err(Stop::Message(message.into(), exit::INCOMPLETE));
        }
        if cases.is_empty() {
            let near =
                self.filter.first().map(|text| nearest(text, ids.iter().map(String::as_str))).unwrap_or_default();
            let message = format!("no case is selected, so nothing ran{near}; `memconf list` shows all");
            return Err(Stop::Message(message, exit::INCOMPLETE));
        }
        Ok(Selected { cases, ids, catalogue })
    }

    fn wants(&self, case: &Case, catalogue: &Catalogue, ids: &[String]) -> bool {
        let matches = |text: &String| {
            // The id of a case means just that case, also where longer ids begin with it.
            if ids.contains(text) { case.id == *text } else { case.id.contains(text.as_str()) }
        };
        let cites = |id: &String| {
            case.requirements.contains(id) || case.steps.iter().any(|step| step.requirements.contains(id))
        };
        let level = self.level.map(|level| match level {
            LevelArg::May => Level::May,
            LevelArg::Should => Level::Should,
            LevelArg::Must => Level::Must,
        });
        (self.filter.is_empty() || self.filter.iter().any(matches))
            && (self.requirement.is_empty() || self.requirement.iter().any(cites))
            && level.is_none_or(|level| catalogue.level(&case.requirements) >= level)
    }
}

/// The place of a dialect among all.
pub fn dialect_named(name: &str) -> Result<usize, Stop> {
    let dialects = Dialects::builtin();
    match dialects.get(name) {
        Some((place, _)) => Ok(place),
        None => {
            let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name.as_str()).collect();
            let near = nearest(name, names.iter().copied());
            Err(Stop::usage(format!("no dialect is called `{name}`{near}; there are {}", names.join(", "))))
        }
    }
}

/// `; did you mean ...?`, where a word is similar enough.
pub fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> String {
    let best = words
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, word)| format!("; did you mean `{word}`?")).unwrap_or_default()
}
