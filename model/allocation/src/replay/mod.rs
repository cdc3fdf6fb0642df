//! Tasks that come, wait, run and leave: events one after the other.
//!
//! - [`manners`]: what tasks do to each other, and what is done about it
//! - `state`: queues, and what runs where
//! - `release`: a sensitive task takes what others hold
//! - `speed`: how fast a task runs beside others
//! - `monitor`: sensitive tasks that would be late get more
//! - [`log`]: who ran where and when
//! - [`served`]: what became of all tasks
//!
//! A task that fits nowhere waits in one of two queues: that of tasks for whose answers somebody waits, which is served first,
//! or that of all others. Whenever a task leaves, waiting tasks that fit now are placed, of each queue in the order in which
//! they came; a later one may pass an earlier one that fits nowhere. A latency-sensitive task that fits nowhere takes what
//! others hold, if that and what is left suffice on a node: they are saved, stopped and wait again, and go on later with what
//! saving and restoring costs (published method of allocation, steps of the control node and of worker nodes).

pub mod log;
pub mod manners;
mod monitor;
mod release;
pub mod served;
mod speed;
mod state;
mod waits;

use super::cluster::{Cluster, WHOLE};
use super::fragment::Typical;
use super::policy::Policy;
use super::workload::Workload;
use crossover_study::Watch;
pub use log::{Log, Stay};
pub use manners::{Manners, OfRequest};
pub use served::{Replayed, Served};
use state::{State, Task};

/// Events between two looks at whether the result is still wanted.
const STEP: usize = 1024;

/// A task that comes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// When it comes, seconds.
    pub at: f64,
    /// What it asks for, by its place in the workload.
    pub request: usize,
    /// How long it runs alone on a GPU of speed 1, seconds.
    pub seconds: f64,
    /// Whether somebody waits for its answers.
    pub is_sensitive: bool,
    /// What it really uses of its share, 1 where the prediction was right.
    pub uses: f64,
}

/// What is replayed, and how.
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    /// The idle cluster.
    pub cluster: &'a Cluster,
    /// What may be asked for.
    pub workload: &'a Workload,
    /// What typical tasks need.
    pub typical: &'a Typical,
    /// Which node a task gets.
    pub policy: Policy,
    /// Decides what the policy leaves to chance, and which of nodes alike is the first.
    pub seed: u64,
    /// What tasks do to each other, and what is done about it.
    pub manners: &'a Manners,
    /// Stays that are logged at most.
    pub most_logged: usize,
}

impl Replay<'_> {
    /// Replays tasks that come one after the other; `None` if it was called off. Counts tasks that came.
    #[must_use]
    pub fn run(&self, arrivals: impl IntoIterator<Item = Arrival>, watch: Watch<'_>) -> Option<Replayed> {
        let (ordered, nodes) = self.cluster.shuffled(self.seed);
        let mut state = State::new(*self, &ordered);
        // What no idle cluster has, no cluster ever has.
        let requests = self.workload.requests().len();
        let can_run: Vec<bool> = (0..requests).map(|request| state.fits_when_idle(request)).collect();
        for (count, arrival) in arrivals.into_iter().enumerate() {
            state.end_until(arrival.at, watch)?;
            state.advance(arrival.at);
            if can_run[arrival.request] {
                state.come(Task::new(arrival, count as u64));
            } else {
                state.refuse(&arrival);
            }
            if (count + 1) % STEP == 0 {
                watch.count(STEP);
                if watch.is_cancelled() {
                    return None;
                }
            }
        }
        let (mut came_for, mut used) = (state.now(), state.gpu_seconds());
        state.end_until(f64::INFINITY, watch)?;
        // Where all come at the beginning, the time until they have ended.
        if came_for == 0.0 {
            (came_for, used) = (state.now(), state.gpu_seconds());
        }
        let capacity = self.cluster.capacity as f64 / f64::from(WHOLE) * came_for;
        Some(state.finish(&nodes, came_for, if capacity > 0.0 { used / capacity } else { 0.0 }))
    }
}
