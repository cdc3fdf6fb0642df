//! Non-negative least squares.

use super::squares::cholesky;

/// The numbers, none negative, whose sums of the rows are nearest to the right side in the sum of squares (Lawson and Hanson,
/// Solving Least Squares Problems, 1974, algorithm NNLS).
pub(super) fn non_negative<const COLUMNS: usize>(rows: &[[f64; COLUMNS]], right: &[f64]) -> [f64; COLUMNS] {
    /// More than the steps of any problem of this size.
    const STEPS: usize = 100;
    /// Relative to the right side.
    const TOLERANCE: f64 = 1e-11;
    // Columns of length 1, so that no unit matters.
    let product = |one: usize, other: usize| rows.iter().map(|row| row[one] * row[other]).sum::<f64>();
    let lengths: [f64; COLUMNS] = std::array::from_fn(|column| product(column, column).sqrt());
    let scaled = |value: f64, length: f64| if length > 0.0 { value / length } else { 0.0 };
    let products: [[f64; COLUMNS]; COLUMNS] = std::array::from_fn(|one| {
        std::array::from_fn(|other| scaled(product(one, other), lengths[one] * lengths[other]))
    });
    let targets: [f64; COLUMNS] = std::array::from_fn(|column| {
        scaled(rows.iter().zip(right).map(|(row, value)| row[column] * value).sum::<f64>(), lengths[column])
    });
    let least = TOLERANCE * right.iter().map(|value| value * value).sum::<f64>().sqrt();
    let mut found = [0.0; COLUMNS];
    let mut is_free = [false; COLUMNS];
    let mut is_excluded = lengths.map(|length| length <= 0.0);
    for _ in 0..STEPS {
        let slope = |column: usize| {
            let sum: f64 = products[column].iter().zip(&found).map(|(product, number)| product * number).sum();
            targets[column] - sum
        };
        let held = (0..COLUMNS).filter(|column| !is_free[*column] && !is_excluded[*column]);
        let steepest = held.map(|column| (column, slope(column))).max_by(|one, other| one.1.total_cmp(&other.1));
        let Some((entering, _)) = steepest.filter(|(_, slope)| *slope > least) else { break };
        is_free[entering] = true;
        loop {
            let free: Vec<usize> = (0..COLUMNS).filter(|column| is_free[*column]).collect();
            let matrix: Vec<Vec<f64>> =
                free.iter().map(|row| free.iter().map(|column| products[*row][*column]).collect()).collect();
            let side: Vec<f64> = free.iter().map(|column| targets[*column]).collect();
            let Some(solved) = cholesky(&matrix, &side) else {
                // It is a sum of the other columns.
                (is_free[entering], is_excluded[entering]) = (false, true);
                break;
            };
            let step = |(column, value): (&usize, &f64)| {
                let now = found[*column];
                if now > 0.0 { now / (now - value) } else { 0.0 }
            };
            let negative = free.iter().zip(&solved).filter(|(_, value)| **value <= 0.0);
            let step = negative.map(step).min_by(f64::total_cmp);
            for (column, value) in free.iter().zip(&solved) {
                found[*column] += step.unwrap_or(1.0) * (value - found[*column]);
                if *value <= 0.0 && found[*column] <= least {
                    (found[*column], is_free[*column]) = (0.0, false);
                }
            }
            if step.is_none() {
                break;
            }
        }
    }
    std::array::from_fn(|column| scaled(found[column], lengths[column]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::mixed::Mixed;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} instead of {expected}");
    }

    #[test]
    fn a_system_solved_by_hand_keeps_a_negative_number_at_zero() {
        let rows = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        // The sums of squares are (x − 1)² + (y + 1)² + (x + y)²: with y = 0 the least is at x = 1/2.
        let found = non_negative(&rows, &[1.0, -1.0, 0.0]);
        near(found[0], 0.5, 1e-12);
        assert_eq!(found[1], 0.0);
        // An exact solution without negative numbers is it.
        let found = non_negative(&rows, &[1.0, 2.0, 3.0]);
        near(found[0], 1.0, 1e-12);
        near(found[1], 2.0, 1e-12);
        assert_eq!(non_negative(&rows, &[-1.0, -1.0, -2.0]), [0.0, 0.0]);
        // A column of zeros, and one that equals another, have no number of their own.
        let found = non_negative(&[[1.0, 0.0, 2.0], [1.0, 0.0, 2.0]], &[4.0, 4.0]);
        near(found[0] + 2.0 * found[2], 4.0, 1e-9);
        assert_eq!(found[1], 0.0);
    }

    /// The law of the least under bounds (Karush, Kuhn and Tucker): no slope at numbers above 0, and none downwards at 0.
    #[test]
    fn no_change_of_a_number_lowers_the_squares() {
        let mut mixed = Mixed(7);
        for case in 0..50 {
            let rows: Vec<[f64; 6]> = (0..12).map(|_| std::array::from_fn(|_| mixed.draw())).collect();
            let right: Vec<f64> = rows.iter().map(|row| row[0] - row[1] + 0.5 * row[2] + 0.3 * mixed.draw()).collect();
            let found = non_negative(&rows, &right);
            let rest: Vec<f64> = rows
                .iter()
                .zip(&right)
                .map(|(row, value)| value - row.iter().zip(&found).map(|(term, number)| term * number).sum::<f64>())
                .collect();
            assert!(found.contains(&0.0), "no bound acts in case {case}");
            for (column, number) in found.iter().enumerate() {
                let slope: f64 = rows.iter().zip(&rest).map(|(row, rest)| row[column] * rest).sum();
                assert!(*number >= 0.0 && slope < 1e-9, "case {case}, column {column}: {slope}");
                assert!(*number == 0.0 || slope.abs() < 1e-9, "case {case}, column {column}: {slope}");
            }
        }
    }
}
