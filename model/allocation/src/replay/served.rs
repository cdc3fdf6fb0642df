//! What became of all tasks.

use super::log::Log;
use super::waits::Waits;

/// Shorter tasks count as long as this for the slowdown, seconds: otherwise the shortest decide it alone (Feitelson and
/// others, “Theory and practice in parallel job scheduling”, 1997: bounded slowdown).
pub const SHORTEST: f64 = 10.0;

/// Tasks of one kind: those for whose answers somebody waits, or all others.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Served {
    /// Tasks that ended.
    pub ended: f64,
    /// Tasks that asked for more than the idle cluster has.
    pub refused: f64,
    /// Mean time in queues, seconds.
    pub mean_wait: f64,
    /// Time in queues that 99 of 100 do not exceed, seconds, within 6 %.
    pub p99_wait: f64,
    /// Mean of time from coming to ending ÷ time that it runs alone, both at least [`SHORTEST`]; none if none ended.
    pub mean_slowdown: Option<f64>,
    /// Share of those that ended that ended too late; none if none ended.
    pub late: Option<f64>,
    /// How often one was stopped.
    pub stopped: f64,
    /// How often one got more.
    pub grown: f64,
    /// How often one had to give.
    pub shrunk: f64,
    /// Tasks that used more than their share and were held back.
    pub held_back: f64,
}

/// What became of all tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// Tasks for whose answers somebody waits, then all others.
    pub served: [Served; 2],
    /// When the last task ended, seconds.
    pub makespan: f64,
    /// For how long tasks came, seconds; until they ended where all came at the beginning.
    pub came_for: f64,
    /// Share of GPU time that tasks had while they came.
    pub utilisation: f64,
    /// GPU seconds that tasks had of each type, to the end.
    pub gpu_seconds_of: Vec<f64>,
    /// Most tasks that waited at once.
    pub longest_queue: f64,
    /// Most tasks that ran at once.
    pub most_running: f64,
    /// Standard deviation of both mean waits over several replays, seconds; 0 of one.
    pub deviation: [f64; 2],
    /// Who ran where and when.
    pub log: Log,
}

impl Replayed {
    /// The mean of several, with the log of the first; none of none.
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
            refused: mean(&|run| run.served[kind].refused),
            mean_wait: mean(&|run| run.served[kind].mean_wait),
            p99_wait: mean(&|run| run.served[kind].p99_wait),
            mean_slowdown: some(&|run| run.served[kind].mean_slowdown),
            late: some(&|run| run.served[kind].late),
            stopped: mean(&|run| run.served[kind].stopped),
            grown: mean(&|run| run.served[kind].grown),
            shrunk: mean(&|run| run.served[kind].shrunk),
            held_back: mean(&|run| run.served[kind].held_back),
        });
        let types = runs.first()?.gpu_seconds_of.len();
        let mean = Self {
            served,
            makespan: mean(&|run| run.makespan),
            came_for: mean(&|run| run.came_for),
            utilisation: mean(&|run| run.utilisation),
            gpu_seconds_of: (0..types).map(|gpu_type| mean(&|run| run.gpu_seconds_of[gpu_type])).collect(),
            longest_queue: mean(&|run| run.longest_queue),
            most_running: mean(&|run| run.most_running),
            deviation: [0, 1].map(|kind| {
                let of = |run: &Self| run.served[kind].mean_wait;
                let squares: f64 = runs.iter().map(|run| (of(run) - mean(&of)).powi(2)).sum();
                if runs.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 }
            }),
            log: Log::default(),
        };
        Some(Self { log: runs.into_iter().next()?.log, ..mean })
    }
}

/// What is counted of tasks of one kind while they are replayed.
#[derive(Debug, Clone, Default)]
pub(super) struct Count {
    pub(super) served: Served,
    waits: Waits,
    slowdowns: f64,
    late: u64,
}

impl Count {
    /// A task ended. `wait`: in queues; `alone`: how long it runs alone; `took`: from coming to ending; all in seconds.
    pub(super) fn end(&mut self, wait: f64, alone: f64, took: f64, limit: f64) {
        self.waits.add(wait);
        self.slowdowns += took.max(SHORTEST) / alone.max(SHORTEST);
        // Sums of times that are the same may differ in the last digits.
        self.late += u64::from(took > limit * alone * (1.0 + 1e-9));
    }

    pub(super) fn finish(self) -> Served {
        let count = self.waits.count() as f64;
        let of_all = |sum: f64| (count > 0.0).then(|| sum / count);
        Served {
            ended: count,
            mean_wait: self.waits.mean(),
            p99_wait: self.waits.quantile(0.99),
            mean_slowdown: of_all(self.slowdowns),
            late: of_all(self.late as f64),
            ..self.served
        }
    }
}
