//! What would change a verdict: time limits and prices from which another option is recommended, break-even prices, and the growth of
//! the data.

use crossover_decision::growth::GrowthChange;
use crossover_decision::saving::longest_payback;
use crossover_decision::words::{joined_titles, price_dollars, price_limit, price_limit_of_several};
use crossover_decision::{BreakEvenPrices, Decision, Goal, Objective, PriceChange, PricedMachines, TimeLimit, Verdict};
use crossover_quantity::unit::{Unit, predicted};

/// Relative difference below which two prices are the same: one of them comes from a search.
const SAME_PRICE: f64 = 1e-4;
/// Today's engine in a sentence.
const TODAY: &str = "today’s engine";

/// What would change the verdict, a sentence each; `prices`: its prices of a change.
#[must_use]
pub fn what_changes_it(decision: &Decision, prices: &[PriceChange]) -> Vec<String> {
    let mut changes: Vec<String> = decision.at_nearest_limits().iter().map(limit_sentence).collect();
    let of_today = |change: &&PriceChange| change.of == PricedMachines::Today;
    // Of the options' machines, those whose price is nearest; of a choice they have two.
    let nearest = prices.iter().find(|change| !of_today(change)).map(|change| change.of);
    let others = prices.iter().filter(|change| Some(change.of) == nearest);
    changes.extend(prices.iter().filter(of_today).chain(others).map(|change| price_sentence(decision, change)));
    let break_even = decision.break_even_prices();
    changes.extend(break_even.iter().filter_map(|found| break_even_sentence(decision, found, prices)));
    changes
}

/// "With a time limit of 0.47× today’s time: try RAPIDS 25.12 (L4), 2 × g6.2xlarge.", "With a time limit of 21 s (0.48× today’s time): move to
/// RAPIDS 25.12 (L4), 8 × g6.2xlarge, at an extra cost.", "With a time limit of 1× today’s time: stay with today’s engine, because the effort is
/// not paid back within 36 months."
fn limit_sentence(then: &Decision) -> String {
    let title = then.recommended_title(" or ").unwrap_or_else(|| TODAY.to_owned());
    let is_dearer = then.best_option().and_then(|best| best.saving).is_some_and(|saving| saving < 0.0);
    let why = if is_dearer {
        ", at an extra cost".to_owned()
    } else if then.is_kept_by_effort() {
        format!(", because the effort is not paid back within {}", longest_payback())
    } else {
        String::new()
    };
    format!(
        "With a time limit of {}: {}{why}.",
        then.limit_in_words(then.objective.time_limit),
        recommendation(then.verdict, &title)
    )
}

/// "move to RAPIDS", "try RAPIDS", "stay with today’s engine".
fn recommendation(verdict: Verdict, title: &str) -> String {
    match verdict {
        Verdict::Move => format!("move to {title}"),
        Verdict::Try => format!("try {title}"),
        Verdict::Stay | Verdict::CannotJudge => format!("stay with {TODAY}"),
    }
}

/// "With RAPIDS 25.12 (L4), 2 × g6.2xlarge, no saving is expected if its machines cost more than $3.96 per hour together, $1.98 each (price
/// used: $1.96). The same holds if today’s machines cost less than $0.99 per hour (price used: $2.00)."; `None` if one of these prices says
/// the same.
fn break_even_sentence(decision: &Decision, found: &BreakEvenPrices, prices: &[PriceChange]) -> Option<String> {
    let candidate = &decision.options[found.option].candidate;
    let (now, now_today) = (candidate.usd_per_hour()?, decision.baseline.usd_per_hour()?);
    let machines = candidate.machines.unwrap_or(1.0);
    let says_it = |change: &PriceChange| {
        let is_same = (change.usd_per_hour / found.option_usd_per_hour - 1.0).abs() < SAME_PRICE;
        change.best.is_none() && change.of == PricedMachines::OfOption(found.option) && is_same
    };
    if prices.iter().any(says_it) {
        return None;
    }
    let Limit { all, each } = Limit::new(found.option_usd_per_hour, now, machines);
    let Limit { all: all_today, each: each_today } =
        Limit::new(found.today_usd_per_hour, now_today, decision.baseline.machines);
    Some(format!(
        "With {}, no saving is expected if its machines cost more than {all} per hour{each} (price used: {}). The same holds if today’s \
         machines cost less than {all_today} per hour{each_today} (price used: {}).",
        candidate.title,
        price_dollars(now),
        price_dollars(now_today)
    ))
}

/// "If the machines of RAPIDS 25.12 (L4), 2 × g6.2xlarge cost less than $1.61 per hour together, $0.805 each (price used: $1.96): …".
/// Where another option is about as good before it alone is recommended, both prices: "… more than $2.10 per hour (price used: $2.00):
/// RAPIDS or Gluten; more than $2.67: only Gluten."
fn price_sentence(decision: &Decision, change: &PriceChange) -> String {
    let now = change.usd_per_hour / change.factor;
    let machines = match change.of {
        PricedMachines::Today => "today’s machines".to_owned(),
        PricedMachines::OfOption(place) => format!("the machines of {}", decision.options[place].candidate.title),
    };
    let than = if change.factor > 1.0 { "more" } else { "less" };
    let title = |place: usize| decision.options[place].candidate.title.as_str();
    let name = |best: Option<usize>| best.map_or(TODAY, title);
    let limit = |usd_per_hour: f64| Limit::new(usd_per_hour, now, change.machines);
    let used = price_dollars(now);
    let sentence = |limit: &Limit, then: &str| {
        let Limit { all, each } = limit;
        format!("If {machines} cost {than} than {all} per hour{each} (price used: {used}): {then}")
    };
    let first = limit(change.usd_per_hour);
    let tie_ends = change.tie_ends.map(|end| (limit(end.usd_per_hour), name(end.best)));
    match tie_ends {
        // As they are printed, there is no choice between both prices.
        Some((limit, best)) if limit == first => sentence(&limit, &format!("{best}.")),
        _ => {
            let best = name(change.best);
            let either =
                change.beside.map_or_else(|| best.to_owned(), |other| joined_titles(&[best, title(other)], " or "));
            let only = if change.ends_tie { "only " } else { "" };
            let farther = tie_ends.map(|(Limit { all, each }, best)| format!("; {than} than {all}{each}: only {best}"));
            let then = format!("{only}{either}{}.", farther.unwrap_or_default());
            sentence(&first, &then)
        }
    }
}

/// A price as it is printed, rounded away from the present one, so that the recommendation has changed there.
#[derive(PartialEq)]
struct Limit {
    /// That of all machines: "$1.61".
    all: String,
    /// That of each of several: " together, $0.805 each".
    each: String,
}

impl Limit {
    fn new(usd_per_hour: f64, now: f64, machines: f64) -> Self {
        if machines > 1.0 {
            let [all, each] = price_limit_of_several(usd_per_hour, now, machines);
            Self { all, each: format!(" together, {each} each") }
        } else {
            Self { all: price_limit(usd_per_hour, now), each: String::new() }
        }
    }
}

/// "If the data grows to 3.3 times its size: move to RAPIDS 25.12 (L4), 4 × g6.2xlarge." A time limit other than today's time grows or stays,
/// which the sentence says.
#[must_use]
pub fn growth_sentence(decision: &Decision, change: &GrowthChange) -> String {
    let title = change.best.map_or(TODAY, |best| decision.options[best].candidate.title.as_str());
    let then = recommendation(change.verdict, title);
    let growth = match Unit::Ratio.format(predicted(change.growth)) {
        two if two == "2" => "twice".to_owned(),
        times => format!("{times} times"),
    };
    let Objective { goal, time_limit, .. } = decision.objective;
    let limit = match time_limit {
        _ if goal != Goal::Cost || time_limit == TimeLimit::TODAY => String::new(),
        TimeLimit::Seconds(_) => format!(" The time limit stays {}.", time_limit.in_words()),
        TimeLimit::Factor(_) => " The time limit grows with today’s time.".to_owned(),
    };
    format!(
        "If the data grows to {growth} its size: {then}. All rows, bytes and CPU times are assumed to grow alike.{limit}"
    )
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, PredictedTime, Price, TieEnd, decide};

    use super::*;

    /// The sentences about prices, behind those about time limits.
    fn of_prices(decision: &Decision, prices: &[PriceChange]) -> Vec<String> {
        let all = what_changes_it(decision, prices).into_iter();
        all.filter(|text| !text.starts_with("With a time limit of ")).collect()
    }

    fn said(machines: f64, at: f64, tie_ends: Option<f64>) -> String {
        let option = |title| Candidate::predicted(title, PredictedTime::within(5.0, 1.5), Some(Price::entered(1.0)));
        let baseline = Baseline::measured("Spark", 40.0, Some(Price::entered(2.0)));
        let decision = decide(baseline, vec![option("GPUs"), option("CPUs")], Objective::default());
        let change = PriceChange {
            of: PricedMachines::Today,
            factor: at / 2.0,
            usd_per_hour: at,
            machines,
            best: Some(0),
            beside: Some(1),
            ends_tie: false,
            tie_ends: tie_ends.map(|usd| TieEnd { factor: usd / 2.0, usd_per_hour: usd, best: Some(1) }),
        };
        of_prices(&decision, &[change]).remove(0)
    }

    /// 50 s today at $2 an hour cost $0.0278. GPUs take 20 s within a factor of 1.5 in 90 %: s = ln 1.5 ÷ 1.645 = 0.2465, so that 90 % of the runs
    /// are done in 20 s · e^(1.282 · 0.2465) = 27.43 s, 0.549 of today's time, and half in 20 s. At $6 an hour they cost more: $0.0344.
    #[test]
    fn the_nearest_time_limits_are_named_in_the_entered_form_with_their_verdicts() {
        let of = |usd: f64, time_limit: TimeLimit| {
            let time = PredictedTime::within(20.0, 1.5);
            let option = Candidate::predicted("GPUs", time, Some(Price::entered(usd)));
            let baseline = Baseline::measured("Spark", 50.0, Some(Price::entered(2.0)));
            let decision = decide(baseline, vec![option], Objective { time_limit, ..Objective::default() });
            let all = what_changes_it(&decision, &[]).into_iter();
            all.filter(|text| text.starts_with("With a time limit of ")).collect::<Vec<String>>()
        };
        let [tries, moves] = [
            "With a time limit of 0.54× today’s time: try GPUs, at an extra cost.",
            "With a time limit of 0.99× today’s time: move to GPUs, at an extra cost.",
        ];
        // From today's time on, they would have to be cheaper.
        assert_eq!(of(6.0, TimeLimit::TODAY), [moves]);
        let stays = "With a time limit of 1× today’s time: stay with today’s engine.";
        assert_eq!(of(6.0, TimeLimit::Factor(0.8)), [stays, tries]);
        assert_eq!(
            of(6.0, TimeLimit::Seconds(22.0)),
            [
                "With a time limit of 28 s (0.56× today’s time): move to GPUs, at an extra cost.",
                "With a time limit of 19 s (0.38× today’s time): stay with today’s engine.",
            ]
        );
        assert_eq!(of(0.2, TimeLimit::Seconds(60.0)), ["With a time limit of 27 s (0.54× today’s time): try GPUs."]);
    }

    /// GPUs at today's price save 50 s − 20 s · e^(0.2465² ÷ 2) = 29.38 s at $2 an hour, $0.0163 of a run: at one run a month $10 take 613 months.
    /// Within 0.8 of today's time, which today's run breaks, no effort counts.
    #[test]
    fn a_limit_with_which_only_the_effort_keeps_today_says_so() {
        let option = Candidate::predicted("GPUs", PredictedTime::within(20.0, 1.5), Some(Price::entered(2.0)));
        let baseline = Baseline::measured("Spark", 50.0, Some(Price::entered(2.0)));
        let objective = Objective {
            time_limit: TimeLimit::Factor(0.8),
            runs_per_month: Some(1.0),
            effort_usd: Some(10.0),
            ..Objective::default()
        };
        let all = what_changes_it(&decide(baseline, vec![option], objective), &[]);
        let stays = "With a time limit of 1× today’s time: stay with today’s engine, because the effort is not paid back within 36 months.";
        assert_eq!(all[..2], [stays, "With a time limit of 0.54× today’s time: try GPUs."]);
        assert!(all[2].starts_with("With GPUs, no saving is expected if its machines cost more than $"), "{all:?}");
    }

    /// The size of the data is one thing, the limit another: a time stays.
    #[test]
    fn a_growth_names_the_verdict_and_what_becomes_of_the_limit() {
        let of = |time_limit: TimeLimit| {
            let option = Candidate::predicted("GPUs", PredictedTime::within(5.0, 1.5), Some(Price::entered(1.0)));
            let baseline = Baseline::measured("Spark", 40.0, Some(Price::entered(2.0)));
            let decision = decide(baseline, vec![option], Objective { time_limit, ..Objective::default() });
            growth_sentence(&decision, &GrowthChange { growth: 1.1, best: Some(0), verdict: Verdict::Try })
        };
        let text = "If the data grows to 1.1 times its size: try GPUs. All rows, bytes and CPU times are assumed to grow alike.";
        assert_eq!(of(TimeLimit::TODAY), text);
        assert_eq!(of(TimeLimit::Seconds(20.0)), format!("{text} The time limit stays 20 s."));
        assert_eq!(of(TimeLimit::Factor(0.5)), format!("{text} The time limit grows with today’s time."));
    }

    #[test]
    fn a_choice_before_another_recommendation_has_the_prices_of_both_its_ends() {
        let text = "If today’s machines cost more than $2.10 per hour (price used: $2.00): GPUs or CPUs; more than $2.67: only CPUs.";
        assert_eq!(said(1.0, 2.0956, Some(2.6611)), text);
        let text = "If today’s machines cost less than $1.64 per hour together, $0.82 each (price used: $2.00): GPUs or CPUs; less than \
                    $1.24 together, $0.62 each: only CPUs.";
        assert_eq!(said(2.0, 1.6418, Some(1.2418)), text);
    }

    #[test]
    fn a_choice_between_prices_that_are_printed_alike_is_not_named() {
        let text = "If today’s machines cost more than $2.31 per hour (price used: $2.00): CPUs.";
        assert_eq!(said(1.0, 2.3021, Some(2.3094)), text);
    }

    /// The mean of 5 s within a factor of 1.5 in 90 % is 5 s · exp((ln 1.5 / 1.645)² / 2) = 5.154 s: 40 s at $2 cost as much at $15.521, and
    /// at $1 as much as 40 s at $0.12886.
    #[test]
    fn a_recommended_option_has_the_prices_at_which_it_saves_nothing() {
        let time = PredictedTime::within(5.0, 1.5);
        let of = |is_on_same_machines: bool| {
            let option =
                Candidate { is_on_same_machines, ..Candidate::predicted("GPUs", time, Some(Price::entered(1.0))) };
            let baseline = Baseline::measured("Spark", 40.0, Some(Price::entered(2.0)));
            of_prices(&decide(baseline, vec![option], Objective::default()), &[])
        };
        let text = "With GPUs, no saving is expected if its machines cost more than $15.53 per hour (price used: $1.00). The same holds if \
                    today’s machines cost less than $0.128 per hour (price used: $2.00).";
        assert_eq!(of(false), [text]);
        assert!(of(true).is_empty(), "{:?}", of(true));
    }

    /// Without an error of the time, today's engine is recommended from the price on at which the option saves nothing.
    #[test]
    fn a_price_of_another_recommendation_that_says_the_same_is_enough() {
        let exact = PredictedTime { known_seconds: 0.0, median_seconds: 5.0, deviation: Some(0.0) };
        let option = Candidate::predicted("GPUs", exact, Some(Price::entered(1.0)));
        let baseline = Baseline::measured("Spark", 10.0, Some(Price::entered(2.0)));
        let decision = decide(baseline, vec![option], Objective::default());
        let texts = what_changes_it(&decision, &decision.prices_of_a_change());
        assert!(
            texts.iter().any(|text| text.contains("cost more than $4.0") && text.ends_with(": today’s engine.")),
            "{texts:?}"
        );
        assert!(!texts.iter().any(|text| text.contains("no saving")), "{texts:?}");
    }

    #[test]
    fn a_choice_without_an_end_has_one_price() {
        let text = "If today’s machines cost more than $2.10 per hour (price used: $2.00): GPUs or CPUs.";
        assert_eq!(said(1.0, 2.0956, None), text);
    }
}
