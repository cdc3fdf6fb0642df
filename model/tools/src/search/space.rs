//! The candidates of a search: of each axis a value or an entry.

use std::cmp::Ordering;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::aims::Aims;
use super::{Found, Search, SearchError, Shared};
use crate::points::At;
use crate::range::Range;
use crate::selected::{SelectedFigure, allowed, answer, number};
use crate::unknowns::bare;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::quantity::Quantity;
use crossover_study::{FigureValue, Subject, Watch, number_at, set_number};

use super::MOST_POINTS;

/// Figures of a bill that depend on prices only: purchase, and cost per hour.
const OF_PRICES: usize = 2;

/// The evaluated candidates: the figures of each, or why it is invalid.
pub(super) type Evaluated = BTreeMap<Vec<usize>, At>;

/// An axis of the search space.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The path of the number, or the name of the list.
    pub name: String,
    /// Its values or entries.
    pub what: Domain,
    /// Parts under strong scaling: path and total.
    pub shares: Vec<(String, f64)>,
}

/// The values or entries of an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// One of these values.
    Number {
        /// Label, unit and range of the number.
        quantity: &'static Quantity,
        /// Its values.
        values: Vec<f64>,
    },
    /// One of these entries.
    Choice(Vec<super::Entry>),
}

impl Axis {
    /// How many values or entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.what {
            Domain::Number { values, .. } => values.len(),
            Domain::Choice(entries) => entries.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A value with its unit, or the name of an entry.
    #[must_use]
    pub fn text(&self, place: usize) -> String {
        match &self.what {
            Domain::Number { quantity, values } => {
                values.get(place).map_or_else(String::new, |value| quantity.unit.format(*value))
            }
            Domain::Choice(entries) => entries.get(place).map_or_else(String::new, |entry| entry.name.clone()),
        }
    }

    /// Sets a value or an entry in a study, with the sources of its numbers.
    pub(super) fn apply(&self, study: &mut dyn Subject, place: usize) {
        let mut set = |path: &str, value: f64, source: Option<&Provenance>| {
            if number_at(study, path).is_some_and(|(_, now)| now == Some(value)) && source.is_none() {
                return;
            }
            set_number(study, path, value);
            match source {
                Some(source) => study.sources_mut().insert(path.to_owned(), source.clone()),
                None => study.sources_mut().remove(path),
            };
        };
        match &self.what {
            Domain::Number { values, .. } => {
                if let Some(value) = values.get(place) {
                    set(&self.name, *value, None);
                    for (path, whole) in &self.shares {
                        set(path, whole / value, None);
                    }
                }
            }
            Domain::Choice(entries) => {
                for number in entries.get(place).iter().flat_map(|entry| &entry.numbers) {
                    set(&number.path, number.value, Some(&number.source));
                }
            }
        }
    }

    /// The same without sources.
    fn set(&self, study: &mut dyn Subject, place: usize) {
        match &self.what {
            Domain::Number { values, .. } => {
                set_number(study, &self.name, values[place]);
                for (path, whole) in &self.shares {
                    set_number(study, path, whole / values[place]);
                }
            }
            Domain::Choice(entries) => {
                for number in &entries[place].numbers {
                    set_number(study, &number.path, number.value);
                }
            }
        }
    }
}

/// The axes: lists, then numbers, which therefore override entries.
pub(super) fn axes(study: &dyn Subject, search: &Search) -> Result<Vec<Axis>, SearchError> {
    let mut by: BTreeMap<&str, &str> = BTreeMap::new();
    let mut once = |path, name| match by.insert(path, name) {
        Some(before) => {
            let by = [before, name].map(str::to_owned);
            Err(SearchError::Twice { path: path.to_owned(), by })
        }
        None => Ok(()),
    };
    let mut axes = Vec::new();
    for choice in &search.choices {
        let paths: BTreeSet<&str> =
            choice.entries.iter().flat_map(|entry| &entry.numbers).map(|number| number.path.as_str()).collect();
        for path in &paths {
            once(path, &choice.name)?;
        }
        if choice.entries.is_empty() {
            return Err(SearchError::Empty(choice.name.clone()));
        }
        for entry in &choice.entries {
            if let Some(number) = entry.numbers.iter().find(|number| number_at(study, &number.path).is_none()) {
                return Err(SearchError::NoSuchNumber { by: entry.name.clone(), path: number.path.clone() });
            }
        }
        axes.push(Axis { name: choice.name.clone(), what: Domain::Choice(choice.entries.clone()), shares: Vec::new() });
    }
    for range in &search.free {
        once(&range.path, "its own range")?;
        let axis = free(study, range, &search.shared)?;
        for (path, _) in &axis.shares {
            if search.free.iter().any(|other| other.path == *path) {
                let by = [range.path.clone(), "its own range".to_owned()];
                return Err(SearchError::Twice { path: path.clone(), by });
            }
        }
        axes.push(axis);
    }
    if axes.is_empty() { Err(SearchError::NothingFree) } else { Ok(axes) }
}

fn free(study: &dyn Subject, range: &Range, shared: &[Shared]) -> Result<Axis, SearchError> {
    let (quantity, now) = range.number(study)?;
    let values = range.values_to_choose(study, MOST_POINTS)?;
    let now = now.unwrap_or_else(|| quantity.when_absent());
    let share = |path: &String| match number_at(study, path) {
        Some((_, Some(each))) => Ok((path.clone(), each * now)),
        _ => Err(SearchError::NoSuchNumber { by: range.path.clone(), path: path.clone() }),
    };
    let paths = shared.iter().filter(|shared| shared.by == range.path).flat_map(|shared| &shared.paths);
    let shares = paths.map(share).collect::<Result<_, _>>()?;
    Ok(Axis { name: range.path.clone(), what: Domain::Number { quantity, values }, shares })
}

/// All candidates of a search.
pub(super) struct Space<'a> {
    study: Box<dyn Subject>,
    pub(super) axes: Vec<Axis>,
    pub(super) figures: Vec<SelectedFigure>,
    pub(super) aims: Aims<'a>,
    /// Whether entries of one list set different numbers, which must then be reset.
    is_uneven: bool,
}

impl<'a> Space<'a> {
    pub(super) fn new(study: &dyn Subject, axes: Vec<Axis>, figures: Vec<SelectedFigure>, search: &'a Search) -> Self {
        let paths =
            |entry: &super::Entry| entry.numbers.iter().map(|number| number.path.clone()).collect::<BTreeSet<_>>();
        let is_uneven = search.choices.iter().any(|choice| {
            let mut sets = choice.entries.iter().map(paths);
            let first = sets.next();
            sets.any(|set| Some(&set) != first.as_ref())
        });
        let aims = Aims::new(search, &figures);
        Self { study: bare(study), axes, figures, aims, is_uneven }
    }

    pub(super) fn search(&self) -> &Search {
        self.aims.search
    }

    /// How many there are.
    pub(super) fn candidates(&self) -> u128 {
        self.axes.iter().map(|axis| axis.len() as u128).fold(1, u128::saturating_mul)
    }

    /// The study to vary.
    pub(super) fn start(&self) -> Box<dyn Subject> {
        self.study.clone()
    }

    /// The figures of a candidate, or why it is invalid; `None` if that was cancelled.
    pub(super) fn at(&self, study: &mut Box<dyn Subject>, place: &[usize], watch: Watch<'_>) -> Option<At> {
        if self.is_uneven {
            *study = self.start();
        }
        for (axis, place) in self.axes.iter().zip(place) {
            axis.set(&mut **study, *place);
        }
        if let Some(invalid) = study.why_not_offered() {
            return Some(Err(invalid));
        }
        allowed(&self.figures, &**study, watch)
    }

    /// All figures of a valid candidate; `None` if that was cancelled.
    pub(super) fn answer(&self, place: &[usize], watch: Watch<'_>) -> Option<Vec<FigureValue>> {
        let mut study = self.start();
        for (axis, place) in self.axes.iter().zip(place) {
            axis.set(&mut *study, *place);
        }
        answer(&*study, watch)
    }

    /// The candidate of a number, the last axis first.
    pub(super) fn place(&self, number: usize) -> Vec<usize> {
        let mut rest = number;
        let digit = |axis: &Axis| {
            let digit = rest % axis.len();
            rest /= axis.len();
            digit
        };
        let mut place: Vec<usize> = self.axes.iter().rev().map(digit).collect();
        place.reverse();
        place
    }

    /// Tries what differs from a candidate in one axis only: a number by one value, a choice by any entry. Says which
    /// candidates these are.
    pub(super) fn evaluate_neighbours(
        &self,
        place: &[usize],
        evaluated: &mut Evaluated,
        watch: Watch<'_>,
    ) -> Option<Vec<Vec<usize>>> {
        let mut study = self.start();
        let one = |(axis, other): (usize, usize)| {
            let mut neighbours = place.to_vec();
            neighbours[axis] = other;
            if let Entry::Vacant(vacant) = evaluated.entry(neighbours.clone()) {
                let found = self.at(&mut study, vacant.key(), watch)?;
                watch.count(1);
                vacant.insert(found);
            }
            Some(neighbours)
        };
        self.neighbours(place).into_iter().map(one).collect()
    }

    /// What differs from a candidate in one axis only: the axis, and the place there.
    pub(super) fn neighbours(&self, place: &[usize]) -> Vec<(usize, usize)> {
        let of_axis = |(number, axis): (usize, &Axis)| -> Vec<(usize, usize)> {
            let here = place[number];
            let others: Vec<usize> = match axis.what {
                Domain::Number { .. } => here.checked_sub(1).into_iter().chain([here + 1]).collect(),
                Domain::Choice(_) => (0..axis.len()).filter(|other| *other != here).collect(),
            };
            others.into_iter().filter(|other| *other < axis.len()).map(|other| (number, other)).collect()
        };
        self.axes.iter().enumerate().flat_map(of_axis).collect()
    }

    /// A candidate with its figures, not a number where there is none.
    pub(super) fn found(&self, place: Vec<usize>, values: &[f64]) -> Found {
        let values: Vec<Option<f64>> = values.iter().map(|value| number(*value)).collect();
        Found { place, violated: self.aims.violated(&values), values }
    }

    /// Axes that change no price of the bill, by their places; none without a bill.
    pub(super) fn unpriced(&self) -> Vec<usize> {
        let prices = |number: usize, place: usize| {
            let mut study = self.start();
            self.axes[number].set(&mut *study, place);
            // Electricity follows from the power, not from the price of a piece.
            if let Some(bill) = study.bill_mut() {
                bill.usd_per_kwh = 0.0;
            }
            let figures = study.bill().map(|bill| bill.figures(&*study, &[]));
            figures.map(|figures| figures.into_iter().take(OF_PRICES).map(|one| one.value).collect::<Vec<_>>())
        };
        let is_unpriced = |number: &usize| {
            let first = prices(*number, 0);
            first.is_some() && (1..self.axes[*number].len()).all(|place| prices(*number, place) == first)
        };
        (0..self.axes.len()).filter(is_unpriced).collect()
    }
}

/// The order of costs by the first objective, then the next.
pub(super) fn ascending(a: &[f64], b: &[f64]) -> Ordering {
    a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).fold(Ordering::Equal, Ordering::then)
}
