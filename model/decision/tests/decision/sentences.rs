//! What the sentence of a decision says about prices, savings, limits and versions.

use crossover_decision::evidence::VersionSupport;
use crossover_decision::words::{dollars, likely, runs};
use crossover_decision::{Baseline, Candidate, Evidence, Objective, Price, PriceBasis, Verdict, decide};

use jiff::civil::date;

use super::{HOUR, assert_near, candidate, cost_within, measured, time};

/// Quantile of 95 % of the normal distribution: NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.1.
const QUANTILE_95: f64 = 1.645;

/// 20 s today at $3.60 an hour, and an option of 10 s at the same price.
fn decided(basis: PriceBasis, objective: Objective) -> crossover_decision::Decision {
    let price = Price { basis, ..Price::entered(3.6) };
    let baseline = Baseline { price: Some(price), ..measured(20.0, None) };
    decide(baseline, vec![candidate("option", time(0.0, 10.0, 0.2), Some(3.6))], objective)
}

#[test]
fn one_run_a_month_is_in_the_singular() {
    for (of_a_month, expected) in
        [([1.0, 1.0], "1 run"), ([720.0, 720.0], "720 runs"), ([600.0, 720.0], "600 to 720 runs")]
    {
        assert_eq!(runs(of_a_month), expected);
    }
}

#[test]
fn an_assumed_price_of_today_is_said_beside_the_answer() {
    let said = "at an assumed price of today’s machines";
    let assumed = decided(PriceBasis::Assumed, cost_within(1.0));
    assert_eq!(assumed.verdict, Verdict::Move);
    assert!(assumed.sentence().contains(said), "{}", assumed.sentence());
    let own = decided(PriceBasis::Own, cost_within(1.0));
    assert!(!own.sentence().contains(said), "{}", own.sentence());
}

#[test]
fn the_recommendation_is_its_time_and_likelihood_and_the_details_are_costs_and_saving() {
    let decided = decided(PriceBasis::Own, cost_within(1.0));
    let [recommendation, details] = decided.recommendation_and_details();
    assert!(recommendation.starts_with("Move to option: predicted 10 s ("), "{recommendation}");
    assert!(recommendation.ends_with(" likely to be cheaper and not slower at the prices used."), "{recommendation}");
    assert!(details.starts_with("On average a run costs $0.0102 instead of $0.0200."), "{details}");
    assert_eq!(decided.sentence(), format!("{recommendation} {details}"));
    let stays =
        decide(measured(20.0, Some(3.6)), vec![candidate("option", time(0.0, 40.0, 0.2), Some(3.6))], cost_within(1.0));
    assert_eq!(stays.recommendation_and_details(), [stays.sentence(), String::new()]);
}

/// The mean of the option's time is 10 s·e^0.02 = 10.202 s. By hand: $0.02 − $0.0102 today; $0.01 − $0.0102 and $0.04 − $0.0102 at
/// half and twice the price, where the option takes up to half, and up to all, of today's time with 50 % and more than 99 %.
#[test]
fn an_assumed_price_has_a_range_beside_the_interval_of_the_saving() {
    let assumed = decided(PriceBasis::Assumed, cost_within(1.0)).sentence();
    for expected in [
        " On average a run costs $0.0102 instead of $0.0200, at an assumed price of today’s machines.",
        " Expected saving: $0.0098 per run (",
        ", 90 % interval at the assumed price). At half to twice the assumed price, $1.80 to $7.20 per hour, the likelihood is \
         50 % … >99 % and the expected saving is −$0.0002 … $0.03 per run.",
    ] {
        assert!(assumed.contains(expected), "{expected} is not in {assumed}");
    }
    let monthly = decided(PriceBasis::Assumed, Objective { runs_per_month: Some(1000.0), ..cost_within(1.0) });
    assert!(monthly.sentence().contains("the expected saving is −$0.202 … $29.8 a month."), "{}", monthly.sentence());
    let own = decided(PriceBasis::Own, cost_within(1.0)).sentence();
    assert!(own.contains(", 90 % interval).") && !own.contains("At half to twice"), "{own}");
}

/// Both costs have the price, so half the price is half the saving and no other likelihood.
#[test]
fn on_the_same_machines_an_assumed_price_changes_the_saving_alone() {
    let price = Some(Price { basis: PriceBasis::Assumed, ..Price::entered(3.6) });
    let option = candidate("option", time(0.0, 10.0, 0.2), None);
    let option = Candidate { price: price.clone(), is_on_same_machines: true, ..option };
    let found = decide(Baseline { price, ..measured(20.0, None) }, vec![option], cost_within(1.0)).sentence();
    let expected = "$1.80 to $7.20 per hour, the expected saving is $0.0049 … $0.02 per run.";
    assert!(found.contains(expected), "{found}");
}

#[test]
fn an_assumed_price_of_an_option_is_said_too() {
    let price = Some(Price { basis: PriceBasis::Assumed, ..Price::entered(3.6) });
    let option = Candidate { price, ..candidate("option", time(0.0, 10.0, 0.2), None) };
    let found = decide(measured(20.0, Some(3.6)), vec![option], cost_within(1.0)).sentence();
    assert!(found.contains(", at an assumed price of its machines."), "{found}");
    // At twice its price the option costs what today costs.
    assert!(found.contains("the likelihood is 50 % … >99 %"), "{found}");
}

#[test]
fn a_saving_has_the_interval_of_the_time() {
    let found = decided(PriceBasis::Own, cost_within(1.0));
    let [low, high] = found.options[0].saving_interval.expect("an error");
    let usd = |seconds: f64| seconds * 3.6 / HOUR;
    assert_near(low, usd(20.0 - 10.0 * (QUANTILE_95 * 0.2).exp()), 1e-6);
    assert_near(high, usd(20.0 - 10.0 * (-QUANTILE_95 * 0.2).exp()), 1e-6);
    let monthly = Objective { runs_per_month: Some(1000.0), ..cost_within(1.0) };
    let monthly = decided(PriceBasis::Own, monthly).sentence();
    // 10 s are a cent: $10 a month, $6.10 … $12.80 by the interval.
    assert!(monthly.contains(" a month at 1,000 runs ($6.1 … $13, 90 % interval), "), "{monthly}");
}

#[test]
fn small_amounts_have_two_digits_and_no_exponent() {
    for (value, expected) in [
        (0.000_022, "$0.000022"),
        (-0.000_022, "−$0.000022"),
        (0.000_020_1, "$0.00002"),
        (0.000_987, "$0.00099"),
        (0.000_999_9, "$0.001"),
        (0.004_4, "$0.0044"),
        (1.23e-9, "$0.0000000012"),
        (1e-9, "$0.000000001"),
        (0.0, "$0"),
    ] {
        assert_eq!(dollars(value), expected, "{value}");
    }
}

#[test]
fn prices_of_far_dates_are_named_with_their_dates() {
    let of = |month: i8| {
        let price = |month: i8| Some(Price { date: Some(date(2026, month, 1)), ..Price::entered(3.6) });
        let baseline = Baseline { price: price(1), ..measured(20.0, None) };
        let option = Candidate { price: price(month), ..candidate("option", time(0.0, 10.0, 0.2), None) };
        decide(baseline, vec![option], cost_within(1.0)).dates_of_prices()
    };
    // From January to April there are 90 days, to May 120.
    assert_eq!(of(4), None);
    let far = of(5).expect("a difference");
    assert!(far.contains("2026-01-01 (today)") && far.contains("2026-05-01 (option)"), "{far}");
}

#[test]
fn a_limit_below_the_time_that_stays_names_that_time() {
    let option = candidate("option", time(6.0, 1.0, 0.2), Some(0.1));
    let found = decide(measured(20.0, Some(3.6)), vec![option], cost_within(0.1));
    assert_eq!(found.verdict, Verdict::Stay);
    let sentence = found.sentence();
    assert!(sentence.contains("6 s outside of the queries") && sentence.contains("the limit is 2 s"), "{sentence}");
    // Which option is the likeliest would be arbitrary.
    assert_eq!((found.likeliest(), found.depends_on()), (None, None));
    assert!(sentence.contains(". Today’s run takes 20 s, longer than the limit of 2 s."), "{sentence}");
    assert_eq!(found.wanted(), "done within 0.1× today’s time (2 s)");
}

#[test]
fn a_likelihood_below_the_limit_of_a_move_does_not_look_like_it() {
    for (better, expected) in [(0.8999, "89.9 %"), (0.896, "89.6 %"), (0.9, "90 %"), (0.894, "89 %"), (0.93, "93 %")] {
        assert_eq!(likely(better), expected, "{better}");
    }
}

#[test]
fn an_engine_that_was_measured_on_another_host_version_is_named_without_it() {
    let of = |today: &str| {
        let name = "Gluten (Velox) on Spark 3.5.3";
        let title = format!("{name}, same machines");
        let option =
            Candidate { title, engine: name.to_owned(), ..candidate("option", time(0.0, 5.0, 0.1), Some(3.6)) };
        let baseline = Baseline { title: today.to_owned(), ..measured(20.0, Some(3.6)) };
        decide(baseline, vec![option], cost_within(1.0)).sentence()
    };
    let other = of("Spark 3.3.0-amzn-0, 2 × m5.xlarge");
    assert!(other.contains("Gluten (Velox), same machines: predicted 5 s ("), "{other}");
    assert!(other.contains("90 % interval; fitted on Spark 3.5.3) instead of 20 s measured"), "{other}");
    let same = of("Spark 3.5.3, 2 × m5.xlarge");
    assert!(same.contains("Gluten (Velox) on Spark 3.5.3, same machines: predicted 5 s"), "{same}");
    assert!(!same.contains("fitted on"), "{same}");
}

#[test]
fn the_likelihood_of_an_option_on_the_same_machines_does_not_depend_on_their_price() {
    let of = |is_on_same_machines: bool| {
        let option = Candidate { is_on_same_machines, ..candidate("option", time(0.0, 10.0, 0.2), Some(3.6)) };
        decide(measured(20.0, Some(3.6)), vec![option], cost_within(1.0)).sentence()
    };
    assert!(of(true).contains("likely to be cheaper and not slower, whatever today’s machines cost."), "{}", of(true));
    assert!(of(false).contains("likely to be cheaper and not slower at the prices used."), "{}", of(false));
}

#[test]
fn an_engine_that_does_not_support_todays_version_is_said_before_what_the_move_saves() {
    let sentence = "engine 2 does not support Spark 3.1.1; the nearest supported version is Spark 3.2.2";
    let of = |is_supported: Option<bool>| {
        let support = VersionSupport { is_supported, sentence: sentence.to_owned(), source: "its page".to_owned() };
        let evidence = Evidence { support: Some(support), ..Evidence::default() };
        let option = Candidate { evidence, ..candidate("option", time(0.0, 10.0, 0.2), Some(3.6)) };
        decide(measured(20.0, Some(3.6)), vec![option], cost_within(1.0)).sentence()
    };
    let needed =
        format!(" at the prices used. The move needs a change of version: {sentence}. On average a run costs ");
    assert!(of(Some(false)).contains(&needed), "{}", of(Some(false)));
    for is_supported in [Some(true), None] {
        assert!(!of(is_supported).contains(sentence), "{}", of(is_supported));
    }
}

/// The numbers of `a_trial_pays_where_the_saving_is_more_than_the_regret`: 70 % likely, and the regret is larger than the saving.
#[test]
fn a_stay_in_spite_of_a_likely_option_names_the_regret() {
    let option = candidate("option", time(0.0, 10.0, 1.0), Some(1.0));
    let found = decide(measured(17.0, Some(1.0)), vec![option], cost_within(1.0));
    assert_eq!(found.verdict, Verdict::Stay);
    let sentence = found.sentence();
    assert!(sentence.contains("70 %") && sentence.contains("not above the expected regret"), "{sentence}");
}
