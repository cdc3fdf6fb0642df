//! What figures depend on most, as text.

use crossover_quantity::text::csv::{Records, finite};
use crossover_quantity::text::{Column, Table, TextReport, between, counted, counted_of};
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;
use crossover_tools::sensitivity::OfFigure;
use crossover_tools::unknowns::Unknown;
use crossover_tools::{Sampling, Sensitivity};
use serde::Serialize;

use super::Format;
use super::about::{about, figure_engines, statements};
use super::uncertainty::{Estimate, Number, unit};

/// Causes that a sentence names.
const NAMED: usize = 3;
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
    for statement in statements(&scenario.study) {
        text_report.paragraph(statement);
    }
    text_report.paragraph(setting(sampling, found));
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
    let numbers = counted(found.unknowns.numbers.len() as f64, "uncertain number");
    format!("{numbers}; {}, seed {}", counted(found.evaluations as f64, "evaluation"), sampling.seed)
}

/// “8 of 72 numbers moved one at a time, from P5 to P95”: what there is without samples.
#[must_use]
pub fn moved_so_far(found: &Sensitivity) -> String {
    let numbers = counted_of(found.moved() as f64, found.unknowns.numbers.len() as f64, "number");
    format!("{numbers} moved one at a time, from P5 to P95")
}

/// “allocated GPUs changes most with demand 83 % … 91 %, …”: the figure at both ends of each number, the largest change first.
fn changes(found: &Sensitivity, figure: &OfFigure) -> String {
    let (label, unit) = (&figure.selected.label, figure.selected.figure.unit);
    let furthest = figure.furthest().into_iter().take(NAMED).map(|number| {
        let known = || figure.swings[number].values.into_iter().chain([figure.present]).flatten();
        let ends = [known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max)];
        format!("{} {}", found.unknowns.numbers[number].path, between(ends.map(|end| unit.format(end))))
    });
    let furthest: Vec<String> = furthest.collect();
    if furthest.is_empty() {
        format!("{label} changes with none of them")
    } else {
        format!("{label} changes most with {}", furthest.join(", "))
    }
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
    if found.samples == 0 {
        return format!("{} ({}).", changes(found, figure), moved_so_far(found));
    }
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

/// "speedup depends most on `gpu.gpu_parallelism` 71 % (each ± 4 % or less)": the first figure, with the error of sampling; without
/// samples, how far it changes; empty without figures.
#[must_use]
pub fn so_far(found: &Sensitivity) -> String {
    let Some(figure) = found.figures.first() else { return String::new() };
    if found.samples == 0 {
        return changes(found, figure);
    }
    let answer = answer(found, figure, by_path);
    let off = named(figure).into_iter().map(|cause| figure.effects[cause].total.half_95()).reduce(f64::max);
    match off.filter(|off| off.is_finite() && *off > 0.0) {
        Some(off) => format!("{} (each ± {} or less)", answer.trim_end_matches('.'), Unit::Share.format(off)),
        None => answer.trim_end_matches('.').to_owned(),
    }
}

/// Causes that are named: the largest ones.
#[must_use]
pub fn named(figure: &OfFigure) -> Vec<usize> {
    figure.ranked().into_iter().filter(|cause| figure.effects[*cause].total.value >= LEAST).take(NAMED).collect()
}

/// An index limited to 0 … 1: sampling may give slightly less or more.
#[must_use]
pub fn share(index: f64) -> f64 {
    (index.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

/// The causes of a figure, the largest effect first; without samples, the numbers that were moved.
#[must_use]
pub(crate) fn effects(found: &Sensitivity, figure: &OfFigure) -> Table {
    let unit = figure.selected.figure.unit;
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| unit.format(value));
    let ends = |number: usize| {
        let swing = figure.swings[number];
        let quantity = found.unknowns.numbers[number].quantity;
        swing.ends.map(|end| quantity.unit.format(end)).into_iter().chain(swing.values.map(value))
    };
    let of_cause = |cause: usize| {
        let effect = figure.effects[cause];
        let mut row = vec![
            found.causes[cause].name.clone(),
            Unit::Share.format(share(effect.first.value)),
            Unit::Share.format(share(effect.total.value)),
            format!("± {}", Unit::Share.format(share(effect.total.half_95()))),
        ];
        // A group of numbers has no ends.
        match found.causes[cause].numbers[..] {
            [number] => row.extend(ends(number)),
            _ => row.extend(["", "", "", ""].map(str::to_owned)),
        }
        row
    };
    let of_number = |number: usize| {
        let mut row = vec![found.unknowns.numbers[number].path.clone(), String::new(), String::new(), String::new()];
        row.extend(ends(number));
        row
    };
    let rows = if found.samples == 0 {
        figure.furthest().into_iter().take(LISTED).map(of_number).collect()
    } else {
        let ranked = figure.ranked().into_iter().filter(|cause| figure.effects[*cause].total.value >= LEAST);
        ranked.take(LISTED).map(of_cause).collect()
    };
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
        rows,
    }
    .without_empty_columns()
}

/// A line for each figure and cause; without samples, for each number that was moved and is in no group.
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
    for figure in &found.figures {
        for (place, cause) in found.causes.iter().enumerate() {
            let swing = match cause.numbers[..] {
                [only] => figure.swings.get(only),
                _ => None,
            };
            let effect = figure.effects.get(place);
            if effect.is_none() && swing.is_none() {
                continue;
            }
            let indices = effect.map(|of| [of.first.value, of.first.error, of.total.value, of.total.error]);
            let mut row = vec![figure.selected.key.clone(), cause.name.clone()];
            row.extend(indices.unwrap_or([f64::NAN; 4]).map(finite));
            row.extend(swing.map_or([f64::NAN; 2], |swing| swing.ends).map(finite));
            row.extend(
                swing.map_or([None; 2], |swing| swing.values).map(|value| value.map_or_else(String::new, finite)),
            );
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
    /// The engines and machines of the figures; absent without engines and a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    figure_engines: Option<[String; 2]>,
    /// 0: figures have no effects yet, and swings of the first numbers only.
    samples: usize,
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
            figure_engines: figure_engines(&scenario.study),
            samples: found.samples,
            evaluations: found.evaluations,
            seed: sampling.seed,
            left_out: found.not_allowed.as_ref().map_or(0, |refused| refused.count),
            uncertain_numbers: found.unknowns.numbers.iter().map(Number::of).collect(),
            figures: found.figures.iter().map(figure).collect(),
        }
    }
}
