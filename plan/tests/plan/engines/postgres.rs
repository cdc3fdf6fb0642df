//! PostgreSQL's totals over loops, own times, and links.

mod statement;

use crossover_plan::Format;
use crossover_query::{Amount, Kind, Node, Rule, Scope};

use super::{import, import_text};

fn all<'a>(nodes: &'a [Node], name: &str) -> Vec<(usize, &'a Node)> {
    nodes.iter().enumerate().filter(|(_, node)| node.name == name).collect()
}

fn only<'a>(nodes: &'a [Node], name: &str) -> (usize, &'a Node) {
    let found = all(nodes, name);
    assert_eq!(found.len(), 1, "{name}");
    found[0]
}

fn own(node: &Node) -> f64 {
    let figure = node.cpu_seconds.expect("an own time");
    assert_eq!(figure, Amount::derived(figure.value, Rule::WithoutInputs));
    figure.value
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} ≠ {expected}");
}

/// A hash join below an aggregate, and a nested loop's inner side that runs 100 times.
const BY_HAND: &str = r#"[{"Plan": {"Node Type": "Aggregate", "Strategy": "Plain", "Plan Rows": 1, "Plan Width": 8,
  "Actual Rows": 1, "Actual Loops": 1, "Actual Total Time": 100.0, "Plans": [
  {"Node Type": "Hash Join", "Parent Relationship": "Outer", "Plan Rows": 5, "Plan Width": 24,
   "Actual Rows": 400, "Actual Loops": 1, "Actual Total Time": 90.0, "Plans": [
   {"Node Type": "Nested Loop", "Parent Relationship": "Outer", "Plan Rows": 5, "Plan Width": 16,
    "Actual Rows": 300, "Actual Loops": 1, "Actual Total Time": 60.0, "Plans": [
    {"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Relation Name": "a", "Filter": "(x > 1)",
     "Plan Rows": 90, "Plan Width": 8, "Actual Rows": 100, "Actual Loops": 1, "Actual Total Time": 10.0,
     "Rows Removed by Filter": 900, "Shared Hit Blocks": 3, "Shared Read Blocks": 2},
    {"Node Type": "Index Scan", "Parent Relationship": "Inner", "Relation Name": "b", "Plan Rows": 2, "Plan Width": 12,
     "Actual Rows": 3, "Actual Loops": 100, "Actual Total Time": 0.4, "Shared Hit Blocks": 300,
     "Shared Read Blocks": 0}]},
   {"Node Type": "Hash", "Parent Relationship": "Inner", "Plan Rows": 50, "Plan Width": 8,
    "Actual Rows": 50, "Actual Loops": 1, "Actual Total Time": 9.0, "Plans": [
    {"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Relation Name": "c", "Plan Rows": 50, "Plan Width": 8,
     "Actual Rows": 50, "Actual Loops": 1, "Actual Total Time": 4.0}]}]}]}, "Execution Time": 101.5}]"#;

#[test]
fn rows_and_times_are_totals_over_loops_and_own_times_leave_out_inputs() {
    let import = import_text(Format::Postgres, BY_HAND).unwrap();
    let query = &import.queries[0];
    let nodes = &query.plan.nodes;
    assert_eq!(query.duration_seconds, Some(0.1015));
    let (_, inner) = only(nodes, "Index Scan");
    assert_eq!(inner.rows_out, Some(Amount::reported(300.0)));
    let time = inner.time.unwrap();
    near(time.seconds, 0.04);
    assert_eq!(time.scope, Scope::Inclusive);

    near(own(&nodes[0]), 0.010); // 100 − 90 ms
    near(own(only(nodes, "Hash Join").1), 0.026); // 90 − 60 − 4 ms: building the hash table belongs to the join
    near(own(only(nodes, "Nested Loop").1), 0.010); // 60 − 10 − 100 · 0.4 ms
    near(own(inner), 0.040);
    let (_, hash) = only(nodes, "Hash");
    assert_eq!((hash.kind, hash.cpu_seconds), (Kind::Wrapper, None));
}

#[test]
fn a_sequential_scan_reads_blocks_and_an_index_scan_rows() {
    let import = import_text(Format::Postgres, BY_HAND).unwrap();
    let nodes = &import.queries[0].plan.nodes;
    let scans = all(nodes, "Seq Scan");
    let scan = scans[0].1;
    assert_eq!(scan.rows_in, Some(Amount::reported(1000.0)));
    assert_eq!(scan.bytes_in, Some(Amount::reported(5.0 * 8192.0)));
    assert_eq!(scan.row_width, Some(Amount::estimated(8.0, Rule::Planner)));
    let (_, index) = only(nodes, "Index Scan");
    assert_eq!(index.bytes_in, Some(Amount::estimated(300.0 * 12.0, Rule::RowsTimesWidth)));
    // Without BUFFERS a sequential scan reads rows, too.
    assert_eq!(scans[1].1.bytes_in, Some(Amount::estimated(50.0 * 8.0, Rule::RowsTimesWidth)));
}

#[test]
fn an_own_time_is_never_below_zero() {
    let plan = r#"{"Plan": {"Node Type": "Limit", "Actual Rows": 1, "Actual Loops": 1, "Actual Total Time": 1.0,
        "Plans": [{"Node Type": "Seq Scan", "Actual Rows": 1, "Actual Loops": 3, "Actual Total Time": 0.9}]}}"#;
    let import = import_text(Format::Postgres, plan).unwrap();
    near(own(&import.queries[0].plan.nodes[0]), 0.0);
    assert!(import.warnings[0].contains("within n/2 rows"), "{:?}", import.warnings);
}

/// From version 18 on, `explain.c` writes the rows of a loop with two decimals, and in JSON whether an operator is disabled.
#[test]
fn only_up_to_version_17_rows_of_a_loop_are_rounded() {
    let text = |rows: &str| {
        format!(
            " Nested Loop  (cost=0.00..2.00 rows=3 width=4) (actual time=0.100..0.200 rows={rows} loops=3)\n   ->  Seq Scan on t  \
             (cost=0.00..1.00 rows=3 width=4) (never executed)\n"
        )
    };
    let json = |fields: &str| format!(r#"[{{"Plan": {{"Node Type": "Seq Scan", {fields}, "Actual Loops": 3}}}}]"#);
    let xml = |rows: &str| {
        format!(
            "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n <Query>\n  <Plan>\n   <Node-Type>Seq Scan</Node-Type>\n   \
             <Actual-Rows>{rows}</Actual-Rows>\n   <Actual-Loops>3</Actual-Loops>\n  </Plan>\n </Query>\n</explain>\n"
        )
    };
    for (plan, is_rounded) in [
        (text("4"), true),
        (text("4.00"), false),
        (json(r#""Actual Rows": 4"#), true),
        (json(r#""Actual Rows": 4.00"#), false),
        (json(r#""Disabled": false, "Actual Rows": 4"#), false),
        (xml("4"), true),
        (xml("4.00"), false),
    ] {
        let import = import_text(Format::Postgres, &plan).unwrap();
        let has_note = import.warnings.iter().any(|note| note.contains("n is at most 3."));
        assert_eq!(has_note, is_rounded, "{plan}: {:?}", import.warnings);
    }
}

#[test]
fn a_gather_is_no_network_and_what_runs_below_counts_all_processes() {
    let import = import("postgres-parallel.json");
    let nodes = &import.queries[0].plan.nodes;
    assert!(nodes.iter().all(|node| !node.kind.is_exchange()));
    // It has a time of its own: it starts the workers and merges what they give.
    assert_eq!(only(nodes, "Gather Merge").1.kind, Kind::Union);
    let (_, scan) = only(nodes, "Seq Scan");
    assert_eq!(scan.metric("Actual Loops"), Some(3.0));
    assert_eq!(scan.time.unwrap().seconds, own(scan));
}

#[test]
fn without_analyze_rows_below_a_gather_are_those_of_all_processes() {
    let import = import("postgres-parallel-estimate.json");
    let nodes = &import.queries[0].plan.nodes;
    let (_, scan) = only(nodes, "Seq Scan");
    // "Plan Rows": 6658 for each of 2 workers and a leader that works 1 − 2 · 0.3 as much: · 2.4 = 15979.2.
    assert_eq!(scan.rows_out, Some(Amount::estimated(15979.0, Rule::Planner)));
    assert_eq!((scan.time, scan.cpu_seconds, import.queries[0].duration_seconds), (None, None, None));
    let aggregates = all(nodes, "Aggregate");
    assert_eq!(aggregates[0].1.rows_out, Some(Amount::estimated(31.0, Rule::Planner)));
}

#[test]
fn without_analyze_the_inner_side_of_a_nested_loop_runs_for_every_outer_row() {
    let plan = r#"[{"Plan": {"Node Type": "Nested Loop", "Plan Rows": 200, "Plan Width": 8, "Plans": [
        {"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Plan Rows": 50, "Plan Width": 4},
        {"Node Type": "Index Scan", "Parent Relationship": "Inner", "Plan Rows": 4, "Plan Width": 4}]}}]"#;
    let import = import_text(Format::Postgres, plan).unwrap();
    let (_, inner) = only(&import.queries[0].plan.nodes, "Index Scan");
    assert_eq!(inner.rows_out, Some(Amount::estimated(200.0, Rule::Planner)));
}

#[test]
fn a_part_that_never_ran_has_no_rows_and_takes_no_time() {
    let import = import("postgres-several.txt");
    assert_eq!(import.queries.len(), 3);
    let nodes = &import.queries[1].plan.nodes;
    let (_, inner) = only(nodes, "Index Scan");
    assert_eq!(inner.metric("Actual Loops"), Some(0.0));
    assert_eq!((inner.rows_out, own(inner)), (Some(Amount::reported(0.0)), 0.0));
    assert_eq!(import.queries[2].plan.nodes[0].kind, Kind::Write);
}

#[test]
fn scans_of_a_common_table_expression_read_it_once_and_its_subquery_is_read_where_it_is_used() {
    let import = import("postgres-cte.json");
    let nodes = &import.queries[0].plan.nodes;
    let scans = all(nodes, "CTE Scan");
    assert_eq!(scans.len(), 3);
    let source = scans[0].1.inputs[0];
    assert!(nodes[source].detail.contains("CTE totals"));
    assert!(scans.iter().all(|(_, scan)| scan.inputs.contains(&source)));
    // Alias a keeps what is above the average: (total > $1).
    let (_, filtered) = scans.iter().find(|(_, scan)| scan.detail.contains("Alias: a;")).unwrap();
    assert_eq!((filtered.kind, filtered.inputs.len()), (Kind::Filter, 2));
    assert!(nodes[filtered.inputs[1]].detail.contains("InitPlan 2"));
    let (_, join) = only(nodes, "Hash Join");
    assert_eq!(join.inputs.len(), 2);
    // The expression's time is inside the scan that asked first, and it is taken off there, not at the join.
    assert!(own(join) < join.time.unwrap().seconds / 2.0);
}

#[test]
fn a_correlated_subquery_is_read_by_the_node_that_runs_it() {
    let import = import("postgres-subquery.json");
    let nodes = &import.queries[0].plan.nodes;
    let (_, scan) = only(nodes, "Seq Scan");
    let (subquery, _) = only(nodes, "Aggregate");
    assert_eq!((scan.kind, &scan.inputs[..]), (Kind::Scan, &[subquery][..]));
    // The scan's own input is its table, not the subquery's result.
    assert_eq!(scan.rows_in, Some(Amount::reported(500.0)));
    let (_, heap) = only(nodes, "Bitmap Heap Scan");
    assert_eq!((heap.kind, only(nodes, "Bitmap Index Scan").1.kind), (Kind::Scan, Kind::Wrapper));
}

#[test]
fn a_subquery_is_read_where_its_name_stands_in_old_and_new_versions() {
    for (name, reference) in [("InitPlan 1 (returns $1)", "(v > $1)"), ("InitPlan 1", "(v > (InitPlan 1).col1)")] {
        let plan = format!(
            r#"{{"Plan": {{"Node Type": "Aggregate", "Plans": [
            {{"Node Type": "Result", "Parent Relationship": "InitPlan", "Subplan Name": "{name}"}},
            {{"Node Type": "Sort", "Parent Relationship": "Outer", "Sort Key": ["$10", "InitPlan 12"], "Plans": [
             {{"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Filter": "{reference}"}}]}}]}}}}"#
        );
        let import = import_text(Format::Postgres, plan).unwrap();
        let inputs: Vec<&[usize]> = import.queries[0].plan.nodes.iter().map(|node| &node.inputs[..]).collect();
        // Aggregate, Sort, Seq Scan, and the subquery last.
        assert_eq!(inputs, [&[1][..], &[2], &[3], &[]], "{name}");
    }
}

#[test]
fn kinds_of_all_nodes_follow_from_what_they_do() {
    for (name, expected) in [
        ("Seq Scan", Kind::Scan),
        ("Index Only Scan", Kind::Scan),
        ("Foreign Scan", Kind::Scan),
        ("Custom Scan", Kind::Scan),
        ("Function Scan", Kind::Values),
        ("Result", Kind::Values),
        ("WorkTable Scan", Kind::Values),
        ("CTE Scan", Kind::Values),
        ("ProjectSet", Kind::Expand),
        ("Merge Append", Kind::Union),
        ("Recursive Union", Kind::Union),
        ("Merge Join", Kind::Join),
        ("Incremental Sort", Kind::Sort),
        ("Unique", Kind::Aggregate),
        ("SetOp", Kind::Aggregate),
        ("WindowAgg", Kind::Window),
        ("Limit", Kind::Limit),
        ("ModifyTable", Kind::Write),
        ("Memoize", Kind::Wrapper),
        ("Gather", Kind::Wrapper),
        ("LockRows", Kind::Other),
        ("Something New", Kind::Other),
    ] {
        let import = import_text(
            Format::Postgres,
            format!(r#"{{"Plan": {{"Node Type": "Append", "Plans": [{{"Node Type": "{name}"}}]}}}}"#),
        )
        .unwrap();
        assert_eq!(import.queries[0].plan.nodes[1].kind, expected, "{name}");
    }
}
