//! Savings of a month and a year, the payback of an effort, and intervals of savings.

use crossover_decision::{Baseline, Decision, Goal, Objective, Payback, PredictedTime, Price, Verdict, decide};
use proptest::prelude::*;

use super::laws::power;
use super::{assert_near, candidate, cost_within, measured, time};

/// 20 s today at $3.60 an hour, and an option that takes exactly 10 s: a run saves a cent.
fn a_cent_per_run(objective: Objective) -> Decision {
    decide(measured(20.0, Some(3.6)), vec![candidate("option", time(0.0, 10.0, 0.0), Some(3.6))], objective)
}

#[test]
fn a_range_of_runs_gives_a_range_of_savings() {
    let range = Objective { runs_per_month: Some(300.0), runs_range: Some([200.0, 400.0]), ..cost_within(1.0) };
    let found = a_cent_per_run(range);
    let saving = found.monthly_saving(&found.options[0]).expect("prices and runs");
    assert_near(saving.expected[0], 2.0, 1e-9);
    assert_near(saving.expected[1], 4.0, 1e-9);
    let sentence = found.sentence();
    assert!(sentence.contains(" Expected saving: $2 … $4 a month at 200 to 400 runs, $24 … $48 a year."), "{sentence}");
    assert_eq!(found.saving_in_words().as_deref(), Some("$2 … $4 a month"));
    assert_eq!(a_cent_per_run(cost_within(1.0)).saving_in_words().as_deref(), Some("$0.01 per run"));
    // With an error, the interval is that of all numbers of runs.
    let option = candidate("option", time(0.0, 15.0, 0.3), Some(3.6));
    let found = decide(measured(20.0, Some(3.6)), vec![option], range);
    let option = &found.options[0];
    let [low, high] = option.saving_interval.expect("an error");
    assert!(low < 0.0 && high > 0.0, "{low} … {high}");
    let [least, most] = found.monthly_saving(option).and_then(|saving| saving.interval).expect("an error");
    assert_near(least, 400.0 * low, 1e-9);
    assert_near(most, 400.0 * high, 1e-9);
}

/// A cent for 1,864 runs is $18.64 a month and $223.68 a year: of two digits, $19 and $220 would not be twelve months of each other.
#[test]
fn twelve_months_as_shown_are_a_year_as_shown() {
    let found = a_cent_per_run(Objective { runs_per_month: Some(1864.0), ..cost_within(1.0) }).sentence();
    assert!(found.contains(" Expected saving: $18.6 a month at 1,864 runs, $224 a year."), "{found}");
}

/// 20 s at $3.60 an hour are two cents; a mean is above its median by e^(s²/2).
#[test]
fn costs_of_a_run_and_a_month_differ_by_the_expected_saving() {
    let objective = Objective { runs_per_month: Some(300.0), runs_range: Some([200.0, 400.0]), ..cost_within(1.0) };
    let option = candidate("option", time(1.0, 9.0, 0.3), Some(1.8));
    let found = decide(measured(20.0, Some(3.6)), vec![option], objective);
    let (today, then) = found.spending_today().zip(found.spending_with(&found.options[0])).expect("prices");
    assert_near(today.usd_per_run, 0.02, 1e-12);
    assert_eq!(today.usd_per_run, today.median_usd_per_run);
    assert_near(then.median_usd_per_run, 0.005, 1e-12);
    assert_near(then.usd_per_run, (1.0 + 9.0 * 0.045_f64.exp()) * 1.8 / 3600.0, 1e-12);
    assert_near(today.usd_per_run - then.usd_per_run, found.options[0].saving.expect("prices"), 1e-12);
    let [fewest, most] = today.usd_per_month.expect("runs");
    assert_near(fewest, 4.0, 1e-9);
    assert_near(most, 8.0, 1e-9);
    assert_eq!((today.interval_usd_per_run, today.interval_usd_per_month), (None, None));
    // 90 % of a normal distribution are within 1.645 standard deviations.
    let ends = [-1.0, 1.0].map(|sign: f64| (1.0 + 9.0 * (sign * 1.644_853_627 * 0.3).exp()) * 1.8 / 3600.0);
    let of_run = then.interval_usd_per_run.expect("an error");
    let of_month = then.interval_usd_per_month.expect("runs");
    for (place, runs) in [(0, 200.0), (1, 400.0)] {
        assert_near(of_run[place], ends[place], 1e-9);
        assert_near(of_month[place], ends[place] * runs, 1e-6);
    }
    let unpriced = decide(measured(20.0, None), vec![candidate("option", time(0.0, 9.0, 0.3), None)], objective);
    assert_eq!(unpriced.spending_today(), None);
    assert_eq!(unpriced.spending_with(&unpriced.options[0]), None);
}

#[test]
fn an_effort_is_paid_back_by_the_expected_saving() {
    let of = |effort: Option<f64>, runs: Option<f64>, range: Option<[f64; 2]>| {
        a_cent_per_run(Objective { effort_usd: effort, runs_per_month: runs, runs_range: range, ..cost_within(1.0) })
    };
    let payback = |decision: &Decision| decision.payback(&decision.options[0]);
    // $10 a month.
    let exact = of(Some(300.0), Some(1000.0), None);
    let Some(Payback::Months([least, most])) = payback(&exact) else { panic!("{:?}", payback(&exact)) };
    assert_near(least, 30.0, 1e-6);
    assert_near(most, 30.0, 1e-6);
    assert!(exact.sentence().contains(" An effort of $300 is paid back in 30 months."), "{}", exact.sentence());
    // $10 to $20 a month.
    let range = of(Some(30.0), Some(1500.0), Some([1000.0, 2000.0]));
    assert!(range.sentence().contains(" paid back in 1.5 to 3 months."), "{}", range.sentence());
    let per_run = of(Some(5000.0), None, None);
    assert!(per_run.sentence().contains(" is paid back after 500,000 runs."), "{}", per_run.sentence());
    let unknown = of(None, Some(1000.0), None);
    assert_eq!(payback(&unknown), None);
    let not_counted = " The effort of the move is not counted";
    let of_unknown = unknown.sentence();
    // At the assumed $100 an hour.
    let most = "$120 a year. The effort of the move is not counted: the saving pays back at most $360 within 36 months, 3.6 hours of work at \
                $100 an hour (assumed).";
    assert!(of_unknown.ends_with(most), "{of_unknown}");
    // $5 a year and $15 in three years: $0.01 for 125 ÷ 3 runs a month.
    let little = of(None, Some(125.0 / 3.0), None).sentence();
    let at_most = format!(
        " $5 a year.{not_counted}: the saving pays back at most $15 within 36 months, less than one hour of work at $100 an hour \
         (assumed). Move only if the effort is smaller."
    );
    assert!(little.ends_with(&at_most), "{little}");
    // With the most runs.
    let range = of(None, Some(1500.0), Some([1000.0, 2000.0])).sentence();
    let at_most = format!("{not_counted}: the saving pays back at most $720 within 36 months, 7.2 hours of work at ");
    assert!(range.contains(&at_most), "{range}");
    // $100 are 10,000 cents.
    let without_runs = of(None, None, None).sentence();
    let after = format!("{not_counted}: one hour of work at $100 an hour (assumed) is paid back after 10,000 runs.");
    assert!(without_runs.ends_with(&after), "{without_runs}");
}

/// A cent for 277 runs a month is $99.72 in three years, and for 278 runs $100.08: an hour of work at $100. The recommendation is the same.
#[test]
fn a_saving_that_pays_back_less_than_an_hour_of_work_is_named() {
    let of = |runs: f64| a_cent_per_run(Objective { runs_per_month: Some(runs), ..cost_within(1.0) });
    let (below, above) = (of(277.0), of(278.0));
    assert_eq!((below.verdict, above.verdict), (Verdict::Move, Verdict::Move));
    let [below, above] = [below, above].map(|decided| decided.sentence());
    let less = " at most $99.7 within 36 months, less than one hour of work at $100 an hour (assumed). Move only if the effort is smaller.";
    assert!(below.ends_with(less), "{below}");
    assert!(above.ends_with(" at most $100 within 36 months, 1 hour of work at $100 an hour (assumed)."), "{above}");
}

/// A cent per run: at 1,000 runs $10 a month and $360 in three years, at 2,000 runs twice as much.
#[test]
fn an_effort_that_three_years_of_savings_do_not_pay_back_is_not_worth_a_move() {
    let of = |effort_usd: f64, runs_per_month: Option<f64>, runs_range: Option<[f64; 2]>, goal: Goal| {
        let effort_usd = Some(effort_usd);
        a_cent_per_run(Objective { goal, effort_usd, runs_per_month, runs_range, ..cost_within(1.0) })
    };
    let at_1000 = Some(1000.0);
    for goal in [Goal::Cost, Goal::ParetoFront] {
        assert_eq!(of(359.0, at_1000, None, goal).verdict, Verdict::Move, "{goal:?}");
        assert_eq!(of(361.0, at_1000, None, goal).verdict, Verdict::Stay, "{goal:?}");
        // With the most runs it is paid back in time.
        assert_eq!(of(361.0, at_1000, Some([500.0, 2000.0]), goal).verdict, Verdict::Move, "{goal:?}");
        // Without runs per month no time is known.
        assert_eq!(of(5000.0, None, None, goal).verdict, Verdict::Move, "{goal:?}");
    }
    // Seconds pay no effort.
    assert_eq!(of(5000.0, at_1000, None, Goal::Time).verdict, Verdict::Move);
    // Of two digits, 36.1 months would be 36.
    let soon_after = of(361.0, at_1000, None, Goal::Cost).why(0);
    assert_eq!(soon_after, "an effort of $361 is paid back in 36.1 months, not within 36");
    let hardly_later = of(360.001, at_1000, None, Goal::Cost).why(0);
    assert!(hardly_later.ends_with(" is paid back in 36.01 months, not within 36"), "{hardly_later}");
    let late = of(5000.0, at_1000, None, Goal::Cost);
    let why = "an effort of $5,000 is paid back in 500 months, not within 36";
    assert_eq!((late.best, late.why(0).as_str()), (None, why));
    assert!(late.is_kept_by_effort() && !of(359.0, at_1000, None, Goal::Cost).is_kept_by_effort());
    assert!(late.sentence().starts_with("Stay with today ("), "{}", late.sentence());
    let most = "The saving with option pays back at most $360 within 36 months.";
    assert!(late.sentence().ends_with(&format!("; {why}. {most}")), "{}", late.sentence());
    assert_eq!(late.recommendation_and_details()[1], most);
    let front = of(5000.0, at_1000, None, Goal::ParetoFront).sentence();
    assert!(front.ends_with(&format!("; {why}. {most}")), "{front}");
}

/// Both are >99 % likely to be cheaper; the first saves 20 s − 10 s and the second 20 s − 5 s at $3.60 an hour, of means with e^0.005 more.
#[test]
fn of_options_that_only_the_effort_rejects_the_one_that_saves_most_is_named() {
    let option = |title: &str, median: f64| candidate(title, time(0.0, median, 0.1), Some(3.6));
    let objective = Objective { effort_usd: Some(5000.0), runs_per_month: Some(1000.0), ..cost_within(1.0) };
    for options in [[option("less", 10.0), option("more", 5.0)], [option("more", 5.0), option("less", 10.0)]] {
        let found = decide(measured(20.0, Some(3.6)), Vec::from(options), objective);
        let sentence = found.sentence();
        assert!(
            sentence.contains(". Without the effort of the move, more would be recommended: >99 % likely"),
            "{sentence}"
        );
        // 36 months of 1,000 runs that save $0.02 − $0.005025 each are $539.1.
        assert!(sentence.ends_with(" The saving with more pays back at most $539 within 36 months."), "{sentence}");
        assert_eq!(found.shown().map(|option| option.candidate.title.as_str()), Some("more"));
    }
}

/// A cent and two cents for 1,000 runs a month pay back $5,000 in 500 and in 250 months: both stay, with another saving of the option.
#[test]
fn an_application_that_the_effort_keeps_has_another_saving_than_its_query() {
    let objective = Objective { effort_usd: Some(5000.0), runs_per_month: Some(1000.0), ..cost_within(1.0) };
    let of = |today: f64| {
        let option = candidate("option", time(0.0, today / 2.0, 0.0), Some(3.6));
        decide(measured(today, Some(3.6)), vec![option], objective)
    };
    let [query, whole] = [20.0, 40.0].map(of);
    assert!(whole.is_kept_by_effort() && query.is_kept_by_effort());
    let saving = whole.other_saving_than(&query).expect("another saving");
    assert_eq!((saving.in_words.as_str(), saving.is_more), ("$20 a month with option", true));
    assert_eq!(saving.of_more_queries(4).as_deref(), Some("that of its 4 queries together"));
    assert_eq!(saving.of_more_queries(1), None);
    let less = query.other_saving_than(&whole).expect("another saving");
    assert_eq!((less.in_words.as_str(), less.of_more_queries(4)), ("$10 a month with option", None));
    assert_eq!(whole.other_saving_than(&whole), None);
}

/// A cent for 29.4 runs a month is $10.584 in three years: to the nearest digit $10.6, which is not paid back by then.
#[test]
fn the_largest_effort_as_shown_is_paid_back() {
    let of = |effort_usd: Option<f64>| {
        a_cent_per_run(Objective { effort_usd, runs_per_month: Some(29.4), ..cost_within(1.0) })
    };
    let at_most = " pays back at most $10.5 within 36 months";
    assert!(of(None).sentence().contains(&format!("not counted: the saving{at_most}, ")), "{}", of(None).sentence());
    assert_eq!(of(Some(10.5)).verdict, Verdict::Move);
    let above = of(Some(10.6));
    assert_eq!(above.verdict, Verdict::Stay);
    assert!(above.sentence().ends_with(&format!(" The saving with option{at_most}.")), "{}", above.sentence());
}

#[test]
fn an_effort_without_a_saving_is_never_paid_back() {
    let dear = candidate("dear", time(0.0, 10.0, 0.1), Some(36.0));
    let objective = Objective { effort_usd: Some(1.0), ..cost_within(1.0) };
    let found = decide(measured(20.0, Some(3.6)), vec![dear], objective);
    assert_eq!(found.payback(&found.options[0]), Some(Payback::Never));
}

/// Today's time as it is predicted, with its error.
fn predicted(median: f64, deviation: f64) -> Baseline {
    let time = PredictedTime { known_seconds: 0.0, median_seconds: median, deviation: Some(deviation) };
    Baseline { time, is_measured: false, price: Some(Price::entered(3.6)), ..measured(median, None) }
}

proptest! {
    /// The mean of a log-normal number is half of its variance above the median, which is within its 90 % interval for the errors
    /// that engines have; so is the mean of a difference of two.
    #[test]
    fn an_expected_saving_is_within_its_interval(
        (today, spread) in (power(0.0..2.0), 0.0..1.0_f64),
        (known, median, own) in (0.0..5.0_f64, power(0.0..2.0), 0.05..1.0_f64),
        (part, usd) in (0.02..0.98_f64, power(-0.5..1.0)),
    ) {
        // Of the ratio to today's time: between the difference and the sum of both deviations.
        let of_ratio = (own - spread).abs() + part * (own + spread - (own - spread).abs());
        let mut option = candidate("option", time(known, median, own), Some(usd));
        option.deviation_of_ratio = Some(of_ratio);
        let found = decide(predicted(today, spread), vec![option], cost_within(1.0));
        let option = &found.options[0];
        let saving = option.saving.expect("prices");
        let [low, high] = option.saving_interval.expect("errors");
        prop_assert!(low < saving && saving < high, "{saving}, {low} … {high}: {option:?}");
    }
}
