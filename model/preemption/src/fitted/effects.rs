//! What each kernel adds to how fast kernels run together: least squares with a ridge.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// λ: everything that is told apart is taken as if a third of a measurement more had shown nothing out of the ordinary. So a
/// kernel that was measured with few others stays near the mean, and one that was measured with twenty hardly notices. On 15 to
/// 120 pairs of each of Gavel's three GPUs, drawn forty times, the error was never more than a tenth above that of the best of 0.1,
/// 0.3, 1 and 2.
pub(super) const RIDGE: f64 = 0.3;

/// A normalised speed that was measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Whose.
    pub(super) own: usize,
    /// Beside which.
    pub(super) other: usize,
    /// The classes of both, by a number.
    pub(super) classes: Option<usize>,
    /// Its logarithm.
    pub(super) log: f64,
}

/// ln n(i | j) = m + k − s − a, of what is usual (m), the classes of both (k), how sensitive i is (s) and how aggressive j is (a).
/// The squares of what is left and λ times those of all k, s and a are as small as they can be: so s and a have a sum of 0 each,
/// and which of them has what is no matter of choice.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Effects {
    /// m, −s of every kernel, −a of every kernel, k.
    values: DVector<f64>,
    kernels: usize,
}

impl Effects {
    /// Of at least one row. `None` if the numbers cannot be told apart by rounding alone.
    pub(super) fn fit(rows: &[Row], kernels: usize, classes: usize) -> Option<Self> {
        let (matrix, right) = normal(rows, kernels, classes);
        let values = factor(matrix)?.solve(&right);
        values.iter().all(|value| value.is_finite()).then_some(Self { values, kernels })
    }

    /// ln n of a kernel beside another one.
    pub(super) fn log(&self, own: usize, other: usize, classes: Option<usize>) -> f64 {
        columns(own, other, classes, self.kernels).map(|column| self.values[column]).sum()
    }

    /// Sensitivity and aggressiveness of a kernel with half of what is usual each, so that ln n = −(s + a) where no classes are
    /// told apart.
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
        let told = self.values.len() as f64 - RIDGE * (1..self.values.len()).map(|at| inverse[(at, at)]).sum::<f64>();
        let freedom = rows.len() as f64 - told;
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

/// Where a speed has ones in the matrix.
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
