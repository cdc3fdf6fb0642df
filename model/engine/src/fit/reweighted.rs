//! Sums of a few terms that fit measured times: least squares, reweighted so that an error counts by its size.

use super::non_negative::non_negative;

/// Fits after the first one, each with the weights that the errors of the last one give.
const REWEIGHTINGS: usize = 30;
/// A smaller relative error counts by its square, a larger one by its size.
const USUAL_ERROR: f64 = 0.1;
/// Least time that is predicted, seconds.
const LEAST_SECONDS: f64 = 1e-3;

/// What a run's time is a sum of, each to be multiplied by a number, and its measured time.
#[derive(Clone, Copy)]
pub(super) struct Row<const TERMS: usize> {
    pub(super) terms: [f64; TERMS],
    pub(super) measured: f64,
}

impl<const TERMS: usize> Row<TERMS> {
    pub(super) fn seconds(&self, numbers: &[f64; TERMS]) -> f64 {
        self.terms.iter().zip(numbers).map(|(term, number)| term * number).sum::<f64>().max(LEAST_SECONDS)
    }
}

/// The numbers of the used terms that make the sum of |ln(predicted ÷ measured)| small; those of the others are 0.
pub(super) fn smallest<const TERMS: usize>(rows: &[Row<TERMS>], is_used: impl Fn(usize) -> bool) -> [f64; TERMS] {
    let kept: [f64; TERMS] = std::array::from_fn(|term| if is_used(term) { 1.0 } else { 0.0 });
    let mut weights: Vec<f64> = rows.iter().map(|row| 1.0 / row.measured).collect();
    let mut found = [0.0; TERMS];
    for _ in 0..=REWEIGHTINGS {
        let weighted: Vec<[f64; TERMS]> = rows
            .iter()
            .zip(&weights)
            .map(|(row, weight)| std::array::from_fn(|term| row.terms[term] * kept[term] * weight))
            .collect();
        let right: Vec<f64> = rows.iter().zip(&weights).map(|(row, weight)| row.measured * weight).collect();
        found = non_negative(&weighted, &right);
        for (row, weight) in rows.iter().zip(&mut weights) {
            let predicted = row.seconds(&found);
            let error = (predicted / row.measured).ln().abs().max(USUAL_ERROR);
            *weight = 1.0 / (predicted * row.measured * error).sqrt();
        }
    }
    found
}
