//! A recorded cluster and its tasks.

use super::cluster::NodeSpec;
use super::workload::Request;
use crossover_quantity::balance::{Balance, BalanceOf};
use crossover_quantity::unread::Unread;

/// A recorded cluster and its tasks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// Types of GPUs.
    pub types: Vec<String>,
    /// Nodes, sorted by name; empty if the record has none.
    pub nodes: Vec<NodeSpec>,
    /// Requests of tasks, each once.
    pub requests: Vec<Request>,
    /// Tasks, sorted by name.
    pub tasks: Vec<Task>,
    /// Whether tasks that request whole GPUs may spread over nodes: then they are cut into pieces that fit.
    pub may_spread: bool,
    /// What was left out, and why, for the user.
    pub notes: Vec<String>,
    /// What may change the counts of GPUs and was not used.
    pub unread: Unread,
    /// What the files say in total, and how much of it nodes and tasks have.
    pub balances: Vec<Balance>,
}

impl Trace {
    /// All notes for the user, with what was not used, and with GPUs that no node or task has.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        let mut messages = self.notes.clone();
        messages.extend(self.unread.sentences());
        // Notes name the nodes and jobs that are left out.
        let of_gpus = |balance: &&Balance| matches!(balance.quantity, BalanceOf::Gpus | BalanceOf::RequestedGpus);
        let clauses = self.balances.iter().filter(of_gpus).filter_map(Balance::clause);
        messages.extend(clauses.map(|clause| format!("of this cluster, {clause}")));
        messages
    }
}

/// A recorded task.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Name.
    pub name: String,
    /// Index of the request of each of its pieces.
    pub request: usize,
    /// Pieces that start and end together, each on one node, several on one if they fit; 1 unless it may spread.
    pub pieces: u32,
    /// Whether the task is latency-sensitive.
    pub is_sensitive: bool,
    /// Arrival, seconds from the start of the record.
    pub arrives: f64,
    /// Run time, seconds; `None` if it runs beyond the end of the record.
    pub seconds: Option<f64>,
    /// Recorded wait from arrival to start, seconds; `None` where it is not known.
    pub waited: Option<f64>,
}

/// Distinct requests, each with an index.
#[derive(Debug, Default)]
pub struct Requests {
    places: std::collections::BTreeMap<Request, usize>,
}

impl Requests {
    /// The index of a request.
    pub fn place(&mut self, request: Request) -> usize {
        let next = self.places.len();
        *self.places.entry(request).or_insert(next)
    }

    /// All requests by index.
    #[must_use]
    pub fn into_list(self) -> Vec<Request> {
        let mut list: Vec<(usize, Request)> =
            self.places.into_iter().map(|(request, place)| (place, request)).collect();
        list.sort_unstable_by_key(|(place, _)| *place);
        list.into_iter().map(|(_, request)| request).collect()
    }
}
