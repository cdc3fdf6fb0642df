//! Ranges of numbers of a study: their ends, how many values, and how these are spaced.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crossover_quantity::invalid::{Invalid, did_you_mean};
use crossover_quantity::quantity::Quantity;
use crossover_quantity::unit::Unit;
use crossover_study::along::samples;
use crossover_study::{Subject, number_at, numbers, set_number, usual_path};

use super::values::Values;

/// One number of a study, from one value to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// Path of the number.
    pub path: String,
    /// First and last value, in the unit of the number.
    pub ends: [f64; 2],
    /// How many values.
    pub points: usize,
    /// Whether the values are evenly spaced in their logarithm.
    pub is_logarithmic: bool,
}

/// Why a number cannot have these values.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RangeError {
    /// The text is no range.
    #[error("“{0}” is not of the form PATH=FROM..TO[:POINTS][:log], e.g. cluster.machines=10..1000:50:log")]
    Form(String),
    /// No number has this path.
    #[error("{path}: the study has no such number{hint}")]
    NoSuchNumber {
        /// The path.
        path: String,
        /// ", did you mean …?", or which there are.
        hint: String,
    },
    /// The number belongs to a part that the study does not have.
    #[error("{0}: the study lacks the part that this number belongs to; add the part first")]
    Absent(String),
    /// An end is no value of the number.
    #[error("{path}: {problem}")]
    Value {
        /// The path.
        path: String,
        /// What is wrong and what is allowed.
        problem: String,
    },
    /// The number of points is not allowed.
    #[error("{points} points requested; allowed: 2 … {most}", most = Unit::Count.format(*.most as f64))]
    Points {
        /// How many are requested.
        points: usize,
        /// How many are allowed.
        most: usize,
    },
    /// Zero or less has no logarithm.
    #[error("{0}: values of zero or less have no logarithm; leave out “:log” or begin above zero")]
    Logarithm(String),
}

impl Range {
    /// Reads `PATH=FROM..TO[:POINTS][:log]`; ends may have units, `5 ms..2 s`; `points` where the text has none. The numbers
    /// of the study decide where the path ends, because names may contain any of these signs.
    ///
    /// # Errors
    /// [`RangeError`] if the form, the path or a value is wrong.
    pub fn read(study: &dyn Subject, text: &str, points: usize) -> Result<Self, RangeError> {
        let form = || RangeError::Form(text.to_owned());
        let splits = || text.match_indices('=').map(|(at, _)| (text[..at].trim(), &text[at + 1..]));
        let is_number = |(path, _): &(&str, &str)| number_at(study, path).is_some();
        let (path, range) = splits().rfind(is_number).or_else(|| splits().next()).ok_or_else(form)?;
        let (quantity, _) = known(study, path)?;
        let mut parts = range.split(':');
        let (from, to) = parts.next().and_then(|ends| ends.split_once("..")).ok_or_else(form)?;
        let (mut points, mut is_logarithmic) = (points, false);
        for part in parts {
            match part.trim() {
                "log" => is_logarithmic = true,
                count => points = count.parse().map_err(|_| form())?,
            }
        }
        let ends = quantity
            .parse_range(from, to)
            .map_err(|error| RangeError::Value { path: path.to_owned(), problem: error.to_string() })?;
        let path = usual_path(study, path).unwrap_or_else(|| path.to_owned());
        Ok(Self { path, ends, points, is_logarithmic })
    }

    /// The number's values, `most` at most: whole where the number is, each once.
    ///
    /// # Errors
    /// [`RangeError`] if an end is out of the number's range, or there are too few or too many points.
    pub fn values(&self, study: &dyn Subject, most: usize) -> Result<Vec<f64>, RangeError> {
        let (quantity, _) = known(study, &self.path)?;
        self.spaced(quantity, quantity.whole, most)
    }

    /// The values that a search chooses from: as [`Self::values`], and counts are whole, because a part of a core cannot be bought. A range that
    /// begins below one keeps its parts.
    ///
    /// # Errors
    /// As [`Self::values`].
    pub(super) fn values_to_choose(&self, study: &dyn Subject, most: usize) -> Result<Vec<f64>, RangeError> {
        let (quantity, _) = known(study, &self.path)?;
        let begins_with_part = self.ends.iter().any(|end| *end > 0.0 && *end < 1.0);
        let is_whole = quantity.whole || quantity.unit == Unit::Count && !begins_with_part;
        self.spaced(quantity, is_whole, most)
    }

    fn spaced(&self, quantity: &Quantity, is_whole: bool, most: usize) -> Result<Vec<f64>, RangeError> {
        let ends = if is_whole { self.whole_ends()? } else { self.ends };
        for end in ends {
            if let Some(problem) = quantity.problem(end) {
                return Err(RangeError::Value { path: self.path.clone(), problem });
            }
        }
        if !(2..=most).contains(&self.points) {
            return Err(RangeError::Points { points: self.points, most });
        }
        if self.is_logarithmic && self.ends.iter().any(|end| *end <= 0.0) {
            return Err(RangeError::Logarithm(self.path.clone()));
        }
        let mut values = samples(ends, self.points, self.is_logarithmic);
        if is_whole {
            for value in &mut values {
                *value = value.round();
            }
        } else if let [_, between @ .., _] = &mut values[..] {
            // The ends stay exact.
            for value in between {
                *value = readable(*value);
            }
        }
        values.dedup();
        Ok(values)
    }

    /// The description of the number, and its value, unless it is absent.
    ///
    /// # Errors
    /// [`RangeError`] if the study has no such number, or not the part that it belongs to.
    pub(super) fn number(&self, study: &dyn Subject) -> Result<(&'static Quantity, Option<f64>), RangeError> {
        let number = known(study, &self.path)?;
        if !set_number(&mut *study.to_owned(), &self.path, self.ends[0]) {
            return Err(RangeError::Absent(self.path.clone()));
        }
        Ok(number)
    }

    /// The outermost whole numbers between the ends.
    fn whole_ends(&self) -> Result<[f64; 2], RangeError> {
        let [from, to] = self.ends;
        let [low, high] = [from.min(to).ceil(), from.max(to).floor()];
        if low > high {
            let problem = format!("there is no whole number from {from} to {to}");
            return Err(RangeError::Value { path: self.path.clone(), problem });
        }
        Ok(if from <= to { [low, high] } else { [high, low] })
    }
}

/// The text that [`Range::read`] reads as this range, its ends to a billionth of their values, where `points` are those of a text that has
/// none.
#[must_use]
pub fn written(range: &Range, points: usize) -> String {
    let Range { path, ends, .. } = range;
    let [from, to] = ends.map(shortest);
    let points = if range.points == points { String::new() } else { format!(":{}", range.points) };
    let log = if range.is_logarithmic { ":log" } else { "" };
    format!("{path}={from}..{to}{points}{log}")
}

/// The position of an invalid point: one number, or two.
pub trait Place {
    /// "5", or "5, 0.2".
    fn in_words(&self) -> String;
}

impl Place for f64 {
    fn in_words(&self) -> String {
        self.to_string()
    }
}

impl Place for [f64; 2] {
    fn in_words(&self) -> String {
        format!("{}, {}", self[0], self[1])
    }
}

/// Invalid values of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut<P = f64> {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub first: P,
    /// What is wrong there.
    pub problem: Invalid,
}

impl<P: Place> std::fmt::Display for LeftOut<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = match self.count {
            1 => "1 value is".to_owned(),
            count => format!("{count} values are"),
        };
        let Invalid { path, problem } = &self.problem;
        write!(f, "{count} left out; at {}: {path}: {problem}", self.first.in_words())
    }
}

impl<P> LeftOut<P> {
    /// The invalid points; an error if no point is valid.
    pub(super) fn of(values: &Values, place: impl Fn(usize) -> P) -> Result<Option<Self>, Self> {
        let Some((first, problem)) = values.refused().first_key_value() else { return Ok(None) };
        let left_out = Self { count: values.refused().len(), first: place(*first), problem: problem.clone() };
        if left_out.count == values.len() { Err(left_out) } else { Ok(Some(left_out)) }
    }
}

/// The number at a path.
fn known(study: &dyn Subject, path: &str) -> Result<(&'static Quantity, Option<f64>), RangeError> {
    number_at(study, path).ok_or_else(|| no_such_number(study, path))
}

fn no_such_number(study: &dyn Subject, path: &str) -> RangeError {
    let known: Vec<String> = numbers(study).into_iter().map(|(path, ..)| path.to_string()).collect();
    let mut hint = did_you_mean(path, &known);
    if hint.is_empty() {
        let part = path.split('.').next().unwrap_or(path);
        let beside: Vec<&str> =
            known.iter().map(String::as_str).filter(|known| known.split('.').next() == Some(part)).collect();
        let parts: BTreeSet<&str> = known.iter().filter_map(|known| known.split('.').next()).collect();
        hint = match beside.as_slice() {
            [] => format!("; numbers begin with: {}", parts.into_iter().collect::<Vec<_>>().join(", ")),
            beside => format!("; numbers of {part}: {}", beside.join(", ")),
        };
    }
    RangeError::NoSuchNumber { path: path.to_owned(), hint }
}

/// The shortest decimal within a billionth of a value: 4.32 for 4.319999999999999.
fn shortest(value: f64) -> f64 {
    let decimals = (0..=9).filter_map(|digits| format!("{value:.digits$e}").parse::<f64>().ok());
    let mut near = decimals.filter(|decimal| (decimal - value).abs() <= 1e-9 * value.abs());
    near.next().unwrap_or(value)
}

/// A value as people would write it: 0.15 for 0.15000000000000002.
fn readable(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A price of 1.08 dollars from a quarter to four times its value, as binary numbers have it.
    #[test]
    fn a_range_is_written_with_the_digits_that_people_enter() {
        let range = |ends| Range { path: "price".to_owned(), ends, points: 64, is_logarithmic: false };
        assert_eq!(written(&range([0.27, 4.319_999_999_999_999]), 64), "price=0.27..4.32");
        assert_eq!(written(&range([0.0, 250.0]), 64), "price=0..250");
        // Digits that change a value by more than a billionth stay.
        assert_eq!(written(&range([1.234_567_89, 123_456_789.0]), 64), "price=1.23456789..123456789");
        let exact = 1.234_567_890_12;
        assert!((shortest(exact) - exact).abs() <= 1e-9 * exact);
    }

    /// Cores are a count that measurements may have parts of: five from 4 to 57, each 13.25 after the last, are rounded.
    #[test]
    fn a_search_chooses_whole_counts_and_a_sweep_draws_parts() {
        let text = include_str!("../../../scenarios/placement-truth-aws-l4.ron");
        let study = crossover_scenario::read(text).expect("a valid example").study;
        let range = |ends: [f64; 2], points: usize| Range {
            path: "engines.cpu.lanes".to_owned(),
            ends,
            points,
            is_logarithmic: false,
        };
        let chosen = |ends, points| range(ends, points).values_to_choose(study.subject(), 100).expect("values");
        assert_eq!(chosen([3.59, 57.5], 5), [4.0, 17.0, 31.0, 44.0, 57.0]);
        assert_eq!(chosen([0.25, 1.0], 4), [0.25, 0.5, 0.75, 1.0], "parts of a core");
        assert_eq!(range([1.0, 3.0], 5).values(study.subject(), 100).expect("values"), [1.0, 1.5, 2.0, 2.5, 3.0]);
    }
}
