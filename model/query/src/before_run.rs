//! The plan of a query that has run, as it was before: to compare what the rules estimate with what the engine counted.
//!
//! Rows of a range or of a list of values are in the plan, so those stay.

use super::Plan;
use super::amount::{Amount, Origin, Rule};
use super::grow::TableSizes;
use super::kind::Kind;
use super::node::{Node, Source};

/// The plan without anything that its run counted but the rows of its tables. A table has the rows of `sizes`, else those that the
/// run read of all its partitions; else none, and [`EstimatedVolumes`](super::EstimatedVolumes) says what it assumes.
#[must_use]
pub fn before_run(plan: &Plan, sizes: &TableSizes) -> Plan {
    let rows_of = |table: &str| sizes.get(table).copied().or_else(|| rows_read(plan, table));
    let before = |node: &Node| Node {
        stages: Vec::new(),
        rows_in: None,
        rows_out: node
            .rows_out
            .filter(|rows| node.kind == Kind::Values || rows.origin == Origin::Estimated(Rule::Limit)),
        bytes_in: None,
        bytes_out: None,
        row_width: node.row_width.filter(|width| width.origin == Origin::Estimated(Rule::ColumnTypes)),
        wire_bytes: None,
        cpu_seconds: None,
        time: None,
        metrics: Vec::new(),
        source: node.source.as_deref().map(|source| {
            let table_rows = source.table_rows.or_else(|| rows_of(&source.table));
            Box::new(Source { table_rows, ..source.clone() })
        }),
        ..node.clone()
    };
    Plan {
        nodes: plan.nodes.iter().map(before).collect(),
        duration_seconds: None,
        stages: Vec::new(),
        balances: Vec::new(),
        volumes: None,
        ..plan.clone()
    }
}

/// Most rows that a scan of all partitions of a table gave.
fn rows_read(plan: &Plan, table: &str) -> Option<f64> {
    let scans = plan.nodes.iter().filter(|node| {
        node.source.as_deref().is_some_and(|source| source.table == table && source.partition_filters.is_empty())
    });
    scans
        .filter_map(|node| node.rows_out)
        .filter(|rows| !rows.is_estimated())
        .map(|rows: Amount| rows.value)
        .reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::node::Metric;
    use super::super::{EstimatedVolumes, Volumes};
    use super::*;

    /// A scan of some of the columns of a table that gave these rows, with metrics of the run.
    fn scan(table: &str, pruned_by: &[&str], rows: f64) -> Node {
        let source = Source {
            table: table.to_owned(),
            columns: vec!["item".to_owned(), "price".to_owned()],
            types: vec!["int".to_owned(), "double".to_owned()],
            format: "parquet".to_owned(),
            partition_filters: pruned_by.iter().map(|filter| (*filter).to_owned()).collect(),
            ..Source::default()
        };
        let metric = |name: &str, total| Metric { name: name.to_owned(), unit: "sum".to_owned(), total: Some(total) };
        Node {
            source: Some(Box::new(source)),
            rows_out: Some(Amount::reported(rows)),
            row_width: Some(Amount::estimated(12.0, Rule::ColumnTypes)),
            bytes_in: Some(Amount::reported(7e6)),
            cpu_seconds: Some(Amount::reported(2.0)),
            metrics: vec![metric("number of files read", 3.0), metric("size of files read", 9e6)],
            ..Node::new("Scan parquet", Kind::Scan)
        }
    }

    fn plan(nodes: Vec<Node>) -> Plan {
        Plan { engine: "Spark 3.5.3".to_owned(), nodes, ..Plan::default() }
    }

    #[test]
    fn what_the_run_counted_is_estimated_again() {
        let ran = plan(vec![scan("sales", &[], 1e6)]);
        assert_eq!(EstimatedVolumes::of(&ran), None, "it has run");
        let counted = Volumes::reported(&ran).expect("all is counted");
        assert_eq!((counted.read_gb, counted.files), (0.007, 3.0));
        let found = EstimatedVolumes::of(&before_run(&ran, &TableSizes::new())).expect("a plan of Spark");
        // A million rows of an integer (2 bytes) and a double (8 bytes); a file of 128 MB has more rows than that.
        assert!((found.volumes.read_gb - 0.01).abs() < 1e-12, "{found:?}");
        assert_eq!((found.volumes.files, found.has_sizes), (1.0, true));
    }

    #[test]
    fn rows_of_some_partitions_are_not_those_of_the_table() {
        let ran = plan(vec![scan("sales", &["isnotnull(day)"], 1e6)]);
        let rows = |sizes: &TableSizes| {
            let before = before_run(&ran, sizes);
            before.nodes[0].source.as_ref().and_then(|source| source.table_rows)
        };
        assert_eq!(rows(&TableSizes::new()), None);
        assert_eq!(rows(&TableSizes::from([("sales".to_owned(), 4e7)])), Some(4e7));
    }
}
