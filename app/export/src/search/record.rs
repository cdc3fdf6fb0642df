//! The result of a search, for programs.

use crossover_decision::Decision;
use crossover_scenario::Scenario;
use crossover_tools::search::likelihood::{CandidateLikelihood, Likelihoods};
use crossover_tools::search::{Axis, Domain, Found, Neighbour};
use crossover_tools::selected::SelectedFigure;
use crossover_tools::{Search, Searched};
use serde::Serialize;

use super::{Decisions, NumberNames, divided, no_better_share, sentence, why};
use crate::about::{about, figure_engines};
use crate::decided::DecisionRecord;
use crate::described::unit;

/// Everything.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    study: &'static str,
    scenario: &'a str,
    /// The query that the record is about; absent without the application of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    /// The engines and machines of the figures; absent without engines and a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    figure_engines: Option<[String; 2]>,
    answer: String,
    /// What should run the query in whole engines, as it is; absent without engines and a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<DecisionRecord>,
    /// What the decision recommends instead of the recommended candidate; absent if they are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_recommendation: Option<String>,
    /// The decision with the recommended candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended_decision: Option<DecisionRecord>,
    candidates: String,
    evaluated: usize,
    exhaustive: bool,
    feasible: usize,
    strong_scaling: Option<String>,
    seed: u64,
    figures: Vec<Figure<'a>>,
    pareto_front: Vec<Candidate<'a>>,
    nearest: Option<Candidate<'a>>,
    present: Vec<Option<f64>>,
    neighbours: Vec<NeighbourRecord<'a>>,
    /// `None`: not sampled, or no number is uncertain.
    likelihood: Option<LikelihoodRecord<'a>>,
}

#[derive(Serialize)]
struct LikelihoodRecord<'a> {
    samples: usize,
    uncertain_numbers: usize,
    present: CandidateLikelihoodRecord<'a>,
    likely_feasible: Option<LikelyFeasibleRecord<'a>>,
}

/// The likelihood of a candidate.
#[derive(Serialize)]
struct CandidateLikelihoodRecord<'a> {
    feasible_share: f64,
    standard_error: f64,
    /// 5 and 95 % of each figure.
    ranges: &'a [Option<[f64; 2]>],
}

#[derive(Serialize)]
struct LikelyFeasibleRecord<'a> {
    /// As requested.
    required_share: f64,
    /// How many candidates were sampled.
    sampled: usize,
    /// Whether the candidate has the required share; else it is the likeliest one.
    is_met: bool,
    candidate: Option<Candidate<'a>>,
}

impl<'a> CandidateLikelihoodRecord<'a> {
    fn of(likelihood: &'a CandidateLikelihood) -> Self {
        Self {
            feasible_share: likelihood.feasible.value,
            standard_error: likelihood.feasible.error,
            ranges: &likelihood.ranges,
        }
    }
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'static str,
}

#[derive(Serialize)]
struct Candidate<'a> {
    settings: Vec<Setting<'a>>,
    values: &'a [Option<f64>],
    likelihood: Option<CandidateLikelihoodRecord<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Setting<'a> {
    Number { number: &'a str, value: f64 },
    Entry { list: &'a str, entry: &'a str },
}

#[derive(Serialize)]
struct NeighbourRecord<'a> {
    #[serde(flatten)]
    setting: Setting<'a>,
    /// Why it is not recommended.
    reason: String,
    /// The share of the samples in which it is no better than the recommended candidate.
    no_better_share: Option<f64>,
}

impl<'a> Setting<'a> {
    fn of(axis: &'a Axis, place: usize) -> Self {
        match &axis.what {
            Domain::Number { values, .. } => Self::Number { number: &axis.name, value: values[place] },
            Domain::Choice(entries) => Self::Entry { list: &axis.name, entry: &entries[place].name },
        }
    }
}

impl<'a> Record<'a> {
    pub(super) fn of(
        scenario: &'a Scenario,
        search: &Search,
        found: &'a Searched,
        likelihoods: Option<&'a Likelihoods>,
        decisions: &Decisions,
    ) -> Self {
        let decision = |decision: &Option<Decision>| decision.clone().map(DecisionRecord::new);
        let candidate = |of: &'a Found, likelihood: Option<&'a CandidateLikelihood>| Candidate {
            settings: found.axes.iter().zip(&of.place).map(|(axis, place)| Setting::of(axis, *place)).collect(),
            values: &of.values,
            likelihood: likelihood.map(CandidateLikelihoodRecord::of),
        };
        let listed = |(number, of): (usize, &'a Found)| {
            candidate(of, likelihoods.and_then(|likelihoods| likelihoods.listed.get(number)))
        };
        let neighbours = |(number, neighbour): (usize, &Neighbour)| NeighbourRecord {
            setting: Setting::of(&found.axes[neighbour.axis], neighbour.place),
            reason: why(search, found, neighbour),
            no_better_share: no_better_share(likelihoods, number, neighbour).map(|share| share.value),
        };
        let figure = |of: &'a SelectedFigure| Figure { key: &of.key, label: &of.label, unit: unit(of.figure.unit) };
        Self {
            study: scenario.study.kind().key(),
            scenario: &scenario.name,
            about: about(&scenario.study),
            figure_engines: figure_engines(&scenario.study),
            answer: sentence(search, found, NumberNames::Paths),
            decision: decision(&decisions.present),
            other_recommendation: decisions.other_recommendation(),
            recommended_decision: decision(&decisions.recommended),
            candidates: found.candidates.to_string(),
            evaluated: found.evaluated,
            exhaustive: found.is_exhaustive(),
            feasible: found.feasible,
            strong_scaling: divided(scenario.study.subject(), found, NumberNames::Paths),
            seed: search.seed,
            figures: found.figures.iter().map(figure).collect(),
            pareto_front: found.front.iter().enumerate().map(listed).collect(),
            nearest: found.nearest.as_ref().map(|of| listed((0, of))),
            present: found.present.values.clone(),
            neighbours: found.neighbours.iter().enumerate().map(neighbours).collect(),
            likelihood: likelihoods.map(|likelihoods| LikelihoodRecord {
                samples: likelihoods.samples,
                uncertain_numbers: likelihoods.unknown,
                present: CandidateLikelihoodRecord::of(&likelihoods.present),
                likely_feasible: likelihoods.likely_feasible.as_ref().map(|likely| LikelyFeasibleRecord {
                    required_share: likely.share,
                    sampled: likely.sampled,
                    is_met: likely.found.is_some(),
                    candidate: likely
                        .found
                        .as_ref()
                        .or(likely.likeliest.as_ref())
                        .map(|(of, likelihood)| candidate(of, Some(likelihood))),
                }),
            }),
        }
    }
}
