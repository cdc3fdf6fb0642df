//! What a decision depends on most: a sentence, a table and a chart.

use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::theme::Token;
use crossover_decision::dependence::{NumberUnit, SavingUnit, Swing};
use crossover_decision::words::{dollars, monthly_dollars, price_dollars, seconds};
use crossover_decision::{Decision, Dependence};
use crossover_quantity::text::{Column, Table, TextReport, between};
use crossover_quantity::unit::Unit;

/// Title of the section, and of the chart.
pub const TITLE: &str = "What the answer depends on most";

/// "RAPIDS, 4 × g6.2xlarge costs $0.012 less per run than today’s engine on average ($0.002 … $0.02, 90 % interval)." A difference to
/// today's engine is the expected saving, with its digits and its interval.
#[must_use]
pub fn sentence(decision: &Decision, found: &Dependence) -> String {
    let title = |place: usize| decision.options[place].candidate.title.as_str();
    let verb = if found.unit == SavingUnit::SecondsPerRun { "takes" } else { "costs" };
    let (amount, interval) = difference(decision, found);
    let saving = saving_format(found.unit);
    let interval = interval.map(|[low, high]| format!(" ({} … {}, 90 % interval)", saving(low), saving(high)));
    format!(
        "{} {verb} {amount} {}{} than {} on average{}.",
        title(found.option),
        if found.saving < 0.0 { "more" } else { "less" },
        per(found.unit),
        found.other.map_or("today’s engine", title),
        interval.unwrap_or_default(),
    )
}

/// The mean difference without its sign, and its 90 % interval where the other one is today's engine.
fn difference(decision: &Decision, found: &Dependence) -> (String, Option<[f64; 2]>) {
    let option = &decision.options[found.option];
    let without_sign = |[low, high]: [f64; 2]| if found.saving < 0.0 { [-high, -low] } else { [low, high] };
    let alone = || match found.unit {
        SavingUnit::SecondsPerRun => seconds(found.saving.abs()),
        SavingUnit::UsdPerRun => dollars(found.saving.abs()),
        SavingUnit::UsdPerMonth => monthly_dollars(found.saving.abs()),
    };
    let (amount, interval) = match (found.other, found.unit) {
        (Some(_), _) => (None, None),
        (None, SavingUnit::SecondsPerRun) => (None, option.saving_interval),
        (None, SavingUnit::UsdPerRun) => {
            let saving = decision.mean_saving(option).map(|saving| saving.trim_start_matches('−').to_owned());
            (saving, option.saving_interval)
        }
        (None, SavingUnit::UsdPerMonth) => {
            let month = decision.monthly_saving(option);
            let saving = month.map(|month| between(without_sign(month.expected).map(monthly_dollars)));
            (saving, month.and_then(|month| month.interval))
        }
    };
    (amount.unwrap_or_else(alone), interval.map(without_sign))
}

/// The numbers with their ranges, and the savings at both ends.
#[must_use]
pub fn table(decision: &Decision, found: &Dependence) -> Table {
    let saving = saving_format(found.unit);
    let row = |swing: &Swing| {
        let [low, high] = swing.range.map(|end| number(decision, swing.unit, end));
        vec![
            swing.number.clone(),
            format!("{low} … {high}"),
            saving(swing.saving[0]),
            saving(swing.saving[1]),
            if swing.turns() { "yes".to_owned() } else { String::new() },
            swing.source.clone(),
        ]
    };
    let table = Table {
        columns: vec![
            Column::text("number"),
            Column::number("90 % range"),
            Column::number("difference at the low end"),
            Column::number("difference at the high end"),
            Column::text("changes the better option"),
            Column::text("source of the range"),
        ],
        rows: found.swings.iter().map(row).collect(),
    };
    table.without_empty_columns()
}

/// A bar for each number, from the difference at one end of its range to that at the other; the colour changes at the mean. `None`
/// if no number has a range.
#[must_use]
pub fn chart(decision: &Decision, found: &Dependence) -> Option<BarChart> {
    let saving = saving_format(found.unit);
    let row = |swing: &Swing| {
        let [least, most] = [swing.saving[0].min(swing.saving[1]), swing.saving[0].max(swing.saving[1])];
        let middle = found.saving.max(least).min(most);
        let segment = |(name, token): (&str, Token), value: f64| Segment { name: name.to_owned(), token, value };
        let to_ends = [("to the low end", Token::TextWeak), ("to the high end", Token::Accent)];
        let [first, last] = if swing.saving[0] <= swing.saving[1] { to_ends } else { [to_ends[1], to_ends[0]] };
        let [low, high] = swing.range.map(|end| number(decision, swing.unit, end));
        let [at_low, at_high] = swing.saving.map(saving);
        BarRow {
            group: swing.number.clone(),
            label: String::new(),
            token: Token::Accent,
            start: least,
            segments: vec![segment(first, middle - least), segment(last, most - middle)],
            total: swing.width(),
            interval: None,
            note: format!("change ({at_low} at {low}, {at_high} at {high})"),
            detail: String::new(),
        }
    };
    let rows: Vec<BarRow> = found.swings.iter().map(row).collect();
    let first = found.swings.first()?;
    Some(BarChart {
        title: TITLE.to_owned(),
        subtitle: sentence(decision, found),
        answer: format!(
            "The {} changes this difference most, by {}{}.",
            first.number,
            saving(first.width()),
            per(found.unit)
        ),
        step_unit: 1.0,
        unit_format: saving,
        rows,
    })
}

/// What the bars and the amounts behind them are; if the advantage grows with the time of the option, why.
#[must_use]
pub fn bars_in_words(decision: &Decision, found: &Dependence) -> String {
    let title = |place: usize| decision.options[place].candidate.title.as_str();
    let other = found.other.map(title);
    let over = other.map_or_else(|| "today’s engine".to_owned(), |other| format!("the best other option, {other}"));
    let bars = format!(
        "Bars: advantage of {} over {over},{}. Behind a bar is the change of this advantage, with its value at each end.",
        title(found.option),
        per(found.unit)
    );
    std::iter::once(bars).chain(shared_errors(decision, found)).collect::<Vec<String>>().join(" ")
}

/// Why the advantage of an option grows with its own time: the other option has the same engine, so the same error. `None` if it does not
/// grow.
fn shared_errors(decision: &Decision, found: &Dependence) -> Option<String> {
    let title = |place: usize| decision.options[place].candidate.title.as_str();
    let (option, other) = (title(found.option), title(found.other?));
    // The time of an option alone lowers its advantage.
    let own_time = format!("time of {option}");
    let grows = |swing: &Swing| swing.number == own_time && swing.saving[1] > swing.saving[0];
    found.swings.iter().any(grows).then(|| {
        format!(
            "{option} and {other} have the same engine, so the errors of their times are the same: if one takes longer, so does the other, \
             and the advantage grows."
        )
    })
}

/// The section of a report; empty if no number has a range.
pub(super) fn section(decision: &Decision, found: &Dependence) -> TextReport {
    let mut text_report = TextReport::default();
    if !found.swings.is_empty() {
        text_report.heading(TITLE).paragraph(sentence(decision, found)).table(table(decision, found));
        text_report.footnote(Some(
            "Difference: mean cost or time that the first option saves against the other one; negative: the first one \
             needs more. Low and high end: the difference if the number has that value."
                .to_owned(),
        ));
        text_report.paragraph(shared_errors(decision, found).unwrap_or_default());
    }
    text_report
}

/// Writes a saving.
fn saving_format(unit: SavingUnit) -> fn(f64) -> String {
    match unit {
        SavingUnit::SecondsPerRun => seconds,
        SavingUnit::UsdPerRun | SavingUnit::UsdPerMonth => dollars,
    }
}

/// What a saving is of, as the end of a phrase.
fn per(unit: SavingUnit) -> &'static str {
    match unit {
        SavingUnit::SecondsPerRun | SavingUnit::UsdPerRun => " per run",
        SavingUnit::UsdPerMonth => " per month",
    }
}

fn number(decision: &Decision, unit: NumberUnit, value: f64) -> String {
    match unit {
        NumberUnit::Seconds => decision.predicted_seconds(value),
        NumberUnit::UsdPerHour => format!("{} per hour", price_dollars(value)),
        NumberUnit::RunsPerMonth => Unit::Count.format(value),
    }
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, decide};

    use super::*;

    /// 25 s today; an option that takes 10 s within a factor of 2, on average 10.93 s: 10 s·e^(s²/2), s = ln 2 ÷ 1.645. A second costs a
    /// tenth of a cent.
    fn decision() -> Decision {
        let baseline = Baseline::measured("today", 25.0, Some(Price::entered(3.6)));
        let time = PredictedTime::within(10.0, 2.0);
        let option =
            Candidate { title: "option".to_owned(), ..Candidate::predicted("engine", time, Some(Price::entered(3.6))) };
        decide(baseline, vec![option], Objective { runs_per_month: Some(1000.0), ..Objective::default() })
    }

    #[test]
    fn a_swing_is_a_row_and_a_bar() {
        let decision = decision();
        let found = decision.depends_on().expect("an option");
        assert_eq!(
            sentence(&decision, &found),
            "option costs $14.1 less per month than today’s engine on average ($5 … $20, 90 % interval)."
        );
        let table = table(&decision, &found);
        assert_eq!(table.rows.len(), 1);
        assert_eq!(table.rows[0][..4], ["time of option", "5 s … 20 s", "$20", "$5"]);
        let chart = chart(&decision, &found).expect("a bar");
        let lengths: Vec<f64> = chart.rows[0].segments.iter().map(|segment| segment.value).collect();
        // From $5 to the mean of $14.07, and on to $20.
        assert!((chart.rows[0].start - 5.0).abs() < 1e-9);
        assert!((lengths[0] - 9.071).abs() < 1e-3 && (lengths[1] - 5.929).abs() < 1e-3, "{lengths:?}");
        assert_eq!(chart.answer, "The time of option changes this difference most, by $15 per month.");
        assert_eq!(chart.rows[0].note, "change ($20 at 5 s, $5 at 20 s)");
        assert_eq!(
            bars_in_words(&decision, &found),
            "Bars: advantage of option over today’s engine, per month. Behind a bar is the change of this advantage, with its value at \
             each end."
        );
    }

    /// The difference of 10 s and 20 s, whose errors are the same, is 5 s where both are half as long, and 20 s where both are twice as
    /// long. With errors of their own it is the least where the option takes longest.
    #[test]
    fn an_advantage_that_grows_with_the_time_of_the_option_is_explained() {
        let decision = decision();
        let second = Candidate { title: "second".to_owned(), ..decision.options[0].candidate.clone() };
        let with_second = decide(decision.baseline.clone(), vec![second.clone(), second], decision.objective);
        let swing = |saving: [f64; 2]| Swing {
            number: "time of second".to_owned(),
            unit: NumberUnit::Seconds,
            value: 10.0,
            range: [5.0, 20.0],
            saving,
            source: String::new(),
        };
        let found = |other: Option<usize>, saving: [f64; 2]| Dependence {
            option: 0,
            other,
            saving: 10.0,
            unit: SavingUnit::UsdPerRun,
            swings: vec![swing(saving)],
        };
        let grows = bars_in_words(&with_second, &found(Some(1), [5.0, 20.0]));
        assert!(grows.starts_with("Bars: advantage of second over the best other option, second, per run."), "{grows}");
        assert!(grows.ends_with("if one takes longer, so does the other, and the advantage grows."), "{grows}");
        // The terminal says it, too.
        let (_, why) = grows.split_once(" with its value at each end. ").expect(&grows);
        let printed = |other: Option<usize>, saving: [f64; 2]| section(&with_second, &found(other, saving)).terminal();
        let of_shared = printed(Some(1), [5.0, 20.0]);
        assert!(of_shared.contains(why), "{of_shared}");
        for (other, saving) in [(Some(1), [20.0, 5.0]), (None, [20.0, 5.0])] {
            let text = bars_in_words(&with_second, &found(other, saving));
            assert!(text.ends_with("at each end."), "{text}");
            assert!(!printed(other, saving).contains("the same engine"), "{}", printed(other, saving));
        }
    }

    /// The saving of a month in the answer, beside what it depends on, for the strip, and of the numbers for programs.
    #[test]
    fn the_saving_of_a_month_is_the_same_to_the_digit_wherever_it_is_named() {
        for (seconds, error) in [(10.0, 2.0), (7.3, 1.24), (14.9, 1.5), (3.1, 2.8), (24.0, 1.1), (30.0, 1.3)] {
            for usd in [0.31, 3.6, 4.27] {
                for runs in [1.0, 30.0, 1864.0, 123_456.0] {
                    let baseline = Baseline::measured("today", 25.0, Some(Price::entered(3.6)));
                    let time = PredictedTime::within(seconds, error);
                    let option = Candidate::predicted("option", time, Some(Price::entered(usd)));
                    let objective = Objective { runs_per_month: Some(runs), ..Objective::default() };
                    let decision = decide(baseline, vec![option], objective);
                    let Some(found) = decision.depends_on() else { continue };
                    let saving = decision.options[0].saving.expect("prices") * runs;
                    let amount = monthly_dollars(saving.abs());
                    let depends_on = sentence(&decision, &found);
                    assert!(
                        depends_on
                            .contains(&format!(" {amount} {} per month ", if saving < 0.0 { "more" } else { "less" })),
                        "{depends_on}"
                    );
                    if decision.best.is_some() {
                        let said = decision.sentence();
                        assert!(
                            said.contains(&format!("Expected saving: {} a month ", monthly_dollars(saving))),
                            "{said}"
                        );
                        let in_words = decision.saving_in_words();
                        assert_eq!(in_words, Some(format!("{} a month", monthly_dollars(saving))));
                    }
                }
            }
        }
    }
}
