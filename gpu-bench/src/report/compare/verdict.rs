//! Whether a measurement changed: by more than its intervals, and by more than the machine varies between two runs.

use crate::report::Time;

/// Verdict about two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Each median lies in the 95 % interval of the other.
    Same,
    /// The intervals do not overlap, the new one is lower, and by more than the machine varies.
    Faster,
    /// The intervals do not overlap, the new one is higher, and by more than the machine varies.
    Slower,
    /// The intervals overlap, but not as far as the medians; or the machine varies as much between two runs; or there is no
    /// time on one side.
    Unclear,
}

/// What a difference must exceed, so that two runs of the same program seldom differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Allowance {
    /// By how much 95 % intervals are widened, because many measurements are compared at once (Bonferroni): with all of
    /// them unchanged, one is called different by chance in one comparison of twenty.
    pub widening: f64,
    /// Factor by which all measurements differ in the middle; 1 where that is more than 10 %, or where another
    /// device or program was measured.
    pub drift: f64,
    /// Factor by which measurements differ from that anyway: three times their spread around it, which is at most
    /// 15 %. Where most measurements changed, each by another factor, fewer changes are claimed than there are.
    pub spread: f64,
}

/// Chance that any unchanged measurement of a comparison is called different.
const FALSE_ALARM: f64 = 0.05;
/// More drift than this is a change of everything, and claimed.
const MOST_DRIFT: f64 = 1.1;
/// A larger spread between two runs is not taken for the machine's.
const MOST_SPREAD: f64 = 1.15;
/// Fewer measurements do not tell how much a machine varies.
const FEWEST: usize = 8;
/// Standard deviations of a normal variable for each median absolute deviation.
const DEVIATIONS: f64 = 1.4826;

impl Allowance {
    /// Nothing but the intervals counts.
    pub const NONE: Self = Self { widening: 1.0, drift: 1.0, spread: 1.0 };

    /// For so many pairs of times; `ratios`: new ÷ old of those that were measured on the same machine with the same
    /// program, none otherwise.
    #[must_use]
    pub fn new(pairs: usize, ratios: &[f64]) -> Self {
        let widening = deviations(FALSE_ALARM / pairs.max(1) as f64) / deviations(FALSE_ALARM);
        if ratios.len() < FEWEST {
            return Self { widening, ..Self::NONE };
        }
        let mut logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
        let drift = median_of(&mut logs);
        let mut apart: Vec<f64> = logs.iter().map(|log| (log - drift).abs()).collect();
        let spread = DEVIATIONS * median_of(&mut apart);
        let drift = if drift.abs() <= MOST_DRIFT.ln() { drift.exp() } else { 1.0 };
        Self { widening, drift, spread: (3.0 * spread.min(MOST_SPREAD.ln())).exp() }
    }
}

/// The number of standard deviations that a normal variable exceeds, on either side, with this chance.
fn deviations(chance: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if libm::erfc(middle / std::f64::consts::SQRT_2) > chance { low = middle } else { high = middle }
    }
    high
}

fn median_of(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { 0.5 * (values[middle - 1] + values[middle]) }
}

impl Verdict {
    /// The verdict about the new time. A difference is claimed only where the widened intervals are
    /// apart, which is stricter than a test (Schenker and Gentleman 2001), and by more than the machine varies.
    #[must_use]
    pub fn of(old: &Time, new: &Time, allowance: Allowance) -> Self {
        let inside = |value: f64, (low, high): (f64, f64)| low <= value && value <= high;
        let wide = |time: &Time| {
            let at = |end: f64| time.median_s + allowance.widening * (end - time.median_s);
            (at(time.ci95_s.0), at(time.ci95_s.1))
        };
        let (before, after) = (wide(old), wide(new));
        let factor = new.median_s / old.median_s / allowance.drift;
        let exceeds = factor > allowance.spread || factor < 1.0 / allowance.spread;
        if exceeds && after.1 < before.0 {
            Self::Faster
        } else if exceeds && after.0 > before.1 {
            Self::Slower
        } else if inside(new.median_s, old.ci95_s) && inside(old.median_s, new.ci95_s) {
            Self::Same
        } else {
            Self::Unclear
        }
    }

    /// "SAME", "FASTER", "SLOWER" or "UNCLEAR".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Same => "SAME",
            Self::Faster => "FASTER",
            Self::Slower => "SLOWER",
            Self::Unclear => "UNCLEAR",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Side, example};

    /// Median and interval.
    fn time(median_s: f64, low: f64, high: f64) -> Time {
        let time = example::measured("filter.append", Side::Gpu, median_s).time.expect("a time");
        Time { ci95_s: (low, high), ..time }
    }

    #[test]
    fn a_change_is_claimed_only_where_the_intervals_are_apart() {
        let old = time(10.0, 9.0, 11.0);
        let cases = [
            (time(8.0, 7.0, 8.9), Verdict::Faster),
            (time(12.0, 11.1, 13.0), Verdict::Slower),
            (time(10.5, 9.5, 11.5), Verdict::Same),
            (time(10.0, 10.0, 10.0), Verdict::Same),
            (time(12.0, 11.0, 13.0), Verdict::Unclear),
            (time(8.5, 7.5, 9.5), Verdict::Unclear),
            (time(10.9, 10.8, 12.0), Verdict::Unclear),
        ];
        for (new, expected) in cases {
            assert_eq!(Verdict::of(&old, &new, Allowance::NONE), expected, "{new:?}");
        }
    }

    #[test]
    fn many_at_once_need_wider_intervals() {
        // Quantiles of the normal distribution: 1.959964 at 5 %, 3.480756 at 5 % ÷ 100 (NIST's tables).
        assert!((deviations(0.05) - 1.959_964).abs() < 1e-6);
        assert!((deviations(0.0005) - 3.480_756).abs() < 1e-6);
        let of_hundred = Allowance::new(100, &[]);
        assert!((of_hundred.widening - 3.480_756 / 1.959_964).abs() < 1e-6);
        assert_eq!(Allowance::new(1, &[]), Allowance::NONE);
        let (old, new) = (time(10.0, 9.0, 11.0), time(8.0, 7.0, 8.9));
        assert_eq!(Verdict::of(&old, &new, of_hundred), Verdict::Unclear);
        assert_eq!(Verdict::of(&old, &time(5.0, 4.5, 5.5), of_hundred), Verdict::Faster);
    }

    #[test]
    fn what_the_machine_varies_by_is_no_change() {
        // By hand: logs −0.1 … 0.1 in steps of 0.02 around a drift of 0.02; median deviation 0.06.
        let ratios: Vec<f64> = (-5..=5).map(|step| (0.02 + 0.02 * f64::from(step)).exp()).collect();
        let allowance = Allowance::new(11, &ratios);
        let expected = (3.0 * DEVIATIONS * 0.06).exp();
        assert!((allowance.spread - expected).abs() < 1e-9, "{allowance:?}, expected {expected}");
        assert!((allowance.drift - 0.02_f64.exp()).abs() < 1e-9, "{allowance:?}");
        // 20 % slower is within it, 40 % is not.
        let old = time(10.0, 9.99, 10.01);
        assert_eq!(Verdict::of(&old, &time(12.0, 11.99, 12.01), allowance), Verdict::Unclear);
        assert_eq!(Verdict::of(&old, &time(14.0, 13.99, 14.01), allowance), Verdict::Slower);
        // A machine on which everything takes twice as long has changed.
        let changed = Allowance::new(20, &[2.0; 20]);
        assert_eq!((changed.drift, changed.spread), (1.0, 1.0));
    }
}
