//! Every term of a plan's costs, by hand: four machines, 1 s of one core for 1 GB, two cores' speed in each machine,
//! a GPU of 20 cores' speed, buses of 10 GB/s in and 5 GB/s out, a network of 10 GB/s.

use crossover_measured::calibration::CostCurve;
use crossover_placement::whole::{Decided, EdgeCost, Moving, Whole, decide};
use crossover_placement::{Class, Placement, Side, Term};
use crossover_query::{Amount, Kind, Node};

use super::plans::{GB, node, study};

fn decided(study: &Placement) -> Whole {
    decide(study).expect("a plan")
}

fn of(whole: &Whole, id: usize) -> &Decided {
    whole.of_node(id).expect("an operator")
}

/// The terms that are there, and no others, to nine digits.
#[track_caller]
fn check(found: &crossover_placement::Breakdown, expected: &[(Term, f64)]) {
    for term in Term::ALL {
        let expected = expected.iter().find(|(of, _)| *of == term).map_or(0.0, |(_, seconds)| *seconds);
        let found = found.get(term);
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{term:?}: {found}, expected {expected}");
    }
}

/// An edge that costs the bus only.
fn over_bus(to_gpu: f64, from_gpu: f64) -> EdgeCost {
    let moving = |bus| Moving { bus, conversion: 0.0 };
    EdgeCost { to_gpu: moving(to_gpu), from_gpu: moving(from_gpu) }
}

/// A filter of 40 GB to 20 GB over a scan of 80 GB.
fn filter() -> Placement {
    let mut scan = node(Kind::Scan, 40.0, &[]);
    scan.bytes_in = Some(Amount::reported(80.0 * GB));
    study(vec![node(Kind::Filter, 20.0, &[1]), scan])
}

#[test]
fn a_scan_reads_from_storage_and_over_the_bus() {
    let mut study = filter();
    study.node.scan_gb_per_s = Some(5.0);
    let whole = decided(&study);
    // 80 GB on 4 machines are 20 GB each: 20 s of one core, 10 s of two, 1 s of the GPU, 4 s of storage, 2 s of bus.
    check(&of(&whole, 1).cost.cpu, &[(Term::Compute, 10.0), (Term::Scan, 4.0)]);
    check(&of(&whole, 1).cost.gpu, &[(Term::Compute, 1.0), (Term::Scan, 4.0), (Term::BusIn, 2.0)]);
}

#[test]
fn the_result_leaves_the_gpu_and_an_edge_costs_the_bus() {
    let whole = decided(&filter());
    // 40 GB on 4 machines are 10 GB each, 5 s; the result is 5 GB each, 1 s at 5 GB/s.
    check(&of(&whole, 0).cost.cpu, &[(Term::Compute, 5.0)]);
    check(&of(&whole, 0).cost.gpu, &[(Term::Compute, 0.5), (Term::BusOut, 1.0)]);
    // 10 GB at 10 GB/s in and at 5 GB/s out.
    assert_eq!(whole.edges[0].cost, over_bus(1.0, 2.0));
}

#[test]
fn rows_are_turned_into_columns_where_data_changes_sides() {
    let mut study =
        study(vec![node(Kind::Sort, 40.0, &[1]), node(Kind::Filter, 20.0, &[2]), node(Kind::Scan, 40.0, &[])]);
    study.node.row_conversion_gb_per_s = Some(0.5);
    study.pin_node(0, Some(Side::Gpu));
    study.pin_node(1, Some(Side::Cpu));
    let whole = decided(&study);
    let cost = |from: usize| whole.edges.iter().find(|flow| flow.edge.from == from).expect("an edge").cost;
    // 20 GB on 4 machines are 5 GB each; two cores turn 1 GB/s.
    let moving = |bus, conversion| Moving { bus, conversion };
    assert_eq!(cost(1), EdgeCost { to_gpu: moving(0.5, 5.0), from_gpu: moving(1.0, 5.0) });
    // The scan gives columns, 10 GB, which only an operator on CPUs turns into rows.
    assert_eq!(cost(2), EdgeCost { to_gpu: moving(1.0, 0.0), from_gpu: moving(2.0, 10.0) });
    // What cores do counts as computing, and the parts are the whole.
    let own: f64 = whole.operators.iter().map(|decided| decided.breakdown().get(Term::Compute)).sum();
    assert!((whole.breakdown().get(Term::Compute) - own - 5.0).abs() < 1e-9);
    assert!((whole.breakdown().total() - whole.seconds).abs() < 1e-9);
}

#[test]
fn cores_do_not_read_faster_than_memory() {
    let mut study = filter();
    study.node.memory_gb_per_s = Some(1.0);
    // 10 GB at 1 GB/s are 10 s, more than the 5 s of two cores.
    check(&of(&decided(&study), 0).cost.cpu, &[(Term::Compute, 10.0)]);
}

#[test]
fn data_beyond_the_memory_of_a_gpu_takes_several_passes() {
    let mut study = filter();
    study.gpu.gpu_memory_gb = Some(4.0);
    let index = study.operators.iter().position(|operator| operator.kind == Some(Kind::Filter)).expect("a filter");
    study.operators[index].fixed_seconds = 0.01;
    // 10 GB read and 5 GB given in 4 GB: 4 passes of 10 ms.
    let linear = decided(&study);
    assert_eq!(of(&linear, 0).cost.passes, 4.0);
    check(&of(&linear, 0).cost.gpu, &[(Term::Compute, 0.5), (Term::BusOut, 1.0), (Term::Fixed, 0.04)]);
    // Above linear work, three more passes read all 10 GB again, 1 s each. At t = 0.1 the square is 1 as well.
    study.operators[index].class = Class::Quadratic;
    let gpu = [(Term::Compute, 0.5), (Term::BusOut, 1.0), (Term::Fixed, 0.04), (Term::BusIn, 3.0)];
    check(&of(&decided(&study), 0).cost.gpu, &gpu);
}

#[test]
fn several_gpus_share_the_work_and_not_the_bus() {
    let mut study = filter();
    study.gpu.gpus_per_machine = 2.0;
    check(&of(&decided(&study), 0).cost.gpu, &[(Term::Compute, 0.25), (Term::BusOut, 1.0)]);
}

/// An exchange of 40 GB between a scan and an aggregate.
fn exchange(kind: Kind) -> Vec<Node> {
    vec![node(Kind::Aggregate, 4.0, &[1]), node(kind, 40.0, &[2]), node(Kind::Scan, 40.0, &[])]
}

#[test]
fn a_shuffle_sends_what_belongs_to_others_and_passes_host_memory() {
    let mut study = study(exchange(Kind::Shuffle));
    // Of its 10 GB each machine sends 3/4: 7.5 GB, 0.75 s on the network, 1.5 s out of the GPU and 0.75 s into it.
    let whole = decided(&study);
    check(&of(&whole, 1).cost.cpu, &[(Term::Compute, 5.0), (Term::Network, 0.75)]);
    let raw = [(Term::Compute, 0.5), (Term::Network, 0.75), (Term::BusOut, 1.5), (Term::BusIn, 0.75)];
    check(&of(&whole, 1).cost.gpu, &raw);
    // Compressed to a half on both; 7.5 GB at 2 GB/s and back at 4 GB/s. Edges stay raw.
    study.policy.compression = true;
    let compressed = [
        (Term::Compute, 0.5),
        (Term::Network, 0.375),
        (Term::BusOut, 0.75),
        (Term::BusIn, 0.375),
        (Term::Compress, 3.75),
        (Term::Decompress, 1.875),
    ];
    let whole = decided(&study);
    check(&of(&whole, 1).cost.gpu, &compressed);
    check(&of(&whole, 1).cost.cpu, &[(Term::Compute, 5.0), (Term::Network, 0.75)]);
    assert_eq!(whole.edges[0].cost, over_bus(1.0, 2.0));
}

#[test]
fn measured_bytes_on_the_wire_count_on_the_cpu() {
    let mut nodes = exchange(Kind::Shuffle);
    nodes[1].wire_bytes = Some(Amount::reported(16.0 * GB));
    let whole = decided(&study(nodes));
    // 16 GB · 3/16 = 3 GB.
    assert!((of(&whole, 1).cost.cpu.get(Term::Network) - 0.3).abs() < 1e-12);
    assert!((of(&whole, 1).cost.gpu.get(Term::Network) - 0.75).abs() < 1e-12);
}

#[test]
fn after_a_gather_one_machine_works_until_the_next_shuffle() {
    let nodes = vec![
        node(Kind::Aggregate, 4.0, &[1]),
        node(Kind::Shuffle, 40.0, &[2]),
        node(Kind::Sort, 40.0, &[3]),
        node(Kind::Gather, 40.0, &[4]),
        node(Kind::Scan, 40.0, &[]),
    ];
    let whole = decided(&study(nodes));
    let machines: Vec<f64> = (0..5).map(|id| of(&whole, id).cost.machines).collect();
    assert_eq!(machines, [4.0, 1.0, 1.0, 4.0, 4.0]);
    // The machine that gathers gets 30 GB: 3 s of network and of bus; each sends 10 GB out of its GPU, 2 s.
    let gather = [(Term::Compute, 0.5), (Term::Network, 3.0), (Term::BusOut, 2.0), (Term::BusIn, 3.0)];
    check(&of(&whole, 3).cost.gpu, &gather);
    // It sorts 40 GB alone, 20 s.
    check(&of(&whole, 2).cost.cpu, &[(Term::Compute, 20.0)]);
    // And sends 30 GB of them away: 3 s, 6 s out of its GPU; 10 GB arrive at each other machine, 1 s.
    let shuffle = [(Term::Compute, 2.0), (Term::Network, 3.0), (Term::BusOut, 6.0), (Term::BusIn, 1.0)];
    check(&of(&whole, 1).cost.gpu, &shuffle);
    // The sort reads all 40 GB on one machine, the aggregate 10 GB on each.
    let to_gpu: Vec<(usize, f64)> = whole.edges.iter().map(|flow| (flow.edge.to, flow.cost.to_gpu.seconds())).collect();
    assert_eq!(to_gpu, [(3, 1.0), (2, 4.0), (1, 4.0), (0, 1.0)]);
}

#[test]
fn every_machine_holds_all_of_a_broadcast() {
    let nodes = vec![
        node(Kind::Join, 4.0, &[1, 2]),
        node(Kind::Scan, 40.0, &[]),
        node(Kind::Broadcast, 8.0, &[3]),
        node(Kind::Scan, 8.0, &[]),
    ];
    let whole = decided(&study(nodes));
    // 6 of 8 GB come from others: 0.6 s of network and of bus; each machine gives its 2 GB once, 0.4 s.
    let broadcast = [(Term::Compute, 0.1), (Term::Network, 0.6), (Term::BusOut, 0.4), (Term::BusIn, 0.6)];
    check(&of(&whole, 2).cost.gpu, &broadcast);
    // The join reads its quarter of 40 GB and all 8 GB: 18 GB, 9 s.
    check(&of(&whole, 0).cost.cpu, &[(Term::Compute, 9.0)]);
    let copy = whole.edges.iter().find(|flow| flow.edge.from == 2).expect("an edge");
    assert_eq!(copy.cost, over_bus(0.8, 1.6));
}

#[test]
fn an_exchange_on_one_machine_moves_nothing() {
    let mut study = study(exchange(Kind::Shuffle));
    study.cluster.machines = 1.0;
    study.policy.compression = true;
    check(&of(&decided(&study), 1).cost.gpu, &[(Term::Compute, 2.0)]);
}

/// The filter with 80 s of its own on all cores; t is the 0.2 s for 100 MB that this makes of 40 GB.
fn measured() -> (Placement, usize) {
    let mut study = filter();
    let index = study.operators.iter().position(|operator| operator.kind == Some(Kind::Filter)).expect("a filter");
    study.operators[index].cpu_seconds_per_100mb = 0.2;
    let query = study.query.as_mut().expect("a query");
    query.plan.nodes[0].cpu_seconds = Some(Amount::reported(80.0));
    (study, index)
}

#[test]
fn measured_cpu_seconds_count_and_follow_t() {
    let (mut study, index) = measured();
    // 80 s on 4 machines are 20 s each: 10 s on two cores, 1 s on the GPU.
    let whole = decided(&study);
    check(&of(&whole, 0).cost.cpu, &[(Term::Compute, 10.0)]);
    check(&of(&whole, 0).cost.gpu, &[(Term::Compute, 1.0), (Term::BusOut, 1.0)]);
    study.operators[index].cpu_seconds_per_100mb = 0.4;
    check(&of(&decided(&study), 0).cost.cpu, &[(Term::Compute, 20.0)]);
}

#[test]
fn measured_curves_come_before_cpu_seconds_and_scores_before_the_gpu_curve() {
    let (mut study, index) = measured();
    study.operators[index].cpu_curve = Some(CostCurve { fixed_seconds: 1.0, gb_per_s: 5.0 });
    // 1 s + 10 GB at 5 GB/s; the GPU still takes a 20th of the 20 s.
    let whole = decided(&study);
    check(&of(&whole, 0).cost.cpu, &[(Term::Compute, 3.0)]);
    check(&of(&whole, 0).cost.gpu, &[(Term::Compute, 1.0), (Term::BusOut, 1.0)]);
    // 0.5 s + 10 GB at 40 GB/s.
    study.operators[index].gpu_curve = Some(CostCurve { fixed_seconds: 0.5, gb_per_s: 40.0 });
    check(&of(&decided(&study), 0).cost.gpu, &[(Term::Compute, 0.75), (Term::BusOut, 1.0)]);
    // A score of 4 makes 3 s into 0.75 s; 6 makes them 0.5 s. Scores have no effect until the study uses them.
    study.set_scores([("filterExec".to_owned(), 6.0)].into());
    check(&of(&decided(&study), 0).cost.gpu, &[(Term::Compute, 0.5), (Term::BusOut, 1.0)]);
    study.query.as_mut().expect("a query").use_scores = false;
    check(&of(&decided(&study), 0).cost.gpu, &[(Term::Compute, 0.75), (Term::BusOut, 1.0)]);
}

#[test]
fn a_kind_without_costs_takes_the_usual_ones() {
    let mut study = filter();
    study.operators.retain(|operator| operator.kind != Some(Kind::Filter));
    // 5 ms for 100 MB: 10 GB take 0.5 s on one core, 0.25 s on two.
    check(&of(&decided(&study), 0).cost.cpu, &[(Term::Compute, 0.25)]);
}
