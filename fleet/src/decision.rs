//! The decision about an application, and about each of its queries: their options are those of the application.

use crossover_decision::{Baseline, Candidate, Decision, Objective, PredictedTime, decide, judge};

use crate::application::{Application, Query, QueryOption, Summary};
use crate::choice::{range, tie, titles};

impl Application {
    /// The decision about one of its queries: the options are those of the application. `None` if the query has no prediction.
    #[must_use]
    pub fn decision_of(&self, query: &Query, objective: Objective) -> Option<Decision> {
        let (baseline, candidates) = self.workload_of(query)?;
        Some(decide(baseline, candidates, objective))
    }

    /// The same without the comparisons of its options with each other, which lists of queries do not show, but for near ties: what is
    /// recommended depends on no form of a report.
    #[must_use]
    pub fn judged_of(&self, query: &Query, objective: Objective) -> Option<Decision> {
        let (baseline, candidates) = self.workload_of(query)?;
        Some(judge(baseline, candidates, objective).with_near_ties())
    }

    /// Judges its queries in order, each alone by this objective, and passes each decision to a function; queries without a prediction have
    /// none. Neither the budget nor the effort is divided: the budget limits a run of the query, and a query that moves alone needs the
    /// whole effort. The candidates are copied once: a decision returns them.
    pub(crate) fn judge_queries(&mut self, objective: Objective, mut on_decision: impl FnMut(&mut Query, &Decision)) {
        let Self { summary, queries } = self;
        let Some(today) = &summary.baseline else { return };
        let mut candidates = summary.candidates.clone();
        for query in queries {
            let Some(seconds) = query.seconds.filter(|_| query.has_prediction()) else { continue };
            for (place, (candidate, of_application)) in candidates.iter_mut().zip(&summary.candidates).enumerate() {
                set_time(candidate, of_application, (&*query, place));
            }
            let baseline = Baseline { time: PredictedTime::measured(seconds), runs: query.runs, ..today.clone() };
            let decision = judge(baseline, std::mem::take(&mut candidates), objective).with_near_ties();
            // Its likelihood and its cost on the GPU cluster of the base are those of the decision, which knows of several runs.
            let on_cluster = summary.base_place.and_then(|place| decision.options.get(place));
            if let Some((predicted, option)) = query.predicted.as_mut().zip(on_cluster) {
                predicted.likelihood = option.faster.or(predicted.likelihood);
                query.usd = decision.today_usd().zip(option.usd).map(|(today, there)| [today.value, there.value]);
            }
            query.option = option_of(&decision, summary.base_place);
            on_decision(query, &decision);
            candidates = decision.options.into_iter().map(|option| option.candidate).collect();
        }
    }

    fn workload_of(&self, query: &Query) -> Option<(Baseline, Vec<Candidate>)> {
        let seconds = query.seconds.filter(|_| query.has_prediction())?;
        let today = self.summary.baseline.clone()?;
        let baseline = Baseline { time: PredictedTime::measured(seconds), runs: query.runs, ..today };
        let candidates = self.summary.candidates.iter().enumerate().map(|(place, of_application)| {
            let mut candidate = of_application.clone();
            set_time(&mut candidate, of_application, (query, place));
            candidate
        });
        let candidates =
            candidates.zip(query.evidence.iter().chain(std::iter::repeat(&None))).map(|(mut candidate, of_time)| {
                if let Some(of_time) = of_time {
                    of_time.add_to(&mut candidate.evidence);
                }
                candidate
            });
        Some((baseline, candidates.collect()))
    }
}

/// The option that is shown beside a verdict on a query; if the decision shows none, the one at this place.
fn option_of(decision: &Decision, base_place: Option<usize>) -> Option<QueryOption> {
    let place = decision.shown_place().or(base_place)?;
    let option = decision.options.get(place)?;
    let time = option.candidate.time?;
    let [title, short_title] = titles(decision, &option.candidate);
    Some(QueryOption {
        title,
        short_title,
        tie: tie(decision),
        time: range(&time),
        faster: option.faster,
        likelihood: option.better,
    })
}

/// Makes a candidate of an application, at this place, one of its query, with the query's time.
fn set_time(candidate: &mut Candidate, of_application: &Candidate, (query, place): (&Query, usize)) {
    let time = query.options.get(place).copied().flatten();
    candidate.time = time.map(|time| PredictedTime::within(time.value, time.high / time.value));
    candidate.deviation_of_ratio = candidate.time.and_then(|time| time.deviation);
    // What keeps the application from being judged is not about its query; what was never measured is.
    let was_never_measured = time.is_none() && of_application.time.is_none();
    let of_application = || of_application.blocked_by.clone().filter(|_| was_never_measured);
    candidate.blocked_by = query.outside_of(place).map(str::to_owned).or_else(of_application);
}

impl Summary {
    /// The verdict by this objective, with all recommended options.
    pub(crate) fn judged(&self, objective: Objective) -> Option<Decision> {
        Some(judge(self.baseline.clone()?, self.candidates.clone(), objective).with_near_ties())
    }

    /// The decision about the application; `None` if none of its queries has a prediction.
    #[must_use]
    pub fn decision(&self, objective: Objective) -> Option<Decision> {
        Some(decide(self.baseline.clone()?, self.candidates.clone(), objective))
    }
}
