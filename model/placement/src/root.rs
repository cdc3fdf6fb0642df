//! Roots and turning points of a function of one variable between two given values.

/// A value and what the function is there.
pub(super) type Sample = (f64, f64);

/// The root between two samples of which exactly one is above zero.
///
/// Chandrupatla's method (1997, Advances in Engineering Software 28, 145–149): inverse quadratic
/// interpolation where it is safe, bisection where it is not; it never leaves the bracket.
pub(super) fn bracketed_root(f: impl Fn(f64) -> f64, a: Sample, b: Sample) -> f64 {
    let scale = Scale::between(a.0, b.0);
    let (mut newest, mut opposite) = ((scale.map(b.0), b.1), (scale.map(a.0), a.1));
    let mut previous;
    let mut step = 0.5;
    for _ in 0..200 {
        let next = newest.0 + step * (opposite.0 - newest.0);
        let next = (next, f(scale.unmap(next)));
        if (next.1 > 0.0) == (newest.1 > 0.0) {
            previous = newest;
        } else {
            (previous, opposite) = (opposite, newest);
        }
        newest = next;
        let best = if newest.1.abs() < opposite.1.abs() { newest } else { opposite };
        let width = (opposite.0 - newest.0).abs();
        let tolerance = scale.resolution(best.0) / width;
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

/// The first whole number after `low` where the function is on the other side of zero than at `low`;
/// `high` if that is the only one.
pub(super) fn first_whole(f: impl Fn(f64) -> f64, (mut low, at_low): Sample, mut high: f64) -> f64 {
    while high - low > 1.0 {
        let middle = low.midpoint(high).floor();
        if (f(middle) > 0.0) == (at_low > 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// A sample on the other side of zero than both ends of an interval, if the function's only extremum
/// there reaches it: golden-section search (Kiefer 1953, Proc. AMS 4) that stops at the first such sample.
pub(super) fn turning_point(f: impl Fn(f64) -> f64, low: f64, high: f64, above_zero: bool) -> Option<Sample> {
    const STEPS: usize = 40; // 0.618^40 < 1e-8 of the interval
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let scale = Scale::between(low, high);
    let (mut low, mut high) = (scale.map(low), scale.map(high));
    let at = |u: f64| {
        let x = scale.unmap(u);
        (u, x, f(x))
    };
    let towards_zero = |value: f64| if above_zero { value } else { -value };
    let mut left = at(high - ratio * (high - low));
    let mut right = at(low + ratio * (high - low));
    if (left.2 - right.2).abs() <= f64::EPSILON * left.2.abs() {
        return None; // the variable has no influence here
    }
    for _ in 0..STEPS {
        if let Some((_, x, value)) = [left, right].into_iter().find(|sample| (sample.2 > 0.0) != above_zero) {
            return Some((x, value));
        }
        if towards_zero(left.2) < towards_zero(right.2) {
            (high, right) = (right.0, left);
            left = at(high - ratio * (high - low));
        } else {
            (low, left) = (left.0, right);
            right = at(low + ratio * (high - low));
        }
    }
    None
}

/// Coordinate in which an interval is divided: logarithmic where it spans decades, so that small values
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

    /// The smallest step of the coordinate that still makes a difference: an absolute step of a
    /// logarithm is a relative one of the value.
    fn resolution(self, u: f64) -> f64 {
        let size = match self {
            Self::Linear => u.abs().max(f64::MIN_POSITIVE),
            Self::Log => u.abs().max(1.0),
        };
        2.0 * f64::EPSILON * size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_found_to_the_last_digits() {
        for (f, low, high, expected) in [
            ((|x| x * x - 2.0) as fn(f64) -> f64, 0.0, 9.0, 2f64.sqrt()),
            (|x| 1.0 / x - 1e6, 1e-9, 1e9, 1e-6),
            (|x| x - 1.0, 1e-9, 1e9, 1.0),
            (|x| 5.0 - x, 4.0, 6.0, 5.0),
            (|x| if x < 3.0 { -1.0 } else { 7.0 }, 1.0, 1000.0, 3.0),
        ] {
            let found = bracketed_root(f, (low, f(low)), (high, f(high)));
            assert!((found / expected - 1.0).abs() < 1e-14, "{found} instead of {expected}");
        }
    }

    #[test]
    fn a_whole_number_is_the_first_on_the_other_side() {
        for (threshold, expected) in [(0.5, 1.0), (7.0, 8.0), (7.5, 8.0), (999_999.0, 1_000_000.0)] {
            assert_eq!(first_whole(|x| threshold - x + 0.25, (0.0, threshold), 1e6), expected);
        }
    }

    #[test]
    fn a_dip_below_zero_is_found_and_a_dip_that_stays_above_is_not() {
        let dip = |depth: f64| move |x: f64| (x - 700.0).powi(2) - depth;
        let (x, value) = turning_point(dip(100.0), 1.0, 1e6, true).expect("the dip goes below zero");
        assert!(value <= 0.0 && (x - 700.0).abs() <= 10.0, "{x}");
        assert_eq!(turning_point(dip(-100.0), 1.0, 1e6, true), None);
        assert_eq!(turning_point(|_| 5.0, 1.0, 1e6, true), None);
    }
}
