//! Baselines for a network: the mean of the training set, and ridge regression.

use super::examples::Examples;

/// Candidate strengths; the one with the smallest squared error on the validation set is used.
const STRENGTHS: [f64; 9] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0];

/// Linear regression for each device, regularised by the squares of its weights (Hoerl and Kennard 1970).
pub(super) struct Ridge {
    /// Mean input, weights and mean value of each device.
    of_devices: Vec<Line>,
    /// The selected strength per run.
    pub(super) strength: f64,
}

struct Line {
    means: Vec<f64>,
    weights: Vec<f64>,
    value: f64,
}

impl Ridge {
    pub(super) fn new(training: &Examples, validation: &Examples, devices: usize) -> Self {
        let sums: Vec<Sums> = (0..devices).map(|device| Sums::of(training, device)).collect();
        let tried = STRENGTHS.iter().map(|strength| {
            let of_devices: Vec<Line> = sums.iter().map(|sums| sums.line(*strength)).collect();
            let ridge = Self { of_devices, strength: *strength };
            let error = |run: usize| {
                (ridge.output(validation.input(run), validation.devices[run]) - f64::from(validation.values[run]))
                    .powi(2)
            };
            let error: f64 = (0..validation.len()).map(error).sum();
            (error, ridge)
        });
        let best = tried.reduce(|best, next| if next.0 < best.0 { next } else { best });
        best.map_or(Self { of_devices: Vec::new(), strength: 0.0 }, |(_, ridge)| ridge)
    }

    /// The scaled prediction for scaled inputs.
    pub(super) fn output(&self, inputs: &[f32], device: usize) -> f64 {
        let Some(line) = self.of_devices.get(device) else { return 0.0 };
        let parts = inputs.iter().zip(&line.means).zip(&line.weights);
        line.value + parts.map(|((input, mean), weight)| (f64::from(*input) - mean) * weight).sum::<f64>()
    }
}

/// Sums for the normal equations of one device.
struct Sums {
    runs: f64,
    means: Vec<f64>,
    value: f64,
    /// Products of inputs, centred; the lower triangle by rows.
    squares: Vec<f64>,
    /// Products of inputs and values, centred.
    products: Vec<f64>,
}

impl Sums {
    fn of(runs: &Examples, device: usize) -> Self {
        let width = runs.width;
        let own: Vec<usize> = (0..runs.len()).filter(|run| runs.devices[*run] == device).collect();
        // Without its own runs a device has the mean of all: 0, as values are scaled.
        let count = own.len().max(1) as f64;
        let mut means = vec![0.0; width];
        for run in &own {
            for (mean, input) in means.iter_mut().zip(runs.input(*run)) {
                *mean += f64::from(*input) / count;
            }
        }
        let value = own.iter().map(|run| f64::from(runs.values[*run])).sum::<f64>() / count;
        let (mut squares, mut products) = (vec![0.0; width * width], vec![0.0; width]);
        for run in &own {
            let centred: Vec<f64> =
                runs.input(*run).iter().zip(&means).map(|(input, mean)| f64::from(*input) - mean).collect();
            let error = f64::from(runs.values[*run]) - value;
            for (row, input) in centred.iter().enumerate() {
                products[row] += input * error;
                for (sum, other) in squares[row * width..=row * width + row].iter_mut().zip(&centred) {
                    *sum += input * other;
                }
            }
        }
        Self { runs: count, means, value, squares, products }
    }

    fn line(&self, strength: f64) -> Line {
        let width = self.means.len();
        let mut matrix = self.squares.clone();
        for place in 0..width {
            matrix[place * width + place] += strength * self.runs;
        }
        let weights = solved(matrix, self.products.clone()).unwrap_or_else(|| vec![0.0; width]);
        Line { means: self.means.clone(), weights, value: self.value }
    }
}

/// x of A·x = b by Cholesky's decomposition; `matrix`: the lower triangle of A, by rows. `None` if A is not positive definite.
pub(super) fn solved(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let width = right.len();
    for row in 0..width {
        for column in 0..=row {
            let before: f64 =
                (0..column).map(|place| matrix[row * width + place] * matrix[column * width + place]).sum();
            let rest = matrix[row * width + column] - before;
            matrix[row * width + column] = if row == column {
                if rest <= 0.0 || !rest.is_finite() {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / matrix[column * width + column]
            };
        }
        let before: f64 = (0..row).map(|place| matrix[row * width + place] * right[place]).sum();
        right[row] = (right[row] - before) / matrix[row * width + row];
    }
    for row in (0..width).rev() {
        let after: f64 = (row + 1..width).map(|place| matrix[place * width + row] * right[place]).sum();
        right[row] = (right[row] - after) / matrix[row * width + row];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved() {
        // 4x + 2y = 10 and 2x + 3y = 9: x = 1.5, y = 2.
        let found = solved(vec![4.0, 0.0, 2.0, 3.0], vec![10.0, 9.0]).expect("positive definite");
        assert!((found[0] - 1.5).abs() < 1e-12 && (found[1] - 2.0).abs() < 1e-12, "{found:?}");
        assert_eq!(solved(vec![1.0, 0.0, 2.0, 1.0], vec![1.0, 1.0]), None, "1·1 − 2·2 is negative");
    }

    #[test]
    fn a_line_is_found_for_each_device() {
        let inputs: Vec<f32> = (0..40_u8).map(f32::from).collect();
        let devices: Vec<usize> = (0..40).map(|run| run % 2).collect();
        let values =
            inputs.iter().zip(&devices).map(|(input, device)| if *device == 0 { 2.0 * input } else { 3.0 - input });
        let runs = || Examples {
            values: values.clone().collect(),
            inputs: inputs.clone(),
            width: 1,
            devices: devices.clone(),
        };
        let ridge = Ridge::new(&runs(), &runs(), 3);
        for (device, expected) in [(0, 20.0), (1, -7.0)] {
            assert!((ridge.output(&[10.0], device) - expected).abs() < 1e-3, "device {device}");
        }
        assert_eq!(ridge.output(&[10.0], 2), 0.0, "no run of its own");
    }
}
