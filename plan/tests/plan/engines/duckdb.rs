//! DuckDB's numbers and links.

use crossover_plan::Format;
use crossover_query::{Amount, CpuOnly, Kind, Node, Origin, Rule, Scope, fill};

use super::{import, import_text, sample};

fn by_name<'a>(nodes: &'a [Node], name: &str) -> (usize, &'a Node) {
    nodes.iter().enumerate().find(|(_, node)| node.name == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn operators_add_up_to_the_totals_that_duckdb_reports_for_the_statement() {
    // `query` of the file: cpu_time, total_rows_scanned and total_intermediate_size_bytes are DuckDB's own sums.
    let text = std::fs::read_to_string(sample("duckdb-join.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let total = |key: &str| json["query"][key].as_f64().unwrap();
    let import = import("duckdb-join.json");
    let query = &import.queries[0];
    let nodes = &query.plan.nodes;
    let seconds: f64 = nodes.iter().filter_map(|node| node.time).map(|time| time.seconds).sum();
    assert!((seconds / total("cpu_time") - 1.0).abs() < 1e-9);
    let scanned: f64 = nodes.iter().filter_map(|node| node.rows_in).map(|rows| rows.value).sum();
    assert_eq!(scanned, total("total_rows_scanned"));
    let bytes: f64 = nodes.iter().filter_map(|node| node.bytes_out).map(|bytes| bytes.value).sum();
    assert_eq!(bytes, total("total_intermediate_size_bytes"));
    assert_eq!(query.duration_seconds, Some(total("total_time")));
    assert_eq!(query.description, json["query"]["sql"].as_str().unwrap());
}

#[test]
fn an_operators_own_time_is_its_cpu_time() {
    let import = import("duckdb-1.4-profile.json");
    let (_, join) = by_name(&import.queries[0].plan.nodes, "HASH_JOIN");
    let time = join.time.unwrap();
    assert_eq!(time.scope, Scope::Exclusive);
    assert_eq!(join.cpu_seconds, Some(Amount::reported(time.seconds)));
    assert!(time.seconds > 0.0);
}

#[test]
fn kinds_of_the_sample_are_those_of_its_statement() {
    let import = import("duckdb-join.json");
    let kinds: Vec<(&str, Kind)> =
        import.queries[0].plan.nodes.iter().map(|node| (node.name.as_str(), node.kind)).collect();
    for expected in [
        ("RESULT_COLLECTOR", Kind::Wrapper),
        ("EXPLAIN_ANALYZE", Kind::Wrapper),
        ("TOP_N", Kind::Sort),
        ("PROJECTION", Kind::Project),
        ("HASH_GROUP_BY", Kind::Aggregate),
        ("HASH_JOIN", Kind::Join),
        ("TABLE_SCAN", Kind::Scan),
    ] {
        assert!(kinds.contains(&expected), "{expected:?} not in {kinds:?}");
    }
}

#[test]
fn explain_without_analyze_gives_the_planners_guesses() {
    for name in ["duckdb-estimate.json", "duckdb-1.4-estimate.json"] {
        let import = import(name);
        let query = &import.queries[0];
        assert_eq!(query.duration_seconds, None);
        let (_, join) = by_name(&query.plan.nodes, "HASH_JOIN");
        // "Estimated Cardinality" in the file.
        assert_eq!(join.rows_out, Some(Amount::estimated(3766.0, Rule::Planner)), "{name}");
        assert_eq!((join.cpu_seconds, join.time), (None, None), "{name}");
    }
}

#[test]
fn the_json_of_old_has_rows_and_times() {
    let import = import("duckdb-0.10-profile.json");
    let query = &import.queries[0];
    assert!(query.description.starts_with("SELECT c.region"), "{}", query.description);
    assert!(query.duration_seconds.unwrap() > 0.0);
    let (_, join) = by_name(&query.plan.nodes, "HASH_JOIN");
    assert_eq!(join.rows_out.unwrap().origin, Origin::Reported);
    assert!(join.detail.contains("INNER"), "{}", join.detail);
}

#[test]
fn a_union_whose_rows_duckdb_does_not_count_gives_those_of_its_inputs() {
    let import = import("duckdb-union.json");
    let nodes = &import.queries[0].plan.nodes;
    let (id, union) = by_name(nodes, "UNION");
    assert_eq!(union.rows_out, None);
    // 646 sales and 100 customers: expected-duckdb.csv.
    assert_eq!(fill(&import.queries[0].plan)[id].rows_out, Amount::derived(746.0, Rule::SameAsInput));
}

#[test]
fn scans_of_a_common_table_expression_read_what_it_gives_once() {
    let import = import("duckdb-cte.json");
    let nodes = &import.queries[0].plan.nodes;
    let (_, expression) = by_name(nodes, "CTE");
    assert_eq!((expression.kind, expression.inputs.len()), (Kind::Wrapper, 1));
    let scans: Vec<&Node> = nodes.iter().filter(|node| node.name == "CTE_SCAN").collect();
    assert_eq!(scans.len(), 3);
    let source = scans[0].inputs[0];
    assert!(scans.iter().all(|scan| scan.kind == Kind::Wrapper && scan.inputs == [source]));
    assert_eq!(nodes[source].rows_out, Some(Amount::reported(500.0)));
    assert!(!nodes.iter().any(|node| node.name == "CTE" && node.inputs.contains(&source)));
}

#[test]
fn a_delim_join_has_its_cached_side_and_its_keys_once() {
    let import = import("duckdb-1.4-subquery.json");
    let nodes = &import.queries[0].plan.nodes;
    let (_, delim) = by_name(nodes, "RIGHT_DELIM_JOIN");
    let join = delim.inputs[0];
    assert_eq!((nodes[join].name.as_str(), nodes[join].kind, delim.kind), ("HASH_JOIN", Kind::Join, Kind::Wrapper));
    let (customers, _) = nodes.iter().enumerate().find(|(_, node)| node.detail.contains("Table: customers")).unwrap();
    // The side of the join that DuckDB shows as DUMMY_SCAN, and what the distinct keys are made of.
    let (_, stand_in) = by_name(nodes, "DUMMY_SCAN");
    assert_eq!((stand_in.kind, &stand_in.inputs[..]), (Kind::Wrapper, &[customers][..]));
    let (keys, distinct) = by_name(nodes, "HASH_GROUP_BY");
    assert_eq!(distinct.inputs, [customers]);
    let (_, scan) = by_name(nodes, "DELIM_SCAN");
    assert_eq!((&scan.inputs[..], scan.rows_out), (&[keys][..], None));
}

#[test]
fn a_scan_reads_more_rows_than_pass_its_filter() {
    let plan = r#"{"latency": 0.5, "query_name": "q", "children": [{
        "operator_type": "TABLE_SCAN", "operator_name": "READ_PARQUET ", "operator_timing": 0.25,
        "operator_cardinality": 100, "operator_rows_scanned": 1000, "result_set_size": 800,
        "extra_info": {"Function": "READ_PARQUET", "Filters": "a>1", "Estimated Cardinality": "7"}, "children": []}]}"#;
    let import = import_text(Format::DuckDb, plan).unwrap();
    let node = &import.queries[0].plan.nodes[0];
    assert_eq!((node.name.as_str(), node.kind), ("READ_PARQUET", Kind::Scan));
    assert_eq!(node.detail, "Function: READ_PARQUET; Filters: a>1");
    assert_eq!((node.rows_in, node.rows_out), (Some(Amount::reported(1000.0)), Some(Amount::reported(100.0))));
    // 800 bytes / 100 rows · 1000 rows.
    assert_eq!(node.bytes_in, Some(Amount::estimated(8000.0, Rule::RowsTimesWidth)));
    assert_eq!(import.queries[0].duration_seconds, Some(0.5));
}

/// A profile of a scan below a limit, or below an aggregate.
fn above_a_scan(operator: &str, latency: f64) -> String {
    format!(
        r#"{{"latency": {latency}, "query_name": "q", "children": [{{
        "operator_type": "{operator}", "operator_timing": 0.001, "operator_cardinality": 5, "operator_rows_scanned": 0,
        "result_set_size": 40, "extra_info": {{}}, "children": [{{
        "operator_type": "TABLE_SCAN", "operator_name": "SEQ_SCAN", "operator_timing": 0.002, "operator_cardinality": 2048,
        "operator_rows_scanned": 900000, "result_set_size": 16384, "extra_info": {{"Table": "t"}}, "children": []}}]}}]}}"#
    )
}

#[test]
fn a_scan_that_a_limit_stops_reads_no_more_than_it_gives() {
    let scan = |operator: &str| {
        let import = import_text(Format::DuckDb, above_a_scan(operator, 0.003)).unwrap();
        fill(&import.queries[0].plan)[1]
    };
    let stopped = scan("STREAMING_LIMIT");
    assert_eq!((stopped.rows_in.value, stopped.bytes_in.value), (2048.0, 16_384.0));
    // An aggregate needs all rows.
    assert_eq!(scan("UNGROUPED_AGGREGATE").rows_in.value, 900_000.0);
}

/// `SELECT * FROM t UNION ALL SELECT * FROM u LIMIT 5` and joins whose probe side is scanned: all of them pass rows on as they come.
#[test]
fn a_limit_stops_scans_below_a_union_and_on_the_probe_side_of_a_join() {
    let scanned = |operator: &str| {
        let scan = r#"{"operator_type": "TABLE_SCAN", "operator_name": "SEQ_SCAN", "operator_timing": 0.002,
            "operator_cardinality": 2048, "operator_rows_scanned": 900000, "result_set_size": 16384,
            "extra_info": {"Table": "t"}, "children": []}"#;
        let text = format!(
            r#"{{"latency": 0.003, "query_name": "q", "children": [{{"operator_type": "STREAMING_LIMIT",
            "operator_timing": 0.001, "operator_cardinality": 5, "operator_rows_scanned": 0, "result_set_size": 40,
            "extra_info": {{}}, "children": [{{"operator_type": "{operator}", "operator_timing": 0.001,
            "operator_cardinality": 2048, "operator_rows_scanned": 0, "result_set_size": 16384, "extra_info": {{}},
            "children": [{scan}, {scan}]}}]}}]}}"#
        );
        let import = import_text(Format::DuckDb, text).unwrap();
        let plan = &import.queries[0].plan;
        let rows = fill(plan).into_iter().zip(&plan.nodes).filter(|(_, node)| node.kind == Kind::Scan);
        rows.map(|(numbers, _)| numbers.rows_in.value).collect::<Vec<f64>>()
    };
    assert_eq!(scanned("UNION"), [2048.0, 2048.0]);
    // The build side is read to its end.
    for join in ["HASH_JOIN", "NESTED_LOOP_JOIN", "BLOCKWISE_NL_JOIN", "CROSS_PRODUCT"] {
        assert_eq!(scanned(join), [2048.0, 900_000.0], "{join}");
    }
}

#[test]
fn a_query_that_took_longer_than_its_operators_on_one_thread_is_named() {
    let plan = |latency: f64| {
        let import = import_text(Format::DuckDb, above_a_scan("UNGROUPED_AGGREGATE", latency)).unwrap();
        import.queries[0].plan.clone()
    };
    // 1 + 2 ms of operators.
    for latency in [0.0025, 0.05] {
        let short = plan(latency);
        assert_eq!((short.why_not_judged(), short.balances.len()), (None, 1), "{latency}");
    }
    let long = plan(0.3);
    assert!((long.balances[1].missing() - 0.297).abs() < 1e-12, "{:?}", long.balances);
    assert!(long.why_not_judged().is_some_and(|why| why.starts_with("99 % of its time")));
}

/// `cpu_time` is DuckDB's own sum over the operators, also over those that a profile leaves out.
#[test]
fn operators_are_balanced_with_the_sum_that_duckdb_wrote() {
    let plan = |total: &str| {
        let text = above_a_scan("UNGROUPED_AGGREGATE", 0.0025).replacen('{', &format!("{{{total}"), 1);
        import_text(Format::DuckDb, text).unwrap().queries[0].plan.clone()
    };
    // 1 + 2 ms of operators.
    let whole = plan(r#""cpu_time": 0.003, "#);
    assert_eq!((whole.why_not_judged(), whole.balances[0].clause()), (None, None));
    let lost = plan(r#""cpu_time": 0.012, "#);
    assert!((lost.balances[0].missing() - 0.009).abs() < 1e-12, "{:?}", lost.balances);
    // 9 of 12 ms.
    assert!(lost.why_not_judged().is_some_and(|why| why.starts_with("75 % of its CPU time")), "{:?}", lost.balances);
    let twice = plan(r#""cpu_time": 0.0015, "#);
    assert!(
        twice.why_not_judged().is_some_and(|why| why.starts_with("its operators have 3 ms")),
        "{:?}",
        twice.balances
    );
}

#[test]
fn a_profile_without_times_of_operators_cannot_be_judged() {
    let reason = |cpu_time: &str| {
        let timed = above_a_scan("UNGROUPED_AGGREGATE", 0.5).replacen('{', &format!("{{{cpu_time}"), 1);
        let text = timed.replace(r#""operator_timing": 0.001, "#, "").replace(r#""operator_timing": 0.002, "#, "");
        let import = import_text(Format::DuckDb, text).unwrap();
        import.queries[0].plan.why_not_judged().expect("no operator has a time")
    };
    let of_time = reason("");
    assert!(of_time.starts_with("100 % of its time (500 ms of 500 ms)"), "{of_time}");
    assert!(of_time.contains("operator_timing"), "{of_time}");
    let of_cpu_time = reason(r#""cpu_time": 0.8, "#);
    assert!(of_cpu_time.starts_with("100 % of its CPU time (800 ms of 800 ms)"), "{of_cpu_time}");
    // A plan that never ran has nothing to be judged by, and no balance.
    assert!(super::import("duckdb-1.4-estimate.json").queries[0].plan.balances.is_empty());
}

/// EXPLAIN (ANALYZE, FORMAT json) of DuckDB 1.x writes a latency of 0.
#[test]
fn a_plan_without_the_time_of_its_query_says_how_to_measure_it() {
    let import = |latency: f64| import_text(Format::DuckDb, above_a_scan("UNGROUPED_AGGREGATE", latency)).unwrap();
    let without = import(0.0);
    assert_eq!(without.queries[0].duration_seconds, None);
    assert!(without.warnings.iter().any(|note| note.contains("enable_profiling")), "{:?}", without.warnings);
    assert_eq!(import(0.003).warnings, Vec::<String>::new());
    // Without ANALYZE there is nothing to measure.
    assert!(!super::import("duckdb-1.4-estimate.json").warnings.iter().any(|note| note.contains("enable_profiling")));
}

#[test]
fn steps_between_the_operators_are_named_with_the_longest_first() {
    let plan = r#"{"latency": 0.02, "query_name": "q", "children": [{"operator_type": "EXPLAIN_ANALYZE",
        "operator_timing": 0.001, "extra_info": {}, "children": [{"operator_type": "CTE", "operator_timing": 0.002,
        "extra_info": {}, "children": [{"operator_type": "TABLE_SCAN", "operator_name": "SEQ_SCAN", "operator_timing": 0.006,
        "operator_cardinality": 9, "extra_info": {"Table": "t"}, "children": []}, {"operator_type": "CTE_SCAN",
        "operator_timing": 0.001, "operator_cardinality": 9, "extra_info": {}, "children": []}]}]}]}"#;
    let import = import_text(Format::DuckDb, plan).unwrap();
    let balance = &import.queries[0].plan.balances[0];
    // 10 ms in all, 6 ms of them in the scan.
    assert!((balance.total - 0.01).abs() < 1e-12 && (balance.accounted - 0.006).abs() < 1e-12, "{balance:?}");
    let reason = &balance.unaccounted[0].reason;
    assert!(reason.contains("(CTE, ") && reason.contains("CTE_SCAN") && reason.contains("EXPLAIN_ANALYZE"), "{reason}");
}

#[test]
fn writes_into_tables_stay_on_cpus_and_files_do_not() {
    let of = |operator: &str| {
        let import = import_text(Format::DuckDb, above_a_scan(operator, 0.003)).unwrap();
        import.queries[0].plan.nodes[0].cpu_only
    };
    assert_eq!(of("INSERT"), Some(CpuOnly::TableWrite));
    assert_eq!(of("UPDATE"), Some(CpuOnly::TableWrite));
    assert_eq!(of("RECURSIVE_CTE"), Some(CpuOnly::Recursion));
    assert_eq!(of("COPY_TO_FILE"), None);
}

#[test]
fn a_time_that_is_not_used_is_named_with_its_count() {
    let text = r#"{"latency": 0.5, "query_name": "q", "cpu_time": 0.3, "blocked_thread_time": 0.0, "children": [{
        "operator_type": "FILTER", "operator_timing": 0.1, "spill_time": 0.2, "operator_cardinality": 5, "children": [{
        "operator_type": "TABLE_SCAN", "operator_timing": 0.2, "spill_time": 0.1, "operator_cardinality": 9, "children": []}]}]}"#;
    let import = import_text(Format::DuckDb, text).unwrap();
    let named: Vec<_> = import.unread.names().map(|name| (name.name, name.count, name.first)).collect();
    assert_eq!(named, [("spill_time", 2, "FILTER")]);
    assert_eq!(import.warnings, ["not used: time metric spill_time (2, first in FILTER)"]);
}
