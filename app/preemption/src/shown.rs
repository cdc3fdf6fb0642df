//! What the page of preemption shows.

use std::sync::Arc;

use crossover_chart::lines::LineChart;
use crossover_preemption::{AtLoad, Outcome, Preemption};

use super::timeline::Timeline;

/// A study with its outcome.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The study that everything was computed from.
    pub study: Preemption,
    /// Every policy.
    pub outcome: Arc<Outcome>,
    /// Who was on the GPU when, in the first stream.
    pub(super) timeline: Timeline,
    /// How long launches take under some of the policies.
    pub(super) latencies: LineChart,
    /// By each of what policies are compared by: the best one, and whether each can be told apart from it.
    pub(super) best: Vec<(usize, Vec<bool>)>,
    /// Which kernels run best beside each other, in words.
    pub(super) best_pair: String,
    /// The decision that tells most, by its place in the log.
    pub(super) telling: Option<usize>,
}

/// Policies along the load.
#[derive(Debug)]
pub(super) struct Curves {
    /// The study's own load.
    pub(super) load: f64,
    /// Cycles in a second: what makes seconds of latencies.
    pub(super) hertz: f64,
    /// Every policy at each load, ascending.
    pub(super) at: Vec<AtLoad>,
}
