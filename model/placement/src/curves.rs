//! Speedup along one parameter: the curves behind "Where is the GPU faster?".

use serde::{Deserialize, Serialize};

use super::axis::Axis;
use super::break_even::{BreakEven, break_even};
use super::cost::evaluate;
use super::point::Point;
use super::study::{Class, Placement};
use super::variant::Variant;

/// The speedup of one operator on one network, with or without compression, along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Network and compression.
    pub variant: Variant,
    /// Index of the operator whose numbers are used.
    pub operator: usize,
    /// Speedup at each sampled x.
    pub speedups: Vec<f64>,
    /// Break-even nearest to the operator's own value.
    pub break_even: Option<BreakEven>,
}

/// The curve of one operator over every network × compression, sampled at `xs`: the same values as sweeps of the operator's
/// speedup, without an outcome for every value.
#[must_use]
pub fn curves(study: &Placement, operator: usize, axis: Axis, xs: &[f64]) -> Vec<Curve> {
    Variant::all(study)
        .map(|variant| {
            let point = Point::new(study, operator, variant.network, variant.compression);
            Curve { variant, operator, speedups: along(point, axis, xs), break_even: break_even(&point, axis) }
        })
        .collect()
}

/// The speedups of these curves without their break-evens, in the same order.
#[must_use]
pub fn speedups(study: &Placement, operator: usize, axis: Axis, xs: &[f64]) -> Vec<Vec<f64>> {
    let point = |variant: Variant| Point::new(study, operator, variant.network, variant.compression);
    Variant::all(study).map(|variant| along(point(variant), axis, xs)).collect()
}

/// The speedup of a point at each x.
fn along(point: Point, axis: Axis, xs: &[f64]) -> Vec<f64> {
    let speedup = |x: &f64| {
        let mut moved = point;
        axis.apply(&mut moved, *x);
        evaluate(&moved).speedup()
    };
    xs.iter().map(speedup).collect()
}

/// An operator class that occurs in a study, and the operators in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassGroup {
    /// The class.
    pub class: Class,
    /// Indices of its operators, in the order of the study.
    pub operators: Vec<usize>,
}

/// The classes that occur in a study, by exponent.
#[must_use]
pub fn classes(study: &Placement) -> Vec<ClassGroup> {
    let mut groups: Vec<ClassGroup> = Vec::new();
    for (index, operator) in study.operators.iter().enumerate() {
        let same = |group: &&mut ClassGroup| group.class.power().total_cmp(&operator.class.power()).is_eq();
        match groups.iter_mut().find(same) {
            Some(group) => group.operators.push(index),
            None => groups.push(ClassGroup { class: operator.class, operators: vec![index] }),
        }
    }
    groups.sort_by(|a, b| a.class.power().total_cmp(&b.class.power()));
    groups
}
