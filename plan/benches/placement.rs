//! How long it takes to decide the placement of large plans, from the facts of the plan to the reasons.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use crossover_placement::Placement;
use crossover_placement::whole::decide;
use crossover_plan::{
    Import, Query,
    scenario::{Machines, placement},
};
use crossover_query::{Amount, Kind, Node, Plan};
use crossover_scenario as scenario;

/// Nodes of each plan.
const NODES: usize = 10_000;

/// Numbers that differ from node to node and are the same in every run.
struct Sequence(u64);

impl Sequence {
    /// The next number, 0 or more and below `limit` (Knuth's linear congruential generator, its upper bits).
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}

/// An operator with random rows and CPU time, so that neighbours want different sides.
fn node(numbers: &mut Sequence, kind: Kind, inputs: Vec<usize>) -> Node {
    let mut node = Node::new(kind.label(), kind);
    node.class = Some(format!("{}Exec", kind.label()));
    node.rows_out = Some(Amount::reported(10f64.powi(3 + i32::try_from(numbers.below(7)).unwrap_or(0))));
    node.row_width = Some(Amount::reported(8.0 + numbers.below(200) as f64));
    node.cpu_seconds = Some(Amount::reported(10f64.powi(i32::try_from(numbers.below(7)).unwrap_or(0) - 2)));
    node.inputs = inputs;
    node
}

/// A plan whose nodes read from what `inputs` says of each.
fn plan(inputs: impl Fn(usize, &mut Sequence) -> Vec<usize>) -> Plan {
    const KINDS: [Kind; 6] = [Kind::Filter, Kind::Project, Kind::Aggregate, Kind::Sort, Kind::Shuffle, Kind::Wrapper];
    let mut numbers = Sequence(1);
    let nodes = (0..NODES).map(|id| {
        let inputs: Vec<usize> = inputs(id, &mut numbers).into_iter().filter(|input| *input < NODES).collect();
        let kind = match inputs.len() {
            0 => Kind::Scan,
            1 => KINDS[numbers.below(KINDS.len())],
            2 => Kind::Join,
            _ => Kind::Union,
        };
        node(&mut numbers, kind, inputs)
    });
    Plan { nodes: nodes.collect(), ..Plan::default() }
}

/// Where a plan is placed: on a cluster with four GPUs in each machine, there by the rules of RAPIDS, or in whole engines
/// on two clusters.
const SETTINGS: [(&str, &str, &str); 3] = [
    ("placement of 10,000 nodes", "", include_str!("../../scenarios/placement-modern.ron")),
    ("placement of 10,000 nodes of Spark", "Spark 3.5.3", include_str!("../../scenarios/placement-modern.ron")),
    ("10,000 nodes in whole engines", "", include_str!("../../scenarios/placement-truth-aws-l4.ron")),
];

/// The plan of an engine in a setting.
fn study(plan: Plan, engine: &str, text: &str) -> Placement {
    let plan = Plan { engine: engine.to_owned(), ..plan };
    let base = scenario::read(text).expect("a valid scenario").placement().expect("a placement study").clone();
    placement(&base, Machines::OfFile, &Import::default(), &Query { plan: plan.into(), ..Query::default() })
}

fn placements(criterion: &mut Criterion) {
    let plans = [
        ("chain", plan(|id, _| vec![id + 1])),
        ("union", plan(|id, _| if id == 0 { (1..NODES).collect() } else { Vec::new() })),
        ("balanced tree", plan(|id, _| vec![2 * id + 1, 2 * id + 2])),
        // Every node reads the next one, and every tenth another one as well, which has other readers.
        (
            "DAG, a tenth is read again",
            plan(|id, numbers| match id % 10 {
                0 => vec![id + 1, id + 2 + numbers.below(NODES)],
                _ => vec![id + 1],
            }),
        ),
        ("DAG, everything is read twice", plan(|id, numbers| vec![id + 1, id + 2 + numbers.below(NODES - id)])),
    ];
    for (setting, engine, text) in SETTINGS {
        let mut group = criterion.benchmark_group(setting);
        for (name, plan) in &plans {
            let study = study(plan.clone(), engine, text);
            group.bench_function(*name, |bencher| bencher.iter(|| decide(black_box(&study))));
        }
        group.finish();
    }
}

criterion_group!(benches, placements);
criterion_main!(benches);
