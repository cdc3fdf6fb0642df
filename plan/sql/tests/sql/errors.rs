//! What is refused, and how.

use std::fmt::Write;

use crossover_plan::{Control, ImportError};

use super::{import, problem};

const TABLES: &str = "-- rows: 10\nCREATE TABLE orders (o_key INT, price DOUBLE);\n";

#[track_caller]
fn refused(statements: &str, expected: &str) {
    assert_eq!(problem(&format!("{TABLES}{statements}")), expected);
}

#[test]
fn syntax_errors_have_line_and_column() {
    refused("SELECT price FROM\n  orders WHERE );", "line 4, column 16: expected an expression, found )");
    refused("SELECT 'abc", "line 3, column 8: Unterminated string literal");
    refused("SELECT (1 + 2", "line 3, column 14: expected ), found the end of the statement");
    refused("SELECT 1 SELECT 2;", "line 3, column 10: expected the end of the statement or a semicolon, found SELECT");
}

#[test]
fn unknown_names_are_shown_with_the_nearest_one() {
    refused("SELECT *\nFROM ordres;", "line 4, column 6: there is no table “ordres”; did you mean “orders”?");
    refused("SELECT * FROM xyz;", "line 3, column 15: there is no table “xyz”; the tables are orders");
    refused("SELECT pice FROM orders;", "line 3, column 8: there is no column “pice”; did you mean “price”?");
    refused(
        "SELECT o.zzz FROM orders o;",
        "line 3, column 8: there is no column “o.zzz”; the columns here are o.o_key, o.price",
    );
    assert_eq!(
        problem("SELECT * FROM orders"),
        "line 1, column 15: there is no table “orders”; write a CREATE TABLE statement with its columns before the \
         query"
    );
}

#[test]
fn a_function_that_takes_other_arguments_says_which() {
    refused(
        "SELECT median(price, price) FROM orders;",
        "line 3, column 1: invalid call of “median”: it expects 1 arguments but received 2",
    );
    let problem = problem("-- rows: 10\nCREATE TABLE t (name VARCHAR);\nSELECT sum(name) FROM t;");
    assert!(problem.contains("invalid call of “sum”: it requires Decimal, but received String;"), "{problem}");
    assert!(!problem.contains("bug") && !problem.contains("Internal"), "{problem}");
}

#[test]
fn tables_need_a_size() {
    assert_eq!(
        problem("\nCREATE TABLE t (a INT);"),
        "line 2, column 1: table “t”: it has no number of rows; write “-- rows: 6 million” or “-- size: 100 GB” on a \
         line of its own above CREATE TABLE"
    );
    assert_eq!(
        problem("-- row: 12\nCREATE TABLE t (a INT);"),
        "line 1, column 1: “row” is not known; did you mean “rows”?"
    );
    assert_eq!(
        problem("-- rows: many\nCREATE TABLE t (a INT);"),
        "line 1, column 1: “many” is not a number of rows; expected one like “1,000,000”, “1e9” or “6 billion”"
    );
    assert_eq!(
        problem("-- size: 100\nCREATE TABLE t (a INT);"),
        "line 1, column 1: “100” is not valid; expected a size with its unit like “100 GB” or “1.5 TB”"
    );
    assert_eq!(
        problem("-- rows: 5\n-- row width: 6\nCREATE TABLE t (a BIGINT, b TEXT);"),
        "line 3, column 1: table “t”: its row width is 6 B, but its numbers and dates alone take 8 B; state a row of \
         uncompressed data"
    );
    assert_eq!(
        problem("-- rows: 5\n-- rows: 6\nCREATE TABLE t (a INT);"),
        "line 2, column 1: “rows” is stated twice for one statement"
    );
}

#[test]
fn statements_without_a_query_are_not_planned() {
    for (statement, words) in [
        ("INSERT INTO orders VALUES (1, 2);", "INSERT INTO"),
        ("DROP TABLE orders;", "DROP TABLE"),
        ("DELETE FROM orders WHERE price > 2;", "DELETE FROM"),
    ] {
        let problem = problem(&format!("{TABLES}{statement}"));
        assert!(problem.starts_with(&format!("line 3: {words} has no query to plan; expected")), "{problem}");
    }
    refused(
        "-- rows: 1\nCREATE TABLE u (a GEOGRAPHY_X);",
        "line 4, column 17: column “a”: the type GEOGRAPHY_X is not known to the planner",
    );
    refused("-- rows: 1\nCREATE TABLE orders (a INT);", "line 4, column 1: table “orders” is created twice");
    refused(
        "SELECT zzz FROM orders;\nSELECT yyy FROM orders;",
        "line 3, column 8: there is no column “zzz”; the columns here are orders.o_key, orders.price; one more statement \
         cannot be planned",
    );
}

#[test]
fn a_file_without_queries_is_refused() {
    let empty = "the file has no statements; expected CREATE TABLE statements with sizes, and queries";
    assert_eq!(problem(""), empty);
    assert_eq!(problem("-- nothing\n;;\n"), empty);
    assert_eq!(problem(TABLES), "the file has tables but no query; expected at least one SELECT");
}

#[test]
fn files_that_are_no_statements_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("queries.sql");
    std::fs::write(&path, [0xff, 0xfe, 0x00, 0x80]).expect("a written file");
    let error = crossover_sql::read(&path, &Control::default()).expect_err("a refusal").to_string();
    assert!(error.ends_with("the file is not UTF-8 text; expected SQL statements"), "{error}");

    let large = std::fs::File::create(&path).expect("a file");
    large.set_len(100 << 20).expect("a sparse file of 100 MiB");
    let error = crossover_sql::read(&path, &Control::default()).expect_err("a refusal").to_string();
    assert!(error.ends_with("larger than 4 MB; SQL files up to that size are supported"), "{error}");

    let missing = crossover_sql::read(&folder.path().join("none.sql"), &Control::default());
    assert!(matches!(missing, Err(ImportError::Read { .. })));
}

#[test]
fn an_import_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("queries.sql");
    std::fs::write(&path, "SELECT 1;").expect("a written file");
    let control = Control::default();
    control.cancel();
    assert!(matches!(crossover_sql::read(&path, &control), Err(ImportError::Cancelled)));
}

#[test]
fn deep_and_long_statements_end_in_a_plan_or_a_refusal() {
    let deep = format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    refused(
        &deep,
        "line 3, column 10009: the statement is nested too deeply; at most about 50 parentheses or subqueries may \
         be nested",
    );
    let long = |terms: usize, word: &str| {
        let terms: Vec<String> = (0..terms).map(|number| format!("o_key <> {number}")).collect();
        format!("{TABLES}SELECT o_key FROM orders WHERE {}", terms.join(word))
    };
    // Two operations for each term, less one.
    for (terms, word) in [(2_000, " AND "), (1_000, " OR ")] {
        assert_eq!(import(&long(terms, word)).expect("an import").queries.len(), 1, "{word}");
    }
    assert_eq!(
        problem(&long(10_000, " AND ")),
        "line 3, column 1: the statement has 19999 operations like AND, = and +; at most 4000 are supported (a list \
         after IN is one)"
    );
    assert_eq!(
        problem(&long(20_000, " AND ")),
        "line 3, column 1: the statement has 80004 words and signs; at most 60000 are supported"
    );
}

#[test]
fn long_lists_are_planned() {
    let numbers: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
    let text = format!("{TABLES}SELECT price FROM orders WHERE o_key IN ({});", numbers.join(", "));
    assert_eq!(import(&text).expect("an import").queries.len(), 1);
}

#[test]
fn named_subqueries_that_multiply_are_refused_before_they_are_put_in_their_places() {
    let mut text = format!("{TABLES}WITH a0 AS (SELECT * FROM orders)");
    for level in 1..=60 {
        let below = level - 1;
        write!(text, ",\na{level} AS (SELECT x.* FROM a{below} x JOIN a{below} y ON x.o_key = y.o_key)").expect("text");
    }
    text += "\nSELECT count(*) FROM a60";
    let problem = problem(&text);
    assert!(problem.contains("after substitution of its named subqueries"), "{problem}");
    // No machine holds as many: they were counted, not made.
    let amount: Option<u64> = problem.split_whitespace().find_map(|word| word.parse().ok());
    assert!(amount >= Some(1 << 60), "{problem}");
}

#[test]
fn subqueries_that_multiply_expressions_are_refused_at_once() {
    // 2²⁹ copies of a column where the condition is put to the table.
    let mut text = format!("{TABLES}WITH a0 AS (SELECT o_key AS x FROM orders)");
    for level in 1..30 {
        write!(text, ",\na{level} AS (SELECT x + x AS x FROM a{})", level - 1).expect("text");
    }
    let problem = problem(&format!("{text}\nSELECT x FROM a29 WHERE x > 3"));
    assert!(problem.contains("copies of a column in one expression: 536870912"), "{problem}");
    // Twelve months summed in one query above another are no such thing.
    let months: Vec<String> =
        (1..=12).map(|month| format!("sum(CASE WHEN o_key = {month} THEN o_key END) AS m{month}")).collect();
    let usual = format!("{TABLES}SELECT m1 + m2 AS both FROM (SELECT {} FROM orders) AS s", months.join(", "));
    assert_eq!(import(&usual).expect("an import").queries.len(), 1);
}

#[test]
fn queries_of_more_tables_than_anybody_joins_are_refused_at_once() {
    let read =
        |count: usize| -> String { (0..count).map(|index| format!("orders t{index}")).collect::<Vec<_>>().join(", ") };
    let problem = problem(&format!("{TABLES}SELECT count(*) FROM {}", read(101)));
    assert!(problem.contains("joins tables: 101"), "{problem}");
    assert!(import(&format!("{TABLES}SELECT count(*) FROM {}", read(30))).is_ok());
    // The parts of a union are planned apart, so that there may be more of them.
    let union = |count: usize| vec!["SELECT o_key FROM orders"; count].join(" UNION ALL ");
    assert!(import(&format!("{TABLES}{}", union(120))).is_ok());
    let problem = self::problem(&format!("{TABLES}{}", union(501)));
    assert!(problem.contains("reads tables: 501"), "{problem}");
}
