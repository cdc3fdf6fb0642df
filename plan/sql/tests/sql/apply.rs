//! Subqueries that are evaluated for each row before them: `CROSS APPLY` and `OUTER APPLY` of T-SQL and Oracle, `LATERAL` of the others. Rows
//! are worked out by hand.

use crossover_plan::{Query, SqlDialect};
use crossover_query::{Kind, fill};

use super::{import, import_as};

const TABLES: &str = "
    -- rows: 1000
    CREATE TABLE sales (id BIGINT, made TIMESTAMP, shop INT, amount DOUBLE, tax DOUBLE, note VARCHAR);
    -- rows: 40
    CREATE TABLE shops (shop INT, city VARCHAR, area DOUBLE);
";

#[track_caller]
fn planned(statement: &str) -> Query {
    let import = import(&format!("{TABLES}{statement};")).unwrap_or_else(|refused| panic!("{statement}: {refused}"));
    import.queries.into_iter().next().expect("a query")
}

fn joins(query: &Query) -> Vec<&str> {
    let joins = query.plan.nodes.iter().filter(|node| node.kind == Kind::Join);
    joins.map(|node| node.detail.as_str()).collect()
}

#[test]
fn apply_of_a_table_is_a_join_by_its_condition() {
    for (apply, expected) in [("CROSS", "on "), ("OUTER", "left outer, on ")] {
        let query = planned(&format!(
            "SELECT s.id, p.city FROM sales s {apply} APPLY (SELECT city FROM shops WHERE shops.shop = s.shop) p"
        ));
        let [join] = joins(&query)[..] else { panic!("{apply}: one join: {:?}", joins(&query)) };
        assert!(join.starts_with(expected) && join.contains("s.shop"), "{apply}: {join}");
    }
}

#[test]
fn apply_of_the_first_rows_is_a_window_and_a_join() {
    for (apply, expected) in [("CROSS", "on "), ("OUTER", "left outer, on ")] {
        let query = planned(&format!(
            "SELECT p.city, t.id FROM shops p {apply} APPLY \
             (SELECT TOP 3 s.id FROM sales s WHERE s.shop = p.shop ORDER BY s.amount DESC) t"
        ));
        let window = query.plan.nodes.iter().find(|node| node.kind == Kind::Window).expect("a window");
        assert!(window.detail.contains("PARTITION BY [s.shop]"), "{}", window.detail);
        assert!(joins(&query)[0].starts_with(expected), "{apply}: {:?}", joins(&query));
    }
}

/// Microsoft's manual of APPLY: a value that several expressions use is written once.
#[test]
fn apply_of_a_value_is_the_value_where_it_is_named() {
    for statement in [
        "SELECT s.id, c.total FROM sales s CROSS APPLY (SELECT s.amount + s.tax AS total) c WHERE c.total > 3",
        "SELECT s.id, total FROM sales s OUTER APPLY (SELECT s.amount + s.tax) AS c (total) WHERE total > 3",
        "SELECT s.id, c.total FROM sales s, LATERAL (SELECT s.amount + s.tax AS total) c WHERE c.total > 3",
        "SELECT s.id, d.total FROM sales s CROSS APPLY (SELECT s.amount AS a) c CROSS APPLY (SELECT c.a + s.tax AS total) d \
         WHERE d.total > 3",
    ] {
        let query = planned(statement);
        assert_eq!(joins(&query), Vec::<&str>::new(), "{statement}");
        let filter = query.plan.nodes.iter().position(|node| node.kind == Kind::Filter).expect("a filter");
        let detail = &query.plan.nodes[filter].detail;
        assert!(detail.contains(".amount + ") && detail.contains(".tax"), "{statement}: {detail}");
        // A fifth of 1000 rows.
        assert_eq!(fill(&query.plan)[filter].rows_out.value, 200.0, "{statement}");
        let scan = query.plan.nodes.iter().find(|node| node.kind == Kind::Scan).expect("a scan");
        assert_eq!(scan.detail, "sales: id, amount, tax", "{statement}");
    }
}

#[test]
fn a_value_that_is_named_by_a_query_keeps_its_name() {
    let query = planned(
        "SELECT max(twice) FROM (SELECT c.* FROM sales s CROSS APPLY (SELECT s.amount * 2 AS twice) c) t ORDER BY 1",
    );
    let scan = query.plan.nodes.iter().find(|node| node.kind == Kind::Scan).expect("a scan");
    assert_eq!(scan.detail, "sales: amount");
    let grouped = planned(
        "SELECT c.day, sum(s.amount) FROM sales s CROSS APPLY (SELECT date_trunc('day', s.made) AS day) c GROUP BY c.day ORDER BY \
         c.day",
    );
    assert!(joins(&grouped).is_empty() && grouped.plan.nodes.iter().any(|node| node.kind == Kind::Aggregate));
}

/// Columns that become rows, as T-SQL writes it: 2 rows of each of 1000.
#[test]
fn apply_of_several_rows_makes_them_of_each_row() {
    for statement in [
        "SELECT s.id, v.x FROM sales s CROSS APPLY (VALUES (s.amount), (s.tax)) AS v (x)",
        "SELECT s.id, v.k, v.x FROM sales s CROSS APPLY (VALUES ('amount', s.amount), ('tax', s.tax)) v (k, x)",
        "SELECT s.id, v.x FROM sales s CROSS APPLY (SELECT s.amount AS x UNION ALL SELECT s.tax) v",
        "SELECT s.id, v.x FROM sales s CROSS JOIN LATERAL (VALUES (s.amount), (s.tax)) AS v (x)",
    ] {
        let query = planned(statement);
        let made = query.plan.nodes.iter().position(|node| node.kind == Kind::Expand).expect("rows are made");
        assert_eq!(joins(&query), Vec::<&str>::new(), "{statement}");
        assert_eq!(fill(&query.plan)[made].rows_out.value, 2000.0, "{statement}");
        let scan = query.plan.nodes.iter().find(|node| node.kind == Kind::Scan).expect("a scan");
        assert_eq!(scan.detail, "sales: id, amount, tax", "{statement}");
    }
}

#[test]
fn apply_of_a_function_makes_rows_of_each_row() {
    let query = planned("SELECT s.id, w.value FROM sales s CROSS APPLY string_split(s.note, ' ') w");
    assert!(query.plan.nodes.iter().any(|node| node.kind == Kind::Expand) && joins(&query).is_empty());
}

/// Each would have two copies of the one before it.
#[test]
fn values_that_would_multiply_are_refused_before_they_are_copied() {
    let mut text = "SELECT c40.x FROM sales s CROSS APPLY (SELECT s.amount + s.amount AS x) c1".to_owned();
    for level in 2..=40 {
        text += &format!(" CROSS APPLY (SELECT c{0}.x + c{0}.x AS x) c{level}", level - 1);
    }
    let refused = import_as(SqlDialect::Postgres, &format!("{TABLES}{text}")).expect_err("too many").to_string();
    assert!(refused.contains("after substitution of APPLY and LATERAL"), "{refused}");
}
