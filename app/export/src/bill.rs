//! What the machines of a scenario cost, as text below its report.

use crossover_quantity::text::{Column, Table, TextReport};
use crossover_scenario::Scenario;
use crossover_study::{Watch, answer};

use super::Format;

/// The figures of the bill of a scenario; empty without one, and in formats for programs, which have the outcome of the study:
/// `sweep`, `uncertainty` and all other tools have these figures for them.
#[must_use]
pub fn costs(scenario: &Scenario, format: Format) -> String {
    if matches!(format, Format::Csv | Format::Json | Format::Ron) {
        return String::new();
    }
    let subject = scenario.study.subject();
    let Some(bill) = subject.bill() else { return String::new() };
    let figures = Watch::uncancellable(|watch| answer(subject, watch)).unwrap_or_default();
    let of_bill = bill.figures(subject, &figures);
    let rows = of_bill.iter().map(|one| {
        let value = one.value.map_or_else(|| "–".to_owned(), |value| one.figure.unit.format(value));
        vec![one.figure.label.to_owned(), value]
    });
    let table = Table { columns: vec![Column::text("figure"), Column::number("value")], rows: rows.collect() };
    let as_of = if bill.as_of.is_empty() { String::new() } else { format!(" of {}", bill.as_of) };
    let mut text_report = TextReport::default();
    text_report.heading("Costs").paragraph(format!("With prices{as_of}, in US dollars.")).table(table);
    format!("\n{}", if format == Format::Markdown { text_report.markdown() } else { text_report.terminal() })
}
