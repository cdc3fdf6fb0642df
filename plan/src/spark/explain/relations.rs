//! Tables of the optimized logical plan, with the sizes that the planner states.

use std::collections::BTreeMap;

use crossover_query::Source;

use super::super::lists::{column, left_out, list_behind, parts};
use super::super::raw::RawNode;
use super::super::scanned::columns_read;
use super::statistics::Statistics;

/// What tables of a logical plan are called.
const RELATIONS: [&str; 3] = ["Relation", "RelationV2", "HiveTableRelation"];

/// A table of the optimized logical plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Relation {
    /// Numbers of its columns.
    columns: Vec<u64>,
    /// How many it has; `None` if the text does not list them.
    count: Option<f64>,
    /// Its bytes: of its files, or of its rows in memory where the planner has counts of rows.
    pub(super) bytes: Option<f64>,
    /// Its rows.
    pub(super) rows: Option<f64>,
    /// Rows that pass the filter above it.
    pub(super) filtered_rows: Option<f64>,
}

impl Relation {
    /// The table of an operator of a logical plan, without its statistics; `None` for other operators.
    pub(super) fn new(text: &str, statistics: Statistics) -> Option<Self> {
        let name = text.split([' ', '[']).next()?;
        if !RELATIONS.contains(&name) {
            return None;
        }
        let list = list_behind(text, "")?;
        let columns = parts(list).filter_map(|part| column(part).map(|(_, number, _)| number));
        // Spark writes "... 9 more fields" for those beyond `spark.sql.debug.maxToStringFields`.
        let count = parts(list).map(|part| column(part).map(|_| 1.0).or_else(|| left_out(part))).sum();
        let Statistics { bytes, rows } = statistics;
        Some(Self { columns: columns.collect(), count, bytes, rows, filtered_rows: None })
    }
}

/// Tables by the numbers of their columns.
pub(super) struct Relations<'r>(BTreeMap<u64, &'r Relation>);

impl<'r> Relations<'r> {
    pub(super) fn new(relations: &'r [Relation]) -> Self {
        Self(relations.iter().flat_map(|relation| relation.columns.iter().map(move |id| (*id, relation))).collect())
    }

    /// The source of a scan with the size of its table, where the planner states it. Where Spark's planner has a count of rows, its
    /// bytes are the rows × widths of the columns in memory, not those of the files (`CatalogStatistics.toPlanStats`).
    pub(super) fn add_sizes(&self, scan: &RawNode, source: Source) -> Source {
        let Some(relation) = columns_read(scan).find_map(|(_, number)| self.0.get(&number)) else { return source };
        Source {
            file_bytes: relation.bytes.filter(|_| relation.rows.is_none()),
            table_columns: relation.count,
            table_rows: relation.rows,
            expected_rows: relation.filtered_rows,
            ..source
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spark's planner, with a count of rows, states rows × (8 bytes and the columns in memory); without one the bytes of the files.
    #[test]
    fn bytes_are_those_of_files_where_the_planner_has_no_rows() {
        let scan = RawNode {
            simple_string: "FileScan parquet shop.sales[price#4] Batched: true".to_owned(),
            ..RawNode::default()
        };
        let of = |text: &str, rows| {
            let relation = Relation::new(text, Statistics { bytes: Some(2e9), rows }).expect("a table");
            let source = Relations::new(&[relation]).add_sizes(&scan, Source::default());
            (source.file_bytes, source.table_rows, source.table_columns)
        };
        let text = "Relation shop.sales[item#3L,price#4] parquet";
        assert_eq!(of(text, None), (Some(2e9), None, Some(2.0)));
        assert_eq!(of(text, Some(1e8)), (None, Some(1e8), Some(2.0)));
        let cut = "Relation shop.sales[item#3L,price#4,... 9 more fields] parquet";
        assert_eq!(of(cut, None), (Some(2e9), None, Some(11.0)));
        let hive = "HiveTableRelation [`shop`.`sales`, Serde, Data Cols: [item#3L, price#4], Partition Cols: []]";
        assert_eq!(Relation::new(hive, Statistics::default()).and_then(|relation| relation.count), None);
    }

    #[test]
    fn a_scan_has_the_size_of_the_table_that_its_columns_are_of() {
        let of_table =
            |columns: &[u64], rows| Relation { columns: columns.to_vec(), rows: Some(rows), ..Relation::default() };
        let relations = [of_table(&[1, 2], 3e6), of_table(&[3, 4], 5e7)];
        let relations = Relations::new(&relations);
        let rows = |text: &str| {
            let scan = RawNode { simple_string: text.to_owned(), ..RawNode::default() };
            relations.add_sizes(&scan, Source::default()).table_rows
        };
        assert_eq!(rows("FileScan parquet shop.sales[price#4] Batched: true"), Some(5e7));
        assert_eq!(rows("FileScan parquet shop.sales[item#9,day#2] Batched: true"), Some(3e6));
        assert_eq!(rows("FileScan parquet shop.sales[item#9] Batched: true"), None);
    }
}
