//! Profiles from runs of queries.
//!
//! The time of a run is a sum of parts ([`Part`]); a fit multiplies each part of an engine by a factor. It makes as small
//! as it can the squares of: how much the logarithms of times and speedups are off (beyond 1.5 standard deviations their
//! absolute values, so that one odd run does not decide), how far the factors are from 1, and how far those of one part are
//! apart on the two sides. So few runs change little, and what no run tells of stays as it was. From [`LEAST_FOR_ERROR`]
//! queries on that ran on both sides, the median of their speedups is predicted as it was measured.
//!
//! How far the speedups of the parts may be from each other ([`Freedom`]) is what predicts queries best that were left out.
//! If plans say nothing of which query the GPU helps more, all parts have nearly one speedup, and the answer is that of
//! a predictor that knows nothing: the median.
//!
//! How much a prediction is wrong is told by runs that were left out: each query is predicted from all others.

use std::collections::{BTreeMap, BTreeSet};

use super::file::Profile;
use super::predict::{NINE_OF_TEN, Part, Prediction, Range, Seconds, chance_above, of_work};
use super::profile::{Engine, Engines, Machines};
use super::truth::median;
use super::work::Work;
use crate::provenance::{Provenance, Sources};
use crate::quantity::Quantity;

/// How far a logarithm of a measured time is usually off: what the best fits of public tables leave.
const USUAL_ERROR: f64 = 0.35;
/// How far the logarithm of a factor may be from 0: engines of one kind differ by a factor of two.
const USUAL_FACTOR: f64 = 0.8;
/// Errors beyond as many standard deviations count by their absolute value.
const ROBUST_FROM: f64 = 1.5;
/// Tenths of the measured values that a range shall hold.
const INSIDE_TENTHS: usize = 9;
/// Runs from which on an error is told: below, nine of ten have no meaning.
pub const LEAST_FOR_ERROR: usize = 9;
/// Correlation above which two numbers cannot be told apart.
const SAME: f64 = 0.9;

/// How far the speedups of the parts of a time may be from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freedom {
    /// As far as the runs say.
    Free,
    /// Their logarithms are usually within a quarter of each other.
    Near,
    /// They are nearly one.
    One,
}

impl Freedom {
    /// The freest first: where two predict equally well, the freer one is taken.
    const ALL: [Self; 3] = [Self::Free, Self::Near, Self::One];

    /// How far the logarithm of a part's speedup may be from the mean of all.
    fn apart(self) -> Option<f64> {
        match self {
            Self::Free => None,
            Self::Near => Some(0.25),
            Self::One => Some(0.03),
        }
    }
}

/// A query that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The query: runs of one query are left out together.
    pub query: String,
    /// What it makes the engines do.
    pub work: Work,
    /// Whether exchanges were put into its plan.
    pub implied_exchanges: bool,
    /// What it ran on, CPU first: of the engines that a fit begins with, the machines do not count.
    pub machines: [Machines; 2],
    /// Time on CPUs, seconds, if it ran there.
    pub cpu_seconds: Option<f64>,
    /// Time on GPUs, seconds, if it ran there.
    pub gpu_seconds: Option<f64>,
}

/// A number of a profile after a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// Whose it is: "cpu" or "gpu".
    pub side: &'static str,
    /// The part of the time that it decides.
    pub part: Part,
    /// By how much the time of that part was multiplied.
    pub factor: f64,
    /// Standard deviation of the factor's logarithm.
    pub deviation: f64,
    /// The same before any run was seen.
    pub before: f64,
}

/// A fitted profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The profile.
    pub engines: Engines,
    /// Every number that was fitted.
    pub numbers: Vec<Fitted>,
    /// How far the parts' speedups were allowed to be from each other.
    pub freedom: Freedom,
    /// Pairs of numbers, by place in `numbers`, that the runs cannot tell apart.
    pub alike: Vec<(usize, usize)>,
    /// Every run, predicted from all other queries.
    pub left_out: Vec<Prediction>,
}

impl Fit {
    /// The fitted profile as a file holds it: `before` has the sources of the numbers that it began with, `runs` says what
    /// it was fitted to.
    #[must_use]
    pub fn profile(&self, runs: &str, before: &Sources) -> Profile {
        let mut sources = before.clone();
        let mut add = |key: String, interval: (f64, f64)| {
            sources.insert(key, Provenance::Fitted { runs: runs.to_owned(), interval });
        };
        for number in &self.numbers {
            let engine = if number.side == "cpu" { &self.engines.cpu } else { &self.engines.gpu };
            let (key, value) = number_of(engine, number.part);
            let reach = (NINE_OF_TEN * number.deviation).exp();
            add(format!("{}.{key}", number.side), (value / reach, value * reach));
        }
        let Engines { cpu, gpu, speedup_within, carried, anchored_within, .. } = &self.engines;
        for (key, value) in [
            ("cpu.within", cpu.within),
            ("gpu.within", gpu.within),
            ("speedup_within", *speedup_within),
            ("carried", *carried),
            ("anchored_within", *anchored_within),
        ] {
            add(key.to_owned(), (value, value));
        }
        Profile { engines: self.engines.clone(), sources }
    }
}

/// The number that decides a part of an engine's time, and its key.
fn number_of(engine: &Engine, part: Part) -> (&'static str, f64) {
    let speed = |speed: Option<f64>| speed.unwrap_or(f64::INFINITY);
    match part {
        Part::Start => (Engine::START_SECONDS.key, engine.start_seconds),
        Part::Steps => (Engine::EXCHANGE_SECONDS.key, engine.exchange_seconds),
        Part::Work => (Engine::WORK_RATIO.key, engine.work_ratio),
        Part::Read => (Engine::READ_GB_PER_S.key, speed(engine.read_gb_per_s)),
        Part::Files => (Engine::FILE_SECONDS.key, engine.file_seconds),
        Part::Exchange => (Engine::EXCHANGE_RATIO.key, engine.exchange_ratio),
        Part::Spill => (Engine::SPILL_GB_PER_S.key, speed(engine.spill_gb_per_s)),
    }
}

impl Fitted {
    /// What part of the number the runs tell, 0 … 1; the rest is what it was before.
    #[must_use]
    pub fn told(&self) -> f64 {
        (1.0 - (self.deviation / self.before).powi(2)).clamp(0.0, 1.0)
    }

    /// The factor less and more one standard deviation of its logarithm.
    #[must_use]
    pub fn one_sigma(&self) -> [f64; 2] {
        [self.factor / self.deviation.exp(), self.factor * self.deviation.exp()]
    }
}

/// Fits a profile to runs, beginning with one of the same engines. `None` if no run was measured.
#[must_use]
pub fn fit(runs: &[Run], start: &Engines) -> Option<Fit> {
    runs.iter().find(|run| run.cpu_seconds.is_some() || run.gpu_seconds.is_some())?;
    let problem = Problem::new(runs, start);
    let rehearsals = Freedom::ALL.map(|freedom| problem.rehearse(start, freedom));
    let left_out: Vec<Prediction> = runs
        .iter()
        .enumerate()
        // How a query is predicted is chosen by the others, too.
        .map(|(at, run)| best(&rehearsals, |other| other != run.query).left_out[at].clone())
        .collect();
    let freedom = best(&rehearsals, |_| true).freedom;
    let solution = problem.solve(freedom, |_| true);
    let mut engines = problem.engines(start, &solution.factors);
    let errors = errors(&left_out, runs);
    // What too few queries tell has no range: that of the beginning was of other runs.
    let [cpu, gpu, speedup] = [0, 1, 2].map(|at| within(errors[at].clone()).unwrap_or(1.0));
    (engines.cpu.within, engines.gpu.within, engines.speedup_within) = (cpu, gpu, speedup);
    (engines.carried, engines.anchored_within) = (0.0, 1.0);
    anchor(&mut engines, &left_out, runs);
    let numbers = problem.fitted(&solution, spread(&errors));
    let left_out = with_ranges(left_out, runs, &errors);
    let mut alike = solution.alike();
    // What is held together by the fit says nothing of the runs.
    alike.retain(|(a, b)| freedom == Freedom::Free || numbers[*a].part != numbers[*b].part);
    Some(Fit { engines, numbers, freedom, alike, left_out })
}

/// Every query predicted from all others, the parts' speedups being so far from each other.
struct Rehearsal<'r> {
    freedom: Freedom,
    left_out: Vec<Prediction>,
    /// How far the speedups are off.
    errors: Errors<'r>,
}

/// What predicts the median of these queries' speedups best; the freest where too few were measured on both sides.
fn best<'a, 'r>(rehearsals: &'a [Rehearsal<'r>; 3], is_used: impl Fn(&str) -> bool) -> &'a Rehearsal<'r> {
    let off = |rehearsal: &Rehearsal<'_>| {
        let errors = rehearsal.errors.iter().filter(|(query, _)| is_used(query));
        let queries: BTreeSet<&str> = errors.clone().map(|(query, _)| *query).collect();
        let is_enough = queries.len() >= LEAST_FOR_ERROR;
        median(errors.map(|(_, error)| *error).collect()).filter(|_| is_enough).unwrap_or(0.0)
    };
    let [free, others @ ..] = rehearsals;
    others.iter().fold(free, |best, other| if off(other) < off(best) { other } else { best })
}

/// What a measured CPU time tells of the GPU's: how far both were off together, and how far the GPU's is off then.
fn anchor(engines: &mut Engines, left_out: &[Prediction], runs: &[Run]) {
    let pairs = left_out.iter().zip(runs).filter_map(|(found, run)| {
        let (cpu, gpu) = ((run.cpu_seconds? / found.cpu.value).ln(), (run.gpu_seconds? / found.gpu.value).ln());
        (cpu.is_finite() && gpu.is_finite()).then_some((run.query.as_str(), cpu, gpu))
    });
    let pairs: Vec<(&str, f64, f64)> = pairs.collect();
    let products =
        |(together, alone): (f64, f64), (_, cpu, gpu): &(&str, f64, f64)| (together + cpu * gpu, alone + cpu * cpu);
    let (together, alone) = pairs.iter().fold((0.0, 0.0), products);
    let carried = if alone > 0.0 { (together / alone).clamp(0.0, 1.0) } else { 0.0 };
    if let Some(within) = within(pairs.iter().map(|(query, cpu, gpu)| (*query, (gpu - carried * cpu).abs())).collect())
    {
        (engines.carried, engines.anchored_within) = (carried, within);
    }
}

/// Errors of left-out runs, each with its query.
type Errors<'r> = Vec<(&'r str, f64)>;

/// How far left-out runs are off, of CPU times, GPU times and speedups.
fn errors<'r>(left_out: &[Prediction], runs: &'r [Run]) -> [Errors<'r>; 3] {
    let mut errors = [Errors::new(), Errors::new(), Errors::new()];
    for (found, run) in left_out.iter().zip(runs) {
        let speedup = run.cpu_seconds.zip(run.gpu_seconds).map(|(cpu, gpu)| cpu / gpu);
        let pairs = [(found.cpu, run.cpu_seconds), (found.gpu, run.gpu_seconds), (found.speedup, speedup)];
        for (errors, (found, measured)) in errors.iter_mut().zip(pairs) {
            errors.extend(measured.map(|measured| (run.query.as_str(), error(found.value, measured))));
        }
    }
    errors
}

/// The predictions of left-out runs with ranges that the other queries' errors tell: what a range told by all is worth.
fn with_ranges(left_out: Vec<Prediction>, runs: &[Run], errors: &[Errors<'_>; 3]) -> Vec<Prediction> {
    let mut known: BTreeMap<&str, [f64; 3]> = BTreeMap::new();
    for run in runs {
        known.entry(&run.query).or_insert_with(|| {
            [0, 1, 2].map(|at| {
                let others = errors[at].iter().filter(|(query, _)| *query != run.query).copied();
                within(others.collect()).unwrap_or(1.0)
            })
        });
    }
    let ranged = left_out.into_iter().zip(runs).map(|(found, run)| {
        let [cpu, gpu, speedup] = known[run.query.as_str()];
        Prediction {
            cpu: Range::new(found.cpu.value, cpu),
            gpu: Range::new(found.gpu.value, gpu),
            speedup: Range::new(found.speedup.value, speedup),
            chance: (speedup > 1.0).then(|| chance_above(found.speedup.value, speedup)),
            ..found
        }
    });
    ranged.collect()
}

/// How many times as wide as the fit takes it the errors of left-out times are, at least once.
fn spread([cpu, gpu, _]: &[Errors<'_>; 3]) -> f64 {
    /// Median of the absolute values of a standard normal number.
    const MEDIAN: f64 = 0.674_489_750_196_081_7;
    // Both times and their ratio count, so one of them counts one and a half times.
    let taken = USUAL_ERROR * (2.0_f64 / 3.0).sqrt();
    let errors = cpu.iter().chain(gpu).map(|(_, error)| *error).collect();
    median(errors).map_or(1.0, |median| (median / MEDIAN / taken).max(1.0))
}

/// How far a prediction is off, as a logarithm; what takes no time by the prediction is off without limit.
fn error(found: f64, measured: f64) -> f64 {
    let error = (found / measured).ln().abs();
    if error.is_finite() { error } else { f64::MAX }
}

/// The factor within which as many left-out errors lie as a range shall hold, with one more run in mind (the quantile of
/// the jackknife); `None` if they are of too few queries.
fn within(mut errors: Errors<'_>) -> Option<f64> {
    let queries: BTreeSet<&str> = errors.iter().map(|(query, _)| *query).collect();
    let is_enough = queries.len() >= LEAST_FOR_ERROR;
    errors.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let rank = ((errors.len() + 1) * INSIDE_TENTHS).div_ceil(10);
    is_enough.then(|| errors[rank.min(errors.len()) - 1].1.exp().clamp(1.0, 1000.0))
}

/// A number that is fitted: a part of a side.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Number {
    side: usize,
    part: Part,
}

/// Runs as sums of parts.
struct Problem<'a> {
    runs: &'a [Run],
    /// Seconds of each part before the fit, by run and side.
    parts: Vec<[Seconds; 2]>,
    numbers: Vec<Number>,
    /// Parts that both sides have.
    speedups: Vec<Speedup>,
    /// What each run counts: all runs of a query count as one.
    weights: Vec<f64>,
}

/// A part that both sides have: its numbers, and the logarithm of how much faster GPUs were with it before the fit.
struct Speedup {
    cpu: usize,
    gpu: usize,
    before: f64,
}

/// Factors and how they depend on each other.
struct Solution {
    factors: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl<'a> Problem<'a> {
    fn new(runs: &'a [Run], start: &Engines) -> Self {
        let parts = |run: &Run| {
            let engines = start.moved_to(run.machines.clone());
            [engines.cpu.seconds(&run.work), engines.gpu.seconds(&run.work)]
        };
        let parts: Vec<[Seconds; 2]> = runs.iter().map(parts).collect();
        let measured = |run: &Run, side: usize| [run.cpu_seconds, run.gpu_seconds][side].is_some();
        let numbers = (0..2).flat_map(|side| Part::ALL.map(|part| Number { side, part }));
        let is_told = |number: &Number| {
            let mut seen = parts.iter().zip(runs).filter(|(_, run)| measured(run, number.side));
            seen.any(|(parts, _)| parts[number.side][number.part as usize] > 0.0)
        };
        let numbers: Vec<Number> = numbers.filter(is_told).collect();
        let place = |side: usize, part: Part| numbers.iter().position(|number| *number == Number { side, part });
        let speedups = Part::ALL.into_iter().filter_map(|part| {
            let speedups = parts.iter().map(|[cpu, gpu]| (cpu[part as usize] / gpu[part as usize]).ln());
            // The same for every run, but of what does not fit in memory and on other machines.
            let before = median(speedups.filter(|speedup| speedup.is_finite()).collect())?;
            Some(Speedup { cpu: place(0, part)?, gpu: place(1, part)?, before })
        });
        let speedups = speedups.collect();
        let of_query = |run: &Run| runs.iter().filter(|other| other.query == run.query).count();
        let weights = runs.iter().map(|run| 1.0 / of_query(run) as f64).collect();
        Self { runs, parts, numbers, speedups, weights }
    }

    /// Time of a run on a side.
    fn seconds(&self, run: usize, side: usize, logarithms: &[f64]) -> f64 {
        let of_side = self.numbers.iter().zip(logarithms).filter(|(number, _)| number.side == side);
        of_side.map(|(number, logarithm)| self.parts[run][side][number.part as usize] * logarithm.exp()).sum()
    }

    /// Predicts every query from all others.
    fn rehearse(&self, start: &Engines, freedom: Freedom) -> Rehearsal<'a> {
        let mut without: BTreeMap<&str, Engines> = BTreeMap::new();
        for run in self.runs {
            without
                .entry(&run.query)
                .or_insert_with(|| self.engines(start, &self.solve(freedom, |other| other.query != run.query).factors));
        }
        let predicted = |run: &Run| {
            of_work(&run.work, run.implied_exchanges, &without[run.query.as_str()].moved_to(run.machines.clone()))
        };
        let left_out: Vec<Prediction> = self.runs.iter().map(predicted).collect();
        let [.., errors] = errors(&left_out, self.runs);
        Rehearsal { freedom, left_out, errors }
    }

    /// The factors that make the squares smallest, with the median speedup as it was measured.
    fn solve(&self, freedom: Freedom, is_used: impl Fn(&Run) -> bool) -> Solution {
        let mut solution = self.smallest(freedom, &is_used);
        let logarithms: Vec<f64> = solution.factors.iter().map(|factor| factor.ln()).collect();
        let half = self.median_error(&logarithms, is_used).map_or(0.0, |error| error / 2.0).exp();
        for (number, factor) in self.numbers.iter().zip(&mut solution.factors) {
            *factor *= if number.side == 0 { 1.0 / half } else { half };
        }
        solution
    }

    /// Median of how far the logarithms of predicted speedups are above the measured ones; `None` of too few queries.
    fn median_error(&self, logarithms: &[f64], is_used: impl Fn(&Run) -> bool) -> Option<f64> {
        let mut of_queries: BTreeMap<&str, f64> = BTreeMap::new();
        for (index, run) in self.runs.iter().enumerate().filter(|(_, run)| is_used(run)) {
            let Some((cpu, gpu)) = run.cpu_seconds.zip(run.gpu_seconds) else { continue };
            let [found_cpu, found_gpu] = [0, 1].map(|side| self.seconds(index, side, logarithms));
            let error = (found_cpu / found_gpu / (cpu / gpu)).ln();
            // All runs of a query count as one.
            *of_queries.entry(&run.query).or_default() += error * self.weights[index];
        }
        let is_enough = of_queries.len() >= LEAST_FOR_ERROR;
        median(of_queries.into_values().collect()).filter(|error| is_enough && error.is_finite())
    }

    /// Gauss–Newton steps, damped where they lead up.
    fn smallest(&self, freedom: Freedom, is_used: impl Fn(&Run) -> bool) -> Solution {
        const STEPS: usize = 60;
        let count = self.numbers.len();
        let mut logarithms = vec![0.0; count];
        let mut damping = 1e-3;
        let mut system = self.system(&logarithms, freedom, &is_used);
        for _ in 0..STEPS {
            let mut damped = system.matrix.clone();
            for (index, row) in damped.iter_mut().enumerate() {
                row[index] *= 1.0 + damping;
            }
            let Some(step) = solve(&damped, &system.gradient) else { break };
            let tried: Vec<f64> = logarithms.iter().zip(&step).map(|(at, step)| at - step).collect();
            let next = self.system(&tried, freedom, &is_used);
            if next.cost <= system.cost {
                let is_done = system.cost - next.cost <= 1e-12 * (1.0 + system.cost);
                (logarithms, system, damping) = (tried, next, damping * 0.3);
                if is_done {
                    break;
                }
            } else {
                damping *= 10.0;
                if damping > 1e12 {
                    break;
                }
            }
        }
        let unit = |index: usize| (0..count).map(|other| f64::from(u8::from(other == index))).collect::<Vec<f64>>();
        let covariance = (0..count).map(|index| solve(&system.matrix, &unit(index)).unwrap_or_else(|| unit(index)));
        Solution {
            factors: logarithms.iter().map(|logarithm| logarithm.exp()).collect(),
            covariance: covariance.collect(),
        }
    }

    /// What has to become zero at some factors, linearised.
    fn system(&self, logarithms: &[f64], freedom: Freedom, is_used: &impl Fn(&Run) -> bool) -> System {
        let mut system = System::new(self.numbers.len());
        for (index, run) in self.runs.iter().enumerate().filter(|(_, run)| is_used(run)) {
            let weight = self.weights[index];
            let seconds = [0, 1].map(|side| self.seconds(index, side, logarithms));
            let measured = [run.cpu_seconds, run.gpu_seconds];
            // How the logarithm of the time on a side follows a number.
            let slope = |at: usize, side: usize| {
                let number = self.numbers[at];
                let part = self.parts[index][side][number.part as usize] * logarithms[at].exp();
                if number.side == side && seconds[side] > 0.0 { part / seconds[side] } else { 0.0 }
            };
            let slopes = |weights: [f64; 2]| -> Vec<f64> {
                (0..self.numbers.len()).map(|at| weights[0] * slope(at, 0) + weights[1] * slope(at, 1)).collect()
            };
            let error =
                |side: usize| measured[side].filter(|_| seconds[side] > 0.0).map(|time| (seconds[side] / time).ln());
            let errors = [error(0), error(1)];
            for side in 0..2 {
                if let Some(error) = errors[side] {
                    let mut weights = [0.0; 2];
                    weights[side] = 1.0;
                    system.add_robust(error / USUAL_ERROR, &slopes(weights), USUAL_ERROR, weight);
                }
            }
            if let [Some(cpu), Some(gpu)] = errors {
                system.add_robust((cpu - gpu) / USUAL_ERROR, &slopes([1.0, -1.0]), USUAL_ERROR, weight);
            }
        }
        for at in 0..self.numbers.len() {
            let mut slopes = vec![0.0; self.numbers.len()];
            slopes[at] = 1.0 / USUAL_FACTOR;
            // The other side follows this one: engines are built alike, and what a plan says wrongly is wrong for both.
            let twin = self.twin(at);
            if let Some(twin) = twin {
                slopes[twin] = -1.0 / USUAL_FACTOR;
                system.add((logarithms[at] - logarithms[twin]) / USUAL_FACTOR, &slopes);
            } else {
                system.add(logarithms[at] / USUAL_FACTOR, &slopes);
            }
        }
        if let Some(apart) = freedom.apart() {
            self.bind(&mut system, logarithms, apart);
        }
        system
    }

    /// Holds the logarithms of the parts' speedups so far from their mean.
    fn bind(&self, system: &mut System, logarithms: &[f64], apart: f64) {
        let count = self.speedups.len() as f64;
        let speedup = |part: &Speedup| part.before + logarithms[part.cpu] - logarithms[part.gpu];
        let mean = self.speedups.iter().map(speedup).sum::<f64>() / count;
        for (at, part) in self.speedups.iter().enumerate() {
            let mut slopes = vec![0.0; self.numbers.len()];
            for (other, Speedup { cpu, gpu, .. }) in self.speedups.iter().enumerate() {
                let slope = (f64::from(u8::from(other == at)) - 1.0 / count) / apart;
                slopes[*cpu] += slope;
                slopes[*gpu] -= slope;
            }
            system.add((speedup(part) - mean) / apart, &slopes);
        }
    }

    /// The profile with these factors.
    fn engines(&self, start: &Engines, factors: &[f64]) -> Engines {
        let mut engines = start.clone();
        for (number, factor) in self.numbers.iter().zip(factors) {
            let engine = if number.side == 0 { &mut engines.cpu } else { &mut engines.gpu };
            multiply(engine, number.part, *factor);
        }
        engines
    }

    /// The numbers, with deviations as large as the errors of left-out runs say.
    fn fitted(&self, solution: &Solution, spread: f64) -> Vec<Fitted> {
        let numbers = self.numbers.iter().zip(&solution.factors).enumerate();
        let fitted = numbers.map(|(at, (number, factor))| Fitted {
            side: ["cpu", "gpu"][number.side],
            part: number.part,
            factor: *factor,
            deviation: (spread * solution.covariance[at][at].max(0.0).sqrt()).min(self.before(at)),
            before: self.before(at),
        });
        fitted.collect()
    }

    /// Deviation of a number before any run was seen: a GPU's follows its twin of the CPU.
    fn before(&self, at: usize) -> f64 {
        if self.twin(at).is_some() { USUAL_FACTOR * std::f64::consts::SQRT_2 } else { USUAL_FACTOR }
    }

    /// The number of the same part on the side before.
    fn twin(&self, at: usize) -> Option<usize> {
        let number = self.numbers[at];
        self.numbers.iter().position(|other| other.part == number.part && other.side < number.side)
    }
}

/// Makes a part of an engine's time longer by a factor, within what its numbers may be.
fn multiply(engine: &mut Engine, part: Part, factor: f64) {
    let times = |value: &mut f64, most: f64| *value = (*value * factor).min(most);
    let through = |speed: &mut Option<f64>, range: &Quantity| {
        *speed = speed.map(|speed| (speed / factor).clamp(range.min, range.max));
    };
    match part {
        Part::Start => times(&mut engine.start_seconds, Engine::START_SECONDS.max),
        Part::Steps => times(&mut engine.exchange_seconds, Engine::EXCHANGE_SECONDS.max),
        Part::Work => times(&mut engine.work_ratio, Engine::WORK_RATIO.max),
        Part::Read => through(&mut engine.read_gb_per_s, &Engine::READ_GB_PER_S),
        Part::Files => times(&mut engine.file_seconds, Engine::FILE_SECONDS.max),
        Part::Exchange => times(&mut engine.exchange_ratio, Engine::EXCHANGE_RATIO.max),
        Part::Spill => through(&mut engine.spill_gb_per_s, &Engine::SPILL_GB_PER_S),
    }
}

impl Solution {
    /// Pairs of numbers that the runs cannot tell apart.
    fn alike(&self) -> Vec<(usize, usize)> {
        let correlation =
            |a: usize, b: usize| self.covariance[a][b] / (self.covariance[a][a] * self.covariance[b][b]).sqrt();
        let pairs = (0..self.factors.len()).flat_map(|a| (0..a).map(move |b| (b, a)));
        pairs.filter(|(a, b)| correlation(*a, *b).abs() > SAME).collect()
    }
}

/// Squares that are made small, linearised at a place.
struct System {
    cost: f64,
    gradient: Vec<f64>,
    matrix: Vec<Vec<f64>>,
}

impl System {
    fn new(count: usize) -> Self {
        Self { cost: 0.0, gradient: vec![0.0; count], matrix: vec![vec![0.0; count]; count] }
    }

    /// An error in standard deviations, and how it follows the numbers.
    fn add(&mut self, error: f64, slopes: &[f64]) {
        self.add_weighted(error * error / 2.0, 1.0, error, slopes);
    }

    /// The same, by its absolute value where it is large (Huber); `unit` makes slopes of it standard deviations.
    fn add_robust(&mut self, error: f64, slopes: &[f64], unit: f64, share: f64) {
        let size = error.abs();
        let is_large = size > ROBUST_FROM;
        let cost = if is_large { ROBUST_FROM * (size - ROBUST_FROM / 2.0) } else { error * error / 2.0 };
        let weight = if is_large { ROBUST_FROM / size } else { 1.0 };
        let slopes: Vec<f64> = slopes.iter().map(|slope| slope / unit).collect();
        self.add_weighted(share * cost, share * weight, error, &slopes);
    }

    fn add_weighted(&mut self, cost: f64, weight: f64, error: f64, slopes: &[f64]) {
        self.cost += cost;
        for (row, slope) in slopes.iter().enumerate() {
            self.gradient[row] += weight * error * slope;
            for (column, other) in slopes.iter().enumerate() {
                self.matrix[row][column] += weight * slope * other;
            }
        }
    }
}

/// Solves a symmetric, positive definite system (Cholesky); `None` if it is neither.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let count = right.len();
    let mut root = vec![vec![0.0; count]; count];
    for row in 0..count {
        for column in 0..=row {
            let known: f64 = (0..column).map(|at| root[row][at] * root[column][at]).sum();
            let rest = matrix[row][column] - known;
            if row == column {
                if rest <= 0.0 || !rest.is_finite() {
                    return None;
                }
                root[row][row] = rest.sqrt();
            } else {
                root[row][column] = rest / root[column][column];
            }
        }
    }
    let mut forward = vec![0.0; count];
    for row in 0..count {
        let known: f64 = (0..row).map(|at| root[row][at] * forward[at]).sum();
        forward[row] = (right[row] - known) / root[row][row];
    }
    let mut solution = vec![0.0; count];
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|at| root[at][row] * solution[at]).sum();
        solution[row] = (forward[row] - known) / root[row][row];
    }
    Some(solution)
}
