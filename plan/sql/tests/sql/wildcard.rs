//! `BigQuery`'s wildcard tables. Rows are worked out by hand.

use crossover_plan::{Query, SqlDialect};
use crossover_query::{Kind, fill};

use super::import_as;

const TABLES: &str = "
    -- rows: 100
    CREATE TABLE `shop.web.events_20260101` (id INT64, name STRING);
    -- rows: 200
    CREATE TABLE `shop.web.events_20260102` (id INT64, name STRING);
    -- rows: 400
    CREATE TABLE `shop.web.events_20260103` (id INT64, name STRING);
    -- rows: 7
    CREATE TABLE `shop.web.users` (id INT64);
    -- rows: 9
    CREATE TABLE `shop.old.events_2025` (id INT64, name STRING);
";

#[track_caller]
fn planned(statement: &str) -> Query {
    let import = import_as(SqlDialect::BigQuery, &format!("{TABLES}{statement};"));
    let import = import.unwrap_or_else(|refused| panic!("{statement}: {refused}"));
    import.queries.into_iter().next().expect("a query")
}

/// Rows that a query reads of all tables, and the number of scans.
fn read(query: &Query) -> (f64, usize) {
    let numbers = fill(&query.plan);
    let scans = query.plan.nodes.iter().zip(&numbers).filter(|(node, _)| node.kind == Kind::Scan);
    let rows: Vec<f64> = scans.map(|(_, numbers)| numbers.rows_out.value).collect();
    (rows.iter().sum(), rows.len())
}

#[test]
fn a_pattern_reads_all_tables_of_its_data_set_that_it_fits() {
    for pattern in ["shop.web.events_*", "web.events_*", "shop.web.events_2026*"] {
        let query = planned(&format!("SELECT name, COUNT(*) FROM `{pattern}` GROUP BY name"));
        // 100 + 200 + 400.
        assert_eq!(read(&query), (700.0, 3), "{pattern}");
        assert!(query.plan.nodes.iter().any(|node| node.kind == Kind::Union), "{pattern}");
    }
}

#[test]
fn a_condition_on_the_suffix_leaves_out_the_other_tables() {
    for (condition, expected) in [
        ("_TABLE_SUFFIX BETWEEN '20260102' AND '20260103'", (600.0, 2)),
        ("_TABLE_SUFFIX = '20260101'", (100.0, 1)),
        ("e._TABLE_SUFFIX >= '20260103' AND id > 3", (400.0, 1)),
        ("_TABLE_SUFFIX IN ('20260101', '20260103')", (500.0, 2)),
    ] {
        let query = planned(&format!("SELECT id FROM `shop.web.events_*` AS e WHERE {condition}"));
        assert_eq!(read(&query), expected, "{condition}");
    }
}

#[test]
fn all_columns_are_those_of_the_tables() {
    let query =
        planned("SELECT MAX(n) FROM (SELECT *, 1 AS n FROM `shop.web.events_*` WHERE _TABLE_SUFFIX > '20260102')");
    assert_eq!(read(&query), (400.0, 1));
    let query = planned("CREATE TABLE kept AS SELECT * FROM `shop.web.events_*` WHERE _TABLE_SUFFIX > '20260102'");
    // INT64 8 B and text 20 B.
    assert_eq!(fill(&query.plan)[0].row_width.value, 28.0);
}

#[test]
fn tables_with_other_columns_are_read_by_their_names() {
    let query = planned("SELECT id FROM `shop.web.*` WHERE _TABLE_SUFFIX LIKE 'events%' OR _TABLE_SUFFIX = 'users'");
    assert_eq!(read(&query), (707.0, 4));
}

#[test]
fn a_pattern_that_no_table_fits_is_named() {
    let text = format!("{TABLES}SELECT 1;\nSELECT id FROM `shop.web.orders_*`;");
    let import = import_as(SqlDialect::BigQuery, &text).expect("an import");
    let named = "there is no table “shop.web.orders_*”";
    assert!(import.warnings.iter().any(|note| note.contains(named)), "{:?}", import.warnings);
}
