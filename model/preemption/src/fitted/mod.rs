//! Estimates of the normalised IPC of unmeasured pairs, fitted to measured ones.
//!
//! Cross-validation compares four estimators, by the error of the normalised IPC and of the sum of both:
//!
//! - the mean of all pairs
//! - the mean of the classes of both
//! - ln n(i | j) = −(sᵢ + aⱼ): how sensitive a kernel is and how aggressive the other one
//! - the same around the mean of the classes of both
//!
//! The estimator with the least error is used, but none with more error than the mean in either. For the training jobs of Gavel on
//! three GPUs, with network families as classes, it is the last one, with three to four fifths of the error of the next.
//!
//! A kernel that was measured with no other one is estimated by its class. Classes are of any type: those of a study, or families.
//!
//! - `estimators`: the estimators, fitted to some pairs
//! - `effects`: least squares of the last two
//! - `cross_validation`: the error of each estimator at left-out pairs
//! - `apply`: measured pairs and estimates become part of a study

mod apply;
mod cross_validation;
mod effects;
mod estimators;

use std::collections::BTreeMap;

use thiserror::Error;

use self::estimators::{Estimators, Measured, measured};
use super::study::{Fallback, Pair};
use crossover_measured::kernels::{Class, ClassMean};

/// Fewest measured pairs for a fit.
pub const LEAST_PAIRS: usize = 2;
/// Most kernels of a fit: its time grows with their cube.
pub const MOST_FITTED_KERNELS: usize = 500;
/// Largest estimate: measurements above 1 are mostly noise.
pub const LARGEST_ESTIMATE: f64 = 1.2;
/// Smallest estimate.
const SMALLEST_ESTIMATE: f64 = 0.001;
/// Largest class mean in a study.
const MOST_OF_CLASSES: f64 = 1.0;

/// Estimator of unmeasured pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Estimator {
    /// The mean of all pairs.
    Mean,
    /// The mean of the classes of both.
    Classes,
    /// How sensitive one kernel is and how aggressive the other.
    Kernels,
    /// The same around the mean of the classes of both.
    KernelsInClasses,
}

impl Estimator {
    /// All, the simplest first.
    pub const ALL: [Self; 4] = [Self::Mean, Self::Classes, Self::Kernels, Self::KernelsInClasses];

    /// "mean of all pairs".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Mean => "mean of all pairs",
            Self::Classes => "class means",
            Self::Kernels => "kernel effects",
            Self::KernelsInClasses => "kernel effects within classes",
        }
    }
}

/// Cross-validation error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Error {
    /// Root mean square error of a normalised IPC.
    pub normalised: f64,
    /// Root mean square error of the sum of a pair.
    pub sum: f64,
}

/// Sensitivity or aggressiveness of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// Name of the kernel.
    pub kernel: String,
    /// In logarithms: 0.1 is about a tenth of the speed.
    pub value: f64,
    /// Standard error; none if there are too few pairs for it.
    pub standard_error: Option<f64>,
}

/// Estimators fitted to measured pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit<L> {
    /// The estimator that is used.
    pub by: Estimator,
    /// Means of classes, in their order; only those that were measured.
    pub classes: Vec<ClassMean<L>>,
    /// s of ln n(i | j) = −(sᵢ + aⱼ), by name: how much a kernel suffers.
    pub sensitivity: Vec<Effect>,
    /// a: how much those beside it suffer. The mean of all is that of s.
    pub aggressiveness: Vec<Effect>,
    /// Error of the estimator that is used.
    pub error: Error,
    /// Error of the mean of all pairs.
    pub error_of_mean: Error,
    /// Error of the class means; none if no class is known.
    pub error_of_classes: Option<Error>,
    /// Error of the kernel effects.
    pub error_of_kernels: Error,
    /// Error of the kernel effects within classes; none without a known class, or with too many.
    pub error_of_kernels_in_classes: Option<Error>,
    /// Pairs that were measured, those of the same two kernels once.
    pub measured: usize,
    /// Share of them with a sum above 1: more throughput than one after the other.
    pub share_above_one: f64,
    /// Mean sum of normalised speeds.
    pub mean_sum: f64,
    names: BTreeMap<String, usize>,
    learned: Estimators<L>,
    /// Half of an interval, in the order of [`Estimator::ALL`].
    halves: [f64; 4],
}

/// Estimated normalised IPC of an unmeasured pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairEstimate {
    /// Normalised speed of the first beside the second, above 0 and at most [`LARGEST_ESTIMATE`].
    pub first_normalised: f64,
    /// And of the second.
    pub second_normalised: f64,
    /// 90 % interval of the first.
    pub first_interval: [f64; 2],
    /// 90 % interval of the second.
    pub second_interval: [f64; 2],
    /// Its estimator; a simpler one for kernels without measured pairs.
    pub by: Estimator,
}

/// Why no fit is possible, as a sentence for the user.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FitError {
    /// Too few pairs.
    #[error("{0} measured pairs of different kernels; expected at least {LEAST_PAIRS} to estimate others")]
    TooFew(usize),
    /// More kernels than a fit can have.
    #[error(
        "{0} kernels in measured pairs; at most {MOST_FITTED_KERNELS} can be fitted together: remove pairs of kernels that you do not \
         need"
    )]
    TooMany(usize),
    /// A number that cannot be.
    #[error("normalised IPC of {first:?} and {second:?} together: {value}; expected a number above 0")]
    Impossible {
        /// One kernel.
        first: String,
        /// The other one.
        second: String,
        /// As given.
        value: f64,
    },
}

impl<L: Copy + Ord> Fit<L> {
    /// From measured pairs and the classes of kernels, as far as they are known. Their order does not matter. Several
    /// measurements of one pair count as their mean, and so do both numbers of a kernel beside itself.
    ///
    /// # Errors
    /// [`FitError`]: too few pairs, too many kernels, or a speed that is not above 0.
    pub fn of(pairs: &[Pair], classes: &BTreeMap<String, L>) -> Result<Self, FitError> {
        let (names, known) = names(pairs, classes);
        if names.len() > MOST_FITTED_KERNELS {
            return Err(FitError::TooMany(names.len()));
        }
        for pair in pairs {
            let speeds = [pair.first_normalised, pair.second_normalised];
            if let Some(value) = speeds.into_iter().find(|value| !(value.is_finite() && *value > 0.0)) {
                let (first, second) = (pair.first.clone(), pair.second.clone());
                return Err(FitError::Impossible { first, second, value });
            }
        }
        let measured = measured(pairs, &names);
        if measured.len() < LEAST_PAIRS {
            return Err(FitError::TooFew(measured.len()));
        }
        let all: Vec<&Measured> = measured.iter().collect();
        let learned = Estimators::from(&all, &known);
        let (errors, halves) = cross_validation::errors(&measured, &known);
        let by = choose(&errors);
        let [error_of_mean, of_classes, error_of_kernels, in_classes] = errors;
        let has_classes = !learned.classes.is_empty();
        let [sensitivity, aggressiveness] = learned.effects(&names, &all);
        let sums = || measured.iter().map(|pair| pair.normalised[0] + pair.normalised[1]);
        Ok(Self {
            by,
            classes: learned.classes.clone(),
            sensitivity,
            aggressiveness,
            error: errors[by as usize],
            error_of_mean,
            error_of_classes: has_classes.then_some(of_classes),
            error_of_kernels,
            error_of_kernels_in_classes: learned.has_kernels_in_classes().then_some(in_classes),
            measured: measured.len(),
            share_above_one: sums().filter(|sum| *sum > 1.0).count() as f64 / measured.len() as f64,
            mean_sum: sums().sum::<f64>() / measured.len() as f64,
            names,
            learned,
            halves,
        })
    }

    /// Estimate for two kernels, whether or not they were measured together; none for a kernel with neither a measured pair nor a
    /// class.
    #[must_use]
    pub fn estimate(&self, first: &str, second: &str) -> Option<PairEstimate> {
        let [first, second] = [*self.names.get(first)?, *self.names.get(second)?];
        let (first_normalised, by) = self.learned.estimate(self.by, first, second);
        let (second_normalised, of_second) = self.learned.estimate(self.by, second, first);
        let around = |value: f64, by: Estimator| {
            let half = self.halves[by as usize];
            [within(value - half), within(value + half)]
        };
        let first_interval = around(first_normalised, by);
        let second_interval = around(second_normalised, of_second);
        Some(PairEstimate {
            first_normalised,
            second_normalised,
            first_interval,
            second_interval,
            by: by.min(of_second),
        })
    }

    /// Warnings, as whole sentences.
    #[must_use]
    pub fn cautions(&self) -> Vec<String> {
        let mut cautions = Vec::new();
        if self.by == Estimator::Mean {
            cautions.push(format!(
                "each unmeasured pair is estimated as the mean of all measured pairs, with an error of {:.3}: kernels and classes do not \
                 reduce the error in cross-validation",
                self.error.normalised
            ));
        }
        if self.measured < cross_validation::ENOUGH_PAIRS {
            cautions.push(format!(
                "{} measured pairs are too few for 90 % intervals: intervals are as wide as the largest error",
                self.measured
            ));
        }
        cautions
    }
}

/// The place of each name of pairs and classes, and the class of each place.
fn names<L: Copy>(pairs: &[Pair], classes: &BTreeMap<String, L>) -> (BTreeMap<String, usize>, Vec<Option<L>>) {
    let in_pairs = pairs.iter().flat_map(|pair| [&pair.first, &pair.second]);
    let mut names: BTreeMap<String, usize> = in_pairs.chain(classes.keys()).map(|name| (name.clone(), 0)).collect();
    for (place, name) in names.values_mut().enumerate() {
        *name = place;
    }
    let known = names.keys().map(|name| classes.get(name).copied()).collect();
    (names, known)
}

impl Fit<Class> {
    /// The class means for a study, within its ranges; unmeasured classes keep their values.
    #[must_use]
    pub fn fallback(&self, before: &Fallback) -> Fallback {
        let mut fallback = before.clone();
        for ClassMean { own, other, normalised, .. } in &self.classes {
            let value = match (own, other) {
                (Class::Memory, Class::Memory) => &mut fallback.memory_memory,
                (Class::Memory, Class::Compute) => &mut fallback.memory_compute,
                (Class::Compute, Class::Memory) => &mut fallback.compute_memory,
                (Class::Compute, Class::Compute) => &mut fallback.compute_compute,
            };
            *value = normalised.clamp(SMALLEST_ESTIMATE, MOST_OF_CLASSES);
        }
        fallback
    }
}

/// The estimator with the least error, but none with more error than the mean.
fn choose(errors: &[Error; 4]) -> Estimator {
    let [mean, ..] = errors;
    let is_better = |by: &Estimator| {
        let error = errors[*by as usize];
        error.normalised < mean.normalised && error.sum <= mean.sum
    };
    let better = Estimator::ALL.into_iter().filter(is_better);
    better
        .min_by(|a, b| errors[*a as usize].normalised.total_cmp(&errors[*b as usize].normalised))
        .unwrap_or(Estimator::Mean)
}

fn within(normalised: f64) -> f64 {
    normalised.clamp(SMALLEST_ESTIMATE, LARGEST_ESTIMATE)
}
