//! A whole application as its file has it: its queries with their plans, its run and its machines.

use serde::{Deserialize, Serialize};

use super::validate::{MOST_NODES, problem, validate_or_empty};
use super::{Plan, SparkSettings};
use crossover_quantity::invalid::Invalid;
use crossover_quantity::shared::Shared;

/// Most queries of an application.
pub const MOST_QUERIES: usize = 100_000;

/// An application, of which a study has one query. What could run it is decided from these facts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Application {
    /// The engine and its version, e.g. "Spark 3.1.1".
    pub engine: String,
    /// Name of the file or folder.
    pub file: String,
    /// Its name; empty if the file has none.
    pub name: String,
    /// Its queries in the order in which they started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<Query>,
    /// The run as a whole.
    pub run: Run,
    /// The machines.
    pub cluster: Cluster,
    /// Whether the file ends inside a line or a compressed block.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_truncated: bool,
    /// Warnings about the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Why the queries are not here, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

/// Queries that are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// How many there are in the file.
    pub queries: usize,
    /// Why, as the end of a sentence.
    pub why: String,
}

/// One query of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Query {
    /// The engine's id, e.g. Spark's execution id.
    pub id: String,
    /// In words or in SQL.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The query that started it, by its id; `None` if none did, or if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// When it started, milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// From start to end, seconds; `None` if the end is not in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<f64>,
    /// Number of stages that ran.
    pub stages: usize,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Bytes on the wire ÷ bytes before compression, over all shuffles; `None` if nothing was shuffled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression_ratio: Option<f64>,
    /// Warnings about it: a missing end, a failure, impossible numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Its operators; ids as in the engine's plan. Copies of the query share them.
    pub plan: Shared<Plan>,
}

/// The application of a file as a whole. Unknown values are absent or empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// The application's id, the same in all its attempts.
    pub id: String,
    /// Attempt of the application.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub attempt: String,
    /// User who ran it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// The queue, pool or namespace in which it ran.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub queue: String,
    /// When it began, milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// When it ended, or the latest time in the file if its end is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_ms: Option<u64>,
    /// Whether its end is in the file.
    pub ended: bool,
    /// Times of jobs that belong to no query, milliseconds since 1970, from and to: sorted and disjoint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_jobs_ms: Vec<(u64, u64)>,
}

/// The machines of a file. Unknown values are absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cluster {
    /// Machines that ran tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machines: Option<u64>,
    /// Cores that ran tasks, per machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores_per_machine: Option<u64>,
    /// Executors per machine, where a log of Spark has executors beside the driver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executors_per_machine: Option<u64>,
    /// GPUs per machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus_per_machine: Option<u64>,
    /// Name of the GPU or of the machine type, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_type: Option<String>,
    /// Settings of Spark on them that a trial of another engine starts from.
    #[serde(skip_serializing_if = "SparkSettings::is_empty")]
    pub settings: SparkSettings,
}

impl Application {
    /// Operators and wrappers of all plans.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.queries.iter().map(|query| query.plan.nodes.len()).sum()
    }

    /// The same without its queries, and with nothing of their run; `why`: the reason, as the end of a sentence.
    #[must_use]
    pub fn without_queries(&self, why: &str) -> Self {
        let left_out = || LeftOut { queries: self.queries.len(), why: why.to_owned() };
        Self {
            engine: self.engine.clone(),
            file: self.file.clone(),
            name: self.name.clone(),
            left_out: Some(self.left_out.clone().unwrap_or_else(left_out)),
            ..Self::default()
        }
    }

    /// Checks the number of queries and operators, every plan, and the times; `path`: its path in a study.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        let invalid = |field: &str, problem: String| Err(Invalid { path: format!("{path}.{field}"), problem });
        let (queries, nodes) = (self.queries.len(), self.nodes());
        if queries > MOST_QUERIES {
            return invalid("queries", format!("the application has {queries} queries; allowed: up to {MOST_QUERIES}"));
        }
        if nodes > MOST_NODES {
            return invalid("queries", format!("the plans have {nodes} nodes; allowed: up to {MOST_NODES}"));
        }
        for (place, query) in self.queries.iter().enumerate() {
            // A command has no plan.
            validate_or_empty(&query.plan, &format!("{path}.queries.{place}.plan"))?;
            let numbers =
                [("duration_seconds", query.duration_seconds), ("compression_ratio", query.compression_ratio)];
            for (field, value) in numbers {
                if let Some(problem) = value.and_then(problem) {
                    return invalid(&format!("queries.{place}.{field}"), problem);
                }
            }
        }
        let mut before = 0;
        for (place, (from, to)) in self.run.other_jobs_ms.iter().enumerate() {
            if *from < before || to < from {
                let problem = format!("the job from {from} to {to} ms is not after the one before it");
                return invalid(&format!("run.other_jobs_ms.{place}"), problem);
            }
            before = *to;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(application: &Application) -> Result<(), String> {
        application.validate("application").map_err(|Invalid { path, problem }| format!("{path}: {problem}"))
    }

    #[test]
    fn an_application_may_have_queries_without_a_plan_but_no_impossible_time() {
        let query = |seconds: f64| Query { duration_seconds: Some(seconds), ..Query::default() };
        let of = |queries: Vec<Query>| check(&Application { queries, ..Application::default() });
        assert_eq!(of(vec![query(0.5)]), Ok(()));
        for (seconds, text) in [(-1.0, "-1"), (f64::NAN, "NaN"), (1e19, "10000000000000000000")] {
            let problem = format!("application.queries.1.duration_seconds: {text} is out of range; allowed: 0 … 1e18");
            assert_eq!(of(vec![query(0.5), query(seconds)]), Err(problem));
        }
        let problem = "application.queries: the application has 100001 queries; allowed: up to 100000";
        assert_eq!(of(vec![Query::default(); MOST_QUERIES + 1]), Err(problem.to_owned()));
    }

    #[test]
    fn jobs_of_an_application_are_one_after_the_other() {
        let of = |jobs: &[(u64, u64)]| {
            let run = Run { other_jobs_ms: jobs.to_vec(), ..Run::default() };
            check(&Application { run, ..Application::default() })
        };
        assert_eq!(of(&[(0, 5), (5, 5), (7, u64::MAX)]), Ok(()));
        for jobs in [[(0, 5), (4, 6)], [(0, 5), (9, 8)]] {
            let (from, to) = jobs[1];
            let problem = format!(
                "application.run.other_jobs_ms.1: the job from {from} to {to} ms is not after the one before it"
            );
            assert_eq!(of(&jobs), Err(problem));
        }
    }
}
