//! Rows, widths and bytes, worked out by hand.

use crossover_plan::Query;
use crossover_query::{Amount, Kind, Numbers, Origin, Rule, fill};

use super::{import, query};

/// The numbers of the first operator of a kind, counted from the root.
#[track_caller]
fn of(query: &Query, kind: Kind) -> Numbers {
    let id = query.plan.nodes.iter().position(|node| node.kind == kind).expect("an operator of that kind");
    fill(&query.plan)[id]
}

/// The table of `t`'s columns with a size, and a query.
fn over(size: &str, columns: &str, sql: &str) -> Query {
    query(&format!("{size}\nCREATE TABLE t ({columns});\n{sql};"))
}

#[test]
fn a_scan_reads_the_stated_rows_and_the_columns_that_are_needed() {
    // BIGINT 8 B, DATE 4 B, DOUBLE 8 B; b is not read.
    let query = over("-- rows: 3 million", "a BIGINT, b DOUBLE, c DATE", "SELECT a, c FROM t");
    let scan = of(&query, Kind::Scan);
    assert_eq!(scan.rows_out, Amount::derived(3e6, Rule::StatedSize));
    assert_eq!(scan.row_width, Amount::derived(12.0, Rule::ColumnTypes));
    assert_eq!(scan.bytes_out.value, 36e6);
    assert!(!scan.bytes_out.is_estimated());
}

#[test]
fn types_are_as_wide_as_spark_counts_them() {
    for (column, bytes) in [
        ("BOOLEAN", 1.0),
        ("TINYINT", 1.0),
        ("SMALLINT", 2.0),
        ("INT", 4.0),
        ("BIGINT", 8.0),
        ("REAL", 4.0),
        ("DOUBLE", 8.0),
        ("DECIMAL(15, 2)", 8.0),
        ("DECIMAL(38, 2)", 16.0),
        ("DATE", 4.0),
        ("TIMESTAMP", 8.0),
        ("VARCHAR", 20.0),
        ("TEXT", 20.0),
        ("STRING", 20.0),
        ("BYTEA", 100.0),
        // PostgreSQL: CHAR(n) is n, VARCHAR(n) is n up to 32, then 32 + (n - 32) / 2, at most that of 1000.
        ("CHAR(10)", 10.0),
        ("CHARACTER(44)", 44.0),
        ("VARCHAR(32)", 32.0),
        ("VARCHAR(44)", 38.0),
        ("CHARACTER VARYING(100)", 66.0),
        ("VARCHAR(4000)", 516.0),
    ] {
        let query = over("-- rows: 10", &format!("a {column}"), "SELECT a FROM t");
        assert_eq!(of(&query, Kind::Scan).row_width.value, bytes, "{column}");
    }
}

#[test]
fn text_shares_what_numbers_leave_of_a_stated_row_width() {
    // 100 B − 4 B of the number are shared 20 : 60 by text of unknown length and VARCHAR(88), 32 + 56/2 = 60.
    let columns = "id INT, short VARCHAR, long VARCHAR(88)";
    let with = |sql| over("-- rows: 1000\n-- row width: 100 B", columns, sql);
    assert_eq!(of(&with("SELECT * FROM t"), Kind::Scan).row_width.value, 100.0);
    assert_eq!(of(&with("SELECT id FROM t"), Kind::Scan).row_width.value, 4.0);
    assert_eq!(of(&with("SELECT short FROM t"), Kind::Scan).row_width.value, 24.0);
    assert_eq!(of(&with("SELECT long FROM t"), Kind::Scan).row_width.value, 72.0);
}

#[test]
fn a_size_gives_rows_and_a_size_with_rows_gives_the_width() {
    let sized = over("-- size: 100 GB\n-- row width: 100 B", "id INT, note VARCHAR", "SELECT * FROM t");
    let scan = of(&sized, Kind::Scan);
    assert_eq!(scan.rows_out, Amount::derived(1e9, Rule::StatedSize));
    assert_eq!(scan.bytes_out.value, 100e9);

    let both = over("-- size: 1 GB\n-- rows: 10 million", "id INT, note VARCHAR", "SELECT * FROM t");
    let scan = of(&both, Kind::Scan);
    assert_eq!(scan.rows_out, Amount::derived(1e7, Rule::StatedSize));
    assert_eq!(scan.row_width.value, 100.0);

    // Without a row width the columns have it: 1 GB of 24 B each.
    let typed = over("-- size: 1.2 GB", "id INT, note VARCHAR", "SELECT id FROM t");
    assert_eq!(of(&typed, Kind::Scan).rows_out, Amount::estimated(5e7, Rule::StatedSize));
}

#[test]
fn a_filter_passes_a_fifth_and_a_condition_on_null_alone_passes_all() {
    let filtered = over("-- rows: 1000", "a INT, b INT", "SELECT * FROM t WHERE a < 10 AND b = 3");
    assert_eq!(of(&filtered, Kind::Filter).rows_out, Amount::estimated(200.0, Rule::UsualFilter));
    let present = over("-- rows: 1000", "a INT, b INT", "SELECT * FROM t WHERE a IS NOT NULL");
    assert_eq!(of(&present, Kind::Filter).rows_out, Amount::estimated(1000.0, Rule::SameAsInput));
}

#[test]
fn a_limit_bounds_rows() {
    let limited = over("-- rows: 1000", "a INT", "SELECT a FROM t LIMIT 10 OFFSET 5");
    assert_eq!(of(&limited, Kind::Limit).rows_out, Amount::derived(10.0, Rule::Limit));
    // DataFusion lets the scan stop after 15 rows, 5 of which are left out.
    assert_eq!(of(&limited, Kind::Scan).rows_out, Amount::derived(15.0, Rule::Limit));
    let short = over("-- rows: 7", "a INT", "SELECT a FROM t LIMIT 10");
    assert_eq!(of(&short, Kind::Limit).rows_out.value, 7.0);
}

#[test]
fn joins_without_a_condition_give_every_pair() {
    let tables = "-- rows: 2000\nCREATE TABLE a (x INT);\n-- rows: 300\nCREATE TABLE b (y INT);\n";
    let pairs = query(&format!("{tables}SELECT * FROM a, b;"));
    assert_eq!(of(&pairs, Kind::Join).rows_out, Amount::derived(600_000.0, Rule::EveryPair));
    let compared = query(&format!("{tables}SELECT * FROM a, b WHERE x < y;"));
    assert_eq!(of(&compared, Kind::Join).rows_out, Amount::estimated(120_000.0, Rule::UsualFilter));
    let outer = query(&format!("{tables}SELECT * FROM a LEFT JOIN b ON x = y;"));
    assert_eq!(of(&outer, Kind::Join).rows_out, Amount::estimated(2000.0, Rule::UsualJoin));
    let semi = query(&format!("{tables}SELECT * FROM b WHERE EXISTS (SELECT 1 FROM a WHERE x = y);"));
    assert_eq!(of(&semi, Kind::Join).rows_out, Amount::estimated(300.0, Rule::SameAsInput));
}

#[test]
fn an_aggregate_without_groups_gives_one_row_and_groups_are_found_once() {
    let all = over("-- rows: 1000", "a INT", "SELECT sum(a) FROM t");
    assert_eq!(of(&all, Kind::Aggregate).rows_out, Amount::derived(1.0, Rule::OneRow));
    // 1000 rows have 100 groups; the second step finds the same.
    let grouped = over("-- rows: 1000", "a INT", "SELECT a, count(*) FROM t GROUP BY a");
    let numbers = fill(&grouped.plan);
    let aggregates: Vec<f64> = (0..numbers.len())
        .filter(|id| grouped.plan.nodes[*id].kind == Kind::Aggregate)
        .map(|id| numbers[id].rows_out.value)
        .collect();
    assert_eq!(aggregates, [100.0, 100.0]);
}

#[test]
fn grouping_sets_copy_every_row() {
    // ROLLUP (a, b): by a and b, by a, and all.
    let query = over("-- rows: 1000", "a INT, b INT", "SELECT a, b, count(*) FROM t GROUP BY ROLLUP (a, b)");
    assert_eq!(of(&query, Kind::Expand).rows_out, Amount::derived(3000.0, Rule::GroupingSets));
}

#[test]
fn sides_up_to_ten_mebibytes_are_copied() {
    // One BIGINT has 8 B: 1,310,720 rows are 10 MiB.
    for (rows, expected) in [(1_310_720, Kind::Broadcast), (1_310_721, Kind::Shuffle)] {
        let text = format!(
            "-- rows: 1 billion\nCREATE TABLE a (x BIGINT);\n-- rows: {rows}\nCREATE TABLE b (y BIGINT);\n\
             SELECT x FROM a JOIN b ON x = y;"
        );
        let exchange =
            query(&text).plan.nodes.iter().find(|node| node.kind.is_exchange()).cloned().expect("an exchange");
        assert_eq!(exchange.kind, expected, "{rows} rows");
    }
}

#[test]
fn numbers_are_written_as_people_write_them() {
    for (stated, rows) in [
        ("1000", 1e3),
        ("1,000,000", 1e6),
        ("2_000", 2e3),
        ("1e9", 1e9),
        ("6 billion", 6e9),
        ("1.5 Million", 1.5e6),
        ("0", 0.0),
    ] {
        let query = over(&format!("--ROWS : {stated}"), "a INT", "SELECT a FROM t");
        assert_eq!(of(&query, Kind::Scan).rows_out.value, rows, "{stated}");
    }
}

#[test]
fn a_size_may_stand_in_the_statement_or_behind_its_semicolon() {
    for text in [
        "CREATE TABLE t (a INT); -- rows: 5\nSELECT a FROM t;",
        "CREATE TABLE t ( -- rows: 5\n a INT);\nSELECT a FROM t;",
        "/* A small table.\n   rows: 5\n*/\nCREATE TABLE t (a INT);\nSELECT a FROM t;",
    ] {
        assert_eq!(of(&query(text), Kind::Scan).rows_out.value, 5.0, "{text}");
    }
}

#[test]
fn queries_have_their_names_or_their_numbers() {
    let text = "-- rows: 5\nCREATE TABLE t (a INT);\nSELECT a FROM t;\n-- name: sums\nSELECT sum(a) FROM t;\nSELECT 1";
    let import = import(text).expect("an import");
    let ids: Vec<&str> = import.queries.iter().map(|query| query.id.as_str()).collect();
    assert_eq!(ids, ["1", "sums", "3"]);
    assert_eq!(import.queries[1].description, "SELECT sum(a) FROM t");
    assert_eq!(import.queries[1].plan.query, "sums");
}

#[test]
fn every_row_width_has_an_origin() {
    let query = over("-- rows: 5", "a INT, b VARCHAR", "SELECT upper(b), a + 1 FROM t");
    let project = of(&query, Kind::Project);
    // Text 20 B and a BIGINT 8 B.
    assert_eq!(project.row_width.value, 28.0);
    assert_eq!(project.row_width.origin, Origin::Estimated(Rule::ColumnTypes));
}
