//! A sweep as text.

use crossover_quantity::text::csv::Records;
use crossover_scenario::Scenario;
use crossover_tools::bands::Band;
use crossover_tools::sweep::FigureCurve;
use crossover_tools::{Bands, Swept};
use serde::Serialize;

use super::about::{about, figure_engines};
use super::described::{Moved, Refused, better, unit};
use super::json;

/// A line for each value of the number; a figure that has no value there is empty, and with bands both its ends follow. Units are
/// those of [`sweep_json`].
#[must_use]
pub fn sweep_csv(swept: &Swept, bands: Option<&Bands>) -> String {
    let mut csv = Records::default();
    let names = |curve: &FigureCurve| {
        let ends = bands.map(|_| [format!("{} P5", curve.key), format!("{} P95", curve.key)]);
        std::iter::once(curve.key.clone()).chain(ends.into_iter().flatten())
    };
    csv.push(std::iter::once(swept.path.clone()).chain(swept.curves.iter().flat_map(names)));
    for (index, x) in swept.values.iter().enumerate() {
        let values = |curve: &FigureCurve| {
            let ends = bands.map(|bands| {
                let ends = band(bands, &curve.key).and_then(|band| band.ends[index]);
                [0, 1].map(|end| ends.map(|ends| ends[end]))
            });
            std::iter::once(curve.values[index]).chain(ends.into_iter().flatten())
        };
        let values = swept.curves.iter().flat_map(values).map(|value| value.map(|value| value.to_string()));
        csv.push(std::iter::once(x.to_string()).chain(values.map(Option::unwrap_or_default)));
    }
    csv.into_text()
}

/// The band of a figure.
pub(super) fn band<'b>(bands: &'b Bands, key: &str) -> Option<&'b Band> {
    bands.figures.iter().find(|band| band.key == key)
}

/// The same as JSON, with labels, units and which direction is better.
#[must_use]
pub fn sweep_json(scenario: &Scenario, swept: &Swept, bands: Option<&Bands>) -> String {
    json(&SweepRecord {
        study: scenario.study.kind().key(),
        scenario: &scenario.name,
        about: about(&scenario.study),
        figure_engines: figure_engines(&scenario.study),
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
                p5_to_p95: bands.and_then(|bands| band(bands, &curve.key)).map(|band| band.ends.as_slice()),
            })
            .collect(),
        left_out: swept.left_out.as_ref().map(Refused::new),
    })
}

#[derive(Serialize)]
struct SweepRecord<'a> {
    study: &'static str,
    scenario: &'a str,
    /// The query that the record is about; absent without the application of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    /// The engines and machines of the figures; absent without engines and a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    figure_engines: Option<[String; 2]>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    p5_to_p95: Option<&'a [Option<[f64; 2]>]>,
}
