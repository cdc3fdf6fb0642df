//! A candidate of a search, in words.

use crossover_study::Subject;
use crossover_tools::search::{Axis, Domain, Found};
use crossover_tools::selected::SelectedFigure;
use crossover_tools::titles::{title, title_at};
use crossover_tools::{Search, Searched};

/// How sentences and tables name numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberNames {
    /// By their paths, as options and files have them: "cluster.machines".
    Paths,
    /// By their labels, as forms show them: "machines (cluster)".
    Labels,
}

impl NumberNames {
    /// The name of a free parameter; a list has one name.
    #[must_use]
    pub fn of(self, axis: &Axis) -> String {
        match (self, &axis.what) {
            (Self::Labels, Domain::Number { quantity, .. }) => title(quantity, &axis.name),
            _ => axis.name.clone(),
        }
    }

    /// The name of the number of a study at a path.
    #[must_use]
    pub fn at(self, study: &dyn Subject, path: &str) -> String {
        match self {
            Self::Paths => path.to_owned(),
            Self::Labels => title_at(study, path),
        }
    }
}

/// "cost of a run 12 USD": the first objective.
pub(super) fn objective_in_words(search: &Search, found: &Searched, values: &[Option<f64>]) -> String {
    let Some(objective) = search.objectives.first() else { return String::new() };
    let of = |figure: &(usize, &SelectedFigure)| figure.1.key == objective.key;
    found.figures.iter().enumerate().find(of).map_or_else(String::new, |(place, figure)| {
        format!("{} {}", figure.label, value(figure, values.get(place).copied().flatten()))
    })
}

/// "gpu NVIDIA L4, cluster.machines 12".
pub(super) fn setting(found: &Searched, of: &Found, names: NumberNames) -> String {
    let one = |(axis, place): (&Axis, &usize)| format!("{} {}", names.of(axis), axis.text(*place));
    found.axes.iter().zip(&of.place).map(one).collect::<Vec<_>>().join(", ")
}

/// A figure with its unit.
pub(super) fn value(figure: &SelectedFigure, value: Option<f64>) -> String {
    value.map_or_else(|| "no value".to_owned(), |value| figure.figure.unit.format(value))
}

#[cfg(test)]
mod tests {
    use crossover_tools::search::Entry;

    use super::*;

    #[test]
    fn numbers_have_their_paths_or_their_labels_and_lists_their_names() {
        let text = include_str!("../../../scenarios/placement-published.ron");
        let study = crossover_scenario::read(text).expect("a valid example").study;
        let path = "cluster.machines";
        let (quantity, _) = crossover_study::number_at(study.subject(), path).expect("a number");
        let number = Domain::Number { quantity, values: vec![1.0, 2.0] };
        let number = Axis { name: path.to_owned(), what: number, shares: Vec::new() };
        let list = Domain::Choice(Vec::<Entry>::new());
        let list = Axis { name: "gpu".to_owned(), what: list, shares: Vec::new() };
        assert_eq!([&number, &list].map(|axis| NumberNames::Paths.of(axis)), [path, "gpu"]);
        assert_eq!([&number, &list].map(|axis| NumberNames::Labels.of(axis)), ["machines (cluster)", "gpu"]);
        assert_eq!(NumberNames::Labels.at(study.subject(), path), "machines (cluster)");
        assert_eq!(NumberNames::Labels.at(study.subject(), "operators.gone.seconds"), "operators.gone.seconds");
    }
}
