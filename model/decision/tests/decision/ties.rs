//! Two options that the errors of their predictions cannot tell apart.

use crossover_decision::evidence::VersionSupport;
use crossover_decision::growth::TimeGrowth;
use crossover_decision::{
    Baseline, Candidate, Decision, Evidence, Objective, Price, PriceBasis, PriceChange, PricedMachines, Verdict, decide,
};

use super::{assert_near, candidate, cost_within, least_time, measured, normal, time};

/// What the headline says of two options that cost about the same.
const SAME_COST: &str = "They cost about the same: ";

/// An option of 10 s and another one beside an engine of 1,000 s, all at the same price.
fn beside(other: Candidate, objective: Objective) -> Decision {
    decide(measured(1000.0, Some(3.6)), vec![candidate("one", time(0.0, 10.0, 0.3), Some(3.6)), other], objective)
}

fn other(median: f64) -> Candidate {
    candidate("other", time(0.0, median, 0.3), Some(3.6))
}

/// The quotient of two independent log-normal times is log-normal with the deviation √2 · 0.3: the first is cheaper with
/// Φ(ln 1.05 ÷ 0.424) = 55 %, and with Φ(ln 1.4 ÷ 0.424) = 79 %.
#[test]
fn two_options_within_their_errors_cost_about_the_same_and_the_headline_names_both() {
    let close = beside(other(10.5), cost_within(1.0));
    let tie = *close.near_ties.first().expect("a near-tie");
    assert_eq!((close.best, tie.other), (Some(0), 1));
    assert_near(tie.likelihood, normal(1.05_f64.ln() / 0.3_f64.hypot(0.3)), 1e-9);
    let sentence = close.sentence();
    assert!(sentence.starts_with("Move to one or other: predicted 10 s ("), "{sentence}");
    let says = format!("{SAME_COST}55 % likely that the first is cheaper. A trial run of each would decide.");
    assert!(sentence.contains(&says), "{sentence}");
    // A second costs a tenth of a cent; means of log-normal times are e^(0.3² ÷ 2) times the medians of 10 s and 10.5 s.
    assert!(sentence.contains("On average a run costs $0.010 or $0.011 instead of $1.000"), "{sentence}");
    assert_eq!(close.mean_costs(), Some(["$1.000", "$0.010 or $0.011"].map(str::to_owned)));
    // Of one cost today, both savings are the difference as shown.
    let savings = [0, 1].map(|place: usize| close.mean_saving(&close.options[place]).expect("a price"));
    assert_eq!(savings, ["$0.990", "$0.989"]);
    assert!(sentence.contains("both >99 % likely to be cheaper and not slower"), "{sentence}");
    assert_eq!(close.recommended().collect::<Vec<_>>(), [0, 1]);
    assert!((0..2).all(|place| close.why(place).starts_with("recommended, as is ")), "{}", close.why(1));

    let apart = beside(other(14.0), cost_within(1.0));
    assert!(apart.near_ties.is_empty());
    assert!(apart.sentence().starts_with("Move to one: predicted 10 s ("), "{}", apart.sentence());
    assert!(!apart.sentence().contains("about the same"), "{}", apart.sentence());
    assert_eq!(apart.recommended().collect::<Vec<_>>(), [0]);
}

/// The second and the third are as close: Φ(ln(10.8/10) ÷ 0.424) = 57 % and Φ(ln(10.8/10.5) ÷ 0.424) = 53 %.
#[test]
fn three_options_within_their_errors_are_all_named_and_a_fourth_is_not() {
    let option = |title: &str, median: f64| candidate(title, time(0.0, median, 0.3), Some(3.6));
    let of = |third: Candidate| {
        let options = vec![option("one", 10.0), option("other", 10.5), third, option("fourth", 10.9)];
        decide(measured(1000.0, Some(3.6)), options, cost_within(1.0))
    };
    let close = of(option("third", 10.8));
    assert_eq!(close.recommended().collect::<Vec<_>>(), [0, 1, 2]);
    let sentence = close.sentence();
    assert!(sentence.starts_with("Move to one, other or third: predicted 10 s ("), "{sentence}");
    let says = format!("{SAME_COST}55 % likely that the first is cheaper than the second, 57 % than the third.");
    assert!(sentence.contains(&says), "{sentence}");
    assert!(sentence.contains("all >99 % likely"), "{sentence}");
    assert!(close.why(1).starts_with("recommended, as are one and third: "), "{}", close.why(1));
    // Errors of one engine are the same on all machines, so the third is known to be no better than the second.
    let same = of(Candidate { engine: "other".to_owned(), ..option("third", 10.8) });
    assert_eq!(same.recommended().collect::<Vec<_>>(), [0, 1, 3]);
}

/// Titles of clusters have commas of their own.
#[test]
fn a_list_of_three_options_whose_titles_have_commas_is_divided_by_semicolons() {
    let titles = ["RAPIDS, 2 × g6.2xlarge", "Gluten, same machines", "Comet, same machines"];
    let option = |(title, median): (&str, f64)| candidate(title, time(0.0, median, 0.3), Some(3.6));
    let of = |titles: &[&str]| {
        let options = titles.iter().copied().zip([10.0, 10.5, 10.8]).map(option).collect();
        decide(measured(1000.0, Some(3.6)), options, cost_within(1.0))
    };
    let three = of(&titles);
    let expected = "RAPIDS, 2 × g6.2xlarge; Gluten, same machines; or Comet, same machines";
    assert_eq!(three.recommended_title(" or ").as_deref(), Some(expected));
    let sentence = three.sentence();
    assert!(sentence.starts_with(&format!("Move to {expected}: predicted 10 s (")), "{sentence}");
    assert!(sentence.contains(" interval); 1") && sentence.contains("); or 1"), "{sentence}");
    let two = of(&titles[..2]);
    assert_eq!(two.recommended_title(" or ").as_deref(), Some("RAPIDS, 2 × g6.2xlarge or Gluten, same machines"));
    let on_the_same = of(&titles[1..]);
    assert_eq!(on_the_same.recommended_title(" or ").as_deref(), Some("Gluten or Comet, both on the same machines"));
    assert!(on_the_same.why(1).starts_with("recommended, as is Gluten, same machines: "), "{}", on_the_same.why(1));
}

/// Two engines with an option of 10 s and one of 10.5 s instead of 20 s at an assumed price: the first is cheaper with
/// Φ(ln 1.05 ÷ (0.2·√2)) = 57 %.
fn at_an_assumed_price(is_on_same_machines: bool) -> String {
    let price = Price { basis: PriceBasis::Assumed, ..Price::entered(3.6) };
    let option = |title: &str, median: f64| {
        let option = candidate(title, time(0.0, median, 0.2), Some(3.6));
        Candidate { is_on_same_machines, ..option }
    };
    let baseline = Baseline { price: Some(price), ..measured(20.0, None) };
    let decision = decide(baseline, vec![option("one", 10.0), option("other", 10.5)], cost_within(1.0));
    assert_eq!(decision.recommended().count(), 2, "{}", decision.sentence());
    decision.sentence()
}

/// Means of 10.202 s and 10.712 s. By hand, with machines of their own: $0.01 and $0.04 of today minus $0.0102 or $0.0107. At half the price
/// the second takes up to half of today's time with Φ(ln(10 ÷ 10.5) ÷ 0.2) = 40 %.
#[test]
fn options_with_one_assumed_price_have_one_sentence_about_it() {
    let own = at_an_assumed_price(false);
    let expected = " At half to twice the assumed price, $1.80 to $7.20 per hour, the likelihood of the first is 50 % … >99 %, \
                    the likelihood of the second is 40 % … >99 % and the expected saving is −$0.0002 … $0.03 or −$0.00071 … \
                    $0.029 per run.";
    assert!(own.contains(expected), "{own}");
}

/// At half and at twice the price, both costs change: $0.0098 and $0.0093 are halved and doubled.
#[test]
fn clauses_about_the_savings_of_two_options_are_written_once() {
    let same = at_an_assumed_price(true);
    let expected = " At half to twice the assumed price, $1.80 to $7.20 per hour, the expected saving is $0.0049 … $0.02 or $0.0046 … \
                    $0.019 per run.";
    assert!(same.contains(expected), "{same}");
    assert_eq!(same.matches("90 % interval at the assumed price").count(), 1, "{same}");
    // Of the savings, and at half to twice the price.
    assert_eq!(same.matches(" per run").count(), 2, "{same}");
    let monthly = Objective { runs_per_month: Some(1000.0), ..cost_within(1.0) };
    let monthly = beside(other(10.5), monthly).sentence();
    assert!(monthly.matches(" at 1,000 runs (").count() == 1 && monthly.contains(" a year; or $"), "{monthly}");
}

#[test]
fn engines_of_other_host_versions_are_named_with_their_times_and_one_change_of_version() {
    let option = |name: &str, median: f64| {
        let sentence = format!("{name} does not support Spark 4.3.0");
        let support = VersionSupport { is_supported: Some(false), sentence, source: "its page".to_owned() };
        let evidence = Evidence { support: Some(support), ..Evidence::default() };
        let title = format!("{name}, same machines");
        Candidate { title, engine: name.to_owned(), evidence, ..candidate("", time(0.0, median, 0.2), Some(3.6)) }
    };
    let names = ["Gluten (Velox) on Spark 3.5.3", "Comet 0.17.0 on Spark 3.5.8"];
    let options = vec![option(names[0], 10.0), option(names[1], 10.5)];
    let baseline = Baseline { title: "Spark 4.3.0, 2 × m5.xlarge".to_owned(), ..measured(20.0, Some(3.6)) };
    let sentence = decide(baseline, options, cost_within(1.0)).sentence();
    for expected in [
        "Gluten (Velox) or Comet 0.17.0, both on the same machines: predicted 10 s (",
        ", 90 % interval; fitted on Spark 3.5.3) or 1",
        "; fitted on Spark 3.5.8) instead of 20 s measured.",
    ] {
        assert!(sentence.contains(expected), "{expected} is not in {sentence}");
    }
    let [first, second] = names.map(|name| format!("{name} does not support Spark 4.3.0"));
    let expected = format!(" The move needs a change of version: {first}. {second}. ");
    assert!(sentence.contains(&expected), "{sentence}");
}

/// A narrow column has no room for versions and machines.
#[test]
fn the_short_title_of_several_options_has_their_engines_and_of_one_engine_its_numbers_of_machines() {
    let of = |options: [(&str, &str, f64, f64); 2]| {
        let options = options.map(|(title, engine, machines, median)| Candidate {
            engine: engine.to_owned(),
            machines: Some(machines),
            ..candidate(title, time(0.0, median, 0.3), Some(3.6))
        });
        let decision = decide(measured(1000.0, Some(3.6)), Vec::from(options), cost_within(1.0));
        decision.short_recommended_title(" or ")
    };
    let gpus = ("RAPIDS 25.12 (L4), 2 × g6.2xlarge", "RAPIDS 25.12 (L4)", 2.0, 10.0);
    let same = ("Gluten (Velox) on Spark 3.5.3, same machines", "Gluten (Velox) on Spark 3.5.3", 8.0, 10.5);
    assert_eq!(of([gpus, same]).as_deref(), Some("RAPIDS or Gluten"));
    let more = ("RAPIDS 25.12 (A10), 4 × g5.2xlarge", "RAPIDS 25.12 (A10)", 4.0, 10.5);
    assert_eq!(of([gpus, more]).as_deref(), Some("RAPIDS, 2 or 4 machines"));
    let slow = (same.0, same.1, same.2, 100.0);
    assert_eq!(of([gpus, slow]).as_deref(), Some("RAPIDS, 2 × g6.2xlarge"));
    let faster = (same.0, same.1, same.2, 1.0);
    assert_eq!(of([gpus, faster]).as_deref(), Some("Gluten, same machines"));
}

#[test]
fn where_time_decides_two_options_take_about_the_same() {
    let sentence = beside(other(10.5), least_time(None)).sentence();
    assert!(sentence.starts_with("Move to one or other: "), "{sentence}");
    assert!(sentence.contains("They take about the same: 55 % likely that the first is faster."), "{sentence}");
}

/// What is not allowed is no alternative, whatever it costs.
#[test]
fn an_option_that_misses_the_goal_or_is_blocked_is_no_near_tie() {
    // 2,000 s at a 200th of the price cost as much as 10 s, and are slower than today.
    let slow = candidate("other", time(0.0, 2000.0, 0.3), Some(3.6 / 200.0));
    assert!(beside(slow, cost_within(1.0)).near_ties.is_empty());
    let blocked = Candidate { blocked_by: Some("it has user code".to_owned()), ..other(10.5) };
    assert!(beside(blocked, cost_within(1.0)).near_ties.is_empty());
}

/// Errors of one engine are the same on all machines, so the better of two clusters is known.
#[test]
fn two_clusters_of_one_engine_are_told_apart() {
    let same = Candidate { engine: "one".to_owned(), ..other(10.5) };
    assert!(beside(same, cost_within(1.0)).near_ties.is_empty());
}

#[test]
fn a_dearer_cluster_of_the_best_engine_hides_no_near_tie_of_another_engine() {
    let option = |title: &str, engine: &str, median: f64| {
        let candidate = candidate(title, time(0.0, median, 0.3), Some(3.6));
        Candidate { engine: engine.to_owned(), ..candidate }
    };
    let options = vec![option("one", "one", 10.0), option("dearer", "one", 10.2), option("other", "other", 10.5)];
    let close = decide(measured(1000.0, Some(3.6)), options, cost_within(1.0));
    assert_eq!(close.recommended().collect::<Vec<_>>(), [0, 2], "{}", close.sentence());
}

/// A limit of 12 s is kept with Φ(ln(12/10) ÷ 0.1) = 97 %, to move to, and with Φ(ln(12/10.3) ÷ 0.3) = 69 %, to try.
#[test]
fn an_option_that_is_to_be_tried_is_no_choice_beside_one_to_move_to() {
    let sure = candidate("one", time(0.0, 10.0, 0.1), Some(3.6));
    let unsure = candidate("other", time(0.0, 10.3, 0.3), Some(3.6));
    let decision = decide(measured(1000.0, Some(3.6)), vec![sure, unsure], cost_within(0.012));
    assert_eq!((decision.verdict, decision.best), (Verdict::Move, Some(0)));
    assert!(decision.near_ties.is_empty());
}

/// The first is the cheaper one with Φ(ln(10.5 · p₂ ÷ (10 · p₁)) ÷ 0.424). Its 40 % and 60 % are at ∓0.2533, where p₂ · 1.05 ÷ p₁ is
/// e^(∓0.1075) = 0.898 and 1.113: at $4.21 and $3.39 for the first, and at $3.08 and $3.82 for the second. At a tenth of today's price
/// both are still far cheaper than 1,000 s.
#[test]
fn of_a_choice_the_prices_are_named_beyond_which_one_alone_is_recommended() {
    let close = beside(other(10.5), cost_within(1.0));
    let far = (0.253_347_103 * 0.3_f64.hypot(0.3)).exp();
    // By their distance from $3.60: 1.06, 1.0605, 1.169 and 1.169 times.
    let expected = [(0, 0, 1.05 / far), (1, 0, far / 1.05), (0, 1, 1.05 * far), (1, 1, 1.0 / (1.05 * far))];
    let changes = close.prices_of_a_change();
    assert_eq!(changes.len(), expected.len(), "{changes:?}");
    for (machines, alone, factor) in expected {
        let is_it = |change: &&PriceChange| {
            change.of == PricedMachines::OfOption(machines) && change.best == Some(alone) && change.ends_tie
        };
        let change = changes.iter().find(is_it).expect("a price");
        assert_near(change.factor, factor, 1e-5);
        assert_near(change.usd_per_hour, 3.6 * factor, 1e-4);
        let at = |factor: f64| close.with_price(change.of, factor).with_near_ties();
        let beyond = if factor > 1.0 { 1.001 } else { 0.999 };
        assert_eq!(at(factor * beyond).recommended().collect::<Vec<_>>(), [alone]);
        assert_eq!(at(factor / beyond).recommended().count(), 2);
    }
}

/// Both grow, the first faster than the second; only their order changes.
#[test]
fn a_change_from_one_option_of_a_choice_to_the_other_is_no_change() {
    let close = beside(other(10.5), cost_within(1.0));
    let times = |growth: f64| Some(TimeGrowth { today: growth, options: vec![growth.powi(2), growth] });
    assert_eq!(close.growth_of_a_change(0.0, times), None);
}

/// Means of e^(0.1² ÷ 2) · 10.5 s = 10.55 s and e^(0.6² ÷ 2) · 8.9 s = 10.66 s, but the first is cheaper with Φ(ln(8.9 ÷ 10.5) ÷ 0.608) =
/// 39 % only. Where its price makes its mean the larger one, from 1.0098 times on, the other one is cheaper with 61 %.
#[test]
fn an_option_with_the_smaller_mean_that_is_probably_dearer_is_not_recommended_alone() {
    let option = |title: &str, median: f64, deviation: f64| candidate(title, time(0.0, median, deviation), Some(3.6));
    let options = vec![option("one", 10.5, 0.1), option("other", 8.9, 0.6)];
    let close = decide(measured(1000.0, Some(3.6)), options, cost_within(1.0));
    assert_eq!(close.recommended().collect::<Vec<_>>(), [0, 1]);
    assert_near(close.near_ties[0].likelihood, normal((8.9_f64 / 10.5).ln() / 0.1_f64.hypot(0.6)), 1e-9);
    let dearer = |change: &&PriceChange| change.of == PricedMachines::OfOption(0) && change.factor > 1.0;
    let changes = close.prices_of_a_change();
    let change = changes.iter().find(dearer).expect("a price");
    assert_eq!((change.best, change.ends_tie), (Some(1), true));
    assert_near(change.factor, 8.9 / 10.5 * (0.18_f64 - 0.005).exp(), 1e-5);
}
