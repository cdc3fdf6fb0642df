//! What stays on CPUs in plans of PostgreSQL.

use crossover_plan::Format;
use crossover_query::CpuOnly;

use super::import_text;

#[test]
fn what_no_gpu_engine_runs_stays_on_cpus() {
    let node = |name: &str, more: &str| format!(r#"{{"Plan": {{"Node Type": "{name}"{more}}}}}"#);
    for (name, more, expected) in [
        ("ModifyTable", "", Some(CpuOnly::TableWrite)),
        ("LockRows", "", Some(CpuOnly::RowLock)),
        ("Recursive Union", "", Some(CpuOnly::Recursion)),
        ("Foreign Scan", "", Some(CpuOnly::Remote)),
        ("Custom Scan", r#", "Custom Plan Provider": "Citus Adaptive""#, Some(CpuOnly::Remote)),
        ("Custom Scan", r#", "Custom Plan Provider": "Other""#, None),
        ("Seq Scan", "", None),
    ] {
        let import = import_text(Format::Postgres, node(name, more)).unwrap();
        let found = &import.queries[0].plan.nodes[0];
        assert_eq!(found.cpu_only, expected, "{name}");
        assert_eq!(found.why_cpu_only(), expected.map(CpuOnly::why), "{name}");
    }
    let on_gpu =
        import_text(Format::Postgres, node("Custom Scan", r#", "Custom Plan Provider": "GpuPreAgg""#)).unwrap();
    assert!(on_gpu.queries[0].plan.nodes[0].ran_on_gpu);
}

#[test]
fn a_subplan_that_runs_for_every_row_is_a_loop_and_one_that_runs_once_is_none() {
    let import = |loops: u32| {
        let plan = format!(
            r#"{{"Plan": {{"Node Type": "Seq Scan", "Actual Rows": 500, "Actual Loops": 1, "Actual Total Time": 9.0, "Plans": [
            {{"Node Type": "Aggregate", "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 1", "Actual Rows": 1,
             "Actual Loops": {loops}, "Actual Total Time": 0.01, "Plans": [{{"Node Type": "Index Scan",
             "Parent Relationship": "Outer", "Actual Rows": 1, "Actual Loops": {loops}, "Actual Total Time": 0.01}}]}}]}}}}"#
        );
        import_text(Format::Postgres, plan).unwrap()
    };
    let reasons = |loops: u32| -> Vec<Option<CpuOnly>> {
        import(loops).queries[0]
            .plan
            .nodes
            .iter()
            .filter(|node| !node.is_without_operator())
            .map(|node| node.cpu_only)
            .collect()
    };
    assert_eq!(reasons(500), [Some(CpuOnly::Loop); 3]);
    assert_eq!(reasons(1), [None; 3]);
}

/// Nodes of a statement that only a loop runs, by their types. A statement without a time has no node for the rest.
fn loops_of(plan: &str) -> Vec<String> {
    let import = import_text(Format::Postgres, format!(r#"{{"Plan": {plan}}}"#)).expect("a plan");
    let nodes = import.queries[0].plan.nodes.iter();
    let mut names: Vec<String> =
        nodes.filter(|node| node.cpu_only == Some(CpuOnly::Loop)).map(|node| node.name.clone()).collect();
    names.sort_unstable();
    names
}

/// `select (select max(b) from u where u.a = t.a) from t` of PostgreSQL up to version 16: the planner makes the maximum a subquery of
/// its own below the subplan, which runs for every row as well.
#[test]
fn a_subquery_below_a_loop_is_a_loop_if_it_runs_as_often() {
    let plan = |loops: u32| {
        format!(
            r#"{{"Node Type": "Seq Scan", "Actual Rows": 500, "Actual Loops": 1, "Actual Total Time": 9.0, "Plans": [
            {{"Node Type": "Result", "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 2", "Actual Rows": 1,
             "Actual Loops": 500, "Actual Total Time": 0.01, "Plans": [{{"Node Type": "Limit",
             "Parent Relationship": "InitPlan", "Subplan Name": "InitPlan 1 (returns $1)", "Actual Rows": 1,
             "Actual Loops": {loops}, "Actual Total Time": 0.01, "Plans": [{{"Node Type": "Index Only Scan",
             "Parent Relationship": "Outer", "Actual Rows": 1, "Actual Loops": {loops}, "Actual Total Time": 0.01}}]}}]}}]}}"#
        )
    };
    assert_eq!(loops_of(&plan(500)), ["Index Only Scan", "Limit", "Result", "Seq Scan"]);
    assert_eq!(loops_of(&plan(1)), ["Result", "Seq Scan"]);
}

#[test]
fn a_subplan_is_a_loop_if_it_runs_more_often_than_there_are_processes() {
    // The inner side of a nested loop runs for every outer row, and so does the subplan of its condition.
    let inner = r#"{"Node Type": "Nested Loop", "Actual Rows": 9, "Actual Loops": 1, "Plans": [
        {"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Actual Rows": 800, "Actual Loops": 1},
        {"Node Type": "Index Scan", "Parent Relationship": "Inner", "Actual Rows": 1, "Actual Loops": 800, "Plans": [
         {"Node Type": "Aggregate", "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 1", "Actual Rows": 1,
          "Actual Loops": 800}]}]}"#;
    assert_eq!(loops_of(inner), ["Aggregate", "Index Scan"]);
    // Each of three processes makes its own hash table of a subplan.
    let parallel = |loops: u32| {
        format!(
            r#"{{"Node Type": "Gather", "Actual Rows": 9, "Actual Loops": 1, "Plans": [
            {{"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Actual Rows": 300, "Actual Loops": 3, "Plans": [
             {{"Node Type": "Sample Scan", "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 1", "Actual Rows": 1,
              "Actual Loops": {loops}}}]}}]}}"#
        )
    };
    assert_eq!(loops_of(&parallel(3)), [""; 0]);
    assert_eq!(loops_of(&parallel(900)), ["Sample Scan", "Seq Scan"]);
}

/// `hashed SubPlan` of `get_rule_expr` in `ruleutils.c`: the subplan runs once.
#[test]
fn without_analyze_a_subplan_that_is_not_hashed_is_a_loop() {
    let plan = |filter: &str| {
        format!(
            r#"{{"Node Type": "Seq Scan", "Filter": "{filter}", "Plan Rows": 500, "Plan Width": 8, "Plans": [
            {{"Node Type": "Index Scan", "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 1", "Plan Rows": 1,
             "Plan Width": 8}}]}}"#
        )
    };
    for filter in ["(hashed SubPlan 1)", "(ANY (a = (hashed SubPlan 1).col1))"] {
        assert_eq!(loops_of(&plan(filter)), [""; 0], "{filter}");
    }
    for filter in ["(SubPlan 1)", "((SubPlan 1) AND (hashed SubPlan 12))", "(a > 1)"] {
        assert_eq!(loops_of(&plan(filter)), ["Index Scan", "Seq Scan"], "{filter}");
    }
}
