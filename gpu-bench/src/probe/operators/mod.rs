//! The operators of the library: their computations, data and true values.
//!
//! Operands are closed formulas of their place, so that `true_values.py` makes the same ones. All work runs on the threads of
//! the rayon pool it is called in, and its output is the same on any number of them, up to the operator's tolerance.

pub(crate) mod convolution;
pub(crate) mod dense;
mod fourier;
pub(crate) mod random_access;
pub(crate) mod sparse;
pub(crate) mod tables;
pub(crate) mod triad;
pub(crate) mod trigonometry;

use rayon::prelude::*;

use crate::failure::Failure;

/// An operator of the library.
#[derive(Debug, Clone, Copy)]
pub struct Operator {
    /// Its key in [`crossover_measured::probe::LIBRARY`].
    pub key: &'static str,
    /// Its output at scale 1; `true_values.py` computes it.
    pub true_value: f64,
    /// Relative error up to which an output is correct.
    pub tolerance: f64,
    /// Makes its data, on the threads of the pool.
    pub prepare: fn() -> Box<dyn Prepared>,
}

/// An operator with its data, ready to be executed again and again.
pub trait Prepared: Send {
    /// Does all of the work, with an operand multiplied by `scale`, which is about 1.
    ///
    /// # Errors
    /// What a GPU reports.
    fn execute(&mut self, scale: f64) -> Result<(), Failure>;

    /// The output of the last execution, one number in which every part of the result counts.
    ///
    /// # Errors
    /// What a GPU reports.
    fn value(&mut self) -> Result<f64, Failure>;
}

/// All operators, in the order of the library.
pub const OPERATORS: [Operator; 12] = [
    dense::DGEMM,
    dense::SGEMM,
    sparse::SPMV,
    fourier::FFT,
    convolution::CONVOLUTION,
    trigonometry::TRIGONOMETRY,
    triad::TRIAD,
    random_access::RANDOM_ACCESS,
    tables::FILTER,
    tables::HASH_JOIN,
    tables::AGGREGATE,
    tables::SORT,
];

/// The operator with a key.
#[must_use]
pub fn operator(key: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|operator| operator.key == key)
}

/// Most of what sums of double precision are off.
const DOUBLE: f64 = 1e-12;
/// Most of what sums of single precision are off.
pub(super) const SINGLE: f64 = 1e-5;

/// The operand at a place: a fraction k/1024 below 1, which single precision holds exactly.
pub(super) fn fraction(place: usize, multiplier: usize) -> f64 {
    (place * multiplier % 1021) as f64 / 1024.0
}

/// As [`fraction`], in single precision.
#[expect(clippy::cast_possible_truncation, reason = "k/1024 is exact")]
pub(super) fn single_fraction(place: usize, multiplier: usize) -> f32 {
    fraction(place, multiplier) as f32
}

/// As [`fraction`], of all places below `count`.
fn fractions(count: usize, multiplier: usize) -> Vec<f64> {
    (0..count).into_par_iter().map(|place| fraction(place, multiplier)).collect()
}

/// As [`fractions`], in single precision.
pub(super) fn single_fractions(count: usize, multiplier: usize) -> Vec<f32> {
    (0..count).into_par_iter().map(|place| single_fraction(place, multiplier)).collect()
}

/// Values with weights of their own; more repeat them.
const WEIGHTS: usize = 64;

/// Values that one task adds up.
const SUMMED: usize = WEIGHTS * 1024;

/// Sum of values, value i weighted by 1 + (i mod 64)/64; the same on any number of threads.
pub(super) fn weighted<T: Copy + Into<f64> + Sync>(values: &[T]) -> f64 {
    let sums: Vec<f64> = values.par_chunks(SUMMED).map(weighted_part).collect();
    sums.iter().sum()
}

fn weighted_part<T: Copy + Into<f64>>(values: &[T]) -> f64 {
    let mut sums = [0.0; WEIGHTS];
    for values in values.chunks(WEIGHTS) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += (*value).into();
        }
    }
    sums.iter().enumerate().map(|(lane, sum)| sum * (1.0 + lane as f64 / WEIGHTS as f64)).sum()
}

/// How many of `most` rows are taken at a scale: all of them at about 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 or 1 times the rows")]
fn rows_at(scale: f64, most: usize) -> usize {
    most * scale.round().clamp(0.0, 1.0) as usize
}

/// A whole number that a double holds exactly: the lower 53 bits.
fn exactly(number: u64) -> f64 {
    (number & ((1 << f64::MANTISSA_DIGITS) - 1)) as f64
}
