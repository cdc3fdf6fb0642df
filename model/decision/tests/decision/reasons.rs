//! The reason of each option is the rule of the verdict that it does not meet.

use crossover_decision::{Candidate, Objective, PredictedTime, Verdict, decide};

use super::{candidate, cost_within, least_time, measured, time};

/// Why the first of these options is recommended or not.
fn why(today: f64, options: Vec<Candidate>, objective: Objective) -> String {
    decide(measured(today, Some(1.0)), options, objective).why(0)
}

#[test]
fn an_option_that_stays_has_the_condition_that_it_does_not_meet() {
    let of = |seconds: f64, deviation: f64, usd: f64, limit: f64| {
        why(10.0, vec![candidate("option", time(0.0, seconds, deviation), Some(usd))], cost_within(limit))
    };
    assert_eq!(of(20.0, 0.1, 0.1, 1.0), "likely to be slower than today");
    assert_eq!(of(20.0, 0.1, 0.1, 1.5), "likely to take more than 1.5× today’s time");
    assert_eq!(of(5.0, 0.1, 3.0, 1.0), "likely to cost more than today");
    let budget =
        |seconds: f64| why(10.0, vec![candidate("option", time(0.0, seconds, 0.1), Some(1.0))], least_time(Some(0.01)));
    // A cent is 36 s.
    assert_eq!(budget(60.0), "likely to exceed the budget");
    assert_eq!(budget(20.0), "likely to be slower than today");
}

/// 70 % likely to be cheaper, and the regret is larger than the saving: `rules.rs` has the numbers by hand.
#[test]
fn a_regret_above_the_saving_is_the_reason_although_the_likelihood_is_above_one_half() {
    let option = |deviation: f64| vec![candidate("option", time(0.0, 10.0, deviation), Some(1.0))];
    let found = why(17.0, option(1.0), cost_within(1.0));
    assert!(found.starts_with("expected saving $") && found.contains(", not above the expected regret $"), "{found}");
    // The mean is 16.49 s.
    let negative = why(16.0, option(1.0), cost_within(1.0));
    assert!(negative.contains("more expensive on average"), "{negative}");
}

#[test]
fn of_several_good_options_the_others_save_less() {
    let sure = || candidate("sure", time(0.0, 5.0, 0.1), Some(1.0));
    let unsure = || candidate("unsure", time(0.0, 8.0, 0.3), Some(1.0));
    let found = why(10.0, vec![unsure(), sure()], cost_within(1.0));
    assert!(found.starts_with("saves less on average than sure; "), "{found}");
    // A third of the price for a time that is 77 % likely to be within the limit: ln(10 ÷ 8) is 0.74 of 0.3.
    let cheap = candidate("cheap", time(0.0, 8.0, 0.3), Some(0.3));
    let found = why(10.0, vec![sure(), cheap], cost_within(1.0));
    assert!(found.starts_with("needs no trial, but saves less on average than cheap; "), "{found}");
    let slower = candidate("slower", time(0.0, 6.0, 0.1), Some(1.0));
    let found = why(10.0, vec![slower, sure()], cost_within(1.0));
    assert!(found.starts_with("saves less on average than sure; "), "{found}");
    // Both are worth a trial, and none is likely enough for a move: the likelihood is not the reason.
    // 65 % likely to be cheaper than the other: ln(8.2 ÷ 7) is 0.37 of 0.3 · √2.
    let better = candidate("better", time(0.0, 7.0, 0.3), Some(1.0));
    let other = candidate("unsure", time(0.0, 8.2, 0.3), Some(1.0));
    let found = decide(measured(10.0, Some(1.0)), vec![other, better], cost_within(1.0));
    assert_eq!((found.verdict, found.best), (Verdict::Try, Some(1)));
    assert!(found.why(0).starts_with("saves less on average than better; "), "{}", found.why(0));
    assert_eq!(found.why(1), "recommended for a trial");
}

#[test]
fn what_cannot_be_judged_says_so_first() {
    let blocked =
        Candidate { blocked_by: Some("a reason".to_owned()), ..candidate("a", time(0.0, 5.0, 0.1), Some(1.0)) };
    assert_eq!(why(10.0, vec![blocked], cost_within(1.0)), "a reason");
    let exact = PredictedTime { known_seconds: 0.0, median_seconds: 5.0, deviation: None };
    assert_eq!(why(10.0, vec![candidate("a", exact, Some(1.0))], cost_within(1.0)), "no measured error");
    assert_eq!(why(10.0, vec![candidate("a", time(0.0, 5.0, 0.1), Some(1.0))], cost_within(1.0)), "recommended");
}
