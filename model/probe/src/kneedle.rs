//! The knee of a curve: Kneedle of Satopää, Albrecht, Irwin and Raghavan (Finding a “Kneedle” in a Haystack, ICDCS
//! workshops, 2011), for concave, increasing curves; sensitivity 1, the first knee.

/// Sensitivity of the paper.
const SENSITIVITY: f64 = 1.0;

/// The knee of a curve of points in the order of their x; none if it has no knee, or less than two different x or y.
#[must_use]
pub fn knee(points: &[[f64; 2]]) -> Option<f64> {
    let normal = |axis: usize| -> Option<Vec<f64>> {
        let values = points.iter().map(|point| point[axis]);
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.clone().fold(f64::NEG_INFINITY, f64::max);
        (high > low).then(|| values.map(|value| (value - low) / (high - low)).collect())
    };
    let (x, y) = (normal(0)?, normal(1)?);
    let difference: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - x).collect();
    let last = difference.len() - 1;
    // The ends have one neighbour; on the other side they are compared with themselves.
    let beside = |place: usize| [difference[place.saturating_sub(1)], difference[(place + 1).min(last)]];
    let is_maximum = |place: usize| beside(place).iter().all(|other| difference[place] >= *other);
    let is_minimum = |place: usize| beside(place).iter().all(|other| difference[place] <= *other);
    let mean_step = (x[last] - x[0]) / last as f64;
    let (mut threshold, mut candidate) = (0.0, None);
    for place in 0..last {
        if is_maximum(place) {
            threshold = difference[place] - SENSITIVITY * mean_step.abs();
            candidate = Some(place);
        }
        let Some(knee) = candidate else { continue };
        if is_minimum(place) {
            threshold = 0.0;
        }
        if difference[place + 1] < threshold {
            return Some(points[knee][0]);
        }
    }
    None
}
