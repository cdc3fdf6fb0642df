//! Limits that today's run breaks: an option only has to keep them.

use crossover_decision::{Candidate, Decision, Objective, Verdict, decide};

use super::{QUANTILE_90, assert_near, candidate, cost_within, least_time, measured, normal, time};

/// Means of e^0.005 · 8 s = 8.040 s at $14.40 an hour, $0.03216, and of 6.030 s at $36, $0.0603.
fn fast() -> [Candidate; 2] {
    [candidate("fast", time(0.0, 8.0, 0.1), Some(14.4)), candidate("dear", time(0.0, 6.0, 0.1), Some(36.0))]
}

/// 15 s at today's price: $0.0151.
fn slow() -> Candidate {
    candidate("slow", time(0.0, 15.0, 0.1), Some(3.6))
}

/// 20 s today at $3.60 an hour: $0.02.
fn decided(options: Vec<Candidate>, objective: Objective) -> Decision {
    decide(measured(20.0, Some(3.6)), options, objective)
}

#[test]
fn of_options_within_a_time_limit_that_today_breaks_the_cheapest_is_recommended_with_its_extra_cost() {
    let all = || fast().into_iter().chain([slow()]).collect::<Vec<Candidate>>();
    let found = decided(all(), cost_within(0.5));
    assert!(found.is_limit_broken_today());
    assert_eq!((found.verdict, found.best), (Verdict::Move, Some(0)));
    // The limit of 10 s decides alone, whatever a run costs.
    assert_near(found.options[0].better.expect("an error"), normal((10.0_f64 / 8.0).ln() / 0.1), 1e-12);
    assert_near(found.options[0].saving.expect("prices"), 0.02 - 0.004 * 8.0 * 0.005_f64.exp(), 1e-12);
    let sentence = found.sentence();
    assert!(sentence.starts_with("Move to fast: predicted 8 s ("), "{sentence}");
    assert!(sentence.contains(" it is 99 % likely to be done within 0.5× today’s time (10 s). "), "{sentence}");
    assert!(sentence.contains(" Expected extra cost: $0.012"), "{sentence}");
    let why = " Today’s run takes 20 s, longer than the limit of 10 s: of the options that are likely to meet it, this one costs least.";
    assert!(sentence.ends_with(why), "{sentence}");
    assert!(found.why(1).starts_with("costs more on average than fast; "), "{}", found.why(1));
    assert_eq!(found.why(2), "likely to take more than 0.5× today’s time");
    assert!(found.break_even_prices().is_empty());
    // Without that limit, only the cheaper option is worth a move.
    let usual = decided(all(), cost_within(1.0));
    assert_eq!((usual.verdict, usual.best, usual.is_limit_broken_today()), (Verdict::Move, Some(2), false));
}

/// Within 16 s, 15 s are Φ(ln(16 ÷ 15) ÷ 0.1) = 74 % likely. Their mean is 15 s · e^0.005, which costs as much as 20 s at 20 ÷ 15.075 of
/// today's $3.60.
#[test]
fn an_option_that_saves_has_break_even_prices_within_a_limit_that_today_breaks() {
    let found = decided(vec![slow()], cost_within(0.8));
    assert!(found.is_limit_broken_today());
    assert_eq!((found.verdict, found.best), (Verdict::Try, Some(0)));
    let [prices] = found.break_even_prices()[..] else { panic!("one option: {:?}", found.break_even_prices()) };
    let mean = 15.0 * 0.005_f64.exp();
    assert_near(prices.option_usd_per_hour, 3.6 * 20.0 / mean, 1e-12);
    assert_near(prices.today_usd_per_hour, 3.6 * mean / 20.0, 1e-12);
}

/// No saving pays for the move, so no effort keeps today's run, which breaks the limit.
#[test]
fn an_effort_does_not_keep_a_run_that_breaks_the_limit() {
    let objective = Objective { runs_per_month: Some(1000.0), effort_usd: Some(5000.0), ..cost_within(0.5) };
    let found = decided(Vec::from(fast()), objective);
    assert_eq!((found.verdict, found.best), (Verdict::Move, Some(0)));
    let sentence = found.sentence();
    assert!(sentence.contains(" Expected extra cost: $12.2 a month at 1,000 runs ("), "{sentence}");
    let effort = " The effort of $5,000 comes on top: the option costs more than today, so nothing pays it back.";
    assert!(sentence.ends_with(effort), "{sentence}");
    // 8 s and 8.1 s at one price: the first one is cheaper with Φ(ln(8.1 ÷ 8) ÷ (0.1·√2)) = 54 %, about the same.
    let option = |title: &str, seconds: f64| candidate(title, time(0.0, seconds, 0.1), Some(14.4));
    let twice = decided(vec![option("one", 8.0), option("other", 8.1)], objective);
    assert_eq!(twice.recommended().count(), 2);
    assert!(twice.sentence().contains("comes on top: the options cost more than today, "), "{}", twice.sentence());
}

/// Medians of 9.97 s and 10.2 s are both 10 s with two digits, on both sides of a limit of 10 s. The first one costs twice as much an hour.
#[test]
fn times_on_both_sides_of_the_limit_are_told_apart_and_so_is_the_pareto_front() {
    let options = vec![
        candidate("above", time(0.0, 10.2, 0.1), Some(14.4)),
        candidate("below", time(0.0, 9.97, 0.1), Some(28.8)),
    ];
    let found = decided(options, cost_within(0.5));
    assert_eq!((found.verdict, found.best), (Verdict::Try, Some(1)));
    assert_near(found.options[1].better.expect("an error"), normal((10.0_f64 / 9.97).ln() / 0.1), 1e-12);
    let sentence = found.sentence();
    // 90 % are within a factor of e^(1.645 · 0.1) = 1.179.
    assert!(
        sentence.starts_with("Try below: predicted 9.97 s (8.5 s … 12 s, 90 % interval) instead of "),
        "{sentence}"
    );
    let digits = found.time_digits();
    assert_eq!(
        [9.83, 10.2, 9.97, 10.04, 10.6].map(|at| digits.text(at)),
        ["9.8 s", "10.2 s", "9.97 s", "10.04 s", "11 s"]
    );
    // Neither is as fast and as cheap as the other one.
    assert_eq!([0, 1].map(|place: usize| found.options[place].is_efficient), [Some(true); 2]);
    // Without a limit near them, both take 10 s, and the dearer one is dominated.
    let options = found.options.iter().map(|option| option.candidate.clone()).collect();
    let usual = decided(options, cost_within(1.0));
    assert_eq!([0, 1].map(|place: usize| usual.options[place].is_efficient), [Some(true), Some(false)]);
}

/// A limit of 8 s is met with 50 %, and one of 7.8 s with Φ(ln 0.975 ÷ 0.1) = 40 %. With 90 % it is 8 s · e^(1.282 · 0.1) = 9.09 s, 0.4547 of
/// today's time.
#[test]
fn a_limit_that_no_option_is_likely_to_meet_keeps_today_and_names_the_one_that_is_met() {
    let of = |limit: f64| {
        let [fast, _] = fast();
        decided(vec![fast, slow()], cost_within(limit))
    };
    assert_eq!((of(0.4001).verdict, of(0.4001).best), (Verdict::Try, Some(0)));
    let found = of(0.39);
    assert_eq!((found.verdict, found.best), (Verdict::Stay, None));
    assert_near(found.limit_to_move(&found.options[0]).expect("a limit"), 0.4 * (QUANTILE_90 * 0.1).exp(), 1e-9);
    let sentence = found.sentence();
    let named = "The option most likely to be done within 0.39× today’s time (7.8 s) is fast: 40 %. Today’s run takes 20 s, longer than the \
                 limit of 7.8 s. With a time limit of 0.46× today’s time, the recommendation would be to move to fast.";
    assert!(sentence.ends_with(named), "{sentence}");
    assert_eq!((of(0.46).verdict, of(0.46).best), (Verdict::Move, Some(0)));
}

/// 19 s at $1.80 an hour save $0.02 − $0.0095·e^0.005 = $0.01045: at 1,000 runs $376 in 36 months. The limit is above today's time: 19 s ·
/// e^(1.282 · 0.1) = 21.6 s.
#[test]
fn a_limit_that_todays_run_keeps_is_named_only_if_the_effort_is_paid_back_there() {
    let of = |effort_usd: f64| {
        let option = candidate("cheap", time(0.0, 19.0, 0.1), Some(1.8));
        let objective = Objective { runs_per_month: Some(1000.0), effort_usd: Some(effort_usd), ..cost_within(0.5) };
        let found = decided(vec![option], objective);
        assert_eq!(found.verdict, Verdict::Stay);
        (found.limit_to_move(&found.options[0]), found.limit_of_a_move().is_some())
    };
    let (limit, is_named) = of(370.0);
    assert_near(limit.expect("a limit"), 0.95 * (QUANTILE_90 * 0.1).exp(), 1e-9);
    assert!(is_named);
    assert_eq!(of(380.0), (None, false));
}

/// $0.005 are 50 s at $0.36 an hour. The mean of the option is 30 s · e^0.005 = 30.15 s, 10.15 s more than today, and costs $0.003.
#[test]
fn of_options_within_a_budget_that_today_breaks_the_fastest_is_recommended() {
    let option = || candidate("cheap", time(0.0, 30.0, 0.1), Some(0.36));
    let of_budget = |budget: f64| decide(measured(20.0, Some(1.8)), vec![option()], least_time(Some(budget)));
    let found = of_budget(0.005);
    assert_eq!((found.verdict, found.best), (Verdict::Move, Some(0)));
    let sentence = found.sentence();
    assert!(sentence.contains(" likely to be within the budget of $0.005 per run. "), "{sentence}");
    assert!(sentence.contains(" Expected extra time: 10 s per run ("), "{sentence}");
    let why = " Today’s run costs $0.01, more than the budget of $0.005: of the options that are likely to meet it, this one is fastest.";
    assert!(sentence.ends_with(why), "{sentence}");
    // Today's run is within $0.011, and faster.
    assert_eq!(of_budget(0.011).verdict, Verdict::Stay);
    assert_eq!(of_budget(0.011).why(0), "likely to be slower than today");
}

/// $0.005 are 50 s at $0.36 an hour. The option is 53 % likely to be within the budget, and its mean of 49 s · e^0.045 = 51.26 s costs $0.00513.
#[test]
fn an_option_that_keeps_a_broken_budget_once_but_not_on_average_stays_because_of_its_mean_cost() {
    let option = candidate("cheap", time(0.0, 49.0, 0.3), Some(0.36));
    let found = decide(measured(20.0, Some(1.8)), vec![option], least_time(Some(0.005)));
    assert!(found.is_limit_broken_today());
    assert_near(found.options[0].better.expect("prices"), normal((50.0_f64 / 49.0).ln() / 0.3), 1e-12);
    assert_eq!((found.verdict, found.best), (Verdict::Stay, None));
    // That it is slower than today is no reason against it.
    assert_eq!(found.why(0), "expected cost $0.00513, above the budget of $0.005");
}

/// Means of 8 s · e^0.18 = 9.58 s cost $0.0181 at $6.80 an hour and $0.0213 at $8, where today costs $0.02. The first one is cheaper with
/// Φ(ln(8 ÷ 6.8) ÷ (0.6·√2)) = 58 %, about the same, and both are 65 % likely to keep the limit.
#[test]
fn options_of_which_one_costs_more_than_today_have_no_effort() {
    let option = |title: &str, usd: f64| candidate(title, time(0.0, 8.0, 0.6), Some(usd));
    let options = vec![option("saves", 6.8), option("costs", 8.0)];
    let found = decided(options, cost_within(0.5));
    assert_eq!((found.verdict, found.recommended().count()), (Verdict::Try, 2));
    assert!(found.options[0].saving > Some(0.0) && found.options[1].saving < Some(0.0));
    assert_eq!(found.break_even_prices().iter().map(|prices| prices.option).collect::<Vec<usize>>(), [0]);
    let sentence = found.sentence();
    assert!(sentence.contains(" Expected saving: ") && !sentence.contains("effort"), "{sentence}");
}
