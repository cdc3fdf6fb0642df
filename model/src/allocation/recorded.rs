//! A trace as it was recorded: its tasks at their times, on its nodes.

use std::collections::BTreeMap;

use super::cluster::Cluster;
use super::fragment::Typical;
use super::policy::Policy;
use super::replay::{Arrival, Manners, Replay, Replayed};
use super::trace::Trace;
use super::workload::Workload;
use crate::study::Watch;

/// A trace whose tasks can be placed: what a task and its pieces ask for is one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The idle cluster.
    pub cluster: Cluster,
    /// What tasks ask for.
    pub workload: Workload,
    /// What typical tasks need.
    pub typical: Typical,
    /// What each task asks for, by its place in the workload, in the order of the trace.
    pub tasks: Vec<usize>,
    /// Tasks whose times are known, as they came.
    pub arrivals: Vec<Arrival>,
    /// Tasks that ran on beyond the record: nobody knows how long.
    pub unended: usize,
}

impl Recorded {
    /// The nodes and tasks of a trace.
    #[must_use]
    pub fn new(trace: &Trace) -> Self {
        let cluster = Cluster::new(&trace.nodes);
        let mut places = BTreeMap::new();
        let mut of_tasks = |task: (usize, u32)| {
            let next = places.len();
            *places.entry(task).or_insert(next)
        };
        let tasks: Vec<usize> = trace.tasks.iter().map(|task| of_tasks((task.request, task.pieces))).collect();
        let mut asked: Vec<((usize, u32), usize)> = places.into_iter().collect();
        asked.sort_unstable_by_key(|(_, place)| *place);
        let requests = asked.iter().map(|((request, _), _)| trace.requests[*request].clone()).collect();
        let pieces = asked.iter().map(|((_, pieces), _)| *pieces).collect();
        let workload = Workload::new(&cluster, requests).with_pieces(pieces);
        let mut counts = vec![0; asked.len()];
        for request in &tasks {
            counts[*request] += workload.pieces(*request) as usize;
        }
        let typical = Typical::new(&cluster, &workload, &counts);
        let timed = trace.tasks.iter().zip(&tasks).filter_map(|(task, request)| {
            let seconds = task.seconds?;
            let is_sensitive = task.is_sensitive;
            Some(Arrival { at: task.arrives, request: *request, seconds, is_sensitive, uses: 1.0 })
        });
        let mut arrivals: Vec<Arrival> = timed.collect();
        arrivals.sort_by(|a, b| a.at.total_cmp(&b.at));
        Self { unended: tasks.len() - arrivals.len(), cluster, workload, typical, tasks, arrivals }
    }

    /// Replays the tasks at their times; `None` if it was called off.
    #[must_use]
    pub fn replay(&self, policy: Policy, seed: u64, does_release: bool, watch: Watch<'_>) -> Option<Replayed> {
        let types = self.cluster.shapes.iter().flatten().max().map_or(0, |last| usize::from(*last) + 1);
        let manners =
            Manners { does_release, save_seconds: 30.0, ..Manners::none(self.workload.requests().len(), types) };
        let Self { cluster, workload, typical, .. } = self;
        let replay = Replay { cluster, workload, typical, policy, seed, manners: &manners, most_logged: 0 };
        replay.run(self.arrivals.iter().copied(), watch)
    }
}
