//! Figures over two numbers, and where one is at a level, for spreadsheets and other programs.

use crossover_quantity::text::csv::Records;
use crossover_scenario::Scenario;
use crossover_tools::Mapped;
use crossover_tools::map::Along;
use serde::Serialize;

use super::about::{about, figure_engines};
use super::described::{Moved, Refused, better, unit};
use super::json;

/// A line for each pair of numbers; a figure that has no value there is empty. Units are those of [`map_json`].
#[must_use]
pub fn map_csv(mapped: &Mapped) -> String {
    let mut csv = Records::default();
    let numbers = [&mapped.x.path, &mapped.y.path];
    csv.push(numbers.into_iter().chain(mapped.figures.iter().map(|figure| &figure.key)));
    for (row, y) in mapped.y.values.iter().enumerate() {
        for (column, x) in mapped.x.values.iter().enumerate() {
            let value = |figure| mapped.value(figure, column, row).map(|value| value.to_string()).unwrap_or_default();
            csv.push([x.to_string(), y.to_string()].into_iter().chain((0..mapped.figures.len()).map(value)));
        }
    }
    csv.into_text()
}

/// A line for each point of a contour, with the number of its line.
#[must_use]
pub fn contour_csv(mapped: &Mapped, lines: &[Vec<[f64; 2]>]) -> String {
    let mut csv = Records::default();
    csv.push(["line", &mapped.x.path, &mapped.y.path]);
    for (number, line) in lines.iter().enumerate() {
        for [x, y] in line {
            csv.push([(number + 1).to_string(), x.to_string(), y.to_string()]);
        }
    }
    csv.into_text()
}

/// The map as JSON, with labels, units and which direction is better; rows are those of y. A figure with a level has its
/// contour: lines of points x, y.
#[must_use]
pub fn map_json(scenario: &Scenario, mapped: &Mapped, levels: &[Option<f64>]) -> String {
    let columns = mapped.x.values.len();
    let contour = |(place, level): (usize, &Option<f64>)| {
        level.map(|level| Contour { level, lines: mapped.contour(place, level) })
    };
    let mut contours = levels.iter().enumerate().map(contour);
    json(&MapRecord {
        study: scenario.study.kind().key(),
        scenario: &scenario.name,
        about: about(&scenario.study),
        figure_engines: figure_engines(&scenario.study),
        x: moved(&mapped.x),
        y: moved(&mapped.y),
        figures: mapped
            .figures
            .iter()
            .map(|figure| Figure {
                key: &figure.key,
                label: &figure.label,
                unit: unit(figure.figure.unit),
                better: better(figure.figure.better),
                rows: figure.values.chunks(columns).collect(),
                contour: contours.next().flatten(),
            })
            .collect(),
        left_out: mapped.left_out.as_ref().map(Refused::new),
    })
}

fn moved(along: &Along) -> Moved<'_> {
    Moved {
        path: &along.path,
        label: along.quantity.label,
        unit: unit(along.quantity.unit),
        present: along.present,
        values: &along.values,
    }
}

#[derive(Serialize)]
struct MapRecord<'a> {
    study: &'static str,
    scenario: &'a str,
    /// The query that the record is about; absent without the application of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    /// The engines and machines of the figures; absent without engines and a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    figure_engines: Option<[String; 2]>,
    x: Moved<'a>,
    y: Moved<'a>,
    figures: Vec<Figure<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<Refused<'a, [f64; 2]>>,
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'a str,
    better: &'static str,
    rows: Vec<&'a [Option<f64>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contour: Option<Contour>,
}

#[derive(Serialize)]
struct Contour {
    level: f64,
    lines: Vec<Vec<[f64; 2]>>,
}
