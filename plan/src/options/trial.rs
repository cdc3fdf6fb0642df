//! The log of a trial: the option that it ran, and its queries beside those of the log that was decided about.

use crossover_decision::Decision;
use crossover_quantity::text::counted;
use crossover_query::{NativeEngine, Plan};
use thiserror::Error;

use crate::import::{Import, Query};
use crate::pairing::{Pair, pair, run_seconds};
use crate::shape::{digest, may_read_the_same};

/// Why the log of a trial cannot be compared with a prediction.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TrialError {
    /// Nothing is predicted that could be compared.
    #[error("the scenario has no option with a predicted time; choose measured engines first")]
    NoPrediction,
    /// It is of another program.
    #[error("it is not an event log of Spark; choose the log of a run of the same query with one of the options")]
    OtherFormat,
    /// It has other queries.
    #[error(
        "no query in it has the same plan, or the same description and tables; choose the log of a run of the same query"
    )]
    NoQuery,
    /// The query has no time.
    #[error("the query failed in it or has no end; choose a complete run")]
    NoTime,
    /// Several queries could be the one.
    #[error(
        "several queries in it ({0}) have the same plan, or the same description and tables; choose a log with one of them"
    )]
    Several(usize),
    /// No option is of its engine.
    #[error("{engine} ran it; expected the log of a run with {expected}")]
    OtherEngine {
        /// Its engine.
        engine: &'static str,
        /// What a trial runs.
        expected: String,
    },
    /// No option has its number of machines.
    #[error("{engine} ran it on {ran}; expected {expected}")]
    OtherMachines {
        /// Its engine.
        engine: &'static str,
        /// Its machines: "3 machines".
        ran: String,
        /// Options with this engine.
        expected: String,
    },
}

/// A query of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialQuery {
    /// Index of the query in the file that was decided about.
    pub place: usize,
    /// Id of the query in the trial's file.
    pub id: String,
    /// Its time in the trial, seconds.
    pub seconds: f64,
}

/// Queries of a trial that are also in the file that was decided about, as [`pair`] finds them. Queries that failed or did not
/// end are left out.
#[must_use]
pub fn trial_queries(own: &Import, trial: &Import) -> Vec<TrialQuery> {
    let [own, other]: [Vec<&Query>; 2] = [own, trial].map(|import| import.queries.iter().collect());
    let timed = |pair: Pair| {
        let query = other[pair.other];
        Some(TrialQuery { place: pair.own, id: query.id.clone(), seconds: run_seconds(query)? })
    };
    pair(&own, &other).pairs.into_iter().filter_map(timed).collect()
}

/// The run of a plan's query in a trial, and its time in seconds: the query with the same logical shape and description, or else the
/// same shape, or else the same description and the same tables where both name them, as [`pair`] finds them. Of several, it is the
/// one with the same id, because a run of the same program has the same ids.
///
/// # Errors
/// The trial has no such query with a time, or several.
pub fn run_of<'a>(plan: &Plan, trial: &'a Import) -> Result<(&'a Query, f64), TrialError> {
    let own = digest(plan);
    let is_described = |query: &&Query| query.description == plan.description;
    let with_shape = trial.queries.iter().filter(|query| own.is_some() && digest(&query.plan) == own);
    let with_shape: Vec<&Query> = with_shape.collect();
    let mut same: Vec<&Query> = with_shape.iter().copied().filter(is_described).collect();
    if same.is_empty() {
        same = with_shape;
    }
    if same.is_empty() {
        let described = trial.queries.iter().filter(is_described);
        same = described.filter(|query| may_read_the_same(plan, &query.plan)).collect();
    }
    if same.is_empty() {
        return Err(TrialError::NoQuery);
    }
    let timed: Vec<(&Query, f64)> = same.into_iter().filter_map(|query| Some((query, run_seconds(query)?))).collect();
    match timed.as_slice() {
        [] => Err(TrialError::NoTime),
        [only] => Ok(*only),
        several => {
            let with_id = several.iter().find(|(query, _)| query.id == plan.query);
            with_id.copied().ok_or(TrialError::Several(several.len()))
        }
    }
}

/// Index of the option that a trial ran, by its engine and, if its log names them, the number of its machines. `ran` is the engine
/// that ran instead of Spark, `None` if Spark did.
///
/// # Errors
/// No option has a predicted time, or none with one has this engine and this number of machines.
pub fn place_of(ran: Option<NativeEngine>, machines: Option<f64>, decision: &Decision) -> Result<usize, TrialError> {
    let engine = ran.map_or("Spark", NativeEngine::name);
    let is_of_engine = |name: &str| NativeEngine::of(name) == ran && (ran.is_some() || name.starts_with("Spark"));
    let options = decision.options.iter().enumerate();
    let of_engine =
        options.filter(|(_, option)| option.candidate.time.is_some() && is_of_engine(&option.candidate.engine));
    let of_engine: Vec<usize> = of_engine.map(|(place, _)| place).collect();
    if of_engine.is_empty() {
        let expected = expected_run(decision).ok_or(TrialError::NoPrediction)?;
        return Err(TrialError::OtherEngine { engine, expected });
    }
    let has = |place: &usize| {
        let of_option = decision.options[*place].candidate.machines;
        machines.is_none_or(|ran| of_option.is_some_and(|machines| (machines - ran).abs() < 0.5))
    };
    let of_machines: Vec<usize> = of_engine.iter().copied().filter(has).collect();
    // Of several, the recommended one was probably tried.
    let best = decision.best.filter(|best| of_machines.contains(best));
    best.or(of_machines.first().copied()).ok_or_else(|| {
        let title = |place: &usize| decision.options[*place].candidate.title.clone();
        TrialError::OtherMachines {
            engine,
            ran: counted(machines.unwrap_or(0.0), "machine"),
            expected: of_engine.iter().map(title).collect::<Vec<String>>().join(" or "),
        }
    })
}

/// What a trial runs: the recommended configuration, or without one any option with a predicted time. `None` if no option has one.
fn expected_run(decision: &Decision) -> Option<String> {
    if let Some(title) = decision.recommended_title(" or ") {
        return Some(format!("the recommended configuration: {title}"));
    }
    let predicted = decision.options.iter().filter(|option| option.candidate.time.is_some());
    let titles: Vec<&str> = predicted.map(|option| option.candidate.title.as_str()).collect();
    (!titles.is_empty()).then(|| format!("one of the options: {}", titles.join(" or ")))
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, judge};
    use crossover_query::{Kind, Node, Source};

    use super::*;

    fn query(description: &str, seconds: Option<f64>, table: &str) -> Query {
        let source = Source { table: table.to_owned(), ..Source::default() };
        let scan = Node { source: Some(Box::new(source)), ..Node::new("Scan parquet", Kind::Scan) };
        let nodes = if table.is_empty() { Vec::new() } else { vec![scan] };
        Query {
            description: description.to_owned(),
            duration_seconds: seconds,
            plan: Plan { nodes, ..Plan::default() }.into(),
            ..Query::default()
        }
    }

    fn import(queries: Vec<Query>) -> Import {
        Import { queries, ..Import::default() }
    }

    fn pairs(own: Vec<Query>, trial: Vec<Query>) -> Vec<(usize, f64)> {
        let found = trial_queries(&import(own), &import(trial));
        found.into_iter().map(|query| (query.place, query.seconds)).collect()
    }

    #[test]
    fn queries_are_the_same_by_their_descriptions_whatever_their_order() {
        let own = vec![query("a", Some(5.0), ""), query("b", Some(6.0), ""), query("c", Some(7.0), "")];
        let trial = vec![query("c", Some(1.0), ""), query("a", Some(2.0), ""), query("d", Some(3.0), "")];
        assert_eq!(pairs(own, trial), [(2, 1.0), (0, 2.0)]);
    }

    #[test]
    fn of_equal_descriptions_the_first_is_the_first() {
        let call = |seconds: f64| query("collect at job.py:12", Some(seconds), "");
        assert_eq!(pairs(vec![call(5.0), call(6.0), call(7.0)], vec![call(1.0), call(2.0)]), [(0, 1.0), (1, 2.0)]);
    }

    #[test]
    fn queries_of_other_tables_and_without_an_end_are_left_out() {
        let own = vec![query("a", Some(5.0), "sales"), query("b", Some(5.0), "sales"), query("c", Some(5.0), "sales")];
        let trial = vec![query("a", Some(1.0), "items"), query("b", None, "sales"), query("c", Some(2.0), "")];
        assert_eq!(pairs(own, trial), [(2, 2.0)], "a plan without names of tables may be of any");
    }

    #[test]
    fn the_run_of_a_plan_is_the_only_one_that_is_alike_or_the_one_with_its_id() {
        let own = query("a", Some(5.0), "sales").plan;
        let own = Plan { description: "a".to_owned(), query: "6".to_owned(), ..(*own).clone() };
        let with_id = |id: &str, seconds: f64| Query { id: id.to_owned(), ..query("a", Some(seconds), "sales") };
        let run =
            |queries: Vec<Query>| run_of(&own, &import(queries)).map(|(query, seconds)| (query.id.clone(), seconds));
        assert_eq!(run(vec![query("b", Some(1.0), "sales"), with_id("9", 2.0)]), Ok(("9".to_owned(), 2.0)));
        assert_eq!(run(vec![with_id("5", 1.0), with_id("6", 2.0)]), Ok(("6".to_owned(), 2.0)));
        assert_eq!(run(vec![with_id("5", 1.0), with_id("7", 2.0)]), Err(TrialError::Several(2)));
        assert_eq!(run(vec![query("a", Some(1.0), "items"), query("b", Some(1.0), "items")]), Err(TrialError::NoQuery));
        let described_otherwise = Query { id: "3".to_owned(), ..query("b", Some(4.0), "sales") };
        assert_eq!(run(vec![query("a", Some(1.0), "items"), described_otherwise]), Ok(("3".to_owned(), 4.0)));
        assert_eq!(run(vec![query("a", None, "sales")]), Err(TrialError::NoTime));
        // Another query of the same call, which reads the same tables, is not it.
        let mut counts = with_id("5", 9.0);
        counts.plan.nodes.push(Node::new("HashAggregate", Kind::Aggregate));
        assert_eq!(run(vec![counts, with_id("7", 2.0)]), Ok(("7".to_owned(), 2.0)));
        let failed = Query { failure: Some("out of memory".to_owned()), ..with_id("6", 2.0) };
        assert_eq!(run(vec![failed]), Err(TrialError::NoTime));
    }

    /// At equal prices 10 s instead of 100 s are recommended, and 1,000 s are not.
    #[test]
    fn a_log_of_another_engine_is_refused_with_the_run_that_is_expected() {
        let refused = |seconds: Option<f64>| {
            let time = PredictedTime::within(seconds.unwrap_or(1.0), 1.5);
            let option = Candidate::predicted("RAPIDS, 2 × g6.2xlarge", time, Some(Price::entered(1.0)));
            let option = Candidate { time: seconds.and(option.time), ..option };
            let baseline = Baseline::measured("today", 100.0, Some(Price::entered(1.0)));
            let decision = judge(baseline, vec![option], Objective::default());
            place_of(None, Some(2.0), &decision).expect_err("no option runs Spark").to_string()
        };
        let of = "Spark ran it; expected the log of a run with";
        let title = "RAPIDS, 2 × g6.2xlarge";
        assert_eq!(refused(Some(10.0)), format!("{of} the recommended configuration: {title}"));
        assert_eq!(refused(Some(1000.0)), format!("{of} one of the options: {title}"));
        assert_eq!(refused(None), TrialError::NoPrediction.to_string());
    }
}
