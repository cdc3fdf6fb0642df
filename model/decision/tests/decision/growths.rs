//! The growth of the data at which another option wins.

use crossover_decision::growth::TimeGrowth;
use crossover_decision::{Decision, Objective, TimeLimit, Verdict, decide};

use super::{assert_near, candidate, cost_within, measured, time};

/// Today is 10 s and grows with the data; the option takes 30 s, of which 29 s are a start that does not grow.
fn decision() -> Decision {
    decide(measured(10.0, Some(1.0)), vec![candidate("option", time(0.0, 30.0, 0.0), Some(1.0))], cost_within(1.0))
}

fn times(growth: f64) -> TimeGrowth {
    TimeGrowth { today: growth, options: vec![(29.0 + growth) / 30.0] }
}

#[test]
fn the_recommendation_changes_at_the_named_growth_and_not_before() {
    let before = decision();
    assert_eq!((before.verdict, before.best), (Verdict::Stay, None));
    let change = before.growth_of_a_change(0.0, |growth| Some(times(growth))).expect("a change");
    assert_eq!((change.best, change.verdict), (Some(0), Verdict::Move));
    // 10·g = 29 + g, rounded up to two digits: 3.2222 …
    assert_near(change.growth, 3.3, 1e-9);
    let best = |growth: f64| before.with_data(&times(growth), 0.0).best;
    assert_eq!((best(3.22), best(3.23)), (None, Some(0)));
}

/// Today takes 10 s · g. Of two options, one takes 8 s · g and the other one, which is dearer, 4 s · g. Within 9 s the cheaper one is done up to
/// g = 9 ÷ 8, and within 0.9 of today's time at every g.
#[test]
fn a_limit_that_is_a_time_stays_when_the_data_grows_and_a_factor_grows() {
    let change = |time_limit: TimeLimit| {
        let options = vec![
            candidate("cheap", time(0.0, 8.0, 0.0), Some(1.0)),
            candidate("fast", time(0.0, 4.0, 0.0), Some(10.0)),
        ];
        let objective = Objective { time_limit, ..cost_within(1.0) };
        let decision = decide(measured(10.0, Some(1.0)), options, objective);
        assert_eq!((decision.verdict, decision.best), (Verdict::Move, Some(0)));
        decision.growth_of_a_change(0.0, |growth| Some(TimeGrowth { today: growth, options: vec![growth; 2] }))
    };
    assert_eq!(change(TimeLimit::Factor(0.9)), None);
    let found = change(TimeLimit::Seconds(9.0)).expect("a change");
    // 1.125, rounded up to two digits.
    assert_near(found.growth, 1.2, 1e-9);
    assert_eq!((found.best, found.verdict), (Some(1), Verdict::Move));
}

#[test]
fn the_known_part_of_a_time_does_not_grow() {
    // 4 s of today's 10 s are outside of queries; so are 4 s of the option's 14 s.
    let option = candidate("option", time(4.0, 10.0, 0.0), Some(1.0));
    let before = decide(measured(10.0, Some(1.0)), vec![option], cost_within(1.0));
    let after = before.with_data(&TimeGrowth { today: 5.0, options: vec![2.0] }, 4.0);
    assert_near(after.baseline.time.value(), 4.0 + 6.0 * 5.0, 1e-12);
    assert_near(after.options[0].candidate.time.expect("a time").value(), 4.0 + 10.0 * 2.0, 1e-12);
    assert_eq!(after.best, Some(0));
}

#[test]
fn times_that_grow_alike_change_nothing() {
    let alike = |growth: f64| Some(TimeGrowth { today: growth, options: vec![growth] });
    assert_eq!(decision().growth_of_a_change(0.0, alike), None);
    assert_eq!(decision().growth_of_a_change(0.0, |_| None), None);
    // One that grows faster than today wins nowhere.
    let faster = |growth: f64| Some(TimeGrowth { today: growth, options: vec![growth * growth] });
    assert_eq!(decision().growth_of_a_change(0.0, faster), None);
}

#[test]
fn growth_one_is_the_decision_itself() {
    let before = decision();
    let same = before.with_data(&TimeGrowth { today: 1.0, options: vec![1.0] }, 0.0);
    assert_eq!((same.verdict, same.best), (before.verdict, before.best));
    assert_eq!(same.baseline, before.baseline);
}
