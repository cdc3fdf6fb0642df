//! A replay: tasks arrive, wait, run and leave, event by event.
//!
//! - [`sharing`] has the sharing policy
//! - `state`: the cluster, running tasks and their events
//! - `queues`: tasks wait, and are placed when nodes have capacity again
//! - `preempt`: a latency-sensitive task preempts others
//! - `speed`: speed of a task beside others
//! - `monitor`: latency-sensitive tasks that are behind get a larger share
//! - [`log`]: tasks on nodes over time
//! - [`served`] has the results
//!
//! A task that fits no node waits in one of two queues: that of latency-sensitive tasks, which is served first, or that of all
//! others. When a task leaves, waiting tasks that fit now are placed, of each queue in the order of arrival; a later one may
//! pass an earlier one that fits no node. A latency-sensitive task that fits no node preempts others, if their capacity and the
//! capacity left are enough on a node. Preempted tasks are checkpointed, wait again and continue after a restore (published
//! method of allocation, steps of the control node and of worker nodes).

pub mod log;
mod monitor;
mod preempt;
mod queues;
pub mod served;
pub mod sharing;
mod speed;
mod state;
mod waits;

use super::cluster::Cluster;
use super::fragment::Typical;
use super::policy::Policy;
use super::workload::Workload;
use crossover_study::Watch;
pub use log::{Log, ShareChange, TaskRun};
pub use served::{Replayed, Served};
pub use sharing::{RequestProperties, SharingPolicy};
pub(super) use state::CHOICES;
use state::{ReplayState, Task};

/// Events between two checks for cancellation.
const STEP: usize = 1024;

/// The arrival of a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// Time of arrival, seconds.
    pub at: f64,
    /// Index of its request.
    pub request: usize,
    /// Run time alone on a GPU of speed 1, seconds.
    pub seconds: f64,
    /// Whether it is latency-sensitive.
    pub is_sensitive: bool,
    /// Used ÷ requested share; 1 if the prediction is right.
    pub uses: f64,
}

/// The inputs of a replay.
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    /// The idle cluster.
    pub cluster: &'a Cluster,
    /// The requests of tasks.
    pub workload: &'a Workload,
    /// Needs of typical tasks.
    pub typical: &'a Typical,
    /// The scheduling policy.
    pub policy: Policy,
    /// Seed of random choices of the policy, and of the order of equal nodes.
    pub seed: u64,
    /// The sharing policy.
    pub sharing: &'a SharingPolicy,
    /// Most logged runs of tasks.
    pub most_logged: usize,
}

impl Replay<'_> {
    /// Replays tasks in the order of arrival; `None` if it was cancelled. Counts arrived tasks.
    #[must_use]
    pub fn run(&self, arrivals: impl IntoIterator<Item = Arrival>, watch: Watch<'_>) -> Option<Replayed> {
        let (ordered, nodes) = self.cluster.shuffled(self.seed);
        let mut state = ReplayState::new(*self, &ordered);
        // A task that does not fit the idle cluster never fits.
        let requests = self.workload.requests().len();
        let can_run: Vec<bool> = (0..requests).map(|request| state.fits_when_idle(request)).collect();
        for (count, arrival) in arrivals.into_iter().enumerate() {
            state.end_until(arrival.at, watch)?;
            state.advance(arrival.at);
            if can_run[arrival.request] {
                state.arrive(Task::new(arrival, count as u64));
            } else {
                state.reject(&arrival);
            }
            if (count + 1) % STEP == 0 {
                watch.count(STEP);
                if watch.is_cancelled() {
                    return None;
                }
            }
        }
        let (mut arrival_seconds, mut used) = (state.now(), state.gpu_seconds());
        state.end_until(f64::INFINITY, watch)?;
        // If all arrive at the start, the time until the last end.
        if arrival_seconds == 0.0 {
            (arrival_seconds, used) = (state.now(), state.gpu_seconds());
        }
        let capacity = self.cluster.capacity.gpus() * arrival_seconds;
        Some(state.finish(&nodes, arrival_seconds, if capacity > 0.0 { used / capacity } else { 0.0 }))
    }
}
