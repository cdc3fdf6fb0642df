//! One operator on one network, with or without compression: its times, its placement and, on demand, its
//! break-evens.

use super::axis::Axis;
use super::break_even::{BreakEven, break_even};
use super::cost::{Breakdown, Cost, evaluate};
use super::point::Point;
use super::study::{Placement, Side};
use super::variant::Variant;

/// One operator on one network, with or without compression.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Index of the operator.
    pub operator: usize,
    /// Network and compression.
    pub variant: Variant,
    /// Time on either side.
    pub cost: Cost,
    /// The side that the model recommends, whatever the pin.
    pub recommended_side: Side,
    /// The side of the operator: the recommended one, or the one it is pinned to.
    pub placement: Side,
    /// Threshold θ, the speedup above which the GPU is chosen.
    pub threshold: f64,
    /// Why, in one sentence.
    pub reason: String,
}

impl Row {
    /// T_cpu / T_gpu.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.cost.speedup()
    }

    /// How far the speedup lies above the threshold, as a fraction of it; negative below it.
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.speedup() / self.threshold - 1.0
    }

    /// The breakdown of the time on the side of the operator.
    #[must_use]
    pub fn placed_breakdown(&self) -> &Breakdown {
        match self.placement {
            Side::Cpu => &self.cost.cpu,
            Side::Gpu => &self.cost.gpu,
        }
    }

    /// Seconds on the chosen side.
    #[must_use]
    pub fn placed_seconds(&self) -> f64 {
        self.cost.seconds(self.placement)
    }
}

/// Evaluates one operator in one variant; the reason needs all rows and comes later.
pub(super) fn row(study: &Placement, operator: usize, variant: Variant) -> Row {
    let cost = evaluate(&point(study, operator, variant));
    let threshold = study.policy.threshold;
    let recommended_side = cost.side(threshold);
    let placement = study.operators[operator].pin.unwrap_or(recommended_side);
    Row { operator, variant, cost, recommended_side, placement, threshold, reason: String::new() }
}

/// Break-even of every parameter that has an influence, and of the pairs that move together; `None`: the
/// placement is the same over the whole range.
///
/// # Panics
/// If there is no such operator or network.
#[must_use]
pub fn break_evens(study: &Placement, operator: usize, variant: Variant) -> Vec<(Axis, Option<BreakEven>)> {
    let point = point(study, operator, variant);
    Axis::all()
        .filter(|axis| point.has_influence(axis.parameter()))
        .map(|axis| (axis, break_even(&point, axis)))
        .collect()
}

fn point(study: &Placement, operator: usize, variant: Variant) -> Point {
    Point::new(study, operator, variant.network, variant.compression)
}
