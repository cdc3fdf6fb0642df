//! What a study answers: every policy on the same streams, the bound that none passes, and what the looked-at one did when.

use rayon::prelude::*;

use super::bound::Bound;
use super::metrics::{Means, Measures};
use super::occupancy::{Residency, residency};
use super::policy::Policy;
use super::simulate::{Decision, Ground, Observer, Run, Stay};
use super::stream::{Launches, mean_cycles};
use super::study::{Gain, Preemption, count};
use super::table::Table;
use crate::estimate::Estimate;
use crate::study::Watch;
use crate::unit::Unit;

/// Stays, decisions and changes of the queue that are kept of a stream.
const MOST_LOGGED: usize = 20_000;

/// The answer to a preemption study.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Resident blocks of each kernel, in the order of the study.
    pub residencies: Vec<Residency>,
    /// How fast kernels run beside each other.
    pub table: Table,
    /// Every policy on the same streams, in the order of [`Policy::ALL`].
    pub policies: Vec<OfPolicy>,
    /// What no policy passes, mean over the streams.
    pub bound: Bound,
    /// What the policy that is looked at did in the first stream.
    pub log: Log,
    /// What a careful reader should know before trusting the numbers.
    pub warnings: Vec<String>,
}

/// What a policy came to.
#[derive(Debug, Clone, PartialEq)]
pub struct OfPolicy {
    /// The policy.
    pub policy: Policy,
    /// Means over the streams.
    pub means: Means,
    /// Latencies of all launches of the first stream, cycles, ascending.
    pub latencies: Vec<f64>,
}

/// What happened in one stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Log {
    /// The stream.
    pub launches: Launches,
    /// Who was on the GPU when, by beginning.
    pub stays: Vec<Stay>,
    /// Every preemption that was weighed, in time.
    pub decisions: Vec<Decision>,
    /// How many waited from which cycle on.
    pub waiting: Vec<(f64, usize)>,
    /// When each launch was done.
    pub done: Vec<f64>,
    /// Whether it goes on beyond what is kept.
    pub is_cut: bool,
}

impl Observer for Log {
    const LOOKS: bool = true;

    fn stayed(&mut self, stay: Stay) {
        if self.stays.len() < MOST_LOGGED {
            self.stays.push(stay);
        } else {
            self.is_cut = true;
        }
    }

    fn decided(&mut self, decision: Decision) {
        if self.decisions.len() < MOST_LOGGED {
            self.decisions.push(decision);
        } else {
            self.is_cut = true;
        }
    }

    fn waits(&mut self, at: f64, count: usize) {
        if self.waiting.last().is_some_and(|(_, before)| *before == count) {
            return;
        }
        if self.waiting.len() < MOST_LOGGED {
            self.waiting.push((at, count));
        } else {
            self.is_cut = true;
        }
    }
}

impl Outcome {
    /// The policy that is looked at.
    ///
    /// # Panics
    /// Never: all policies are there.
    #[must_use]
    pub fn chosen(&self, study: &Preemption) -> &OfPolicy {
        self.of(study.rule.policy)
    }

    /// What a policy came to.
    ///
    /// # Panics
    /// Never: all policies are there.
    #[must_use]
    pub fn of(&self, policy: Policy) -> &OfPolicy {
        self.policies.iter().find(|of| of.policy == policy).expect("every policy is there")
    }

    /// The decision that gained most, else the first that was weighed.
    #[must_use]
    pub fn telling(&self) -> Option<&Decision> {
        self.log.decisions.iter().max_by(|a, b| a.weighed.gain.total_cmp(&b.weighed.gain))
    }

    /// "Weighed preemption does 1.51 times the work of one kernel at a time, and 3 % more than best pairs without preemption."
    #[must_use]
    pub fn sentence(&self, study: &Preemption) -> String {
        let own = self.chosen(study);
        let alone = self.of(Policy::Exclusive);
        let unpreempted = self.of(Policy::Combining);
        let throughput = |of: &OfPolicy| of.means.throughput.mean;
        let name = own.policy.label();
        let mut capital = name.to_owned();
        capital[..1].make_ascii_uppercase();
        if own.policy == Policy::Exclusive {
            return format!("{capital} is what the others are compared with.");
        }
        let against = throughput(own) / throughput(alone);
        let turnaround = alone.means.turnaround.mean / own.means.turnaround.mean;
        let mut text = format!(
            "{capital} does {} the work of one kernel at a time, with turnaround {}",
            Unit::Factor.format(against),
            if turnaround >= 1.0 {
                format!("{} shorter", Unit::Factor.format(turnaround))
            } else {
                format!("{} longer", Unit::Factor.format(1.0 / turnaround))
            }
        );
        if own.policy != Policy::Combining {
            let difference = [own, unpreempted].map(|of| of.means.throughput);
            text += &match compared(difference) {
                Some(more) if more > 0.0 => {
                    format!("; that is {} more than best pairs without preemption", Unit::Share.format(more))
                }
                Some(less) => {
                    format!("; that is {} less than best pairs without preemption", Unit::Share.format(-less))
                }
                None => "; best pairs without preemption cannot be told apart from it".to_owned(),
            };
        }
        text + "."
    }
}

impl Decision {
    /// "B leaves for C at cycle 100,000: without the switch the next 800,000 cycles do 1,040,000 cycles of work …": what was weighed,
    /// with its numbers.
    #[must_use]
    pub fn sentence(&self, study: &Preemption) -> String {
        let name = |kernel: u32| study.kernels.get(kernel as usize).map_or("", |kernel| kernel.name.as_str());
        let whole = |cycles: f64| Unit::Count.format(cycles.round());
        let (leaves, comes) = (name(self.leaves.1), name(self.comes.1));
        let verb = if self.is_preempted { "leaves" } else { "does not leave" };
        let pays = if self.weighed.break_even_cycles > 0.0 {
            format!("It would pay up to a switch of {} cycles.", whole(self.weighed.break_even_cycles))
        } else {
            "It would not pay, however short the switch was.".to_owned()
        };
        let against = match study.rule.gain {
            Gain::Difference => String::new(),
            Gain::AgainstCost => format!(
                " Against what is done during the switch that is a gain of {}: what this study decides by.",
                whole(self.weighed.gain)
            ),
        };
        format!(
            "{leaves} {verb} for {comes} at cycle {}: without the switch the next {} cycles do {} cycles of work; with it {}, of which \
             {} cycles are the switch. {pays}{against}",
            whole(self.at),
            whole(self.case.rest_cycles),
            whole(self.weighed.before),
            whole(self.weighed.after),
            whole(self.case.preempt_cycles),
        )
    }
}

/// How much more the first is than the second; `None` if their intervals overlap.
fn compared([own, other]: [Estimate; 2]) -> Option<f64> {
    let more = own.mean / other.mean - 1.0;
    match (own.interval, other.interval) {
        (Some([low, high]), Some([from, to])) if low <= to && from <= high => None,
        _ if more.abs() < 1e-9 => None,
        _ => Some(more),
    }
}

/// Launches that an evaluation simulates.
#[must_use]
pub fn all_launches(study: &Preemption) -> usize {
    of_stream(study) * streams(study) * (Policy::ALL.len() + 1)
}

fn of_stream(study: &Preemption) -> usize {
    if study.stream.listed.is_empty() { count(study.stream.launches) } else { study.stream.listed.len() }
}

/// Streams that differ: a list without errors is always the same.
fn streams(study: &Preemption) -> usize {
    let is_fixed =
        !study.stream.listed.is_empty() && study.kernels.iter().all(|kernel| kernel.instruction_error == 0.0);
    if is_fixed { 1 } else { count(study.stream.streams) }
}

/// Answers a valid study.
///
/// # Panics
/// Never: nobody calls it off.
#[must_use]
pub fn evaluate(study: &Preemption) -> Outcome {
    Watch::nobody(|watch| evaluate_watched(study, watch)).expect("nobody calls it off")
}

/// The same for somebody who waits; `None` if it was called off. Counts launches.
#[must_use]
pub fn evaluate_watched(study: &Preemption, watch: Watch<'_>) -> Option<Outcome> {
    let ground = Ground::new(study);
    let residencies = study.kernels.iter().filter_map(|kernel| residency(&study.gpu, kernel).ok()).collect();
    let drawn = drawn(study);
    let all = against(&ground, &drawn, watch)?;
    let bounds: Option<Vec<Bound>> = drawn
        .par_iter()
        .map(|launches| {
            let bound = ground.bound(launches, watch);
            watch.count(launches.len());
            bound
        })
        .collect();
    let bound = mean_bound(&bounds?);
    let mut log = Log { launches: drawn.first()?.clone(), ..Log::default() };
    let run = ground.run(&drawn[0], study.rule.policy, &mut log, watch)?;
    log.done = run.done;
    log.stays.sort_by(|a, b| a.from.total_cmp(&b.from));
    let warnings = warnings(study, ground.table(), &all);
    Some(Outcome { residencies, table: ground.table().clone(), policies: all, bound, log, warnings })
}

/// The streams of a study.
fn drawn(study: &Preemption) -> Vec<Launches> {
    let seed = count(study.stream.seed) as u64;
    (0..streams(study) as u64).into_par_iter().map(|stream| Launches::draw(study, seed.wrapping_add(stream))).collect()
}

/// Every policy on the same streams.
fn against(ground: &Ground<'_>, drawn: &[Launches], watch: Watch<'_>) -> Option<Vec<OfPolicy>> {
    let kernels = ground.kernels();
    let of_policy = |policy: Policy| {
        let runs: Option<Vec<(Measures, Option<Run>)>> = drawn
            .par_iter()
            .enumerate()
            .map(|(place, launches)| {
                let run = ground.run(launches, policy, &mut (), watch)?;
                watch.count(launches.len());
                let measures = Measures::of(launches, &run, kernels);
                Some((measures, (place == 0).then_some(run)))
            })
            .collect();
        let (measures, first): (Vec<Measures>, Vec<Option<Run>>) = runs?.into_iter().unzip();
        let mut latencies: Vec<f64> = first
            .into_iter()
            .flatten()
            .flat_map(|run| {
                run.done.into_iter().zip(&drawn[0].comes).map(|(done, comes)| done - comes).collect::<Vec<_>>()
            })
            .collect();
        latencies.sort_by(f64::total_cmp);
        Some(OfPolicy { policy, means: Means::of(&measures)?, latencies })
    };
    Policy::ALL.into_par_iter().map(of_policy).collect()
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
    /// What none passes.
    pub bound: Bound,
}

/// Every policy at each of some loads, on the same streams but for their times; `None` if it was called off. Counts streams. A
/// list of launches has no load: nothing is in the answer then.
#[must_use]
pub fn along_load(study: &Preemption, loads: &[f64], watch: Watch<'_>) -> Option<Vec<AtLoad>> {
    if !study.stream.listed.is_empty() {
        return Some(Vec::new());
    }
    let ground = Ground::new(study);
    let kernels = ground.kernels();
    let streams = streams(study);
    let base = drawn(study);
    let first: Vec<f64> = base.iter().map(|launches| launches.comes.first().copied().unwrap_or(0.0)).collect();
    // One by one, so that two threads never wait for a long one: policies differ in their time by ten.
    let cells: Vec<(usize, usize)> =
        (0..loads.len()).flat_map(|load| (0..streams).map(move |stream| (load, stream))).collect();
    let found: Option<Vec<(Vec<Measures>, Bound)>> = cells
        .par_iter()
        .map(|(load, stream)| {
            let stretch = study.stream.load / loads[*load];
            let mut launches = base[*stream].clone();
            for comes in &mut launches.comes {
                *comes = first[*stream] + (*comes - first[*stream]) * stretch;
            }
            let measures: Option<Vec<Measures>> = Policy::ALL
                .into_iter()
                .map(|policy| {
                    let run = ground.run(&launches, policy, &mut (), watch)?;
                    Some(Measures::of(&launches, &run, kernels))
                })
                .collect();
            watch.count(1);
            Some((measures?, ground.bound(&launches, watch)?))
        })
        .collect();
    let found = found?;
    let mut answer = Vec::with_capacity(loads.len());
    for (load, of_load) in loads.iter().zip(found.chunks(streams)) {
        let policies: Option<Vec<Means>> = (0..Policy::ALL.len())
            .map(|policy| {
                let measures: Vec<Measures> = of_load.iter().map(|(measures, _)| measures[policy].clone()).collect();
                Means::of(&measures)
            })
            .collect();
        let bounds: Vec<Bound> = of_load.iter().map(|(_, bound)| *bound).collect();
        answer.push(AtLoad { load: *load, policies: policies?, bound: mean_bound(&bounds) });
    }
    Some(answer)
}

fn warnings(study: &Preemption, table: &Table, policies: &[OfPolicy]) -> Vec<String> {
    let mut warnings = Vec::new();
    let count = study.kernels.len();
    let comes: Vec<usize> = (0..count).filter(|place| is_launched(study, *place)).collect();
    let pairs: Vec<(usize, usize)> = comes
        .iter()
        .enumerate()
        .flat_map(|(place, first)| comes[place..].iter().map(move |second| (*first, *second)))
        .collect();
    let guessed = pairs.iter().filter(|(first, second)| !table.is_measured(*first, *second)).count();
    if study.rule.limit > 1.0 && guessed > 0 {
        warnings.push(if guessed == pairs.len() {
            format!(
                "No pair of kernels was measured: all {guessed} are guesses, by their classes or fitted to other pairs."
            )
        } else {
            format!(
                "{guessed} of {} pairs were not measured: they are guesses, by classes or fitted to other pairs.",
                pairs.len()
            )
        });
    }
    if study.rule.limit > 2.0 {
        warnings.push(
            "Of three kernels or more nobody measured anything: each is as fast as the product of its pairs says."
                .to_owned(),
        );
    }
    if study.stream.listed.is_empty() {
        let growing: Vec<&str> =
            policies.iter().filter(|of| of.means.pace < study.stream.load).map(|of| of.policy.label()).collect();
        if !growing.is_empty() {
            warnings.push(format!(
                "At this load the queue never drains with {}: latencies grow with the length of the stream, and are those of {} \
                 launches.",
                growing.join(", "),
                Unit::Count.format(study.stream.launches)
            ));
        }
        if study.stream.streams < 2.0 {
            warnings.push("One stream says nothing of how far others differ: there are no intervals.".to_owned());
        }
    }
    let cannot: Vec<&str> = comes
        .iter()
        .filter(|place| !study.kernels[**place].is_idempotent)
        .map(|place| study.kernels[*place].name.as_str())
        .collect();
    if study.rule.policy == Policy::Flushing && !cannot.is_empty() {
        warnings.push(format!("Never flushed, because they are not idempotent: {}.", cannot.join(", ")));
    }
    let own = policies.iter().find(|of| of.policy == study.rule.policy);
    let unpreempted = policies.iter().find(|of| of.policy == Policy::Combining);
    if let (Some(own), Some(unpreempted)) = (own, unpreempted)
        && study.rule.policy.preempts()
        && compared([own.means.throughput, unpreempted.means.throughput]).is_some_and(|more| more < 0.0)
    {
        warnings.push("Preemption does less work here than the best pairs without it.".to_owned());
    }
    warnings
}

/// Whether a kernel comes at all.
fn is_launched(study: &Preemption, place: usize) -> bool {
    let kernel = &study.kernels[place];
    if study.stream.listed.is_empty() {
        kernel.weight > 0.0
    } else {
        study.stream.listed.iter().any(|launch| launch.kernel == kernel.name)
    }
}

/// Seconds of so many cycles.
#[must_use]
pub fn seconds(study: &Preemption, cycles: f64) -> f64 {
    cycles / (study.gpu.clock_mhz * 1e6)
}

/// Events that an evaluation takes, roughly: what its time grows with.
#[must_use]
pub fn events(study: &Preemption) -> f64 {
    let launches = (of_stream(study) * streams(study)) as f64;
    let slices = mean_cycles(study) / study.rule.slice_cycles;
    launches * (2.5 * Policy::ALL.len() as f64 + slices.min(1e9))
}
