//! How far arrival orders differ: the 90 % interval over them at each demand.

use crossover_quantity::estimate::quantile;

use super::fill::{FillPoint, Filled};

/// P5 and P95 over the orders at a point of their curves.
pub(super) fn range_90(filled: &[Filled], place: usize) -> [FillPoint; 2] {
    let of = |quantity: fn(&FillPoint) -> f64| {
        let mut values: Vec<f64> = filled.iter().map(|filled| quantity(&filled.curve[place])).collect();
        values.sort_unstable_by(f64::total_cmp);
        [0.05, 0.95].map(|share| quantile(&values, share).unwrap_or(f64::NAN))
    };
    let (allocated, fragmented) = (of(|point| point.allocated_percent), of(|point| point.fragmented_percent));
    [0, 1].map(|end| FillPoint {
        demand_percent: filled[0].curve[place].demand_percent,
        allocated_percent: allocated[end],
        fragmented_percent: fragmented[end],
    })
}
