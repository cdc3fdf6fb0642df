//! What a query moves: data read, files opened, data of exchanges, and rows that some operators multiply.
//!
//! Sources of the volumes in the metrics of Spark and of the engines that run its plans:
//!
//! | volume | metric |
//! |---|---|
//! | data read | bytes read by the stages of a scan, else rows × width of the columns, at most the size of its files |
//! | files | `number of files read`; of Spark 2 `number of files`; of Iceberg `number of result data files` |
//! | scans of partitioned tables | `number of partitions read`, else the scan's text |
//! | data of an exchange | `data size`, of which Spark's rows are converted to columns |
//! | rows, copies, pairs | `number of output rows` |
//! | cores with tasks | tasks and durations of the stages |
//!
//! Spark counts the `data size` of an exchange in its own rows: a word of null bits per 64 fields, 8 bytes for each field, and
//! texts behind them, filled up to whole words. In columns most fields have 4 bytes, and a text has its length and 4 bytes. A log
//! does not say how many fields are texts, but without any, all rows have the same size, a whole number of words. Sums and
//! counts have 8 bytes in both.

use serde::{Deserialize, Serialize};

use super::Plan;
use super::fill::fill;
use super::kind::Kind;
use super::measured_run::StageRun;
use super::node::Node;
use super::numbers::Numbers;
use super::operation::Operation;

/// Bytes of a GB.
const GB: f64 = 1e9;
/// Bytes of a word, which a field and 64 null bits have in Spark's rows.
const WORD: f64 = 8.0;
/// Bytes in columns ÷ bytes of the fields in Spark's rows, if no field is a text: 4 of 8 bytes.
const SHARE_OF_NUMBERS: f64 = 0.5;
/// The same with texts: mean of the exchanges of TPC-DS (SF 1000) that have texts.
const SHARE_WITH_TEXTS: f64 = 0.665;
/// Metrics with the number of files that a scan opens: Spark 3, Spark 2, Iceberg, its older versions, Photon.
const FILES: [&str; 6] = [
    "number of files read",
    "number of files",
    "number of result data files",
    "number of scanned data files",
    "files read",
    "number of file splits read",
];
/// Metrics with the bytes of these files: Spark, Iceberg, its older versions.
const FILE_BYTES: [&str; 3] = ["size of files read", "total data file size (bytes)", "total file size (bytes)"];
/// Formats that are read as a whole, whatever the columns.
const FORMATS_OF_ROWS: [&str; 4] = ["csv", "json", "text", "avro"];
/// Bytes of columns in Parquet with Snappy ÷ widths of their types in Spark: mean of the large tables' scans in TPC-DS (SF 1000).
/// One scan in ten has less than 0.19, one in ten more than 0.65.
const SHARE_IN_FILES: f64 = 0.36;
/// Exchanges whose `data size` counts Spark's rows; those of other engines count columns.
const EXCHANGES_OF_ROWS: [&str; 3] = ["Exchange", "ShuffleExchange", "CometColumnarExchange"];

/// What a query moves, as its engine counted it or as its plan says: what a time on GPUs depends on beside the time on CPUs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volumes {
    /// Compressed bytes of the columns that scans read, GB.
    pub read_gb: f64,
    /// Files that scans open.
    pub files: f64,
    /// Scans of tables in partitions.
    pub partitioned_scans: f64,
    /// Data of each exchange that is not reused, column by column, GB.
    pub exchanges_gb: Vec<f64>,
    /// Rows that window functions read.
    pub window_rows: f64,
    /// Rows that grouping sets make.
    pub expanded_rows: f64,
    /// Most copies that one operator makes of a row.
    pub copies: f64,
    /// Pairs that joins without equal keys compare.
    pub pairs: f64,
    /// Cores that the stages of the run had tasks for: the mean over their durations; `None` if the engine does not report stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<f64>,
}

impl Volumes {
    /// The volumes that the engine counted in the run of a valid plan; `None` if it did not count all of them: see
    /// [`uncounted()`]. A part that is reused counts once. Of a plan over more data they are those of the run, multiplied.
    ///
    /// # Panics
    /// If an input does not exist, see [`super::validate::validate`].
    #[must_use]
    pub fn reported(plan: &Plan) -> Option<Self> {
        if let Some(volumes) = &plan.volumes {
            return Some(volumes.clone());
        }
        if !plan.is_of_spark() || !has_run(plan) || !uncounted(plan).is_empty() {
            return None;
        }
        let numbers = fill(plan);
        let mut volumes = Self { lanes: lanes(&plan.stages), ..Self::default() };
        for (id, node) in plan.nodes.iter().enumerate().filter(|(_, node)| node.works()) {
            match node.kind {
                Kind::Scan => {
                    let (bytes, files) = read(node)?;
                    volumes.read_gb += bytes / GB;
                    volumes.files += files;
                    volumes.partitioned_scans += f64::from(u8::from(is_partitioned(node)));
                }
                Kind::Shuffle | Kind::Gather => volumes.exchanges_gb.push(exchanged(plan, id, &numbers) / GB),
                Kind::Window => volumes.window_rows += numbers[id].rows_in.value,
                Kind::Expand if node.name.contains("Expand") => {
                    volumes.expanded_rows += numbers[id].rows_out.value;
                    volumes.copies = volumes.copies.max(copies(node, &numbers[id]));
                }
                Kind::Join => volumes.pairs += pairs(plan, node, &numbers),
                _ => {}
            }
        }
        Some(volumes)
    }

    /// Data of all exchanges beyond the memory that each of them has, GB.
    #[must_use]
    pub fn spilled_gb(&self, memory_gb: f64) -> f64 {
        self.exchanges_gb.iter().map(|exchange| (exchange - memory_gb).max(0.0)).sum()
    }

    /// The volumes over tables that are larger by this factor. They have as many partitions, and each as many files.
    #[must_use]
    pub fn times(&self, growth: f64) -> Self {
        Self {
            read_gb: self.read_gb * growth,
            files: self.files,
            partitioned_scans: self.partitioned_scans,
            exchanges_gb: self.exchanges_gb.iter().map(|gigabytes| gigabytes * growth).collect(),
            window_rows: self.window_rows * growth,
            expanded_rows: self.expanded_rows * growth,
            copies: self.copies,
            pairs: self.pairs * growth,
            // As many partitions, and Spark's number of them after an exchange, whatever the data.
            lanes: self.lanes,
        }
    }
}

/// Cores that stages have tasks for: of each the smaller one of its tasks and its task slots, on average over their durations.
fn lanes(stages: &[StageRun]) -> Option<f64> {
    let lanes = |stage: &StageRun| if stage.slots > 0.0 { stage.tasks.min(stage.slots) } else { stage.tasks };
    let seconds: f64 = stages.iter().map(StageRun::seconds).sum();
    let used: f64 = stages.iter().map(|stage| lanes(stage) * stage.seconds()).sum();
    (seconds > 0.0).then(|| used / seconds)
}

/// Whether an engine counted anything of a plan in a run.
#[must_use]
pub fn has_run(plan: &Plan) -> bool {
    plan.nodes.iter().any(|node| node.metrics.iter().any(|metric| metric.total.is_some()))
}

/// Ids of the scans whose files or data the engine did not count: of a cache, a database, a stream, or files that no metric
/// counts; and of exchanges without a metric.
#[must_use]
pub fn uncounted(plan: &Plan) -> Vec<usize> {
    let is_uncounted = |node: &Node| match node.kind {
        Kind::Scan => read(node).is_none(),
        Kind::Values => is_stored_elsewhere(node) && !is_idle(node) && !has_no_rows(node),
        Kind::Shuffle | Kind::Gather => node.metrics.is_empty(),
        _ => false,
    };
    let nodes = plan.nodes.iter().enumerate();
    nodes.filter(|(_, node)| node.works() && is_uncounted(node)).map(|(id, _)| id).collect()
}

/// Rows that are neither in files nor in the plan: a cached table, a distributed collection ("`Scan ExistingRDD`", "Scan").
fn is_stored_elsewhere(node: &Node) -> bool {
    let is_collection = node.name == "Scan" || node.name.contains("ExistingRDD");
    is_collection || node.class.as_deref() == Some("InMemoryTableScanExec")
}

/// Whether an operator of a run has metrics of which none was reported: nothing asked for its rows.
fn is_idle(node: &Node) -> bool {
    !node.metrics.is_empty() && node.metrics.iter().all(|metric| metric.total.is_none())
}

fn has_no_rows(node: &Node) -> bool {
    node.rows_out.is_some_and(|rows| rows.value == 0.0)
}

/// Bytes and files that a scan read; `None` if they were not counted.
fn read(node: &Node) -> Option<(f64, f64)> {
    if is_idle(node) {
        return Some((0.0, 0.0));
    }
    let files = first(node, &FILES)?;
    let bytes = if files == 0.0 { 0.0 } else { bytes_read(node)? };
    Some((bytes, files))
}

/// Bytes of the columns that a scan read. Where only the size of its files is known, widths of the columns tell how much of them.
fn bytes_read(node: &Node) -> Option<f64> {
    let whole = first(node, &FILE_BYTES);
    let read = node.bytes_in.map(|bytes| bytes.value);
    let Some(whole) = whole.filter(|whole| read.is_none_or(|read| read == *whole)) else { return read };
    let format = node.name.split(' ').nth(1).unwrap_or_default();
    let columns = node.rows_out.zip(node.row_width).filter(|_| !FORMATS_OF_ROWS.contains(&format));
    Some(columns.map_or(whole, |(rows, width)| (rows.value * width.value * SHARE_IN_FILES).min(whole)))
}

/// Total of the first of these metrics that was reported.
fn first(node: &Node, names: &[&str]) -> Option<f64> {
    names.iter().find_map(|name| node.metric(name))
}

/// Whether the files of a scan lie in folders of partitions.
fn is_partitioned(node: &Node) -> bool {
    let in_text = |word: &str| node.detail.split_once(word).is_some_and(|(_, behind)| !behind.starts_with(']'));
    node.metric("number of partitions read").is_some_and(|partitions| partitions > 0.0)
        || node.source.as_ref().is_some_and(|source| !source.partition_columns.is_empty())
        || in_text("PartitionCount: ")
        || in_text("PartitionFilters: [")
}

/// Bytes in columns of the rows that an exchange moves.
fn exchanged(plan: &Plan, id: usize, numbers: &[Numbers]) -> f64 {
    let node = &plan.nodes[id];
    let Some(bytes) = node.bytes_out.map(|bytes| bytes.value) else {
        // Without the data, widths by the types of the columns.
        return if node.rows_out.is_some() { numbers[id].bytes_out.value } else { 0.0 };
    };
    let head = node.name.find([' ', '(']).map_or(node.name.as_str(), |end| &node.name[..end]);
    if node.ran_on_gpu || !EXCHANGES_OF_ROWS.contains(&head) {
        return bytes;
    }
    // Spark 2 counts no rows of an exchange; each has a word at least.
    let rows = node.rows_out.unwrap_or(numbers[id].rows_out).value.min(bytes / WORD);
    if rows > 0.0 { rows * in_columns(bytes / rows, aggregate_below(plan, id)) } else { 0.0 }
}

/// Bytes in columns of one of Spark's rows, which come from this aggregate.
fn in_columns(row_bytes: f64, aggregate: Option<&Node>) -> f64 {
    let words = row_bytes / WORD;
    // 64 fields have one word of null bits.
    let fields = (row_bytes - WORD * (words / 65.0).ceil()).max(0.0);
    let has_texts = (words - words.round()).abs() > 1e-6;
    let results = match aggregate {
        None => 0.0,
        Some(aggregate) if has_texts => WORD * listed(&aggregate.detail, "functions=[").unwrap_or(0.0),
        Some(aggregate) => {
            let keys = if aggregate.keys.is_empty() {
                listed(&aggregate.detail, "keys=[")
            } else {
                Some(aggregate.keys.len() as f64)
            };
            keys.map_or(0.0, |keys| fields - WORD * keys)
        }
    };
    let results = results.clamp(0.0, fields);
    let share = if has_texts { SHARE_WITH_TEXTS } else { SHARE_OF_NUMBERS };
    share * (fields - results) + results
}

/// The aggregate whose rows an operator reads as they are.
fn aggregate_below(plan: &Plan, id: usize) -> Option<&Node> {
    let below = |node: &Node| node.inputs.first().map(|input| &plan.nodes[*input]);
    let mut node = below(&plan.nodes[id])?;
    while node.kind == Kind::Wrapper && node.reuses.is_none() {
        node = below(node)?;
    }
    (node.kind == Kind::Aggregate && node.reuses.is_none()).then_some(node)
}

/// Items of the list in a text behind a word that ends with its bracket; the list may be cut.
fn listed(text: &str, word: &str) -> Option<f64> {
    let (_, list) = text.split_once(word)?;
    let mut depth = 0_u32;
    let (mut commas, mut is_empty) = (0.0, true);
    for letter in list.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => break,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => commas += 1.0,
            _ => {}
        }
        is_empty = false;
    }
    Some(if is_empty { 0.0 } else { commas + 1.0 })
}

/// Rows that an operator makes of one.
fn copies(node: &Node, numbers: &Numbers) -> f64 {
    match node.operation {
        Some(Operation::Expand { copies }) => f64::from(copies),
        _ => numbers.selectivity().unwrap_or(0.0).round(),
    }
}

/// Pairs that a join without equal keys compares.
fn pairs(plan: &Plan, node: &Node, numbers: &[Numbers]) -> f64 {
    if !node.name.contains("NestedLoop") && !node.name.contains("Cartesian") {
        return 0.0;
    }
    let inputs = node.inputs.iter().filter(|input| !plan.nodes[**input].name.contains("Subquery"));
    inputs.take(2).map(|input| numbers[*input].rows_out.value).product()
}

#[cfg(test)]
mod tests {
    use super::super::amount::Amount;
    use super::super::grow::scale;
    use super::super::node::{Metric, Source};
    use super::*;

    fn metric(name: &str, total: Option<f64>) -> Metric {
        Metric { name: name.to_owned(), unit: "sum".to_owned(), total }
    }

    fn scan(files: f64, bytes: f64) -> Node {
        Node {
            bytes_in: Some(Amount::reported(bytes)),
            rows_out: Some(Amount::reported(1000.0)),
            metrics: vec![metric("number of files read", Some(files))],
            ..Node::new("Scan parquet shop.sales", Kind::Scan)
        }
    }

    /// An exchange whose rows come from the next node.
    fn exchange(name: &str, rows: f64, bytes: f64) -> Node {
        Node {
            inputs: vec![1],
            rows_out: Some(Amount::reported(rows)),
            bytes_out: Some(Amount::reported(bytes)),
            metrics: vec![metric("data size", Some(bytes))],
            ..Node::new(name, Kind::Shuffle)
        }
    }

    fn plan(nodes: Vec<Node>) -> Plan {
        Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() }
    }

    fn reported(nodes: Vec<Node>) -> Volumes {
        Volumes::reported(&plan(nodes)).expect("all is counted")
    }

    #[test]
    fn a_plan_over_three_times_the_data_moves_three_times_as_much_in_as_many_files() {
        let now = plan(vec![exchange("Exchange", 1e6, 16e6), scan(100.0, 2e9)]);
        let more = Volumes::reported(&scale(&now, 3.0)).expect("the run is counted");
        assert_eq!(more, Volumes::reported(&now).expect("the run is counted").times(3.0));
        assert_eq!((more.read_gb, more.files, more.partitioned_scans), (6.0, 100.0, 0.0));
    }

    /// GB in columns of an exchange of 1e9 rows of these bytes, which come from this node.
    fn exchanged(name: &str, row_bytes: f64, below: Node) -> f64 {
        let gb = reported(vec![exchange(name, 1e9, row_bytes * 1e9), below]).exchanges_gb;
        assert_eq!(gb.len(), 1);
        gb[0]
    }

    #[test]
    fn rows_of_spark_are_larger_than_their_columns() {
        let of_scan = |row_bytes: f64| exchanged("Exchange", row_bytes, scan(1.0, 1.0));
        // Three whole numbers: 8 + 3 × 8 bytes as a row, 3 × 4 in columns. Seventy of them: two words of null bits.
        assert!((of_scan(32.0) - 12.0).abs() < 1e-9);
        assert!((of_scan(16.0 + 70.0 * 8.0) - 280.0).abs() < 1e-9);
        // A row without a field.
        assert_eq!(of_scan(8.0), 0.0);
        // A whole number and a text of 13 letters that three of five rows have: 8 + 8 + 8 bytes, and 16 where it is there. In columns
        // 4 + 4 + 13 × 0.6.
        let with_text = of_scan(24.0 + 16.0 * 0.6);
        assert!((with_text / 15.8 - 1.0).abs() < 0.1, "{with_text}");
    }

    #[test]
    fn sums_have_8_bytes_in_columns() {
        let aggregate = |detail: &str| Node {
            detail: detail.to_owned(),
            inputs: vec![2],
            rows_out: Some(Amount::reported(1e9)),
            ..Node::new("HashAggregate", Kind::Aggregate)
        };
        let of = |row_bytes: f64, detail: &str| {
            let exchange = exchange("Exchange", 1e9, row_bytes * 1e9);
            reported(vec![exchange, aggregate(detail), scan(1.0, 1.0)]).exchanges_gb[0]
        };
        // Two keys, a sum and a count: 8 + 4 × 8 bytes as a row, 2 × 4 + 2 × 8 in columns.
        let both = of(40.0, "(keys=[store, coalesce(day, 0)], functions=[partial_sum(price), partial_count(1)])");
        assert!((both - 24.0).abs() < 1e-9, "{both}");
        let total = of(16.0, "(keys=[], functions=[partial_sum(price)])");
        assert!((total - 8.0).abs() < 1e-9, "{total}");
    }

    #[test]
    fn engines_that_exchange_columns_count_them() {
        for name in ["ColumnarExchange", "CometExchange", "PhotonShuffleExchangeSink"] {
            assert!((exchanged(name, 20.0, scan(1.0, 1.0)) - 20.0).abs() < 1e-9, "{name}");
        }
        let coordinated = exchanged("Exchange(coordinator id: 12)", 32.0, scan(1.0, 1.0));
        assert!((coordinated - 12.0).abs() < 1e-9, "{coordinated}");
    }

    #[test]
    fn what_is_reused_or_broadcast_is_not_exchanged_again() {
        let root = Node { inputs: vec![1, 2, 3], ..Node::new("Union", Kind::Union) };
        let first = Node { inputs: vec![4], ..exchange("Exchange", 1e9, 32e9) };
        let again = Node { reuses: Some(1), inputs: Vec::new(), ..exchange("Exchange", 1e9, 32e9) };
        let broadcast = Node { kind: Kind::Broadcast, inputs: vec![4], ..exchange("BroadcastExchange", 1e6, 32e6) };
        let volumes = reported(vec![root, first, again, broadcast, scan(3.0, 2e9)]);
        assert_eq!(volumes.exchanges_gb.len(), 1);
        assert_eq!((volumes.files, volumes.read_gb), (3.0, 2.0));
    }

    #[test]
    fn files_are_counted_under_the_names_of_each_version() {
        for name in ["number of files read", "number of files", "number of result data files"] {
            let scan = Node { metrics: vec![metric(name, Some(7.0))], ..scan(0.0, 5e8) };
            let volumes = reported(vec![scan]);
            assert_eq!((volumes.files, volumes.read_gb, volumes.partitioned_scans), (7.0, 0.5, 0.0), "{name}");
        }
        // Iceberg's files, of which no stage counts the bytes.
        let metrics =
            vec![metric("number of result data files", Some(2.0)), metric("total data file size (bytes)", Some(3e9))];
        let iceberg = Node { metrics, bytes_in: None, ..scan(0.0, 0.0) };
        assert_eq!(reported(vec![iceberg]).read_gb, 3.0);
    }

    #[test]
    fn of_whole_files_the_columns_count() {
        let read = |name: &str, bytes: f64| {
            let metrics = vec![metric("number of files read", Some(1.0)), metric("size of files read", Some(1e9))];
            let (rows, width) = (Some(Amount::reported(1e7)), Some(Amount::reported(20.0)));
            reported(vec![Node {
                name: name.to_owned(),
                metrics,
                rows_out: rows,
                row_width: width,
                ..scan(1.0, bytes)
            }])
            .read_gb
        };
        // The stage counted its bytes.
        assert_eq!(read("Scan parquet shop.sales", 3e8), 0.3);
        // It did not: 1e7 rows × 20 bytes × 0.36.
        assert!((read("Scan parquet shop.sales", 1e9) - 0.072).abs() < 1e-9);
        assert_eq!(read("Scan csv shop.sales", 1e9), 1.0);
    }

    #[test]
    fn tables_in_partitions_are_known_by_a_metric_or_by_the_text() {
        let partitioned = |change: &dyn Fn(&mut Node)| {
            let mut scan = scan(2.0, 1e9);
            change(&mut scan);
            reported(vec![scan]).partitioned_scans
        };
        let of_spark_3 = partitioned(&|scan| scan.metrics.push(metric("number of partitions read", Some(2.0))));
        let of_spark_2 = partitioned(&|scan| scan.detail = "[a], Format: Parquet, PartitionCount: 2".to_owned());
        let of_source = partitioned(&|scan| {
            scan.source = Some(Box::new(Source { partition_columns: vec!["day".to_owned()], ..Source::default() }));
        });
        let without = partitioned(&|scan| scan.detail = "[a], PartitionFilters: [], PushedFilters: []".to_owned());
        assert_eq!([of_spark_3, of_spark_2, of_source, without], [1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn scans_that_are_not_counted_leave_the_volumes_unknown() {
        let counted = |mut node: Node| {
            node.rows_out = node.rows_out.or(Some(Amount::reported(10.0)));
            node.metrics.push(metric("number of output rows", Some(10.0)));
            let plan = plan(vec![node]);
            assert_eq!(uncounted(&plan).is_empty(), Volumes::reported(&plan).is_some());
            uncounted(&plan).is_empty()
        };
        let cache =
            Node { class: Some("InMemoryTableScanExec".to_owned()), ..Node::new("InMemoryTableScan", Kind::Values) };
        assert!(!counted(cache));
        assert!(!counted(Node::new("Scan JDBCRelation(people)", Kind::Scan)));
        assert!(!counted(Node::new("Scan hive shop.notes", Kind::Scan)));
        assert!(!counted(Node::new("Scan ExistingRDD", Kind::Values)));
        assert!(!counted(Node::new("Scan", Kind::Values)));
        assert!(counted(Node::new("LocalTableScan", Kind::Values)));
        assert!(counted(scan(1.0, 1.0)));
    }

    #[test]
    fn what_did_not_run_moves_nothing() {
        let metrics = vec![metric("number of files read", None), metric("number of output rows", None)];
        let idle = Node { metrics, bytes_in: None, rows_out: None, ..scan(0.0, 0.0) };
        let root = Node { inputs: vec![1, 2], ..Node::new("Union", Kind::Union) };
        let volumes = reported(vec![root, idle, scan(4.0, 1e9)]);
        assert_eq!((volumes.files, volumes.read_gb), (4.0, 1.0));
        // A text of a plan has no metrics at all.
        let scan = Node { metrics: Vec::new(), ..scan(0.0, 1e9) };
        assert_eq!(Volumes::reported(&plan(vec![scan])), None);
        let other = Plan { engine: "DuckDB 1.4".to_owned(), ..plan(vec![self::scan(1.0, 1e9)]) };
        assert_eq!(Volumes::reported(&other), None);
    }

    #[test]
    fn stages_use_as_many_cores_as_they_have_tasks() {
        let stage = |seconds: f64, tasks: f64, slots: f64| StageRun {
            start: 1.0,
            end: 1.0 + seconds,
            tasks,
            slots,
            ..StageRun::default()
        };
        // Of 1,024 cores a scan of 3,000 files uses all for 10 s, and an exchange with 200 partitions 200 for 30 s.
        let stages = vec![stage(10.0, 3000.0, 1024.0), stage(30.0, 200.0, 1024.0)];
        let run = Plan { stages, ..plan(vec![scan(1.0, 1.0)]) };
        assert_eq!(Volumes::reported(&run).and_then(|volumes| volumes.lanes), Some(406.0));
        // A log without executors has no slots.
        let run = Plan { stages: vec![stage(5.0, 7.0, 0.0)], ..run };
        assert_eq!(Volumes::reported(&run).and_then(|volumes| volumes.lanes), Some(7.0));
        assert_eq!(reported(vec![scan(1.0, 1.0)]).lanes, None);
    }

    #[test]
    fn operators_that_multiply_rows_are_counted() {
        let rows = |count: f64| Some(Amount::reported(count));
        let join = Node { inputs: vec![1, 2], ..Node::new("BroadcastNestedLoopJoin", Kind::Join) };
        let window = Node { inputs: vec![3], ..Node::new("Window", Kind::Window) };
        let expand = Node { inputs: vec![4], rows_out: rows(9000.0), ..Node::new("Expand", Kind::Expand) };
        let volumes = reported(vec![join, window, scan(1.0, 1.0), expand, scan(1.0, 1.0)]);
        assert_eq!((volumes.window_rows, volumes.expanded_rows, volumes.copies), (9000.0, 9000.0, 9.0));
        // The rows of the window with the thousand of the scan.
        assert_eq!(volumes.pairs, 9e6);
    }
}
