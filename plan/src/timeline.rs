//! The time of an application, divided among its queries, its start-up and its gaps.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crossover_query::Application;

use crate::import::{Query, Run};

/// When a query ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    /// From and to, milliseconds since 1970; `None` if the log has no times.
    ms: Option<(u64, u64)>,
    /// The query that started it, by place.
    within: Option<usize>,
}

/// How the time of an application is divided.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// From start to end, seconds.
    pub seconds: Option<f64>,
    /// Share of each query, seconds.
    pub shares: Vec<f64>,
    /// Start-up time before the first query, seconds; all of it without a query.
    pub startup_seconds: f64,
    /// Gaps after that without a query, seconds.
    pub gap_seconds: f64,
    /// Part of both in which a job without a query ran, seconds.
    pub other_job_seconds: f64,
}

impl Timeline {
    /// Of queries without start times: one after the other, without gaps.
    fn one_by_one(seconds: impl Iterator<Item = Option<f64>>) -> Self {
        let shares: Vec<f64> = seconds.map(|seconds| seconds.unwrap_or(0.0)).collect();
        let all: f64 = shares.iter().sum();
        Self { seconds: (all > 0.0).then_some(all), shares, ..Self::default() }
    }
}

/// Divides the time of an application from its start to its end among its queries. Where several run at once, each has an
/// equal share; a query that started others has the time in which none of them runs. Without start times, queries run one after
/// the other.
#[must_use]
pub fn timeline(run: &Run, queries: &[Query]) -> Timeline {
    let has_clock = run.start_ms.is_some() || queries.iter().any(|query| query.start_ms.is_some());
    if has_clock {
        divide(run.start_ms.zip(run.end_ms), &spans(queries), &run.other_jobs_ms)
    } else {
        Timeline::one_by_one(queries.iter().map(|query| query.duration_seconds))
    }
}

/// A query's share of the time of its application from start to end, seconds of both; `None` if that time is not known.
#[must_use]
pub fn share_of_application(seconds: f64, application: Option<f64>) -> Option<f64> {
    application.filter(|all| *all > 0.0).map(|all| seconds / all)
}

/// A query's share, by its id, of the time of its application from start to end; `None` if either time is not known.
#[must_use]
pub fn share_of_query(application: &Application, id: &str) -> Option<f64> {
    let place = application.queries.iter().position(|query| query.id == id)?;
    let Timeline { seconds, shares, .. } = timeline(&application.run, &application.queries);
    // A query without an end has no time.
    application.queries[place].duration_seconds.and(share_of_application(shares[place], seconds))
}

/// Times of the queries, and the query that started each.
fn spans(queries: &[Query]) -> Vec<Span> {
    let places: BTreeMap<&str, usize> =
        queries.iter().enumerate().map(|(place, query)| (query.id.as_str(), place)).collect();
    let span = |query: &Query| {
        let lasted = |start: u64| {
            let duration = Duration::try_from_secs_f64(query.duration_seconds?).ok()?;
            Some((start, start.checked_add(u64::try_from(duration.as_millis()).ok()?)?))
        };
        let ms = query.start_ms.and_then(lasted);
        Span { ms, within: query.within.as_deref().and_then(|id| places.get(id).copied()) }
    };
    queries.iter().map(span).collect()
}

/// `jobs`: times of jobs that belong to no query.
fn divide(ms: Option<(u64, u64)>, queries: &[Span], jobs: &[(u64, u64)]) -> Timeline {
    let mut shares = vec![0.0; queries.len()];
    let known = queries.iter().filter_map(|query| query.ms);
    // A log without its beginning starts with its first query.
    let around = known.clone().reduce(|(from, to), (start, end)| (from.min(start), to.max(end)));
    let Some((from, to)) = ms.filter(|(from, to)| from <= to).or(around) else {
        return Timeline { shares, ..Timeline::default() };
    };
    // By time: queries that begin and queries that end.
    let mut times: BTreeMap<u64, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (place, query) in queries.iter().enumerate() {
        let Some((start, end)) = query.ms else { continue };
        let (start, end) = (start.clamp(from, to), end.clamp(from, to));
        if start < end {
            times.entry(start).or_default().0.push(place);
            times.entry(end).or_default().1.push(place);
        }
    }
    let first = times.keys().next().copied().unwrap_or(to);
    let mut running: BTreeSet<usize> = BTreeSet::new();
    // How many of the queries that each one started run.
    let mut started: BTreeMap<usize, usize> = BTreeMap::new();
    let mut with_queries: Vec<(u64, u64)> = Vec::new();
    let mut before = from;
    for (time, (begin, end)) in times {
        if !running.is_empty() && time > before {
            let own: Vec<usize> = running.iter().copied().filter(|place| !started.contains_key(place)).collect();
            // Queries that started each other in a circle, which no engine writes, share as well.
            let own = if own.is_empty() { running.iter().copied().collect() } else { own };
            for place in &own {
                shares[*place] += (time - before) as f64 / 1e3 / own.len() as f64;
            }
            with_queries.push((before, time));
        }
        before = time;
        for place in begin {
            running.insert(place);
            if let Some(by) = queries[place].within {
                *started.entry(by).or_default() += 1;
            }
        }
        for place in end {
            running.remove(&place);
            if let Some(by) = queries[place].within
                && let Some(count) = started.get_mut(&by)
            {
                *count -= 1;
                if *count == 0 {
                    started.remove(&by);
                }
            }
        }
    }
    let with: u64 = with_queries.iter().map(|(start, end)| end - start).sum();
    let jobs = jobs.iter().map(|(start, end)| ((*start).clamp(from, to), (*end).clamp(from, to)));
    let startup = first - from;
    Timeline {
        seconds: Some((to - from) as f64 / 1e3),
        shares,
        startup_seconds: startup as f64 / 1e3,
        gap_seconds: ((to - from) - with - startup) as f64 / 1e3,
        other_job_seconds: jobs.map(|job| outside(job, &with_queries)).sum::<u64>() as f64 / 1e3,
    }
}

/// How long a time lasts outside others, which are in order.
fn outside((start, end): (u64, u64), others: &[(u64, u64)]) -> u64 {
    let at = others.partition_point(|(_, to)| *to <= start);
    let common = others[at..].iter().take_while(|(from, _)| *from < end);
    let common: u64 = common.map(|(from, to)| (*to).min(end) - (*from).max(start)).sum();
    end.saturating_sub(start) - common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, end: u64) -> Span {
        Span { ms: Some((start, end)), within: None }
    }

    #[test]
    fn queries_at_once_share_their_time_and_the_rest_is_start_and_gaps() {
        // 0 … 10 s: two queries at 2 … 6 and 4 … 8, so 2 s alone, 2 s shared, 2 s alone.
        let jobs = [(0, 1_000), (7_000, 9_000)];
        let found = divide(Some((0, 10_000)), &[span(2_000, 6_000), span(4_000, 8_000)], &jobs);
        assert_eq!(found.shares, [3.0, 3.0]);
        assert_eq!((found.seconds, found.startup_seconds, found.gap_seconds), (Some(10.0), 2.0, 2.0));
        // One second before the first query, and the last of the second job.
        assert_eq!(found.other_job_seconds, 2.0);
    }

    #[test]
    fn the_time_of_a_query_that_another_started_is_its_own() {
        let inner = Span { within: Some(0), ..span(2_000, 9_000) };
        let found = divide(Some((0, 10_000)), &[span(0, 10_000), inner], &[]);
        assert_eq!(found.shares, [3.0, 7.0]);
        assert_eq!((found.startup_seconds, found.gap_seconds), (0.0, 0.0));
    }

    #[test]
    fn clocks_that_differ_and_ends_that_are_missing_cost_no_time() {
        let queries = [span(5_000, 4_000), Span { ms: None, within: None }, span(9_000, 20_000)];
        let found = divide(Some((0, 10_000)), &queries, &[(30_000, 40_000)]);
        assert_eq!(found.shares, [0.0, 0.0, 1.0]);
        assert_eq!((found.startup_seconds, found.gap_seconds, found.other_job_seconds), (9.0, 0.0, 0.0));
        let without = divide(None, &queries[2..], &[]);
        assert_eq!(without.seconds, Some(11.0));
        assert_eq!(divide(None, &queries[1..2], &[]).seconds, None);
    }

    #[test]
    fn queries_without_start_times_run_one_after_the_other() {
        let query = |seconds| Query { duration_seconds: seconds, ..Query::default() };
        let found = timeline(&Run::default(), &[query(Some(30.0)), query(None), query(Some(10.0))]);
        assert_eq!((found.seconds, found.shares), (Some(40.0), vec![30.0, 0.0, 10.0]));
        assert_eq!(share_of_application(30.0, Some(40.0)), Some(0.75));
        for unknown in [None, Some(0.0)] {
            assert_eq!(share_of_application(30.0, unknown), None);
        }
    }

    #[test]
    fn a_query_has_its_own_time_as_its_share_of_the_application() {
        // Of 10 s of an application, query 2 has 4 s, of which query 3, which it started, has 3 s.
        let query = |id: &str, start_ms, duration_seconds, within: Option<&str>| Query {
            id: id.to_owned(),
            start_ms: Some(start_ms),
            duration_seconds,
            within: within.map(str::to_owned),
            ..Query::default()
        };
        let queries = vec![
            query("2", 2_000, Some(4.0), None),
            query("3", 3_000, Some(3.0), Some("2")),
            query("4", 8_000, None, None),
        ];
        let run = Run { start_ms: Some(0), end_ms: Some(10_000), ..Run::default() };
        let application = Application { queries, run, ..Application::default() };
        let shares = ["2", "3", "4", "5"].map(|id| share_of_query(&application, id));
        assert_eq!(shares, [Some(0.1), Some(0.3), None, None]);
    }
}
