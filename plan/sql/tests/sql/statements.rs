//! Every statement of a file is planned for its query, or left out with its line and the reason.

use crossover_query::{Amount, Kind, Rule, fill};

use super::{import, query};

const TABLES: &str = "-- rows: 1000\nCREATE TABLE sales (shop INT, amount DOUBLE, note VARCHAR);\n";

#[track_caller]
fn read(statements: &str) -> crossover_plan::Import {
    import(&format!("{TABLES}{statements}")).expect("an import")
}

fn kinds(query: &crossover_plan::Query) -> Vec<Kind> {
    query.plan.nodes.iter().map(|node| node.kind).collect()
}

#[test]
fn what_is_understood_is_planned_and_the_rest_is_named_with_its_line() {
    let import = read(
        "SELECT count(*) FROM sales;\nSELECT zzz FROM sales;\nSELECT * FROM missing;\nVACUUM;\nSELECT amount FROM sales \
         WHERE amount > 5;",
    );
    let ids: Vec<&str> = import.queries.iter().map(|query| query.id.as_str()).collect();
    // A query keeps its number, whatever happens to those before it.
    assert_eq!(ids, ["1", "4"]);
    let notes = import.warnings.join("\n");
    assert!(notes.contains("left out: line 4, column 8: there is no column “zzz”"), "{notes}");
    assert!(notes.contains("left out: line 5, column 15: there is no table “missing”"), "{notes}");
    assert!(notes.contains("VACUUM"), "{notes}");
}

#[test]
fn a_quote_that_is_never_closed_costs_one_statement() {
    let import = read("SELECT count(*) FROM sales;\nSELECT 'abc FROM sales;\nSELECT max(amount) FROM sales;");
    assert_eq!(import.queries.len(), 2, "{:?}", import.warnings);
    assert!(import.warnings.iter().any(|note| note.contains("line 4, column 8: Unterminated string literal")));
}

#[test]
fn two_queries_of_one_name_are_one_query_and_a_note() {
    let import = read("-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;");
    assert_eq!(import.queries.len(), 1);
    assert!(import.warnings[0].contains("line 6, column 1: two queries have the name “a”"), "{:?}", import.warnings);
}

#[test]
fn a_table_without_a_size_is_named_where_it_is_read() {
    let import = read("CREATE TABLE t (a INT);\nSELECT a FROM t;\nSELECT 1;");
    assert_eq!(import.queries.len(), 1);
    let notes = import.warnings.join("\n");
    assert!(notes.contains("table “t”: it has no number of rows"), "{notes}");
    assert!(notes.contains("line 4, column 15: table “t” was left out in line 3"), "{notes}");
}

#[test]
fn statements_that_write_are_planned_for_their_query() {
    for statement in [
        "CREATE TABLE kept AS SELECT shop, sum(amount) AS total FROM sales GROUP BY shop;",
        "create or replace transient table x.kept as (with s as (select * from sales) select shop, sum(amount) t from s \
         group by 1);",
        "INSERT INTO sales SELECT shop, sum(amount), max(note) FROM sales GROUP BY shop;",
        "CREATE VIEW v AS SELECT shop, sum(amount) AS total FROM sales GROUP BY shop;",
        "EXPLAIN SELECT shop, sum(amount) FROM sales GROUP BY shop;",
        "COPY (SELECT shop, sum(amount) FROM sales GROUP BY shop) TO 'file.csv';",
    ] {
        let import = read(statement);
        let aggregates = kinds(&import.queries[0]).iter().filter(|kind| **kind == Kind::Aggregate).count();
        assert_eq!((import.queries.len(), aggregates), (1, 2), "{statement}");
    }
}

#[test]
fn merge_joins_its_source_with_the_table() {
    let import = read(
        "-- rows: 40\nCREATE TABLE news (shop INT, amount DOUBLE);\n\
         MERGE INTO sales s USING news n ON s.shop = n.shop \
         WHEN MATCHED THEN UPDATE SET amount = n.amount \
         WHEN NOT MATCHED THEN INSERT (shop, amount) VALUES (n.shop, n.amount);",
    );
    let plan = &import.queries[0].plan;
    let join = plan.nodes.iter().find(|node| node.kind == Kind::Join).expect("a join");
    // All rows of the source are kept: it is the right side.
    assert!(join.detail.starts_with("right outer"), "{}", join.detail);
    assert_eq!(plan.nodes.iter().filter(|node| node.kind == Kind::Scan).count(), 2);
}

#[test]
fn later_statements_read_tables_and_views_that_earlier_ones_make() {
    let import = read(
        "CREATE TABLE kept AS SELECT shop, amount FROM sales LIMIT 10;\n\
         CREATE VIEW large (s, a) AS SELECT shop, amount FROM sales WHERE amount > 5;\n\
         SELECT count(*) FROM kept;\nSELECT max(a) FROM large;",
    );
    assert_eq!(import.queries.len(), 4, "{:?}", import.warnings);
    // The table has the ten rows of its query; the view reads the thousand of its table.
    let scanned = |query: usize| {
        let plan = &import.queries[query].plan;
        let scan = plan.nodes.iter().position(|node| node.kind == Kind::Scan).expect("a scan");
        fill(plan)[scan].rows_out.value
    };
    assert_eq!((scanned(2), scanned(3)), (10.0, 1000.0));
}

#[test]
fn unknown_functions_count_as_functions_of_single_values_and_are_named_once() {
    let import = read(
        "SELECT my_own_code(amount), my_own_code(shop) FROM sales WHERE is_good(note, 3);\n\
         SELECT sum(my_own_code(note)) FROM sales;",
    );
    assert_eq!(import.queries.len(), 2, "{:?}", import.warnings);
    let note = import.warnings.iter().find(|note| note.contains("my_own_code")).expect("a note");
    assert!(note.contains("my_own_code (3 calls") && note.contains("is_good (1 call"), "{note}");
    // The condition passes a fifth, as every condition does.
    let filter = import.queries[0].plan.nodes.iter().position(|node| node.kind == Kind::Filter).expect("a filter");
    assert_eq!(fill(&import.queries[0].plan)[filter].rows_out, Amount::estimated(200.0, Rule::UsualFilter));
}

#[test]
fn a_misspelt_function_is_named_with_the_nearest_one() {
    let import = read("SELECT summ(amount) FROM sales;");
    assert!(import.warnings[0].contains("summ (1 call; did you mean “sum”?)"), "{:?}", import.warnings);
}

#[test]
fn a_sample_passes_its_share_of_the_rows() {
    // 1000 rows; 1 %, 20 %, one of 4 buckets, 30 rows.
    for (sample, rows) in [
        ("TABLESAMPLE (1 PERCENT)", 10.0),
        ("TABLESAMPLE BERNOULLI (1)", 10.0),
        ("TABLESAMPLE SYSTEM (20)", 200.0),
        ("TABLESAMPLE (BUCKET 1 OUT OF 4)", 250.0),
        ("TABLESAMPLE (30 ROWS)", 30.0),
    ] {
        let query = query(&format!("{TABLES}SELECT shop, sum(amount) FROM sales {sample} GROUP BY shop;"));
        let numbers = fill(&query.plan);
        let partial =
            query.plan.nodes.iter().position(|node| node.name == "Partial aggregate" || node.name == "Aggregate");
        let mut reader = partial.expect("an aggregate");
        while query.plan.nodes[reader].kind != Kind::Filter && query.plan.nodes[reader].kind != Kind::Limit {
            reader = query.plan.nodes[reader].inputs[0];
        }
        assert_eq!(numbers[reader].rows_out.value, rows, "{sample}");
    }
}

#[test]
fn a_sample_that_is_no_number_is_refused_by_name() {
    let problem = super::problem(&format!("{TABLES}SELECT * FROM sales TABLESAMPLE (120 PERCENT);"));
    assert!(problem.contains("TABLESAMPLE (120 PERCENT)” is not supported"), "{problem}");
}
