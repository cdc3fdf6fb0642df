//! The log of a trial: the engine that ran it, and its queries beside those of the log that was decided about.

use std::collections::{BTreeMap, BTreeSet};

use crossover_query::{Node, Plan};

use crate::import::{Import, Query};
use crate::today::SHORTEST_SECONDS;

/// An engine that runs plans of Spark, as the operators of a log tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialEngine {
    /// The RAPIDS Accelerator, on GPUs.
    Rapids,
    /// Gluten with Velox.
    Gluten,
    /// DataFusion Comet.
    Comet,
    /// Databricks' Photon.
    Photon,
    /// Spark alone.
    Spark,
}

impl TrialEngine {
    /// The engine whose operators the plans of a file have.
    #[must_use]
    pub fn of(import: &Import) -> Self {
        let has = |is: fn(&Node) -> bool| import.queries.iter().any(|query| query.plan.nodes.iter().any(is));
        if has(|node| node.ran_on_gpu) {
            Self::Rapids
        } else if has(|node| node.name.starts_with("Comet")) {
            Self::Comet
        } else if has(|node| node.name.contains("Transformer") || node.name.starts_with("Velox")) {
            Self::Gluten
        } else if has(|node| node.name.starts_with("Photon")) {
            Self::Photon
        } else {
            Self::Spark
        }
    }

    /// Its name, with which the names of all its versions begin.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rapids => "RAPIDS",
            Self::Gluten => "Gluten",
            Self::Comet => "Comet",
            Self::Photon => "Photon",
            Self::Spark => "Spark",
        }
    }
}

/// What a query is known by in the logs of several engines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    description: &'a str,
    /// How many queries before it in its file have this description.
    repetition: usize,
}

/// A query of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialQuery {
    /// Place of the query in the file that was decided about.
    pub place: usize,
    /// Id of the query in the trial's file.
    pub id: String,
    /// Its time in the trial, seconds.
    pub seconds: f64,
}

/// Queries of a trial that are also in the file that was decided about: those with the same description, the first with the
/// first, and with the same tables where both files name them. Queries that failed or did not end are left out.
#[must_use]
pub fn trial_queries(own: &Import, trial: &Import) -> Vec<TrialQuery> {
    let places: BTreeMap<Key<'_>, usize> = keys(own).into_iter().enumerate().map(|(place, key)| (key, place)).collect();
    let pair = |(key, query): (Key<'_>, &Query)| {
        let place = *places.get(&key)?;
        let seconds =
            query.duration_seconds.filter(|seconds| *seconds >= SHORTEST_SECONDS && query.failure.is_none())?;
        let [one, two] = [&own.queries[place].plan, &query.plan].map(tables);
        let is_same = one.is_empty() || two.is_empty() || one == two;
        is_same.then(|| TrialQuery { place, id: query.id.clone(), seconds })
    };
    keys(trial).into_iter().zip(&trial.queries).filter_map(pair).collect()
}

fn keys(import: &Import) -> Vec<Key<'_>> {
    let mut before: BTreeMap<&str, usize> = BTreeMap::new();
    import
        .queries
        .iter()
        .map(|query| {
            let count = before.entry(query.description.as_str()).or_insert(0);
            let repetition = *count;
            *count += 1;
            Key { description: &query.description, repetition }
        })
        .collect()
}

/// Names of the tables that a plan reads.
fn tables(plan: &Plan) -> BTreeSet<&str> {
    plan.nodes.iter().filter_map(|node| node.source.as_ref()).map(|source| source.table.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use crossover_query::{Kind, Source};

    use super::*;

    fn query(description: &str, seconds: Option<f64>, table: &str) -> Query {
        let source = Source { table: table.to_owned(), ..Source::default() };
        let scan = Node { source: Some(Box::new(source)), ..Node::new("Scan parquet", Kind::Scan) };
        let nodes = if table.is_empty() { Vec::new() } else { vec![scan] };
        Query {
            description: description.to_owned(),
            duration_seconds: seconds,
            plan: Plan { nodes, ..Plan::default() },
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
    fn an_engine_is_known_by_its_operators() {
        let of = |name: &str, ran_on_gpu: bool| {
            let nodes = vec![Node { ran_on_gpu, ..Node::new(name, Kind::Project) }];
            let plan = Plan { nodes, ..Plan::default() };
            TrialEngine::of(&import(vec![Query { plan, ..Query::default() }]))
        };
        assert_eq!(of("GpuProject", true), TrialEngine::Rapids);
        assert_eq!(of("CometProject", false), TrialEngine::Comet);
        assert_eq!(of("ProjectExecTransformer", false), TrialEngine::Gluten);
        assert_eq!(of("VeloxColumnarToRow", false), TrialEngine::Gluten);
        assert_eq!(of("PhotonProject", false), TrialEngine::Photon);
        assert_eq!(of("Project", false), TrialEngine::Spark);
    }
}
