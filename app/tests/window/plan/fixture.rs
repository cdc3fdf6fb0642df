//! Studies with a query: one with everything that a plan can have, one very large.

use crossover_placement::{Placement, Query};
use crossover_placement_page::examples;
use crossover_query::{Amount, Kind, Metric, Node, Plan, Rule, Scope, StageRun, Time};
use crossover_scenario::{Scenario, Study};

/// Two tables are scanned, filtered and joined by sorting; the result is joined with a broadcast copy of the second
/// table, which is read again, mapped by user code, and aggregated in two steps. 60 million rows of orders.
pub(super) fn plan() -> Plan {
    let node = |name: &str, kind: Kind, class: Option<&str>, inputs: &[usize], rows: Option<f64>, bytes: f64| Node {
        class: class.map(str::to_owned),
        inputs: inputs.to_vec(),
        rows_out: rows.map(Amount::reported),
        bytes_out: (bytes > 0.0).then(|| Amount::reported(bytes)),
        ..Node::new(name, kind)
    };
    let wrapper = |name: &str, inputs: &[usize]| node(name, Kind::Wrapper, None, inputs, None, 0.0);
    let mut nodes = vec![
        wrapper("AdaptiveSparkPlan", &[1]),
        node("HashAggregate", Kind::Aggregate, Some("HashAggregateExec"), &[2], Some(25.0), 2e3),
        node("Exchange", Kind::Shuffle, Some("ShuffleExchangeExec"), &[3], Some(5_000.0), 4e5),
        wrapper("WholeStageCodegen (5)", &[4]),
        node("HashAggregate", Kind::Aggregate, Some("HashAggregateExec"), &[5], Some(5_000.0), 4e5),
        node("MapElements", Kind::UserCode, Some("MapElementsExec"), &[6], Some(18_200_000.0), 1.5e9),
        node("BroadcastHashJoin", Kind::Join, Some("BroadcastHashJoinExec"), &[7, 17], Some(18_200_000.0), 2.2e9),
        node("Project", Kind::Project, Some("ProjectExec"), &[8], None, 0.0),
        node("SortMergeJoin", Kind::Join, Some("SortMergeJoinExec"), &[9, 13], Some(59_900_000.0), 0.0),
        node("Sort", Kind::Sort, Some("SortExec"), &[10], Some(60_000_000.0), 4.8e9),
        node("Exchange", Kind::Shuffle, Some("ShuffleExchangeExec"), &[11], Some(60_000_000.0), 4.8e9),
        node("Filter", Kind::Filter, Some("FilterExec"), &[12], None, 0.0),
        node("Scan parquet orders", Kind::Scan, Some("FileSourceScanExec"), &[], Some(75_000_000.0), 9e9),
        node("Sort", Kind::Sort, Some("SortExec"), &[14], Some(1_500_000.0), 9e7),
        node("Exchange", Kind::Shuffle, Some("ShuffleExchangeExec"), &[15], Some(1_500_000.0), 9e7),
        node("Filter", Kind::Filter, Some("FilterExec"), &[16], Some(1_500_000.0), 9e7),
        node(
            "Scan parquet customers_with_a_very_long_name_2026",
            Kind::Scan,
            Some("FileSourceScanExec"),
            &[],
            Some(1_600_000.0),
            1e8,
        ),
        node("BroadcastExchange", Kind::Broadcast, Some("BroadcastExchangeExec"), &[18], Some(25.0), 2e3),
        wrapper("InputAdapter", &[19]),
        wrapper("ReusedExchange", &[]),
    ];
    nodes[19].reuses = Some(14);
    nodes[10].wire_bytes = Some(Amount::reported(1.9e9));
    nodes[10].stages = vec![3];
    nodes[9].cpu_seconds = Some(Amount::estimated(212.0, Rule::ShareOfStage));
    nodes[9].stages = vec![4, 5];
    nodes[9].detail = "Sort [customer_id#51 ASC NULLS FIRST], false, 0".into();
    nodes[9].time = Some(Time { seconds: 208.5, scope: Scope::Exclusive });
    let metric = |name: &str, unit: &str, total: Option<f64>| Metric { name: name.into(), unit: unit.into(), total };
    nodes[9].metrics = vec![
        metric("sort time", "timing", Some(208_500.0)),
        metric("peak memory", "size", Some(8_589_934_592.0)),
        metric("spill size", "size", Some(0.0)),
        metric("number of sorted partitions that were merged", "sum", None),
    ];
    Plan {
        engine: "Spark 3.5.1".into(),
        file: "application_1700000000000_0042.zstd".into(),
        query: "7".into(),
        description: "SELECT region, count(*) FROM orders JOIN customers USING (customer_id) GROUP BY region".into(),
        duration_seconds: Some(148.2),
        stages: vec![
            stage(1, [1.0, 60.0], 300.0, 800.0, [3.1, 4.0]),
            stage(2, [2.0, 9.0], 8.0, 30.0, [0.0, 5.5]),
            stage(3, [61.5, 140.0], 200.0, 600.0, [0.0, 40.0]),
        ],
        nodes,
        ..Plan::default()
    }
}

/// A stage of a run on 16 cores: when it ran, its tasks, what they took together and the cores of it three quarters; the GB
/// that went to disks, and the longest task.
fn stage(id: u64, [start, end]: [f64; 2], tasks: f64, run: f64, [spilled, longest]: [f64; 2]) -> StageRun {
    let (cpu, gc, fetch) = (0.75 * run, 0.05 * run, 0.1 * run);
    StageRun { id, start, end, tasks, slots: 16.0, run, cpu, gc, fetch, longest, spilled: spilled * 1e9 }
}

/// The published cluster with this query.
pub(super) fn study(plan: Plan) -> Placement {
    let scenario = crossover_scenario::read(examples::MODERN.text).expect("a valid example");
    let mut study = scenario.placement().expect("a placement study").clone();
    study.cluster.machines = 8.0;
    study.policy.threshold = 1.0;
    study.policy.overlap = crossover_placement::Overlap::Nothing;
    study.query = Some(Box::new(Query { plan: plan.into(), ..Query::default() }));
    study
}

/// A scenario of a study.
pub(super) fn scenario(study: Placement) -> Scenario {
    let mut scenario = crossover_scenario::read(examples::MODERN.text).expect("a valid example");
    scenario.name = "orders by region".into();
    scenario.study = Study::Placement(study);
    scenario.study.validate().expect("a valid scenario");
    scenario
}

/// A plan of `count` operators: a union of joins of chains.
pub(super) fn large(count: usize) -> Plan {
    let kinds = [Kind::Sort, Kind::Filter, Kind::Project, Kind::Shuffle, Kind::Aggregate];
    let mut nodes: Vec<Node> = Vec::with_capacity(count);
    nodes.push(Node::new("Union", Kind::Union));
    while nodes.len() < count {
        let first = nodes.len();
        nodes[0].inputs.push(first);
        let length = (10 + first % 37).min(count - first);
        for step in 0..length {
            let id = first + step;
            let kind = if step + 1 == length { Kind::Scan } else { kinds[(id * 7) % kinds.len()] };
            let inputs = if step + 1 == length { Vec::new() } else { vec![id + 1] };
            let rows = Some(Amount::reported(1e4 * (1 + id % 991) as f64));
            nodes.push(Node { inputs, rows_out: rows, ..Node::new(kind.label(), kind) });
        }
    }
    Plan { engine: "Spark 3.5.1".into(), file: "large".into(), nodes, ..Plan::default() }
}
