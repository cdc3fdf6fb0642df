//! Points of the measured power curve; sources of changed points are removed.

use crate::study::{CurvePoint, PowerLaw, Regulation};

/// Most points of a curve.
pub const MOST_CURVE_POINTS: usize = 100;

/// How much further than the last point a new one lies.
const FURTHER: f64 = 1.1;

impl Regulation {
    /// Adds a point beyond the last one of the measured curve, in line with it. False if there is no point yet, or no
    /// more are allowed there.
    pub fn add_curve_point(&mut self) -> bool {
        let Some(last) = self.power.curve.last() else { return false };
        let frequency_ratio = last.frequency_ratio * FURTHER;
        let power_ratio = (last.power_ratio * FURTHER).min(CurvePoint::POWER_RATIO.max);
        if self.power.curve.len() >= MOST_CURVE_POINTS || frequency_ratio > CurvePoint::FREQUENCY_RATIO.max {
            return false;
        }
        self.power.curve.push(CurvePoint { frequency_ratio, power_ratio });
        true
    }

    /// Removes a point of the measured curve, unless it is one of the two that such a curve needs.
    pub fn remove_curve_point(&mut self, index: usize) {
        let needed = if self.power.law == PowerLaw::Measured { 2 } else { 0 };
        if index < self.power.curve.len() && self.power.curve.len() > needed {
            self.power.curve.remove(index);
            self.forget_curve_from(index);
        }
    }

    /// Replaces the measured curve. False, and nothing happens, if there are fewer than two points or more than are
    /// allowed, their frequencies do not ascend, or a number is beyond its range.
    pub fn set_curve(&mut self, points: Vec<CurvePoint>) -> bool {
        let is_in_range = |point: &CurvePoint| {
            CurvePoint::FREQUENCY_RATIO.problem(point.frequency_ratio).is_none()
                && CurvePoint::POWER_RATIO.problem(point.power_ratio).is_none()
        };
        let ascends = points.windows(2).all(|pair| pair[0].frequency_ratio < pair[1].frequency_ratio);
        if !(2..=MOST_CURVE_POINTS).contains(&points.len()) || !ascends || !points.iter().all(is_in_range) {
            return false;
        }
        self.power.curve = points;
        self.forget_curve_from(0);
        true
    }

    fn forget_curve_from(&mut self, first: usize) {
        let point = |path: &str| path.strip_prefix("power.curve.")?.split('.').next()?.parse::<usize>().ok();
        self.sources.retain(|path, _| point(path).is_none_or(|index| index < first));
    }
}
