//! Plans of small statements, each looked at by a person.

use insta::assert_snapshot;

use super::{drawn, import, query};

const TABLES: &str = "
    -- rows: 1 billion
    CREATE TABLE sales (id BIGINT, day DATE, shop INT, item INT, amount DOUBLE, note VARCHAR(40));
    -- rows: 2000
    CREATE TABLE shops (shop INT, city VARCHAR, area DOUBLE);
    -- rows: 40 million
    CREATE TABLE items (item INT, name VARCHAR, price DOUBLE);
";

/// The drawn plan of a query over the tables above.
fn plan(sql: &str) -> String {
    drawn(&query(&format!("{TABLES}{sql}")))
}

#[test]
fn a_filter_stands_over_its_scan() {
    assert_snapshot!(plan("SELECT * FROM sales WHERE id < 10"));
}

#[test]
fn a_join_with_a_small_table_copies_it() {
    assert_snapshot!(plan("SELECT s.id FROM sales s JOIN shops p ON s.shop = p.shop WHERE p.city = 'Oslo'"));
}

#[test]
fn a_join_of_large_tables_shuffles_both() {
    assert_snapshot!(plan("SELECT s.id, i.name FROM sales s JOIN items i ON s.item = i.item"));
}

#[test]
fn an_outer_join_copies_only_the_side_whose_rows_may_be_missing() {
    assert_snapshot!(plan("SELECT p.city, s.id FROM shops p LEFT JOIN sales s ON s.shop = p.shop"));
}

#[test]
fn groups_are_found_twice_with_a_shuffle_between() {
    assert_snapshot!(plan("SELECT shop, sum(amount), avg(amount) FROM sales GROUP BY shop"));
}

#[test]
fn an_aggregate_without_groups_is_gathered() {
    assert_snapshot!(plan("SELECT count(*), max(amount) FROM sales"));
}

#[test]
fn the_first_rows_are_gathered() {
    assert_snapshot!(plan("SELECT id, amount FROM sales ORDER BY amount DESC LIMIT 10"));
}

#[test]
fn a_whole_order_is_shuffled_by_ranges() {
    assert_snapshot!(plan("SELECT id FROM sales ORDER BY day, id"));
}

#[test]
fn a_limit_is_kept_on_every_machine_and_once_more() {
    assert_snapshot!(plan("SELECT id FROM sales WHERE amount > 5 LIMIT 100"));
}

#[test]
fn windows_are_shuffled_by_their_partitions() {
    assert_snapshot!(plan("SELECT id, rank() OVER (PARTITION BY shop ORDER BY amount) FROM sales"));
}

#[test]
fn windows_without_partitions_are_gathered() {
    assert_snapshot!(plan("SELECT id, row_number() OVER (ORDER BY day) FROM sales"));
}

#[test]
fn unions_read_both_inputs() {
    assert_snapshot!(plan("SELECT shop FROM sales UNION SELECT shop FROM shops"));
}

#[test]
fn subqueries_become_joins() {
    assert_snapshot!(plan(
        "SELECT name FROM items WHERE price > (SELECT avg(price) FROM items)
         AND item IN (SELECT item FROM sales WHERE day > DATE '2026-01-01')"
    ));
}

#[test]
fn distinct_values_are_counted_after_grouping_by_them() {
    assert_snapshot!(plan("SELECT shop, count(DISTINCT item) FROM sales GROUP BY shop"));
}

#[test]
fn grouping_sets_expand_rows_first() {
    assert_snapshot!(plan("SELECT day, shop, sum(amount) FROM sales GROUP BY ROLLUP (day, shop)"));
}

#[test]
fn pairs_are_made_with_a_copy_of_the_smaller_side() {
    assert_snapshot!(plan("SELECT s.id FROM sales s JOIN items i ON s.amount < i.price"));
}

#[test]
fn what_follows_a_limit_stays_on_one_machine() {
    assert_snapshot!(plan("SELECT shop, count(*) FROM (SELECT shop FROM sales LIMIT 100) GROUP BY shop ORDER BY shop"));
}

#[test]
fn a_query_of_constants_reads_nothing() {
    assert_snapshot!(plan("SELECT 1 + 2, upper('a')"));
    assert_snapshot!(plan("VALUES (1, 'a'), (2, 'b')"));
}

#[test]
fn a_mark_that_an_editor_put_first_is_no_part_of_the_first_statement() {
    let text = "CREATE TABLE t (id INT); -- rows: 10\nSELECT id FROM t;";
    assert_eq!(drawn(&query(&format!("\u{feff}{text}"))), drawn(&query(text)));
}

#[test]
fn functions_of_time_are_not_worked_out() {
    let plan = plan("SELECT id FROM sales WHERE day > now() AND amount > random()");
    assert!(plan.contains("now()") && plan.contains("random()"), "{plan}");
}

#[test]
fn the_same_file_gives_the_same_plans() {
    let text = format!(
        "{TABLES}SELECT p.city, i.name, sum(s.amount + 1), sum((s.amount + 1) * 2) FROM sales s, shops p, items i
         WHERE s.shop = p.shop AND s.item = i.item AND s.amount > (SELECT avg(price) FROM items WHERE item = s.item)
         GROUP BY p.city, i.name"
    );
    let first = import(&text).expect("an import");
    for _ in 0..20 {
        assert_eq!(import(&text).expect("an import"), first);
    }
}
