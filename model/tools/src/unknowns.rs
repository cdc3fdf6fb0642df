//! The uncertain numbers of a study, and their joint values.

use std::collections::BTreeSet;

use super::titles;
use crossover_quantity::invalid::Invalid;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::quantity::Quantity;
use crossover_quantity::spread::{Distribution, Spread, Spreads, Values};
use crossover_study::{Subject, numbers, set_number, validate};

/// Most numbers that are varied one by one, to check whether the study stays valid.
const MOST_CHECKED: usize = 1000;

/// An uncertain number.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// Its path.
    pub path: String,
    /// Its label, unit and meaning.
    pub quantity: &'static Quantity,
    /// Its present value.
    pub value: f64,
    /// Its distribution.
    pub spread: Spread,
    /// Whether the distribution comes from its source; else it was entered.
    pub is_of_source: bool,
    /// Its group, by its place.
    group: Option<usize>,
    /// Its values.
    values: Values,
}

impl Unknown {
    fn new(path: String, quantity: &'static Quantity, value: f64, spread: Spread) -> Self {
        let values = spread.distribution.of(quantity, value);
        Self { path, quantity, value, spread, is_of_source: false, group: None, values }
    }

    /// Its label with the part that it is in: "CPU time per 100 MB (operators · join)".
    #[must_use]
    pub fn title(&self) -> String {
        titles::title(self.quantity, &self.path)
    }

    /// The same with its unit: "CPU time per 100 MB (operators · join), s/100 MB".
    #[must_use]
    pub fn title_with_unit(&self) -> String {
        titles::title_with_unit(self.quantity, &self.path)
    }
}

/// The uncertain numbers of a study.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Unknowns {
    /// The numbers, in the order of the study.
    pub numbers: Vec<Unknown>,
    /// Names of groups that move together, by their first number.
    pub groups: Vec<String>,
}

/// One or several numbers that are drawn independently of all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The path of the number, or the name of the group.
    pub name: String,
    /// Places of its numbers.
    pub numbers: Vec<usize>,
    /// Dimensions of a point that it is drawn from.
    pub dimensions: Vec<usize>,
}

impl Cause {
    /// The number that it is; `None` for a group.
    #[must_use]
    pub fn number<'a>(&self, unknowns: &'a Unknowns) -> Option<&'a Unknown> {
        let [place] = self.numbers[..] else { return None };
        // A group of one number has a name of its own.
        unknowns.numbers.get(place).filter(|number| number.path == self.name)
    }
}

impl Unknowns {
    /// Numbers with a distribution: entered, from the errors of the model, or from their source.
    #[must_use]
    pub fn of(study: &dyn Subject) -> Self {
        let (mut unknowns, errors) = (Self::default(), study.model_errors());
        for (path, quantity, value) in numbers(study) {
            let path = path.to_string();
            let entered = study.spreads().get(&path).cloned();
            let is_of_source = entered.is_none();
            let by_source = || {
                let source = study.sources().get(&path).filter(|source| !is_in(&errors, source))?;
                Spread::of_source(source, value)
            };
            let Some(spread) = entered.or_else(|| errors.get(&path).cloned()).or_else(by_source) else { continue };
            let group = spread.group.as_ref().map(|group| unknowns.group(&group.name));
            unknowns.numbers.push(Unknown { is_of_source, group, ..Unknown::new(path, quantity, value, spread) });
        }
        unknowns
    }

    /// The same, and numbers without a distribution within ± a share of their values. Not those that the user decides, nor those
    /// without other valid values.
    #[must_use]
    pub fn with_spread_all(study: &dyn Subject, share: f64) -> Self {
        let errors = study.model_errors();
        let mut moved = bare(study);
        let mut unknowns = Self::of(study);
        let known = std::mem::take(&mut unknowns.numbers);
        // Of more numbers, each would be checked against each other one.
        let is_large = numbers(study).len() > MOST_CHECKED;
        let mut known = known.into_iter().peekable();
        for (path, quantity, value) in numbers(study) {
            let path = path.to_string();
            if let Some(unknown) = known.next_if(|unknown| unknown.path == path) {
                unknowns.numbers.push(unknown);
                continue;
            }
            let is_in_errors = study.sources().get(&path).is_some_and(|source| is_in(&errors, source));
            if quantity.chosen || is_in_errors {
                continue;
            }
            let ends = [1.0 - share, 1.0 + share].map(|factor| value * factor);
            let [low, high] =
                [ends[0].min(ends[1]), ends[0].max(ends[1])].map(|end| end.clamp(quantity.min, quantity.max));
            let has_values = if quantity.whole { low.ceil() < high.floor() } else { low < high };
            if has_values && (is_large || fits(&mut *moved, &path, value, [low, high])) {
                let spread = Spread::alone(Distribution::Uniform { low, high });
                unknowns.numbers.push(Unknown::new(path, quantity, value, spread));
            }
        }
        unknowns
    }

    /// Removes some numbers, by their paths: they are exact.
    pub(super) fn leave_out(&mut self, paths: &BTreeSet<String>) {
        self.numbers.retain(|number| !paths.contains(&number.path));
    }

    fn group(&mut self, name: &str) -> usize {
        let place = self.groups.iter().position(|group| group == name);
        place.unwrap_or_else(|| {
            self.groups.push(name.to_owned());
            self.groups.len() - 1
        })
    }

    /// Whether no number is uncertain.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Numbers that a point consists of: one for each number and each group.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.numbers.len() + self.groups.len()
    }

    /// What is drawn independently: numbers of a group are one cause.
    #[must_use]
    pub fn causes(&self) -> Vec<Cause> {
        let of_number = |(place, unknown): (usize, &Unknown)| {
            let cause = || Cause { name: unknown.path.clone(), numbers: vec![place], dimensions: vec![place] };
            unknown.group.is_none().then(cause)
        };
        let of_group = |(group, name): (usize, &String)| {
            let numbers: Vec<usize> =
                (0..self.numbers.len()).filter(|place| self.numbers[*place].group == Some(group)).collect();
            let dimensions = numbers.iter().copied().chain([self.numbers.len() + group]).collect();
            Cause { name: name.clone(), numbers, dimensions }
        };
        let numbers = self.numbers.iter().enumerate().filter_map(of_number);
        numbers.chain(self.groups.iter().enumerate().map(of_group)).collect()
    }

    /// The value of a number at a point of the unit cube.
    #[must_use]
    pub fn value(&self, place: usize, point: &[f64]) -> f64 {
        let unknown = &self.numbers[place];
        let share = match (unknown.group, &unknown.spread.group) {
            (Some(group), Some(of)) => of.share(point[self.numbers.len() + group], point[place]),
            _ => point[place],
        };
        unknown.values.at(share)
    }

    /// Makes values of the coordinates of points: `coordinates[dimension][point]` to `[number][point]`.
    pub(super) fn map(&self, coordinates: &mut [Vec<f64>]) {
        let (own, common) = coordinates.split_at_mut(self.numbers.len());
        for (unknown, shares) in self.numbers.iter().zip(own) {
            if let (Some(group), Some(of)) = (unknown.group, &unknown.spread.group) {
                for (share, common) in shares.iter_mut().zip(&common[group]) {
                    *share = of.share(*common, *share);
                }
            }
            unknown.values.map(shares);
        }
    }

    /// Sets the values of a point in the study, and validates it.
    ///
    /// # Errors
    /// What is wrong with the study.
    pub fn move_to(&self, study: &mut dyn Subject, point: &[f64]) -> Result<(), Invalid> {
        for (place, unknown) in self.numbers.iter().enumerate() {
            set_number(study, &unknown.path, self.value(place, point));
        }
        validate(study)
    }
}

/// Whether the errors of a model contain that of a number which comes from there.
fn is_in(errors: &Spreads, source: &Provenance) -> bool {
    !errors.is_empty() && matches!(source, Provenance::Fitted { .. })
}

/// Whether a study is valid with each of two values of a number; it keeps its own value.
fn fits(study: &mut dyn Subject, path: &str, value: f64, others: [f64; 2]) -> bool {
    let fits = others.iter().all(|other| {
        set_number(study, path, *other);
        validate(study).is_ok()
    });
    set_number(study, path, value);
    fits
}

/// A copy of a study for changed numbers: without sources and distributions, which are not used.
#[must_use]
pub fn bare(study: &dyn Subject) -> Box<dyn Subject> {
    let mut study = study.to_owned();
    study.sources_mut().clear();
    study.spreads_mut().clear();
    study
}
