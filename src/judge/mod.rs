//! Turns what is expected and what came into a verdict: three facets from one expectation, so that a difference in
//! wording never hides a lost byte.

mod case;
mod choices;
mod dialect;
mod explain;
mod fail;
mod known;
mod lines;
mod listing;
mod on_disk;
mod paths;
mod profile;
mod reader;
mod sent;
mod shape;
mod show;
mod text;
mod translate;
mod verdict;
mod wording;

pub use case::{CaseJudge, Demands, Evidence};
pub use choices::settle;
pub use dialect::{Dialect, Dialects, Filling, Template};
pub use explain::{difference, is_size, size_is};
pub use known::{Entry, KnownFailures, KnownProblem};
pub use paths::{below, normalised};
pub use profile::Profile;
pub use show::{explain, is_trouble, located, script};
pub use text::{push_visible, quote, visible};
pub use translate::Answered;
pub use verdict::{CaseResult, FacetState, Failure, StepRecord, Verdict};
pub use wording::LineFormat;
