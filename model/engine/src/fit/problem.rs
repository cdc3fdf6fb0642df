//! Runs as sums of parts, and the factors that fit them.

use std::collections::BTreeSet;

use super::squares::{Squares, USUAL_ERROR, cholesky};
use super::{Fitted, LEAST_FOR_ERROR, Pooling, Run};
use crate::predict::{Part, Seconds};
use crate::profile::{Engine, Engines};
use crate::truth::{means, median};
use crossover_quantity::quantity::Quantity;

/// Standard deviation of the logarithm of a factor: engines of one kind differ by a factor of two.
const USUAL_FACTOR: f64 = 0.8;
/// Correlation above which two numbers cannot be distinguished.
const INDISTINGUISHABLE: f64 = 0.9;

/// A number that is fitted: a part of a side.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Number {
    side: usize,
    part: Part,
}

/// Runs as sums of parts.
pub(super) struct Problem<'a> {
    pub(super) runs: &'a [Run],
    /// Seconds of each part before the fit, by run and side.
    parts: Vec<[Seconds; 2]>,
    numbers: Vec<Number>,
    /// Parts that both sides have.
    speedups: Vec<Speedup>,
    /// Weight of each run: all runs of a query count as one.
    weights: Vec<f64>,
    /// Whether enough queries ran on both sides to determine speedups, also without one of them.
    pub(super) determines_speedups: bool,
}

/// A part that both sides have: its numbers, and the logarithm of its speedup before the fit.
struct Speedup {
    cpu: usize,
    gpu: usize,
    before: f64,
}

/// Factors and the covariance of their logarithms.
pub(super) struct Solution {
    pub(super) factors: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl<'a> Problem<'a> {
    pub(super) fn new(runs: &'a [Run], start: &Engines) -> Self {
        let parts = |run: &Run| {
            let engines = start.moved_to(run.machines.clone());
            [engines.cpu.seconds(&run.work), engines.gpu.seconds(&run.work)]
        };
        let parts: Vec<[Seconds; 2]> = runs.iter().map(parts).collect();
        let measured = |run: &Run, side: usize| run.seconds(side).is_some();
        let numbers = (0..2).flat_map(|side| Part::ALL.map(|part| Number { side, part }));
        let is_determined = |number: &Number| {
            let mut seen = parts.iter().zip(runs).filter(|(_, run)| measured(run, number.side));
            seen.any(|(parts, _)| parts[number.side][number.part as usize] > 0.0)
        };
        let numbers: Vec<Number> = numbers.filter(is_determined).collect();
        let place = |side: usize, part: Part| numbers.iter().position(|number| *number == Number { side, part });
        let speedups = Part::ALL.into_iter().filter_map(|part| {
            let speedups = parts.iter().map(|[cpu, gpu]| (cpu[part as usize] / gpu[part as usize]).ln());
            // The same for every run, except for spilled data and on other machines.
            let before = median(speedups.filter(|speedup| speedup.is_finite()).collect())?;
            Some(Speedup { cpu: place(0, part)?, gpu: place(1, part)?, before })
        });
        let speedups = speedups.collect();
        let of_query = |run: &Run| runs.iter().filter(|other| other.query == run.query).count();
        let weights = runs.iter().map(|run| 1.0 / of_query(run) as f64).collect();
        let both = runs.iter().filter(|run| run.cpu_seconds.is_some() && run.gpu_seconds.is_some());
        let both = both.map(|run| run.query.as_str()).collect::<BTreeSet<&str>>();
        Self { runs, parts, numbers, speedups, weights, determines_speedups: both.len() > LEAST_FOR_ERROR }
    }

    /// Time of a run on a side.
    fn seconds(&self, run: usize, side: usize, logarithms: &[f64]) -> f64 {
        let of_side = self.numbers.iter().zip(logarithms).filter(|(number, _)| number.side == side);
        of_side.map(|(number, logarithm)| self.parts[run][side][number.part as usize] * logarithm.exp()).sum()
    }

    /// The factors that minimise the squares, scaled so that the median speedup is the measured one.
    pub(super) fn solve(&self, pooling: Pooling, is_used: impl Fn(&Run) -> bool) -> Solution {
        let mut logarithms = self.smallest(pooling, &is_used);
        // The information of the runs, without the assumption on speedups.
        let information = self.squares(&logarithms, Pooling::None, &is_used).matrix;
        if let Some(error) = self.median_error(&logarithms, &is_used) {
            // The side with fewer measured runs moves more.
            let measured =
                |side: usize| self.runs.iter().filter(|run| is_used(run) && run.seconds(side).is_some()).count() as f64;
            let cpu_share = measured(1) / (measured(0) + measured(1));
            for (number, logarithm) in self.numbers.iter().zip(&mut logarithms) {
                *logarithm += error * if number.side == 0 { -cpu_share } else { 1.0 - cpu_share };
            }
        }
        let count = self.numbers.len();
        let unit = |index: usize| (0..count).map(|other| f64::from(u8::from(other == index))).collect::<Vec<f64>>();
        let covariance = (0..count).map(|index| cholesky(&information, &unit(index)).unwrap_or_else(|| unit(index)));
        Solution {
            factors: logarithms.iter().map(|logarithm| logarithm.exp()).collect(),
            covariance: covariance.collect(),
        }
    }

    /// Median difference of the logarithms of predicted and measured speedups; `None` with too few queries.
    fn median_error(&self, logarithms: &[f64], is_used: impl Fn(&Run) -> bool) -> Option<f64> {
        let errors = self.runs.iter().enumerate().filter(|(_, run)| is_used(run)).filter_map(|(index, run)| {
            let measured = run.cpu_seconds? / run.gpu_seconds?;
            let found = self.seconds(index, 0, logarithms) / self.seconds(index, 1, logarithms);
            Some((run.query.as_str(), (found / measured).ln()))
        });
        // All runs of a query count as one.
        median(means(errors).into_values().collect()).filter(|error| self.determines_speedups && error.is_finite())
    }

    /// Gauss–Newton steps, damped where the cost rises.
    fn smallest(&self, pooling: Pooling, is_used: &impl Fn(&Run) -> bool) -> Vec<f64> {
        const STEPS: usize = 60;
        let count = self.numbers.len();
        let mut logarithms = vec![0.0; count];
        let mut damping = 1e-3;
        let mut squares = self.squares(&logarithms, pooling, is_used);
        for _ in 0..STEPS {
            let mut damped = squares.matrix.clone();
            for (index, row) in damped.iter_mut().enumerate() {
                row[index] *= 1.0 + damping;
            }
            let Some(step) = cholesky(&damped, &squares.gradient) else { break };
            let tried: Vec<f64> = logarithms.iter().zip(&step).map(|(at, step)| at - step).collect();
            let next = self.squares(&tried, pooling, is_used);
            if next.cost <= squares.cost {
                let is_done = squares.cost - next.cost <= 1e-12 * (1.0 + squares.cost);
                (logarithms, squares, damping) = (tried, next, damping * 0.3);
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
        logarithms
    }

    /// The sum of squares, linearised at these factors.
    fn squares(&self, logarithms: &[f64], pooling: Pooling, is_used: &impl Fn(&Run) -> bool) -> Squares {
        let mut squares = Squares::new(self.numbers.len());
        for (index, run) in self.runs.iter().enumerate().filter(|(_, run)| is_used(run)) {
            let weight = self.weights[index];
            let seconds = [0, 1].map(|side| self.seconds(index, side, logarithms));
            let measured = [0, 1].map(|side| run.seconds(side));
            // Derivative of the logarithm of a side's time by the logarithm of a factor.
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
                    squares.add_robust(error / USUAL_ERROR, &slopes(weights), USUAL_ERROR, weight);
                }
            }
            if let [Some(cpu), Some(gpu)] = errors {
                squares.add_robust((cpu - gpu) / USUAL_ERROR, &slopes([1.0, -1.0]), USUAL_ERROR, weight);
            }
        }
        for at in 0..self.numbers.len() {
            let mut slopes = vec![0.0; self.numbers.len()];
            slopes[at] = 1.0 / USUAL_FACTOR;
            // Both sides are tied: engines are built alike, and errors of a plan affect both.
            let twin = self.twin(at);
            if let Some(twin) = twin {
                slopes[twin] = -1.0 / USUAL_FACTOR;
                squares.add((logarithms[at] - logarithms[twin]) / USUAL_FACTOR, &slopes);
            } else {
                squares.add(logarithms[at] / USUAL_FACTOR, &slopes);
            }
        }
        if let Some(apart) = pooling.standard_deviation() {
            self.bind(&mut squares, logarithms, apart);
        }
        squares
    }

    /// Ties the logarithms of the parts' speedups to their mean with this standard deviation.
    fn bind(&self, squares: &mut Squares, logarithms: &[f64], apart: f64) {
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
            squares.add((speedup(part) - mean) / apart, &slopes);
        }
    }

    /// The profile with these factors.
    pub(super) fn engines(&self, start: &Engines, factors: &[f64]) -> Engines {
        let mut engines = start.clone();
        for (number, factor) in self.numbers.iter().zip(factors) {
            let engine = if number.side == 0 { &mut engines.cpu } else { &mut engines.gpu };
            multiply(engine, number.part, *factor);
        }
        engines
    }

    /// The numbers, with standard deviations scaled by the errors of left-out runs.
    pub(super) fn fitted(&self, solution: &Solution, spread: f64) -> Vec<Fitted> {
        let numbers = self.numbers.iter().zip(&solution.factors).enumerate();
        let fitted = numbers.map(|(at, (number, factor))| Fitted {
            side: ["cpu", "gpu"][number.side],
            part: number.part,
            factor: *factor,
            standard_deviation: (spread * solution.covariance[at][at].max(0.0).sqrt())
                .min(self.prior_standard_deviation(at)),
            prior_standard_deviation: self.prior_standard_deviation(at),
        });
        fitted.collect()
    }

    /// Standard deviation of a number before the fit: that of a GPU is tied to its twin of the CPU.
    fn prior_standard_deviation(&self, at: usize) -> f64 {
        if self.twin(at).is_some() { USUAL_FACTOR * std::f64::consts::SQRT_2 } else { USUAL_FACTOR }
    }

    /// The number of the same part on the side before.
    fn twin(&self, at: usize) -> Option<usize> {
        let number = self.numbers[at];
        self.numbers.iter().position(|other| other.part == number.part && other.side < number.side)
    }
}

/// Multiplies a part of an engine's time by a factor, within the range of its number.
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
    /// Pairs of numbers with correlated estimates, which the runs cannot distinguish.
    pub(super) fn correlated(&self) -> Vec<(usize, usize)> {
        let correlation =
            |a: usize, b: usize| self.covariance[a][b] / (self.covariance[a][a] * self.covariance[b][b]).sqrt();
        let pairs = (0..self.factors.len()).flat_map(|a| (0..a).map(move |b| (b, a)));
        pairs.filter(|(a, b)| correlation(*a, *b).abs() > INDISTINGUISHABLE).collect()
    }
}
