//! What figures depend on most, as text.

use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Column, Table, TextReport};
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;
use crossover_tools::sensitivity::OfFigure;
use crossover_tools::unknowns::Unknown;
use crossover_tools::{Sampling, Sensitivity};
use serde::Serialize;

use super::Format;
use super::about::about;
use super::uncertainty::{Estimate, Number, unit};

/// Causes that a report lists for each figure.
const LISTED: usize = 10;
/// Effects below this share are not listed.
pub const LEAST: f64 = 0.005;

/// What figures depend on most, in a format.
#[must_use]
pub fn written(scenario: &Scenario, sampling: &Sampling, found: &Sensitivity, format: Format) -> String {
    let record = || Record::of(scenario, sampling, found);
    format.write(|| text_report(scenario, sampling, found), record, || csv(found))
}

/// What each figure depends on most, in a section of its own.
fn text_report(scenario: &Scenario, sampling: &Sampling, found: &Sensitivity) -> TextReport {
    let mut text_report = TextReport::titled(&scenario.name);
    text_report.paragraph(about(&scenario.study).unwrap_or_default()).paragraph(setting(sampling, found));
    for figure in &found.figures {
        // The table has the numbers by their paths, and options take them by these.
        text_report
            .heading(&figure.selected.label)
            .paragraph(answer(found, figure, by_path))
            .table(effects(found, figure));
    }
    text_report
}

fn setting(sampling: &Sampling, found: &Sensitivity) -> String {
    let count = |count: usize| Unit::Count.format(count as f64);
    let numbers = match found.unknowns.numbers.len() {
        1 => "1 uncertain number".to_owned(),
        many => format!("{} uncertain numbers", count(many)),
    };
    format!("{numbers}; {} evaluations, seed {}", count(found.evaluations), sampling.seed)
}

/// The path of a number, or the name of a group.
fn by_path(found: &Sensitivity, cause: usize) -> String {
    found.causes[cause].name.clone()
}

/// The label of a number with the part that it is in, or the name of a group: "machines (cluster)".
#[must_use]
pub fn by_label(found: &Sensitivity, cause: usize) -> String {
    let number = found.causes[cause].number(&found.unknowns);
    number.map_or_else(|| by_path(found, cause), Unknown::title)
}

/// "speedup depends most on `gpu.gpu_parallelism` 71 %, `cluster.machines` 18 %, …"; `name`: how causes are named.
#[must_use]
pub fn answer(found: &Sensitivity, figure: &OfFigure, name: fn(&Sensitivity, usize) -> String) -> String {
    let label = &figure.selected.label;
    if figure.standard_deviation.is_nan() {
        return format!("{label} has a value in too few samples.");
    }
    if figure.standard_deviation <= 0.0 {
        return format!("{label} depends on none of them.");
    }
    let named = named(figure).into_iter().map(|cause| {
        format!("{} {}", name(found, cause), Unit::Share.format(share(figure.effects[cause].total.value)))
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() {
        return format!(
            "No single number explains more than {} of the variance of {label}.",
            Unit::Share.format(LEAST)
        );
    }
    format!("{label} depends most on {}.", named.join(", "))
}

/// "speedup depends most on `gpu.gpu_parallelism` 71 % (each ± 4 % or less)": the first figure, with the error of sampling; empty
/// without figures.
#[must_use]
pub fn so_far(found: &Sensitivity) -> String {
    let Some(figure) = found.figures.first() else { return String::new() };
    let answer = answer(found, figure, by_path);
    let off = named(figure).into_iter().map(|cause| figure.effects[cause].total.half_95()).reduce(f64::max);
    match off.filter(|off| off.is_finite()) {
        Some(off) => format!("{} (each ± {} or less)", answer.trim_end_matches('.'), Unit::Share.format(off)),
        None => answer.trim_end_matches('.').to_owned(),
    }
}

/// Causes that are named: the largest, at most three.
#[must_use]
pub fn named(figure: &OfFigure) -> Vec<usize> {
    figure.ranked().into_iter().filter(|cause| figure.effects[*cause].total.value >= LEAST).take(3).collect()
}

/// An index limited to 0 … 1: sampling may give slightly less or more.
#[must_use]
pub fn share(index: f64) -> f64 {
    (index.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

/// The causes of a figure, the largest effect first.
#[must_use]
pub(crate) fn effects(found: &Sensitivity, figure: &OfFigure) -> Table {
    let unit = figure.selected.figure.unit;
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| unit.format(value));
    let row = |cause: usize| {
        let effect = figure.effects[cause];
        let mut row = vec![
            found.causes[cause].name.clone(),
            Unit::Share.format(share(effect.first.value)),
            Unit::Share.format(share(effect.total.value)),
            format!("± {}", Unit::Share.format(share(effect.total.half_95()))),
        ];
        // A group of numbers has no ends.
        match found.causes[cause].numbers[..] {
            [number] => {
                let swing = figure.swings[number];
                let quantity = found.unknowns.numbers[number].quantity;
                row.extend(swing.ends.map(|end| quantity.unit.format(end)));
                row.extend(swing.values.map(value));
            }
            _ => row.extend(["", "", "", ""].map(str::to_owned)),
        }
        row
    };
    let ranked = figure.ranked().into_iter().filter(|cause| figure.effects[*cause].total.value >= LEAST);
    Table {
        columns: vec![
            Column::text("number"),
            Column::number("first-order"),
            Column::number("total"),
            Column::number("95 % interval"),
            Column::number("low"),
            Column::number("high"),
            Column::number("figure at low"),
            Column::number("figure at high"),
        ],
        rows: ranked.take(LISTED).map(row).collect(),
    }
    .without_empty_columns()
}

/// A line for each figure and cause.
fn csv(found: &Sensitivity) -> String {
    let mut csv = Records::default();
    csv.push([
        "figure",
        "cause",
        "first_order",
        "first_order_error",
        "total",
        "total_error",
        "low",
        "high",
        "figure_at_low",
        "figure_at_high",
    ]);
    let number = |value: f64| if value.is_finite() { value.to_string() } else { String::new() };
    for figure in &found.figures {
        for (cause, effect) in found.causes.iter().zip(&figure.effects) {
            let mut row = vec![figure.selected.key.clone(), cause.name.clone()];
            row.extend([effect.first.value, effect.first.error, effect.total.value, effect.total.error].map(number));
            match cause.numbers[..] {
                [place] => {
                    let swing = figure.swings[place];
                    row.extend(swing.ends.map(number));
                    row.extend(swing.values.map(|value| value.map_or_else(String::new, number)));
                }
                _ => row.extend(["", "", "", ""].map(str::to_owned)),
            }
            csv.push(row);
        }
    }
    csv.into_text()
}

#[derive(Serialize)]
struct Record<'a> {
    study: &'static str,
    scenario: &'a str,
    /// The query that the record is about; absent without the application of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    evaluations: usize,
    seed: u64,
    left_out: usize,
    uncertain_numbers: Vec<Number<'a>>,
    figures: Vec<Figure<'a>>,
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'static str,
    present: Option<f64>,
    standard_deviation: Option<f64>,
    effects: Vec<Effect<'a>>,
    swings: Vec<Swing<'a>>,
}

#[derive(Serialize)]
struct Effect<'a> {
    cause: &'a str,
    first_order: Estimate,
    total: Estimate,
}

#[derive(Serialize)]
struct Swing<'a> {
    path: &'a str,
    low: f64,
    high: f64,
    figure_at_low: Option<f64>,
    figure_at_high: Option<f64>,
}

impl<'a> Record<'a> {
    fn of(scenario: &'a Scenario, sampling: &Sampling, found: &'a Sensitivity) -> Self {
        let figure = |figure: &'a OfFigure| Figure {
            key: &figure.selected.key,
            label: &figure.selected.label,
            unit: unit(figure.selected.figure.unit),
            present: figure.present,
            standard_deviation: figure.standard_deviation.is_finite().then_some(figure.standard_deviation),
            effects: found
                .causes
                .iter()
                .zip(&figure.effects)
                .map(|(cause, effect)| Effect {
                    cause: &cause.name,
                    first_order: effect.first.into(),
                    total: effect.total.into(),
                })
                .collect(),
            swings: found
                .unknowns
                .numbers
                .iter()
                .zip(&figure.swings)
                .map(|(number, swing)| Swing {
                    path: &number.path,
                    low: swing.ends[0],
                    high: swing.ends[1],
                    figure_at_low: swing.values[0],
                    figure_at_high: swing.values[1],
                })
                .collect(),
        };
        Self {
            study: scenario.study.kind().key(),
            scenario: &scenario.name,
            about: about(&scenario.study),
            evaluations: found.evaluations,
            seed: sampling.seed,
            left_out: found.not_allowed.as_ref().map_or(0, |refused| refused.count),
            uncertain_numbers: found.unknowns.numbers.iter().map(Number::of).collect(),
            figures: found.figures.iter().map(figure).collect(),
        }
    }
}
