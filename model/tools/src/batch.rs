//! Studies whose figures are formulas, evaluated at many points at once.

use super::selected::SelectedFigure;
use crossover_quantity::quantity::Quantity;
use crossover_study::formula::{Program, Tape};
use crossover_study::{Subject, formulas, usual_path};

/// Whether the figures of a study are formulas: then many points take little longer than one.
#[must_use]
pub fn is_of_formulas(study: &dyn Subject) -> bool {
    formulas(study, &|_, value| value.into()).is_some()
}

/// Figures of a study as formulas of some of its numbers.
#[derive(Debug)]
pub struct Batch {
    program: Program,
}

impl Batch {
    /// Figures as formulas of the numbers at these paths; `None` if the study is not one of formulas, or has no such numbers.
    #[must_use]
    pub fn new<'p>(
        study: &dyn Subject,
        paths: impl IntoIterator<Item = &'p str>,
        selected: &[SelectedFigure],
    ) -> Option<Self> {
        let paths: Vec<String> = paths.into_iter().map(|path| usual_path(study, path)).collect::<Option<_>>()?;
        let tape = Tape::default();
        let number = |path: &str, value: f64| match paths.iter().position(|of| of == path) {
            Some(place) => tape.input(place),
            None => value.into(),
        };
        let formulas = formulas(study, &number)?;
        let selected =
            selected.iter().map(|selected| formulas.get(selected.place()).copied()).collect::<Option<Vec<_>>>()?;
        Some(Self { program: Program::new(&tape, &selected) })
    }

    /// The same where some of the numbers have these values; `None`, too, if one of them may not have such a value.
    pub(super) fn within<'p>(
        study: &dyn Subject,
        ranged: &[(&'p str, &Quantity, &[f64])],
        others: impl IntoIterator<Item = &'p str>,
        selected: &[SelectedFigure],
    ) -> Option<Self> {
        let is_allowed = |(_, quantity, values): &(_, &Quantity, &[f64])| {
            values.iter().all(|value| quantity.problem(*value).is_none())
        };
        let paths = ranged.iter().map(|(path, ..)| *path).chain(others);
        ranged.iter().all(is_allowed).then(|| Self::new(study, paths, selected)).flatten()
    }

    /// The formulas.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }
}
