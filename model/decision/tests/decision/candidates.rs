//! Candidates that cannot be chosen.

use crossover_decision::{Candidate, PredictedTime, Verdict, decide};

use super::{candidate, cost_within, least_time, measured, time};

/// A tenth of the time at a tenth of the price.
fn tempting(title: &str) -> Candidate {
    candidate(title, time(0.0, 1.0, 0.2), Some(0.1))
}

fn blocked() -> Candidate {
    Candidate { blocked_by: Some("it has user code".to_owned()), ..tempting("blocked") }
}

fn unmeasured() -> Candidate {
    Candidate { time: None, deviation_of_ratio: None, ..tempting("unmeasured") }
}

fn without_error() -> Candidate {
    let time = PredictedTime { deviation: None, ..time(0.0, 1.0, 0.2) };
    Candidate { time: Some(time), deviation_of_ratio: None, ..tempting("without an error") }
}

#[test]
fn what_is_blocked_or_unmeasured_is_never_the_best() {
    for objective in [cost_within(1.0), least_time(None)] {
        let plain = candidate("plain", time(0.0, 5.0, 0.2), Some(1.0));
        let options = vec![blocked(), unmeasured(), plain, without_error()];
        let decided = decide(measured(10.0, Some(1.0)), options, objective);
        assert_eq!((decided.verdict, decided.best), (Verdict::Move, Some(2)));
        let [blocked, unmeasured, plain, without_error] = &decided.options[..] else { panic!("four options") };
        assert!(blocked.against.is_none() && blocked.is_efficient.is_none());
        assert!(unmeasured.usd.is_none() && unmeasured.faster.is_none() && unmeasured.better.is_none());
        assert!(without_error.faster.is_none() && without_error.better.is_none() && without_error.usd.is_some());
        assert_eq!(plain.against.map(|against| against.other), Some(None), "nothing else is compared with it");
    }
}

#[test]
fn an_option_that_the_user_named_without_data_is_in_the_sentence() {
    let blocked = |is_named: bool, seconds: f64, why: &str| {
        let blocked_by = Some(why.to_owned());
        let plain = candidate("plain", time(0.0, seconds, 0.2), Some(1.0));
        let options = vec![Candidate { is_named, blocked_by, ..unmeasured() }, plain];
        decide(measured(10.0, Some(1.0)), options, cost_within(1.0)).sentence()
    };
    let named =
        |is_named: bool, seconds: f64| blocked(is_named, seconds, "no measured data: measured on L4 only, not on A100");
    let says = " unmeasured, which you named, has no measured data: measured on L4 only, not on A100.";
    // A run that failed is no lack of data.
    assert!(!blocked(true, 5.0, "it failed").contains("which you named"));
    for seconds in [5.0, 40.0] {
        assert!(named(true, seconds).contains(says), "{}", named(true, seconds));
        assert!(!named(false, seconds).contains("unmeasured"), "{}", named(false, seconds));
    }
}

/// 10 s today at a dollar an hour. The second takes half of the time at the same price, and the third longer at a higher one.
#[test]
fn what_another_row_dominates_is_not_on_the_pareto_front_and_what_cannot_be_judged_leaves_it_unknown() {
    let today = || measured(10.0, Some(1.0));
    let half = || candidate("half", time(0.0, 5.0, 0.2), Some(1.0));
    let worse = candidate("worse", time(0.0, 12.0, 0.2), Some(2.0));
    let decided = decide(today(), vec![half(), worse], cost_within(1.0));
    assert_eq!(decided.options.iter().map(|option| option.is_efficient).collect::<Vec<_>>(), [Some(true), Some(false)]);
    assert_eq!(decided.is_today_efficient(), Some(false));

    // What is blocked is predicted to be faster and cheaper than both: neither it nor they are known to be on the front.
    let with_blocked = decide(today(), vec![half(), blocked()], cost_within(1.0));
    assert_eq!(with_blocked.options.iter().map(|option| option.is_efficient).collect::<Vec<_>>(), [None, None]);
    assert_eq!(with_blocked.is_today_efficient(), Some(false), "half dominates it");
    let alone = decide(today(), vec![blocked()], cost_within(1.0));
    assert_eq!((alone.options[0].is_efficient, alone.is_today_efficient()), (None, None));
}

/// Without an option that can be judged, a list still shows one: the likeliest, as the rows of the table have it.
#[test]
fn where_nothing_can_be_judged_the_likeliest_option_is_shown() {
    let blocked = |title: &str, usd_per_hour: f64| {
        let blocked_by = Some("half of the time is outside".to_owned());
        Candidate { blocked_by, ..candidate(title, time(0.0, 9.0, 0.2), Some(usd_per_hour)) }
    };
    let decided = decide(measured(10.0, Some(1.0)), vec![blocked("dear", 5.0), blocked("same", 1.0)], cost_within(1.0));
    assert_eq!(
        (decided.verdict, decided.likeliest_place(), decided.shown_place()),
        (Verdict::CannotJudge, None, Some(1))
    );
    let judged = candidate("judged", time(0.0, 9.5, 0.2), Some(1.0));
    let options = vec![blocked("same", 1.0), judged];
    assert_eq!(decide(measured(10.0, Some(1.0)), options, cost_within(1.0)).shown_place(), Some(1));
}

#[test]
fn without_an_option_that_can_be_judged_nothing_is_recommended() {
    for options in [vec![], vec![blocked()], vec![unmeasured(), blocked()], vec![without_error()]] {
        let decided = decide(measured(10.0, Some(1.0)), options, cost_within(1.0));
        assert_eq!((decided.verdict, decided.best, decided.lacks_price), (Verdict::CannotJudge, None, false));
        assert!(decided.sentence().starts_with("Cannot be judged: "), "{}", decided.sentence());
    }
    let decided = decide(measured(10.0, Some(1.0)), vec![blocked()], cost_within(1.0));
    assert_eq!(decided.sentence(), "Cannot be judged: it has user code.");
    let other = Candidate { blocked_by: Some("its exchange is too large".to_owned()), ..blocked() };
    let decided = decide(measured(10.0, Some(1.0)), vec![blocked(), other, blocked()], cost_within(1.0));
    assert_eq!(decided.reasons_not_judged(), ["it has user code", "its exchange is too large"]);
    let judged = vec![blocked(), candidate("plain", time(0.0, 5.0, 0.2), Some(1.0))];
    assert!(decide(measured(10.0, Some(1.0)), judged, cost_within(1.0)).reasons_not_judged().is_empty());
}
