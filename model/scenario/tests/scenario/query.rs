//! Scenarios with the plan of a query: reading, refusing, writing, `--set` and edits.

use crossover_placement::{Placement, Query, Side};
use crossover_query::{Amount, Kind, Metric, Node, Plan, Rule};
use crossover_scenario::{Scenario, Study, read};
use crossover_study::sources;

use super::refused::check_in;
use super::{PUBLISHED, placement, published};

/// A join of a table with itself.
const QUERY: &str = r#"query: (
            plan: (
                engine: "any 1.0",
                file: "log",
                nodes: [
                    (name: "Join", kind: Join, class: "JoinExec", inputs: [1, 2], rows_out: (value: 5.0, origin: Reported)),
                    (name: "Again", kind: Wrapper, reuses: 2),
                    (name: "Scan", kind: Scan, bytes_in: (value: 1e9, origin: Estimated(UsualRows))),
                ],
            ),
            pins: {2: Gpu},
            unsupported: {"SortExec": "not yet"},
            scores: {"JoinExec": 5.0},
            use_scores: false,
        ),
        sources: {"#;

/// The published scenario with that query.
fn text() -> String {
    assert_eq!(PUBLISHED.matches("sources: {").count(), 1);
    PUBLISHED.replace("sources: {", QUERY)
}

fn scenario() -> Scenario {
    read(&text()).expect("a valid scenario")
}

/// An application of two queries, of which one has a plan.
const APPLICATION: &str = r#"use_scores: false,
            application: (
                engine: "any 1.0",
                file: "log",
                name: "shop",
                queries: [
                    (
                        id: "1", start_ms: 1000, duration_seconds: 2.5, stages: 1,
                        plan: (engine: "any 1.0", file: "log", nodes: [(name: "Result", kind: Aggregate, inputs: [1]), (name: "Table", kind: Scan)]),
                    ),
                    (id: "2", failure: "lost"),
                ],
                run: (start_ms: 0, end_ms: 9000, ended: true, other_jobs_ms: [(5000, 6000)]),
                cluster: (machines: 4, cores_per_machine: 8),
            ),"#;

/// The same scenario with the application of its query.
fn text_of_application() -> String {
    assert_eq!(QUERY.matches("use_scores: false,").count(), 1);
    text().replace("use_scores: false,", APPLICATION)
}

fn query(scenario: &Scenario) -> &Query {
    placement(scenario).query.as_deref().expect("a query")
}

#[test]
fn a_scenario_with_a_plan_comes_back_as_it_was_written() {
    let scenario = scenario();
    assert_eq!(query(&scenario).plan.nodes[0].inputs, [1, 2]);
    assert_eq!(read(&scenario.to_ron()), Ok(scenario));
}

#[test]
fn the_application_of_a_query_comes_back_as_it_was_written() {
    let scenario = read(&text_of_application()).expect("a valid scenario");
    let application = query(&scenario).application.as_deref().expect("an application");
    assert_eq!((application.queries.len(), application.nodes()), (2, 2));
    assert_eq!((application.run.end_ms, application.cluster.machines), (Some(9000), Some(4)));
    assert_eq!(read(&scenario.to_ron()), Ok(scenario));
}

#[test]
fn an_application_that_cannot_be_is_refused() {
    let refused = |before: &str, after: &str| {
        let text = text_of_application();
        assert_eq!(text.matches(before).count(), 1, "{before}");
        read(&text.replace(before, after)).expect_err(after)
    };
    for (before, after, problem) in [
        ("(id: \"2\", failure", "(ide: \"2\", failure", "did you mean “id”"),
        ("duration_seconds: 2.5", "duration_seconds: -2.5", "-2.5 is out of range; allowed: 0 … 1e18"),
        (
            "kind: Aggregate, inputs: [1]",
            "kind: Aggregate, inputs: [0]",
            "node 0 reads from 0; allowed: ids from 1 to 1",
        ),
        (
            "[(5000, 6000)]",
            "[(5000, 6000), (5500, 7000)]",
            "the job from 5500 to 7000 ms is not after the one before it",
        ),
    ] {
        let error = refused(before, after);
        assert!(error.problem.contains(problem), "{after}: {error:?}");
        assert!(error.field.as_deref().is_some_and(|field| field.starts_with("query.application.")), "{error:?}");
    }
    let many = format!("{}(id: \"2\", failure", "(),".repeat(100_000));
    let error = refused("(id: \"2\", failure", &many);
    assert_eq!(error.problem, "the application has 100002 queries; allowed: up to 100000");
    let error = refused("stages: 1,", "stages: 1000000000000000000000,");
    assert!(error.line > 1, "{error:?}");
    // A file that ends within the application is not half an application.
    let text = text_of_application();
    let start = text.find("application: (").expect("an application");
    for end in (start..start + APPLICATION.len() - 40).step_by(7) {
        assert!(text.get(..end).is_none_or(|part| read(part).is_err()), "{end}");
    }
}

#[test]
fn an_application_is_checked_where_it_is_read_and_not_with_each_sample() {
    let mut scenario = read(&text_of_application()).expect("a valid scenario");
    let query = scenario.study.placement_mut().and_then(|study| study.query.as_deref_mut()).expect("a query");
    query.application.as_mut().expect("an application").queries[0].duration_seconds = Some(-1.0);
    // Each sample and each edit validates the study: its cost must not grow with the plans of the application.
    assert_eq!(scenario.study.validate(), Ok(()));
    let error = read(&scenario.to_ron()).expect_err("an impossible time");
    assert_eq!(error.field.as_deref(), Some("query.application.queries.0.duration_seconds"));
}

#[test]
fn a_plan_that_cannot_be_is_refused_where_it_stands() {
    let check = |edit: (&str, &str), at: &str, field: &str, problem: &str| check_in(&text(), edit, at, field, problem);
    check(
        ("inputs: [1, 2]", "inputs: [1, 0]"),
        "inputs: ‸[1, 0]",
        "query.plan.nodes.0.inputs",
        "node 0 reads from 0; allowed: ids from 1 to 2",
    );
    check(
        ("inputs: [1, 2]", "inputs: [1, 3]"),
        "inputs: ‸[1, 3]",
        "query.plan.nodes.0.inputs",
        "node 0 reads from 3; allowed: ids from 1 to 2",
    );
    check(
        ("kind: Scan,", "kind: Scan, inputs: [1],"),
        "inputs: ‸[1],",
        "query.plan.nodes.2.inputs",
        "node 2 reads from 1; it is the last node, which cannot have inputs",
    );
    check(("reuses: 2", "reuses: 0"), "‸(name: \"Join\"", "query.plan.nodes.0", "the node depends on its own result");
    check(
        ("reuses: 2", "reuses: 1"),
        "reuses: ‸1",
        "query.plan.nodes.1.reuses",
        "node 1 repeats 1; allowed: ids of other nodes from 0 to 2",
    );
    check(
        ("value: 1e9", "value: 1e19"),
        "bytes_in: ‸(value",
        "query.plan.nodes.2.bytes_in",
        "10000000000000000000 is out of range; allowed: 0 … 1e18",
    );
    check(
        ("value: 5.0, origin", "value: -5.0, origin"),
        "rows_out: ‸(value",
        "query.plan.nodes.0.rows_out",
        "-5 is out of range; allowed: 0 … 1e18",
    );
    check(
        ("kind: Scan,", "kind: Scan, row_columns: [(text_bytes: -8.0)],"),
        "row_columns: ‸[(text_bytes",
        "query.plan.nodes.2.row_columns",
        "-8 is out of range; allowed: 0 … 1e18",
    );
    check(
        ("(name: \"Again\", kind: Wrapper, reuses: 2)", "(name: \"Again\", kind: Wrapper, reuse: 2)"),
        "‸reuse: 2",
        "query.plan.nodes.Again.reuse",
        "“reuse” is not a field, did you mean “reuses”?; fields: name, kind, detail, class, inputs, reuses, \
         spark_ui_id, stages, \
         rows_in, rows_out, bytes_in, bytes_out, row_width, spark_row_bytes, row_columns, wire_bytes, cpu_seconds, time, source, keys, grouping_sets, operation, ran_on_gpu, cpu_only, is_serial, metrics",
    );
    check(
        ("pins: {2: Gpu}", "pins: {3: Gpu}"),
        "pins: {‸3",
        "query.pins.3",
        "there is no node 3; the plan has nodes 0 … 2",
    );
    check(
        ("\"JoinExec\": 5.0", "\"JoinExec\": 0.0"),
        "{‸\"JoinExec\": 0.0",
        "query.scores.JoinExec",
        "0 is out of range; allowed: 0.001 … 1,000,000",
    );
    check(
        ("unsupported: {\"SortExec\": \"not yet\"}", "unsupported: 7"),
        "unsupported: ‸7",
        "query.unsupported",
        "7 is not a list of names and values; write it in {braces}",
    );
}

#[test]
fn costs_of_a_kind_stand_in_one_place() {
    let twice = PUBLISHED.replace("name: \"filter\",", "name: \"filter\", kind: Join,");
    let twice = twice.replace("name: \"join\",", "name: \"join\", kind: Join,");
    let error = read(&twice).expect_err("two operators with the costs of joins");
    assert_eq!(error.field.as_deref(), Some("operators.join.kind"));
    assert_eq!(error.problem, "“filter” already has the costs of this kind; each kind may have one operator");
}

#[test]
fn pins_come_and_go_by_path() {
    let set = |scenario: &Scenario, assignment: &str| {
        scenario.with(assignment).unwrap_or_else(|error| panic!("{assignment}: {error}"))
    };
    let pinned = set(&scenario(), "query.pins.0=Gpu");
    assert_eq!(query(&pinned).pins, [(0, Side::Gpu), (2, Side::Gpu)].into());
    let other = set(&pinned, "query.pins.0=Cpu");
    assert_eq!(query(&other).pins[&0], Side::Cpu);
    let free = set(&set(&other, "query.pins.0=None"), "query.pins.2=None");
    assert_eq!(query(&free).pins, [].into());
    assert_eq!(query(&set(&free, "query.pins.1=Gpu")).pins, [(1, Side::Gpu)].into());
    let both = free.with_all(&["query.pins.0=Gpu", "query.use_scores=true"]).expect("both fit");
    assert!(query(&both).use_scores && query(&both).pins[&0] == Side::Gpu);
}

#[test]
fn a_pin_that_cannot_be_set_says_why() {
    let refuse = |scenario: &Scenario, assignment: &str| scenario.with(assignment).expect_err(assignment).to_string();
    let expected = "query.pins.7: there is no node 7; the plan has nodes 0 … 2";
    assert_eq!(refuse(&scenario(), "query.pins.7=Gpu"), expected);
    let expected = "query.pins.0: “gpu” is not allowed, did you mean “Gpu”?; allowed: Cpu, Gpu, None";
    assert_eq!(refuse(&scenario(), "query.pins.0=gpu"), expected);
    assert!(refuse(&published(), "query.pins.0=Gpu").starts_with("query.pins.0: unknown field “query”"));
}

#[test]
fn scores_kinds_and_facts_of_a_plan_can_be_set() {
    let set = |assignment: &str| scenario().with(assignment).unwrap_or_else(|error| panic!("{assignment}: {error}"));
    assert!(query(&set("query.use_scores=true")).use_scores);
    assert_eq!(query(&set("query.scores.JoinExec=7")).scores["JoinExec"], 7.0);
    assert_eq!(placement(&set("operators.join.kind=Join")).operators[1].kind, Some(Kind::Join));
    assert_eq!(placement(&set("operators.join.kind=None")).operators[1].kind, None);
    assert_eq!(
        query(&set("query.plan.nodes.0.rows_out.value=9")).plan.nodes[0].rows_out.map(|rows| rows.value),
        Some(9.0)
    );
}

#[test]
fn edits_of_operators_keep_one_with_the_costs_of_a_kind() {
    let linked = scenario().with("operators.join.kind=Join").expect("a valid kind");
    let mut study: Placement = placement(&linked).clone();
    sources::rename(&mut study, "operators", 1, "hash join");
    assert_eq!(study.operators[1].kind, Some(Kind::Join));
    study.duplicate_operator(1);
    assert_eq!((study.operators[1].kind, study.operators[2].kind), (Some(Kind::Join), None));
    study.remove_operator(1);
    assert_eq!(study.operators[1].kind, None);
    let scenario = Scenario { study: Study::Placement(study), ..linked };
    assert_eq!(read(&scenario.to_ron()), Ok(scenario));
}

/// A node with everything that Spark reports of one.
fn full_node(id: usize, count: usize) -> Node {
    let mut node = Node::new("SortMergeJoin", Kind::Join);
    node.class = Some("SortMergeJoinExec".to_owned());
    "SortMergeJoin [a#51], [b#53], Inner".clone_into(&mut node.detail);
    node.inputs = if id + 1 < count { vec![id + 1] } else { Vec::new() };
    node.spark_ui_id = Some(id as u64);
    node.stages = vec![3, 4];
    node.rows_out = Some(Amount::reported(1_234_567.0));
    node.bytes_out = Some(Amount::derived(123_456_789.0, Rule::RowsTimesWidth));
    node.row_width = Some(Amount::estimated(64.0, Rule::UsualWidth));
    node.cpu_seconds = Some(Amount::estimated(12.345, Rule::ShareOfStage));
    let metric = |name: &str| Metric { name: name.to_owned(), unit: "size".to_owned(), total: Some(1e6) };
    node.metrics = ["number of output rows", "peak memory", "spill size", "sort time"].map(metric).to_vec();
    node
}

#[test]
fn a_plan_of_500_nodes_takes_less_than_half_a_megabyte_and_one_line_for_each_node() {
    let mut study = placement(&published()).clone();
    let nodes = (0..500).map(|id| full_node(id, 500)).collect();
    study.query = Some(Box::new(Query { plan: Plan { nodes, ..Plan::default() }.into(), ..Query::default() }));
    let scenario = Scenario::new("large", "", Study::Placement(study));
    let text = scenario.to_ron();
    assert!(text.len() < 500_000, "{} bytes", text.len());
    assert!(text.lines().count() < 750, "{} lines", text.lines().count());
    assert_eq!(read(&text), Ok(scenario));
}
