//! How far arrival orders differ: the 90 % interval over them at each demand.

use super::fill::{FillPoint, Filled};

/// P5 and P95 over the orders at a point of their curves.
pub(super) fn range_90(filled: &[Filled], place: usize) -> [FillPoint; 2] {
    let of = |quantity: fn(&FillPoint) -> f64| {
        let mut values: Vec<f64> = filled.iter().map(|filled| quantity(&filled.curve[place])).collect();
        values.sort_unstable_by(f64::total_cmp);
        [0.05, 0.95].map(|share| quantile(&values, share))
    };
    let (allocated, fragmented) = (of(|point| point.allocated_percent), of(|point| point.fragmented_percent));
    [0, 1].map(|end| FillPoint {
        demand_percent: filled[0].curve[place].demand_percent,
        allocated_percent: allocated[end],
        fragmented_percent: fragmented[end],
    })
}

/// A quantile of ascending values, at least one: between the two values next to its rank (Hyndman and Fan, The American Statistician 50,
/// 1996, definition 7).
fn quantile(values: &[f64], share: f64) -> f64 {
    let at = share * (values.len() - 1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to the number of values")]
    let below = at.floor() as usize;
    let above = (below + 1).min(values.len() - 1);
    values[below] + (values[above] - values[below]) * (at - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By numpy.quantile([1, 2, 4, 8], [0.05, 0.95]): rank 0.15 is 0.15 of the way from 1 to 2, rank 2.85 is 0.85 of that from 4 to 8.
    #[test]
    fn a_quantile_is_between_the_values_next_to_its_rank() {
        let values = [1.0, 2.0, 4.0, 8.0];
        for (share, expected) in [(0.05, 1.15), (0.95, 7.4), (0.0, 1.0), (1.0, 8.0)] {
            assert!((quantile(&values, share) - expected).abs() < 1e-12, "{share}");
        }
        assert_eq!(quantile(&[3.0], 0.95).to_bits(), 3.0_f64.to_bits());
    }
}
