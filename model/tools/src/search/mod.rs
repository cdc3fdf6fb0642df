//! Which values of numbers of a study, and which entries of lists to choose from, keep limits on its figures and are best by
//! others.
//!
//! - `space`: the candidates: values and entries, one of each
//! - `aims`: what is asked of their figures
//! - `annealing`: looks where there are too many to try them all
//! - `front`: what no other beats
//! - `neighbours`: why the candidates beside the best one lose
//! - [`mod@likelihood`]: how sure all that is, where numbers are not known exactly

mod aims;
mod annealing;
mod front;
pub mod likelihood;
mod neighbours;
mod space;

use serde::{Deserialize, Serialize};

use crossover_quantity::invalid::Invalid;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::unit::Unit;
use crossover_study::{Better, FigureValue, Subject, Watch};

use super::points::{At, Pointwise, evaluate};
use super::range::{Range, RangeError};
use super::selected::{EVERY, NoSuchFigure, SelectedFigure, answer};
use super::values::Values;

use front::{best_first, front};
pub use likelihood::{LikelihoodError, Likelihoods, likelihoods};
pub use neighbours::{Neighbour, Why};
pub use space::{Axis, Axle};
use space::{Space, Tried, ascending};

/// Most values of a number.
pub const MOST_POINTS: usize = 10_000;
/// Values of a number that does not say how many.
pub const POINTS: usize = 20;
/// Candidates that are tried, unless more are asked for.
pub const BUDGET: usize = 100_000;
/// Most that may be asked for.
pub const MOST_BUDGET: usize = 1_000_000;
/// Most goals: by more of them, hardly anything is beaten.
pub const MOST_GOALS: usize = 3;
/// Candidates of a front that are kept.
const MOST_OF_FRONT: usize = 1000;
/// Candidates that keep every limit and are kept.
const MOST_OF_BEST: usize = 1000;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Numbers that may be others, and the values that they may have.
    pub free: Vec<Range>,
    /// Lists of which one entry each is taken.
    pub choices: Vec<Choice>,
    /// What is divided among free numbers.
    pub shared: Vec<Shared>,
    /// What figures must keep.
    pub limits: Vec<Limit>,
    /// What is to be least or most; of several, the first decides what is recommended.
    pub goals: Vec<Goal>,
    /// The same seed looks at the same candidates, where not all are tried.
    pub seed: u64,
    /// Most candidates that are tried.
    pub budget: usize,
}

/// Numbers that are what each one has of a whole that stays, as the input of each of several machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    /// The number that says how many there are, by its path.
    pub by: String,
    /// What each has, by the paths.
    pub paths: Vec<String>,
}

/// A list of which one entry is taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What its entries are, as "gpu".
    pub name: String,
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// One of several things that a study may have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The numbers that the study has with it.
    pub numbers: Vec<Setting>,
}

/// A number that an entry sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Its path.
    pub path: String,
    /// Its value.
    pub value: f64,
    /// Where that comes from.
    pub source: Provenance,
}

/// What a figure must keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// The key of the figure.
    pub key: String,
    /// On which side of the value it must be.
    pub side: Bound,
    /// The value, in the unit of the figure.
    pub value: f64,
}

/// On which side of a limit a figure must be; the limit itself is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Not above.
    AtMost,
    /// Not below.
    AtLeast,
}

/// What is to be least or most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// The key of the figure.
    pub key: String,
    /// Whether the least is the best, else the most is.
    pub is_least: bool,
}

/// A candidate with what it is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Of each axis, the value or the entry, by its place.
    pub place: Vec<usize>,
    /// The figures, in the order of [`Searched::figures`]; `None` where there is none.
    pub values: Vec<Option<f64>>,
    /// The limits that it breaks, by their places.
    pub broken: Vec<usize>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// What was free: entries to choose from, then numbers.
    pub axes: Vec<Axis>,
    /// The figures that were looked at: those of the goals, then those of the limits, each once.
    pub figures: Vec<SelectedFigure>,
    /// Candidates that there are; too many to count is the most that fits.
    pub candidates: u128,
    /// Candidates that were tried.
    pub tried: usize,
    /// Those of them that the study does not allow, with what does not fit in the first.
    pub not_allowed: Option<(usize, Invalid)>,
    /// Those of them that keep every limit.
    pub kept: usize,
    /// Of those that keep every limit: those that none of them beats, best by the first goal first; at most 1000.
    pub front: Vec<Found>,
    /// How many there are: a long front is cut at its end.
    pub of_front: usize,
    /// Of those that keep every limit: the best by the first goal, then the next; at most 1000.
    pub best: Vec<Found>,
    /// If none keeps every limit: the one that comes nearest.
    pub nearest: Option<Found>,
    /// The scenario as it is; it has no place.
    pub present: Found,
    /// Axes of which no price of the bill hangs, by their places, if the study has a bill: what they cost is not counted.
    pub unpriced: Vec<usize>,
    /// Of what the recommended one decides, how much is decided for: of how many decisions. None: nothing is recommended, or the
    /// study decides nothing.
    pub decided: Option<[usize; 2]>,
    /// What is beside the recommended one, and why it loses; of nothing if none keeps every limit.
    pub neighbours: Vec<Neighbour>,
}

/// Why nothing can be looked for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// Nothing may be another.
    #[error("no free parameters: give numbers with their ranges, or lists to choose from")]
    NothingFree,
    /// Nothing is to be least or most.
    #[error("no objective: give a figure to minimise or maximise")]
    NoGoal,
    /// There are too many goals.
    #[error("{0} objectives are too many, at most {MOST_GOALS}; make the others constraints")]
    Goals(usize),
    /// A figure is a goal twice.
    #[error("{0} is an objective twice")]
    GoalTwice(String),
    /// A list to choose from is empty.
    #[error("{0}: the list to choose from is empty")]
    Empty(String),
    /// A number is free twice, or free and set by an entry.
    #[error("{path} is set twice: {}", of_both(by))]
    Twice {
        /// Its path.
        path: String,
        /// What sets it.
        by: [String; 2],
    },
    /// A number cannot be moved so.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// A number that an entry sets, or that is divided, is none of the study.
    #[error("{by}: {path} is not a number of this study")]
    NoSuchNumber {
        /// What sets it.
        by: String,
        /// The path.
        path: String,
    },
    /// No figure has this key.
    #[error(transparent)]
    Figure(#[from] NoSuchFigure),
    /// A limit is no number.
    #[error("{key}: the constraint must be a finite number")]
    Limit {
        /// The key of its figure.
        key: String,
    },
    /// No value keeps two limits.
    #[error("{key}: no value is both at least {} and at most {}", of[0], of[1])]
    Contrary {
        /// The key of their figure.
        key: String,
        /// The lower and the upper one.
        of: [f64; 2],
    },
    /// All figures at once are no goal, and have no limit.
    #[error("“{EVERY}” means all figures; an objective or a constraint needs one figure")]
    Every,
    /// So many candidates cannot be tried.
    #[error("{asked} candidates requested; allowed: 1 … {MOST_BUDGET}")]
    Budget {
        /// So many are asked for.
        asked: usize,
    },
    /// Only so many may be tried, and there are more: what is tried next depends on what was found.
    #[error("{candidates} candidates exceed the budget of {budget}; a sharded search evaluates all of them")]
    TooMany {
        /// So many there are.
        candidates: u128,
        /// So many may be tried.
        budget: usize,
    },
    /// The study allows no candidate.
    #[error("none of {count} candidates is valid; the first: {}: {}", problem.path, problem.problem)]
    Nowhere {
        /// How many were tried.
        count: usize,
        /// What does not fit in the first.
        problem: Invalid,
    },
}

/// "by gpu and by network", "both times by its own range".
fn of_both(by: &[String; 2]) -> String {
    if by[0] == by[1] { format!("both times by {}", by[0]) } else { format!("by {} and by {}", by[0], by[1]) }
}

impl Goal {
    /// The better end of a figure, if it has one.
    #[must_use]
    pub fn usual(figure: &FigureValue) -> Option<Self> {
        let is_least = match figure.figure.better {
            Better::Lower => true,
            Better::Higher => false,
            Better::Neither => return None,
        };
        Some(Self { key: figure.key(), is_least })
    }
}

impl Limit {
    /// By which share of itself a value breaks it; nothing if it keeps it, infinite if there is no value.
    fn excess(&self, value: Option<f64>) -> f64 {
        let Some(value) = value else { return f64::INFINITY };
        let over = match self.side {
            Bound::AtMost => value - self.value,
            Bound::AtLeast => self.value - value,
        };
        // Of a limit of nothing there are no shares: so many units.
        let scale = if self.value == 0.0 { 1.0 } else { self.value.abs() };
        if over <= 0.0 { 0.0 } else { over / scale }
    }
}

impl Searched {
    /// The candidate that is best by the first goal, then the next.
    #[must_use]
    pub fn recommended(&self) -> Option<&Found> {
        self.front.first()
    }

    /// Numbers that are recommended at an end of their values, which is none of what they may ever be: beyond it may be better.
    pub fn at_ends(&self) -> impl Iterator<Item = &Axis> {
        let place = self.recommended().map_or(&[][..], |best| &best.place);
        let is_at_end = |axis: &Axis, place: usize| match &axis.what {
            Axle::Number { quantity, values } if values.len() > 1 => {
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

    /// What is free of which no goal hangs where the recommended candidate is, whose values beside it were tried.
    pub fn idle(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter().enumerate().filter(|(number, _)| self.is_idle(*number)).map(|(_, axis)| axis)
    }

    /// Whether all that is beside the recommended candidate along an axis is worth the same.
    fn is_idle(&self, axis: usize) -> bool {
        let mut beside = self.neighbours.iter().filter(|neighbour| neighbour.axis == axis).peekable();
        beside.peek().is_some() && beside.all(|neighbour| neighbour.why == Why::Same)
    }

    /// Whether every candidate was tried.
    #[must_use]
    pub fn is_exhaustive(&self) -> bool {
        self.candidates == self.tried as u128
    }

    /// Gives a study what a candidate has; its numbers say where they come from.
    pub fn apply(&self, study: &mut dyn Subject, found: &Found) {
        for (axis, place) in self.axes.iter().zip(&found.place) {
            axis.apply(study, *place);
        }
    }
}

/// Looks for the best candidates of a valid study; `None` if it was cancelled. Counts candidates. The same on any number of
/// threads.
///
/// # Errors
/// [`SearchError`] if nothing of that kind can be looked for.
pub fn search(study: &dyn Subject, search: &Search, watch: Watch<'_>) -> Result<Option<Searched>, SearchError> {
    match begin(study, search, watch)? {
        Some(candidates) => candidates.look(watch),
        None => Ok(None),
    }
}

/// The candidates of a search, before any is tried.
pub struct Candidates<'a> {
    space: Space<'a>,
    /// The figures of the scenario as it is.
    present: Vec<Option<f64>>,
}

/// What [`search`](self::search()) looks at; `None` if it was cancelled.
///
/// # Errors
/// [`SearchError`] if nothing of that kind can be looked for.
pub fn begin<'a>(
    study: &dyn Subject,
    search: &'a Search,
    watch: Watch<'_>,
) -> Result<Option<Candidates<'a>>, SearchError> {
    check(search)?;
    let axes = space::axes(study, search)?;
    let Some(now) = answer(study, watch) else { return Ok(None) };
    let keys = search.goals.iter().map(|goal| &goal.key).chain(search.limits.iter().map(|limit| &limit.key));
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

    /// All of them, where they are as few as may be tried.
    ///
    /// # Errors
    /// [`SearchError::TooMany`] where they are not.
    pub fn every(self) -> Result<Every<'a>, SearchError> {
        let (candidates, budget) = (self.count(), self.space.search().budget);
        if candidates <= budget as u128 { Ok(Every(self)) } else { Err(SearchError::TooMany { candidates, budget }) }
    }

    fn look(self, watch: Watch<'_>) -> Result<Option<Searched>, SearchError> {
        if self.count() <= self.space.search().budget as u128 {
            return evaluate(Every(self), watch);
        }
        let Some(mut tried) = annealing::look(&self.space, watch) else { return Ok(None) };
        let mut best = best_of(&self.space, &tried);
        // What is beside the best one is looked at, until nothing there is better.
        while let Some(found) = best {
            let Some(beside) = self.space.try_beside(&found.place, &mut tried, watch) else { return Ok(None) };
            let beside = beside.into_iter().filter_map(|place| tried.get_key_value(&place));
            best = best_of(&self.space, beside).filter(|better| is_better(&self.space, better, &found));
        }
        self.conclude(&tried).map(Some)
    }

    /// What comes of what was tried.
    fn conclude(self, tried: &Tried) -> Result<Searched, SearchError> {
        let Self { space, present } = self;
        let refused: Vec<&Invalid> = tried.values().filter_map(|tried| tried.as_ref().err()).collect();
        let not_allowed = refused.first().map(|first| (refused.len(), (*first).clone()));
        if let Some((count, problem)) = not_allowed.clone().filter(|(count, _)| *count == tried.len()) {
            return Err(SearchError::Nowhere { count, problem });
        }
        let (kept, answers) = best_first(&space, tried);
        let mut front = front(&space, &answers);
        let of_front = front.len();
        front.truncate(MOST_OF_FRONT);
        let best: Vec<Found> = answers.into_iter().take(MOST_OF_BEST).collect();
        let nearest = if kept == 0 { nearest(&space, tried) } else { None };
        let recommended = front.first();
        let decided = recommended.and_then(|found| Watch::nobody(|watch| decided(&space, found, watch)));
        let neighbours = recommended.map_or_else(Vec::new, |found| neighbours::of(&space, found, tried));
        let (unpriced, candidates) = (space.unpriced(), space.candidates());
        let present = Found { broken: space.aims.broken(&present), place: Vec::new(), values: present };
        let Space { axes, figures, .. } = space;
        let tried = tried.len();
        Ok(Searched {
            axes,
            figures,
            candidates,
            tried,
            not_allowed,
            kept,
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
        let tried = found.points().enumerate().map(|(number, at)| (self.0.space.place(number), at)).collect();
        self.0.conclude(&tried)
    }
}

fn check(search: &Search) -> Result<(), SearchError> {
    if search.goals.is_empty() {
        return Err(SearchError::NoGoal);
    }
    let mut keys = search.goals.iter().map(|goal| &goal.key).chain(search.limits.iter().map(|limit| &limit.key));
    if keys.any(|key| key == EVERY) {
        return Err(SearchError::Every);
    }
    if search.goals.len() > MOST_GOALS {
        return Err(SearchError::Goals(search.goals.len()));
    }
    let is_twice = |(place, goal): (usize, &Goal)| search.goals[..place].iter().any(|other| other.key == goal.key);
    if let Some((_, goal)) = search.goals.iter().enumerate().find(|place_and_goal| is_twice(*place_and_goal)) {
        return Err(SearchError::GoalTwice(goal.key.clone()));
    }
    if !(1..=MOST_BUDGET).contains(&search.budget) {
        return Err(SearchError::Budget { asked: search.budget });
    }
    if let Some(limit) = search.limits.iter().find(|limit| !limit.value.is_finite()) {
        return Err(SearchError::Limit { key: limit.key.clone() });
    }
    let of_side = |side: Bound| search.limits.iter().filter(move |limit| limit.side == side);
    for least in of_side(Bound::AtLeast) {
        if let Some(most) = of_side(Bound::AtMost).find(|most| most.key == least.key && most.value < least.value) {
            return Err(SearchError::Contrary { key: least.key.clone(), of: [least.value, most.value] });
        }
    }
    Ok(())
}

/// Those that the study allows, with what they are worth.
fn founds<'a>(
    space: &'a Space<'_>,
    tried: impl IntoIterator<Item = (&'a Vec<usize>, &'a At)>,
) -> impl Iterator<Item = Found> {
    tried.into_iter().filter_map(|(place, at)| Some(space.found(place.clone(), at.as_ref().ok()?)))
}

/// How many decisions of a candidate are a yes, and how many there are.
fn decided(space: &Space<'_>, found: &Found, watch: Watch<'_>) -> Option<[usize; 2]> {
    let figures = space.answer(&found.place, watch)?;
    let decisions: Vec<f64> =
        figures.iter().filter(|one| one.figure.unit == Unit::Decision).filter_map(|one| one.value).collect();
    let yes = decisions.iter().filter(|value| **value > 0.5).count();
    (!decisions.is_empty()).then_some([yes, decisions.len()])
}

/// Of those that keep every limit, the first of the best by the first goal, then the next.
fn best_of<'a>(space: &'a Space<'_>, tried: impl IntoIterator<Item = (&'a Vec<usize>, &'a At)>) -> Option<Found> {
    let kept = founds(space, tried).filter(|found| found.broken.is_empty() && space.aims.has_goals(found));
    kept.reduce(|best, found| if is_better(space, &found, &best) { found } else { best })
}

fn is_better(space: &Space<'_>, one: &Found, other: &Found) -> bool {
    ascending(&space.aims.costs(&one.values), &space.aims.costs(&other.values)).is_lt()
}

/// Of those that break limits, the first of those that break them least.
fn nearest(space: &Space<'_>, tried: &Tried) -> Option<Found> {
    let excess = |found: &Found| space.aims.excess(&found.values);
    founds(space, tried).reduce(|best, found| if excess(&found) < excess(&best) { found } else { best })
}
