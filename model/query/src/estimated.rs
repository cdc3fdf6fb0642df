//! What a query moves that never ran: by rules from the plan that Spark made for it, and from the rows of its tables.
//!
//! - data read: bytes of the columns as the footers of the files state them ([`stored`](super::stored)) × share of the partitions;
//!   without footers bytes of the files × share of the columns; without those rows × bytes of the columns in Parquet
//! - share of the partitions: of dynamic pruning, the days that pass its filter ÷ all; else of those that are not null
//! - files: those that were listed × share of the partitions; else partitions × share, one each; of other tables one for each 128 MB
//! - exchanges: rows × bytes of a row in columns; a partial aggregate sends the groups of each of its tasks
//! - bytes written: rows of Spark as LZ4 compresses them (`compressed`)
//! - what a reused part stands for counts once; a table that is scanned twice is read twice
//!
//! Columns have no statistics but those of footers, so conditions and groups have usual values: `conditions` has those of a condition, `tables` those of
//! a column, `rows` the rows of each operator. The same rules in Python, and what they are worth: `scenarios/truth/plan_volumes.py`,
//! docs/FIDELITY.md.

mod compressed;
mod conditions;
mod rows;
mod tables;

use self::compressed::Sent;
use self::rows::Rows;
use self::tables::{bytes_of_columns, share_of_columns};
use super::Plan;
use super::fill::fill;
use super::kind::Kind;
use super::node::{Node, Source};
use super::operation::Operation;
use super::volumes::{FORMATS_OF_ROWS, GB, Volumes, has_run};

/// Bytes of values in columns ÷ Spark's guesses of them: it takes 20 bytes for a text and 8 for a decimal. Chosen: with 0.5 to 0.7,
/// queries of TPC-DS are predicted about equally well.
const SHARE_IN_COLUMNS: f64 = 0.6;
/// Bytes of a row in the files of a table, for its number of files.
const ROW_IN_FILES: f64 = 100.0;
/// Bytes of a row that a scan splits into tasks.
const ROW_OF_TASK: f64 = 60.0;
/// Spark's `spark.sql.files.maxPartitionBytes` and `spark.sql.files.openCostInBytes`.
const SPLIT: f64 = 128e6;
const OPEN: f64 = 4e6;
/// Spark's `spark.sql.shuffle.partitions`.
const SHUFFLE_TASKS: f64 = 200.0;
/// Spark's `spark.sql.adaptive.coalescePartitions.minPartitionSize`: with many cores, adaptive execution puts partitions together until
/// they have as many bytes.
const LEAST_PARTITION: f64 = 1_048_576.0;
/// Formats that are read by columns; of an empty one nothing is known, and Spark's is Parquet.
const FORMATS_OF_COLUMNS: [&str; 5] = ["", "parquet", "orc", "delta", "iceberg"];

/// What a query will move, by rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EstimatedVolumes {
    /// What it moves.
    pub volumes: Volumes,
    /// Exchanges on the longest path of the plan.
    pub depth: f64,
    /// Rows that aggregates group before an exchange.
    pub grouped_rows: f64,
    /// Data of all exchanges in Spark's own rows, GB, as its metric “data size” counts it; `None` if the bytes of a row are not known.
    pub shuffled_gb: Option<f64>,
    /// Compressed bytes (LZ4) that all exchanges write, GB; `None` if the bytes of a row are not known.
    pub written_gb: Option<f64>,
    /// Whether the plan states the rows, or the bytes, of all tables that it reads.
    pub has_sizes: bool,
    /// What the plan does not state and the rules assume, a sentence without its full stop each.
    pub assumed: Vec<String>,
}

impl EstimatedVolumes {
    /// The volumes of a valid plan of Spark that has not run; `None` for other plans, and if it reads no table.
    ///
    /// # Panics
    /// If an input does not exist, see [`super::validate::validate`].
    #[must_use]
    pub fn of(plan: &Plan) -> Option<Self> {
        let is_timed = |node: &Node| node.time.is_some() || node.cpu_seconds.is_some();
        if !plan.is_of_spark() || has_run(plan) || plan.nodes.iter().any(is_timed) {
            return None;
        }
        let is_table = |node: &Node| node.works() && node.kind == Kind::Scan && node.source.is_some();
        plan.nodes.iter().any(is_table).then(|| Moved::new(plan).volumes())
    }
}

/// A plan with its rows, while what it moves is counted.
struct Moved<'a> {
    plan: &'a Plan,
    rows: Rows<'a>,
    /// Tasks of the stage of each operator.
    tasks: Vec<f64>,
    /// Partitions to which each exchange writes.
    partitions: Vec<f64>,
    /// Exchanges on the longest path to each operator.
    depths: Vec<f64>,
}

impl<'a> Moved<'a> {
    fn new(plan: &'a Plan) -> Self {
        let rows = Rows::new(plan);
        let count = plan.nodes.len();
        let [tasks, partitions] = [vec![1.0; count], vec![1.0; count]];
        let mut moved = Self { plan, rows, tasks, partitions, depths: vec![0.0; count] };
        let is_adaptive = plan.nodes.iter().any(|node| node.name == "AdaptiveSparkPlan");
        for place in 0..moved.rows.order.len() {
            let id = moved.rows.order[place];
            let node = &plan.nodes[id];
            let below = || rows::inputs(plan, id);
            let depth = below().map(|input| moved.depths[input]).fold(0.0, f64::max);
            let tasks = below().map(|input| moved.tasks[input]).fold(1.0, f64::max);
            let is_exchange = matches!(node.kind, Kind::Shuffle | Kind::Gather) && node.reuses.is_none();
            moved.depths[id] = depth + f64::from(u8::from(is_exchange));
            moved.partitions[id] = match (node.kind, node.operation) {
                (Kind::Shuffle, Some(Operation::Exchange { partitions: Some(count), .. })) => count as f64,
                (Kind::Shuffle, _) => SHUFFLE_TASKS,
                _ => 1.0,
            };
            moved.tasks[id] = match node.kind {
                Kind::Scan => moved.tasks_of_scan(id),
                Kind::Broadcast | Kind::Gather => 1.0,
                Kind::Shuffle if is_adaptive => moved.tasks_put_together(id),
                Kind::Shuffle => moved.partitions[id],
                _ => tasks,
            };
        }
        moved
    }

    fn volumes(&self) -> EstimatedVolumes {
        let numbers = fill(self.plan);
        let tables = &self.rows.tables;
        let mut found = EstimatedVolumes {
            shuffled_gb: Some(0.0),
            written_gb: Some(0.0),
            has_sizes: tables.have_sizes(),
            assumed: tables.assumed(),
            ..EstimatedVolumes::default()
        };
        let volumes = &mut found.volumes;
        for (id, node) in self.plan.nodes.iter().enumerate().filter(|(_, node)| node.works()) {
            let (out, input) = (self.rows.of(id), self.rows.input(id));
            match node.kind {
                Kind::Scan => {
                    volumes.read_gb += self.bytes_read(id) / GB;
                    volumes.files += self.files(id);
                    volumes.partitioned_scans += f64::from(u8::from(self.rows.partitions_read(id).is_some()));
                }
                Kind::Shuffle | Kind::Gather => {
                    // A stage that has run counted them.
                    let bytes = node.bytes_out.filter(|bytes| !bytes.is_estimated()).map_or_else(
                        || self.sent(id) * numbers[id].row_width.value * SHARE_IN_COLUMNS,
                        |bytes| bytes.value,
                    );
                    volumes.exchanges_gb.push(bytes / GB);
                    let shuffled = self.shuffled(id);
                    found.shuffled_gb = found.shuffled_gb.zip(shuffled).map(|(sum, bytes)| sum + bytes / GB);
                    let written = shuffled.map(|bytes| self.written(id, bytes));
                    found.written_gb = found.written_gb.zip(written).map(|(sum, bytes)| sum + bytes / GB);
                }
                Kind::Window => volumes.window_rows += input,
                Kind::Expand if node.name.contains("Expand") => {
                    volumes.expanded_rows += out;
                    volumes.copies = volumes.copies.max(rows::copies(node));
                }
                Kind::Join if node.keys.is_empty() => {
                    volumes.pairs += rows::inputs(self.plan, id).map(|input| self.rows.of(input)).product::<f64>();
                }
                Kind::Aggregate if self.groups_rows(id) => found.grouped_rows += input,
                _ => {}
            }
        }
        found.depth = self.depths.iter().copied().fold(0.0, f64::max);
        let mut formats: Vec<&str> = self.sources().map(|source| source.format.as_str()).collect();
        formats.retain(|format| !FORMATS_OF_ROWS.contains(format) && !FORMATS_OF_COLUMNS.contains(format));
        formats.sort_unstable();
        formats.dedup();
        found
            .assumed
            .extend(formats.into_iter().map(|format| format!("files of the format “{format}” are read as Parquet")));
        found
    }

    fn sources(&self) -> impl Iterator<Item = &'a Source> {
        let scans = self.plan.nodes.iter().filter(|node| node.works() && node.kind == Kind::Scan);
        scans.filter_map(|node| node.source.as_deref())
    }

    /// Whether an aggregate works on rows that were not grouped yet: a partial one, and one that only finds different values.
    fn groups_rows(&self, id: usize) -> bool {
        let node = &self.plan.nodes[id];
        rows::is_partial(node) || rows::has_no_functions(node)
    }

    /// Bytes that a scan reads: as its files say, else compressed bytes of the columns.
    fn bytes_read(&self, id: usize) -> f64 {
        let (rows, source) = (self.rows.of(id), self.plan.nodes[id].source.as_deref());
        if let Some(bytes) = source.and_then(|source| source.read_bytes) {
            return bytes * self.share_of_table(id);
        }
        let stored = self.stated_bytes(id);
        let Some(source) = source.filter(|source| !FORMATS_OF_ROWS.contains(&source.format.as_str())) else {
            return stored.unwrap_or(rows * ROW_IN_FILES);
        };
        let of_files = stored.zip(share_of_columns(source)).map(|(bytes, share)| bytes * share);
        of_files.unwrap_or_else(|| rows * bytes_of_columns(source))
    }

    /// Share of the rows of its table that a scan reads.
    fn share_of_table(&self, id: usize) -> f64 {
        let of_table = self.rows.table_rows(id);
        if of_table > 0.0 { self.rows.of(id) / of_table } else { 1.0 }
    }

    /// Bytes of the files that a scan opens, all columns; `None` if the plan states neither them nor the columns of the table.
    fn bytes_of_files(&self, id: usize) -> Option<f64> {
        let by_columns = |source: &Source| {
            let is_of_columns = !FORMATS_OF_ROWS.contains(&source.format.as_str());
            let share = share_of_columns(source).filter(|share| *share > 0.0 && is_of_columns)?;
            Some(self.rows.of(id) * bytes_of_columns(source) / share)
        };
        self.stated_bytes(id).or_else(|| by_columns(self.plan.nodes[id].source.as_deref()?))
    }

    /// The same as the plan states it; `None` if it does not.
    fn stated_bytes(&self, id: usize) -> Option<f64> {
        let bytes = self.plan.nodes[id].source.as_deref()?.file_bytes?;
        Some(bytes * self.share_of_table(id))
    }

    /// Files that a scan opens: its share of those that were listed; else one in each partition, or as many as the size of the
    /// table needs.
    fn files(&self, id: usize) -> f64 {
        if let Some(files) = self.plan.nodes[id].source.as_deref().and_then(|source| source.files) {
            return (files * self.share_of_table(id)).max(1.0);
        }
        self.rows.partitions_read(id).unwrap_or_else(|| {
            let bytes = self.bytes_of_files(id).unwrap_or_else(|| self.rows.table_rows(id) * ROW_IN_FILES);
            (bytes / SPLIT).ceil().max(1.0)
        })
    }

    fn tasks_of_scan(&self, id: usize) -> f64 {
        let bytes = self.bytes_of_files(id).unwrap_or_else(|| self.rows.of(id) * ROW_OF_TASK);
        ((self.files(id) * OPEN + bytes) / SPLIT).max(1.0)
    }

    /// Tasks that read what an exchange wrote, in adaptive execution.
    fn tasks_put_together(&self, id: usize) -> f64 {
        let partitions = self.partitions[id];
        let is_asked_for = self.plan.nodes[id].detail.contains("REPARTITION_BY_NUM");
        let bytes = self.shuffled(id).filter(|_| !is_asked_for).map(|bytes| self.written(id, bytes));
        bytes.map_or(partitions, |bytes| (bytes / LEAST_PARTITION).ceil().min(partitions).max(1.0))
    }

    /// Bytes of Spark's own rows that an exchange moves.
    fn shuffled(&self, id: usize) -> Option<f64> {
        let node = &self.plan.nodes[id];
        let counted = node.bytes_out.filter(|bytes| !bytes.is_estimated()).map(|bytes| bytes.value);
        counted.or_else(|| Some(self.sent(id) * node.spark_row_bytes?.value))
    }

    /// Compressed bytes that an exchange writes for so many bytes of Spark's own rows.
    fn written(&self, id: usize, bytes: f64) -> f64 {
        let node = &self.plan.nodes[id];
        let below = rows::inputs(self.plan, id).next();
        let keys = rows::partitioned_by(&node.detail).into_iter().map(|name| self.rows.tables.real(name));
        let keys: Vec<&str> = keys.collect();
        let sent = Sent {
            rows: self.sent(id),
            bytes,
            tasks: below.map_or(1.0, |below| self.tasks[below]),
            partitions: self.partitions[id],
            columns: &node.row_columns,
            // After sorts, groups and joins of exchanged rows, values are not in the order of the files.
            is_in_order: below.is_some_and(|below| self.rows.are_of_scan(below)),
            keys: &keys,
        };
        sent.written()
    }

    /// Rows that an exchange moves: of a partial aggregate below it the groups of each task.
    fn sent(&self, id: usize) -> f64 {
        let Some(below) = rows::inputs(self.plan, id).next() else { return 0.0 };
        if self.plan.nodes[below].kind == Kind::Aggregate && self.groups_rows(below) {
            self.rows.groups_of_tasks(below, self.tasks[below])
        } else {
            self.rows.of(below)
        }
    }
}

#[cfg(test)]
mod tests;
