//! Which case finds which handler, and that none finds nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use libtest_mimic::Failed;
use memconf::case::{Case, Facet, Level, builtin_catalogue};

use crate::common::{cases, work};
use crate::zoo::Broken;
use crate::{Pen, listed};

/// Cases that find no handler of the zoo, with the reason.
const NOT_PROVEN: &str = include_str!("not-proven.txt");

/// A handler that more cases fail than this share is found by everything, and proves no case.
const MOST_PERCENT: usize = 40;

/// What a case claims: its level, and the facets that it is about.
struct Claim {
    level: Level,
    facets: Vec<Facet>,
}

impl Claim {
    /// The highest level of all that is cited, and every facet that the case's requirements speak of. A wrong text is
    /// found as wording, a lost one as behaviour.
    fn of(case: &Case) -> Claim {
        let catalogue = builtin_catalogue();
        let of_steps = case.steps.iter().flat_map(|step| &step.requirements);
        let ids: Vec<String> = case.requirements.iter().chain(of_steps).cloned().collect();
        let of_case = || case.requirements.iter().filter_map(|id| catalogue.get(id));
        let about = |facet: Facet| of_case().any(|one| one.facets.contains(&facet));
        let counts = |facet: &Facet| about(*facet) || (*facet == Facet::Behaviour && about(Facet::Wording));
        Claim { level: catalogue.level(&ids), facets: Facet::ALL.into_iter().filter(counts).collect() }
    }
}

/// How a case finds a handler: the worst level of all its failures, and that of those at its own facets.
#[derive(Clone, Copy)]
struct Find {
    worst: Level,
    own: Option<Level>,
}

/// The cases that find a handler. What only differs from the choice of other cases is not found by the case itself.
fn finds<'p>(pen: &'p Pen, claims: &BTreeMap<&str, Claim>) -> BTreeMap<&'p str, Find> {
    let found = pen.report().results.iter().filter_map(|result| {
        let failures = || result.failures.iter().filter(|one| !one.cause.starts_with("inconsistent choice"));
        let worst = failures().map(|one| one.level).max().filter(|level| *level >= Level::Should)?;
        let facets = &claims[result.id.as_str()].facets;
        let own = failures().filter(|one| facets.contains(&one.facet)).map(|one| one.level).max();
        let own = own.filter(|level| *level >= Level::Should);
        Some((result.id.as_str(), Find { worst, own }))
    });
    found.collect()
}

/// Every case that claims a must or a should finds, at a facet that it is about, a handler that most of the suite
/// does not find; or it is listed with a reason.
pub fn every_case_finds_a_handler(pens: &[Pen]) -> Result<(), Failed> {
    work(pens.len(), |place| {
        pens[place].report();
    });
    let claims: BTreeMap<&str, Claim> = cases().iter().map(|case| (case.id.as_str(), Claim::of(case))).collect();
    let mut found_by_case: BTreeMap<&str, Vec<(&str, Find)>> = BTreeMap::new();
    let mut text = String::from("# handlers: how many cases find each, what is declared, and the cases\n");
    for pen in pens {
        let found = finds(pen, &claims);
        let special = found.len() * 100 <= cases().len() * MOST_PERCENT;
        let Broken { name, about, facet, level, .. } = &pen.broken;
        let (note, ms) = (if special { "" } else { " (proves no case)" }, pen.report().duration.as_millis());
        let _ = writeln!(text, "{:4} {name}: {facet} {level}{note}, {ms} ms: {about}", found.len());
        for (case, find) in found.iter().filter(|_| special) {
            let own = find.own.map_or("other facet", Level::as_str);
            let _ = writeln!(text, "       {own} {case}");
            found_by_case.entry(case).or_default().push((name, *find));
        }
    }
    text.push_str("\n# cases: the handlers that each finds\n");
    let unproven = listed(NOT_PROVEN);
    let mut problems: Vec<String> =
        unproven.keys().filter(|id| !claims.contains_key(**id)).map(|id| format!("{id}: no such case")).collect();
    let (mut proven, mut weaker) = (0, Vec::new());
    for (id, claim) in &claims {
        let found = found_by_case.get(id).map(Vec::as_slice).unwrap_or_default();
        let about: Vec<&str> = claim.facets.iter().map(|facet| facet.as_str()).collect();
        let about = about.join(", ");
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        let _ = writeln!(text, "{:4} {id} ({} {about}): {}", found.len(), claim.level, names.join(" "));
        let best = found.iter().filter_map(|(_, find)| find.own).max();
        match (best, unproven.get(id)) {
            _ if claim.level < Level::Should => {}
            (Some(_), Some(_)) => problems.push(format!("{id}: proven; take it off not-proven.txt")),
            (None, Some(reason)) if reason.trim().is_empty() => problems.push(format!("{id}: listed without a reason")),
            (None, Some(_)) => {}
            (None, None) => problems.push(format!("{id}: finds no handler of the zoo at {about}")),
            (Some(_), None) => {
                proven += 1;
                if found.iter().all(|(_, find)| find.worst < claim.level) {
                    weaker.push(format!("  {id}\n"));
                }
            }
        }
    }
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/kill-matrix.txt");
    std::fs::write(&place, &text).map_err(|error| format!("{}: {error}", place.display()))?;
    let facets = Facet::ALL.map(|facet| {
        let count = pens.iter().filter(|pen| pen.broken.facet == facet).count();
        format!("{count} {facet}")
    });
    println!(
        "{} broken handlers ({}); {proven} cases proven, {} listed as not proven, {} found at a lower level than their own\n{}all of it: {}",
        pens.len(),
        facets.join(", "),
        unproven.len(),
        weaker.len(),
        weaker.concat(),
        place.display()
    );
    if problems.is_empty() { Ok(()) } else { Err(format!("{}\n{}", problems.len(), problems.join("\n")).into()) }
}
