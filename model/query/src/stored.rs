//! What the files of tables state: their rows, and of each column the compressed bytes, the number of distinct values, the share of
//! rows in which the value changes, and the lengths of texts. Parquet has these in footers and dictionaries, so no rule has to guess
//! what a scan reads.

use std::collections::BTreeMap;

use super::Plan;
use super::node::{Node, Source, StoredValues};

/// Files of all tables, by the name of the table.
pub type StoredTables = BTreeMap<String, TableFiles>;

/// Spark's `spark.buffer.size`, which it passes to the file systems as `io.file.buffer.size`: they read a file in buffers of
/// this size.
const BUFFER_BYTES: f64 = 65_536.0;
/// Bytes read beyond the end of a part of a file, of a buffer: the part ends anywhere in its last buffer.
const BEYOND_END: f64 = 0.5;
/// Times that Spark reads what is behind the columns: for the schema, and for the row groups and pages that a task reads.
const READINGS_OF_FOOTER: f64 = 2.0;

/// Bits of a value in a file ÷ log₂ of the distinct values. Above this ratio, the value is taken to change in every row.
const BITS_WITHOUT_REPEATS: f64 = 0.8;
/// In a column with repeated values: bits in a file for each value that changes ÷ log₂ of the distinct values. Above 1, because each
/// sequence of equal values has a length, and values next to it are stored one by one (Parquet's encoding RLE). About the ratio of the
/// customers, the tickets and the days of sales in TPC-DS.
const BITS_OF_REPEATS: f64 = 3.5;

/// The files of a table, together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableFiles {
    /// Rows.
    pub rows: f64,
    /// Files.
    pub files: f64,
    /// Folders with files: partitions, if the table has any.
    pub folders: u64,
    /// Row groups.
    pub row_groups: f64,
    /// Bytes of the files.
    pub bytes: f64,
    /// Bytes behind their columns: page indexes and footers.
    pub footer_bytes: f64,
    /// Columns in the order in which a file stores them.
    pub columns: Vec<StoredColumn>,
}

/// A column in files. Its compressed bytes are those of all row groups of all files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredColumn {
    /// Name; a nested column has that of its outermost field.
    pub name: String,
    /// Compressed bytes, dictionaries included.
    pub bytes: f64,
    /// Rows without a value; `None` if not all files state them, or for a nested column.
    pub nulls: Option<f64>,
    /// Least and largest value of whole numbers; `None` for other types, and if not all files state them.
    pub bounds: Option<[f64; 2]>,
    /// Distinct values, as the dictionaries of the files list them; `None` if they do not list all.
    pub values: Option<f64>,
    /// Mean bytes of a text in a row of Spark, in whole words; `None` for other types.
    pub text_bytes: Option<f64>,
}

impl TableFiles {
    /// The column with this name, in whatever case.
    fn column(&self, name: &str) -> Option<&StoredColumn> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// Share of the rows that have no value of a column; `None` if the files do not state it.
    fn null_share(&self, name: &str) -> Option<f64> {
        let nulls = self.column(name)?.nulls?;
        (self.rows > 0.0).then_some((nulls / self.rows).clamp(0.0, 1.0))
    }

    /// Most different values of a column of whole numbers: those from the least to the largest, at most one for each row.
    fn most_values(&self, name: &str) -> Option<f64> {
        let [least, largest] = self.column(name)?.bounds?;
        Some((largest - least + 1.0).min(self.rows).max(1.0))
    }

    /// Mean bytes of a column of texts in a row of Spark: none for those that are null.
    fn text_bytes(&self, name: &str) -> Option<f64> {
        Some(self.column(name)?.text_bytes? * (1.0 - self.null_share(name).unwrap_or(0.0)))
    }

    /// The values of a column; `None` for a nested or an unknown column. A column by which files are partitioned has a value for each folder.
    fn stored_values(&self, name: &str, partitions: &[String]) -> Option<StoredValues> {
        let rows = Some(self.rows).filter(|rows| *rows > 0.0)?;
        if partitions.iter().any(|column| column.eq_ignore_ascii_case(name)) {
            let different = (self.folders as f64).clamp(1.0, rows.max(1.0));
            return Some(StoredValues { different, changes: different / rows });
        }
        let column = self.column(name).filter(|column| column.nulls.is_some())?;
        let different = column.values.or_else(|| self.most_values(name)).unwrap_or(rows).clamp(1.0, rows.max(1.0));
        let bits = 8.0 * column.bytes / rows / different.max(2.0).log2();
        let changes = if bits > BITS_WITHOUT_REPEATS { 1.0 } else { bits / BITS_OF_REPEATS };
        Some(StoredValues { different, changes })
    }

    /// Bytes that Spark reads of all files for these columns, as its input metrics count them: compressed bytes of the columns, half a
    /// buffer behind each contiguous part, at most the files; and the footers.
    fn bytes_read<'c>(&self, columns: impl Iterator<Item = &'c str>) -> f64 {
        let wanted: Vec<String> = columns.map(str::to_lowercase).collect();
        let mut bytes = 0.0;
        let mut parts = 0.0;
        let mut was_read = false;
        for column in &self.columns {
            let is_read = wanted.contains(&column.name.to_lowercase());
            if is_read {
                bytes += column.bytes;
                parts += if was_read { 0.0 } else { self.row_groups };
            }
            was_read = is_read;
        }
        let data = (bytes + parts * BEYOND_END * BUFFER_BYTES).min(self.bytes);
        data + READINGS_OF_FOOTER * self.footer_bytes
    }
}

/// The plan with the sizes that the files of its tables state; a table without files here keeps what the planner states.
#[must_use]
pub fn over_files(plan: &Plan, tables: &StoredTables) -> Plan {
    let mut plan = plan.clone();
    let mut columns = BTreeMap::new();
    for source in plan.nodes.iter_mut().filter_map(|node| node.source.as_deref_mut()) {
        if let Some(table) = tables.get(&source.table) {
            take_sizes(source, table);
            let parted = &source.partition_columns;
            for name in &source.columns {
                let (text_bytes, stored) = columns.entry(name.clone()).or_insert((None, None));
                *text_bytes = table.text_bytes(name).or(*text_bytes);
                *stored = table.stored_values(name, parted).or(*stored);
            }
        }
    }
    for node in &mut plan.nodes {
        take_values(node, &columns);
    }
    plan
}

/// Gives the rows of an exchange the lengths of its texts, in place of what was known of them, and the values of its columns.
fn take_values(node: &mut Node, columns: &BTreeMap<String, (Option<f64>, Option<StoredValues>)>) {
    let Some(row) = &mut node.spark_row_bytes else { return };
    for column in &mut node.row_columns {
        let Some((text_bytes, stored)) = columns.get(&column.name) else { continue };
        if let Some((known, bytes)) = column.text_bytes.as_mut().zip(*text_bytes) {
            row.value += bytes - *known;
            *known = bytes;
        }
        column.stored = stored.or(column.stored);
    }
}

fn take_sizes(source: &mut Source, table: &TableFiles) {
    source.null_shares = source.columns.iter().map(|name| table.null_share(name)).collect();
    source.most_values = source.columns.iter().map(|name| table.most_values(name)).collect();
    source.different_values =
        source.columns.iter().map(|name| table.column(name).and_then(|column| column.values)).collect();
    source.read_bytes = Some(table.bytes_read(source.read()));
    source.files = Some(table.files);
    source.table_rows = Some(table.rows);
    source.file_bytes = Some(table.bytes);
    if !source.partition_columns.is_empty() {
        source.folders = Some(table.folders);
    }
}

#[cfg(test)]
mod tests {
    use super::super::EstimatedVolumes;
    use super::super::amount::{Amount, Rule};
    use super::super::kind::Kind;
    use super::super::node::RowColumn;
    use super::*;

    /// Three columns of 1, 2 and 3 MB in one file with a footer of 5,000 bytes.
    fn sales() -> TableFiles {
        let column = |(name, bytes): (&str, f64)| StoredColumn {
            name: name.to_owned(),
            bytes,
            nulls: Some(0.0),
            ..StoredColumn::default()
        };
        TableFiles {
            rows: 1e6,
            files: 1.0,
            folders: 1,
            row_groups: 1.0,
            bytes: 6_005_000.0,
            footer_bytes: 5_000.0,
            columns: [("item", 1e6), ("price", 2e6), ("day", 3e6)].map(column).to_vec(),
        }
    }

    fn scan(columns: &[&str], partition: Option<&str>) -> Plan {
        let source = Source {
            table: "sales".to_owned(),
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            types: columns.iter().map(|_| "int".to_owned()).collect(),
            format: "parquet".to_owned(),
            partition_columns: partition.iter().map(|name| (*name).to_owned()).collect(),
            ..Source::default()
        };
        let node = Node { source: Some(Box::new(source)), ..Node::new("Scan parquet", Kind::Scan) };
        Plan { engine: "Spark 3.5.3".to_owned(), nodes: vec![node], ..Plan::default() }
    }

    fn read(plan: &Plan, table: TableFiles) -> (f64, f64) {
        let plan = over_files(plan, &StoredTables::from([("sales".to_owned(), table)]));
        let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
        assert!(found.has_sizes && found.assumed.is_empty(), "{found:?}");
        ((found.volumes.read_gb * 1e9).round(), found.volumes.files)
    }

    #[test]
    fn a_scan_reads_the_bytes_of_its_columns_and_the_footer() {
        // Two parts of the file, with half of 65,536 bytes behind each; the footer twice.
        assert_eq!(read(&scan(&["item", "DAY"], None), sales()), (4_000_000.0 + 65_536.0 + 10_000.0, 1.0));
        // Columns that follow each other are one part.
        assert_eq!(read(&scan(&["price", "day"], None), sales()), (5_000_000.0 + 32_768.0 + 10_000.0, 1.0));
        assert_eq!(read(&scan(&[], None), sales()), (10_000.0, 1.0));
    }

    /// A file of 900 bytes is not larger for its buffer.
    #[test]
    fn a_small_file_is_read_as_a_whole() {
        let small = TableFiles {
            rows: 5.0,
            bytes: 900.0,
            footer_bytes: 600.0,
            columns: vec![StoredColumn { name: "item".to_owned(), bytes: 300.0, ..StoredColumn::default() }],
            ..sales()
        };
        assert_eq!(read(&scan(&["item"], None), small), (900.0 + 1_200.0, 1.0));
    }

    /// The partition column is not in the files. Of those whose column is not null, 97 % are read.
    #[test]
    fn partitions_are_those_that_have_files() {
        let mut plan = scan(&["item", "sold"], Some("sold"));
        if let Some(source) = &mut plan.nodes[0].source {
            source.partition_filters = vec!["isnotnull(sold)".to_owned()];
        }
        let table =
            TableFiles { files: 200.0, folders: 100, row_groups: 200.0, footer_bytes: 0.0, bytes: 1e9, ..sales() };
        let (bytes, files) = read(&plan, table);
        assert_eq!((bytes, files.round()), ((0.97 * (1e6 + 200.0 * 32_768.0_f64)).round(), 194.0));
    }

    /// Of a million rows 40,000 have no item. The others go through an exchange: 8 bytes of null bits and a field of 8 bytes each.
    #[test]
    fn rows_without_a_value_do_not_pass_a_condition_on_it() {
        let mut table = sales();
        table.columns[0].nulls = Some(40_000.0);
        let below = |name: &str, kind, detail: &str, input: usize| Node {
            detail: detail.to_owned(),
            inputs: vec![input],
            ..Node::new(name, kind)
        };
        let mut nodes = vec![
            Node {
                spark_row_bytes: Some(Amount::estimated(16.0, Rule::ColumnTypes)),
                ..below("Exchange", Kind::Shuffle, "hashpartitioning(item, 200)", 1)
            },
            below("Filter", Kind::Filter, "isnotnull(item)", 2),
            below("ColumnarToRow", Kind::Wrapper, "", 3),
        ];
        nodes.extend(scan(&["item"], None).nodes);
        let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() };
        let plan = over_files(&plan, &StoredTables::from([("sales".to_owned(), table)]));
        let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
        let bytes = found.shuffled_gb.map(|gigabytes| (gigabytes * 1e9).round());
        assert_eq!(bytes, Some(960_000.0 * 16.0));
    }

    /// Of a million sales 40,000 have no item; another table, whose column has the same name, has it in each row.
    #[test]
    fn rows_without_a_value_are_those_of_the_table_that_is_read() {
        let mut table = sales();
        table.columns[0].nulls = Some(40_000.0);
        let mut nodes = scan(&["item"], None).nodes;
        if let Some(other) = &mut nodes[0].source {
            other.table = "items".to_owned();
        }
        let exchange = Node {
            inputs: vec![2],
            spark_row_bytes: Some(Amount::estimated(16.0, Rule::ColumnTypes)),
            ..Node::new("Exchange", Kind::Shuffle)
        };
        let filter =
            Node { detail: "isnotnull(item)".to_owned(), inputs: vec![3], ..Node::new("Filter", Kind::Filter) };
        nodes.extend([exchange, filter]);
        nodes.extend(scan(&["item"], None).nodes);
        let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() };
        let tables = StoredTables::from([("items".to_owned(), sales()), ("sales".to_owned(), table)]);
        let found = EstimatedVolumes::of(&over_files(&plan, &tables)).expect("a plan of Spark");
        let bytes = found.shuffled_gb.map(|gigabytes| (gigabytes * 1e9).round());
        assert_eq!(bytes, Some(960_000.0 * 16.0));
    }

    /// Items have the numbers 1 to 500; prices are no whole numbers. A condition on one of 500 items passes 2,000 of a million rows,
    /// one on a hundred of them 200,000.
    #[test]
    fn whole_numbers_have_the_values_between_their_bounds() {
        for (condition, rows) in [("(item = 7)", 2_000.0), ("((item >= 101) AND (item <= 200))", 200_000.0)] {
            let mut table = sales();
            table.columns[0].bounds = Some([1.0, 500.0]);
            assert_eq!(exchanged(&["item"], condition, &[], table), rows * 16.0, "{condition}");
        }
    }

    /// The dictionary has 40 items, whatever lies between their bounds: a condition on one of them passes a fortieth of a million rows.
    #[test]
    fn values_are_those_of_the_dictionaries() {
        let mut table = sales();
        table.columns[0].bounds = Some([1.0, 500.0]);
        table.columns[0].values = Some(40.0);
        assert_eq!(exchanged(&["item"], "(item = 7)", &[], table), 25_000.0 * 16.0);
    }

    /// Spark's row of two texts: 8 bytes of null bits, two words, and three words behind them for each text. Texts of the first column take
    /// 16 bytes, and 4 % of them are null; nothing is known of the other one, which no table has.
    #[test]
    fn texts_of_an_exchange_have_the_length_of_their_column() {
        let mut table = sales();
        table.columns[0].nulls = Some(40_000.0);
        table.columns[0].text_bytes = Some(16.0);
        let row: f64 = 8.0 + 16.0 + 0.96 * 16.0 + 24.0;
        assert_eq!(exchanged(&["item"], "", &["item", "made"], table), (1e6 * row).round());
    }

    /// A million rows in 100 folders. Items have 256 values, so one byte identifies them. At 0.9 MB, the item changes in each row. At
    /// 0.35 MB, it changes in a tenth of the rows. Prices may differ in each row. Each folder has one day.
    #[test]
    fn bytes_of_a_column_say_how_often_its_values_change() {
        let mut table = TableFiles { folders: 100, ..sales() };
        table.columns[0].values = Some(256.0);
        for (bytes, changes) in [(0.9e6, 1.0), (0.35e6, 0.1)] {
            table.columns[0].bytes = bytes;
            let stored = table.stored_values("ITEM", &[]).expect("a column of the table");
            assert!((stored.changes - changes).abs() < 1e-12 && stored.different == 256.0, "{stored:?}");
        }
        assert_eq!(table.stored_values("price", &[]).map(|stored| stored.different), Some(1e6));
        let day = table.stored_values("sold", &["sold".to_owned()]);
        assert_eq!(day, Some(StoredValues { different: 100.0, changes: 1e-4 }));
        assert_eq!(table.stored_values("other", &[]), None);
        table.columns[0].nulls = None;
        assert_eq!(table.stored_values("item", &[]), None, "a nested column has values of several columns");
    }

    /// Bytes in rows of Spark that pass a condition on a scan of these columns and an exchange, of which these are texts.
    fn exchanged(columns: &[&str], condition: &str, texts: &[&str], table: TableFiles) -> f64 {
        let row = if texts.is_empty() { 16.0 } else { 8.0 + 32.0 * texts.len() as f64 };
        let text = |name: &str| RowColumn { name: name.to_owned(), text_bytes: Some(24.0), ..RowColumn::default() };
        let exchange = Node {
            inputs: vec![1],
            spark_row_bytes: Some(Amount::estimated(row, Rule::ColumnTypes)),
            row_columns: texts.iter().map(|name| text(name)).collect(),
            ..Node::new("Exchange", Kind::Shuffle)
        };
        let kind = if condition.is_empty() { Kind::Wrapper } else { Kind::Filter };
        let filter = Node { detail: condition.to_owned(), inputs: vec![2], ..Node::new("Filter", kind) };
        let mut nodes = vec![exchange, filter];
        nodes.extend(scan(columns, None).nodes);
        let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() };
        let tables = StoredTables::from([("sales".to_owned(), table)]);
        let plan = over_files(&plan, &tables);
        // The lengths count once.
        assert_eq!(over_files(&plan, &tables), plan);
        let found = EstimatedVolumes::of(&plan).expect("a plan of Spark");
        (found.shuffled_gb.expect("rows of known size") * 1e9).round()
    }

    #[test]
    fn a_table_without_files_keeps_its_sizes() {
        let plan = scan(&["item"], None);
        assert_eq!(over_files(&plan, &StoredTables::from([("other".to_owned(), sales())])), plan);
    }
}
