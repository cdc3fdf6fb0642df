//! Results that the preemption page shows.

use std::sync::Arc;

use crossover_chart::lines::LineChart;
use crossover_preemption::{AtLoad, Outcome, Preemption};

use super::timeline::Timeline;

/// A study with its outcome.
#[derive(Debug)]
pub(crate) struct EvaluatedStudy {
    /// The study that everything was computed from.
    pub study: Preemption,
    /// Results of every policy.
    pub outcome: Arc<Outcome>,
    /// Timeline of the first stream.
    pub(super) timeline: Timeline,
    /// Distribution of latencies under some policies.
    pub(super) latencies: LineChart,
    /// For each metric: the best policy, and whether each differs significantly from it.
    pub(super) best: Vec<(usize, Vec<bool>)>,
    /// The pair that runs best together, as a sentence.
    pub(super) best_pair: String,
    /// The decision with the largest gain, by its index in the log.
    pub(super) largest_gain: Option<usize>,
}

/// Policies along the load.
#[derive(Debug)]
pub(super) struct Curves {
    /// The study's own load.
    pub(super) load: f64,
    /// Cycles per second.
    pub(super) hertz: f64,
    /// Every policy at each load, ascending.
    pub(super) at: Vec<AtLoad>,
}
