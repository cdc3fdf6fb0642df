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

mod multiplied;

use serde::{Deserialize, Serialize};

use super::Plan;
use super::fill::fill;
use super::kind::Kind;
use super::measured_run::StageRun;
use super::node::Node;
use super::numbers::Numbers;

/// Bytes of a GB.
pub(super) const GB: f64 = 1e9;
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
pub(super) const FORMATS_OF_ROWS: [&str; 4] = ["csv", "json", "text", "avro"];
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
                _ => volumes.multiply(plan, id, &numbers),
            }
        }
        Some(volumes)
    }

    /// Data of the largest exchange, GB.
    #[must_use]
    pub fn largest_exchange_gb(&self) -> f64 {
        self.exchanges_gb.iter().copied().fold(0.0, f64::max)
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

#[cfg(test)]
mod tests;
