//! The sum of squares to minimise, and the linear solver of its steps.

/// Usual error of the logarithm of a measured time: the residual of the best fits of public tables.
pub(super) const USUAL_ERROR: f64 = 0.35;
/// Errors beyond this number of standard deviations count by their absolute value.
const ROBUST_FROM: f64 = 1.5;

/// A sum of squares, linearised at a point.
pub(super) struct Squares {
    pub(super) cost: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) matrix: Vec<Vec<f64>>,
}

impl Squares {
    pub(super) fn new(count: usize) -> Self {
        Self { cost: 0.0, gradient: vec![0.0; count], matrix: vec![vec![0.0; count]; count] }
    }

    /// Adds an error in standard deviations, with its derivatives.
    pub(super) fn add(&mut self, error: f64, slopes: &[f64]) {
        self.add_weighted(error * error / 2.0, 1.0, error, slopes);
    }

    /// The same, by its absolute value where it is large (Huber); slopes are divided by `unit`, the standard deviation.
    pub(super) fn add_robust(&mut self, error: f64, slopes: &[f64], unit: f64, share: f64) {
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
pub(super) fn cholesky(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
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
