//! Fuzzy self-tuning: corrections of the gains from seven linguistic values of e and ec.
//!
//! Both inputs are brought to the universe −3 … 3: e/`error_range`·3 and ec/`change_range`·3, clamped. Triangles at
//! unit spacing say how much of each value they are: negative or positive, big, medium or small, and zero. Inference
//! is Mamdani's: AND takes the minimum, a rule clips the triangle of its value, clipped triangles are joined by their
//! maximum, and the centroid of the union is the correction. Output triangles all have their full width, so the
//! centroid of "big" alone is exactly 3, which stands for `kp_range`, `ki_range` or `kd_range`.
//!
//! The published method names the inputs, the outputs and the steps but not the rules. The tables are the widely
//! reprinted ones, here as in <https://github.com/shuoyueqishi/fuzzy-PID-controller> (`main.cpp`). They are made for
//! an error of setpoint − value. That is also the sign here: the error is PCIe occupancy − compute load, the load
//! is to follow the transfer, and a positive output takes compute away, which raises the load.
//!
//! The tables treat the two signs of e differently: a large negative error raises Kp and lowers Ki, a large positive
//! one does the opposite. So the correction suits clusters that are short of compute better than those with too much.

use super::pid::Gains;
use super::study::Fuzzy;

/// Largest value of the universe.
const BIG: f64 = 3.0;
/// Linguistic values.
const VALUES: usize = 7;

const NB: usize = 0;
const NM: usize = 1;
const NS: usize = 2;
const ZO: usize = 3;
const PS: usize = 4;
const PM: usize = 5;
const PB: usize = 6;

/// A value of the correction for each value of e (rows) and ec (columns), both from NB to PB.
type Rules = [[usize; VALUES]; VALUES];

/// Rules for the correction of Kp.
const KP_RULES: Rules = [
    [PB, PB, PM, PM, PS, ZO, ZO],
    [PB, PB, PM, PS, PS, ZO, NS],
    [PM, PM, PM, PS, ZO, NS, NS],
    [PM, PM, PS, ZO, NS, NM, NM],
    [PS, PS, ZO, NS, NS, NM, NM],
    [PS, ZO, NS, NM, NM, NM, NB],
    [ZO, ZO, NM, NM, NM, NB, NB],
];

/// Rules for the correction of Ki.
const KI_RULES: Rules = [
    [NB, NB, NM, NM, NS, ZO, ZO],
    [NB, NB, NM, NS, NS, ZO, ZO],
    [NB, NM, NS, NS, ZO, PS, PS],
    [NM, NM, NS, ZO, PS, PM, PM],
    [NM, NS, ZO, PS, PS, PM, PB],
    [ZO, ZO, PS, PS, PM, PB, PB],
    [ZO, ZO, PS, PM, PM, PB, PB],
];

/// Rules for the correction of Kd.
const KD_RULES: Rules = [
    [PS, NS, NB, NB, NB, NM, PS],
    [PS, NS, NB, NM, NM, NS, ZO],
    [ZO, NS, NM, NM, NS, NS, ZO],
    [ZO, NS, NS, NS, NS, NS, ZO],
    [ZO, ZO, ZO, ZO, ZO, ZO, ZO],
    [PB, NS, PS, PS, PS, PS, PB],
    [PB, PM, PM, PM, PS, PS, PB],
];

impl Fuzzy {
    /// Start values of an expert for a controller with Kp near 1, as in the published example. The largest error
    /// there is 0.5, and one vGPU of fifty changes it by 0.02. Corrections stay below half of the gains, so that the
    /// rules shade the controller but do not replace it.
    #[must_use]
    pub fn expert() -> Self {
        Self { error_range: 0.5, change_range: 0.05, kp_range: 0.4, ki_range: 0.1, kd_range: 0.2 }
    }
}

/// The correction of each gain for an error e and its change ec since the period before.
#[must_use]
pub fn correction(ranges: &Fuzzy, error: f64, change: f64) -> Gains {
    let error = Membership::new(error / ranges.error_range * BIG);
    let change = Membership::new(change / ranges.change_range * BIG);
    let infer = |rules: &Rules, range: f64| centroid(&heights(rules, &error, &change)) / BIG * range;
    Gains {
        kp: infer(&KP_RULES, ranges.kp_range),
        ki: infer(&KI_RULES, ranges.ki_range),
        kd: infer(&KD_RULES, ranges.kd_range),
    }
}

/// The two neighbouring linguistic values that a number is, and how much of each; the two degrees sum to one.
struct Membership {
    lower: usize,
    degrees: [f64; 2],
}

impl Membership {
    fn new(value: f64) -> Self {
        let place = value.clamp(-BIG, BIG) + BIG;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … 6")]
        let lower = (place as usize).min(VALUES - 2);
        let upper_degree = place - lower as f64;
        Self { lower, degrees: [1.0 - upper_degree, upper_degree] }
    }
}

/// Height at which the triangle of each linguistic value is clipped: the strength of its strongest rule.
fn heights(rules: &Rules, error: &Membership, change: &Membership) -> [f64; VALUES] {
    let mut heights = [0.0; VALUES];
    for (row, error_degree) in error.degrees.iter().enumerate() {
        for (column, change_degree) in change.degrees.iter().enumerate() {
            let value = rules[error.lower + row][change.lower + column];
            heights[value] = f64::max(heights[value], error_degree.min(*change_degree));
        }
    }
    heights
}

/// Centroid of the union of the clipped triangles, −3 … 3.
///
/// Between two neighbouring centres only the triangles of these two count. With M the higher and m ≤ 1/2 the lower of
/// their heights the union is M near the higher one's centre, falls with slope one, and stays at m. (Both heights
/// cannot exceed 1/2: degrees of one input sum to one.) Over the unit between the centres
///
/// ```text
/// area   = M − M²/2 + m²/2
/// moment = M/2 − M²/2 + M³/6 + m²/2 − m³/6        about the higher one's centre
/// ```
fn centroid(heights: &[f64; VALUES]) -> f64 {
    let mut area = 0.0;
    let mut moment = 0.0;
    let mut left = 0.0_f64;
    // From −4, where the lowest triangle begins, to 4, where the highest one ends.
    for (index, right) in heights.iter().copied().chain([0.0]).enumerate() {
        let (high, low) = if left >= right { (left, right) } else { (right, left) };
        if high == 0.0 {
            continue;
        }
        let (high2, low2) = (high * high, low * low);
        let piece = high + 0.5 * (low2 - high2);
        let about_high = 0.5 * (high - high2 + low2) + (high2 * high - low2 * low) * (1.0 / 6.0);
        let about_left = if left >= right { about_high } else { piece - about_high };
        let start = index as f64 - BIG - 1.0;
        area += piece;
        moment += start * piece + about_left;
        left = right;
    }
    moment / area
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corrections on the universe itself: "big" is 3 everywhere.
    const UNIVERSE: Fuzzy = Fuzzy { error_range: 3.0, change_range: 3.0, kp_range: 3.0, ki_range: 3.0, kd_range: 3.0 };

    fn at(error: f64, change: f64) -> [f64; 3] {
        let Gains { kp, ki, kd } = correction(&UNIVERSE, error, change);
        [kp, ki, kd]
    }

    fn assert_near(found: [f64; 3], expected: [f64; 3], what: &str) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 2e-8, "{what}: {found} instead of {expected}");
        }
    }

    #[test]
    fn a_pure_pair_of_values_gets_exactly_what_its_rule_says() {
        // Read off the tables: only one rule applies, and the centroid of a whole triangle is its centre.
        let cases = [
            ([-3.0, -3.0], [3.0, -3.0, 1.0]),
            ([-3.0, 3.0], [0.0, 0.0, 1.0]),
            ([3.0, -3.0], [0.0, 0.0, 3.0]),
            ([3.0, 3.0], [-3.0, 3.0, 3.0]),
            ([0.0, 0.0], [0.0, 0.0, -1.0]),
            ([-2.0, 1.0], [1.0, -1.0, -2.0]),
            ([1.0, -3.0], [1.0, -2.0, 0.0]),
        ];
        for ([error, change], expected) in cases {
            assert_near(at(error, change), expected, &format!("e {error}, ec {change}"));
        }
    }

    #[test]
    fn corrections_agree_with_the_centroid_of_a_broken_line_in_exact_fractions() {
        // As `model/regulation/tests/references/fuzzy_centroids.py` prints them.
        let cases = [
            ([1.5, -0.4], [-1.063_636_364, 0.547_826_087, 0.500_000_000]),
            ([-2.25, 0.75], [1.289_473_684, -1.289_473_684, -2.289_473_684]),
            ([0.3, 0.1], [-0.334_710_744, 0.334_710_744, -0.665_289_256]),
            ([-0.5, -0.5], [1.0, -0.5, -1.5]),
            ([2.9, -2.9], [0.133_027_523, 0.0, 2.292_968_750]),
            ([-1.2, 2.6], [-0.730_769_231, 0.730_769_231, -0.419_354_839]),
            ([0.9, 1.7], [-1.665_289_256, 1.665_289_256, -0.143_564_356]),
        ];
        for ([error, change], expected) in cases {
            assert_near(at(error, change), expected, &format!("e {error}, ec {change}"));
        }
    }

    #[test]
    fn inputs_beyond_their_range_count_as_its_end() {
        assert_eq!(at(-70.0, 4.0), at(-3.0, 3.0));
        assert_eq!(at(0.4, f64::INFINITY), at(0.4, 3.0));
    }

    #[test]
    fn ranges_scale_what_comes_in_and_what_comes_out() {
        let ranges = Fuzzy { error_range: 0.6, change_range: 0.06, kp_range: 0.3, ki_range: 0.03, kd_range: 6.0 };
        let found = correction(&ranges, 0.3, -0.008);
        assert_near([found.kp * 10.0, found.ki * 100.0, found.kd / 2.0], at(1.5, -0.4), "scaled");
    }

    #[test]
    fn mirrored_rules_give_mirrored_corrections() {
        // The rows of ΔKi for NB and PB, and for NM and PM, are each other's mirror with the opposite sign.
        for step in 0..=40 {
            for error in [2.0, 2.2, 2.5, 2.9, 3.0] {
                let change = f64::from(step) * 0.15 - 3.0;
                let [_, found, _] = at(error, change);
                let [_, mirrored, _] = at(-error, -change);
                assert!((found + mirrored).abs() < 1e-12, "e {error}, ec {change}: {found} and {mirrored}");
            }
        }
    }

    #[test]
    fn a_small_step_of_an_input_is_a_small_step_of_the_corrections() {
        let places = |count: i32| (0..=count).map(move |step| f64::from(step) / f64::from(count) * 6.4 - 3.2);
        for fixed in places(32) {
            for moved in places(6400) {
                for (from, to) in
                    [(at(fixed, moved), at(fixed, moved + 1e-3)), (at(moved, fixed), at(moved + 1e-3, fixed))]
                {
                    for (from, to) in from.iter().zip(to) {
                        // Neighbouring values differ by up to three, and a centroid can move some times faster.
                        assert!((from - to).abs() < 0.02, "{fixed}, {moved}: {from} → {to}");
                    }
                }
            }
        }
    }
}
