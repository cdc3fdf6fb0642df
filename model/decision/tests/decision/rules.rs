//! The table of verdicts, and what is recommended at its borders.

use crossover_decision::{Candidate, Decision, Verdict, decide};

use super::{QUANTILE_90, assert_near, candidate, cost_within, measured, normal, time};

/// A little more or less than a border.
const LITTLE: f64 = 1e-6;

#[test]
fn the_rules_are_those_of_the_table() {
    for (chance, saving, regret, expected) in [
        (0.9, 1e-9, 0.0, Verdict::Move),
        // A sure option needs no gain that outweighs its regret.
        (0.9, 1.0, 5.0, Verdict::Move),
        (1.0, 1.0, 0.0, Verdict::Move),
        (0.9, 0.0, 0.0, Verdict::Stay),
        (0.95, -1.0, 2.0, Verdict::Stay),
        (0.899_999, 2.0, 1.0, Verdict::Try),
        (0.5, 2.0, 1.0, Verdict::Try),
        (0.5, 1.0, 1.0, Verdict::Stay),
        (0.7, 1.0, 2.0, Verdict::Stay),
        (0.499_999, 2.0, 1.0, Verdict::Stay),
        (0.0, 0.0, 0.0, Verdict::Stay),
    ] {
        assert_eq!(Verdict::of(chance, saving, regret), expected, "{chance}, {saving}, {regret}");
    }
}

fn decision(today: f64, options: Vec<Candidate>, limit: f64) -> Decision {
    decide(measured(today, Some(1.0)), options, cost_within(limit))
}

/// At equal prices the chance to be cheaper is that to be faster: 90 % where today's time is the quantile of 90 %.
#[test]
fn from_ninety_percent_on_no_trial_is_needed() {
    let at_border = 10.0 * (QUANTILE_90 * 0.3).exp();
    for (today, expected) in [(at_border * (1.0 + LITTLE), Verdict::Move), (at_border * (1.0 - LITTLE), Verdict::Try)] {
        let decided = decision(today, vec![candidate("option", time(0.0, 10.0, 0.3), Some(1.0))], 1.0);
        assert_eq!((decided.verdict, decided.best), (expected, Some(0)), "{today}");
        assert_near(decided.options[0].better.expect("prices"), 0.9, 1e-5);
    }
}

/// Ten times cheaper, and as fast as today with a chance of one half.
#[test]
fn below_fifty_percent_no_trial_pays() {
    for (today, expected, best) in
        [(10.0 * (1.0 + LITTLE), Verdict::Try, Some(0)), (10.0 * (1.0 - LITTLE), Verdict::Stay, None)]
    {
        let decided = decision(today, vec![candidate("option", time(0.0, 10.0, 0.3), Some(0.1))], 1.0);
        assert_eq!((decided.verdict, decided.best), (expected, best), "{today}");
        assert_near(decided.options[0].better.expect("prices"), 0.5, 1e-5);
    }
}

/// Both options have a chance above one half; the regret is that of Black's formula, by hand for a mean of 16.487 s.
#[test]
fn a_trial_pays_where_the_saving_is_more_than_the_regret() {
    let mean = 10.0 * 0.5_f64.exp();
    for (today, verdict, better) in [(17.0, Verdict::Stay, 0.7022), (30.0, Verdict::Try, 0.8640)] {
        let decided = decision(today, vec![candidate("option", time(0.0, 10.0, 1.0), Some(1.0))], 1.0);
        let option = &decided.options[0];
        let above = (mean / today).ln() + 0.5;
        let regret = (mean * normal(above) - today * normal(above - 1.0)) / 3600.0;
        assert_eq!(decided.verdict, verdict, "{today}");
        assert_near(option.better.expect("prices"), better, 1e-4);
        assert_near(option.saving.expect("prices"), (today - mean) / 3600.0, 1e-12);
        assert_near(option.regret.expect("prices"), regret, 1e-12);
        assert_eq!(verdict == Verdict::Try, today - mean > regret * 3600.0, "by hand");
    }
}

#[test]
fn what_is_slower_and_dearer_is_not_recommended() {
    let slow = candidate("slow", time(0.0, 20.0, 0.3), Some(2.0));
    let decided = decision(10.0, vec![slow], 1.0);
    assert_eq!((decided.verdict, decided.best), (Verdict::Stay, None));
    assert_eq!(decided.limit_to_move(&decided.options[0]), None);
    assert!(decided.sentence().starts_with("Stay with today"), "{}", decided.sentence());
}

/// The first option has the largest mean saving, and a large risk; the second one is 95 % likely to save.
#[test]
fn an_option_that_surely_saves_is_not_hidden_by_a_risky_one() {
    let baseline = || measured(100.0, Some(1.0));
    let risky = || candidate("risky", time(0.0, 60.0, 1.0), Some(0.9));
    let sure = || candidate("sure", time(0.0, 92.0, 0.05), Some(1.0));
    let alone = |option: Candidate| decide(baseline(), vec![option], cost_within(1.0)).verdict;
    assert_eq!((alone(risky()), alone(sure())), (Verdict::Stay, Verdict::Move));
    let decided = decide(baseline(), vec![risky(), sure()], cost_within(1.0));
    assert_eq!((decided.verdict, decided.best), (Verdict::Move, Some(1)), "{}", decided.sentence());
}

/// Options at a tenth and at half of today's price for an hour. Up to 13.5 s they take with Φ(ln(13.5 ÷ 9.5) ÷ 0.3) = 88 % and
/// Φ(ln(13.5 ÷ 9) ÷ 0.3) = 91 %; the second saves (10 · 10 s − 5 · 9 s · e^0.045) ÷ 3600 = $0.0147, and the first $0.025.
#[test]
fn a_weaker_limit_recommends_nothing_that_saves_less() {
    let of = |limit: f64| {
        let cheap = candidate("cheap", time(0.0, 9.5, 0.3), Some(1.0));
        let fast = candidate("fast", time(0.0, 9.0, 0.3), Some(5.0));
        decide(measured(10.0, Some(10.0)), vec![cheap, fast], cost_within(limit))
    };
    for (limit, verdict, without_trial) in
        [(1.0, Verdict::Try, None), (1.35, Verdict::Try, Some(1)), (1.5, Verdict::Move, None)]
    {
        let found = of(limit);
        assert_eq!((found.verdict, found.best, found.without_trial()), (verdict, Some(0), without_trial), "{limit}");
    }
    let sentence = of(1.35).sentence();
    assert!(sentence.starts_with("Try cheap: predicted 9.5 s ("), "{sentence}");
    let without = " Without a trial, move to fast: 91 % likely to be cheaper within 1.35× today’s time (13.5 s), expected saving $0.015 per run (";
    // The effort is that of the recommended option: $100 ÷ ((10 · 10 s − 9.5 s · e^0.045) ÷ 3600) = 3,997.
    let effort = " is paid back after 4,000 runs.";
    assert!(sentence.contains(&format!("{effort}{without}")), "{sentence}");
}
