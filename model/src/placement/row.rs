//! One operator on one network, with or without compression: its times, its placement and its break-evens.

use super::axis::Axis;
use super::break_even::{BreakEven, break_even};
use super::cost::{Cost, evaluate};
use super::parameter::Parameter;
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
    /// The side that pays by the model.
    pub pays: Side,
    /// Where the operator is placed: the side that pays, or the one it is pinned to.
    pub placement: Side,
    /// Break-even of every parameter that has an influence, and of the pairs that move together; `None`:
    /// the placement is the same over the whole range.
    pub break_evens: Vec<(Axis, Option<BreakEven>)>,
    /// Why, in one sentence.
    pub reason: String,
}

impl Row {
    /// T_cpu / T_gpu.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.cost.speedup()
    }

    /// The break-even of a parameter, or of a pair that moves together.
    pub fn break_even(&self, axis: impl Into<Axis>) -> Option<BreakEven> {
        let axis = axis.into();
        self.break_evens.iter().find(|(other, _)| *other == axis).and_then(|(_, found)| *found)
    }

    /// Seconds on the chosen side.
    #[must_use]
    pub fn placed_seconds(&self) -> f64 {
        self.cost.seconds(self.placement)
    }
}

/// Evaluates one operator in one variant; the reason needs all rows and comes later.
pub(super) fn row(study: &Placement, operator: usize, variant: Variant) -> Row {
    let point = Point::new(study, operator, variant.network, variant.compression);
    let cost = evaluate(&point);
    let pays = cost.side(study.policy.threshold);
    let break_evens = Axis::all()
        .filter(|axis| has_influence(axis.parameter(), &point))
        .map(|axis| (axis, break_even(&point, axis)))
        .collect();
    Row {
        operator,
        variant,
        cost,
        pays,
        placement: study.operators[operator].pin.unwrap_or(pays),
        break_evens,
        reason: String::new(),
    }
}

/// Whether a parameter takes part in the formulas at this point.
fn has_influence(parameter: Parameter, point: &Point) -> bool {
    match parameter {
        Parameter::LineSpeed => false,
        Parameter::ScanSpeed | Parameter::GpuMemory => point[parameter].is_finite(),
        Parameter::NetworkRatio | Parameter::BusRatio | Parameter::CompressSpeed | Parameter::DecompressSpeed => {
            point.compressed
        }
        Parameter::CpuTime | Parameter::Power => !(point.cpu_curve && point.gpu_curve),
        Parameter::CpuParallelism => !point.cpu_curve,
        Parameter::GpuParallelism => !point.gpu_curve,
        Parameter::CpuCurveFixed | Parameter::CpuCurveRate => point.cpu_curve,
        Parameter::GpuCurveFixed | Parameter::GpuCurveRate => point.gpu_curve,
        _ => true,
    }
}
