//! How likely candidates are feasible and better, where numbers of the study are uncertain.
//!
//! All are drawn together, sample by sample: a number that no candidate sets is off in all of them alike, and so is what every
//! candidate of an entry has. What is decided for is known: it has no spread, whatever the scenario says of it.

use std::collections::BTreeSet;

use super::aims::Aims;
use super::{Axis, Domain, Found, Search, Searched};
use crate::paired::{dimensions, is_same, range};
use crate::points::{Shard, evaluate_shard};
use crate::uncertainty::{PARTS, Sampled, Sampling, UncertaintyError, begin_with};
use crate::unknowns::{Unknown, Unknowns};
use crossover_quantity::spread::Spread;
use crossover_study::{Subject, Watch, number_at, usual_path};

pub use crate::paired::SAMPLES;

/// Candidates of the front of which it is known.
pub const LISTED: usize = 20;

/// The likelihoods of the result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Likelihoods {
    /// So many samples of each candidate.
    pub samples: usize,
    /// Uncertain numbers of the recommended candidate.
    pub unknown: usize,
    /// The first [`LISTED`] of the front; without a feasible candidate, the nearest.
    pub listed: Vec<CandidateLikelihood>,
    /// The scenario as it is.
    pub present: CandidateLikelihood,
    /// For each neighbour of the recommended candidate: the share of the samples with either of them feasible in which the
    /// recommended one is feasible and not worse. `None`: the neighbour is invalid.
    pub neighbours: Vec<Option<Sampled>>,
    /// The best candidate with the required likelihood, if one was requested.
    pub likely_feasible: Option<LikelyFeasible>,
}

/// The likelihood of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateLikelihood {
    /// The share of the samples in which it is feasible.
    pub feasible: Sampled,
    /// P5 and P95 of each figure; `None` where it has no value.
    pub ranges: Vec<Option<[f64; 2]>>,
}

/// The best candidate that is feasible with a required likelihood.
#[derive(Debug, Clone, PartialEq)]
pub struct LikelyFeasible {
    /// The required likelihood.
    pub share: f64,
    /// The candidate; `None` if no evaluated one has the required likelihood.
    pub found: Option<(Found, CandidateLikelihood)>,
    /// If there is none: the likeliest of the evaluated ones.
    pub likeliest: Option<(Found, CandidateLikelihood)>,
    /// How many were evaluated, the best by the objectives first.
    pub sampled: usize,
    /// How many are feasible at the present numbers.
    pub feasible: usize,
}

/// Why there are no likelihoods.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LikelihoodError {
    /// No number is uncertain.
    #[error(
        "no likelihood: no number of this study is uncertain; add distributions, or set an uncertainty for all numbers, in percent"
    )]
    Nothing,
    /// The uncertain numbers, by their titles, are free parameters.
    #[error(
        "no likelihood: the only uncertain numbers are free parameters, which have one value in each candidate: {}; choose other free \
         parameters, or set an uncertainty for all numbers, in percent",
        .0.join(", ")
    )]
    OnlyFree(Vec<String>),
    /// A candidate cannot be sampled.
    #[error("no likelihood: {0}")]
    Uncertainty(#[from] UncertaintyError),
}

/// Samples the result of a search; `None` if it was cancelled. `share`: also finds the best candidate that is feasible with that
/// likelihood. The figures of `sampling` are those of the search. The same on any number of threads. Counts samples.
///
/// # Errors
/// [`LikelihoodError`] if nothing is unknown, or a candidate cannot be sampled.
pub fn likelihoods(
    study: &dyn Subject,
    search: &Search,
    found: &Searched,
    sampling: &Sampling,
    share: Option<f64>,
    watch: Watch<'_>,
) -> Result<Option<Likelihoods>, LikelihoodError> {
    let figures = found.figures.iter().map(|figure| figure.key.clone()).collect();
    let sampling = Sampling { figures, ..sampling.clone() };
    let mut draw =
        Draw { study, aims: Aims::new(search, &found.figures), found, sampling: &sampling, names: Vec::new() };
    let Some(first) = found.front.first().or(found.nearest.as_ref()) else { return Err(LikelihoodError::Nothing) };
    let Some(best) = draw.of(first, watch)? else { return Ok(None) };
    let Some(present) = draw.of(&found.present, watch)? else { return Ok(None) };
    if best.unknown == 0 && present.unknown == 0 {
        let free: Vec<String> = sampling.unknowns(study)?.numbers.iter().map(Unknown::title).collect();
        return Err(if free.is_empty() { LikelihoodError::Nothing } else { LikelihoodError::OnlyFree(free) });
    }
    let mut listed = vec![best.likelihood()];
    for candidate in found.front.iter().take(LISTED).skip(1) {
        let Some(drawn) = draw.of(candidate, watch)? else { return Ok(None) };
        listed.push(drawn.likelihood());
    }
    let mut neighbours = Vec::new();
    for neighbour in &found.neighbours {
        let Some(values) = &neighbour.values else {
            neighbours.push(None);
            continue;
        };
        let mut place = first.place.clone();
        place[neighbour.axis] = neighbour.place;
        let candidate = Found { place, values: values.clone(), violated: Vec::new() };
        let Some(drawn) = draw.of(&candidate, watch)? else { return Ok(None) };
        neighbours.push(Some(draw.not_worse_share(&best, &drawn)));
    }
    let likely_feasible = match share {
        None => None,
        Some(share) => match draw.likely_feasible(share, watch)? {
            None => return Ok(None),
            found => found,
        },
    };
    let (unknown, present) = (best.unknown, present.likelihood());
    Ok(Some(Likelihoods { samples: best.samples(), unknown, listed, present, neighbours, likely_feasible }))
}

/// What is sampled, and the numbers that candidates have in common.
struct Draw<'a> {
    study: &'a dyn Subject,
    aims: Aims<'a>,
    found: &'a Searched,
    sampling: &'a Sampling,
    /// What is not known, each by its own dimension of the points.
    names: Vec<String>,
}

/// A candidate, sample by sample.
struct Drawn {
    unknown: usize,
    /// By figure of the search; not a number where there is none.
    columns: Vec<Vec<f64>>,
    /// By sample: whether the study allows it, and every constraint is met.
    is_feasible: Vec<bool>,
}

impl Drawn {
    fn samples(&self) -> usize {
        self.is_feasible.len()
    }

    fn values(&self, sample: usize) -> Vec<Option<f64>> {
        at(&self.columns, sample).collect()
    }

    fn likelihood(&self) -> CandidateLikelihood {
        let range = |column: &Vec<f64>| range(column.iter().copied().filter(|value| value.is_finite()));
        CandidateLikelihood {
            feasible: share_of(self.samples(), |sample| Some(self.is_feasible[sample])),
            ranges: self.columns.iter().map(range).collect(),
        }
    }
}

/// The figures of a sample.
fn at(columns: &[Vec<f64>], sample: usize) -> impl Iterator<Item = Option<f64>> {
    columns.iter().map(move |column| Some(column[sample]).filter(|value| value.is_finite()))
}

impl Draw<'_> {
    /// A candidate, or the scenario as it is, which has no place; `None` if it was cancelled.
    fn of(&mut self, candidate: &Found, watch: Watch<'_>) -> Result<Option<Drawn>, LikelihoodError> {
        let mut study = self.study.to_owned();
        self.found.apply(&mut *study, candidate);
        let decided = self.decide(&mut *study, candidate);
        let mut unknowns = self.sampling.unknowns(&*study)?;
        unknowns.leave_out(&decided);
        let samples = self.sampling.samples.next_multiple_of(PARTS);
        if unknowns.is_empty() {
            let columns = candidate.values.iter().map(|value| vec![value.unwrap_or(f64::NAN); samples]).collect();
            let is_feasible = vec![self.aims.are_met(&candidate.values); samples];
            return Ok(Some(Drawn { unknown: 0, columns, is_feasible }));
        }
        let dimensions = self.dimensions(&*study, &unknowns, candidate);
        let unknown = unknowns.numbers.len();
        let Some(begun) = begin_with(&*study, self.sampling, unknowns, watch)? else { return Ok(None) };
        let begun = begun.drawn_from(dimensions);
        let Some(values) = evaluate_shard(&begun, Shard::WHOLE, watch) else { return Ok(None) };
        let column = |place: usize| {
            let figure = &self.found.figures[place].key;
            begun.selected().iter().position(|selected| selected.key == *figure).map(|at| values.column(at).to_vec())
        };
        let column = |place| column(place).unwrap_or_else(|| vec![f64::NAN; samples]);
        let columns: Vec<Vec<f64>> = (0..self.found.figures.len()).map(column).collect();
        let mut figures = Vec::new();
        let is_feasible = (0..samples).map(|sample| {
            figures.clear();
            figures.extend(at(&columns, sample));
            !values.refused().contains_key(&sample) && self.aims.are_met(&figures)
        });
        let is_feasible = is_feasible.collect();
        Ok(Some(Drawn { unknown, columns, is_feasible }))
    }

    /// Takes what a candidate decides to be known, and gives the paths of its numbers; an entry has what its sources say. What each
    /// one has of a whole is off by the same share as the whole.
    fn decide(&self, study: &mut dyn Subject, candidate: &Found) -> BTreeSet<String> {
        let mut decided = BTreeSet::new();
        for (number, axis) in self.found.axes.iter().enumerate() {
            match &axis.what {
                Domain::Number { .. } => {
                    let Some(path) = usual_path(study, &axis.name) else { continue };
                    study.spreads_mut().remove(&path);
                    study.sources_mut().remove(&path);
                    decided.insert(path);
                    self.share(study, axis);
                }
                Domain::Choice(entries) => {
                    // The scenario as it is has the entry that it has, with what is said of it.
                    let entry = candidate.place.get(number).and_then(|place| entries.get(*place));
                    for setting in entry.iter().flat_map(|entry| &entry.numbers) {
                        if let Some(path) = usual_path(study, &setting.path) {
                            study.spreads_mut().remove(&path);
                        }
                    }
                }
            }
        }
        decided
    }

    /// Gives what each one has of a whole the spread of the whole.
    fn share(&self, study: &mut dyn Subject, axis: &Axis) {
        for path in axis.shares.iter().filter_map(|(path, _)| usual_path(self.study, path)) {
            let value = |study: &dyn Subject| number_at(study, &path).and_then(|(_, value)| value);
            let (Some(now), Some(then)) = (value(self.study), value(study)) else { continue };
            let entered = self.study.spreads().get(&path).cloned();
            let by_source = || Spread::of_source(self.study.sources().get(&path)?, now);
            if let Some(spread) = entered.or_else(by_source).filter(|_| now != 0.0) {
                study.spreads_mut().insert(path, spread.times(then / now));
            }
        }
    }

    /// For each number and each group that is unknown, its dimension: that of the same number in other candidates, of an entry in
    /// those with the same entry.
    fn dimensions(&mut self, study: &dyn Subject, unknowns: &Unknowns, candidate: &Found) -> Vec<usize> {
        let entry = |path: &str| {
            let of = self.found.axes.iter().zip(&candidate.place).find_map(|(axis, place)| {
                let Domain::Choice(entries) = &axis.what else { return None };
                let entry = entries.get(*place)?;
                let sets = |number: &super::Setting| usual_path(study, &number.path).as_deref() == Some(path);
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

    /// The share of the counted samples in which another candidate is not better.
    fn not_worse_share(&self, one: &Drawn, other: &Drawn) -> Sampled {
        share_of(one.samples(), |sample| match [one, other].map(|drawn| drawn.is_feasible[sample]) {
            [false, false] => None,
            [true, true] => {
                let [one, other] = [one, other].map(|drawn| self.aims.costs(&drawn.values(sample)));
                let first = one.iter().zip(&other).find(|(one, other)| !is_same(**one, **other));
                Some(first.is_none_or(|(one, other)| one < other))
            }
            [is_feasible, _] => Some(is_feasible),
        })
    }

    /// Evaluates the feasible candidates, the best first, until one has the required likelihood.
    fn likely_feasible(&mut self, share: f64, watch: Watch<'_>) -> Result<Option<LikelyFeasible>, LikelihoodError> {
        let mut best =
            LikelyFeasible { share, found: None, likeliest: None, sampled: 0, feasible: self.found.feasible };
        for candidate in &self.found.best {
            let Some(drawn) = self.of(candidate, watch)? else { return Ok(None) };
            let likelihood = drawn.likelihood();
            best.sampled += 1;
            if likelihood.feasible.value >= share {
                best.found = Some((candidate.clone(), likelihood));
                best.likeliest = None;
                break;
            }
            let is_likelier =
                |(_, likeliest): &(Found, CandidateLikelihood)| likelihood.feasible.value > likeliest.feasible.value;
            if best.likeliest.as_ref().is_none_or(is_likelier) {
                best.likeliest = Some((candidate.clone(), likelihood));
            }
        }
        Ok(Some(best))
    }
}

/// The share of the counted samples in which a condition holds.
fn share_of(samples: usize, is: impl Fn(usize) -> Option<bool>) -> Sampled {
    let all: Vec<Option<bool>> = (0..samples).map(is).collect();
    let share = |of: &[Option<bool>]| {
        let counted = of.iter().flatten().count();
        of.iter().flatten().filter(|is| **is).count() as f64 / counted as f64
    };
    let parts: Vec<f64> = all.chunks(samples.div_ceil(PARTS)).map(share).collect();
    Sampled::of(share(&all), &parts)
}
