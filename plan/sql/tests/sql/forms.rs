//! Forms that `DataFusion` lacks are planned as forms of the same cost. Rows are worked out by hand.

use crossover_plan::Query;
use crossover_query::{CpuOnly, Kind, Node, fill};

use super::query;

const TABLES: &str = "-- rows: 1000\nCREATE TABLE sales (id BIGINT, shop INT, amount DOUBLE, note VARCHAR);\n";

#[track_caller]
fn planned(statement: &str) -> Query {
    query(&format!("{TABLES}{statement};"))
}

/// The only operator of a name, and the rows that it outputs.
#[track_caller]
fn only<'a>(query: &'a Query, name: &str) -> (&'a Node, f64) {
    let numbers = fill(&query.plan);
    let mut found = query.plan.nodes.iter().zip(&numbers).filter(|(node, _)| node.name == name);
    let (node, numbers) = found.next().expect("an operator of this name");
    assert!(found.next().is_none(), "one operator of the name {name}");
    (node, numbers.rows_out.value)
}

#[test]
fn distinct_on_takes_the_first_row_of_each_group() {
    let query = planned("SELECT DISTINCT ON (shop) shop, amount FROM sales ORDER BY shop, id DESC");
    let (group, _) = only(&query, "Aggregate");
    assert_eq!(group.kind, Kind::Aggregate);
    assert!(group.detail.contains("first_value") && group.detail.ends_with("by sales.shop"), "{}", group.detail);
    // Its order is that of the keys, over the groups.
    assert!(only(&query, "Sort").0.detail.starts_with("sales.shop"));
}

#[test]
fn columns_that_become_rows_multiply_them() {
    let query = planned("SELECT k, v FROM sales UNPIVOT (v FOR k IN (shop, amount, id))");
    // 3 columns of 1000 rows.
    let (made, rows) = only(&query, "Generate");
    assert_eq!((made.kind, rows), (Kind::Expand, 3000.0));
    assert!(!query.plan.nodes.iter().any(|node| node.kind == Kind::Join));
    let (scan, _) = only(&query, "Scan");
    assert_eq!(scan.detail, "sales: id, shop, amount");
}

#[test]
fn a_series_beside_a_table_gives_each_row_as_often_as_it_is_long() {
    let query = planned("SELECT s.id, n FROM sales s, generate_series(1, 12) AS g (n)");
    assert_eq!(only(&query, "Generate").1, 12_000.0);
}

#[test]
fn a_recursive_query_repeats_its_second_part_ten_times() {
    let query = planned("WITH RECURSIVE r AS (SELECT id FROM sales UNION ALL SELECT id FROM r) SELECT id FROM r");
    // 1000 rows at first, and ten times as many later.
    assert_eq!(only(&query, "Work table").1, 10_000.0);
    let (all, rows) = only(&query, "Recursive union");
    assert_eq!((all.kind, rows), (Kind::Union, 11_000.0));
    for name in ["Recursive union", "Work table"] {
        assert_eq!(only(&query, name).0.cpu_only, Some(CpuOnly::Recursion), "{name}");
    }
    assert_eq!(only(&query, "Scan").0.cpu_only, None, "the first part is read once");
}

#[test]
fn functions_of_ones_own_read_the_columns_that_they_name() {
    let text = format!("{TABLES}SELECT filter(split(note, ' '), x -> x <> shop) FROM sales;");
    let import = super::import_as(crossover_plan::SqlDialect::Spark, &text).expect("an import");
    let (scan, _) = only(&import.queries[0], "Scan");
    assert_eq!(scan.detail, "sales: shop, note");
}

#[test]
fn a_list_that_is_looked_for_in_a_subquery_is_a_join() {
    let query = planned("SELECT id FROM sales WHERE (shop, id) NOT IN (SELECT shop, id FROM sales WHERE amount > 3)");
    let join = query.plan.nodes.iter().find(|node| node.kind == Kind::Join).expect("a join");
    assert!(join.detail.contains("anti"), "{}", join.detail);
}
