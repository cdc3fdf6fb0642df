//! Figures of several scenarios along a number.

use crossover_quantity::text::csv::{Records, cell};
use crossover_scenario::Kind;
use crossover_tools::sweep::FigureCurve;
use crossover_tools::{Bands, Swept};
use serde::Serialize;

use crate::described::unit;
use crate::sweep::band;

/// Figures along a number, a line for each value: a column for each figure of each scenario, and two more for the ends of its band where
/// the scenario has bands. Units are those of [`curves_json`].
#[must_use]
pub fn curves_csv(names: &[String], curves: &[Swept], bands: &[Option<&Bands>]) -> String {
    let Some(first) = curves.first() else { return String::new() };
    let mut csv = Records::default();
    let keys = || first.curves.iter().map(|curve| curve.key.as_str());
    let of_each = |key: &str| {
        let columns = names.iter().zip(bands).flat_map(|(name, bands)| {
            let ends = bands.map(|_| [format!("{key} of {name} P5"), format!("{key} of {name} P95")]);
            std::iter::once(format!("{key} of {name}")).chain(ends.into_iter().flatten())
        });
        columns.collect::<Vec<String>>()
    };
    csv.push(std::iter::once(first.path.clone()).chain(keys().flat_map(of_each)).collect::<Vec<_>>());
    for (row, x) in first.values.iter().enumerate() {
        let of_each = |key: &str| {
            let columns = curves.iter().zip(bands).flat_map(|(swept, bands)| {
                let value = of(swept, key).and_then(|curve| curve.values.get(row).copied().flatten());
                let ends = bands.map(|bands| {
                    let ends = band(bands, key).and_then(|band| band.ends.get(row).copied().flatten());
                    [0, 1].map(|end| ends.map(|ends| ends[end]))
                });
                std::iter::once(value).chain(ends.into_iter().flatten())
            });
            columns.map(cell).collect::<Vec<String>>()
        };
        csv.push(std::iter::once(x.to_string()).chain(keys().flat_map(of_each)).collect::<Vec<_>>());
    }
    csv.into_text()
}

/// The curve of a figure of a scenario.
fn of<'s>(swept: &'s Swept, key: &str) -> Option<&'s FigureCurve> {
    swept.curves.iter().find(|curve| curve.key == key)
}

/// The same for programs.
#[must_use]
pub fn curves_json(kind: Kind, names: &[String], curves: &[Swept], bands: &[Option<&Bands>]) -> String {
    let Some(first) = curves.first() else { return String::new() };
    let has_bands = bands.iter().any(Option::is_some);
    let figures = first.curves.iter().map(|curve| Curves {
        key: &curve.key,
        label: &curve.label,
        unit: unit(curve.figure.unit),
        values: curves.iter().map(|swept| of(swept, &curve.key).map(|curve| curve.values.as_slice())).collect(),
        p5_to_p95: has_bands
            .then(|| bands.iter().map(|bands| band((*bands)?, &curve.key).map(|band| band.ends.as_slice())).collect()),
    });
    crate::json(&Along {
        study: kind.key(),
        scenarios: names,
        path: &first.path,
        unit: unit(first.quantity.unit),
        present: curves.iter().map(|swept| swept.present).collect(),
        values: &first.values,
        figures: figures.collect(),
    })
}

/// P5 and P95 at each value; none where the figure has no value.
type Ends<'a> = &'a [Option<[f64; 2]>];

#[derive(Serialize)]
struct Along<'a> {
    study: &'static str,
    scenarios: &'a [String],
    path: &'a str,
    unit: &'static str,
    /// What each scenario has.
    present: Vec<Option<f64>>,
    values: &'a [f64],
    figures: Vec<Curves<'a>>,
}

#[derive(Serialize)]
struct Curves<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'static str,
    /// Of each scenario; none where it has no such figure.
    values: Vec<Option<&'a [Option<f64>]>>,
    /// Of each scenario; none where it has no bands. Left out where no scenario has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    p5_to_p95: Option<Vec<Option<Ends<'a>>>>,
}
