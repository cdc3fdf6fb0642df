//! One operator of a plan and its facts.

use serde::{Deserialize, Serialize};

use super::amount::{Amount, Rule};
use super::cpu_only::CpuOnly;
use super::kind::Kind;
use super::operation::Operation;

/// One operator of a plan. Rows, bytes and seconds are totals over the whole cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Name in the source engine.
    pub name: String,
    /// What it does.
    pub kind: Kind,
    /// The engine's description of its work.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Class with a placement switch in the engine, e.g. Spark's `FilterExec`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Ids of the nodes whose output it reads; each greater than its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<usize>,
    /// The node whose result it reuses without computing it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuses: Option<usize>,
    /// Its number on the SQL page of Spark and its history server, which do not draw every node. A part of the plan that
    /// is drawn once has the same number wherever it is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spark_ui_id: Option<u64>,
    /// Stages in which it ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<u64>,
    /// Rows read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_in: Option<Amount>,
    /// Output rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_out: Option<Amount>,
    /// Bytes read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_in: Option<Amount>,
    /// Output bytes, uncompressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_out: Option<Amount>,
    /// Bytes of one output row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_width: Option<Amount>,
    /// Bytes of one output row of an exchange in Spark's own format, which its metric “data size” counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spark_row_bytes: Option<Amount>,
    /// Columns of such a row; empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub row_columns: Vec<RowColumn>,
    /// Bytes that crossed the network, as the engine compressed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_bytes: Option<Amount>,
    /// Its own CPU time, without inputs, added up over all cores, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<Amount>,
    /// Time that the engine reported for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// The source of a scan, if the engine names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<Source>>,
    /// Columns that a join compares or an aggregate groups by. An entry has all names of one key: both sides of an equality, or
    /// the columns from which a group is computed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Vec<String>>,
    /// How often an aggregate groups each of its rows: the sets of `ROLLUP`, `CUBE` or `GROUPING SETS`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grouping_sets: Option<u32>,
    /// What it does in particular, if the engine's text says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// Whether it ran on a GPU when it was recorded.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ran_on_gpu: bool,
    /// Why no GPU engine runs it, if so; its kind may be a reason as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_only: Option<CpuOnly>,
    /// Whether only one core works on it at a time.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_serial: bool,
    /// Metrics of the engine, in its own names and units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Metric>,
}

/// A column in the rows of an exchange.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowColumn {
    /// Its name in the table; empty if it is computed, or if the text of the plan leaves columns out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Mean bytes of a text in Spark's rows, after the word with its length: 24 if unknown, as Spark guesses 20. `None` for other types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_bytes: Option<f64>,
    /// Its values, if its files were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<StoredValues>,
}

/// What files state about the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredValues {
    /// Upper bound of the number of distinct values.
    pub different: f64,
    /// Estimated share of the rows whose value is not that of the row before.
    pub changes: f64,
}

/// The source of a scan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Name of the table, without that of its database.
    pub table: String,
    /// Columns in its output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Columns that it reads only to filter rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter_columns: Vec<String>,
    /// The conditions that it checks, as the engine writes them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filters: String,
    /// Columns by which it skips rows that no join needs. The engine learned their values while it ran; another engine reads
    /// these rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limited_by: Vec<String>,
    /// Rows of the whole table, if the planner reports them or the files were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_rows: Option<f64>,
    /// Rows that the planner expected to pass the conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_rows: Option<f64>,
    /// Format of the files, in the engine's word: "parquet".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub format: String,
    /// Types in the engine's words, one for each of `columns`; empty for a column whose type is not stated. Empty if none is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Columns that are not in the files: each folder of files has one value of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partition_columns: Vec<String>,
    /// Conditions on these columns, as the engine writes them; those that it learns while it runs among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partition_filters: Vec<String>,
    /// Folders of files that remain after the conditions that are known before the run, if stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folders: Option<u64>,
    /// Bytes of the files, all columns, if the planner reports them or the files were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<f64>,
    /// Columns of the whole table, if the planner lists them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_columns: Option<f64>,
    /// Files of the whole table, if they were listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<f64>,
    /// Bytes that a scan of the whole table reads for these columns, if its files were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<f64>,
    /// Shares of the rows that are null, one for each of `columns`, as the files state them. Empty if they were not looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub null_shares: Vec<Option<f64>>,
    /// Most different values, one for each of `columns`: whole numbers from the least to the largest of the files. Empty if they were not
    /// looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub most_values: Vec<Option<f64>>,
    /// Different values, one for each of `columns`, as the dictionaries of the files list them. Empty if they were not looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub different_values: Vec<Option<f64>>,
}

impl Source {
    /// All columns that are read.
    pub fn read(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().chain(&self.filter_columns).map(String::as_str)
    }

    /// Share of the rows that have no value of a column; `None` if the files do not state it.
    #[must_use]
    pub fn null_share(&self, column: &str) -> Option<f64> {
        let place = self.columns.iter().position(|name| name == column)?;
        self.null_shares.get(place).copied().flatten()
    }
}

/// A time that an engine reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Added up over tasks or threads, seconds.
    pub seconds: f64,
    /// Operators that the time covers.
    pub scope: Scope,
}

/// Operators that a measured time covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// The operator's own.
    Exclusive,
    /// The operator's and that of everything it reads from.
    Inclusive,
}

/// One counter of an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Name in the engine.
    pub name: String,
    /// Unit in the engine's words: Spark's metric type, "s", "rows".
    pub unit: String,
    /// Total over all tasks; `None`: never reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
}

impl Node {
    /// The columns of a join, an aggregate or a sort: "on customer", "by region, …". They come from its keys, else from its detail
    /// as Spark writes it; computed columns are "…". `None` for other kinds, and if no column is known.
    #[must_use]
    pub fn subject(&self) -> Option<String> {
        /// Columns that are named.
        const MOST: usize = 3;
        let word = match self.kind {
            Kind::Join => "on",
            Kind::Aggregate | Kind::Sort => "by",
            _ => return None,
        };
        let columns: Vec<&str> = if self.keys.is_empty() {
            let behind = self.detail.strip_prefix("(keys=").unwrap_or(&self.detail);
            let (list, _) = behind.strip_prefix('[')?.split_once(']')?;
            // "revenue DESC NULLS LAST"
            list.split(", ").map(|column| column.split_once(' ').map_or(column, |(name, _)| name)).collect()
        } else {
            // A group with two names is computed from them; a join compares one with the other.
            let most = if self.kind == Kind::Join { 2 } else { 1 };
            self.keys
                .iter()
                .map(|names| names.first().filter(|_| names.len() <= most).map_or("", String::as_str))
                .collect()
        };
        let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c));
        let known: Vec<&str> = columns.iter().copied().take_while(|column| is_name(column)).take(MOST).collect();
        if known.is_empty() {
            return None;
        }
        let rest = if known.len() < columns.len() { ", …" } else { "" };
        Some(format!("{word} {}{rest}", known.join(", ")))
    }

    /// The name with its columns: "`SortMergeJoin` on customer".
    #[must_use]
    pub fn title(&self) -> String {
        let name = self.name.trim_end();
        self.subject().map_or_else(|| name.to_owned(), |subject| format!("{name} {subject}"))
    }

    /// A node with a name and a kind only.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            detail: String::new(),
            class: None,
            inputs: Vec::new(),
            reuses: None,
            spark_ui_id: None,
            stages: Vec::new(),
            rows_in: None,
            rows_out: None,
            bytes_in: None,
            bytes_out: None,
            row_width: None,
            spark_row_bytes: None,
            row_columns: Vec::new(),
            wire_bytes: None,
            cpu_seconds: None,
            time: None,
            source: None,
            keys: Vec::new(),
            grouping_sets: None,
            operation: None,
            ran_on_gpu: false,
            cpu_only: None,
            is_serial: false,
            metrics: Vec::new(),
        }
    }

    /// A node for the time of a query that belongs to none of its operators, seconds of cores. It reads and outputs nothing.
    #[must_use]
    pub fn without_operator(seconds: f64) -> Self {
        let nothing = Some(Amount::derived(0.0, Rule::ReadsNothing));
        Self {
            rows_in: nothing,
            rows_out: nothing,
            bytes_in: nothing,
            bytes_out: nothing,
            row_width: nothing,
            cpu_seconds: Some(Amount::derived(seconds, Rule::Remainder)),
            cpu_only: Some(CpuOnly::WithoutOperator),
            ..Self::new("Time without an operator", Kind::Other)
        }
    }

    /// Whether it is such a node.
    #[must_use]
    pub fn is_without_operator(&self) -> bool {
        self.cpu_only == Some(CpuOnly::WithoutOperator)
    }

    /// Why it can run on a CPU only, unless a support list has a GPU version.
    #[must_use]
    pub fn why_cpu_only(&self) -> Option<&'static str> {
        self.cpu_only.map(CpuOnly::why).or_else(|| self.kind.why_cpu_only())
    }

    /// Whether it does work: wrappers do not, and reused results are computed elsewhere.
    #[must_use]
    pub fn works(&self) -> bool {
        self.kind != Kind::Wrapper && self.reuses.is_none()
    }

    /// Total of a metric by its name in the engine.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.name == name).and_then(|metric| metric.total)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_aggregates_and_sorts_say_by_what() {
        let subject = |kind: Kind, detail: &str| Node { detail: detail.to_owned(), ..Node::new("", kind) }.subject();
        for (kind, detail, expected) in [
            (Kind::Join, "[customer], [customer], Inner", Some("on customer")),
            (Kind::Aggregate, "(keys=[region, category], functions=[count(1)])", Some("by region, category")),
            (Kind::Aggregate, "(keys=[], functions=[count(1)])", None),
            (Kind::Sort, "[revenue DESC NULLS LAST, day ASC], true, 0", Some("by revenue, day")),
            (Kind::Sort, "[cast(day as date) ASC]", None),
            (Kind::Sort, "[day ASC, (price + tax) DESC]", Some("by day, …")),
            (Kind::Sort, "[a ASC, b ASC, c ASC, d ASC]", Some("by a, b, c, …")),
            (Kind::Join, "BuildRight, Cross", None),
            (Kind::Project, "[amount, region]", None),
        ] {
            assert_eq!(subject(kind, detail).as_deref(), expected, "{kind:?} {detail}");
        }
        let keys = vec![vec!["l_orderkey".to_owned(), "o_orderkey".to_owned()], vec!["l_day".to_owned()]];
        let join = Node { keys, ..Node::new("HASH_JOIN", Kind::Join) };
        assert_eq!(join.subject().as_deref(), Some("on l_orderkey, l_day"));
    }
}
