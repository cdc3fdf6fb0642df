//! Studies whose figures are formulas, evaluated at many points at once.

use super::wanted::Wanted;
use crate::formula::{Program, Tape};
use crate::scenario::Study;
use crate::study::{formulas, numbers, set_number};

/// Whether the figures of a study are formulas: then many points take little longer than one.
#[must_use]
pub fn is_of_formulas(study: &Study) -> bool {
    formulas(study.subject(), &|_, value| value.into()).is_some()
}

/// Figures of a study as formulas of some of its numbers.
#[derive(Debug)]
pub struct Batch {
    program: Program,
}

impl Batch {
    /// Figures as formulas of the numbers at these paths; `None` if the study is not one of formulas, or has no such numbers.
    #[must_use]
    pub fn new<'p>(study: &Study, paths: impl IntoIterator<Item = &'p str>, wanted: &[Wanted]) -> Option<Self> {
        let paths: Vec<String> = paths.into_iter().map(|path| usual_path(study, path)).collect::<Option<_>>()?;
        let tape = Tape::default();
        let number = |path: &str, value: f64| match paths.iter().position(|of| of == path) {
            Some(place) => tape.input(place),
            None => value.into(),
        };
        let formulas = formulas(study.subject(), &number)?;
        let wanted = wanted.iter().map(|wanted| formulas.get(wanted.place()).copied()).collect::<Option<Vec<_>>>()?;
        Some(Self { program: Program::new(&tape, &wanted) })
    }

    /// The formulas.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }
}

/// The path of a number as the study itself has it: an entry of a list may be meant by its place.
pub(super) fn usual_path(study: &Study, path: &str) -> Option<String> {
    let known = numbers(study.subject());
    if known.iter().any(|(known, ..)| known.to_string() == path) {
        return Some(path.to_owned());
    }
    let mut moved = study.clone();
    // No number of a study is not a number.
    if !set_number(moved.subject_mut(), path, f64::NAN) {
        return None;
    }
    let found = numbers(moved.subject()).into_iter().find(|(_, _, value)| value.is_nan());
    found.map(|(path, ..)| path.to_string())
}
