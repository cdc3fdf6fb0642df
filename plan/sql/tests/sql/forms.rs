//! Forms that `DataFusion` lacks are planned as forms of the same cost. Rows are worked out by hand.

use crossover_plan::{Query, SqlDialect};
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
    let import = super::import_as(SqlDialect::Spark, &text).expect("an import");
    let (scan, _) = only(&import.queries[0], "Scan");
    assert_eq!(scan.detail, "sales: shop, note");
}

#[test]
fn a_list_that_is_looked_for_in_a_subquery_is_a_join() {
    let query = planned("SELECT id FROM sales WHERE (shop, id) NOT IN (SELECT shop, id FROM sales WHERE amount > 3)");
    let join = query.plan.nodes.iter().find(|node| node.kind == Kind::Join).expect("a join");
    assert!(join.detail.contains("anti"), "{}", join.detail);
}

/// The same in a dialect.
#[track_caller]
fn planned_as(dialect: SqlDialect, statement: &str) -> Query {
    let text = format!("{TABLES}-- rows: 40\nCREATE TABLE shops (shop INT, city VARCHAR, area DOUBLE);\n{statement};");
    let import = super::import_as(dialect, &text).expect("an import");
    import.queries.into_iter().next().expect("a query")
}

fn joins(query: &Query) -> Vec<&str> {
    let joins = query.plan.nodes.iter().filter(|node| node.kind == Kind::Join);
    joins.map(|node| node.detail.as_str()).collect()
}

#[test]
fn a_marked_column_keeps_the_rows_of_the_other_table() {
    for dialect in [SqlDialect::Snowflake, SqlDialect::Redshift] {
        let query = planned_as(
            dialect,
            "SELECT s.id, p.city FROM sales s, shops p WHERE p.shop (+) = s.shop AND p.area (+) > 3 AND s.amount > 5",
        );
        let [join] = joins(&query)[..] else { panic!("one join") };
        assert!(join.starts_with("left outer, on s.shop = p.shop"), "{join}");
        // The condition of the optional table is part of the join, that of the other one is not.
        let (outer, inner) =
            (join.contains("amount"), query.plan.nodes.iter().any(|node| node.detail.contains("amount")));
        assert_eq!((outer, inner), (false, true), "{join}");
    }
}

#[test]
fn marked_columns_of_two_tables_are_two_joins() {
    let query = planned_as(
        SqlDialect::Snowflake,
        "SELECT a.id FROM shops p, sales a, sales b WHERE b.id (+) = a.id AND a.shop = p.shop (+)",
    );
    assert_eq!(joins(&query).iter().filter(|join| join.starts_with("left outer")).count(), 2);
}

#[test]
fn a_hierarchy_is_a_recursive_query() {
    let query = planned_as(
        SqlDialect::Snowflake,
        "SELECT id, LEVEL FROM sales WHERE amount > 3 START WITH shop = 1 CONNECT BY PRIOR id = shop",
    );
    let (all, _) = only(&query, "Recursive union");
    assert_eq!(all.cpu_only, Some(CpuOnly::Recursion));
    // A fifth of 1000 rows begin, and ten times as many follow.
    assert_eq!(only(&query, "Work table").1, 2000.0);
    let [join] = joins(&query)[..] else { panic!("one join") };
    assert!(join.contains(".id = ") || join.contains(" = connected_1.id"), "{join}");
}

#[test]
fn the_first_rows_for_each_row_are_a_window_over_the_keys() {
    for join in [
        "CROSS JOIN LATERAL (SELECT id FROM sales s WHERE s.shop = p.shop ORDER BY amount DESC LIMIT 3) t",
        "LEFT JOIN LATERAL (SELECT id FROM sales s WHERE s.shop = p.shop ORDER BY amount DESC LIMIT 3) t ON true",
    ] {
        let query = planned_as(SqlDialect::Postgres, &format!("SELECT p.city, t.id FROM shops p {join}"));
        let window = query.plan.nodes.iter().find(|node| node.kind == Kind::Window).expect("a window");
        assert!(window.detail.contains("PARTITION BY [s.shop]"), "{}", window.detail);
        assert!(joins(&query)[0].contains("p.shop = t.lateral_1_1"), "{join}: {:?}", joins(&query));
        assert!(!query.plan.nodes.iter().any(|node| node.kind == Kind::Limit));
    }
}

#[test]
fn patterns_of_rows_are_looked_for_on_cpus() {
    let query = planned_as(
        SqlDialect::Snowflake,
        "SELECT shop, begun FROM sales MATCH_RECOGNIZE (PARTITION BY shop ORDER BY id MEASURES FIRST(up.id) AS begun \
         PATTERN (up+) DEFINE up AS amount > 3)",
    );
    let (matches, rows) = only(&query, "Match recognize");
    assert_eq!((matches.kind, matches.cpu_only, rows), (Kind::Window, Some(CpuOnly::Pattern), 1000.0));
    assert_eq!(matches.detail, "by sales.shop, ordered by sales.id");
    // Rows of a match are a fifth, as of every condition.
    assert_eq!(only(&query, "Filter").1, 200.0);
    // What the pattern and its measures do not name is not read.
    assert_eq!(only(&query, "Scan").0.detail, "sales: id, shop, amount");
}

#[test]
fn a_program_that_transforms_rows_stays_on_cpus() {
    let query =
        planned_as(SqlDialect::Spark, "SELECT TRANSFORM(id, note) USING 'clean.py' AS (a INT, b STRING) FROM sales");
    let (made, rows) = only(&query, "Generate");
    assert_eq!((made.cpu_only, rows), (Some(CpuOnly::Script), 1000.0));
    assert_eq!(made.detail, "script_transformation('clean.py', id, note)");
    assert_eq!(only(&query, "Scan").0.detail, "sales: id, note");
}

#[test]
fn a_pivot_without_values_aggregates_the_values_and_then_the_groups() {
    let query = planned_as(SqlDialect::DuckDb, "PIVOT sales ON shop USING sum(amount) GROUP BY note");
    let aggregates: Vec<&str> =
        query.plan.nodes.iter().filter(|node| node.name == "Aggregate").map(|node| node.detail.as_str()).collect();
    let [groups, values] = aggregates[..] else { panic!("two aggregations: {aggregates:?}") };
    assert!(values.contains("sum(sales.amount)") && values.contains("sales.shop"), "{values}");
    assert!(groups.contains("array_agg") && groups.ends_with("by sales.note"), "{groups}");
}

#[test]
fn what_has_no_form_is_named_with_its_line_and_reason() {
    for (statement, reason) in [
        ("SELECT s.id FROM sales s, shops p WHERE s.shop = p.shop (+) OR s.id = 1", "(+) is not supported in OR or ON"),
        ("SELECT s.id FROM sales s, shops p CONNECT BY PRIOR s.id = p.shop", "CONNECT BY over several tables"),
        (
            "SELECT p.city FROM shops p, LATERAL (SELECT id FROM sales s WHERE s.amount < p.area LIMIT 1) t",
            "LATERAL with LIMIT needs an equality",
        ),
    ] {
        let text = format!(
            "{TABLES}-- rows: 40\nCREATE TABLE shops (shop INT, city VARCHAR, area DOUBLE);\nSELECT 1;\n{statement};"
        );
        let import = super::import_as(SqlDialect::Snowflake, &text).expect("an import");
        let note = import.warnings.iter().find(|note| note.contains(reason));
        assert!(note.is_some_and(|note| note.contains("line 6")), "{statement}: {:?}", import.warnings);
    }
}
