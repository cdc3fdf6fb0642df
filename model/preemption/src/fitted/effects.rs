//! Effects of kernels on normalised IPC: ridge regression.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// λ: each effect is shrunk as if a third of a further measurement had shown none. A kernel with few measured pairs stays near the
/// mean, one with twenty is hardly affected. On 15 to 120 pairs of each of Gavel's three GPUs, drawn forty times, the error was at
/// most a tenth above that of the best of 0.1, 0.3, 1 and 2.
pub(super) const RIDGE: f64 = 0.3;

/// A normalised speed that was measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Own kernel.
    pub(super) own: usize,
    /// Other kernel.
    pub(super) other: usize,
    /// The classes of both, by a number.
    pub(super) classes: Option<usize>,
    /// Its logarithm.
    pub(super) log: f64,
}

/// ln n(i | j) = m + k − s − a: mean (m), classes of both (k), sensitivity of i (s) and aggressiveness of j (a). The fit minimises the
/// squared residuals plus λ times the squares of all k, s and a, so s and a each have a sum of 0 and the solution is unique.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Effects {
    /// m, −s of every kernel, −a of every kernel, k.
    values: DVector<f64>,
    kernels: usize,
}

impl Effects {
    /// Of at least one row. `None` if the matrix is singular to rounding.
    pub(super) fn fit(rows: &[Row], kernels: usize, classes: usize) -> Option<Self> {
        let (matrix, right) = normal(rows, kernels, classes);
        let values = factor(matrix)?.solve(&right);
        values.iter().all(|value| value.is_finite()).then_some(Self { values, kernels })
    }

    /// ln n of a kernel beside another one.
    pub(super) fn log(&self, own: usize, other: usize, classes: Option<usize>) -> f64 {
        columns(own, other, classes, self.kernels).map(|column| self.values[column]).sum()
    }

    /// Sensitivity and aggressiveness of a kernel, each with half of the mean, so that ln n = −(s + a) without classes.
    pub(super) fn of_kernel(&self, kernel: usize) -> [f64; 2] {
        self.places(kernel).map(|place| -self.values[place] - self.values[0] / 2.0)
    }

    /// The standard errors of both for each kernel: roots of σ²·(XᵀX + Λ)⁻¹, σ² from the squares that are left and the degrees of
    /// freedom that the ridge leaves (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, Springer, 2009,
    /// section 3.4.1). `None` without degrees of freedom.
    pub(super) fn errors(&self, rows: &[Row], classes: usize) -> Option<Vec<[f64; 2]>> {
        let (matrix, _) = normal(rows, self.kernels, classes);
        let inverse = factor(matrix)?.inverse();
        // The trace of X·(XᵀX + Λ)⁻¹·Xᵀ.
        let effective =
            self.values.len() as f64 - RIDGE * (1..self.values.len()).map(|at| inverse[(at, at)]).sum::<f64>();
        let freedom = rows.len() as f64 - effective;
        let residual: f64 = rows.iter().map(|row| (row.log - self.log(row.own, row.other, row.classes)).powi(2)).sum();
        let variance = (freedom > 1e-9).then(|| residual / freedom)?;
        let error = |place: usize| {
            let of_both = inverse[(place, place)] + inverse[(place, 0)] + inverse[(0, 0)] / 4.0;
            (variance * of_both).max(0.0).sqrt()
        };
        Some((0..self.kernels).map(|kernel| self.places(kernel).map(error)).collect())
    }

    fn places(&self, kernel: usize) -> [usize; 2] {
        [1 + kernel, 1 + self.kernels + kernel]
    }
}

/// Columns of the matrix in which a row has ones.
fn columns(own: usize, other: usize, classes: Option<usize>, kernels: usize) -> impl Iterator<Item = usize> + Clone {
    [0, 1 + own, 1 + kernels + other].into_iter().chain(classes.map(|classes| 1 + 2 * kernels + classes))
}

/// The left side, `XᵀX` + Λ, and the right side, Xᵀy: m is free of the ridge.
fn normal(rows: &[Row], kernels: usize, classes: usize) -> (DMatrix<f64>, DVector<f64>) {
    let count = 1 + 2 * kernels + classes;
    let mut matrix = DMatrix::from_diagonal_element(count, count, RIDGE);
    matrix[(0, 0)] = 0.0;
    let mut right = DVector::zeros(count);
    for row in rows {
        let columns = columns(row.own, row.other, row.classes, kernels);
        for column in columns.clone() {
            right[column] += row.log;
            for other in columns.clone() {
                matrix[(column, other)] += 1.0;
            }
        }
    }
    (matrix, right)
}

fn factor(matrix: DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
    Cholesky::new(matrix)
}
