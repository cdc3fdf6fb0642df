//! Imported queries and their placements: as a document for programs, and as reports for people.

mod report;

use crossover_decision::Decision;
use crossover_placement::whole::Whole;
use crossover_placement::{Placement, Query as StudyQuery};
use crossover_plan::decide::decision;
use crossover_plan::{Cluster, Import, Query};
use crossover_quantity::text::TextReport;
use crossover_quantity::unread::UnreadName;
use crossover_query::Balance;
use serde::{Serialize, Serializer};

use super::decided::{DecisionRecord, engine_titles};
use super::decision::all_warnings;
use super::json;
use super::placement::plan::{EdgeRecord, NodeRecord, Totals};

/// An imported file, each of its queries placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The content of the file; its queries are in `queries`.
    pub import: Import,
    /// The selected queries, in the order in which they started.
    pub queries: Vec<Placed>,
    /// Warnings about the file and the selected queries.
    pub warnings: Vec<String>,
}

/// A query, and the study in which its operators are placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The query as the file has it; its plan is in the study.
    pub query: Query,
    /// The study; it has a query.
    pub study: Placement,
    /// The same in the engines that its operators have their times in.
    pub shown: Placement,
    /// The decision for its plan in those.
    pub whole: Whole,
}

impl Placed {
    /// What should run the query, by whole engines; none without engines, or if the query failed.
    fn decision(&self) -> Option<Decision> {
        self.query.failure.is_none().then(|| decision(&self.study)).flatten()
    }

    /// The query as the study has it.
    fn in_study(&self) -> Option<&StudyQuery> {
        self.study.query.as_deref()
    }
}

/// What the document for programs holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ImportRecord<'a> {
    /// The engine and its version.
    engine: &'a str,
    /// Name of the file or folder.
    file: &'a str,
    /// Name of the application or session.
    application: &'a str,
    /// The machines, as the file describes them.
    cluster: ClusterRecord<'a>,
    /// Lines that could not be understood and were left out.
    skipped_lines: u64,
    /// Warnings about the file and the queries.
    warnings: &'a [String],
    /// Metrics of time and settings of plugins that were not used.
    unread: Vec<UnreadName<'a>>,
    /// The selected queries.
    queries: Vec<QueryRecord<'a>>,
}

/// The machines, as a file describes them.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ClusterRecord<'a> {
    machines: Option<u64>,
    cores_per_machine: Option<u64>,
    gpus_per_machine: Option<u64>,
    machine_type: Option<&'a str>,
}

/// One query.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct QueryRecord<'a> {
    /// The engine's name of it, such as Spark's execution id.
    id: Id<'a>,
    description: &'a str,
    /// From start to end as recorded; absent if the end is not in the file.
    duration_seconds: Option<f64>,
    /// Number of stages that ran.
    stages: usize,
    /// Why it failed, if it did.
    failure: Option<&'a str>,
    /// Bytes on the wire ÷ bytes before compression, over all shuffles.
    compression_ratio: Option<f64>,
    /// What should run it, by whole engines; absent without engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<DecisionRecord>,
    /// Engines and machines of the predicted times of its operators, today's first; absent without engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_engines: Option<[String; 2]>,
    /// Totals of the file, and how much of each its operators have.
    balances: &'a [Balance],
    /// Its predicted times.
    totals: Totals,
    /// Every node of the plan, wrappers included.
    nodes: Vec<NodeRecord<'a>>,
    /// Data between its operators.
    edges: Vec<EdgeRecord>,
    /// Warnings about the numbers, and about the options of the decision.
    warnings: Vec<String>,
}

/// An engine's name of a query: a number where it is one, else text.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Id<'a>(&'a str);

impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.parse::<i64>() {
            // "007" and "+7" are no numbers of an engine.
            Ok(number) if number.to_string() == self.0 => serializer.serialize_i64(number),
            _ => serializer.serialize_str(self.0),
        }
    }
}

impl Imported {
    /// Everything, for programs.
    #[must_use]
    pub fn json(&self) -> String {
        let Import { engine, file, application, cluster, skipped_lines, .. } = &self.import;
        json(&ImportRecord {
            engine,
            file,
            application,
            cluster: ClusterRecord::new(cluster),
            skipped_lines: *skipped_lines,
            warnings: &self.warnings,
            unread: self.import.unread.names().collect(),
            queries: self.queries.iter().filter_map(QueryRecord::new).collect(),
        })
    }

    /// A list of the queries; a single one with its plan.
    #[must_use]
    pub fn text_report(&self) -> TextReport {
        report::text_report(self)
    }
}

impl<'a> ClusterRecord<'a> {
    fn new(cluster: &'a Cluster) -> Self {
        Self {
            machines: cluster.machines,
            cores_per_machine: cluster.cores_per_machine,
            gpus_per_machine: cluster.gpus_per_machine,
            machine_type: cluster.machine_type.as_deref(),
        }
    }
}

impl<'a> QueryRecord<'a> {
    fn new(placed: &'a Placed) -> Option<Self> {
        let (query, whole) = (&placed.query, &placed.whole);
        let in_study = placed.in_study()?;
        let decision = placed.decision();
        let warnings = all_warnings(&whole.warnings, decision.as_ref());
        Some(Self {
            id: Id(&query.id),
            description: &query.description,
            duration_seconds: query.duration_seconds,
            stages: query.stages,
            failure: query.failure.as_deref(),
            compression_ratio: query.compression_ratio,
            decision: decision.map(DecisionRecord::new),
            operator_engines: placed.shown.engines.as_deref().map(engine_titles),
            balances: &in_study.plan.balances,
            totals: Totals::new(whole),
            nodes: NodeRecord::all(in_study, whole),
            edges: whole.edges.iter().map(EdgeRecord::new).collect(),
            warnings,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_a_number_is_written_as_one() {
        let written = |id: &str| serde_json::to_string(&Id(id)).unwrap();
        assert_eq!(written("24"), "24");
        assert_eq!(written("007"), "\"007\"");
        assert_eq!(written(""), "\"\"");
        assert_eq!(written("q1"), "\"q1\"");
    }
}
