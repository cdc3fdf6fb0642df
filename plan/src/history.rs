//! Repeated queries: the same query in several logs has measured times of its own, and a spread.

use std::collections::{BTreeMap, BTreeSet};

use crossover_decision::MeasuredRuns;
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, predicted};
use crossover_query::Plan;

use crate::import::{Cluster, Import, Query};
use crate::pairing::run_seconds;
use crate::shape::{bytes_read, digest};

/// Runs of a query whose longest time is more than this many times the shortest contradict each other.
const TIMES_APART: f64 = 10.0;
/// Runs whose input differs by more than this factor are of other data.
const BYTES_APART: f64 = 1.1;
/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// What runs must have in common to be repetitions: the logical shape of the plan, the engine with its version, the machines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    digest: String,
    ran_on: String,
    on_gpu: bool,
}

impl Identity {
    fn of(plan: &Plan, ran_on: &str) -> Option<Self> {
        let on_gpu = plan.nodes.iter().any(|node| node.ran_on_gpu);
        Some(Self { digest: digest(plan)?, ran_on: ran_on.to_owned(), on_gpu })
    }
}

/// A run of a query.
#[derive(Debug, Clone, PartialEq)]
struct Run {
    /// "query 6 of shop.zstd".
    name: String,
    file: String,
    seconds: f64,
    bytes: Option<f64>,
}

/// The runs of all queries of some logs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histories {
    runs: BTreeMap<Identity, Vec<Run>>,
}

/// Two runs of a query that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Files of both.
    pub files: [String; 2],
    /// Both with their values.
    pub sentence: String,
}

/// The engine and the machines that ran a log: only runs on the same ones are repetitions.
#[must_use]
pub fn ran_on(engine: &str, cluster: &Cluster) -> String {
    let Cluster { machines, cores_per_machine, machine_type, .. } = cluster;
    format!("{engine}, {machines:?} × {machine_type:?} with {cores_per_machine:?} cores")
}

impl Histories {
    /// The runs of some logs. A log that is given twice counts once.
    #[must_use]
    pub fn new<'a>(logs: impl IntoIterator<Item = &'a Import>) -> Self {
        let mut runs: BTreeMap<Identity, Vec<Run>> = BTreeMap::new();
        let mut seen: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
        for log in logs {
            let ran_on = ran_on(&log.engine, &log.cluster);
            for query in &log.queries {
                let is_new = log.run.id.is_empty()
                    || seen.insert((log.run.id.as_str(), log.run.attempt.as_str(), query.id.as_str()));
                let Some(seconds) = run_seconds(query).filter(|_| is_new) else { continue };
                let Some(identity) = Identity::of(&query.plan, &ran_on) else { continue };
                runs.entry(identity).or_default().push(Run::new(log, query, seconds));
            }
        }
        Self { runs }
    }

    /// The runs of a plan on the engine and machines of [`ran_on`], with the same input; `None` if there is one only.
    #[must_use]
    pub fn of(&self, plan: &Plan, ran_on: &str) -> Option<MeasuredRuns> {
        if self.runs.is_empty() {
            return None;
        }
        let identity = Identity::of(plan, ran_on)?;
        let bytes = bytes_read(plan);
        let same = self.runs.get(&identity)?.iter().filter(|run| !is_apart(bytes, run.bytes));
        MeasuredRuns::of(same.map(|run| run.seconds))
    }

    /// Runs that contradict each other: of each query the two that are furthest apart.
    #[must_use]
    pub fn contradictions(&self) -> Vec<Contradiction> {
        self.runs.values().flat_map(|runs| [of_times(runs), of_bytes(runs)]).flatten().collect()
    }
}

impl Run {
    fn new(log: &Import, query: &Query, seconds: f64) -> Self {
        let name = if query.id.is_empty() { "the query".to_owned() } else { format!("query {}", query.id) };
        let name = format!("{name} of {}", log.file);
        Self { name, file: log.file.clone(), seconds, bytes: bytes_read(&query.plan) }
    }
}

/// Whether two inputs are known to differ.
fn is_apart(one: Option<f64>, other: Option<f64>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.max(other) > one.min(other) * BYTES_APART)
}

fn of_times(runs: &[Run]) -> Option<Contradiction> {
    let (least, most) = ends(runs.iter().map(|run| (run, run.seconds)))?;
    let ratio = most.seconds / least.seconds;
    (ratio > TIMES_APART).then(|| {
        let [short, long] = [least, most].map(|run| Unit::Seconds.format(run.seconds));
        let times = Unit::Factor.format(predicted(ratio));
        Contradiction::new(
            least,
            most,
            format!(
                "{} took {short} and {} {long}, {times} as long, with the same plan on the same machines; both count",
                least.name, most.name
            ),
        )
    })
}

fn of_bytes(runs: &[Run]) -> Option<Contradiction> {
    let (least, most) = ends(runs.iter().filter_map(|run| Some((run, run.bytes?))))?;
    let apart = is_apart(least.bytes, most.bytes);
    let [small, large] = [least.bytes?, most.bytes?].map(|bytes| Unit::Gigabytes.format(predicted(bytes / GB)));
    apart.then(|| {
        let others =
            format!("of {}, only runs with nearly the same input count together", counted(runs.len() as f64, "run"));
        let what = format!("{} read {small} and {} {large} with the same plan", least.name, most.name);
        Contradiction::new(least, most, format!("{what}; {others}"))
    })
}

/// The runs with the least and the most of a number.
fn ends<'a>(numbers: impl Iterator<Item = (&'a Run, f64)> + Clone) -> Option<(&'a Run, &'a Run)> {
    let least = numbers.clone().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let most = numbers.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some((least.0, most.0))
}

impl Contradiction {
    fn new(one: &Run, other: &Run, sentence: String) -> Self {
        Self { files: [one.file.clone(), other.file.clone()], sentence }
    }
}

#[cfg(test)]
mod tests {
    use crossover_query::{Amount, Kind, Node};

    use super::*;
    use crate::import::Run as Application;

    const ENGINE: &str = "Spark 3.5.3";

    /// A log with one query that reads a table.
    fn log(file: &str, seconds: f64, gigabytes: f64) -> Import {
        let scan = Node {
            bytes_in: Some(Amount::reported(gigabytes * GB)),
            ..Node::new("Scan parquet shop.sales", Kind::Scan)
        };
        let query = Query {
            id: "6".to_owned(),
            duration_seconds: Some(seconds),
            plan: Plan { nodes: vec![scan], ..Plan::default() },
            ..Query::default()
        };
        Import {
            file: file.to_owned(),
            engine: ENGINE.to_owned(),
            queries: vec![query],
            run: Application { id: format!("app-{file}"), ..Application::default() },
            ..Import::default()
        }
    }

    fn runs(logs: &[Import]) -> Option<MeasuredRuns> {
        let first = &logs[0];
        Histories::new(logs).of(&first.queries[0].plan, &ran_on(&first.engine, &first.cluster))
    }

    #[test]
    fn runs_of_a_query_in_several_logs_have_a_median() {
        let found = runs(&[log("a", 41.0, 1.0), log("b", 58.0, 1.05), log("c", 47.0, 1.0)]).expect("three runs");
        assert_eq!((found.count, found.median_seconds), (3, 47.0));
        assert_eq!(runs(&[log("a", 41.0, 1.0)]), None, "one run has no spread");
    }

    #[test]
    fn a_log_that_is_given_twice_counts_once() {
        assert_eq!(runs(&[log("a", 41.0, 1.0), log("a", 41.0, 1.0)]), None);
    }

    #[test]
    fn other_machines_other_data_and_failed_runs_are_no_repetitions() {
        let own = log("a", 41.0, 1.0);
        let larger = Import { cluster: Cluster { machines: Some(8), ..Cluster::default() }, ..log("b", 20.0, 1.0) };
        let grown = log("c", 90.0, 2.0);
        let mut failed = log("d", 5.0, 1.0);
        failed.queries[0].failure = Some("out of memory".to_owned());
        assert_eq!(runs(&[own.clone(), larger, grown, failed]), None);
        assert!(runs(&[own, log("e", 43.0, 1.0)]).is_some());
    }

    #[test]
    fn runs_that_contradict_each_other_are_named_with_both_values() {
        let logs = [log("a", 5.0, 1.0), log("b", 60.0, 1.0), log("c", 7.0, 1.0)];
        let found = Histories::new(&logs).contradictions();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].files, ["a", "b"].map(str::to_owned));
        let sentence = &found[0].sentence;
        assert!(sentence.starts_with("query 6 of a took 5 s and query 6 of b 60 s, 12× as long"), "{sentence}");
        assert!(
            Histories::new(&[log("a", 5.0, 1.0), log("b", 50.0, 1.0)]).contradictions().is_empty(),
            "10× is not more than 10×"
        );

        let found = Histories::new(&[log("a", 5.0, 1.0), log("b", 6.0, 3.0)]).contradictions();
        assert!(found[0].sentence.starts_with("query 6 of a read 1 GB and query 6 of b 3 GB"), "{found:?}");
    }
}
