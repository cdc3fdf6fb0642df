//! What scheduling policies would have done with the recorded tasks of a cluster, beside what happened.
//!
//! Every policy replays the same arrivals. One more replay has a single queue for all tasks, as Slurm has: first come, first served,
//! with backfilling. Its waits beside the recorded ones say how far the replay is from the real cluster.

use crossover_quantity::estimate::quantile;
use rayon::prelude::*;

use super::policy::Policy;
use super::recorded::{Recorded, RunSetting, SLO_FACTOR};
use super::replay::{Arrival, Log};
use crossover_study::Watch;

/// Choice of nodes in the replay with a single queue: Slurm allocates on a best-fit basis
/// (<https://slurm.schedmd.com/topology.html>).
const OF_SLURM: Policy = Policy::BestFit;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;

/// How a history is replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryOptions {
    /// The scheduling policies to replay.
    pub policies: Vec<Policy>,
    /// Seed of the order of nodes that the policy ranks equally, and of random choices.
    pub seed: u64,
    /// Whether latency-sensitive tasks preempt others, under all policies but [`Policy::Declared`].
    pub preempts: bool,
}

/// What happened to the tasks with GPUs, in the record or in a replay.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HistoryFigures {
    /// Median time in queues, seconds.
    pub median_wait: f64,
    /// p95 of the time in queues, seconds.
    pub p95_wait: f64,
    /// Mean time in queues, seconds.
    pub mean_wait: f64,
    /// Share of latency-sensitive tasks that violated their SLO of [`SLO_FACTOR`]; `None` without such tasks.
    pub slo_violation_share: Option<f64>,
    /// GPU hours that tasks had in the recorded time.
    pub used_gpu_hours: f64,
    /// GPU hours that no task had in the recorded time; below 0 if the nodes have fewer GPUs than the record used.
    pub idle_gpu_hours: f64,
    /// End of the last task, seconds from the first arrival.
    pub last_end: f64,
    /// Preemptions.
    pub preempted: f64,
}

/// Errors of the replayed waits, and of a constant, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WaitErrors {
    /// Median absolute error of the replay with a single queue.
    pub median: f64,
    /// Its mean absolute error.
    pub mean: f64,
    /// Median absolute error of a constant: the median of the recorded waits.
    pub median_of_constant: f64,
    /// Its mean absolute error, the least of all constants.
    pub mean_of_constant: f64,
}

/// A recorded history, and its replays.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Compared tasks: they request GPUs, have a recorded wait and fit the idle nodes.
    pub tasks: usize,
    /// Those of them that are latency-sensitive.
    pub sensitive: usize,
    /// Tasks without GPUs: they are replayed, because they have cores and memory, and count in no figure.
    pub without_gpus: usize,
    /// Tasks without a recorded wait or run time; they are not replayed.
    pub unknown: usize,
    /// Tasks with GPUs that do not fit even the idle nodes; they are not compared.
    pub rejected: usize,
    /// Recorded time, from the first arrival to the last end of a task with GPUs, seconds.
    pub seconds: f64,
    /// GPUs of the nodes.
    pub gpus: f64,
    /// What happened.
    pub recorded: HistoryFigures,
    /// What would have happened with a single queue.
    pub single_queue: HistoryFigures,
    /// What would have happened with each policy.
    pub policies: Vec<(Policy, HistoryFigures)>,
    /// Errors of the waits with a single queue.
    pub errors: WaitErrors,
}

/// What happened to a task.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TaskHistory {
    /// Time in queues, seconds.
    wait: f64,
    /// End, seconds.
    end: f64,
    /// Run time within the recorded time, seconds.
    ran: f64,
}

/// The arrivals of a history, each with its GPUs.
struct Recording<'a> {
    recorded: &'a Recorded,
    arrivals: Vec<Arrival>,
    gpus: Vec<f64>,
    /// Last end of a task with GPUs, seconds.
    seconds: f64,
}

impl History {
    /// Replays a history with every policy, on all cores; `None` if it was cancelled.
    ///
    /// A replay scores each task on every node that changed since the last task with its request, so its time grows at most with tasks
    /// times nodes; and for each task that ends, it visits the requests that wait.
    #[must_use]
    pub fn of(recorded: &Recorded, options: &HistoryOptions, watch: Watch<'_>) -> Option<Self> {
        let known = || recorded.arrivals.iter().zip(&recorded.waits).filter_map(|(at, wait)| Some((*at, (*wait)?)));
        let arrivals: Vec<Arrival> = known().map(|(arrival, _)| arrival).collect();
        let gpus: Vec<f64> = arrivals.iter().map(|arrival| recorded.workload.demand(arrival.request).gpus()).collect();
        let ends = known().zip(&gpus).filter(|(_, gpus)| **gpus > 0.0);
        let seconds = ends.map(|((arrival, wait), _)| arrival.at + wait + arrival.seconds).fold(0.0, f64::max);
        let recording = Recording { recorded, arrivals, gpus, seconds };
        let happened: Vec<Option<TaskHistory>> =
            known().map(|(arrival, wait)| Some(recording.of(arrival, wait))).collect();

        let single = RunSetting { policy: OF_SLURM, seed: options.seed, preempts: false, most_logged: usize::MAX };
        let of_policy =
            |policy: Policy| RunSetting { policy, preempts: options.preempts && policy != Policy::Declared, ..single };
        let mut runs = vec![(single, true)];
        runs.extend(options.policies.iter().map(|policy| (of_policy(*policy), false)));
        let replays: Option<Vec<_>> =
            runs.into_par_iter().map(|(setting, is_single)| recording.replay(setting, is_single, watch)).collect();
        let replays = replays?;

        let has_gpus = |task: &usize| recording.gpus[*task] > 0.0;
        let ran = |task: &usize| replays.iter().all(|(tasks, _)| tasks[*task].is_some());
        let with_gpus: Vec<usize> = (0..recording.arrivals.len()).filter(has_gpus).collect();
        let compared: Vec<usize> = with_gpus.iter().copied().filter(ran).collect();
        let figures = |tasks: &[Option<TaskHistory>], preempted| recording.figures(&compared, tasks, preempted);
        let (single_queue, of_policies) = replays.split_first()?;
        Some(Self {
            tasks: compared.len(),
            sensitive: compared.iter().filter(|task| recording.arrivals[**task].is_sensitive).count(),
            without_gpus: recording.arrivals.len() - with_gpus.len(),
            unknown: recorded.tasks.len() - recording.arrivals.len(),
            rejected: with_gpus.len() - compared.len(),
            seconds,
            gpus: recorded.cluster.capacity.gpus(),
            recorded: figures(&happened, 0.0),
            single_queue: figures(&single_queue.0, single_queue.1),
            policies: options
                .policies
                .iter()
                .zip(of_policies)
                .map(|(policy, (tasks, preempted))| (*policy, figures(tasks, *preempted)))
                .collect(),
            errors: errors(&compared, &happened, &single_queue.0),
        })
    }
}

impl Recording<'_> {
    /// What happened to a task that waited for so long.
    fn of(&self, arrival: Arrival, wait: f64) -> TaskHistory {
        let from = arrival.at + wait;
        let end = from + arrival.seconds;
        TaskHistory { wait, end, ran: self.within(from, end) }
    }

    /// The part of an interval in the recorded time, seconds.
    fn within(&self, from: f64, until: f64) -> f64 {
        (until.min(self.seconds) - from).max(0.0)
    }

    /// What happens to each task in a replay, `None` for rejected ones, and preemptions.
    fn replay(
        &self,
        setting: RunSetting,
        is_single: bool,
        watch: Watch<'_>,
    ) -> Option<(Vec<Option<TaskHistory>>, f64)> {
        let one_queue: Vec<Arrival>;
        let arrivals = if is_single {
            one_queue = self.arrivals.iter().map(|arrival| Arrival { is_sensitive: false, ..*arrival }).collect();
            &one_queue
        } else {
            &self.arrivals
        };
        let replayed = self.recorded.replay_of(arrivals, setting, watch)?;
        let preempted = replayed.served.iter().map(|served| served.preempted).sum();
        Some((self.tasks(&replayed.log), preempted))
    }

    /// What happened to each task by a log.
    fn tasks(&self, log: &Log) -> Vec<Option<TaskHistory>> {
        let mut tasks: Vec<Option<TaskHistory>> = vec![None; self.arrivals.len()];
        // Start of the last run that counts: pieces of a task run at the same times.
        let mut counted = vec![f64::NEG_INFINITY; self.arrivals.len()];
        for run in &log.task_runs {
            let Some(number) = usize::try_from(run.task).ok().filter(|number| *number < tasks.len()) else { continue };
            if counted[number] == run.from {
                continue;
            }
            counted[number] = run.from;
            let before = tasks[number].unwrap_or(TaskHistory { wait: 0.0, end: run.arrived, ran: 0.0 });
            tasks[number] = Some(TaskHistory {
                wait: before.wait + (run.from - before.end),
                end: run.until,
                ran: before.ran + self.within(run.from, run.until),
            });
        }
        tasks
    }

    /// Figures of the compared tasks.
    fn figures(&self, compared: &[usize], tasks: &[Option<TaskHistory>], preempted: f64) -> HistoryFigures {
        let (mut waits, mut sensitive, mut violations, mut gpu_seconds, mut last_end) =
            (Vec::new(), 0_u32, 0_u32, 0.0, 0.0);
        for (place, task) in compared.iter().filter_map(|place| Some((*place, tasks[*place]?))) {
            let arrival = &self.arrivals[place];
            waits.push(task.wait);
            gpu_seconds += task.ran * self.gpus[place];
            last_end = f64::max(last_end, task.end);
            if arrival.is_sensitive {
                sensitive += 1;
                // Equal sums of times may differ in the last digits.
                let limit = SLO_FACTOR * arrival.seconds * (1.0 + 1e-9);
                violations += u32::from(task.end - arrival.at > limit);
            }
        }
        let used_gpu_hours = gpu_seconds / HOUR;
        let mean_wait = mean(&waits);
        waits.sort_unstable_by(f64::total_cmp);
        HistoryFigures {
            median_wait: median(&waits),
            p95_wait: quantile(&waits, 0.95).unwrap_or(0.0),
            mean_wait,
            slo_violation_share: (sensitive > 0).then(|| f64::from(violations) / f64::from(sensitive)),
            used_gpu_hours,
            idle_gpu_hours: self.recorded.cluster.capacity.gpus() * self.seconds / HOUR - used_gpu_hours,
            last_end,
            preempted,
        }
    }
}

/// Errors of replayed waits, and of the median of the recorded ones.
fn errors(compared: &[usize], happened: &[Option<TaskHistory>], replayed: &[Option<TaskHistory>]) -> WaitErrors {
    let pairs = compared.iter().filter_map(|task| Some([happened[*task]?.wait, replayed[*task]?.wait]));
    let pairs: Vec<[f64; 2]> = pairs.collect();
    let mut waits: Vec<f64> = pairs.iter().map(|[wait, _]| *wait).collect();
    waits.sort_unstable_by(f64::total_cmp);
    let constant = median(&waits);
    let sorted = |error: &dyn Fn(&[f64; 2]) -> f64| {
        let mut errors: Vec<f64> = pairs.iter().map(error).collect();
        errors.sort_unstable_by(f64::total_cmp);
        errors
    };
    let of_replay = sorted(&|[wait, replayed]| (wait - replayed).abs());
    let of_constant = sorted(&|[wait, _]| (wait - constant).abs());
    WaitErrors {
        median: median(&of_replay),
        mean: mean(&of_replay),
        median_of_constant: median(&of_constant),
        mean_of_constant: mean(&of_constant),
    }
}

/// 0 without numbers.
fn mean(numbers: &[f64]) -> f64 {
    if numbers.is_empty() { 0.0 } else { numbers.iter().sum::<f64>() / numbers.len() as f64 }
}

/// The median of sorted numbers; 0 without numbers.
fn median(sorted: &[f64]) -> f64 {
    quantile(sorted, 0.5).unwrap_or(0.0)
}
