//! The tasks of a trace at their recorded times, on its nodes or on others.

use std::collections::BTreeMap;

use super::amount::WHOLE;
use super::cluster::{Cluster, Node};
use super::fragment::Typical;
use super::policy::Policy;
use super::replay::{Arrival, Replay, Replayed, SharingPolicy};
use super::trace::{Task, Trace};
use super::workload::{Request, Workload};
use crossover_study::Watch;

/// SLO factor of recorded latency-sensitive tasks: time from arrival to end ÷ time alone.
pub const SLO_FACTOR: f64 = 2.0;

/// A trace whose tasks can be placed, with one request for each kind of task.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The idle cluster.
    pub cluster: Cluster,
    /// Requests of tasks.
    pub workload: Workload,
    /// Needs of typical tasks.
    pub typical: Typical,
    /// Index of the request of each task, in the order of the trace.
    pub tasks: Vec<usize>,
    /// Tasks with known times, in the order of arrival, from the first one on.
    pub arrivals: Vec<Arrival>,
    /// Their names.
    pub names: Vec<String>,
    /// Their recorded waits, seconds; `None` where they are not known.
    pub waits: Vec<Option<f64>>,
    /// Tasks that ran beyond the end of the record, for an unknown time.
    pub unended: usize,
}

/// How recorded tasks are replayed.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunSetting {
    pub(super) policy: Policy,
    pub(super) seed: u64,
    /// Whether latency-sensitive tasks preempt others.
    pub(super) preempts: bool,
    /// Most logged runs of tasks.
    pub(super) most_logged: usize,
}

impl Recorded {
    /// The tasks of a trace on its own nodes.
    #[must_use]
    pub fn new(trace: &Trace) -> Self {
        Self::on(trace, Cluster::new(&trace.nodes), &trace.types)
    }

    /// The tasks of a trace on nodes with GPUs of these types. On a type that the trace does not have, tasks run that request
    /// the same share of all its types.
    #[must_use]
    pub fn on(trace: &Trace, cluster: Cluster, types: &[String]) -> Self {
        let whole = |node: &Node| node.left[..usize::from(node.gpus)].iter().filter(|left| **left == WHOLE).count();
        #[expect(clippy::cast_possible_truncation, reason = "a node has at most 16 GPUs")]
        let most = cluster.nodes.iter().map(whole).max().unwrap_or(0) as u8;
        let mut places = BTreeMap::new();
        let mut of_task = |task: &Task| {
            let (gpus, pieces) = cut(trace, task, most);
            let next = places.len();
            *places.entry((task.request, gpus, pieces)).or_insert(next)
        };
        let tasks: Vec<usize> = trace.tasks.iter().map(&mut of_task).collect();
        let mut requested: Vec<((usize, u8, u32), usize)> = places.into_iter().collect();
        requested.sort_unstable_by_key(|(_, place)| *place);
        let requests = requested.iter().map(|((request, gpus, _), _)| {
            let request = &trace.requests[*request];
            Request { gpus: *gpus, shares: shares(trace, request, types), ..request.clone() }
        });
        let requests = requests.collect();
        let pieces = requested.iter().map(|((.., pieces), _)| *pieces).collect();
        let workload = Workload::new(&cluster, requests).with_pieces(pieces);
        let mut counts = vec![0; requested.len()];
        for request in &tasks {
            counts[*request] += workload.pieces(*request) as usize;
        }
        let typical = Typical::new(&cluster, &workload, &counts);
        let timed = trace.tasks.iter().zip(&tasks).filter_map(|(task, request)| {
            let seconds = task.seconds?;
            let is_sensitive = task.is_sensitive;
            Some((Arrival { at: task.arrives, request: *request, seconds, is_sensitive, uses: 1.0 }, task))
        });
        let mut timed: Vec<(Arrival, &Task)> = timed.collect();
        timed.sort_by(|(a, _), (b, _)| a.at.total_cmp(&b.at));
        let first = timed.first().map_or(0.0, |(first, _)| first.at);
        let names = timed.iter().map(|(_, task)| task.name.clone()).collect();
        let waits = timed.iter().map(|(_, task)| task.waited).collect();
        let arrivals: Vec<Arrival> =
            timed.into_iter().map(|(arrival, _)| Arrival { at: arrival.at - first, ..arrival }).collect();
        Self { unended: tasks.len() - arrivals.len(), cluster, workload, typical, tasks, arrivals, names, waits }
    }

    /// Replays the tasks at their times; `None` if it was cancelled.
    #[must_use]
    pub fn replay(&self, policy: Policy, seed: u64, preempts: bool, watch: Watch<'_>) -> Option<Replayed> {
        self.replay_of(&self.arrivals, RunSetting { policy, seed, preempts, most_logged: 0 }, watch)
    }

    /// Replays arrivals of its requests; `None` if it was cancelled.
    pub(super) fn replay_of(&self, arrivals: &[Arrival], setting: RunSetting, watch: Watch<'_>) -> Option<Replayed> {
        let RunSetting { policy, seed, preempts, most_logged } = setting;
        let types = self.cluster.shapes.iter().flatten().max().map_or(0, |last| usize::from(*last) + 1);
        let sharing = SharingPolicy {
            preempts,
            checkpoint_seconds: 30.0,
            ..SharingPolicy::none(self.workload.requests().len(), types)
        };
        let Self { cluster, workload, typical, .. } = self;
        let replay = Replay { cluster, workload, typical, policy, seed, sharing: &sharing, most_logged };
        replay.run(arrivals.iter().copied(), watch)
    }
}

/// GPUs of each piece of a task, and pieces, on nodes with at most `most` whole GPUs.
pub(super) fn cut(trace: &Trace, task: &Task, most: u8) -> (u8, u32) {
    let gpus = trace.requests[task.request].gpus;
    let cut = if trace.may_spread { equal_pieces(task.pieces * u32::from(gpus), most) } else { None };
    cut.unwrap_or((gpus, task.pieces))
}

/// GPUs of each piece, and pieces: the most GPUs that a node has and that divide all of them. `None` without GPUs.
#[must_use]
pub fn equal_pieces(gpus: u32, most: u8) -> Option<(u8, u32)> {
    let divides = |each: &u8| gpus > 0 && gpus.is_multiple_of(u32::from(*each));
    let each = (1..=most).rev().find(divides)?;
    Some((each, gpus / u32::from(each)))
}

/// The share of a request on each of these types.
pub(super) fn shares(trace: &Trace, request: &Request, types: &[String]) -> Vec<Option<u16>> {
    let alike = request.shares.first().copied().flatten().filter(|share| {
        request.shares.len() == trace.types.len() && request.shares.iter().all(|other| *other == Some(*share))
    });
    // A trace without types requests whole GPUs of any type.
    let any = if request.shares.is_empty() { Some(WHOLE) } else { alike };
    let known = |name: &String| trace.types.iter().position(|known| known == name);
    let of_type = |name| known(name).map_or(any, |place| request.shares.get(place).copied().flatten());
    types.iter().map(of_type).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_equal_and_as_few_as_fit() {
        let cases = [(1, 8, 1, 1), (8, 8, 8, 1), (16, 8, 8, 2), (12, 8, 6, 2), (13, 8, 1, 13), (64, 4, 4, 16)];
        for (gpus, most, each, pieces) in cases {
            assert_eq!(equal_pieces(gpus, most), Some((each, pieces)), "{gpus} GPUs, {most} a node");
        }
        assert_eq!((equal_pieces(0, 8), equal_pieces(4, 0)), (None, None));
    }
}
