//! What would change a verdict: another time limit, another price.

use crossover_decision::{
    Baseline, Candidate, Decision, Goal, MeasuredRuns, Objective, PriceChange, PricedMachines, TimeLimit, Verdict,
    decide,
};

use super::{QUANTILE_90, assert_near, candidate, cost_within, measured, time};

/// A number that is met or missed by more than rounding.
const LITTLE: f64 = 1e-9;

/// Half as fast and a tenth of the price, and the same with a known part.
fn slow_and_cheap() -> [Candidate; 2] {
    [
        candidate("slow", time(0.0, 15.0, 0.3), Some(1.0)),
        candidate("slow, with a start", time(6.0, 9.0, 0.5), Some(1.0)),
    ]
}

#[test]
fn what_is_cheaper_and_slower_is_recommended_from_the_named_time_limit_on() {
    for option in slow_and_cheap() {
        let of_limit = |limit: f64| decide(measured(10.0, Some(10.0)), vec![option.clone()], cost_within(limit));
        let today = of_limit(1.0);
        assert_eq!((today.verdict, today.best), (Verdict::Stay, None), "{}", option.title);
        let limit = today.limit_to_move(&today.options[0]).expect("a limit");
        let [known, median, deviation] = parts(&option);
        assert_near(limit, (known + median * (QUANTILE_90 * deviation).exp()) / 10.0, 1e-9);
        assert_eq!(of_limit(limit * (1.0 + LITTLE)).verdict, Verdict::Move, "{}", option.title);
        assert_ne!(of_limit(limit * (1.0 - LITTLE)).verdict, Verdict::Move, "{}", option.title);
        // The limit in words is rounded so that it is met.
        let sentence = today.sentence();
        let words = sentence.split("a time limit of ").nth(1).expect("a limit in words");
        let shown: f64 = words.split('×').next().and_then(|number| number.parse().ok()).expect("a number");
        assert!(shown >= limit, "{limit}: {sentence}");
        assert_eq!(of_limit(shown).verdict, Verdict::Move, "{sentence}");
    }
}

/// The median of two runs has an error, too: the limit is that from which on the verdict is to move.
#[test]
fn the_time_limit_beside_several_runs_counts_the_error_of_their_median() {
    let [option, _] = slow_and_cheap();
    let runs = MeasuredRuns::of([8.0, 12.0]);
    let today = Baseline { runs, ..measured(10.0, Some(10.0)) };
    let of_limit = |limit: f64| decide(today.clone(), vec![option.clone()], cost_within(limit));
    let now = of_limit(1.0);
    let limit = now.limit_to_move(&now.options[0]).expect("a limit");
    // By hand: logarithms that are ln 1.5 apart have the deviation ln 1.5 ÷ √2, and their median one of √(π/2) ÷ √2 times that.
    let of_median = (std::f64::consts::PI / 8.0).sqrt() * 1.5_f64.ln();
    let [known, median, deviation] = parts(&option);
    assert_near(limit, (known + median * (QUANTILE_90 * deviation.hypot(of_median)).exp()) / 10.0, 1e-9);
    assert_eq!(of_limit(limit * (1.0 + LITTLE)).verdict, Verdict::Move);
    assert_ne!(of_limit(limit * (1.0 - LITTLE)).verdict, Verdict::Move);
}

/// Known part, median of the rest and deviation of the time of a candidate.
fn parts(option: &Candidate) -> [f64; 3] {
    let time = option.time.expect("a time");
    [time.known_seconds, time.median_seconds, time.deviation.expect("an error")]
}

#[test]
fn no_time_limit_is_named_where_none_changes_the_verdict() {
    let named = |median: f64, usd: f64| {
        let option = candidate("option", time(0.0, median, 0.3), Some(usd));
        let decided = decide(measured(10.0, Some(10.0)), vec![option], cost_within(1.0));
        decided.limit_to_move(&decided.options[0])
    };
    assert_eq!(named(5.0, 10.0), None, "to be moved to already");
    assert_eq!(named(20.0, 10.0), None, "dearer, however long it may take");
    // 10 s at $10 cost as much as 20 s at $5: cheaper with a chance of one half.
    assert_eq!(named(20.0, 5.0), None, "too unsure to be cheaper");
}

/// Today 20 s at $3.60 an hour, $0.02. The first option has a mean of 12 s · e^0.005 = 12.06 s at $14.40, $0.0482, and the second one of 9 s · e^0.005
/// = 9.05 s at $36, $0.0905. Half of the runs are done in 12 s and 9 s, 90 % in 12 s · e^(1.282 · 0.1) = 13.64 s and 10.23 s.
fn within(time_limit: TimeLimit) -> Decision {
    let options =
        vec![candidate("small", time(0.0, 12.0, 0.1), Some(14.4)), candidate("large", time(0.0, 9.0, 0.1), Some(36.0))];
    decide(measured(20.0, Some(3.6)), options, Objective { time_limit, ..cost_within(1.0) })
}

#[test]
fn the_nearest_longer_and_shorter_limits_with_another_verdict_or_option_are_found() {
    let nearest = |time_limit: TimeLimit| -> Vec<(f64, Verdict, Option<usize>)> {
        let all = within(time_limit).at_nearest_limits();
        assert!(
            all.iter().all(|then| then.objective.time_limit.as_factor().is_some() == time_limit.as_factor().is_some())
        );
        all.into_iter().map(|then| (then.objective.time_limit.amount(), then.verdict, then.best)).collect()
    };
    let near = |found: &[(f64, Verdict, Option<usize>)], expected: &[(f64, Verdict, Option<usize>)]| {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert_near(found.0, expected.0, 1e-9);
            assert_eq!((found.1, found.2), (expected.1, expected.2));
        }
    };
    // From 12 s on, rounded up to 13 s, the small one is worth a trial and costs less; below 10.23 s the large one needs a trial.
    near(&nearest(TimeLimit::Seconds(11.0)), &[(13.0, Verdict::Try, Some(0)), (10.0, Verdict::Try, Some(1))]);
    // The same as factors: above 0.6, and below 0.5117.
    near(&nearest(TimeLimit::Factor(0.55)), &[(0.61, Verdict::Try, Some(0)), (0.51, Verdict::Try, Some(1))]);
    // Above 13.64 s the small one needs no trial. Below 12 s the large one is recommended.
    near(&nearest(TimeLimit::Factor(0.65)), &[(0.69, Verdict::Move, Some(0)), (0.59, Verdict::Move, Some(1))]);
    // Today's run keeps its own time, and both options cost more. Just below, the small one keeps the limit.
    near(&nearest(TimeLimit::TODAY), &[(0.99, Verdict::Move, Some(0))]);
    // 20 s are more than a factor of ten longer.
    near(&nearest(TimeLimit::Factor(20.0)), &[]);
}

#[test]
fn with_a_limit_in_seconds_the_sentence_and_the_reasons_name_seconds_first() {
    let found = within(TimeLimit::Seconds(11.0));
    assert_eq!((found.verdict, found.best), (Verdict::Move, Some(1)));
    assert_eq!(found.wanted(), "done within 11 s (0.55× today’s time)");
    assert_eq!(found.why(0), "likely to take more than 11 s");
    let kept = within(TimeLimit::Seconds(30.0));
    assert_eq!(kept.wanted(), "cheaper within 30 s (1.5× today’s time)");
    // As it is printed, this is today's time.
    assert_eq!(within(TimeLimit::Seconds(20.0)).wanted(), "cheaper and not slower");
    // Neither option is likely to be done within 8 s; the large one is within 11 s.
    let sentence = within(TimeLimit::Seconds(8.0)).sentence();
    assert!(
        sentence
            .contains(" With a time limit of 11 s (0.55× today’s time), the recommendation would be to move to large."),
        "{sentence}"
    );
}

/// From this factor between the medians of two options on, one is cheaper with at least 60 %, the quantile at 0.2533: both errors have the
/// deviation 0.3.
fn end_of_a_tie() -> f64 {
    (0.253_347_103 * 0.3_f64.hypot(0.3)).exp()
}

/// The ends of the choice by decisions at many prices, without the search that is tested.
#[test]
fn the_prices_of_a_choice_are_those_between_which_decisions_recommend_both() {
    let option = |name: &str, median: f64, usd: f64| candidate(name, time(1.0, median, 0.3), Some(usd));
    let recommended = |usd: f64| {
        let options = vec![option("cheap", 5.0, 1.0), option("fast", 4.0, usd)];
        let decision = decide(measured(10.0, Some(10.0)), options, cost_within(1.0));
        decision.recommended().collect::<Vec<_>>()
    };
    // From above and from below, the price from which this is no longer recommended.
    let end = |of: &[usize], [mut inside, mut outside]: [f64; 2]| {
        assert_eq!(recommended(inside), of);
        while (inside / outside - 1.0).abs() > 1e-9 {
            let middle = f64::midpoint(inside, outside);
            *(if recommended(middle) == of { &mut inside } else { &mut outside }) = middle;
        }
        inside
    };
    let (begins, ends) = (end(&[0], [4.0, 1.2]), end(&[1], [0.5, 1.2]));
    let options = vec![option("cheap", 5.0, 1.0), option("fast", 4.0, 4.0)];
    let decided = decide(measured(10.0, Some(10.0)), options, cost_within(1.0));
    let changes = decided.prices_of_a_change();
    let of_fast = |change: &&PriceChange| change.of == PricedMachines::OfOption(1);
    let change = changes.iter().find(of_fast).expect("a price");
    assert_near(change.usd_per_hour, begins, 1e-5);
    assert_near(change.tie_ends.expect("a price").usd_per_hour, ends, 1e-5);
}

#[test]
fn at_the_named_price_the_recommendation_is_another() {
    // 5 s instead of 10 s at $1 an hour: 20 times as cheap, so that a price of 20 times as much is about as dear.
    let option = |name: &str, median: f64, usd: f64| candidate(name, time(0.0, median, 0.3), Some(usd));
    let of_price = |usd: f64| {
        let options = vec![option("cheap", 5.0, usd), option("fast", 4.0, 8.0)];
        decide(measured(10.0, Some(10.0)), options, cost_within(1.0))
    };
    let decided = of_price(1.0);
    assert_eq!((decided.verdict, decided.best), (Verdict::Move, Some(0)));
    let changes = decided.prices_of_a_change();
    let of = |decided: &Decision, name: &str| {
        let of_name = |change: &PriceChange| match change.of {
            PricedMachines::Today => name == "today",
            PricedMachines::OfOption(place) => decided.options[place].candidate.title == name,
        };
        decided.prices_of_a_change().into_iter().find(of_name)
    };
    // By hand: both cost the same at 4 s · $8 = 5 s · p, so at $6.40. The errors tell which is cheaper where it is so with 60 %.
    let far = end_of_a_tie();
    let change = of(&decided, "cheap").expect("a price");
    assert_near(change.usd_per_hour, 6.4 / far, 1e-5);
    assert_eq!((change.best, change.beside), (Some(0), Some(1)), "both options");
    let alone = change.tie_ends.expect("a price of the other option alone");
    assert_near(alone.usd_per_hour, 6.4 * far, 1e-5);
    assert_eq!(alone.best, Some(1));
    // The other option's price changes it too: 4 s · p = 5 s · $1, and the smaller factor is named first.
    let fast = of(&decided, "fast").expect("a price");
    assert_near(fast.usd_per_hour, 1.25 * far, 1e-5);
    assert_near(fast.tie_ends.expect("a price").usd_per_hour, 1.25 / far, 1e-5);
    let away = |change: &PriceChange| change.factor.ln().abs();
    assert!(changes.windows(2).all(|pair| away(&pair[0]) <= away(&pair[1]) || pair[0].of == PricedMachines::Today));
    let recommended = |usd: f64| of_price(usd).recommended().collect::<Vec<_>>();
    for (usd, before, then) in [
        (change.usd_per_hour, vec![0], vec![0, 1]),
        (6.4, vec![0, 1], vec![1, 0]),
        (alone.usd_per_hour, vec![1, 0], vec![1]),
    ] {
        assert_eq!((recommended(usd * 0.999), recommended(usd * 1.001)), (before, then), "{usd}");
    }
    // Alone it gives way to today's engine.
    let alone = |usd: f64| decide(measured(10.0, Some(10.0)), vec![option("cheap", 5.0, usd)], cost_within(1.0));
    let change = of(&alone(4.0), "cheap").expect("a price");
    let (price, then) = (change.usd_per_hour, change.best);
    assert_eq!(then, None);
    assert!(alone(price * 0.999).best.is_some() && alone(price * 1.001).verdict == Verdict::Stay, "{price}");
    // Today's price has the same ratio: it falls by the factor by which the option's rises.
    let today = of(&alone(4.0), "today").expect("a price");
    assert_near(today.usd_per_hour * price, 40.0, 1e-3);
    // What is free stays free, and what nothing within a factor of ten changes is not named.
    assert_eq!(of(&alone(0.0), "cheap"), None);
    assert_eq!(of(&alone(1.0), "cheap"), None);
}

/// A limit of 20 s from an earlier goal: 19.83 s would have three digits beside it, and has two beside today's 40 s.
#[test]
fn a_limit_of_the_least_cost_counts_for_no_other_goal() {
    for goal in [Goal::Time, Goal::ParetoFront] {
        let objective = Objective { goal, time_limit: TimeLimit::Seconds(20.0), ..Objective::default() };
        let option = candidate("option", time(0.0, 19.83, 0.1), Some(1.0));
        let decision = decide(measured(40.0, Some(1.0)), vec![option], objective);
        assert_eq!(decision.objective.time_limit, TimeLimit::TODAY, "{goal:?}");
        assert_eq!(decision.predicted_seconds(19.83), "20 s", "{goal:?}");
    }
}
