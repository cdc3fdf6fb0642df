//! Results of a study: every policy on the same streams, the upper bound, and the log of the chosen policy.

use rayon::prelude::*;

use super::bound::Bound;
use super::decision::Decision;
use super::metrics::{Means, Measures, PolicyOutcome};
use super::observer::{Observer, SlotInterval};
use super::occupancy::{Residency, residency};
use super::policy::Policy;
use super::simulator::Simulator;
use super::stream::{Launches, is_fixed, mean_cycles};
use super::study::{Kernel, Launch, Preemption, count};
use super::table::Table;
use super::warnings::warnings;
use crossover_study::Watch;

/// Combinations that are evaluated in the time of an event of two kernels.
const COMBINATIONS: f64 = 40.0;
/// Slot intervals, decisions and changes of the queue that are kept of a stream.
const MOST_LOGGED: usize = 20_000;

/// The answer to a preemption study.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Resident blocks of each kernel, in the order of the study.
    pub residencies: Vec<Residency>,
    /// Normalised IPC of each pair.
    pub table: Table,
    /// Every policy on the same streams, in the order of [`Policy::ALL`].
    pub policies: Vec<PolicyOutcome>,
    /// Upper bound, mean over the streams.
    pub bound: Bound,
    /// Log of the chosen policy in the first stream.
    pub log: Log,
    /// Warnings, as whole sentences.
    pub warnings: Vec<String>,
}

/// Log of one stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Log {
    /// The stream.
    pub launches: Launches,
    /// Launches on the GPU over time, by start.
    pub intervals: Vec<SlotInterval>,
    /// Every preemption that was weighed, in order of time.
    pub decisions: Vec<Decision>,
    /// Length of the queue from a cycle on.
    pub waiting: Vec<(f64, usize)>,
    /// End of each launch, cycles.
    pub done: Vec<f64>,
    /// Whether the log is truncated.
    pub is_truncated: bool,
}

impl Observer for Log {
    const RECORDS: bool = true;

    fn occupied(&mut self, interval: SlotInterval) {
        if self.intervals.len() < MOST_LOGGED {
            self.intervals.push(interval);
        } else {
            self.is_truncated = true;
        }
    }

    fn decided(&mut self, decision: Decision) {
        if self.decisions.len() < MOST_LOGGED {
            self.decisions.push(decision);
        } else {
            self.is_truncated = true;
        }
    }

    fn waits(&mut self, at: f64, count: usize) {
        if self.waiting.last().is_some_and(|(_, before)| *before == count) {
            return;
        }
        if self.waiting.len() < MOST_LOGGED {
            self.waiting.push((at, count));
        } else {
            self.is_truncated = true;
        }
    }
}

impl Outcome {
    /// Results of the chosen policy.
    ///
    /// # Panics
    /// Never: all policies are there.
    #[must_use]
    pub fn chosen(&self, study: &Preemption) -> &PolicyOutcome {
        self.of(study.rule.policy)
    }

    /// Results of a policy.
    ///
    /// # Panics
    /// Never: all policies are there.
    #[must_use]
    pub fn of(&self, policy: Policy) -> &PolicyOutcome {
        self.policies.iter().find(|of| of.policy == policy).expect("every policy is there")
    }

    /// The evaluated preemption with the largest gain, carried out or not; none if none was evaluated.
    #[must_use]
    pub fn largest_gain(&self) -> Option<&Decision> {
        self.log.decisions.iter().max_by(|a, b| a.weighed.gain.total_cmp(&b.weighed.gain))
    }
}

/// Launches that an evaluation simulates.
#[must_use]
pub fn all_launches(study: &Preemption) -> usize {
    of_stream(study) * streams(study) * (Policy::ALL.len() + 1)
}

/// Launches of one stream.
#[must_use]
pub fn of_stream(study: &Preemption) -> usize {
    if study.stream.listed.is_empty() { count(study.stream.launches) } else { study.stream.listed.len() }
}

/// Streams that are simulated: a list without errors is always the same.
#[must_use]
pub fn streams(study: &Preemption) -> usize {
    if is_fixed(study) { 1 } else { count(study.stream.streams) }
}

/// Evaluates a valid study.
///
/// # Panics
/// Never: it cannot be cancelled.
#[must_use]
pub fn evaluate(study: &Preemption) -> Outcome {
    Watch::uncancellable(|watch| evaluate_watched(study, watch)).expect("it cannot be cancelled")
}

/// The same with progress, counted in launches; `None` if it was cancelled.
#[must_use]
pub fn evaluate_watched(study: &Preemption, watch: Watch<'_>) -> Option<Outcome> {
    let simulator = Simulator::new(study);
    let residencies = study.kernels.iter().filter_map(|kernel| residency(&study.gpu, kernel).ok()).collect();
    let found: Option<Vec<(Of, Option<Kept>)>> = (0..streams(study))
        .into_par_iter()
        .map(|stream| {
            let launches = Launches::draw(study, stream as u64);
            // The first one is kept.
            if stream == 0 {
                of_first(&simulator, launches, watch)
            } else {
                Some((of(&simulator, &launches, watch)?, None))
            }
        })
        .collect();
    let (found, mut kept): (Vec<Of>, Vec<Option<Kept>>) = found?.into_iter().unzip();
    let (log, latencies) = kept.first_mut()?.take()?;
    let means = means(&found)?;
    let policies: Vec<PolicyOutcome> = Policy::ALL
        .into_iter()
        .zip(means)
        .zip(latencies)
        .map(|((policy, means), latencies)| PolicyOutcome { policy, means, latencies })
        .collect();
    let bounds: Vec<Bound> = found.iter().map(|of| of.bound).collect();
    let warnings = warnings(study, simulator.table(), &policies);
    let table = simulator.table().clone();
    Some(Outcome { residencies, table, policies, bound: mean_bound(&bounds), log, warnings })
}

/// Results of one stream.
struct Of {
    /// Under every policy, in the order of [`Policy::ALL`].
    measures: Vec<Measures>,
    bound: Bound,
}

/// What is kept of the first stream: log of the chosen policy, and ascending latencies of every policy.
type Kept = (Log, Vec<Vec<f64>>);

/// Every policy on a stream; `None` if it was cancelled.
fn of(simulator: &Simulator<'_>, launches: &Launches, watch: Watch<'_>) -> Option<Of> {
    let kernels = simulator.kernels();
    let measured = |policy: Policy| {
        let run = simulator.run(launches, policy, &mut (), watch)?;
        watch.count(launches.len());
        Some(Measures::of(launches, &run, kernels))
    };
    let measures: Option<Vec<Measures>> = Policy::ALL.into_iter().map(measured).collect();
    let of = Of { measures: measures?, bound: simulator.bound(launches, watch)? };
    watch.count(launches.len());
    Some(of)
}

/// The same for the first stream, with what is kept of it. Policies run in parallel, for studies with one stream.
fn of_first(simulator: &Simulator<'_>, launches: Launches, watch: Watch<'_>) -> Option<(Of, Option<Kept>)> {
    let kernels = simulator.kernels();
    let measured = |policy: Policy| {
        let run = simulator.run(&launches, policy, &mut (), watch)?;
        watch.count(launches.len());
        let mut latencies: Vec<f64> =
            run.done.iter().zip(&launches.arrivals).map(|(done, arrival)| done - arrival).collect();
        latencies.sort_by(f64::total_cmp);
        Some((Measures::of(&launches, &run, kernels), latencies))
    };
    let measured: Option<Vec<(Measures, Vec<f64>)>> = Policy::ALL.into_par_iter().map(measured).collect();
    let (measures, latencies) = measured?.into_iter().unzip();
    let bound = simulator.bound(&launches, watch)?;
    watch.count(launches.len());
    let mut log = Log::default();
    let run = simulator.run(&launches, simulator.study.rule.policy, &mut log, watch)?;
    log.done = run.done;
    log.launches = launches;
    log.intervals.sort_by(|a, b| a.from.total_cmp(&b.from));
    Some((Of { measures, bound }, Some((log, latencies))))
}

/// Means over streams of every policy.
fn means(found: &[Of]) -> Option<Vec<Means>> {
    let of_policy = |place: usize| {
        let measures: Vec<Measures> = found.iter().map(|of| of.measures[place].clone()).collect();
        Means::of(&measures)
    };
    (0..Policy::ALL.len()).map(of_policy).collect()
}

fn mean_bound(bounds: &[Bound]) -> Bound {
    let mean = |field: fn(&Bound) -> f64| bounds.iter().map(field).sum::<f64>() / bounds.len().max(1) as f64;
    Bound { throughput: mean(|of| of.throughput), turnaround: mean(|of| of.turnaround), latency: mean(|of| of.latency) }
}

/// Measures of one policy along a load.
#[derive(Debug, Clone, PartialEq)]
pub struct AtLoad {
    /// The load.
    pub load: f64,
    /// Every policy, in the order of [`Policy::ALL`].
    pub policies: Vec<Means>,
    /// Upper bound.
    pub bound: Bound,
}

/// Every policy at each of some loads, on the same streams with other arrival times; `None` if it was cancelled. Progress counts
/// launches, as an evaluation at each load. A list of launches has no load: the result is empty then.
#[must_use]
pub fn along_load(study: &Preemption, loads: &[f64], watch: Watch<'_>) -> Option<Vec<AtLoad>> {
    if !study.stream.listed.is_empty() {
        return Some(Vec::new());
    }
    let simulator = Simulator::new(study);
    let streams = streams(study);
    // One by one, so that two threads never wait for a long one: policies differ in their time by ten.
    let cells: Vec<(usize, usize)> =
        (0..loads.len()).flat_map(|load| (0..streams).map(move |stream| (load, stream))).collect();
    let found: Option<Vec<Of>> = cells
        .par_iter()
        .map(|(load, stream)| {
            let mut launches = Launches::draw(study, *stream as u64);
            launches.stretch(study.stream.load / loads[*load]);
            of(&simulator, &launches, watch)
        })
        .collect();
    let found = found?;
    let mut answer = Vec::with_capacity(loads.len());
    for (load, of_load) in loads.iter().zip(found.chunks(streams)) {
        let bounds: Vec<Bound> = of_load.iter().map(|of| of.bound).collect();
        answer.push(AtLoad { load: *load, policies: means(of_load)?, bound: mean_bound(&bounds) });
    }
    Some(answer)
}

/// Seconds of so many cycles.
#[must_use]
pub fn seconds(study: &Preemption, cycles: f64) -> f64 {
    cycles / (study.gpu.clock_mhz * 1e6)
}

/// Approximate steps of an evaluation; its time is proportional. A step is an event of two kernels that share the GPU.
#[must_use]
pub fn steps(study: &Preemption) -> f64 {
    let streams = streams(study) as f64;
    let launches = of_stream(study) as f64 * streams;
    let slices = if study.stream.listed.is_empty() {
        launches * mean_cycles(study) / study.rule.slice_cycles
    } else {
        let cycles = |launch: &Launch| alone_cycles(study, launch);
        streams * study.stream.listed.iter().map(cycles).sum::<f64>() / study.rule.slice_cycles
    };
    // Every combination of running and waiting kernels is evaluated.
    let combinations = study.kernels.len() as f64 * study.rule.limit.powi(2) / COMBINATIONS;
    let combining = Policy::ALL.iter().filter(|policy| policy.combines()).count() as f64;
    let others = Policy::ALL.len() as f64 - combining;
    2.5 * launches * (others + combining * combinations.max(1.0)) + slices + checks(study) * combinations.max(1.0)
}

/// Periodic checks of an evaluation, at most: while launches wait until the last one ends.
pub(super) fn checks(study: &Preemption) -> f64 {
    if study.rule.period_cycles <= 0.0 {
        return 0.0;
    }
    let listed = &study.stream.listed;
    let (alone, arrival) = if listed.is_empty() {
        let alone = study.stream.launches * mean_cycles(study);
        (alone, alone / study.stream.load)
    } else {
        let arrival = listed.iter().map(|launch| launch.at_cycle).fold(0.0, f64::max);
        (listed.iter().map(|launch| alone_cycles(study, launch)).sum::<f64>(), arrival)
    };
    let preempting = Policy::ALL.iter().filter(|policy| policy.preempts()).count() as f64;
    preempting * streams(study) as f64 * (alone + arrival) / study.rule.period_cycles
}

fn alone_cycles(study: &Preemption, launch: &Launch) -> f64 {
    let kernel = study.kernels.iter().find(|kernel| kernel.name == launch.kernel);
    kernel.map_or(0.0, Kernel::alone_cycles)
}
