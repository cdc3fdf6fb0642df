//! What a decision depends on most: a sentence, a table and a chart.

use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::theme::Token;
use crossover_decision::dependence::{NumberUnit, SavingUnit, Swing};
use crossover_decision::words::{dollars, price_dollars, seconds};
use crossover_decision::{Decision, Dependence};
use crossover_quantity::text::{Column, Document, Table};
use crossover_quantity::unit::Unit;

/// Title of the section, and of the chart.
pub const TITLE: &str = "What the answer depends on most";

/// "RAPIDS, 4 × g6.2xlarge costs $0.012 less per run than today’s engine, with every number at its median." Only a difference to
/// today’s engine is called a saving elsewhere, and is a mean.
#[must_use]
pub fn sentence(decision: &Decision, found: &Dependence) -> String {
    let title = |place: usize| decision.options[place].candidate.title.as_str();
    let verb = if found.unit == SavingUnit::SecondsPerRun { "takes" } else { "costs" };
    format!(
        "{} {verb} {} {}{} than {}, with every number at its median.",
        title(found.option),
        saving_format(found.unit)(found.saving.abs()),
        if found.saving < 0.0 { "more" } else { "less" },
        per(found.unit),
        found.other.map_or("today’s engine", title),
    )
}

/// The numbers with their ranges, and the savings at both ends.
#[must_use]
pub fn table(found: &Dependence) -> Table {
    let saving = saving_format(found.unit);
    let row = |swing: &Swing| {
        let [low, high] = swing.range.map(|end| number(swing.unit, end));
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

/// A bar for each number, from the difference at one end of its range to that at the other; the colour changes at the medians. `None`
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
        let [low, high] = swing.range.map(|end| number(swing.unit, end));
        let [at_low, at_high] = swing.saving.map(saving);
        BarRow {
            group: swing.number.clone(),
            label: String::new(),
            token: Token::Accent,
            start: least,
            segments: vec![segment(first, middle - least), segment(last, most - middle)],
            total: swing.width(),
            interval: None,
            note: format!("{at_low} at {low}, {at_high} at {high}"),
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
        unit_format: saving,
        rows,
    })
}

/// The section of a report; empty if no number has a range.
pub(super) fn section(decision: &Decision, found: &Dependence) -> Document {
    let mut document = Document::default();
    if !found.swings.is_empty() {
        document.heading(TITLE).paragraph(sentence(decision, found)).table(table(found));
        document.footnote(Some(
            "Difference: cost or time that the first option saves, compared with the other; negative: it needs more. The expected \
             saving above is a mean, compared with today."
                .to_owned(),
        ));
    }
    document
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

fn number(unit: NumberUnit, value: f64) -> String {
    match unit {
        NumberUnit::Seconds => seconds(value),
        NumberUnit::UsdPerHour => format!("{} per hour", price_dollars(value)),
        NumberUnit::RunsPerMonth => Unit::Count.format(value),
    }
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, decide};

    use super::*;

    /// 25 s today; an option that takes 10 s within a factor of 2. A second costs a tenth of a cent.
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
            "option costs $15 less per month than today’s engine, with every number at its median."
        );
        let table = table(&found);
        assert_eq!(table.rows.len(), 1);
        assert_eq!(table.rows[0][..4], ["time of option", "5 s … 20 s", "$20", "$5"]);
        let chart = chart(&decision, &found).expect("a bar");
        let lengths: Vec<f64> = chart.rows[0].segments.iter().map(|segment| segment.value).collect();
        // From $5 to $15 at the medians, and on to $20.
        assert!((chart.rows[0].start - 5.0).abs() < 1e-9);
        assert!((lengths[0] - 10.0).abs() < 1e-9 && (lengths[1] - 5.0).abs() < 1e-9, "{lengths:?}");
        assert_eq!(chart.answer, "The time of option changes this difference most, by $15 per month.");
    }
}
