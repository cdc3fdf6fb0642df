//! Decisions without prices, and for the least time.

use crossover_decision::{Candidate, Objective, Verdict, decide};

use super::{assert_near, candidate, cost_within, least_time, measured, normal, time};

/// 10 s instead of 20 s.
fn fast(usd_per_hour: Option<f64>) -> Candidate {
    candidate("fast", time(0.0, 10.0, 0.3), usd_per_hour)
}

#[test]
fn without_a_price_time_decides() {
    for (today_usd, option_usd) in [(None, Some(1.0)), (None, None)] {
        let objective = Objective { runs_per_month: Some(1000.0), ..cost_within(1.0) };
        let decided = decide(measured(20.0, today_usd), vec![fast(option_usd)], objective);
        assert!(decided.lacks_price && decided.is_by_time());
        assert_eq!((decided.verdict, decided.best), (Verdict::Move, Some(0)));
        let option = &decided.options[0];
        assert_eq!((option.cheaper, decided.saving_per_month()), (None, None));
        let expected = normal(2.0_f64.ln() / 0.3);
        assert_near(option.faster.expect("an error"), expected, 1e-12);
        assert_near(option.better.expect("an error"), expected, 1e-12);
        assert_near(option.saving.expect("an error"), 20.0 - 10.0 * 0.045_f64.exp(), 1e-12);
        assert!(decided.sentence().contains("likely to be faster."), "{}", decided.sentence());
    }
}

/// Both prices follow from the means alone: 20 s at $3 an hour cost as much as 10 s · exp(0.3² / 2) = 10.46 s at $5.736.
#[test]
fn at_its_break_even_price_an_option_saves_nothing() {
    let mean = 10.0 * 0.045_f64.exp();
    let decided = decide(measured(20.0, Some(3.0)), vec![fast(Some(1.0))], cost_within(1.0));
    let [found] = decided.break_even_prices()[..] else { panic!("one option: {:?}", decided.break_even_prices()) };
    assert_eq!(found.option, 0);
    assert_near(found.option_usd_per_hour, 3.0 * 20.0 / mean, 1e-12);
    assert_near(found.today_usd_per_hour, mean / 20.0, 1e-12);
    for [today, option] in [[3.0, found.option_usd_per_hour], [found.today_usd_per_hour, 1.0]] {
        let there = decide(measured(20.0, Some(today)), vec![fast(Some(option))], cost_within(1.0));
        assert_near(there.options[0].saving.expect("prices"), 0.0, 1e-15);
    }
    let same = Candidate { is_on_same_machines: true, ..fast(Some(3.0)) };
    assert!(decide(measured(20.0, Some(3.0)), vec![same], cost_within(1.0)).break_even_prices().is_empty());
    assert!(decide(measured(20.0, None), vec![fast(None)], cost_within(1.0)).break_even_prices().is_empty());
}

#[test]
fn an_option_without_a_price_cannot_be_judged_and_does_not_hinder_the_others() {
    let slow_and_cheap = candidate("slow and cheap", time(0.0, 30.0, 0.1), Some(0.01));
    let decided = decide(measured(20.0, Some(1.0)), vec![slow_and_cheap, fast(None)], cost_within(10.0));
    assert!(!decided.lacks_price);
    assert_eq!((decided.verdict, decided.best), (Verdict::Move, Some(0)));
    assert_eq!(decided.options[1].candidate.blocked_by.as_deref(), Some("no price of its machines"));
    let alone = decide(measured(20.0, Some(1.0)), vec![fast(None)], cost_within(1.0));
    assert_eq!(alone.sentence(), "Cannot be judged: no price of its machines.");
}

#[test]
fn an_option_that_cannot_be_judged_needs_no_price() {
    let blocked = Candidate { blocked_by: Some("no data".to_owned()), ..fast(None) };
    let decided = decide(measured(20.0, Some(1.0)), vec![blocked, fast(Some(1.0))], cost_within(1.0));
    assert!(!decided.lacks_price);
    assert_eq!((decided.verdict, decided.best), (Verdict::Move, Some(1)));
}

/// Twice the price at half the time: as dear as today at the median.
#[test]
fn the_least_time_is_within_the_budget() {
    let of_budget = |budget: Option<f64>| decide(measured(20.0, Some(1.8)), vec![fast(Some(3.6))], least_time(budget));
    // 20 s at $1.80 an hour cost $0.01.
    let todays = of_budget(None);
    let chance = todays.options[0].feasible.expect("prices");
    assert_near(chance, 0.5, 1e-12);
    assert_eq!(todays.options[0].better, todays.options[0].feasible);
    assert_eq!(of_budget(Some(0.01)).options[0].feasible.map(|found| (found - chance).abs() < 1e-12), Some(true));
    // $0.02 are 20 s of the option, so that being faster is what counts.
    let twice = of_budget(Some(0.02));
    assert_near(twice.options[0].better.expect("prices"), normal(2.0_f64.ln() / 0.3), 1e-12);
    assert_eq!((twice.verdict, twice.best, twice.lacks_price), (Verdict::Move, Some(0), false));
    // $0.005 are 5 s.
    let half = of_budget(Some(0.005));
    assert_near(half.options[0].feasible.expect("prices"), normal(0.5_f64.ln() / 0.3), 1e-12);
    assert_eq!((half.verdict, half.best), (Verdict::Stay, None));
    let sentence = half.sentence();
    assert!(sentence.contains("likely to be within the budget of $0.005 per run is fast"), "{sentence}");
    assert!(sentence.ends_with(" Today’s run costs $0.01, more than the budget of $0.005."), "{sentence}");
}

/// 10 s of the median at $3.60 an hour cost $0.01, and their mean of 10 s·e^0.045 = 10.46 s costs $0.01046: a budget of $0.0102 is kept with
/// Φ(ln 1.02 ÷ 0.3) = 53 %, but not on average. The slower option takes 12 s, costs $0.002 and is within it.
#[test]
fn an_option_whose_mean_cost_is_above_the_budget_is_not_recommended() {
    let of_budget = |budget: f64| {
        let slower = candidate("slower", time(0.0, 12.0, 0.1), Some(0.6));
        decide(measured(20.0, Some(1.8)), vec![fast(Some(3.6)), slower], least_time(Some(budget)))
    };
    let tight = of_budget(0.0102);
    assert_near(tight.options[0].better.expect("prices"), normal(1.02_f64.ln() / 0.3), 1e-12);
    assert_eq!(tight.best, Some(1));
    assert_eq!(tight.why(0), "expected cost $0.0105, above the budget of $0.0102");
    assert_eq!(of_budget(0.0105).best, Some(0));
}

/// 20 s less the mean of 10.46 s are 9.54 s. The ends of the 90 % interval, 10 s·e^(±1.645·0.3), are 6.1 s and 16.4 s.
#[test]
fn where_time_decides_the_saving_is_in_seconds() {
    let decided = decide(measured(20.0, Some(1.8)), vec![fast(Some(3.6))], least_time(Some(0.02)));
    assert_eq!(decided.saving_in_words().as_deref(), Some("9.5 s per run"));
    let expected = " On average a run costs $0.01046 instead of $0.01000. Expected saving: 9.5 s per run (3.6 s … 14 s, 90 % interval).";
    assert!(decided.sentence().ends_with(expected), "{}", decided.sentence());
}

#[test]
fn the_least_time_needs_no_price() {
    let decided = decide(measured(20.0, None), vec![fast(None)], least_time(None));
    assert_eq!((decided.verdict, decided.lacks_price, decided.is_by_time()), (Verdict::Move, false, true));
}

#[test]
fn the_saving_of_a_month_is_that_of_all_runs() {
    let objective = Objective { runs_per_month: Some(1000.0), ..cost_within(1.0) };
    let decided = decide(measured(20.0, Some(1.0)), vec![fast(Some(1.0))], objective);
    let expected = 1000.0 * (20.0 - 10.0 * 0.045_f64.exp()) / 3600.0;
    assert_near(decided.saving_per_month().expect("prices and runs"), expected, 1e-9);
    let stays = decide(measured(5.0, Some(1.0)), vec![fast(Some(1.0))], objective);
    assert_eq!((stays.verdict, stays.saving_per_month()), (Verdict::Stay, Some(0.0)));
}
