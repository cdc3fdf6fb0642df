//! Leave-one-out cross-validation: each query is predicted by a fit to all others.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::Problem;
use super::squares::USUAL_ERROR;
use super::{LEAST_FOR_ERROR, Pooling, Run};
use crate::predict::{Prediction, Range, likelihood_above, of_work};
use crate::profile::Engines;
use crate::truth::{means, median};

/// Coverage of a 90 % interval, in tenths.
const INSIDE_TENTHS: usize = 9;

/// Leave-one-out predictions of every query with one pooling.
pub(super) struct CrossValidation<'r> {
    pub(super) pooling: Pooling,
    /// Every run.
    pub(super) left_out: Vec<Prediction>,
    /// Error of the speedup of each query, the mean of its runs.
    errors: BTreeMap<&'r str, f64>,
}

/// Cross-validations with every pooling, the weakest first.
pub(super) struct CrossValidations<'r>(Vec<CrossValidation<'r>>);

impl<'r> CrossValidations<'r> {
    /// Tries every pooling; only the weakest if too few queries determine speedups.
    pub(super) fn new(problem: &Problem<'r>, start: &Engines) -> Self {
        let tried = if problem.determines_speedups { &Pooling::ALL[..] } else { &[Pooling::None] };
        Self(tried.iter().map(|pooling| CrossValidation::new(problem, start, *pooling)).collect())
    }

    /// The pooling with the smallest median error of these queries' speedups.
    pub(super) fn best(&self, is_used: impl Fn(&str) -> bool) -> &CrossValidation<'r> {
        let median_error = |validation: &CrossValidation<'_>| {
            let errors = validation.errors.iter().filter(|(query, _)| is_used(query));
            median(errors.map(|(_, error)| *error).collect()).unwrap_or(0.0)
        };
        let [weakest, others @ ..] = &self.0[..] else { unreachable!("one is tried at least") };
        others.iter().fold(weakest, |best, other| if median_error(other) < median_error(best) { other } else { best })
    }
}

impl<'r> CrossValidation<'r> {
    fn new(problem: &Problem<'r>, start: &Engines, pooling: Pooling) -> Self {
        let runs = problem.runs;
        let mut without: BTreeMap<&str, Engines> = BTreeMap::new();
        for run in runs {
            without.entry(&run.query).or_insert_with(|| {
                problem.engines(start, &problem.solve(pooling, |other| other.query != run.query).factors)
            });
        }
        let predicted = |run: &Run| {
            of_work(&run.work, run.implied_exchanges, &without[run.query.as_str()].moved_to(run.machines.clone()))
        };
        let left_out: Vec<Prediction> = runs.iter().map(predicted).collect();
        let [.., speedups] = errors(&left_out, runs);
        Self { pooling, left_out, errors: means(speedups.into_iter()) }
    }
}

/// Number of queries.
fn queries(errors: &Errors<'_>) -> usize {
    errors.iter().map(|(query, _)| *query).collect::<BTreeSet<&str>>().len()
}

/// Sets the anchoring factor, the regression of GPU errors on CPU errors, and the error factor that remains. Returns the errors that
/// remain.
pub(super) fn anchor<'r>(engines: &mut Engines, left_out: &[Prediction], runs: &'r [Run]) -> Errors<'r> {
    let pairs = left_out.iter().zip(runs).filter_map(|(found, run)| {
        let (cpu, gpu) = ((run.cpu_seconds? / found.cpu.value).ln(), (run.gpu_seconds? / found.gpu.value).ln());
        (cpu.is_finite() && gpu.is_finite()).then_some((run.query.as_str(), cpu, gpu))
    });
    let pairs: Vec<(&str, f64, f64)> = pairs.collect();
    let products =
        |(together, alone): (f64, f64), (_, cpu, gpu): &(&str, f64, f64)| (together + cpu * gpu, alone + cpu * cpu);
    let (together, alone) = pairs.iter().fold((0.0, 0.0), products);
    let anchoring_factor = if alone > 0.0 { (together / alone).clamp(0.0, 1.0) } else { 0.0 };
    let errors: Errors<'r> =
        pairs.iter().map(|(query, cpu, gpu)| (*query, (gpu - anchoring_factor * cpu).abs())).collect();
    if let Some(within) = within(errors.clone()) {
        (engines.anchoring_factor, engines.anchored_error_factor_90) = (anchoring_factor, within);
    }
    errors
}

/// Errors of left-out runs, each with its query.
pub(super) type Errors<'r> = Vec<(&'r str, f64)>;

/// Errors of left-out runs: of CPU times, GPU times and speedups.
pub(super) fn errors<'r>(left_out: &[Prediction], runs: &'r [Run]) -> [Errors<'r>; 3] {
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

/// The predictions of left-out runs with intervals from the errors of the other queries, which tests such intervals.
pub(super) fn with_ranges(left_out: Vec<Prediction>, runs: &[Run], errors: &[Errors<'_>; 3]) -> Vec<Prediction> {
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
            likelihood: (speedup > 1.0).then(|| likelihood_above(found.speedup.value, speedup)),
            ..found
        }
    });
    ranged.collect()
}

/// Spread of the errors of left-out times ÷ the spread that the fit assumes, at least 1.
pub(super) fn spread([cpu, gpu, _]: &[Errors<'_>; 3]) -> f64 {
    /// Median of the absolute values of a standard normal number.
    const MEDIAN: f64 = 0.674_489_750_196_081_7;
    // Both times and their ratio count, so each time counts one and a half times.
    let taken = USUAL_ERROR * (2.0_f64 / 3.0).sqrt();
    let errors = cpu.iter().chain(gpu).map(|(_, error)| *error).collect();
    median(errors).map_or(1.0, |median| (median / MEDIAN / taken).max(1.0))
}

/// Error of a prediction, as a logarithm; the largest number for a predicted time of 0.
fn error(found: f64, measured: f64) -> f64 {
    let error = (found / measured).ln().abs();
    if error.is_finite() { error } else { f64::MAX }
}

/// The error factor (90 %) of left-out errors; `None` with too few queries.
pub(super) fn within(errors: Errors<'_>) -> Option<f64> {
    let is_enough = queries(&errors) >= LEAST_FOR_ERROR;
    let errors = errors.into_iter().map(|(_, error)| error).collect();
    if is_enough { left_out_quantile(errors).map(|error| error.exp().clamp(1.0, 1000.0)) } else { None }
}

/// Of n left-out errors the ⌈0.9·(n + 1)⌉-th smallest: the quantile of the jackknife; `None` without any.
pub(crate) fn left_out_quantile(mut errors: Vec<f64>) -> Option<f64> {
    errors.sort_by(f64::total_cmp);
    let rank = ((errors.len() + 1) * INSIDE_TENTHS).div_ceil(10).min(errors.len());
    errors.get(rank.checked_sub(1)?).copied()
}

/// Factor within which 90 % of further values lie around the predicted ones: the quantile of these errors of what was left out, as
/// logarithms with either sign; 1 without errors. A few are far off, so that more than a tenth would be outside of what the mean square
/// gives.
#[must_use]
pub fn left_out_error_factor(errors: impl IntoIterator<Item = f64>) -> f64 {
    let errors = errors.into_iter().map(f64::abs).collect();
    left_out_quantile(errors).map_or(1.0, |error| error.exp().clamp(1.0, 1000.0))
}
