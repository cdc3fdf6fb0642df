//! The 90 % interval of the saving of a run.
//!
//! ```text
//! S = p_0·B − p·T          B and T log-normal with the correlation ρ of their errors, of which P(S ≤ x) is a mean over B
//! ```

use crossover_quantity::spread::Z_90;

use crate::normal::{cumulative, mean};
use crate::time::PredictedTime;

/// Probability below the lower end of a 90 % interval, and above its upper end.
const TAIL: f64 = 0.05;
/// Both ends are within the savings at times this many standard deviations from their medians: less than 5 % of B and T together
/// are further away on one side.
const BRACKET: f64 = 2.0;
/// Error of a probability at which a search ends.
const CLOSE: f64 = 1e-6;
/// Most steps of a search.
const STEPS: u32 = 60;

/// Ends of the 90 % interval of `now`·B − `then`·T, where the logarithm of T ÷ B has this standard deviation; `None` if neither
/// has an error. The expected saving is a mean of the same distribution.
pub(crate) fn ends(
    today: &PredictedTime,
    option: &PredictedTime,
    of_ratio: f64,
    [now, then]: [f64; 2],
) -> Option<[f64; 2]> {
    let spread = today.deviation.unwrap_or(0.0);
    if spread <= 0.0 {
        // Today's time is measured: the saving has the error of the option's time alone.
        let [short, long] = PredictedTime { deviation: Some(of_ratio), ..*option }.interval()?;
        return Some([long, short].map(|seconds| now * today.value() - then * seconds));
    }
    let own = option.deviation.unwrap_or(0.0);
    if then <= 0.0 || own <= 0.0 {
        return Some([-Z_90, Z_90].map(|z| now * today.at(z) - then * option.value()));
    }
    // Var(ln T ÷ B) = s² + s_0² − 2·ρ·s·s_0.
    let correlation = ((own * own + spread * spread - of_ratio * of_ratio) / (2.0 * own * spread)).clamp(-1.0, 1.0);
    let rest = own * (1.0 - correlation * correlation).sqrt();
    // Probability of a saving up to `saving`: that of a T from (now·B − saving)/then on.
    let probability = |saving: f64| {
        mean(|z| {
            let limit = (now * today.at(z) - saving) / then - option.known_seconds;
            if limit <= 0.0 {
                return 1.0;
            }
            let distance = (limit / option.median_seconds).ln() - own * correlation * z;
            if rest > 0.0 { cumulative(-distance / rest) } else { f64::from(u8::from(distance <= 0.0)) }
        })
    };
    let bracket = [-BRACKET, BRACKET].map(|z| now * today.at(z) - then * option.at(-z));
    Some([TAIL, 1.0 - TAIL].map(|tail| root(|saving| probability(saving) - tail, bracket)))
}

/// Where a function that rises is 0, between two numbers: by false position (the Illinois method), which keeps the root between
/// both.
fn root(function: impl Fn(f64) -> f64, [mut low, mut high]: [f64; 2]) -> f64 {
    let [mut below, mut above] = [function(low), function(high)];
    // The side that was kept in the last step.
    let mut kept = 0_i8;
    for _ in 0..STEPS {
        // Beyond the bracket, or nothing to divide.
        if below >= 0.0 || above <= 0.0 {
            break;
        }
        let next = (low * above - high * below) / (above - below);
        let value = function(next);
        if value.abs() <= CLOSE {
            return next;
        }
        if value < 0.0 {
            (low, below) = (next, value);
            if kept == 1 {
                above /= 2.0;
            }
            kept = 1;
        } else {
            (high, above) = (next, value);
            if kept == -1 {
                below /= 2.0;
            }
            kept = -1;
        }
    }
    if below >= 0.0 {
        low
    } else if above <= 0.0 {
        high
    } else {
        f64::midpoint(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(median: f64, deviation: f64) -> PredictedTime {
        PredictedTime { known_seconds: 0.0, median_seconds: median, deviation: Some(deviation) }
    }

    /// With T = B·c the saving is a multiple of B, so its interval is that of B.
    #[test]
    fn a_saving_that_is_a_part_of_todays_cost_has_its_interval() {
        let (today, option) = (time(10.0, 0.5), time(4.0, 0.5));
        let [low, high] = ends(&today, &option, 0.0, [1.0, 1.0]).expect("errors");
        let [expected_low, expected_high] = [-Z_90, Z_90].map(|z: f64| 6.0 * (0.5 * z).exp());
        assert!((low / expected_low - 1.0).abs() < 1e-3, "{low} instead of {expected_low}");
        assert!((high / expected_high - 1.0).abs() < 1e-3, "{high} instead of {expected_high}");
    }

    /// A free option saves today's cost.
    #[test]
    fn what_costs_nothing_saves_what_today_costs() {
        let (today, option) = (time(10.0, 0.5), time(4.0, 0.7));
        let [low, high] = ends(&today, &option, 0.6, [2.0, 0.0]).expect("errors");
        assert!((low - 20.0 * (-0.5 * Z_90).exp()).abs() < 1e-9 && (high - 20.0 * (0.5 * Z_90).exp()).abs() < 1e-9);
    }

    /// Each end is passed by 5 % of 90,000 pairs of errors, which are midpoints of equally probable parts.
    #[test]
    fn nine_of_ten_savings_are_within_the_interval() {
        const PARTS: u32 = 300;
        let quantile = |part: u32| {
            let wanted = (f64::from(part) + 0.5) / f64::from(PARTS);
            root(|z| cumulative(z) - wanted, [-4.0, 4.0])
        };
        let errors: Vec<f64> = (0..PARTS).map(quantile).collect();
        for (spread, own, of_ratio) in [(0.55, 0.58, 0.44), (0.3, 0.8, 0.9), (0.6, 0.2, 0.63)] {
            let (today, option) = (time(10.0, spread), time(6.0, own).plus_known(1.0));
            let correlation: f64 = (own * own + spread * spread - of_ratio * of_ratio) / (2.0 * own * spread);
            let rest = (1.0 - correlation * correlation).sqrt();
            let [low, high] = ends(&today, &option, of_ratio, [1.0, 1.2]).expect("errors");
            let pairs = errors.iter().flat_map(|z| errors.iter().map(move |other| (*z, *other)));
            let savings: Vec<f64> =
                pairs.map(|(z, other)| today.at(z) - 1.2 * option.at(correlation * z + rest * other)).collect();
            let share = |count: usize| count as f64 / savings.len() as f64;
            let beyond = [
                share(savings.iter().filter(|saving| **saving < low).count()),
                share(savings.iter().filter(|saving| **saving > high).count()),
            ];
            assert!(
                beyond.iter().all(|share| (share - TAIL).abs() < 2e-3),
                "{beyond:?} of {spread}, {own}, {of_ratio}"
            );
        }
    }
}
