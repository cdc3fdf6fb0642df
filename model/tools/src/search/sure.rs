//! How sure it is that candidates keep limits and are better, where numbers of the study are not known exactly.
//!
//! All are drawn together, sample by sample: a number that no candidate sets is off in all of them alike, and so is what every
//! candidate of an entry has. What is decided for is known: it has no spread, whatever the scenario says of it.

use std::collections::BTreeSet;

use super::aims::Aims;
use super::{Axis, Axle, Found, Search, Searched};
use crate::paired::{dimensions, is_same, range};
use crate::points::{Shard, evaluate_shard};
use crate::uncertainty::{PARTS, Sampled, Sampling, UncertaintyError, begin_with};
use crate::unknowns::Unknowns;
use crossover_quantity::spread::Spread;
use crossover_study::{Subject, Watch, number_at, usual_path};

pub use crate::paired::SAMPLES;

/// Candidates of the front of which it is known.
pub const LISTED: usize = 20;

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
        "no likelihood: no number of this study is uncertain, apart from free parameters; add distributions, or set an uncertainty \
         for all numbers, in percent"
    )]
    Nothing,
    /// A candidate cannot be sampled.
    #[error("no likelihood: {0}")]
    Uncertainty(#[from] UncertaintyError),
}

/// Draws what a search found; `None` if it was cancelled. `share`: looks for what keeps every limit in that share of all cases,
/// too. The figures of `sampling` are those of the search. The same on any number of threads. Counts samples.
///
/// # Errors
/// [`SureError`] if nothing is unknown, or a candidate cannot be sampled.
pub fn sure(
    study: &dyn Subject,
    search: &Search,
    found: &Searched,
    sampling: &Sampling,
    share: Option<f64>,
    watch: Watch<'_>,
) -> Result<Option<Sure>, SureError> {
    let figures = found.figures.iter().map(|figure| figure.key.clone()).collect();
    let sampling = Sampling { figures, ..sampling.clone() };
    let mut draw =
        Draw { study, aims: Aims::new(search, &found.figures), found, sampling: &sampling, names: Vec::new() };
    let Some(first) = found.front.first().or(found.nearest.as_ref()) else { return Err(SureError::Nothing) };
    let Some(best) = draw.of(first, watch)? else { return Ok(None) };
    let Some(present) = draw.of(&found.present, watch)? else { return Ok(None) };
    if best.unknown == 0 && present.unknown == 0 {
        return Err(SureError::Nothing);
    }
    let mut listed = vec![best.surety()];
    for candidate in found.front.iter().take(LISTED).skip(1) {
        let Some(drawn) = draw.of(candidate, watch)? else { return Ok(None) };
        listed.push(drawn.surety());
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
    let (unknown, present) = (best.unknown, present.surety());
    Ok(Some(Sure { samples: best.samples(), unknown, listed, present, beside, safe }))
}

/// What is drawn, and the numbers that candidates have in common.
struct Draw<'a> {
    study: &'a dyn Subject,
    aims: Aims<'a>,
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
    /// By sample: whether the study allows it, and every limit is kept.
    keeps: Vec<bool>,
}

impl Drawn {
    fn samples(&self) -> usize {
        self.keeps.len()
    }

    fn values(&self, sample: usize) -> Vec<Option<f64>> {
        at(&self.columns, sample).collect()
    }

    fn surety(&self) -> Surety {
        let range = |column: &Vec<f64>| range(column.iter().copied().filter(|value| value.is_finite()));
        Surety {
            keeps: share_of(self.samples(), |sample| Some(self.keeps[sample])),
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
    fn of(&mut self, candidate: &Found, watch: Watch<'_>) -> Result<Option<Drawn>, SureError> {
        let mut study = self.study.to_owned();
        self.found.apply(&mut *study, candidate);
        let decided = self.decide(&mut *study, candidate);
        let mut unknowns = self.sampling.unknowns(&*study)?;
        unknowns.leave_out(&decided);
        let samples = self.sampling.samples.next_multiple_of(PARTS);
        if unknowns.is_empty() {
            let columns = candidate.values.iter().map(|value| vec![value.unwrap_or(f64::NAN); samples]).collect();
            let keeps = vec![self.aims.are_kept(&candidate.values); samples];
            return Ok(Some(Drawn { unknown: 0, columns, keeps }));
        }
        let dimensions = self.dimensions(&*study, &unknowns, candidate);
        let unknown = unknowns.numbers.len();
        let Some(begun) = begin_with(&*study, self.sampling, unknowns, watch)? else { return Ok(None) };
        let begun = begun.drawn_from(dimensions);
        let Some(values) = evaluate_shard(&begun, Shard::WHOLE, watch) else { return Ok(None) };
        let column = |place: usize| {
            let figure = &self.found.figures[place].key;
            begun.wanted().iter().position(|wanted| wanted.key == *figure).map(|at| values.column(at).to_vec())
        };
        let column = |place| column(place).unwrap_or_else(|| vec![f64::NAN; samples]);
        let columns: Vec<Vec<f64>> = (0..self.found.figures.len()).map(column).collect();
        let mut figures = Vec::new();
        let keeps = (0..samples).map(|sample| {
            figures.clear();
            figures.extend(at(&columns, sample));
            !values.refused().contains_key(&sample) && self.aims.are_kept(&figures)
        });
        let keeps = keeps.collect();
        Ok(Some(Drawn { unknown, columns, keeps }))
    }

    /// Takes what a candidate decides to be known, and gives the paths of its numbers; an entry has what its sources say. What each
    /// one has of a whole is off by the same share as the whole.
    fn decide(&self, study: &mut dyn Subject, candidate: &Found) -> BTreeSet<String> {
        let mut decided = BTreeSet::new();
        for (number, axis) in self.found.axes.iter().enumerate() {
            match &axis.what {
                Axle::Number { .. } => {
                    let Some(path) = usual_path(study, &axis.name) else { continue };
                    study.spreads_mut().remove(&path);
                    study.sources_mut().remove(&path);
                    decided.insert(path);
                    self.share(study, axis);
                }
                Axle::Choice(entries) => {
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
                let Axle::Choice(entries) = &axis.what else { return None };
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

    /// In which share of the cases that count a candidate is not beaten by another.
    fn wins(&self, one: &Drawn, other: &Drawn) -> Sampled {
        share_of(one.samples(), |sample| match [one, other].map(|drawn| drawn.keeps[sample]) {
            [false, false] => None,
            [true, true] => {
                let [one, other] = [one, other].map(|drawn| self.aims.costs(&drawn.values(sample)));
                let first = one.iter().zip(&other).find(|(one, other)| !is_same(**one, **other));
                Some(first.is_none_or(|(one, other)| one < other))
            }
            [keeps, _] => Some(keeps),
        })
    }

    /// Looks through what keeps every limit as the numbers stand, the best first.
    fn safest(&mut self, share: f64, watch: Watch<'_>) -> Result<Option<Safest>, SureError> {
        let mut safest = Safest { share, found: None, surest: None, looked: 0, of: self.found.kept };
        for candidate in &self.found.best {
            let Some(drawn) = self.of(candidate, watch)? else { return Ok(None) };
            let surety = drawn.surety();
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
