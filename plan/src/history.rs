//! Repeated queries: the same query in several logs has measured times of its own, and a spread.

use std::collections::{BTreeMap, BTreeSet};

use crossover_decision::MeasuredRuns;
use crossover_files::digest::of_text;
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, predicted};
use crossover_query::Plan;
use serde::{Deserialize, Serialize};

use crate::import::{Cluster, Import, Query};
use crate::pairing::run_seconds;
use crate::shape::{bytes_read, digest};

/// Runs of a query whose longest time is more than this many times the shortest contradict each other.
const TIMES_APART: f64 = 10.0;
/// Runs whose input differs by more than this factor are of other data.
const BYTES_APART: f64 = 1.1;
/// Hexadecimal digits of an identity.
const DIGITS: usize = 16;
/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// A run of a query as results keep it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRun {
    /// What repetitions have in common: a digest of the logical shape of the plan, the engine with its version, and the machines.
    pub identity: String,
    /// Id of the query in its log.
    pub query: String,
    /// From start to end, seconds.
    pub seconds: f64,
    /// Bytes that its scans read, if the log has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<f64>,
}

/// A run of a query, and its file.
#[derive(Debug, Clone, PartialEq)]
struct Run {
    file: String,
    run: RecordedRun,
}

/// The runs of all queries of some logs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histories {
    /// By identity.
    runs: BTreeMap<String, Repetitions>,
}

/// All runs of one identity.
#[derive(Debug, Clone, PartialEq)]
struct Repetitions {
    /// In the order of their logs; one at least.
    runs: Vec<Run>,
    /// The least and the most bytes that a run read; `None` if no log has them.
    bytes: Option<[f64; 2]>,
    /// The times of all of them; `None` if there is one only.
    all: Option<MeasuredRuns>,
}

/// Queries that have several runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repeated {
    /// Distinct queries.
    pub queries: usize,
    /// Their runs.
    pub runs: usize,
    /// Median of the standard deviations of the logarithms of their times.
    pub deviation: f64,
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

/// What repetitions of a query have in common; `None` if its plan says too little. A run on GPUs repeats none on CPUs.
fn identity(plan: &Plan, ran_on: &str) -> Option<String> {
    let on_gpu = plan.nodes.iter().any(|node| node.ran_on_gpu);
    let mut identity = of_text(&format!("{}, {ran_on}, {on_gpu}", digest(plan)?));
    identity.truncate(DIGITS);
    Some(identity)
}

/// The runs of the longest queries of a log.
#[must_use]
pub fn recorded(log: &Import, most: usize) -> Vec<RecordedRun> {
    let ran_on = ran_on(&log.engine, &log.cluster);
    let timed = log.queries.iter().filter_map(|query| Some((query, run_seconds(query)?)));
    let mut timed: Vec<(&Query, f64)> = timed.collect();
    timed.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    timed.truncate(most);
    let run = |(query, seconds): (&Query, f64)| {
        let identity = identity(&query.plan, &ran_on)?;
        Some(RecordedRun { identity, query: query.id.clone(), seconds, bytes: bytes_read(&query.plan) })
    };
    timed.into_iter().filter_map(run).collect()
}

impl Histories {
    /// The runs of some logs. A log that is given twice counts once.
    #[must_use]
    pub fn new<'a>(logs: impl IntoIterator<Item = &'a Import>) -> Self {
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        let mut is_new =
            |log: &'a Import| log.run.id.is_empty() || seen.insert((log.run.id.as_str(), log.run.attempt.as_str()));
        let new = logs.into_iter().filter(|log| is_new(log));
        Self::of_files(new.map(|log| (log.file.clone(), recorded(log, usize::MAX))))
    }

    /// The runs of some files, each with its name, or that of its application.
    #[must_use]
    pub fn of_files(files: impl IntoIterator<Item = (String, Vec<RecordedRun>)>) -> Self {
        let mut by_identity: BTreeMap<String, Vec<Run>> = BTreeMap::new();
        for (file, runs) in files {
            for run in runs {
                let of_query = by_identity.entry(run.identity.clone()).or_default();
                of_query.push(Run { file: file.clone(), run });
            }
        }
        Self { runs: by_identity.into_iter().map(|(identity, runs)| (identity, Repetitions::new(runs))).collect() }
    }

    /// The runs of a plan on the engine and machines of [`ran_on`], with the same input; `None` if there is one only.
    #[must_use]
    pub fn of(&self, plan: &Plan, ran_on: &str) -> Option<MeasuredRuns> {
        if self.runs.is_empty() {
            return None;
        }
        self.runs.get(&identity(plan, ran_on)?)?.with_input(bytes_read(plan))
    }

    /// All runs of the query that has this one, with its input; `None` if there is one only.
    #[must_use]
    pub fn of_run(&self, run: &RecordedRun) -> Option<MeasuredRuns> {
        self.runs.get(&run.identity)?.with_input(run.bytes)
    }

    /// Queries that have several runs; `None` if none has.
    #[must_use]
    pub fn repeated(&self) -> Option<Repeated> {
        let of_first = |of: &Repetitions| of.with_input(of.runs.first()?.run.bytes);
        let several: Vec<MeasuredRuns> = self.runs.values().filter_map(of_first).collect();
        let mut deviations: Vec<f64> = several.iter().map(|runs| runs.deviation).collect();
        deviations.sort_by(f64::total_cmp);
        let count = deviations.len();
        let deviation = f64::midpoint(*deviations.get(count.checked_sub(1)? / 2)?, *deviations.get(count / 2)?);
        Some(Repeated { queries: several.len(), runs: several.iter().map(|runs| runs.count).sum(), deviation })
    }

    /// Runs that contradict each other: of each query the two that are furthest apart.
    #[must_use]
    pub fn contradictions(&self) -> Vec<Contradiction> {
        self.runs.values().flat_map(|of| [of_times(&of.runs), of_bytes(&of.runs)]).flatten().collect()
    }
}

impl Repeated {
    /// "12 queries have several runs, 57 together; the times of a query usually have a standard deviation of 8 %".
    #[must_use]
    pub fn sentence(&self) -> String {
        let count = |count: usize| Unit::Count.format(count as f64);
        let queries = counted(self.queries as f64, "query");
        let have = if self.queries == 1 { "has" } else { "have" };
        format!(
            "{queries} {have} several runs on the same machines, {} together; the standard deviation of a query’s time is {} (median of these \
             queries)",
            count(self.runs),
            Unit::Share.format(predicted(self.deviation))
        )
    }
}

impl Run {
    /// "query 6 of shop.zstd".
    fn name(&self) -> String {
        let query = &self.run.query;
        let name = if query.is_empty() { "the query".to_owned() } else { format!("query {query}") };
        format!("{name} of {}", self.file)
    }
}

impl Repetitions {
    fn new(runs: Vec<Run>) -> Self {
        let known = || runs.iter().filter_map(|run| run.run.bytes);
        let bytes = known().reduce(f64::min).zip(known().reduce(f64::max)).map(|(least, most)| [least, most]);
        let all = MeasuredRuns::of(runs.iter().map(|run| run.run.seconds));
        Self { runs, bytes, all }
    }

    /// The runs with nearly this input; `None` for fewer than two.
    fn with_input(&self, bytes: Option<f64>) -> Option<MeasuredRuns> {
        // An input near both ends is near all inputs between them; so many queries of one identity do not sort its times each.
        if self.bytes.is_none_or(|ends| ends.iter().all(|end| !is_apart(bytes, Some(*end)))) {
            return self.all;
        }
        let near = self.runs.iter().filter(|other| !is_apart(bytes, other.run.bytes));
        MeasuredRuns::of(near.map(|other| other.run.seconds))
    }
}

/// Whether two inputs are known to differ.
fn is_apart(one: Option<f64>, other: Option<f64>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.max(other) > one.min(other) * BYTES_APART)
}

fn of_times(runs: &[Run]) -> Option<Contradiction> {
    let (least, most) = ends(runs.iter().map(|run| (run, run.run.seconds)))?;
    let ratio = most.run.seconds / least.run.seconds;
    (ratio > TIMES_APART).then(|| {
        let [short, long] = [least, most].map(|run| Unit::Seconds.format(run.run.seconds));
        let times = Unit::Factor.format(predicted(ratio));
        Contradiction::new(
            least,
            most,
            format!(
                "{} took {short} and {} {long}, {times} as long, with the same plan on the same machines; both count",
                least.name(),
                most.name()
            ),
        )
    })
}

fn of_bytes(runs: &[Run]) -> Option<Contradiction> {
    let (least, most) = ends(runs.iter().filter_map(|run| Some((run, run.run.bytes?))))?;
    let apart = is_apart(least.run.bytes, most.run.bytes);
    let [small, large] = [least.run.bytes?, most.run.bytes?].map(|bytes| Unit::Gigabytes.format(predicted(bytes / GB)));
    apart.then(|| {
        let others =
            format!("of {}, only runs with nearly the same input are combined", counted(runs.len() as f64, "run"));
        let what = format!("{} read {small} and {} {large} with the same plan", least.name(), most.name());
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
            plan: Plan { nodes: vec![scan], ..Plan::default() }.into(),
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
    fn queries_with_several_runs_are_counted_with_their_median_spread() {
        let e = std::f64::consts::E;
        // By hand: logarithms that are 2 apart have the variance 2.
        let logs = [log("a", 1.0, 1.0), log("b", e * e, 1.0)];
        let repeated = Histories::new(&logs).repeated().expect("two runs");
        assert_eq!((repeated.queries, repeated.runs), (1, 2));
        assert!((repeated.deviation - 2.0_f64.sqrt()).abs() < 1e-12, "{repeated:?}");
        assert!(repeated.sentence().starts_with("1 query has several runs on the same machines, 2 together"));
        assert_eq!(Histories::new(&logs[..1]).repeated(), None);
    }

    #[test]
    fn a_query_has_the_median_of_the_runs_near_its_own_input() {
        // 1.2 GB is 1.2 times 1 GB; 1.095 GB is near both.
        let logs = [log("a", 10.0, 1.0), log("b", 20.0, 1.0), log("c", 60.0, 1.095), log("d", 80.0, 1.2)];
        let histories = Histories::new(&logs);
        let ran_on = ran_on(ENGINE, &Cluster::default());
        let median = |at: usize| histories.of(&logs[at].queries[0].plan, &ran_on).map(|found| found.median_seconds);
        assert_eq!([0, 2, 3].map(median), [Some(20.0), Some(40.0), Some(70.0)]);
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
