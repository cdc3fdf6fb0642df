//! A sweep as text.

use crossover_model::scenario::Scenario;
use crossover_model::text::csv::Records;
use crossover_model::tools::Swept;
use serde::Serialize;

use super::described::{Moved, Refused, better, unit};
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
        x: Moved {
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
                better: better(curve.figure.better),
                values: &curve.values,
            })
            .collect(),
        left_out: swept.left_out.as_ref().map(Refused::new),
    })
}

#[derive(Serialize)]
struct Document<'a> {
    study: &'static str,
    scenario: &'a str,
    x: Moved<'a>,
    figures: Vec<Figure<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<Refused<'a, f64>>,
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'a str,
    better: &'static str,
    values: &'a [Option<f64>],
}
