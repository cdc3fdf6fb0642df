//! A sweep as text.

use crossover_model::scenario::Scenario;
use crossover_model::study::Better;
use crossover_model::text::csv::Records;
use crossover_model::tools::Swept;
use crossover_model::unit::Unit;
use serde::Serialize;

use super::json;

/// A line for each value of the number; a figure that has no value there is empty. Units are those of [`sweep_json`].
#[must_use]
pub fn sweep_csv(swept: &Swept) -> String {
    let mut csv = Records::default();
    csv.push(std::iter::once(&swept.path).chain(swept.curves.iter().map(|curve| &curve.key)));
    for (index, x) in swept.values.iter().enumerate() {
        let figures = swept.curves.iter().map(|curve| curve.values[index].map(|value| value.to_string()));
        csv.push(std::iter::once(x.to_string()).chain(figures.map(Option::unwrap_or_default)));
    }
    csv.into_text()
}

/// The same as JSON, with labels, units and which direction is better.
#[must_use]
pub fn sweep_json(scenario: &Scenario, swept: &Swept) -> String {
    json(&Document {
        study: scenario.study.kind().key(),
        scenario: &scenario.name,
        x: Number {
            path: &swept.path,
            label: swept.quantity.label,
            unit: unit(swept.quantity.unit),
            present: swept.present,
            values: &swept.values,
        },
        figures: swept
            .curves
            .iter()
            .map(|curve| Figure {
                key: &curve.key,
                label: &curve.label,
                unit: unit(curve.figure.unit),
                better: match curve.figure.better {
                    Better::Higher => "higher",
                    Better::Lower => "lower",
                    Better::Neither => "neither",
                },
                values: &curve.values,
            })
            .collect(),
        left_out: swept.left_out.as_ref().map(|left_out| LeftOut {
            count: left_out.count,
            first: left_out.first,
            field: &left_out.problem.path,
            problem: &left_out.problem.problem,
        }),
    })
}

/// The unit of a value as it stands there: shares are written from 0 to 1.
fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "share",
        other => other.symbol(),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    study: &'static str,
    scenario: &'a str,
    x: Number<'a>,
    figures: Vec<Figure<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut<'a>>,
}

#[derive(Serialize)]
struct Number<'a> {
    path: &'a str,
    label: &'a str,
    unit: &'a str,
    present: Option<f64>,
    values: &'a [f64],
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'a str,
    better: &'static str,
    values: &'a [Option<f64>],
}

#[derive(Serialize)]
struct LeftOut<'a> {
    count: usize,
    first: f64,
    field: &'a str,
    problem: &'a str,
}
