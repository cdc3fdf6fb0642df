//! The value of a parameter at which the placement flips, all other numbers unchanged.
//!
//! The gap T_cpu − θ·T_gpu changes its sign there. From the current value outwards, each side of the
//! range is cut where the model jumps; a piece whose ends differ in sign brackets a root. The model is
//! linear in x, 1/x or x^p for nearly every parameter; where two terms pull in opposite directions
//! (machines, fan-in, overlap) the gap has one extremum, which a golden-section search finds first.

use super::cost::evaluate;
use super::curves::Axis;
use super::parameter::Parameter;
use super::point::Point;
use super::study::Aggregation;

/// The value of a parameter at which the placement flips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BreakEven {
    /// Value at which the placement flips: the root, or for whole numbers the first one on the other side.
    pub value: f64,
    /// On which side of it the GPU pays.
    pub gpu_pays: GpuPays,
}

/// On which side of a break-even the GPU pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GpuPays {
    /// At larger values.
    Above,
    /// At smaller values.
    Below,
}

/// T_cpu − θ·T_gpu in seconds; the GPU pays where it is positive.
#[must_use]
pub fn gap(point: &Point) -> f64 {
    let cost = evaluate(point);
    cost.cpu.total() - point[Parameter::Threshold] * cost.gpu.total()
}

/// The break-even nearest to the current value of a parameter, `None` if the placement is the same
/// over its whole range.
#[must_use]
pub fn break_even(point: &Point, axis: Axis) -> Option<BreakEven> {
    let info = axis.parameter().info();
    let current = axis.value(point);
    if !current.is_finite() || !(info.min..=info.max).contains(&current) {
        return None; // an optional term that is switched off
    }
    let search = Search {
        gap: |x: f64| {
            let mut moved = *point;
            axis.apply(&mut moved, x);
            gap(&moved)
        },
        whole: point.is_whole(axis.parameter()),
    };
    let here = (search.gap)(current);
    let jumps = Jumps::of(point, axis);
    let up = search.outwards(current, here, info.max, &jumps);
    let down = search.outwards(current, here, info.min, &jumps);
    let nearest = match (down, up) {
        (Some(low), Some(high)) => {
            let nearer_up = high / current.max(f64::MIN_POSITIVE) < current / low.max(f64::MIN_POSITIVE);
            Some((if nearer_up { high } else { low }, nearer_up))
        }
        (Some(low), None) => Some((low, false)),
        (None, Some(high)) => Some((high, true)),
        (None, None) => None,
    };
    nearest.map(|(value, is_above_current)| {
        let pays_here = here > 0.0;
        BreakEven { value, gpu_pays: if is_above_current == pays_here { GpuPays::Below } else { GpuPays::Above } }
    })
}

/// Values at which the model jumps because a count of aggregation rounds changes.
#[derive(Debug, Clone, Copy)]
enum Jumps {
    /// The model is continuous along this parameter.
    None,
    /// Rounds grow right after each power of the fan-in.
    PowersOf(f64),
    /// Rounds fall at each root of the number of machines.
    RootsOf(f64),
}

impl Jumps {
    fn of(point: &Point, axis: Axis) -> Self {
        match (point.aggregation, axis.parameter()) {
            (Aggregation::Exact, Parameter::Machines) => Self::PowersOf(point[Parameter::FanIn]),
            (Aggregation::Exact, Parameter::FanIn) => Self::RootsOf(point[Parameter::Machines]),
            _ => Self::None,
        }
    }

    /// The last whole number before the next jump strictly beyond `x`, going up or down.
    fn next(self, x: f64, up: bool) -> Option<f64> {
        match self {
            Self::None => None,
            Self::PowersOf(base) => {
                let mut power = 1.0;
                while if up { power <= x } else { power * base < x } {
                    power *= base;
                }
                let bound = if up { power } else { power + 1.0 };
                (if up { bound > x } else { bound < x }).then_some(bound)
            }
            Self::RootsOf(value) => {
                // Rounds are j for fan-ins from ⌈value^(1/j)⌉; pieces are [⌈value^(1/(j+1))⌉, ⌈value^(1/j)⌉ − 1].
                let starts = (1..=20).map(|j| smallest_fan_in(value, j));
                if up {
                    starts.map(|start| start - 1.0).filter(|bound| *bound > x).min_by(f64::total_cmp)
                } else {
                    starts.filter(|bound| *bound < x).max_by(f64::total_cmp)
                }
            }
        }
    }
}

/// The smallest whole k with k^rounds ≥ machines.
fn smallest_fan_in(machines: f64, rounds: i32) -> f64 {
    let mut fan_in = machines.powf(1.0 / f64::from(rounds)).floor().max(2.0);
    while fan_in.powi(rounds) < machines {
        fan_in += 1.0;
    }
    fan_in
}

struct Search<F> {
    gap: F,
    whole: bool,
}

impl<F: Fn(f64) -> f64> Search<F> {
    /// The sign change nearest to `from` on the way to `end`.
    fn outwards(&self, from: f64, here: f64, end: f64, jumps: &Jumps) -> Option<f64> {
        let up = end > from;
        let pays = here > 0.0;
        let (mut near, mut near_gap) = (from, here);
        while near.to_bits() != end.to_bits() {
            let far = jumps.next(near, up).filter(|bound| if up { *bound < end } else { *bound > end }).unwrap_or(end);
            let far_gap = (self.gap)(far);
            if (far_gap > 0.0) != pays {
                return Some(self.root(near, near_gap, far, far_gap));
            }
            if !self.whole {
                if let Some((turn, turn_gap)) = self.turning_point(near, far, pays) {
                    return Some(self.root(near, near_gap, turn, turn_gap));
                }
            }
            // The first value of the next piece, where the model has jumped.
            (near, near_gap) = (far, far_gap);
            if near.to_bits() != end.to_bits() {
                let next = if up { near + 1.0 } else { near - 1.0 };
                let next_gap = (self.gap)(next);
                if (next_gap > 0.0) != pays {
                    return Some(next);
                }
                (near, near_gap) = (next, next_gap);
            }
        }
        None
    }

    /// A value between two ends of equal sign where the gap has the other sign, by golden-section search
    /// for the extremum (Kiefer 1953, Proc. AMS 4); it stops as soon as the sign differs.
    fn turning_point(&self, a: f64, b: f64, pays: bool) -> Option<(f64, f64)> {
        const STEPS: usize = 40; // 0.618^40 < 1e-8 of the range
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        let scale = Scale::between(a, b);
        let (mut low, mut high) = (scale.map(a.min(b)), scale.map(a.max(b)));
        let towards = |u: f64| {
            let x = scale.unmap(u);
            let value = (self.gap)(x);
            (x, value, if pays { value } else { -value })
        };
        let mut left = towards(high - ratio * (high - low));
        let mut right = towards(low + ratio * (high - low));
        let flat = (left.2 - right.2).abs() <= f64::EPSILON * left.2.abs();
        for _ in 0..STEPS {
            for (x, value, _) in [left, right] {
                if (value > 0.0) != pays {
                    return Some((x, value));
                }
            }
            if flat {
                return None; // the parameter has no influence here
            }
            if left.2 < right.2 {
                (high, right) = (scale.map(right.0), left);
                left = towards(high - ratio * (high - low));
            } else {
                (low, left) = (scale.map(left.0), right);
                right = towards(low + ratio * (high - low));
            }
        }
        None
    }

    /// The root between two values of different sign.
    fn root(&self, a: f64, gap_a: f64, b: f64, gap_b: f64) -> f64 {
        if self.whole { self.first_whole(a, gap_a > 0.0, b) } else { self.bracketed_root((a, gap_a), (b, gap_b)) }
    }

    /// The first whole number, going from `same` to `other`, at which the placement has flipped.
    fn first_whole(&self, mut same: f64, pays: bool, mut other: f64) -> f64 {
        while (other - same).abs() > 1.0 {
            let middle = ((same + other) / 2.0).round();
            if ((self.gap)(middle) > 0.0) == pays {
                same = middle;
            } else {
                other = middle;
            }
        }
        other
    }

    /// Chandrupatla's method (1997, Advances in Engineering Software 28, 145–149): inverse quadratic
    /// interpolation where it is safe, bisection where it is not; it never leaves the bracket.
    fn bracketed_root(&self, a: (f64, f64), b: (f64, f64)) -> f64 {
        let scale = Scale::between(a.0, b.0);
        let (mut newest, mut opposite) = ((scale.map(b.0), b.1), (scale.map(a.0), a.1));
        let mut previous;
        let mut step = 0.5;
        for _ in 0..200 {
            let next = newest.0 + step * (opposite.0 - newest.0);
            let next = (next, (self.gap)(scale.unmap(next)));
            if (next.1 > 0.0) == (newest.1 > 0.0) {
                previous = newest;
            } else {
                (previous, opposite) = (opposite, newest);
            }
            newest = next;
            let best = if newest.1.abs() < opposite.1.abs() { newest } else { opposite };
            let width = (opposite.0 - newest.0).abs();
            let tolerance = 2.0 * f64::EPSILON * best.0.abs().max(f64::MIN_POSITIVE) / width;
            if best.1 == 0.0 || tolerance > 0.5 {
                return scale.unmap(best.0);
            }
            let xi = (newest.0 - opposite.0) / (previous.0 - opposite.0);
            let phi = (newest.1 - opposite.1) / (previous.1 - opposite.1);
            let interpolate = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
            step = if interpolate {
                let first = newest.1 / (opposite.1 - newest.1) * previous.1 / (opposite.1 - previous.1);
                let second = (previous.0 - newest.0) / (opposite.0 - newest.0) * newest.1 / (previous.1 - newest.1)
                    * opposite.1
                    / (previous.1 - opposite.1);
                (first + second).clamp(tolerance, 1.0 - tolerance)
            } else {
                0.5
            };
        }
        scale.unmap(newest.0)
    }
}

/// Coordinate in which a bracket is halved: logarithmic where it spans decades, so that small values
/// are found as exactly as large ones.
#[derive(Clone, Copy)]
enum Scale {
    Linear,
    Log,
}

impl Scale {
    fn between(a: f64, b: f64) -> Self {
        if a.min(b) > 0.0 && a.max(b) / a.min(b) > 10.0 { Self::Log } else { Self::Linear }
    }

    fn map(self, x: f64) -> f64 {
        match self {
            Self::Linear => x,
            Self::Log => x.ln(),
        }
    }

    fn unmap(self, u: f64) -> f64 {
        match self {
            Self::Linear => u,
            Self::Log => u.exp(),
        }
    }
}
