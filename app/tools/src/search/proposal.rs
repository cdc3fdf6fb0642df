//! A search that another page proposes: which scenario, what is free in it, what must hold, what is best.

use crossover_page::shelf::Shelf;
use crossover_tools::search::{Bound, Goal};

/// A search that is proposed; the user may change all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The scenario, by the document's id.
    pub document: String,
    /// Numbers that may be others, by their paths, from where to where.
    pub free: Vec<(String, [f64; 2])>,
    /// Lists of the catalogue, by their names.
    pub lists: Vec<String>,
    /// Figures by their keys, on which side of what they must be, in words.
    pub limits: Vec<(String, Bound, String)>,
    /// What is to be least or most.
    pub goals: Vec<Goal>,
}

/// The proposal that came last, and how many there were.
pub(super) struct Proposed {
    pub(super) number: u64,
    pub(super) proposal: Proposal,
}

impl Proposal {
    /// Hands it to the page of searches, which takes it when it is shown.
    pub fn put(self, shelf: &mut Shelf) {
        let number = shelf.get::<Proposed>().map_or(0, |before| before.number) + 1;
        shelf.put(Proposed { number, proposal: self });
    }
}
