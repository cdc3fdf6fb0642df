//! Results of a replay.

use super::log::Log;
use super::waits::Waits;

/// Least time that counts for the slowdown, seconds; without it the shortest tasks decide the mean (Feitelson and
/// others, “Theory and practice in parallel job scheduling”, 1997: bounded slowdown).
pub const SHORTEST: f64 = 10.0;

/// Results for tasks of one kind: latency-sensitive tasks, or all others.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Served {
    /// Tasks that ended.
    pub ended: f64,
    /// Rejected tasks: they do not fit the idle cluster.
    pub rejected: f64,
    /// Mean time in queues, seconds.
    pub mean_wait: f64,
    /// p99 of the time in queues, seconds, within 6 %.
    pub p99_wait: f64,
    /// Mean of time from arrival to end ÷ time alone, both at least [`SHORTEST`]; `None` if no task ended.
    pub mean_slowdown: Option<f64>,
    /// Share of ended tasks that violated their SLO; `None` if no task ended.
    pub slo_violation_share: Option<f64>,
    /// Preemptions.
    pub preempted: f64,
    /// Increases of a share.
    pub share_increases: f64,
    /// Reductions of a share.
    pub share_reductions: f64,
    /// Tasks that were throttled to their share.
    pub throttled: f64,
}

/// Results of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// Latency-sensitive tasks, then all others.
    pub served: [Served; 2],
    /// End of the last task, seconds.
    pub makespan: f64,
    /// Time until the last arrival, seconds; until the last end if all tasks arrive at the start.
    pub arrival_seconds: f64,
    /// Share of the GPU time that tasks had in that time.
    pub utilisation: f64,
    /// GPU seconds that tasks had of each type, until the last end.
    pub gpu_seconds_of: Vec<f64>,
    /// Most waiting tasks at one time.
    pub longest_queue: f64,
    /// Most running tasks at one time.
    pub most_running: f64,
    /// Standard deviation of both mean waits over the replays, seconds; 0 for one replay.
    pub standard_deviation: [f64; 2],
    /// Tasks on nodes over time.
    pub log: Log,
}

impl Replayed {
    /// The mean of several replays, with the log of the first; `None` without replays.
    #[must_use]
    pub fn mean(runs: Vec<Self>) -> Option<Self> {
        let count = runs.len() as f64;
        let mean = |of: &dyn Fn(&Self) -> f64| runs.iter().map(of).sum::<f64>() / count;
        let some = |of: &dyn Fn(&Self) -> Option<f64>| {
            let values: Vec<f64> = runs.iter().filter_map(of).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let served = [0, 1].map(|kind| Served {
            ended: mean(&|run| run.served[kind].ended),
            rejected: mean(&|run| run.served[kind].rejected),
            mean_wait: mean(&|run| run.served[kind].mean_wait),
            p99_wait: mean(&|run| run.served[kind].p99_wait),
            mean_slowdown: some(&|run| run.served[kind].mean_slowdown),
            slo_violation_share: some(&|run| run.served[kind].slo_violation_share),
            preempted: mean(&|run| run.served[kind].preempted),
            share_increases: mean(&|run| run.served[kind].share_increases),
            share_reductions: mean(&|run| run.served[kind].share_reductions),
            throttled: mean(&|run| run.served[kind].throttled),
        });
        let types = runs.first()?.gpu_seconds_of.len();
        let mean = Self {
            served,
            makespan: mean(&|run| run.makespan),
            arrival_seconds: mean(&|run| run.arrival_seconds),
            utilisation: mean(&|run| run.utilisation),
            gpu_seconds_of: (0..types).map(|gpu_type| mean(&|run| run.gpu_seconds_of[gpu_type])).collect(),
            longest_queue: mean(&|run| run.longest_queue),
            most_running: mean(&|run| run.most_running),
            standard_deviation: [0, 1].map(|kind| {
                let of = |run: &Self| run.served[kind].mean_wait;
                let squares: f64 = runs.iter().map(|run| (of(run) - mean(&of)).powi(2)).sum();
                if runs.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 }
            }),
            log: Log::default(),
        };
        Some(Self { log: runs.into_iter().next()?.log, ..mean })
    }
}

/// Counters for tasks of one kind during a replay.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    pub(super) served: Served,
    waits: Waits,
    slowdowns: f64,
    slo_violations: u64,
}

impl Counters {
    /// Counts an ended task. `wait`: time in queues; `alone`: time alone; `took`: time from arrival to end; all in seconds.
    pub(super) fn end(&mut self, wait: f64, alone: f64, took: f64, slo_factor: f64) {
        self.waits.add(wait);
        self.slowdowns += took.max(SHORTEST) / alone.max(SHORTEST);
        // Equal sums of times may differ in the last digits.
        self.slo_violations += u64::from(took > slo_factor * alone * (1.0 + 1e-9));
    }

    pub(super) fn finish(self) -> Served {
        let count = self.waits.count() as f64;
        let of_all = |sum: f64| (count > 0.0).then(|| sum / count);
        Served {
            ended: count,
            mean_wait: self.waits.mean(),
            p99_wait: self.waits.quantile(0.99),
            mean_slowdown: of_all(self.slowdowns),
            slo_violation_share: of_all(self.slo_violations as f64),
            ..self.served
        }
    }
}
