//! Requirements and rulings: what is asked, how strongly, and why.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Serialize};

/// How strongly something is asked. The order is that of weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Allowed, advised or left open: information.
    May,
    /// Part of the recommended behaviour: a warning.
    Should,
    /// An unconditional demand, or bytes and safety at stake: a failure.
    Must,
}

impl Level {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::May => "may",
            Level::Should => "should",
            Level::Must => "must",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Facet {
    /// Nothing outside `/memories` was touched, and the root survived.
    Safety,
    /// Success or error as expected, and the right effect.
    Behaviour,
    /// The exact text.
    Wording,
}

impl Facet {
    /// All three, in the order of reports.
    pub const ALL: [Facet; 3] = [Facet::Safety, Facet::Behaviour, Facet::Wording];

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Facet::Safety => "safety",
            Facet::Behaviour => "behaviour",
            Facet::Wording => "wording",
        }
    }
}

impl fmt::Display for Facet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One documented behaviour, or one decision of this project where the documentation is silent.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// `view.range`, `ruling.fidelity`.
    pub id: String,
    /// How strongly it is asked.
    pub level: Level,
    /// What its checks are about.
    pub facets: Vec<Facet>,
    /// What is asked.
    pub text: String,
    /// The section of the documentation it comes from.
    pub section: String,
    /// Why it matters to somebody whose application uses Claude.
    pub why: String,
    /// The class of bug that it catches.
    pub catches: String,
    /// What a handler may choose: key and values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub choices: BTreeMap<String, Vec<String>>,
    /// Why no case cites it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_case: Option<String>,
}

/// All requirements and rulings, by id.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    list: Vec<Requirement>,
    index: HashMap<String, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueFile {
    requirements: Vec<Requirement>,
}

impl Catalogue {
    /// Reads `requirements.json`.
    ///
    /// # Errors
    /// What serde says, with line and column; or a repeated id.
    pub fn parse(json: &str) -> Result<Catalogue, String> {
        let file: CatalogueFile = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let mut catalogue = Catalogue::default();
        for requirement in file.requirements {
            catalogue.add_requirement(requirement)?;
        }
        Ok(catalogue)
    }

    /// Adds one.
    ///
    /// # Errors
    /// Where its id stands already.
    pub fn add_requirement(&mut self, requirement: Requirement) -> Result<(), String> {
        if self.index.insert(requirement.id.clone(), self.list.len()).is_some() {
            return Err(format!("the id `{}` stands twice", requirement.id));
        }
        self.list.push(requirement);
        Ok(())
    }

    /// In the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Requirement> {
        self.list.iter()
    }

    /// By id.
    pub fn get(&self, id: &str) -> Option<&Requirement> {
        self.index.get(id).map(|&at| &self.list[at])
    }

    /// The highest level among `ids`; `must` where none is known, since a script without requirements states
    /// what its author demands.
    pub fn level(&self, ids: &[String]) -> Level {
        ids.iter().filter_map(|id| self.get(id)).map(|requirement| requirement.level).max().unwrap_or(Level::Must)
    }

    /// The level of a failure of `facet` in a step that cites `ids`: the highest among those that speak of that
    /// facet. Where none does: behaviour beside safety is `should` (an odd success is not yet an escape), anything
    /// else the highest of all. Wording is never more than `should`: the documentation allows other texts.
    pub fn level_of(&self, ids: &[String], facet: Facet) -> Level {
        let cited = || ids.iter().filter_map(|id| self.get(id));
        let of_facet = cited().filter(|one| one.facets.contains(&facet)).map(|one| one.level).max();
        let beside_safety = || cited().any(|one| one.facets.contains(&Facet::Safety));
        match facet {
            Facet::Wording => of_facet.unwrap_or(Level::Should).min(Level::Should),
            Facet::Behaviour if of_facet.is_none() && beside_safety() => self.level(ids).min(Level::Should),
            Facet::Behaviour | Facet::Safety => of_facet.unwrap_or_else(|| self.level(ids)),
        }
    }

    /// Whether a lost or wrong effect in a step that cites `ids` is a matter of safety: they speak of safety
    /// and not of behaviour.
    pub fn effect_is_safety(&self, ids: &[String]) -> bool {
        let cited = || ids.iter().filter_map(|id| self.get(id));
        cited().any(|one| one.facets.contains(&Facet::Safety))
            && !cited().any(|one| one.facets.contains(&Facet::Behaviour))
    }
}
