//! Values of a function at many points of the unit cube, computed on all cores.

use rayon::prelude::*;

use super::unknowns::{Unknowns, bare};
use super::wanted::{Wanted, answer};
use crate::invalid::Invalid;
use crate::scenario::Study;
use crate::study::Watch;

/// What a function has at a point: a value each, not a number where it has none; or why it has no values there.
pub(super) type At = Result<Vec<f64>, Invalid>;

/// A function of points of the unit cube; calls that are made in parallel each have a state of their own.
pub(super) trait Function: Sync {
    /// What is moved about.
    type State: Send;

    /// What is moved about, as it is at first.
    fn start(&self) -> Self::State;

    /// Its values at a point; `None` if it was called off.
    fn at(&self, state: &mut Self::State, point: &[f64]) -> Option<At>;
}

/// The figures of a study, with its unknowns at a point.
pub(super) struct OfStudy<'a> {
    pub(super) study: &'a Study,
    pub(super) unknowns: &'a Unknowns,
    pub(super) wanted: &'a [Wanted],
    pub(super) watch: Watch<'a>,
}

impl Function for OfStudy<'_> {
    type State = Study;

    fn start(&self) -> Study {
        bare(self.study)
    }

    fn at(&self, study: &mut Study, point: &[f64]) -> Option<At> {
        let subject = study.subject_mut();
        if let Err(invalid) = self.unknowns.move_to(subject, point) {
            return Some(Err(invalid));
        }
        let found = answer(subject, self.watch)?;
        Some(Ok(self.wanted.iter().map(|wanted| wanted.value(&found).unwrap_or(f64::NAN)).collect()))
    }
}

/// The values of a function at points that their numbers lead to, in their order; `None` if it was called off. Counts points.
pub(super) fn at_points<F: Function>(
    function: &F,
    points: usize,
    point: impl Fn(usize) -> Vec<f64> + Sync + Send,
    watch: Watch<'_>,
) -> Option<Vec<At>> {
    let one = |state: &mut F::State, number: usize| {
        if watch.is_cancelled() {
            return None;
        }
        let found = function.at(state, &point(number))?;
        watch.count(1);
        Some(found)
    };
    (0..points).into_par_iter().map_init(|| function.start(), one).collect()
}

/// Points that a study does not allow.
#[derive(Debug, Clone, PartialEq)]
pub struct NotAllowed {
    /// How many of how many.
    pub count: usize,
    /// How many there were.
    pub of: usize,
    /// What does not fit at the first of them.
    pub problem: Invalid,
}

impl std::fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { count, of, problem: Invalid { path, problem } } = self;
        write!(f, "{count} of {of} samples are left out, because numbers do not fit each other: {path}: {problem}")
    }
}

/// Those of many points.
pub(super) fn not_allowed<'a>(found: impl Iterator<Item = &'a At>) -> Option<NotAllowed> {
    let (mut count, mut of, mut first) = (0, 0, None);
    for at in found {
        of += 1;
        if let Err(problem) = at {
            count += 1;
            first.get_or_insert_with(|| problem.clone());
        }
    }
    first.map(|problem| NotAllowed { count, of, problem })
}
