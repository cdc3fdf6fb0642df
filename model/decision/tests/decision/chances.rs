//! Chances, savings and regrets of one candidate, compared with many outcomes drawn at random.

use crossover_decision::{Baseline, Candidate, DecisionOption, Objective, PredictedTime, decide};

use super::draws::{Draws, Mean, OUTCOMES};
use super::{HOUR, assert_near, candidate, cost_within, least_time, measured, normal, time};

/// A candidate beside today's engine.
struct Case {
    /// Known part, median of the rest and deviation of its time.
    option: [f64; 3],
    /// Median and deviation of today's time.
    today: [f64; 2],
    /// Correlation of both errors.
    correlation: f64,
    /// Prices of an hour, today's first.
    usd_per_hour: [f64; 2],
    time_limit: f64,
    seed: u64,
}

/// Means over the outcomes of a case.
#[derive(Default)]
struct Means {
    faster: Mean,
    cheaper: Mean,
    within_limit: Mean,
    cheaper_within_limit: Mean,
    faster_and_cheaper: Mean,
    saved_usd: Mean,
    lost_usd: Mean,
    saved_seconds: Mean,
    lost_seconds: Mean,
}

impl Case {
    fn outcomes(&self) -> Means {
        let ([known, median, deviation], [today, today_deviation]) = (self.option, self.today);
        let [now, then] = self.usd_per_hour;
        let (mut draws, mut means) = (Draws::new(self.seed), Means::default());
        for _ in 0..OUTCOMES {
            let [of_today, own] = draws.pair();
            let error = self.correlation * of_today + (1.0 - self.correlation * self.correlation).sqrt() * own;
            let before = today * (today_deviation * of_today).exp();
            let after = known + median * (deviation * error).exp();
            let [usd_before, usd_after] = [before * now / HOUR, after * then / HOUR];
            let is_within = after <= self.time_limit * before;
            means.faster.count(after <= before);
            means.cheaper.count(usd_after <= usd_before);
            means.within_limit.count(is_within);
            means.cheaper_within_limit.count(is_within && usd_after <= usd_before);
            means.faster_and_cheaper.count(after <= before && usd_after <= usd_before);
            means.saved_usd.add(usd_before - usd_after);
            means.lost_usd.add((usd_after - usd_before).max(0.0));
            means.saved_seconds.add(before - after);
            means.lost_seconds.add((after - before).max(0.0));
        }
        means
    }

    fn baseline(&self) -> Baseline {
        let [today, deviation] = self.today;
        let is_measured = deviation == 0.0;
        let time = PredictedTime { known_seconds: 0.0, median_seconds: today, deviation: Some(deviation) };
        Baseline { time, is_measured, ..measured(today, Some(self.usd_per_hour[0])) }
    }

    fn candidate(&self) -> Candidate {
        let ([known, median, deviation], [_, of_today]) = (self.option, self.today);
        // Variance of the difference of two correlated normal numbers.
        let variance = deviation.powi(2) + of_today.powi(2) - 2.0 * self.correlation * deviation * of_today;
        let option = candidate("option", time(known, median, deviation), Some(self.usd_per_hour[1]));
        Candidate { deviation_of_ratio: Some(variance.sqrt()), ..option }
    }

    fn decided(&self, objective: Objective) -> DecisionOption {
        decide(self.baseline(), vec![self.candidate()], objective).options.remove(0)
    }

    #[track_caller]
    fn check(&self) {
        let means = self.outcomes();
        let by_cost = self.decided(cost_within(self.time_limit));
        means.faster.assert_is("faster", by_cost.faster);
        means.cheaper.assert_is("cheaper", by_cost.cheaper);
        means.within_limit.assert_is("within the time limit", by_cost.feasible);
        means.cheaper_within_limit.assert_is("cheaper within the time limit", by_cost.better);
        means.saved_usd.assert_is("saving, dollars", by_cost.saving);
        means.lost_usd.assert_is("regret, dollars", by_cost.regret);
        let by_time = self.decided(least_time(None));
        means.cheaper.assert_is("within the budget", by_time.feasible);
        means.faster_and_cheaper.assert_is("faster within the budget", by_time.better);
        means.saved_seconds.assert_is("saving, seconds", by_time.saving);
        means.lost_seconds.assert_is("regret, seconds", by_time.regret);
    }
}

#[test]
fn a_prediction_beside_a_measured_time_has_the_chances_of_its_outcomes() {
    let measured = |option, today, usd_per_hour, time_limit, seed| {
        Case { option, today: [today, 0.0], correlation: 0.0, usd_per_hour, time_limit, seed }.check();
    };
    measured([0.0, 30.0, 0.3], 40.0, [3.0, 2.0], 0.9, 1);
    measured([0.0, 25.0, 0.9], 40.0, [1.0, 1.3], 1.5, 2);
    // The start of an application and its gaps stay as they are.
    measured([5.0, 20.0, 0.6], 40.0, [3.0, 4.0], 1.2, 3);
    measured([12.0, 9.0, 0.8], 40.0, [3.0, 6.0], 1.0, 4);
}

/// Margrabe, The value of an option to exchange one asset for another, Journal of Finance 33 (1978): the regret is the mean of
/// what one log-normal number exceeds another one by.
#[test]
fn a_prediction_beside_a_predicted_time_has_the_chances_of_both_outcomes() {
    let predicted = |option, today, correlation, usd_per_hour, time_limit, seed| {
        Case { option, today, correlation, usd_per_hour, time_limit, seed }.check();
    };
    predicted([0.0, 20.0, 0.6], [30.0, 0.5], 0.0, [3.0, 4.0], 1.2, 5);
    predicted([0.0, 20.0, 0.6], [30.0, 0.5], 0.6, [3.0, 4.0], 1.2, 6);
    predicted([0.0, 45.0, 0.4], [30.0, 0.7], -0.3, [3.0, 1.0], 1.6, 7);
}

#[test]
fn a_known_part_that_costs_more_than_today_leaves_no_chance_to_be_cheaper() {
    let known = time(30.0, 5.0, 0.4);
    let option = |objective| {
        let options = vec![candidate("option", known, Some(4.0))];
        decide(measured(40.0, Some(2.0)), options, objective).options.remove(0)
    };
    // 20 s at $4 cost as much as 40 s at $2.
    let by_cost = option(cost_within(1.0));
    assert_eq!((by_cost.cheaper, by_cost.better), (Some(0.0), Some(0.0)));
    let mean = 30.0 + 5.0 * (0.4_f64 * 0.4 / 2.0).exp();
    let lost = (4.0 * mean - 2.0 * 40.0) / HOUR;
    assert_near(by_cost.saving.expect("prices"), -lost, 1e-12);
    assert_near(by_cost.regret.expect("prices"), lost, 1e-12);
    assert_near(by_cost.faster.expect("an error"), normal((10.0_f64 / 5.0).ln() / 0.4), 1e-12);
}

/// A run may cost $0.02: that is 18 s at $4 an hour, whatever today's time is.
#[test]
fn a_budget_of_a_run_does_not_depend_on_the_error_of_the_time_today() {
    let budget = least_time(Some(0.02));
    let case = Case {
        option: [0.0, 15.0, 0.3],
        today: [30.0, 0.6],
        correlation: 0.0,
        usd_per_hour: [3.0, 4.0],
        time_limit: 1.0,
        seed: 8,
    };
    let expected = normal((18.0_f64 / 15.0).ln() / 0.3);
    let measured = Case { today: [30.0, 0.0], ..case };
    assert_near(measured.decided(budget).feasible.expect("prices"), expected, 1e-9);
    let predicted = Case { today: [30.0, 0.6], ..measured };
    assert_near(predicted.decided(budget).feasible.expect("prices"), expected, 1e-9);
}
