//! A cluster and the tasks that came to it, as somebody recorded them.

use super::cluster::NodeSpec;
use super::workload::Request;

/// A cluster and the tasks that came to it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// Types of GPUs.
    pub types: Vec<String>,
    /// Nodes, sorted by name; empty if the record tells of none.
    pub nodes: Vec<NodeSpec>,
    /// What tasks ask for, each once.
    pub requests: Vec<Request>,
    /// Tasks, sorted by name.
    pub tasks: Vec<Task>,
    /// Whether tasks that ask for whole GPUs may spread over nodes: then they are cut to what nodes have.
    pub may_spread: bool,
    /// What was left out, and why; for the user.
    pub notes: Vec<String>,
}

/// A task as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Name.
    pub name: String,
    /// What each of its pieces asks for, by its place in the list of requests.
    pub request: usize,
    /// Pieces that begin and end together, each on one node, several on one if they fit; 1 unless it may spread.
    pub pieces: u32,
    /// Whether somebody waits for its answers.
    pub is_sensitive: bool,
    /// When it comes, seconds from the beginning of the record.
    pub arrives: f64,
    /// How long it runs, seconds; `None` if it runs on beyond the record.
    pub seconds: Option<f64>,
}

/// Gives every request one place, however many tasks ask for the same.
#[derive(Debug, Default)]
pub struct Requests {
    places: std::collections::BTreeMap<Request, usize>,
}

impl Requests {
    /// The place of a request.
    pub fn place(&mut self, request: Request) -> usize {
        let next = self.places.len();
        *self.places.entry(request).or_insert(next)
    }

    /// All of them by place.
    #[must_use]
    pub fn into_list(self) -> Vec<Request> {
        let mut list: Vec<(usize, Request)> =
            self.places.into_iter().map(|(request, place)| (place, request)).collect();
        list.sort_unstable_by_key(|(place, _)| *place);
        list.into_iter().map(|(_, request)| request).collect()
    }
}
