//! Times of a PostgreSQL statement: its processes, its operators' own times together, and what is outside of them.

use crossover_plan::Format;
use crossover_query::{CpuOnly, Kind, Node, Plan};
use proptest::prelude::*;

use super::{all, import, import_text, near, only, own};

#[test]
fn times_are_those_of_one_process_and_its_workers() {
    let cores = |file: &str| import(file).cluster.cores_per_machine;
    assert_eq!(cores("postgres-join.json"), Some(1));
    // "Workers Launched": 2.
    assert_eq!(cores("postgres-parallel.json"), Some(3));
    assert_eq!(cores("postgres-parallel-estimate.json"), Some(3));
    let has_note = |file: &str| import(file).warnings.iter().any(|note| note.contains("include reading from storage"));
    assert!(has_note("postgres-join.json") && !has_note("postgres-parallel-estimate.json"));
}

#[test]
fn the_operators_own_times_over_its_processes_are_near_the_measured_time() {
    // Not of a parallel plan this small: 7.2 of its 8.5 ms are the start of two workers, in which nothing is computed.
    for file in ["postgres-join.json", "postgres-window.json"] {
        let import = import(file);
        let query = &import.queries[0];
        let all: f64 = query.plan.nodes.iter().filter_map(|node| node.cpu_seconds).map(|own| own.value).sum();
        let cores = import.cluster.cores_per_machine.expect("cores") as f64;
        let ratio = all / cores / query.duration_seconds.expect("a measured time");
        assert!((0.3..=1.1).contains(&ratio), "{file}: {ratio}");
    }
}

/// Time of the plan on the cores of its processes: what one core works on counts once, the rest by their number.
fn wall(plan: &Plan, processes: f64) -> f64 {
    let seconds = |node: &Node| Some(node.cpu_seconds?.value / if node.is_serial { 1.0 } else { processes });
    plan.nodes.iter().filter_map(seconds).sum()
}

#[test]
fn a_gather_has_the_time_that_it_does_not_wait_for_its_workers() {
    // A leader and one worker: 400 ms each below; the leader took 1,000 ms, the statement 1,100 ms.
    let import = import_text(
        Format::Postgres,
        r#"[{"Plan": {"Node Type": "Gather Merge", "Actual Rows": 900, "Actual Loops": 1, "Actual Total Time": 1000.0,
            "Plan Width": 8, "Workers Planned": 1, "Workers Launched": 1, "Plans": [
            {"Node Type": "Sort", "Parent Relationship": "Outer", "Plan Width": 8, "Actual Rows": 450, "Actual Loops": 2,
             "Actual Total Time": 400.0, "Plans": [
             {"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Plan Width": 8, "Actual Rows": 450,
              "Actual Loops": 2, "Actual Total Time": 100.0}]}]}, "Execution Time": 1100.0}]"#,
    )
    .unwrap();
    let plan = &import.queries[0].plan;
    let (_, gather) = only(&plan.nodes, "Gather Merge");
    near(own(gather), 0.6);
    assert_eq!((gather.cpu_only, gather.is_serial), (Some(CpuOnly::Gather), true));
    // 300 ms more than the scan, in two processes.
    near(own(only(&plan.nodes, "Sort").1), 0.6);
    assert!(!only(&plan.nodes, "Sort").1.is_serial);
    let balance = &plan.balances[0];
    near(balance.accounted, 1.0);
    near(balance.missing(), 0.1);
    near(wall(plan, 2.0), 1.1);
    assert_eq!(plan.why_not_judged(), None);
}

#[test]
fn processes_that_wait_for_a_gather_have_no_more_than_its_time() {
    // Two processes ran 200 ms each, but the gather took 100 ms: for the rest they waited until the join asked for their rows.
    let import = import_text(
        Format::Postgres,
        r#"[{"Plan": {"Node Type": "Nested Loop", "Actual Rows": 9, "Actual Loops": 1, "Actual Total Time": 210.0, "Plans": [
            {"Node Type": "Gather", "Parent Relationship": "Outer", "Actual Rows": 9, "Actual Loops": 1,
             "Actual Total Time": 100.0, "Workers Planned": 1, "Workers Launched": 1, "Plans": [
             {"Node Type": "Sort", "Parent Relationship": "Outer", "Actual Rows": 5, "Actual Loops": 2,
              "Actual Total Time": 200.0, "Plans": [
              {"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Actual Rows": 5, "Actual Loops": 2,
               "Actual Total Time": 150.0}]}]},
            {"Node Type": "Index Scan", "Parent Relationship": "Inner", "Actual Rows": 1, "Actual Loops": 9,
             "Actual Total Time": 10.0}]}, "Execution Time": 210.0}]"#,
    )
    .unwrap();
    let plan = &import.queries[0].plan;
    // Half of what they ran: 2 · 150 ms and 2 · 50 ms.
    near(own(only(&plan.nodes, "Seq Scan").1), 0.15);
    near(own(only(&plan.nodes, "Sort").1), 0.05);
    // 210 − 100 − 90 ms.
    near(own(only(&plan.nodes, "Nested Loop").1), 0.02);
    near(plan.balances[0].accounted, 0.21);
    near(wall(plan, 2.0), 0.21);
}

#[test]
fn the_time_of_triggers_is_named() {
    let of = |write: f64| {
        let plan = format!(
            r#"[{{"Plan": {{"Node Type": "ModifyTable", "Operation": "Insert", "Actual Rows": 0, "Actual Loops": 1,
            "Actual Total Time": {write}, "Plans": [{{"Node Type": "Result", "Parent Relationship": "Outer", "Actual Rows": 1,
            "Actual Loops": 1, "Actual Total Time": 0.5}}]}}, "Triggers": [{{"Trigger Name": "a", "Time": 4.0, "Calls": 1}},
            {{"Trigger Name": "b", "Time": 3.0, "Calls": 1}}], "Execution Time": 10.0}}]"#
        );
        let import = import_text(Format::Postgres, plan).unwrap();
        import.queries[0].plan.balances[0].clone()
    };
    let balance = of(2.0);
    let parts: Vec<(&str, f64)> = balance.unaccounted.iter().map(|part| (part.reason.as_str(), part.amount)).collect();
    let [(triggers, of_triggers), (_, rest)] = parts[..] else { panic!("two parts instead of {parts:?}") };
    assert_eq!(triggers, "2 triggers");
    // 10 − 2 − 7 ms are left.
    near(of_triggers, 0.007);
    near(rest, 0.001);
    // Before a row they are in the time of the node that writes it: 10 − 9 ms are left for both.
    near(of(9.0).missing(), 0.001);
}

/// 10 − 2 ms: 7 ms of triggers, 0.4 ms of rows as text, and the rest.
#[test]
fn the_time_of_triggers_is_named_in_a_text_too() {
    let text = "\
 Delete on t  (cost=0.00..1.00 rows=0 width=0) (actual time=1.900..2.000 rows=0 loops=1)
   ->  Seq Scan on t  (cost=0.00..1.00 rows=1 width=6) (actual time=0.100..0.500 rows=1 loops=1)
 Planning Time: 0.100 ms
 Trigger for constraint a: time=4.000 calls=1
 Trigger for constraint b: time=3.000 calls=1
 Serialization: time=0.400 ms  output=1kB  format=text
 Execution Time: 10.000 ms
";
    let import = import_text(Format::Postgres, text).unwrap();
    let parts = &import.queries[0].plan.balances[0].unaccounted;
    let [triggers, rows, rest] = &parts[..] else { panic!("three parts instead of {parts:?}") };
    assert_eq!(triggers.reason, "2 triggers");
    near(triggers.amount, 0.007);
    assert_eq!(rows.reason, "conversion of its rows into text (SERIALIZE)");
    near(rows.amount, 0.0004);
    near(rest.amount, 0.0006);
    assert!(import.unread.names().next().is_none(), "{:?}", import.warnings);
}

#[test]
fn the_time_of_a_statement_had_another_name_before_version_9_4() {
    let plan = r#"[{"Plan": {"Node Type": "Seq Scan", "Actual Rows": 5, "Actual Loops": 1, "Actual Total Time": 4.0},
        "Total Runtime": 5.0}]"#;
    let import = import_text(Format::Postgres, plan).unwrap();
    assert_eq!(import.queries[0].duration_seconds, Some(0.005));
    near(import.queries[0].plan.balances[0].missing(), 0.001);
}

#[test]
fn times_that_are_rounded_up_in_every_loop_are_no_more_than_their_readers() {
    // 0.003 ms of 1,000 loops may be 2.5 ms.
    let plan = r#"{"Plan": {"Node Type": "Nested Loop", "Actual Rows": 1, "Actual Loops": 1, "Actual Total Time": 22.6,
        "Plans": [{"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Actual Rows": 1000, "Actual Loops": 1,
        "Actual Total Time": 20.0}, {"Node Type": "Index Scan", "Parent Relationship": "Inner", "Actual Rows": 1,
        "Actual Loops": 1000, "Actual Total Time": 0.003}]}, "Execution Time": 22.6}"#;
    let import = import_text(Format::Postgres, plan).unwrap();
    let plan = &import.queries[0].plan;
    near(plan.balances[0].accounted, 0.0226);
    // 20 ms of 23 ms.
    near(own(only(&plan.nodes, "Seq Scan").1), 0.0226 * 20.0 / 23.0);
}

#[test]
fn a_scan_of_a_subquery_at_the_top_keeps_its_own_time() {
    let plan = r#"{"Plan": {"Node Type": "Subquery Scan", "Actual Rows": 5, "Actual Loops": 1, "Actual Total Time": 10.0,
        "Plans": [{"Node Type": "Materialize", "Parent Relationship": "Subquery", "Actual Rows": 5, "Actual Loops": 1,
        "Actual Total Time": 7.0, "Plans": [{"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Actual Rows": 5,
        "Actual Loops": 1, "Actual Total Time": 4.0}]}]}, "Execution Time": 10.0}"#;
    let import = import_text(Format::Postgres, plan).unwrap();
    let plan = &import.queries[0].plan;
    // Materialize counts as the subquery that reads it: 10 − 4 ms.
    near(own(only(&plan.nodes, "Subquery Scan").1), 0.006);
    assert_eq!(only(&plan.nodes, "Subquery Scan").1.kind, Kind::Project);
    near(plan.balances[0].accounted, 0.01);
}

#[test]
fn scans_of_one_expression_divide_its_time() {
    // The expression took 6 ms; its scans took 8 and 4 ms with it, and the join 20 ms with all.
    let plan = r#"{"Plan": {"Node Type": "Nested Loop", "Actual Rows": 1, "Actual Loops": 1, "Actual Total Time": 20.0,
        "Plans": [
        {"Node Type": "Seq Scan", "Parent Relationship": "InitPlan", "Subplan Name": "CTE e", "Actual Rows": 9,
         "Actual Loops": 1, "Actual Total Time": 6.0},
        {"Node Type": "CTE Scan", "Parent Relationship": "Outer", "CTE Name": "e", "Filter": "(a > 1)", "Actual Rows": 9,
         "Actual Loops": 1, "Actual Total Time": 8.0},
        {"Node Type": "CTE Scan", "Parent Relationship": "Inner", "CTE Name": "e", "Filter": "(b > 1)", "Actual Rows": 9,
         "Actual Loops": 1, "Actual Total Time": 4.0}]}, "Execution Time": 20.0}"#;
    let import = import_text(Format::Postgres, plan).unwrap();
    let plan = &import.queries[0].plan;
    // 8 − 6 · 8/12 and 4 − 6 · 4/12 ms.
    let owns: Vec<f64> = all(&plan.nodes, "CTE Scan").into_iter().map(|(_, scan)| own(scan)).collect();
    near(owns.iter().sum(), 0.006);
    near(owns.iter().copied().fold(0.0, f64::max), 0.004);
    near(plan.balances[0].accounted, 0.02);
}

#[test]
fn a_gather_shortens_only_its_part_of_an_expression_that_others_read_too() {
    // The expression took 6 ms, of which 4 are in the scan of 8 ms; the gather above that scan took 4 ms.
    let plan = r#"{"Plan": {"Node Type": "Nested Loop", "Actual Rows": 1, "Actual Loops": 1, "Actual Total Time": 20.0,
        "Plans": [
        {"Node Type": "Seq Scan", "Parent Relationship": "InitPlan", "Subplan Name": "CTE e", "Actual Rows": 9,
         "Actual Loops": 1, "Actual Total Time": 6.0},
        {"Node Type": "Gather", "Parent Relationship": "Outer", "Actual Rows": 9, "Actual Loops": 1,
         "Actual Total Time": 4.0, "Plans": [
         {"Node Type": "CTE Scan", "Parent Relationship": "Outer", "CTE Name": "e", "Filter": "(a > 1)",
          "Actual Rows": 9, "Actual Loops": 1, "Actual Total Time": 8.0}]},
        {"Node Type": "CTE Scan", "Parent Relationship": "Inner", "CTE Name": "e", "Filter": "(b > 1)", "Actual Rows": 9,
         "Actual Loops": 1, "Actual Total Time": 4.0}]}, "Execution Time": 20.0}"#;
    let import = import_text(Format::Postgres, plan).unwrap();
    let plan = &import.queries[0].plan;
    // Half of the 4 ms, and the 2 ms of the other scan.
    near(own(only(&plan.nodes, "Seq Scan").1), 0.004);
    // 20 − 4 − 4 ms of the join, half of 4 ms of one scan, 2 ms of the other.
    near(own(only(&plan.nodes, "Nested Loop").1), 0.012);
    near(plan.balances[0].accounted, 0.02);
}

#[test]
fn a_run_without_times_of_operators_cannot_be_judged() {
    let plan = r#"{"Plan": {"Node Type": "Aggregate", "Actual Rows": 1, "Actual Loops": 1, "Plans": [
        {"Node Type": "Seq Scan", "Actual Rows": 900, "Actual Loops": 1}]}, "Execution Time": 170.0}"#;
    let import = import_text(Format::Postgres, plan).unwrap();
    let plan = &import.queries[0].plan;
    assert!(plan.nodes.iter().all(|node| node.cpu_seconds.is_none()));
    assert!(plan.why_not_judged().is_some_and(|why| why.contains("TIMING OFF")), "{:?}", plan.balances);
    assert!(import.warnings.iter().any(|note| note.contains("TIMING ON")), "{:?}", import.warnings);
    // One that did not run has no total.
    let planned = r#"{"Plan": {"Node Type": "Seq Scan", "Plan Rows": 900, "Plan Width": 8}}"#;
    assert!(import_text(Format::Postgres, planned).unwrap().queries[0].plan.balances.is_empty());
}

/// A chain of nodes with own times in milliseconds, below each other; a gather at a place, with processes below it.
fn statement(owns: &[u32], gather: usize, processes: u32, outside: u32) -> (String, f64) {
    const NAMES: [&str; 5] = ["Sort", "Subquery Scan", "Materialize", "Aggregate", "Limit"];
    let mut plan = String::new();
    let mut total = 0;
    for (depth, own) in owns.iter().enumerate().rev() {
        total += own;
        let is_gather = depth == gather && depth + 1 < owns.len();
        let name = match depth {
            _ if is_gather => "Gather",
            _ if depth + 1 == owns.len() => "Seq Scan",
            _ => NAMES[usize::try_from(*own).expect("a small number") % NAMES.len()],
        };
        let loops = if depth > gather && gather + 1 < owns.len() { processes } else { 1 };
        let below = if plan.is_empty() { String::new() } else { format!(r#", "Plans": [{plan}]"#) };
        plan = format!(
            r#"{{"Node Type": "{name}", "Parent Relationship": "Outer", "Actual Rows": 5, "Actual Loops": {loops},
            "Actual Total Time": {total}.0{below}}}"#
        );
    }
    let text = format!(r#"[{{"Plan": {plan}, "Execution Time": {}.0}}]"#, total + outside);
    (text, f64::from(total + outside) / 1e3)
}

proptest! {
    #[test]
    fn the_own_times_of_a_statement_are_its_time(
        owns in prop::collection::vec(1_u32..1000, 1..9),
        gather in 0_usize..9,
        processes in 2_u32..6,
        outside in 0_u32..100,
    ) {
        let (text, total) = statement(&owns, gather, processes, outside);
        let import = import_text(Format::Postgres, text).map_err(TestCaseError::fail)?;
        let plan = &import.queries[0].plan;
        let balance = &plan.balances[0];
        prop_assert!((balance.accounted + balance.missing() - total).abs() < 1e-9, "{balance:?}");
        let wall = wall(plan, if gather + 1 < owns.len() { f64::from(processes) } else { 1.0 });
        prop_assert!((wall - total).abs() < 1e-9, "{wall} of {total}");
    }
}

#[test]
fn times_beside_those_of_nodes_are_named_with_their_count() {
    let text = r#"[{"Plan": {"Node Type": "Sort", "Actual Rows": 3, "Actual Loops": 1, "Actual Startup Time": 2.0,
        "Actual Total Time": 2.5, "I/O Read Time": 1.5, "Plans": [{"Node Type": "Seq Scan", "Actual Rows": 3,
        "Actual Loops": 1, "Actual Total Time": 1.5, "I/O Read Time": 1.5, "I/O Write Time": 0.0}]},
        "Planning Time": 0.1, "Triggers": [{"Trigger Name": "t", "Time": 7.5, "Calls": 3}],
        "JIT": {"Functions": 2, "Timing": {"Generation": 0.2, "Total": 1.1}}, "Execution Time": 12.0}]"#;
    let import = import_text(Format::Postgres, text).unwrap();
    let named: Vec<_> = import.unread.names().map(|name| (name.name, name.count, name.first)).collect();
    assert_eq!(named, [("I/O Read Time", 2, "Sort"), ("Timing", 1, "JIT")]);
    assert!(
        import.warnings.iter().any(|note| note.starts_with("not used: time metrics I/O Read Time (2")),
        "{:?}",
        import.warnings
    );
}
