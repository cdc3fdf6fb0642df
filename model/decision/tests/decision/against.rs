//! Two options compared with each other.

use crossover_decision::{Candidate, Decision, decide};
use proptest::prelude::*;

use super::{assert_near, candidate, cost_within, measured, normal, time};

/// Two options beside an engine that is slower and dearer by far, so that they are compared with each other.
fn both(options: [Candidate; 2]) -> Decision {
    decide(measured(1e6, Some(1e3)), options.into(), cost_within(1.0))
}

/// Chances that each of two options is faster, and that it is cheaper.
fn chances(decided: &Decision) -> [[f64; 2]; 2] {
    [0, 1].map(|place| {
        let against = decided.options[place].against.expect("both can be judged");
        assert_eq!(against.other, Some(1 - place));
        [against.faster, against.cheaper.expect("prices")]
    })
}

/// The quotient of two independent log-normal numbers is log-normal.
#[test]
fn of_two_engines_the_errors_are_independent() {
    let decided =
        both([candidate("one", time(0.0, 20.0, 0.5), Some(2.0)), candidate("other", time(0.0, 30.0, 0.7), Some(1.0))]);
    let [[faster, cheaper], _] = chances(&decided);
    let deviation = 0.5_f64.hypot(0.7);
    assert_near(faster, normal((30.0_f64 / 20.0).ln() / deviation), 1e-9);
    assert_near(cheaper, normal((30.0_f64 / 40.0).ln() / deviation), 1e-9);
}

/// Four machines instead of two: whatever the error is, it is that of both.
#[test]
fn of_one_engine_the_errors_are_the_same() {
    let on = |title: &str, median: f64, usd: f64| {
        let option = candidate(title, time(0.0, median, 0.5), Some(usd));
        Candidate { engine: "one engine".to_owned(), ..option }
    };
    let decided = both([on("on two", 20.0, 1.0), on("on four", 12.0, 2.0)]);
    let [[two_faster, two_cheaper], [four_faster, four_cheaper]] = chances(&decided);
    assert_near(four_faster, 1.0, 1e-9);
    assert_near(two_faster, 0.0, 1e-9);
    assert_near(two_cheaper, 1.0, 1e-9);
    assert_near(four_cheaper, 0.0, 1e-9);
}

#[test]
fn two_options_for_nothing_have_no_impossible_chance() {
    let free = |title: &str| candidate(title, time(0.0, 20.0, 0.5), Some(0.0));
    for option in both([free("one"), free("other")]).options {
        let cheaper = option.against.and_then(|against| against.cheaper);
        assert!(cheaper.is_none_or(|chance| (0.0..=1.0).contains(&chance)), "{cheaper:?}");
    }
}

proptest! {
    /// The times are continuous, so one of two options is the cheaper one.
    #[test]
    fn either_option_is_the_cheaper_one(
        known in [0.0..10.0, 0.0..10.0_f64],
        median in [10.0..50.0, 10.0..50.0_f64],
        deviation in [0.1..1.0, 0.1..1.0_f64],
        usd in [1.0..2.0, 1.0..2.0_f64],
    ) {
        let option = |at: usize| {
            candidate(&format!("option {at}"), time(known[at], median[at], deviation[at]), Some(usd[at]))
        };
        let [one, other] = chances(&both([option(0), option(1)]));
        prop_assert!((one[0] + other[0] - 1.0).abs() < 1e-6, "faster: {one:?} {other:?}");
        prop_assert!((one[1] + other[1] - 1.0).abs() < 1e-6, "cheaper: {one:?} {other:?}");
    }
}
