//! Finds values of numbers of a study, and entries of lists, that meet constraints on figures and are best in objectives.
//!
//! - `request`: what is searched
//! - `space`: the candidates: values and entries, one of each
//! - `aims`: constraints and objectives of their figures
//! - `annealing`: searches spaces that are too large to evaluate
//! - `front`: the Pareto front
//! - `neighbours`: why neighbours of the best candidate are not recommended
//! - [`mod@likelihood`]: likelihoods, where numbers are uncertain

mod aims;
mod annealing;
mod error;
mod front;
pub mod likelihood;
mod neighbours;
mod request;
mod space;

use crossover_quantity::invalid::Invalid;
use crossover_quantity::unit::Unit;
use crossover_study::{Subject, Watch};

use super::points::{At, Pointwise, evaluate};
use super::selected::{SelectedFigure, answer};
use super::values::Values;

pub use error::SearchError;
use front::{best_first, front};
pub use likelihood::{LikelihoodError, Likelihoods, likelihoods};
pub use neighbours::{Neighbour, Why};
use request::check;
pub use request::{Bound, Choice, Constraint, Entry, Objective, Search, Setting, Shared};
pub use space::{Axis, Domain};
use space::{Evaluated, Space, ascending};

/// Most values of a number.
pub const MOST_POINTS: usize = 10_000;
/// Values of a number that does not say how many.
pub const POINTS: usize = 20;
/// Evaluated candidates by default.
pub const BUDGET: usize = 100_000;
/// Most candidates that a request may evaluate.
pub const MOST_BUDGET: usize = 1_000_000;
/// Most objectives: with more of them, hardly any candidate is dominated.
pub const MOST_OBJECTIVES: usize = 3;
/// Candidates of a front that are kept.
const MOST_OF_FRONT: usize = 1000;
/// Feasible candidates that are kept.
const MOST_OF_BEST: usize = 1000;

/// An evaluated candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Of each axis, the value or the entry, by its place.
    pub place: Vec<usize>,
    /// The figures, in the order of [`Searched::figures`]; `None` where there is none.
    pub values: Vec<Option<f64>>,
    /// The violated constraints, by their places.
    pub violated: Vec<usize>,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// The axes of the search space: lists, then numbers.
    pub axes: Vec<Axis>,
    /// The figures: those of the objectives, then those of the constraints, each once.
    pub figures: Vec<SelectedFigure>,
    /// Candidates that there are; too many to count is the most that fits.
    pub candidates: u128,
    /// How many candidates were evaluated.
    pub evaluated: usize,
    /// Those of them that the study does not allow, with what does not fit in the first.
    pub not_allowed: Option<(usize, Invalid)>,
    /// How many of them are feasible.
    pub feasible: usize,
    /// The Pareto front, the best by the first objective first; at most 1000.
    pub front: Vec<Found>,
    /// How many there are: a long front is cut at its end.
    pub of_front: usize,
    /// The feasible candidates, the best by the first objective, then the next; at most 1000.
    pub best: Vec<Found>,
    /// If none is feasible: the nearest one.
    pub nearest: Option<Found>,
    /// The scenario as it is; it has no place.
    pub present: Found,
    /// Axes on which no price of the bill depends, by their places: their cost is not counted.
    pub unpriced: Vec<usize>,
    /// How many decisions of the recommended candidate are yes, and how many there are. `None`: no recommended candidate, or no
    /// decisions.
    pub decided: Option<[usize; 2]>,
    /// The neighbours of the recommended candidate, and why they are not recommended; empty if none is feasible.
    pub neighbours: Vec<Neighbour>,
}

impl Searched {
    /// The candidate that is best by the first objective, then the next.
    #[must_use]
    pub fn recommended(&self) -> Option<&Found> {
        self.front.first()
    }

    /// Numbers with the optimum at the bound of the searched range, where the range can be wider.
    pub fn at_ends(&self) -> impl Iterator<Item = &Axis> {
        let place = self.recommended().map_or(&[][..], |best| &best.place);
        let is_at_end = |axis: &Axis, place: usize| match &axis.what {
            Domain::Number { quantity, values } if values.len() > 1 => {
                (place == 0 && values[place] > quantity.min)
                    || (place + 1 == values.len() && values[place] < quantity.max)
            }
            _ => false,
        };
        let of_all = self.axes.iter().zip(place).enumerate();
        of_all
            .filter(move |(number, (axis, place))| is_at_end(axis, **place) && !self.is_idle(*number))
            .map(|(_, (axis, _))| axis)
    }

    /// Axes along which all neighbours of the recommended candidate have equal objectives.
    pub fn idle(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter().enumerate().filter(|(number, _)| self.is_idle(*number)).map(|(_, axis)| axis)
    }

    /// Whether all neighbours along an axis have equal objectives.
    fn is_idle(&self, axis: usize) -> bool {
        let mut neighbours = self.neighbours.iter().filter(|neighbour| neighbour.axis == axis).peekable();
        neighbours.peek().is_some() && neighbours.all(|neighbour| neighbour.why == Why::Same)
    }

    /// Whether every candidate was evaluated.
    #[must_use]
    pub fn is_exhaustive(&self) -> bool {
        self.candidates == self.evaluated as u128
    }

    /// Sets a candidate in a study, with the sources of its numbers.
    pub fn apply(&self, study: &mut dyn Subject, found: &Found) {
        for (axis, place) in self.axes.iter().zip(&found.place) {
            axis.apply(study, *place);
        }
    }
}

/// Finds the best candidates of a valid study; `None` if it was cancelled. Counts candidates. The same on any number of
/// threads.
///
/// # Errors
/// [`SearchError`] if the search is impossible.
pub fn search(study: &dyn Subject, search: &Search, watch: Watch<'_>) -> Result<Option<Searched>, SearchError> {
    match begin(study, search, watch)? {
        Some(candidates) => candidates.run(watch),
        None => Ok(None),
    }
}

/// The candidates of a search, before any is evaluated.
pub struct Candidates<'a> {
    space: Space<'a>,
    /// The figures of the scenario as it is.
    present: Vec<Option<f64>>,
}

/// The candidates of [`search`](self::search()); `None` if it was cancelled.
///
/// # Errors
/// [`SearchError`] if the search is impossible.
pub fn begin<'a>(
    study: &dyn Subject,
    search: &'a Search,
    watch: Watch<'_>,
) -> Result<Option<Candidates<'a>>, SearchError> {
    check(search)?;
    let axes = space::axes(study, search)?;
    let Some(now) = answer(study, watch) else { return Ok(None) };
    let keys = search
        .objectives
        .iter()
        .map(|objective| &objective.key)
        .chain(search.constraints.iter().map(|constraint| &constraint.key));
    let figures = SelectedFigure::of(&now, &keys.cloned().collect::<Vec<_>>())?;
    let present = figures.iter().map(|figure| figure.value(&now)).collect();
    Ok(Some(Candidates { space: Space::new(study, axes, figures, search), present }))
}

impl<'a> Candidates<'a> {
    /// How many there are; too many to count is the most that fits.
    #[must_use]
    pub fn count(&self) -> u128 {
        self.space.candidates()
    }

    /// All of them, where the budget allows it.
    ///
    /// # Errors
    /// [`SearchError::TooMany`] where they are not.
    pub fn every(self) -> Result<Every<'a>, SearchError> {
        let (candidates, budget) = (self.count(), self.space.search().budget);
        if candidates <= budget as u128 { Ok(Every(self)) } else { Err(SearchError::TooMany { candidates, budget }) }
    }

    fn run(self, watch: Watch<'_>) -> Result<Option<Searched>, SearchError> {
        if self.count() <= self.space.search().budget as u128 {
            return evaluate(Every(self), watch);
        }
        let Some(mut evaluated) = annealing::run(&self.space, watch) else { return Ok(None) };
        let mut best = best_of(&self.space, &evaluated);
        // Evaluates the neighbours of the best candidate, until none is better.
        while let Some(found) = best {
            let Some(neighbours) = self.space.evaluate_neighbours(&found.place, &mut evaluated, watch) else {
                return Ok(None);
            };
            let neighbours = neighbours.into_iter().filter_map(|place| evaluated.get_key_value(&place));
            best = best_of(&self.space, neighbours).filter(|better| is_better(&self.space, better, &found));
        }
        self.conclude(&evaluated).map(Some)
    }

    /// The result of the evaluated candidates.
    fn conclude(self, evaluated: &Evaluated) -> Result<Searched, SearchError> {
        let Self { space, present } = self;
        let refused: Vec<&Invalid> = evaluated.values().filter_map(|evaluated| evaluated.as_ref().err()).collect();
        let not_allowed = refused.first().map(|first| (refused.len(), (*first).clone()));
        if let Some((count, problem)) = not_allowed.clone().filter(|(count, _)| *count == evaluated.len()) {
            return Err(SearchError::Nowhere { count, problem });
        }
        let (feasible, answers) = best_first(&space, evaluated);
        let mut front = front(&space, &answers);
        let of_front = front.len();
        front.truncate(MOST_OF_FRONT);
        let best: Vec<Found> = answers.into_iter().take(MOST_OF_BEST).collect();
        let nearest = if feasible == 0 { nearest(&space, evaluated) } else { None };
        let recommended = front.first();
        let decided = recommended.and_then(|found| Watch::uncancellable(|watch| decided(&space, found, watch)));
        let neighbours = recommended.map_or_else(Vec::new, |found| neighbours::of(&space, found, evaluated));
        let (unpriced, candidates) = (space.unpriced(), space.candidates());
        let present = Found { violated: space.aims.violated(&present), place: Vec::new(), values: present };
        let Space { axes, figures, .. } = space;
        let evaluated = evaluated.len();
        Ok(Searched {
            axes,
            figures,
            candidates,
            evaluated,
            not_allowed,
            feasible,
            front,
            of_front,
            best,
            nearest,
            present,
            unpriced,
            decided,
            neighbours,
        })
    }
}

/// All candidates of a search.
pub struct Every<'a>(Candidates<'a>);

impl Pointwise for Every<'_> {
    type State = Box<dyn Subject>;
    type Found = Searched;
    type Error = SearchError;

    fn points(&self) -> usize {
        // No more than the budget.
        usize::try_from(self.0.count()).unwrap_or(MOST_BUDGET)
    }

    fn figures(&self) -> usize {
        self.0.space.figures.len()
    }

    fn start(&self) -> Box<dyn Subject> {
        self.0.space.start()
    }

    fn at(&self, study: &mut Box<dyn Subject>, number: usize, watch: Watch<'_>) -> Option<At> {
        self.0.space.at(study, &self.0.space.place(number), watch)
    }

    fn conclude(self, found: Values) -> Result<Searched, SearchError> {
        let evaluated = found.points().enumerate().map(|(number, at)| (self.0.space.place(number), at)).collect();
        self.0.conclude(&evaluated)
    }
}

/// The valid candidates.
fn founds<'a>(
    space: &'a Space<'_>,
    evaluated: impl IntoIterator<Item = (&'a Vec<usize>, &'a At)>,
) -> impl Iterator<Item = Found> {
    evaluated.into_iter().filter_map(|(place, at)| Some(space.found(place.clone(), at.as_ref().ok()?)))
}

/// How many decisions of a candidate are a yes, and how many there are.
fn decided(space: &Space<'_>, found: &Found, watch: Watch<'_>) -> Option<[usize; 2]> {
    let figures = space.answer(&found.place, watch)?;
    let decisions: Vec<f64> =
        figures.iter().filter(|one| one.figure.unit == Unit::Decision).filter_map(|one| one.value).collect();
    let yes = decisions.iter().filter(|value| **value > 0.5).count();
    (!decisions.is_empty()).then_some([yes, decisions.len()])
}

/// The best feasible candidate by the first objective, then the next; the first of equals.
fn best_of<'a>(space: &'a Space<'_>, evaluated: impl IntoIterator<Item = (&'a Vec<usize>, &'a At)>) -> Option<Found> {
    let feasible =
        founds(space, evaluated).filter(|found| found.violated.is_empty() && space.aims.has_objectives(found));
    feasible.reduce(|best, found| if is_better(space, &found, &best) { found } else { best })
}

fn is_better(space: &Space<'_>, one: &Found, other: &Found) -> bool {
    ascending(&space.aims.costs(&one.values), &space.aims.costs(&other.values)).is_lt()
}

/// The candidate with the smallest violation; the first of equals.
fn nearest(space: &Space<'_>, evaluated: &Evaluated) -> Option<Found> {
    let violation = |found: &Found| space.aims.violation(&found.values);
    founds(space, evaluated).reduce(|best, found| if violation(&found) < violation(&best) { found } else { best })
}
