//! A search that another page proposes: scenario, free parameters, constraints and objectives.

use crossover_page::cache::Cache;
use crossover_tools::search::{Bound, Objective};

/// A search that is proposed; the user may change all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The scenario, by the document's id.
    pub document: String,
    /// Free parameters by their paths, with the ends of their ranges.
    pub free: Vec<(String, [f64; 2])>,
    /// Lists of the catalogue, by their names.
    pub lists: Vec<String>,
    /// Constraints: key of the figure, side, and value as typed.
    pub constraints: Vec<(String, Bound, String)>,
    /// The objectives.
    pub objectives: Vec<Objective>,
}

/// The last proposal, and the number of proposals so far.
pub(super) struct Proposed {
    pub(super) number: u64,
    pub(super) proposal: Proposal,
}

impl Proposal {
    /// Passes it to the search page, which uses it when it is shown.
    pub fn put(self, cache: &mut Cache) {
        let number = cache.get::<Proposed>().map_or(0, |before| before.number) + 1;
        cache.put(Proposed { number, proposal: self });
    }
}
