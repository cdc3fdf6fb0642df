//! Tables that are copies of others: `CLONE`, `COPY` and `LIKE`. They have no query.

use SqlDialect::{BigQuery, ClickHouse, Postgres, Redshift, Snowflake, Spark, Trino};
use crossover_plan::SqlDialect;
use crossover_query::{Kind, fill};

use super::import_as;

const TABLES: &str = "-- rows: 1000\nCREATE TABLE sales (id BIGINT, shop INT, note VARCHAR(40));\n";

/// The columns that a query reads of a copy, and the rows.
#[track_caller]
fn read(dialect: SqlDialect, statement: &str) -> (String, f64) {
    let import = import_as(dialect, &format!("{TABLES}{statement};\nSELECT note, id FROM copied;")).expect("an import");
    assert_eq!(import.queries.len(), 1, "{statement}: {:?}", import.warnings);
    let plan = &import.queries[0].plan;
    let scan = plan.nodes.iter().position(|node| node.kind == Kind::Scan).expect("a scan");
    (plan.nodes[scan].detail.clone(), fill(plan)[scan].rows_out.value)
}

#[test]
fn a_clone_has_the_columns_and_the_rows_of_its_table() {
    for (dialect, statement) in [
        (Snowflake, "CREATE OR REPLACE TABLE copied CLONE sales"),
        (Snowflake, "CREATE TRANSIENT TABLE copied CLONE sales AT (OFFSET => -60)"),
        (BigQuery, "CREATE TABLE copied CLONE sales"),
        (BigQuery, "CREATE TABLE copied COPY sales"),
        (Spark, "CREATE TABLE copied SHALLOW CLONE sales"),
        (Spark, "CREATE TABLE IF NOT EXISTS copied DEEP CLONE sales VERSION AS OF 3"),
    ] {
        assert_eq!(read(dialect, statement), ("copied: id, note".to_owned(), 1000.0), "{statement}");
    }
}

#[test]
fn a_clone_has_the_size_that_is_stated() {
    // A number of 8 B and one of 4 B leave 28 of 40 B to the text.
    for (stated, rows, width) in [("rows: 30", 30.0, None), ("row width: 40 B", 1000.0, Some(28.0 + 8.0))] {
        let text = format!("{TABLES}-- {stated}\nCREATE TABLE copied CLONE sales;\nSELECT note, id FROM copied;");
        let import = import_as(Snowflake, &text).expect("an import");
        let plan = &import.queries[0].plan;
        let scan = plan.nodes.iter().position(|node| node.kind == Kind::Scan).expect("a scan");
        let numbers = &fill(plan)[scan];
        assert_eq!(numbers.rows_out.value, rows, "{stated}");
        let found = numbers.row_width.value;
        assert!(width.is_none_or(|width: f64| (found - width).abs() < 1e-9), "{stated}: {found} B");
    }
}

#[test]
fn a_table_like_another_has_its_columns_and_the_rows_that_are_stated() {
    for (dialect, statement) in [
        (Snowflake, "CREATE TABLE copied LIKE sales"),
        (Spark, "CREATE TABLE copied LIKE sales USING parquet"),
        (Postgres, "CREATE TABLE copied (LIKE sales INCLUDING ALL)"),
        (Redshift, "CREATE TABLE copied (LIKE sales)"),
        (ClickHouse, "CREATE TABLE copied AS sales ENGINE = MergeTree ORDER BY id"),
    ] {
        let (columns, rows) = read(dialect, &format!("-- rows: 30\n{statement}"));
        assert_eq!((columns.as_str(), rows), ("copied: id, note", 30.0), "{statement}");
    }
}

#[test]
fn a_table_like_others_may_have_columns_of_its_own() {
    for (dialect, columns, read) in [
        (Postgres, "LIKE sales, x INT", "copied: note, x"),
        (Postgres, "x INT NOT NULL, LIKE sales", "copied: x, note"),
        (Postgres, "x INT, LIKE sales INCLUDING ALL, PRIMARY KEY (x)", "copied: x, note"),
        (Redshift, "LIKE sales INCLUDING DEFAULTS, x INT", "copied: note, x"),
        (Trino, "LIKE sales EXCLUDING PROPERTIES, LIKE news, y BIGINT", "copied: note, x"),
    ] {
        let text = format!(
            "{TABLES}-- rows: 5\nCREATE TABLE news (x INT);\n-- rows: 30\nCREATE TABLE copied ({columns});\n\
             SELECT x, note FROM copied;"
        );
        let import = import_as(dialect, &text).expect("an import");
        assert_eq!(import.queries.len(), 1, "{columns}: {:?}", import.warnings);
        let plan = &import.queries[0].plan;
        let scan = plan.nodes.iter().position(|node| node.kind == Kind::Scan).expect("a scan");
        let numbers = &fill(plan)[scan];
        // A number of 4 B, and VARCHAR(40), of which 32 + 8/2 B are assumed to be used.
        let found = (plan.nodes[scan].detail.as_str(), numbers.rows_out.value, numbers.row_width.value);
        assert_eq!(found, (read, 30.0, 4.0 + 36.0), "{columns}");
    }
}

#[test]
fn a_copy_that_cannot_be_read_is_named_with_its_line_and_reason() {
    for (statement, reason) in [
        (
            "CREATE TABLE copied (LIKE sale, x INT)",
            "line 3, column 27: there is no table “sale”; did you mean “sales”?",
        ),
        ("CREATE TABLE copied LIKE sales", "line 3, column 1: table “copied”: it has no number of rows"),
        ("CREATE TABLE copied CLONE sale", "line 3, column 27: there is no table “sale”; did you mean “sales”?"),
    ] {
        let text = format!("{TABLES}{statement};\nSELECT note FROM copied;\nSELECT id FROM sales;");
        let import = import_as(Snowflake, &text).expect("an import");
        // The query of the other table is planned.
        assert_eq!(import.queries.len(), 1, "{:?}", import.warnings);
        assert!(import.warnings.iter().any(|note| note.contains(reason)), "{statement}: {:?}", import.warnings);
        let read = "table “copied” was left out in line 3";
        assert!(import.warnings.iter().any(|note| note.contains(read)), "{statement}: {:?}", import.warnings);
    }
}
