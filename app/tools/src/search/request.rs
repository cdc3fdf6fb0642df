//! What the Search page computes: the search, its likelihoods, and the answer in words and tables.

use std::sync::Arc;

use crossover_export::search::{Decisions, NumberNames, candidates, neighbours, sampled_sentences, sentence};
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_page::offer::Offering;
use crossover_quantity::text::Table;
use crossover_quantity::unit::Unit;
use crossover_scenario::{Kind, Study};
use crossover_tools::batch::is_of_formulas;
use crossover_tools::search::likelihood::{self, Likelihoods, likelihoods};
use crossover_tools::search::{BUDGET, Found};
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{self as tools, Sampling, Search, Searched};

use super::entered::RequiredLikelihood;
use crate::pace::affordable;

/// About how long a search may take; of a slow study, fewer candidates are evaluated.
const PATIENCE_SECONDS: f64 = 10.0;
/// Candidates of the first round of a slow study.
const FIRST_BUDGET: usize = 32;
/// Candidates that are evaluated however long that takes.
const LEAST_BUDGET: usize = 200;

/// Why a slow study has no likelihoods here.
const TOO_SLOW: &str = "no likelihood: sampling this study takes too long here; the command below has --samples for it";

/// A search of a study.
#[derive(Debug, Clone)]
pub(super) struct SearchRequest {
    pub(super) study: Study,
    pub(super) search: Search,
    pub(super) required: RequiredLikelihood,
    /// How a candidate is applied to a study of a kind.
    pub(super) offering: fn(Kind) -> &'static dyn Offering,
}

/// The result of a search.
#[derive(Debug)]
pub(super) struct Answer {
    study: Study,
    pub(super) search: Search,
    pub(super) found: Arc<Searched>,
    /// The candidate with the required likelihood, where it is not the recommended one.
    pub(super) likely_feasible: Option<Found>,
    /// The answer with its likelihood.
    pub(super) sentences: Vec<String>,
    /// Why there is no likelihood.
    pub(super) no_likelihood: Option<String>,
    /// Samples with which the command line has the likelihoods; `None` if this page has them, or if it has no uncertain numbers.
    pub(super) samples: Option<usize>,
    /// Of the first candidates of the front: the 90 % interval of each figure.
    pub(super) ranges: Vec<Vec<Option<[f64; 2]>>>,
    /// Whether a round with more candidates and with likelihoods follows.
    is_first_round: bool,
    pub(super) candidates: Table,
    /// What should run the query, as it is and with the recommended candidate; without rows if there is no decision.
    pub(super) decisions: Table,
    pub(super) neighbours: Table,
}

impl Answer {
    fn new(
        study: &Study,
        search: Search,
        found: Arc<Searched>,
        likelihoods: Result<Likelihoods, String>,
        offering: &dyn Offering,
    ) -> Self {
        let (likelihoods, no_likelihood) =
            likelihoods.map_or_else(|problem| (None, Some(problem)), |likelihoods| (Some(likelihoods), None));
        let likelihoods = likelihoods.as_ref();
        let likely_feasible =
            likelihoods.and_then(|likelihoods| likelihoods.likely_feasible.as_ref()?.found.as_ref()).map(|(of, _)| of);
        let likely_feasible =
            likely_feasible.filter(|of| found.recommended().is_none_or(|best| best.place != of.place)).cloned();
        let decisions = Decisions::of(study, &found, |study, best| offering.take(study, &found, best));
        let names = NumberNames::Labels;
        let sentences = std::iter::once(sentence(&search, &found, names)).chain(decisions.sentences());
        let sentences = sentences.chain(sampled_sentences(study, &search, &found, likelihoods, names));
        Self {
            study: study.clone(),
            likely_feasible,
            sentences: sentences.collect(),
            no_likelihood,
            samples: None,
            ranges: likelihoods.map_or_else(Vec::new, |of| of.listed.iter().map(|of| of.ranges.clone()).collect()),
            is_first_round: false,
            candidates: candidates(&search, &found, likelihoods, names),
            decisions: decisions.table(),
            neighbours: neighbours(&search, &found, likelihoods, names),
            search,
            found,
        }
    }
}

impl Work for SearchRequest {
    type Outcome = Result<Answer, String>;
    const NAME: &'static str = "search";
    const AGAIN: &'static str = "Search";

    fn milliseconds(&self) -> f64 {
        // How long a study takes is not known in advance.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        format!("Evaluating at most {} candidates", Unit::Count.format(BUDGET as f64))
    }

    fn is_refinable(&self, outcome: &Self::Outcome) -> bool {
        outcome.as_ref().is_ok_and(|answer| answer.is_first_round)
    }

    fn compute(&self, before: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let before = before.and_then(|before| before.as_ref().ok()).filter(|before| self.is_of(before));
        let is_soon_done = before.is_some() || is_of_formulas(self.study.subject());
        if is_soon_done { self.whole(before, ticket) } else { self.first_round(ticket) }
    }
}

impl SearchRequest {
    /// Whether an answer is of this search, whatever its likelihoods.
    fn is_of(&self, answer: &Answer) -> bool {
        let requested = Search { budget: answer.search.budget, ..self.search.clone() };
        answer.search == requested && answer.study == self.study
    }

    /// Few candidates, without likelihoods: a first answer within seconds.
    fn first_round(&self, ticket: &Ticket) -> Option<Result<Answer, String>> {
        let search = Search { budget: FIRST_BUDGET, ..self.search.clone() };
        let found =
            watched(ticket, search.budget, |watch| tools::search(self.study.subject(), &search, watch).transpose())?;
        // So few candidates may all be invalid.
        let Ok(found) = found else { return self.whole(None, ticket) };
        let offering = (self.offering)(self.study.kind());
        let no_likelihood = Err("first candidates only, without likelihoods".to_owned());
        let answer = Answer::new(&self.study, search, Arc::new(found), no_likelihood, offering);
        Some(Ok(Answer { is_first_round: true, ..answer }))
    }

    /// All candidates and likelihoods that are affordable; `None` if it was cancelled.
    fn whole(&self, before: Option<&Answer>, ticket: &Ticket) -> Option<Result<Answer, String>> {
        let affordable = watched(ticket, 1, |watch| affordable(&self.study, PATIENCE_SECONDS, watch))?;
        // The required likelihood does not change what is found.
        let known = before.filter(|before| !before.is_first_round || before.found.is_exhaustive());
        let found = if let Some(known) = known {
            Ok((known.search.clone(), Arc::clone(&known.found)))
        } else {
            let requested = Search { budget: affordable.clamp(LEAST_BUDGET, BUDGET), ..self.search.clone() };
            watched(ticket, requested.budget, |watch| match tools::search(self.study.subject(), &requested, watch) {
                Ok(found) => Some(Ok((requested.clone(), Arc::new(found?)))),
                Err(error) => Some(Err(error.to_string())),
            })?
        };
        match found {
            Ok((search, found)) => {
                let likelihoods = self.likelihoods(&search, &found, affordable, ticket)?;
                let offering = (self.offering)(self.study.kind());
                // The command line takes as long as it needs.
                let is_too_slow = likelihoods.as_ref().is_err_and(|problem| problem == TOO_SLOW);
                let samples = is_too_slow.then_some(LEAST_SAMPLES);
                Some(Ok(Answer { samples, ..Answer::new(&self.study, search, found, likelihoods, offering) }))
            }
            Err(problem) => Some(Err(problem)),
        }
    }

    /// The likelihoods of a result, from as many samples as are affordable; `None` if it was cancelled.
    fn likelihoods(
        &self,
        search: &Search,
        found: &Searched,
        affordable: usize,
        ticket: &Ticket,
    ) -> Option<Result<Likelihoods, String>> {
        let walked = if self.required.share.is_some() { found.best.len() } else { 0 };
        let candidates = found.front.len().min(likelihood::LISTED) + found.neighbours.len() + walked + 2;
        let samples = if is_of_formulas(self.study.subject()) { likelihood::SAMPLES } else { affordable / candidates };
        if samples < LEAST_SAMPLES {
            return Some(Err(TOO_SLOW.to_owned()));
        }
        let sampling = Sampling {
            samples: samples.min(likelihood::SAMPLES),
            seed: search.seed,
            spread_all: self.required.spread_all,
            ..Sampling::default()
        };
        watched(ticket, sampling.samples * candidates, |watch| {
            match likelihoods(self.study.subject(), search, found, &sampling, self.required.share, watch) {
                Ok(likelihoods) => Some(Ok(likelihoods?)),
                Err(error) => Some(Err(error.to_string())),
            }
        })
    }
}
