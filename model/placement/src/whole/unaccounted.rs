//! How the time of a query that belongs to no operator widens the error of an option's time. It may be of anything: of work that the
//! option runs as fast as the rest, or of work that takes as long there as today.
//!
//! ```text
//! T_rest = (T − B_u)·B/(B − B_u)      T has B_u as it is today; as fast as the rest it would be T_rest
//! T_kept = (1 − u)·T + u·B            T has no such time: with the share u as it is today it would be T_kept
//! ε_u = ε·max(T_u/T, T/T_u)           T_u is T_rest or T_kept
//! ```
//! B is the time today, and `B_u` the part of it that belongs to no operator. So the interval from `T/ε_u` to `T·ε_u` contains that from
//! `T/ε` to `T·ε` and that from `T_u/ε` to `T_u·ε`.

use crossover_query::Plan;

/// Times of a query whose unaccounted time counts as it is today.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TimeKept {
    /// Of it in the time today, seconds; 0 if the import adds none to the plan.
    pub(super) today: f64,
    /// Of it in the time of the option, seconds.
    pub(super) option: f64,
}

/// Factor by which the error factor of an option's time grows, at least 1; `today` and `option` are times of the whole plan, seconds.
pub(super) fn widening(plan: &Plan, [today, option]: [f64; 2], kept: TimeKept) -> f64 {
    let share = plan.unaccounted_share();
    if share > 0.0 { of_share(share, [today, option], kept) } else { 1.0 }
}

fn of_share(share: f64, [today, option]: [f64; 2], kept: TimeKept) -> f64 {
    let otherwise = if kept.today > 0.0 {
        (option - kept.option) * today / (today - kept.today)
    } else {
        (1.0 - share) * option + share * today
    };
    let factor = otherwise / option;
    if factor > 0.0 && factor.is_finite() { factor.max(1.0 / factor) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossover_quantity::spread::Distribution;
    use crossover_query::{Balance, BalanceOf};

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
    }

    const NOTHING: TimeKept = TimeKept { today: 0.0, option: 0.0 };

    /// By hand: 20 of 100 s are of no operator.
    #[test]
    fn the_interval_has_the_time_with_and_without_acceleration() {
        // The other 80 s take 20 s of the 40 s, so all 100 s would take 25 s: 40 ÷ 25.
        near(of_share(0.2, [100.0, 40.0], TimeKept { today: 20.0, option: 20.0 }), 1.6);
        // A time of 40 s without them: 0.8 · 40 + 0.2 · 100 = 52 s.
        near(of_share(0.2, [100.0, 40.0], NOTHING), 1.3);
        // A slower option: the other 80 s take 180 s, all 100 s would take 225 s.
        near(of_share(0.2, [100.0, 200.0], TimeKept { today: 20.0, option: 20.0 }), 1.125);
        // As fast as today, it makes no difference.
        near(of_share(0.2, [100.0, 100.0], NOTHING), 1.0);
    }

    /// What `uncertainty` draws has the error factor of the answer.
    #[test]
    fn a_drawn_time_has_the_wider_error() {
        let factor = |distribution: Distribution| match distribution {
            Distribution::LogNormal { factor } => factor,
            other => panic!("{other:?}"),
        };
        let found = factor(Distribution::from_error_factor_90(2.0).widened(1.6));
        near(found / factor(Distribution::from_error_factor_90(3.2)), 1.0);
    }

    #[test]
    fn what_rounds_to_nothing_and_what_is_no_time_widens_nothing() {
        let of = |quantity: BalanceOf, missing: f64| {
            let balance = Balance::new(quantity, 100.0, 100.0 - missing).without(missing, "no operator ran in stage 1");
            widening(&Plan { balances: vec![balance], ..Plan::default() }, [100.0, 40.0], NOTHING)
        };
        near(of(BalanceOf::WallSeconds, 20.0), 1.3);
        near(of(BalanceOf::CpuSeconds, 0.4), 1.0);
        near(of(BalanceOf::Tasks, 20.0), 1.0);
        near(widening(&Plan::default(), [100.0, 40.0], NOTHING), 1.0);
    }
}
