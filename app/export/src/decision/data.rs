//! What the charts of a decision draw, as CSV.

use crossover_decision::decision::Cost;
use crossover_decision::dependence::{NumberUnit, SavingUnit, Swing};
use crossover_decision::{Decision, Dependence, PredictedTime};
use crossover_quantity::text::csv::{Records, cell};

/// Every number behind the charts of a decision: the options, then what it depends on most, with a header each and a blank line between.
#[must_use]
pub fn data_csv(decision: &Decision) -> String {
    let dependence = decision.depends_on().filter(|found| !found.swings.is_empty());
    let tables = [Some(options_csv(decision)), dependence.as_ref().map(swings_csv)];
    tables.into_iter().flatten().collect::<Vec<_>>().join("\r\n")
}

/// Today and each option with a time, a line each: the medians with the ends of their 90 % intervals, and the likelihoods; empty where
/// not known.
fn options_csv(decision: &Decision) -> String {
    let mut csv = Records::default();
    csv.push([
        "option",
        "is_today",
        "time_seconds",
        "time_seconds_low",
        "time_seconds_high",
        "cost_usd",
        "cost_usd_low",
        "cost_usd_high",
        "likely_faster",
        "likely_cheaper",
        "pareto_front",
        "recommended",
    ]);
    let mut push = |title: &str, is_today: bool, time: PredictedTime, usd: Option<Cost>, known: Known| {
        let Known { faster, cheaper, is_efficient, is_recommended } = known;
        let [time_ends, cost_ends] = [time.interval(), usd.and_then(|usd| usd.interval)];
        csv.push([
            title.to_owned(),
            is_today.to_string(),
            time.value().to_string(),
            cell(time_ends.map(|[low, _]| low)),
            cell(time_ends.map(|[_, high]| high)),
            cell(usd.map(|usd| usd.value)),
            cell(cost_ends.map(|[low, _]| low)),
            cell(cost_ends.map(|[_, high]| high)),
            cell(faster),
            cell(cheaper),
            cell(is_efficient),
            is_recommended.to_string(),
        ]);
    };
    let today = &decision.baseline;
    let known = Known {
        faster: None,
        cheaper: None,
        is_efficient: decision.is_today_efficient(),
        is_recommended: decision.recommends_to_stay(),
    };
    push(&today.title, true, today.time, decision.today_usd(), known);
    for (place, option) in decision.options.iter().enumerate() {
        let Some(time) = option.candidate.time else { continue };
        let known = Known {
            faster: option.faster,
            cheaper: option.cheaper,
            is_efficient: option.is_efficient,
            is_recommended: decision.recommends(Some(place)),
        };
        push(&option.candidate.title, false, time, option.usd, known);
    }
    csv.into_text()
}

/// What is known of an option beside its time and cost.
struct Known {
    faster: Option<f64>,
    cheaper: Option<f64>,
    is_efficient: Option<bool>,
    is_recommended: bool,
}

/// A line for each number: its 90 % range, and the difference at both ends.
fn swings_csv(found: &Dependence) -> String {
    let mut csv = Records::default();
    csv.push([
        "number",
        "unit",
        "low",
        "high",
        "difference_unit",
        "difference_at_low",
        "difference_at_high",
        "changes_better_option",
        "source",
    ]);
    let saving_unit = match found.unit {
        SavingUnit::SecondsPerRun => "seconds per run",
        SavingUnit::UsdPerRun => "USD per run",
        SavingUnit::UsdPerMonth => "USD per month",
    };
    for swing in &found.swings {
        let Swing { number, unit, range: [low, high], saving: [at_low, at_high], source, .. } = swing;
        let unit = match unit {
            NumberUnit::Seconds => "seconds",
            NumberUnit::UsdPerHour => "USD per hour",
            NumberUnit::RunsPerMonth => "runs per month",
        };
        csv.push([
            number.as_str(),
            unit,
            &low.to_string(),
            &high.to_string(),
            saving_unit,
            &at_low.to_string(),
            &at_high.to_string(),
            &swing.turns().to_string(),
            source,
        ]);
    }
    csv.into_text()
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, Price, decide};

    use super::*;
    use crate::csv::parse;

    /// 100 s for $7.20 an hour today. A candidate takes 50 s within a factor of 2 at the same price; one has no data.
    fn decision() -> Decision {
        let baseline = Baseline::measured("Spark", 100.0, Some(Price::entered(7.2)));
        let price = || Some(Price::entered(7.2));
        let option = |title: &str, seconds: f64| Candidate {
            title: title.to_owned(),
            ..Candidate::predicted(title, PredictedTime::within(seconds, 2.0), price())
        };
        let unknown = Candidate {
            time: None,
            deviation_of_ratio: None,
            blocked_by: Some("no measured data".to_owned()),
            ..option("unknown", 1.0)
        };
        decide(baseline, vec![unknown, option("fast", 50.0), option("even", 100.0)], Objective::default())
    }

    #[test]
    fn today_and_each_option_with_a_time_is_a_line() {
        let text = data_csv(&decision());
        let (options, _) = text.split_once("\r\n\r\n").expect("two tables");
        let records = parse(options);
        let column = |name: &str| records[0].iter().position(|title| title == name).expect("a column");
        let number = |row: usize, name: &str| -> f64 { records[row][column(name)].parse().expect("a number") };
        let titles: Vec<&str> = records[1..].iter().map(|record| record[column("option")].as_str()).collect();
        assert_eq!(titles, ["Spark", "fast", "even"]);
        // 100 s at 7.2 dollars an hour cost 20 cents; half and twice 50 s cost 5 and 20 cents.
        for (row, name, expected) in [
            (1, "time_seconds", 100.0),
            (1, "cost_usd", 0.2),
            (2, "time_seconds", 50.0),
            (2, "time_seconds_low", 25.0),
            (2, "time_seconds_high", 100.0),
            (2, "cost_usd", 0.1),
            (2, "cost_usd_low", 0.05),
            (2, "cost_usd_high", 0.2),
            // The upper end of its 90 % interval is today's time and cost.
            (2, "likely_faster", 0.95),
            (2, "likely_cheaper", 0.95),
            // Its median is today's time and cost.
            (3, "likely_faster", 0.5),
            (3, "likely_cheaper", 0.5),
        ] {
            let found = number(row, name);
            assert!((found - expected).abs() < 1e-6, "row {row}, {name}: {found}, not {expected}");
        }
        for name in ["time_seconds_low", "time_seconds_high", "likely_faster", "likely_cheaper"] {
            assert_eq!(records[1][column(name)], "", "{name} of today");
        }
        let flags = |name: &str| records[1..].iter().map(|record| record[column(name)].as_str()).collect::<Vec<_>>();
        assert_eq!(flags("is_today"), ["true", "false", "false"]);
        assert_eq!(flags("recommended"), ["false", "true", "false"]);
        // The fast one takes half the time for half the cost.
        assert_eq!(flags("pareto_front"), ["false", "true", "false"]);
    }

    /// At half and at twice 50 s the fast one saves 75 s and nothing, at $7.20 an hour 15 cents and nothing.
    #[test]
    fn what_it_depends_on_has_a_line_for_each_number() {
        let text = data_csv(&decision());
        let (_, swings) = text.split_once("\r\n\r\n").expect("two tables");
        let records = parse(swings);
        let of_time = records.iter().find(|record| record[0] == "time of fast").expect("its time");
        assert_eq!([&of_time[1], &of_time[4]], ["seconds", "USD per run"]);
        let numbers: Vec<f64> = [2, 3, 5, 6].map(|at| of_time[at].parse::<f64>().expect("a number")).to_vec();
        for (found, expected) in numbers.iter().zip([25.0, 100.0, 0.15, 0.0]) {
            assert!((found - expected).abs() < 1e-6, "{numbers:?}");
        }
    }

    #[test]
    fn without_prices_costs_are_empty() {
        let time = PredictedTime::within(50.0, 2.0);
        let option = Candidate { title: "fast".to_owned(), ..Candidate::predicted("engine", time, None) };
        let baseline = Baseline::measured("Spark", 100.0, None);
        let records = parse(&options_csv(&decide(baseline, vec![option], Objective::default())));
        assert_eq!(records.len(), 3);
        assert_eq!(records[2][5..8], ["", "", ""]);
        assert_eq!(records[2][9], "");
    }
}
