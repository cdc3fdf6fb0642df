//! How sure it is that candidates keep limits and are better, where numbers of the study are not known exactly.
//!
//! All are drawn together, sample by sample: a number that no candidate sets is off in all of them alike, and so is what every
//! candidate of an entry has. What is decided for is known: it has no spread, whatever the scenario says of it.

use std::collections::BTreeSet;

use super::{Axle, Found, Search, Searched};
use crate::scenario::Study;
use crate::spread::Spread;
use crate::study::{Watch, number_at, usual_path};
use crate::tools::paired::{dimensions, range};
use crate::tools::points::{Shard, evaluate_shard};
use crate::tools::uncertainty::{PARTS, Sampled, Sampling, UncertaintyError, begin_with};
use crate::tools::unknowns::Unknowns;
use crate::tools::values::Values;

/// Candidates of the front of which it is known.
pub const LISTED: usize = 20;
/// Samples of each candidate where nobody says how many.
pub const SAMPLES: usize = 4_096;

/// How sure what was found is.
#[derive(Debug, Clone, PartialEq)]
pub struct Sure {
    /// So many samples of each candidate.
    pub samples: usize,
    /// Numbers of the recommended candidate that are not known exactly.
    pub unknown: usize,
    /// The first [`LISTED`] of the front; if nothing keeps every limit, the nearest.
    pub listed: Vec<Surety>,
    /// The scenario as it is.
    pub present: Surety,
    /// Of what is beside the recommended candidate: in which share of the cases in which either of them keeps every limit the
    /// recommended one does, and is not worse. None: the study does not allow it.
    pub beside: Vec<Option<Sampled>>,
    /// What keeps every limit surely enough, if that was asked for.
    pub safe: Option<Safest>,
}

/// How sure a candidate is.
#[derive(Debug, Clone, PartialEq)]
pub struct Surety {
    /// In which share of all cases it keeps every limit.
    pub keeps: Sampled,
    /// What 5 and 95 % of the values of each figure do not exceed; none where it has no value.
    pub ranges: Vec<Option<[f64; 2]>>,
}

/// The best candidate that keeps every limit in a share of all cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Safest {
    /// The share that was asked for.
    pub share: f64,
    /// The candidate; none if none of those that were looked at does.
    pub found: Option<(Found, Surety)>,
    /// If there is none: the surest that was looked at.
    pub surest: Option<(Found, Surety)>,
    /// So many were looked at, the best by the goals first.
    pub looked: usize,
    /// Of so many that keep every limit as the numbers stand.
    pub of: usize,
}

/// Why nothing is known of that.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SureError {
    /// No number has a spread but those that are searched.
    #[error(
        "how sure this is is not known: no number of this study has a spread but what is searched; enter some, or say how far all \
         of them may be off, in percent"
    )]
    Nothing,
    /// A candidate cannot be sampled.
    #[error("how sure this is is not known: {0}")]
    Uncertainty(#[from] UncertaintyError),
}

/// Draws what a search found; `None` if it was called off. `share`: looks for what keeps every limit in that share of all cases,
/// too. The figures of `sampling` are those of the search. The same on any number of threads. Counts samples.
///
/// # Errors
/// [`SureError`] if nothing is unknown, or a candidate cannot be sampled.
pub fn sure(
    study: &Study,
    search: &Search,
    found: &Searched,
    sampling: &Sampling,
    share: Option<f64>,
    watch: Watch<'_>,
) -> Result<Option<Sure>, SureError> {
    let figures = found.figures.iter().map(|figure| figure.key.clone()).collect();
    let sampling = Sampling { figures, ..sampling.clone() };
    let mut draw = Draw { study, search, found, sampling: &sampling, names: Vec::new() };
    let Some(first) = found.front.first().or(found.nearest.as_ref()) else { return Err(SureError::Nothing) };
    let Some(best) = draw.of(first, watch)? else { return Ok(None) };
    let Some(present) = draw.of(&found.present, watch)? else { return Ok(None) };
    if best.unknown == 0 && present.unknown == 0 {
        return Err(SureError::Nothing);
    }
    let mut listed = vec![draw.surety(&best)];
    for candidate in found.front.iter().take(LISTED).skip(1) {
        let Some(drawn) = draw.of(candidate, watch)? else { return Ok(None) };
        listed.push(draw.surety(&drawn));
    }
    let mut beside = Vec::new();
    for neighbour in &found.neighbours {
        let Some(values) = &neighbour.values else {
            beside.push(None);
            continue;
        };
        let mut place = first.place.clone();
        place[neighbour.axis] = neighbour.place;
        let candidate = Found { place, values: values.clone(), broken: Vec::new() };
        let Some(drawn) = draw.of(&candidate, watch)? else { return Ok(None) };
        beside.push(Some(draw.wins(&best, &drawn)));
    }
    let safe = match share {
        None => None,
        Some(share) => match draw.safest(share, watch)? {
            None => return Ok(None),
            safest => safest,
        },
    };
    let (unknown, present) = (best.unknown, draw.surety(&present));
    Ok(Some(Sure { samples: best.samples(), unknown, listed, present, beside, safe }))
}

/// What is drawn, and the numbers that candidates have in common.
struct Draw<'a> {
    study: &'a Study,
    search: &'a Search,
    found: &'a Searched,
    sampling: &'a Sampling,
    /// What is not known, each by its own dimension of the points that samples are drawn from.
    names: Vec<String>,
}

/// A candidate, sample by sample.
struct Drawn {
    unknown: usize,
    /// By figure of the search; not a number where there is none.
    columns: Vec<Vec<f64>>,
    /// By sample.
    is_allowed: Vec<bool>,
}

impl Drawn {
    fn samples(&self) -> usize {
        self.is_allowed.len()
    }

    fn values(&self, sample: usize) -> Vec<Option<f64>> {
        self.columns.iter().map(|column| Some(column[sample]).filter(|value| value.is_finite())).collect()
    }
}

impl Draw<'_> {
    /// A candidate, or the scenario as it is, which has no place; `None` if it was called off.
    fn of(&mut self, candidate: &Found, watch: Watch<'_>) -> Result<Option<Drawn>, SureError> {
        let mut study = self.study.clone();
        self.found.apply(&mut study, candidate);
        let decided = self.decide(&mut study);
        let mut unknowns = self.sampling.unknowns(&study)?;
        unknowns.leave_out(&decided);
        let samples = self.sampling.samples.next_multiple_of(PARTS);
        if unknowns.is_empty() {
            let columns = candidate.values.iter().map(|value| vec![value.unwrap_or(f64::NAN); samples]).collect();
            return Ok(Some(Drawn { unknown: 0, columns, is_allowed: vec![true; samples] }));
        }
        let dimensions = self.dimensions(&study, &unknowns, candidate);
        let unknown = unknowns.numbers.len();
        let Some(begun) = begin_with(&study, self.sampling, unknowns, watch)? else { return Ok(None) };
        let begun = begun.drawn_from(dimensions);
        let Some(values) = evaluate_shard(&begun, Shard::WHOLE, watch) else { return Ok(None) };
        let column = |place: usize| {
            let figure = &self.found.figures[place].key;
            begun.wanted().iter().position(|wanted| wanted.key == *figure).map(|at| values.column(at).to_vec())
        };
        let column = |place| column(place).unwrap_or_else(|| vec![f64::NAN; samples]);
        let columns = (0..self.found.figures.len()).map(column).collect();
        Ok(Some(Drawn { unknown, columns, is_allowed: allowed(&values) }))
    }

    /// Takes what is searched to be known; what each one has of a whole is off by the same share as the whole. Gives the paths.
    fn decide(&self, study: &mut Study) -> BTreeSet<String> {
        let mut decided = BTreeSet::new();
        for axis in &self.found.axes {
            let paths: BTreeSet<&str> = match &axis.what {
                Axle::Number { .. } => std::iter::once(axis.name.as_str()).collect(),
                Axle::Choice(entries) => {
                    entries.iter().flat_map(|entry| &entry.numbers).map(|number| number.path.as_str()).collect()
                }
            };
            let paths: Vec<String> = paths.into_iter().filter_map(|path| usual_path(study.subject(), path)).collect();
            for path in paths {
                study.subject_mut().spreads_mut().remove(&path);
                if matches!(axis.what, Axle::Number { .. }) {
                    study.sources_mut().remove(&path);
                    decided.insert(path);
                }
            }
            for (path, _) in &axis.shares {
                let Some(path) = usual_path(study.subject(), path) else { continue };
                let value = |study: &Study| number_at(study.subject(), &path).and_then(|(_, value)| value);
                let (Some(whole), Some(each)) = (value(self.study), value(study)) else { continue };
                let entered = self.study.subject().spreads().get(&path).cloned();
                let by_source = || Spread::of_source(self.study.sources().get(&path)?, whole);
                if let Some(spread) = entered.or_else(by_source) {
                    study.subject_mut().spreads_mut().insert(path, spread.times(each / whole));
                }
            }
        }
        decided
    }

    /// For each number and each group that is unknown, its dimension: that of the same number in other candidates, of an entry in
    /// those with the same entry.
    fn dimensions(&mut self, study: &Study, unknowns: &Unknowns, candidate: &Found) -> Vec<usize> {
        let entry = |path: &str| {
            let of = self.found.axes.iter().zip(&candidate.place).find_map(|(axis, place)| {
                let Axle::Choice(entries) = &axis.what else { return None };
                let entry = entries.get(*place)?;
                let sets = |number: &super::Setting| usual_path(study.subject(), &number.path).as_deref() == Some(path);
                entry.numbers.iter().any(sets).then_some(entry)
            });
            of.map_or(String::new(), |entry| entry.name.clone())
        };
        let number = |place: usize| {
            let path = &unknowns.numbers[place].path;
            format!("{path} {}", entry(path))
        };
        dimensions(unknowns, number, &mut self.names)
    }

    fn keeps(&self, drawn: &Drawn, sample: usize) -> bool {
        drawn.is_allowed[sample] && self.broken(&drawn.values(sample)) == 0
    }

    /// How many limits figures break.
    fn broken(&self, values: &[Option<f64>]) -> usize {
        let place = |key: &str| self.found.figures.iter().position(|figure| figure.key == key);
        let value = |key: &str| place(key).and_then(|place| values[place]);
        self.search.limits.iter().filter(|limit| limit.excess(value(&limit.key)) > 0.0).count()
    }

    fn surety(&self, drawn: &Drawn) -> Surety {
        let range = |column: &Vec<f64>| range(column.iter().copied().filter(|value| value.is_finite()));
        Surety {
            keeps: share_of(drawn.samples(), |sample| Some(self.keeps(drawn, sample))),
            ranges: drawn.columns.iter().map(range).collect(),
        }
    }

    /// In which share of the cases that count a candidate is not beaten by another.
    fn wins(&self, one: &Drawn, other: &Drawn) -> Sampled {
        share_of(one.samples(), |sample| match [one, other].map(|drawn| self.keeps(drawn, sample)) {
            [false, false] => None,
            [true, true] => {
                let [one, other] = [one, other].map(|drawn| self.costs(&drawn.values(sample)));
                let first = one.iter().zip(&other).find(|(one, other)| !is_same(**one, **other));
                Some(first.is_none_or(|(one, other)| one < other))
            }
            [keeps, _] => Some(keeps),
        })
    }

    /// The figures of the goals, the least the best.
    fn costs(&self, values: &[Option<f64>]) -> Vec<f64> {
        let cost = |goal: &super::Goal| {
            let place = self.found.figures.iter().position(|figure| figure.key == goal.key);
            let value = place.and_then(|place| values[place]);
            value.map_or(f64::INFINITY, |value| if goal.is_least { value } else { -value })
        };
        self.search.goals.iter().map(cost).collect()
    }

    /// Looks through what keeps every limit as the numbers stand, the best first.
    fn safest(&mut self, share: f64, watch: Watch<'_>) -> Result<Option<Safest>, SureError> {
        let mut safest = Safest { share, found: None, surest: None, looked: 0, of: self.found.kept };
        for candidate in &self.found.best {
            let Some(drawn) = self.of(candidate, watch)? else { return Ok(None) };
            let surety = self.surety(&drawn);
            safest.looked += 1;
            if surety.keeps.value >= share {
                safest.found = Some((candidate.clone(), surety));
                safest.surest = None;
                break;
            }
            let is_surer = |(_, surest): &(Found, Surety)| surety.keeps.value > surest.keeps.value;
            if safest.surest.as_ref().is_none_or(is_surer) {
                safest.surest = Some((candidate.clone(), surety));
            }
        }
        Ok(Some(safest))
    }
}

/// Values that differ by less differ by rounding.
fn is_same(one: f64, other: f64) -> bool {
    const ROUNDING: f64 = 1e-12;
    one == other || (one - other).abs() <= ROUNDING * one.abs().max(other.abs())
}

fn allowed(values: &Values) -> Vec<bool> {
    (0..values.len()).map(|sample| !values.refused().contains_key(&sample)).collect()
}

/// In which share of the samples that count something is so.
fn share_of(samples: usize, is: impl Fn(usize) -> Option<bool>) -> Sampled {
    let all: Vec<Option<bool>> = (0..samples).map(is).collect();
    let share = |of: &[Option<bool>]| {
        let counted = of.iter().flatten().count();
        of.iter().flatten().filter(|is| **is).count() as f64 / counted as f64
    };
    let parts: Vec<f64> = all.chunks(samples.div_ceil(PARTS)).map(share).collect();
    Sampled::of(share(&all), &parts)
}
