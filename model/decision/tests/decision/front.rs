//! The Pareto front as the goal: no option is preferred.

use crossover_decision::{Candidate, Goal, Objective, TimeLimit, Verdict, decide};

use super::{candidate, measured, time};

/// The front, with a time limit that does not count.
fn pareto_front() -> Objective {
    Objective { goal: Goal::ParetoFront, time_limit: TimeLimit::Factor(3.0), ..Objective::default() }
}

/// A fifth of 10 s at ten times the price: two cents per ten that today costs.
fn fast() -> Candidate {
    candidate("fast", time(0.0, 2.0, 0.2), Some(10.0))
}

/// Half of 10 s at the same price.
fn half() -> Candidate {
    candidate("half", time(0.0, 5.0, 0.2), Some(1.0))
}

/// 10 s today at a dollar an hour cost $0.0028; 2 s at $10 cost 20/3600 = $0.0056, and 5 s at $1 cost 5/3600 = $0.0014.
#[test]
fn all_options_that_no_other_one_dominates_are_listed_and_none_is_recommended() {
    let worse = candidate("worse", time(0.0, 12.0, 0.2), Some(2.0));
    let decided = decide(measured(10.0, Some(1.0)), vec![half(), worse, fast()], pareto_front());
    assert_eq!(
        (decided.verdict, decided.best, decided.front.as_slice()),
        (Verdict::Move, None, &[Some(2), Some(0)][..])
    );
    assert_eq!((decided.objective.time_limit, decided.choices()), (TimeLimit::TODAY, vec![2, 0]));
    assert!(decided.recommended().next().is_none() && !decided.recommends(None) && !decided.recommends_to_stay());
    let [options, against_today] = decided.recommendation_and_details();
    assert_eq!(
        options,
        "2 options on the Pareto front, the fastest first: fast (2 s, $0.0056 a run); half (5 s, $0.0014 a run)."
    );
    // ln 2 / 0.2 = 3.5 standard deviations.
    assert_eq!(against_today, "half is >99 % likely to be cheaper and not slower than today at the prices used.");
    assert_eq!(decided.why(1), "dominated by fast");
    assert!(decided.why(0).starts_with("on the Pareto front; >99 % likely"), "{}", decided.why(0));
    assert_eq!(decided.front_ranges(), Some(["2 s … 5 s", "$0.0014 … $0.0056"].map(str::to_owned)));
    assert!(decided.prices_of_a_change().is_empty() && decided.limit_of_a_move().is_none());
}

#[test]
fn todays_engine_is_on_the_front_if_nothing_is_as_fast_and_as_cheap() {
    let decided = decide(measured(10.0, Some(1.0)), vec![fast()], pareto_front());
    assert_eq!((decided.verdict, decided.front.as_slice()), (Verdict::Stay, &[Some(0), None][..]));
    let sentence = decided.sentence();
    assert!(
        sentence.contains("fast (2 s, $0.0056 a run); today’s today (10 s measured, $0.0028 a run)."),
        "{sentence}"
    );
    assert!(sentence.contains("No option on the front is worth a trial"), "{sentence}");
    // Twice the time at twice the price.
    let worse = candidate("worse", time(0.0, 20.0, 0.2), Some(2.0));
    let alone = decide(measured(10.0, Some(1.0)), vec![worse], pareto_front());
    assert_eq!((alone.front.as_slice(), alone.why(0).as_str()), (&[None][..], "dominated by today"));
    assert!(alone.sentence().starts_with("1 option on the Pareto front: today’s today ("), "{}", alone.sentence());
}

/// 9.8 s at today's price: ln(10 / 9.8) = 0.02 is a tenth of the standard deviation, so it is 54 % likely to meet the goal. Its mean,
/// 9.8 · e^0.02 = 9.998 s, saves hardly anything.
#[test]
fn the_verdict_follows_from_the_likelihood_of_being_better_than_today() {
    for (seconds, expected) in [(9.8, Verdict::Stay), (8.0, Verdict::Try), (5.0, Verdict::Move)] {
        let option = candidate("option", time(0.0, seconds, 0.2), Some(1.0));
        let decided = decide(measured(10.0, Some(1.0)), vec![option], pareto_front());
        assert_eq!((decided.verdict, decided.front.as_slice()), (expected, &[Some(0)][..]), "{seconds}");
    }
}

#[test]
fn without_a_price_or_an_option_that_can_be_judged_there_is_no_front() {
    let by_time = decide(measured(10.0, None), vec![half()], pareto_front());
    assert!(by_time.lacks_price && by_time.front.is_empty() && by_time.best == Some(0), "{}", by_time.sentence());
    let blocked = Candidate { blocked_by: Some("it has user code".to_owned()), ..half() };
    let decided = decide(measured(10.0, Some(1.0)), vec![blocked], pareto_front());
    assert_eq!((decided.verdict, decided.front_title()), (Verdict::CannotJudge, None));
    assert_eq!(decided.sentence(), "Cannot be judged: it has user code.");
}

/// 5.21 s and 5.18 s are shown as 5.2 s, and $0.001447 and $0.001439 as $0.0014.
#[test]
fn no_option_dominates_another_one_by_digits_that_are_not_shown() {
    let option = |title: &str, median: f64| candidate(title, time(0.0, median, 0.2), Some(1.0));
    let decided = decide(measured(10.0, Some(1.0)), vec![option("one", 5.21), option("other", 5.18)], pareto_front());
    assert_eq!(decided.options.iter().map(|option| option.is_efficient).collect::<Vec<_>>(), [Some(true); 2]);
}

/// 4 s at half a dollar cost $0.0006, less than every other option, but the query cannot run there.
#[test]
fn an_option_that_cannot_be_chosen_keeps_no_other_one_off_the_list() {
    let blocked_by = Some("it has user code".to_owned());
    let blocked = Candidate { blocked_by, ..candidate("blocked", time(0.0, 4.0, 0.2), Some(0.5)) };
    let worse = candidate("worse", time(0.0, 6.0, 0.2), Some(1.0));
    let decided = decide(measured(10.0, Some(1.0)), vec![blocked, half(), worse], pareto_front());
    assert_eq!((decided.verdict, decided.front.as_slice()), (Verdict::Move, &[Some(1)][..]));
    assert_eq!((decided.options[1].is_efficient, decided.why(2).as_str()), (None, "dominated by half"));
    assert!(decided.why(1).starts_with("on the Pareto front of judged options; "), "{}", decided.why(1));
    assert!(decided.sentence().starts_with("1 option on the Pareto front: half ("), "{}", decided.sentence());
}
