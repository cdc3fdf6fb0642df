//! What an application is predicted to take, as the sum of its queries, and what keeps it where it is.

use std::collections::{BTreeMap, BTreeSet};

use crossover_decision::{Candidate, Objective, PredictedTime};
use crossover_plan::options::{EngineOption, Unmeasured, baseline};

use super::LogContext;
use crate::application::{Parts, Predicted, Query, State, Summary};
use crate::blocker::Blocker;
use crate::choice::{self, why_not_of};
use crate::spread::Sum;

/// Why an application cannot be judged that runs mostly outside of its predicted queries.
const OUTSIDE: &str = "half of its time or more is outside of queries with a prediction";

/// Sums the queries into their application.
pub(super) fn sum_up(summary: &mut Summary, queries: &[Query], of_log: &LogContext<'_>) {
    let of_state = |state: State| queries.iter().filter(|query| query.state == state).count() as u64;
    summary.queries = queries.len() as u64;
    summary.distinct_queries = queries.iter().map(|query| &query.repetition).collect::<BTreeSet<_>>().len() as u64;
    summary.failed_queries = of_state(State::Failed);
    summary.sql_seconds = queries.iter().map(|query| query.share_seconds).sum();
    summary.staying_seconds = summary.startup_seconds + summary.gap_seconds;
    let (mut moved, mut parts) = (Sum::default(), Parts::default());
    let outside: Vec<Option<&str>> = (0..of_log.options.len()).map(|place| longest_outside(queries, place)).collect();
    // An application with a query outside what was measured of an option has no time there.
    let mut moved_to: Vec<Option<Sum>> = outside.iter().map(|why| why.is_none().then(Sum::default)).collect();
    let mut classes: BTreeSet<&str> = BTreeSet::new();
    for query in queries {
        let Some(seconds) = query.seconds.filter(|_| query.has_prediction()) else {
            summary.staying_seconds += query.share_seconds;
            continue;
        };
        summary.predicted_queries += 1;
        // A query that ran beside others saves the same fraction of its share.
        let share = query.share_seconds / seconds;
        if let Some(Predicted { gpu, parts: of_query, .. }) = &query.predicted {
            moved.add(&query.repetition, gpu.value * share, gpu.high / gpu.value);
            parts = parts.plus(&of_query.times(share));
        }
        for (sum, time) in moved_to.iter_mut().zip(&query.options) {
            // An option without a time for one query has none for the application.
            match (sum.as_mut(), time) {
                (Some(sum), Some(time)) => sum.add(&query.repetition, time.value * share, time.high / time.value),
                _ => *sum = None,
            }
        }
        classes
            .extend(query.classes.iter().filter(|class| class.unsupported.is_some()).map(|class| class.class.as_str()));
    }
    summary.unsupported = classes.into_iter().map(str::to_owned).collect();
    if let Some(seconds) = summary.seconds.filter(|_| summary.predicted_queries > 0) {
        let time = |sum: &Option<Sum>| sum.as_ref().map(|sum| sum.time(summary.staying_seconds));
        // No measurement covers what the rest of the time would take elsewhere.
        let blocked_by = (summary.staying_seconds >= seconds / 2.0).then(|| OUTSIDE.to_owned());
        let mut predicted = queries.iter().filter(|query| query.predicted.is_some());
        let is_additive = predicted.all(|query| query.is_additive);
        // The evidence of an application of one query is the query's.
        let mut timed = queries.iter().filter(|query| query.seconds.is_some() && query.has_prediction());
        let only = timed.next().filter(|_| timed.next().is_none());
        let candidate = |place: usize, option: &EngineOption| {
            let blocked_by = blocked_by.clone().or_else(|| outside[place].map(str::to_owned));
            let candidate = Candidate { blocked_by, ..option.candidate(time(&moved_to[place])) };
            let mut candidate = if is_additive { option.with_sum(candidate) } else { candidate };
            if let Some(of_time) = only.and_then(|query| query.evidence.get(place)?.as_ref()) {
                of_time.add_to(&mut candidate.evidence);
            }
            candidate
        };
        let candidates = of_log.options.iter().enumerate().map(|(place, option)| candidate(place, option));
        let unmeasured = of_log.base.alternatives().unmeasured.iter().map(Unmeasured::candidate);
        summary.candidates = candidates.chain(unmeasured).collect();
        let today = PredictedTime::measured(seconds);
        let price = of_log.price_today();
        summary.baseline = Some(baseline(&of_log.engines, price.as_ref(), today, true, &mut summary.candidates));
    }
    let is_outside = queries.iter().any(Query::is_outside);
    let is_predicted = queries.iter().any(|query| query.has_prediction() && query.share_seconds > 0.0);
    if is_predicted && !is_outside {
        summary.option_time = Some(moved.range(summary.staying_seconds));
    }
    // All options have the same queries.
    let any = if is_outside { moved_to.iter().flatten().next().cloned() } else { Some(moved) };
    summary.standard_deviations = any.map(Sum::standard_deviations).unwrap_or_default();
    let deviations = |sum: Option<Sum>| {
        let of_queries = sum.map(Sum::standard_deviations).unwrap_or_default();
        of_queries.into_iter().map(|(_, deviation)| deviation).collect::<Vec<f64>>()
    };
    summary.candidate_deviations = moved_to.into_iter().map(deviations).collect();
    summary.base_place = of_log.options.iter().position(|option| option.engines().gpu == of_log.engines.gpu);
    if is_predicted {
        choice::choose(summary, Objective::default());
    }
    // Without a prediction, too, a run costs something; what the log does not say of its machines is not assumed.
    if summary.today_usd.is_none() && summary.machines.is_some() && !of_log.on_gpu {
        summary.today_usd = summary.seconds.and_then(|seconds| of_log.engines.cpu.usd(seconds));
    }
    summary.parts = if is_outside { Parts::default() } else { parts };
    summary.blocked_by = blockers(summary, queries, of_log.no_end);
}

/// Why the longest query that is outside what was measured of the option at this place is outside; `None` without such a query.
fn longest_outside(queries: &[Query], place: usize) -> Option<&str> {
    let outside = queries.iter().filter_map(|query| Some((query.share_seconds, query.outside_of(place)?)));
    outside.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, why)| why)
}

/// The blockers of an application, the most important first.
fn blockers(summary: &Summary, queries: &[Query], no_end: Blocker) -> Vec<Blocker> {
    let mut found = Vec::new();
    if !summary.ended {
        found.push(no_end);
    }
    if queries.is_empty() {
        found.push(Blocker::NoSql);
        return found;
    }
    // Whatever the other blockers, its time today is a GPU time.
    found.extend(queries.iter().filter_map(|query| query.blocked_by).find(|why| *why == Blocker::OnGpu));
    // Sorted by time.
    let mut reasons: BTreeMap<Blocker, f64> = BTreeMap::new();
    for query in queries.iter().filter(|query| !query.has_prediction()) {
        *reasons.entry(query.blocked_by.unwrap_or(Blocker::NoPlan)).or_default() += query.share_seconds;
    }
    let without: f64 = reasons.values().sum();
    let most = reasons.into_iter().reduce(|most, next| if next.1 > most.1 { next } else { most });
    if let Some((why, _)) = most
        && (summary.predicted_queries == 0 || without >= summary.sql_seconds / 2.0)
    {
        found.push(why);
    }
    // Applications that move have this blocker, too; for others it comes first, because nothing about them can be judged.
    let outside = summary.startup_seconds + summary.gap_seconds;
    let is_outside = summary.seconds.is_some_and(|seconds| seconds > 0.0 && outside >= seconds / 2.0);
    if is_outside {
        found.push(Blocker::OutsideSql);
    }
    let is_outside_measured = queries.iter().any(Query::is_outside);
    if is_outside_measured {
        found.push(Blocker::OutsideMeasured);
    }
    if summary.predicted_queries > 0 {
        let why = why_not_of(summary);
        found.extend(why.filter(|why| !is_outside_measured || *why != Blocker::NoErrorFactor));
    }
    let mut seen = BTreeSet::new();
    found.retain(|why| seen.insert(*why));
    found
}
