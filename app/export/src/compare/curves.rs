//! Figures of several scenarios along a number.

use crossover_quantity::text::csv::Records;
use crossover_scenario::Kind;
use crossover_tools::Swept;
use serde::Serialize;

use crate::described::unit;

/// Figures along a number, a line for each value: a column for each figure of each scenario. Units are those of [`curves_json`].
#[must_use]
pub fn curves_csv(names: &[String], curves: &[Swept]) -> String {
    let Some(first) = curves.first() else { return String::new() };
    let mut csv = Records::default();
    let of_each = |key: &str| names.iter().map(move |name| format!("{key} of {name}")).collect::<Vec<_>>();
    let keys = || first.curves.iter().map(|curve| curve.key.as_str());
    csv.push(std::iter::once(first.path.clone()).chain(keys().flat_map(of_each)).collect::<Vec<_>>());
    for (row, x) in first.values.iter().enumerate() {
        let value = |swept: &Swept, key: &str| {
            let curve = swept.curves.iter().find(|curve| curve.key == key);
            curve.and_then(|curve| curve.values.get(row).copied().flatten()).map(|value| value.to_string())
        };
        let values = keys().flat_map(|key| curves.iter().map(move |swept| value(swept, key).unwrap_or_default()));
        csv.push(std::iter::once(x.to_string()).chain(values).collect::<Vec<_>>());
    }
    csv.into_text()
}

/// The same for programs.
#[must_use]
pub fn curves_json(kind: Kind, names: &[String], curves: &[Swept]) -> String {
    let Some(first) = curves.first() else { return String::new() };
    let of =
        |key: &str, swept: &Swept| swept.curves.iter().find(|curve| curve.key == key).map(|curve| curve.values.clone());
    let figures = first.curves.iter().map(|curve| Curves {
        key: &curve.key,
        label: &curve.label,
        unit: unit(curve.figure.unit),
        values: curves.iter().map(|swept| of(&curve.key, swept)).collect(),
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
    values: Vec<Option<Vec<Option<f64>>>>,
}
