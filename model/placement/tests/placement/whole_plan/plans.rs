//! Plans and studies to decide, fixed ones and random ones.

use crossover_measured::calibration::CostCurve;
use crossover_placement::whole::decide;
use crossover_placement::{Class, Operator, Placement, Query, Side};
use crossover_query::{Amount, Kind, Node, Plan};
use crossover_scenario as scenario;
use proptest::prelude::*;

/// Bytes of a gigabyte.
pub(super) const GB: f64 = 1e9;

/// Four machines of two cores' speed, a GPU of 20 cores' speed, 10 GB/s into it and 5 GB/s out of it, a network of
/// 10 GB/s (80 Gbit/s), compression to a half at 2 GB/s and back at 4 GB/s, and no operators but one that no plan has.
const STUDY: &str = r#"(
    version: 1,
    name: "four machines",
    study: Placement((
        cluster: (machines: 4, fan_in: 2),
        node: (cpu_parallelism: 2.0),
        networks: [(name: "net", family: Ethernet, line_gbit_per_s: 100.0, effective_gbit_per_s: 80.0)],
        bus: (to_gpu_gb_per_s: 10.0, from_gpu_gb_per_s: 5.0),
        gpu: (gpu_parallelism: 20.0),
        compression: (network_ratio: 0.5, bus_ratio: 0.5, compress_gb_per_s: 2.0, decompress_gb_per_s: 4.0),
        operators: [(name: "none", class: Linear, cpu_seconds_per_100mb: 1.0, input_gb: 1.0, output_ratio: 1.0)],
        policy: (network: "net"),
    )),
)"#;

/// An operator of a study: 0.1 s for 100 MB, so 1 s for 1 GB.
pub(super) fn operator(kind: Kind) -> Operator {
    Operator {
        name: kind.label().to_owned(),
        class: Class::Linear,
        cpu_seconds_per_100mb: 0.1,
        input_gb: 1.0,
        output_ratio: 1.0,
        fixed_seconds: 0.0,
        cpu_curve: None,
        gpu_curve: None,
        pin: None,
        kind: Some(kind),
    }
}

/// A node that gives so many gigabytes in rows of 100 bytes.
pub(super) fn node(kind: Kind, gigabytes: f64, inputs: &[usize]) -> Node {
    let mut node = Node::new(kind.label(), kind);
    node.class = Some(format!("{}Exec", kind.label()));
    node.bytes_out = Some(Amount::reported(gigabytes * GB));
    node.rows_out = Some(Amount::reported(gigabytes * GB / 100.0));
    node.inputs = inputs.to_vec();
    node
}

/// The four machines with a plan, and 1 s for 1 GB for each of its kinds.
pub(super) fn study(nodes: Vec<Node>) -> Placement {
    let read = scenario::read(STUDY).expect("a valid scenario");
    let mut study = read.placement().expect("a placement study").clone();
    for kind in Kind::ALL {
        if nodes.iter().any(|node| node.kind == kind && node.works()) {
            study.operators.push(operator(kind));
        }
    }
    study.query = Some(Box::new(Query { plan: Plan { nodes, ..Plan::default() }.into(), ..Query::default() }));
    study
}

/// Mostly numbers between the ends, spread over the decades, at times 0.
fn amount(low: f64, high: f64) -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 9 => (low.ln()..=high.ln()).prop_map(f64::exp)]
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Cpu), Just(Side::Gpu)]
}

/// A node of any kind, without inputs; the number says which one it reads or repeats.
fn any_node() -> impl Strategy<Value = Node> {
    let figure = |low, high| prop::option::weighted(0.6, amount(low, high).prop_map(Amount::reported));
    let kind = prop::sample::select(Kind::ALL.to_vec());
    (kind, figure(1.0, 1e10), figure(1.0, 1e13), figure(1e-3, 1e5), figure(1.0, 1e12), 0..4).prop_map(
        |(kind, rows_out, bytes_out, cpu_seconds, wire_bytes, class)| {
            let mut node = Node::new(kind.label(), kind);
            (node.rows_out, node.bytes_out, node.cpu_seconds) = (rows_out, bytes_out, cpu_seconds);
            node.wire_bytes = wire_bytes.filter(|_| kind.is_exchange());
            node.class = (class > 0).then(|| format!("Class{class}"));
            node
        },
    )
}

/// A plan of up to 11 nodes: a tree whose nodes are read by earlier ones, with further readers, and repeated parts.
fn plan() -> impl Strategy<Value = Plan> {
    prop::collection::vec((any_node(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4), 1..=11)
        .prop_map(|parts| {
            let count = parts.len();
            let mut nodes: Vec<Node> = parts.iter().map(|(node, ..)| node.clone()).collect();
            for (id, (_, reader, other, chance)) in parts.iter().enumerate().skip(1) {
                nodes[reader.index(id)].inputs.push(id);
                let further = other.index(id);
                if *chance == 0 && !nodes[further].inputs.contains(&id) {
                    nodes[further].inputs.push(id);
                }
            }
            for id in 1..count.saturating_sub(1) {
                let (_, _, other, chance) = &parts[id];
                // A leaf may repeat a node that comes after it: nothing of that needs the leaf.
                if *chance == 1 && nodes[id].inputs.is_empty() {
                    nodes[id].reuses = Some(id + 1 + other.index(count - id - 1));
                }
            }
            // A plan of wrappers only is none.
            if nodes[0].kind == Kind::Wrapper {
                nodes[0].kind = Kind::Project;
            }
            Plan { nodes, ..Plan::default() }
        })
}

/// Costs of one kind.
fn any_operator() -> impl Strategy<Value = Operator> {
    let class = prop_oneof![3 => Just(Class::Linear), 1 => Just(Class::Quadratic)];
    let curve = || {
        let curve = (1e-3..1.0, 0.1..100.0).prop_map(|(fixed_seconds, gb_per_s)| CostCurve { fixed_seconds, gb_per_s });
        prop::option::weighted(0.2, curve)
    };
    (prop::sample::select(Kind::ALL.to_vec()), class, amount(1e-3, 10.0), amount(1e-4, 1.0), curve(), curve()).prop_map(
        |(kind, class, seconds, fixed_seconds, cpu_curve, gpu_curve)| Operator {
            class,
            cpu_seconds_per_100mb: seconds.max(1e-6),
            fixed_seconds,
            cpu_curve,
            gpu_curve,
            ..operator(kind)
        },
    )
}

/// The four machines with other numbers, a random plan, and random costs, pins, support and scores.
pub(super) fn any_study() -> impl Strategy<Value = Placement> {
    let machine = (1u32..6, 0.5..64.0, 0.01..100.0, 0.01..100.0, 1.0..400.0, any::<bool>(), 0.5..3.0);
    let memory = prop::option::of(0.1..100.0);
    let pins = prop::collection::btree_map(0usize..11, side(), 0..4);
    let unsupported = prop::collection::btree_map("Class[123]", Just(String::new()), 0..2);
    let scores = prop::collection::btree_map("Class[123]", 0.5..40.0, 0..3);
    let operators = prop::collection::vec(any_operator(), 0..8);
    let studies = (plan(), machine, memory, operators, pins, unsupported, scores, any::<bool>()).prop_map(
        |(plan, machine, memory, operators, pins, unsupported, scores, use_scores)| {
            let mut study = study(Vec::new());
            let (machines, parallelism, to_gpu, from_gpu, network, compression, threshold) = machine;
            study.cluster.machines = f64::from(machines);
            study.node.cpu_parallelism = parallelism;
            (study.bus.to_gpu_gb_per_s, study.bus.from_gpu_gb_per_s) = (to_gpu, from_gpu);
            study.networks[0].effective_gbit_per_s = network;
            study.gpu.gpu_memory_gb = memory;
            (study.policy.compression, study.policy.threshold) = (compression, threshold);
            for operator in operators {
                if study.operators.iter().all(|other| other.kind != operator.kind) {
                    study.operators.push(operator);
                }
            }
            let pins = pins.into_iter().filter(|(id, _)| *id < plan.nodes.len()).collect();
            let query = Query { plan: plan.into(), pins, unsupported, scores, use_scores, ..Query::default() };
            study.query = Some(Box::new(query));
            study
        },
    );
    studies.prop_filter("a plan of wrappers only is refused", |study| {
        decide(study).is_some_and(|whole| !whole.operators.is_empty())
    })
}

/// The study as if this engine had made its plan.
pub(super) fn of_engine(mut study: Placement, engine: &str) -> Placement {
    let query = study.query.as_mut().expect("a query");
    let mut plan = (*query.plan).clone();
    engine.clone_into(&mut plan.engine);
    query.plan = plan.into();
    study
}

/// The same as Spark ran them, without pins: what RAPIDS refuses to part hangs together.
pub(super) fn tied_study() -> impl Strategy<Value = Placement> {
    any_study().prop_map(|mut study| {
        study.query.as_mut().expect("a query").pins.clear();
        of_engine(study, "Spark 3.5.1")
    })
}
