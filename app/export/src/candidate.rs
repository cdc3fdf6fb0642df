//! A candidate of a search, in words.

use crossover_tools::search::{Axis, Found};
use crossover_tools::selected::SelectedFigure;
use crossover_tools::{Search, Searched};

/// "cost of a run 12 USD": the first objective.
pub(super) fn objective_in_words(search: &Search, found: &Searched, values: &[Option<f64>]) -> String {
    let Some(objective) = search.objectives.first() else { return String::new() };
    let of = |figure: &(usize, &SelectedFigure)| figure.1.key == objective.key;
    found.figures.iter().enumerate().find(of).map_or_else(String::new, |(place, figure)| {
        format!("{} {}", figure.label, value(figure, values.get(place).copied().flatten()))
    })
}

/// "gpu NVIDIA L4, cluster.machines 12".
pub(super) fn setting(found: &Searched, of: &Found) -> String {
    let one = |(axis, place): (&Axis, &usize)| format!("{} {}", axis.name, axis.text(*place));
    found.axes.iter().zip(&of.place).map(one).collect::<Vec<_>>().join(", ")
}

/// A figure with its unit.
pub(super) fn value(figure: &SelectedFigure, value: Option<f64>) -> String {
    value.map_or_else(|| "no value".to_owned(), |value| figure.figure.unit.format(value))
}
