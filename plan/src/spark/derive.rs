//! A query of an event log becomes a plan: what every operator is, what it repeats, and its numbers.
//!
//! Only numbers that Spark reported, or that follow from them, are set; `fill` of the model estimates the rest. Sources of
//! the numbers:
//!
//! | number | metric |
//! |---|---|
//! | output rows | `number of output rows`; of an exchange `shuffle records written` |
//! | bytes read by a scan | input bytes of its stage if they are plausible, else `size of files read` (with data that was skipped) |
//! | output bytes of an exchange | `data size`, rows as they are in memory |
//! | bytes on the wire | `shuffle bytes written` |
//! | bytes written | `written output` |
//! | row width | types of the columns, from the `ReadSchema` of the scans, followed through the plan |
//! | CPU time, and the balance of the query | `stage_time` |
//!
//! What an operator does in particular (`facts`) and what a scan reads (`scanned`) come from its text, as in [`super::explain`].

use std::collections::{BTreeMap, BTreeSet};

use crossover_query::{Amount, CpuOnly, Kind, Metric, Node, Plan, Rule, Scope, StageRun, Time, fill};

use super::metrics::{self, ROWS_IN, ROWS_OUT};
use super::operators::{Operator, operator};
use super::pipeline::pipelines;
use super::raw::{RawMetric, RawNode, RawQuery, RawStage};
use super::reuse::reuse;
use super::ui_ids::ui_ids;
use super::{columns, detail, facts, scan, scanned, stage_time, width};

/// A query as a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// The plan.
    pub plan: Plan,
    /// Whether the input bytes of a stage contradict the metrics of a scan, and were not used.
    pub input_contradicts: bool,
}

/// The plan of a query. `engine` and `file` are those of the import, `stages` all stages of the log by id. A query
/// without nodes gives an empty plan, which no study takes.
#[must_use]
pub fn plan(raw: &RawQuery, stages: &BTreeMap<u64, RawStage>, engine: &str, file: &str) -> Derived {
    let mut nodes = nodes(raw);
    let subqueries = subqueries(&nodes);
    leave_out_what_did_not_run(raw, &mut nodes);
    inherit_rows(raw, &mut nodes);
    let ran: BTreeMap<u64, &RawStage> = raw.stages.iter().filter_map(|id| Some((*id, stages.get(id)?))).collect();
    let pipelines = pipelines(&nodes, &ran);
    let (input_contradicts, bytes_read) = scan::bytes_read(raw, &mut nodes, &pipelines, &ran);

    // What a subquery gives is no input of the rows of the operator that asks it.
    let mut plan = Plan { nodes, ..Plan::default() };
    for (id, subquery_inputs) in &subqueries {
        plan.nodes[*id].inputs.retain(|input| !subquery_inputs.contains(input));
    }
    let numbers = fill(&plan);
    for (id, subquery_inputs) in &subqueries {
        let node = &mut plan.nodes[*id];
        node.rows_in = node.rows_in.or(Some(numbers[*id].rows_in).filter(|rows| !rows.is_estimated()));
        if node.inputs.is_empty() {
            node.bytes_in = Some(numbers[*id].bytes_in);
        }
        node.inputs.extend(subquery_inputs);
        node.inputs.sort_unstable();
    }
    plan.balances = stage_time::distribute(raw, &mut plan.nodes, &numbers, &pipelines, &ran);
    plan.balances.extend(bytes_read);

    let duration = raw.start_ms.zip(raw.end_ms).and_then(|(start, end)| end.checked_sub(start));
    engine.clone_into(&mut plan.engine);
    file.clone_into(&mut plan.file);
    plan.query = raw.id.to_string();
    plan.description.clone_from(&raw.description);
    plan.duration_seconds = duration.map(|ms| ms as f64 / 1e3);
    plan.stages = stage_runs(raw, &ran);
    Derived { plan, input_contradicts }
}

/// The stages of a query in the order of their starts; none if the log has no times.
fn stage_runs(raw: &RawQuery, ran: &BTreeMap<u64, &RawStage>) -> Vec<StageRun> {
    let Some(start) = raw.start_ms else { return Vec::new() };
    // What a stage of an earlier query did is none of this one's.
    let since = |ms: u64| ms.saturating_sub(start) as f64 / 1e3;
    let run = |stage: &&RawStage| {
        let (first, last) = stage.span_ms?;
        Some(StageRun {
            id: stage.id,
            start: since(first),
            end: since(last),
            tasks: stage.tasks as f64,
            slots: 0.0,
            run: stage.run_seconds,
            cpu: stage.cpu_seconds,
            gc: stage.gc_seconds,
            fetch: stage.fetch_wait_seconds,
            longest: stage.longest_seconds,
            spilled: stage.spilled_bytes,
        })
    };
    let mut runs: Vec<StageRun> = ran.values().filter_map(run).filter(|stage| stage.end > 0.0).collect();
    runs.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.id.cmp(&b.id)));
    runs
}

/// Bytes on the wire ÷ bytes before, over all shuffles that report both; `None` if nothing was shuffled.
#[must_use]
pub fn compression_ratio(plan: &Plan) -> Option<f64> {
    let shuffles = plan.nodes.iter().filter(|node| node.reuses.is_none());
    let both = shuffles.filter_map(|node| Some((node.wire_bytes?.value, node.bytes_out?.value)));
    let (wire, data) = both.fold((0.0, 0.0), |sum, (wire, data)| (sum.0 + wire, sum.1 + data));
    (data > 0.0 && wire > 0.0).then(|| wire / data)
}

/// Warnings about a query: a missing end, a failure, and a sentence for each of the first ten impossible metrics, which are
/// left out.
#[must_use]
pub fn notes(raw: &RawQuery) -> Vec<String> {
    let note = |id: usize, node: &RawNode, metric: &RawMetric| {
        let total = metric.total.filter(|total| !metrics::is_usable(*total))?;
        let (query, name) = (raw.id, node.name.trim());
        Some(format!("query {query}, node {id} ({name}): “{}” is {total}, which is impossible; left out", metric.name))
    };
    let open = raw.end_ms.is_none().then(|| format!("the end of query {} is not in the log", raw.id));
    let failed = raw.failure.as_ref().map(|failure| {
        let first = failure.lines().next().unwrap_or_default();
        format!("query {} failed: {first}", raw.id)
    });
    let nodes = raw.nodes.iter().enumerate();
    let wrong = nodes.flat_map(|(id, node)| node.metrics.iter().filter_map(move |metric| note(id, node, metric)));
    open.into_iter().chain(failed).chain(wrong.take(10)).collect()
}

/// Every node with the numbers of its own metrics.
fn nodes(raw: &RawQuery) -> Vec<Node> {
    let reuses = reuse(&raw.nodes);
    let mut nodes: Vec<Node> = raw
        .nodes
        .iter()
        .zip(reuses)
        .zip(ui_ids(&raw.nodes))
        .map(|((raw, reuses), spark_ui_id)| {
            let Operator { kind, class, gpu } = operator(&raw.name, &raw.simple_string);
            // A reused part that is nowhere to be seen, a foreign input: rows that are there already.
            let is_source = kind == Kind::Wrapper && raw.children.is_empty() && reuses.is_none();
            let kind = if is_source { Kind::Values } else { kind };
            let mut node = Node::new(raw.name.trim(), kind);
            node.class = class;
            node.detail = detail::shorten(&raw.name, &raw.simple_string);
            node.inputs.clone_from(&raw.children);
            node.reuses = reuses;
            node.spark_ui_id = spark_ui_id;
            node.stages.clone_from(&raw.stages);
            node.ran_on_gpu = gpu;
            node.cpu_only = cpu_only(&node, &raw.simple_string);
            node.time = time(raw, gpu);
            node.metrics = raw
                .metrics
                .iter()
                .map(|metric| Metric {
                    name: metric.name.clone(),
                    unit: metric.metric_type.clone(),
                    total: metric.total.filter(|total| total.is_finite()),
                })
                .collect();
            set_figures(raw, &mut node);
            node
        })
        .collect();
    for id in 0..nodes.len() {
        for child in raw.nodes[id].children.clone() {
            tell_child(raw, &mut nodes, id, child);
        }
    }
    let parents = facts::parents(&raw.nodes);
    for id in 0..nodes.len() {
        facts::add(&raw.nodes, &mut nodes, &parents, id);
        if nodes[id].kind == Kind::Scan {
            nodes[id].source = scanned::source(&raw.nodes[id]).map(Box::new);
        }
    }
    let widths = columns::widths(raw, &nodes);
    for (node, width) in nodes.iter_mut().zip(widths) {
        // What was counted is better, at the node itself or where the rows come from; and bytes of Spark's rows, which are
        // wider than their columns, tell no rows by these.
        let makes_rows = node.bytes_out.is_none() && node.reuses.is_none() && !node.kind.keeps_rows();
        let typed = width.filter(|_| makes_rows).map(|width| Amount::estimated(width, Rule::ColumnTypes));
        node.row_width = node.row_width.or(typed);
    }
    nodes
}

/// Why no GPU engine runs an operator with this text, where its kind alone does not say so.
pub(super) fn cpu_only(node: &Node, simple_string: &str) -> Option<CpuOnly> {
    if node.ran_on_gpu {
        return None;
    }
    if stage_time::runs_python(node, simple_string) {
        return Some(CpuOnly::Python);
    }
    if stage_time::runs_script(node) {
        return Some(CpuOnly::Script);
    }
    let reads = matches!(node.kind, Kind::Scan | Kind::Join);
    (reads && reads_a_server(&node.name, simple_string)).then_some(CpuOnly::Remote)
}

/// Databases and queues from which connectors read rows, by the first part of the names of their classes:
///
/// - `JDBCRelation` and `JDBCScan` (<https://github.com/apache/spark>, `sql/core`), `KafkaRelation` and `KafkaScan`
///   (`connector/kafka-0-10-sql`)
/// - `SnowflakeRelation`, and with pushdown `SnowflakeScanExec` and `SnowflakePlan` (<https://github.com/snowflakedb/spark-snowflake>)
/// - `RedshiftRelation`, `RedshiftScanExec` and `RedshiftPlan` (<https://github.com/spark-redshift-community/spark-redshift>)
/// - `DirectBigQueryRelation` (<https://github.com/GoogleCloudDataproc/spark-bigquery-connector>)
/// - `MongoRelation`, from version 10 on `MongoScan` (<https://github.com/mongodb/mongo-spark>)
/// - `CassandraSourceRelation`, from version 3 on “Cassandra Scan: …” and `CassandraDirectJoinExec`
///   (<https://github.com/apache/cassandra-spark-connector>)
/// - `ElasticsearchRelation` (<https://github.com/elastic/elasticsearch-hadoop>)
/// - `HBaseRelation` (<https://github.com/apache/hbase-connectors>), `PhoenixRelation` (<https://github.com/apache/phoenix-connectors>)
/// - `ClickHouseBatchScan` (<https://github.com/ClickHouse/spark-clickhouse-connector>)
const SERVERS: [&str; 11] = [
    "JDBC",
    "Kafka",
    "Snowflake",
    "Redshift",
    "DirectBigQuery",
    "Mongo",
    "Cassandra",
    "Elasticsearch",
    "HBase",
    "Phoenix",
    "ClickHouse",
];

/// Whether an operator reads a database. Its name in Spark is “Scan” and the name of the relation: a text such as
/// `JDBCRelation(people)`, or the class with its path (`RowDataSourceScanExec.nodeName`). The operators of connectors have their
/// own names. A source of version 2 is a `BatchScan`, whose own description follows its columns.
fn reads_a_server(name: &str, simple_string: &str) -> bool {
    let first = |text: &str| text.trim_start().split([' ', '(', '[', '{', ',']).next().unwrap_or_default().to_owned();
    let class = match name.split([' ', '[']).next() {
        Some("BatchScan") => match scanned::described(simple_string) {
            Some(text) => text.strip_prefix("class ").map_or_else(|| first(text), class_of),
            None => return false,
        },
        Some("Scan") => class_of(&first(name.strip_prefix("Scan").unwrap_or(name))),
        _ => first(name),
    };
    // A name with dots is that of a table.
    !class.contains('.') && SERVERS.iter().any(|server| class.starts_with(server))
}

/// A class without its path: `JDBCScan$$anon$1@1f2e` of `org.apache.spark.….JDBCScan$$anon$1@1f2e`.
fn class_of(path: &str) -> String {
    let path = path.split_whitespace().next().unwrap_or_default();
    path.rsplit('.').next().unwrap_or_default().to_owned()
}

/// What a node only shows beside the one above it.
pub(super) fn tell_child(raw: &RawQuery, nodes: &mut [Node], id: usize, child: usize) {
    // Photon broadcasts by a shuffle whose stage says so.
    let broadcasts = nodes[id].kind == Kind::Wrapper && raw.nodes[id].simple_string.contains("EXECUTOR_BROADCAST");
    if broadcasts && nodes[child].kind.is_exchange() {
        nodes[child].kind = Kind::Broadcast;
        nodes[child].class = Some("BroadcastExchangeExec".to_owned());
    }
    // Since Spark 3.4 `WriteFiles` does the work of the command above it, which has the numbers.
    if nodes[id].kind == Kind::Write && nodes[child].name.ends_with("WriteFiles") {
        nodes[child].kind = Kind::Wrapper;
    }
}

/// Rows and bytes that Spark counted.
fn set_figures(raw: &RawNode, node: &mut Node) {
    let reported = |names: &[&str]| metrics::total(raw, names).map(Amount::reported);
    node.rows_out = reported(&ROWS_OUT);
    node.rows_in = reported(&ROWS_IN);
    match node.kind {
        Kind::Shuffle | Kind::Gather => {
            // The RAPIDS plugin shuffles batches: its records are no rows.
            if !node.ran_on_gpu {
                node.rows_out = node.rows_out.or_else(|| reported(&["shuffle records written", "records read"]));
            }
            node.bytes_out = reported(&["data size"]);
            node.wire_bytes = reported(&["shuffle bytes written"]);
        }
        Kind::Broadcast => {
            node.bytes_out = reported(&["data size"]);
            node.wire_bytes = reported(&["shuffle bytes written"]);
        }
        Kind::Write => node.bytes_out = reported(&["written output"]),
        Kind::Scan => {
            node.row_width =
                width::schema(raw).and_then(width::row_width).map(|width| Amount::estimated(width, Rule::ColumnTypes));
        }
        _ => {}
    }
}

/// Times of an operator alone; those of Spark, of native engines and of the RAPIDS plugin.
pub(super) const EXCLUSIVE: [&str; 4] = ["op time", "sort time", "scan time", "shuffle write time"];
/// Times of an operator alone on a GPU.
pub(super) const ON_GPU: [&str; 2] = ["op time", "operator time"];
/// Times of an operator with those below it.
pub(super) const INCLUSIVE: [&str; 6] = [
    "duration",
    "time in aggregation build",
    "aggregate time",
    "time to build hash map",
    "total time",
    "op time (legacy)",
];

/// The time that Spark reported, the best one where it has several.
///
/// Exclusive are `sort time`, `scan time` (with waiting for storage), `shuffle write time`, the driver's times of a
/// broadcast and the plugin's `op time`. A stage's `duration`, `time in aggregation build`, the build of a shuffled
/// hash join and the plugin's `total time` run while the operators below work.
fn time(raw: &RawNode, gpu: bool) -> Option<Time> {
    let first = |names: &[&str]| names.iter().find_map(|name| metrics::seconds(raw, name));
    let exclusive = if gpu { first(&ON_GPU).or_else(|| first(&EXCLUSIVE)) } else { first(&EXCLUSIVE) };
    let exclusive = exclusive.or_else(|| stage_time::on_driver(raw));
    let inclusive = || first(&INCLUSIVE).map(|seconds| Time { seconds, scope: Scope::Inclusive });
    exclusive.map(|seconds| Time { seconds, scope: Scope::Exclusive }).or_else(inclusive)
}

/// Inputs that answer a subquery, by the node that asks. Spark lists them behind the inputs of rows.
fn subqueries(nodes: &[Node]) -> BTreeMap<usize, Vec<usize>> {
    let mut found = BTreeMap::new();
    for (id, node) in nodes.iter().enumerate() {
        let is_subquery = |input: &&usize| nodes[**input].name.contains("Subquery");
        let subquery_inputs: Vec<usize> = node.inputs.iter().filter(is_subquery).copied().collect();
        if !subquery_inputs.is_empty() && node.kind != Kind::Wrapper {
            found.insert(id, subquery_inputs);
        }
    }
    found
}

/// A cached table was worked out by an earlier query unless its part ran in a stage of this one; an empty relation
/// only remembers what it took the place of. Nothing flows from there.
fn leave_out_what_did_not_run(raw: &RawQuery, nodes: &mut [Node]) {
    let stages: BTreeSet<u64> = raw.stages.iter().copied().collect();
    // Whether a node or one below it ran in this query.
    let mut ran = vec![false; nodes.len()];
    for id in (0..nodes.len()).rev() {
        ran[id] = nodes[id].stages.iter().any(|stage| stages.contains(stage))
            || raw.nodes[id].children.iter().any(|child| ran[*child]);
    }
    for node in nodes.iter_mut() {
        let is_cache = node.class.as_deref() == Some("InMemoryTableScanExec") && node.kind == Kind::Values;
        let is_empty = node.name == "EmptyRelation";
        if is_empty {
            node.rows_out = Some(Amount::reported(0.0));
        }
        if is_empty || (is_cache && !node.inputs.iter().any(|input| ran[*input])) {
            node.inputs.clear();
        }
    }
}

/// Rows of operators without a count whose number of rows is known all the same: user code that gives one row for
/// each, and limits.
fn inherit_rows(raw: &RawQuery, nodes: &mut [Node]) {
    const ONE_FOR_ONE: [&str; 7] = [
        "SerializeFromObject",
        "DeserializeToObject",
        "MapElements",
        "AppendColumns",
        "AppendColumnsWithObject",
        "ArrowEvalPython",
        "BatchEvalPython",
    ];
    let mut rows: Vec<Option<Amount>> = vec![None; nodes.len()];
    for id in (0..nodes.len()).rev() {
        let node = &nodes[id];
        let input = node.inputs.first().and_then(|input| rows[*input]);
        let same = || input.map(|rows| rows.follow(rows.value, Rule::SameAsInput));
        let inherited = match node.kind {
            Kind::UserCode if ONE_FOR_ONE.contains(&node.name.trim_start_matches("Gpu")) => same(),
            Kind::Limit | Kind::Sort => match limit(&raw.nodes[id]) {
                Some(limit) => {
                    let rows = input.map_or(limit, |rows| rows.value.min(limit));
                    Some(Amount::estimated(rows, Rule::Limit))
                }
                None => None,
            },
            _ => None,
        };
        nodes[id].rows_out = nodes[id].rows_out.or(inherited);
        let node = &nodes[id];
        let passes_all =
            matches!(node.kind, Kind::Wrapper | Kind::Project | Kind::Sort | Kind::Window) || node.kind.is_exchange();
        rows[id] = node.rows_out.or_else(|| if passes_all { same() } else { None });
    }
}

/// Most rows of a limit over the whole query: `CollectLimit 21`, `GlobalLimit 10`, `TakeOrderedAndProject(limit=100,`.
/// A `LocalLimit` counts by partition.
pub(super) fn limit(raw: &RawNode) -> Option<f64> {
    let text = raw.simple_string.trim();
    let digits = |text: &str| text.split(|letter: char| !letter.is_ascii_digit()).next().and_then(|n| n.parse().ok());
    if let Some((_, behind)) = text.split_once("(limit=") {
        return digits(behind);
    }
    let (name, behind) = text.split_once(' ')?;
    ["CollectLimit", "GlobalLimit", "CollectTail"].iter().any(|limit| name.ends_with(limit)).then(|| digits(behind))?
}
