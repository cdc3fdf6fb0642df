//! What the RAPIDS Accelerator refuses to part is decided together: the rules of its source, on plans worked out by hand.

use crossover_placement::whole::{Rule, by_class, decide};
use crossover_placement::{Placement, Side};
use crossover_query::{Kind, Node};

use super::plans::{node, of_engine, study};

fn classed(kind: Kind, class: &str, gigabytes: f64, inputs: &[usize]) -> Node {
    Node { class: Some(class.to_owned()), ..node(kind, gigabytes, inputs) }
}

/// A join of 40 GB with a small table that is sent to every machine. The join is faster on GPUs; a broadcast of 1 GB without
/// it is not.
fn broadcast(engine: &str) -> Placement {
    let mut study = study(vec![
        classed(Kind::Join, "BroadcastHashJoinExec", 40.0, &[1, 2]),
        classed(Kind::Scan, "FileSourceScanExec", 40.0, &[]),
        classed(Kind::Broadcast, "BroadcastExchangeExec", 1.0, &[3]),
        classed(Kind::Scan, "BatchScanExec", 1.0, &[]),
    ]);
    for operator in &mut study.operators {
        // A second of work for 10 GB: much for the join, next to nothing for the broadcast.
        operator.cpu_seconds_per_100mb = if operator.kind == Some(Kind::Join) { 1.0 } else { 0.000_1 };
    }
    of_engine(study, engine)
}

fn side(study: &Placement, id: usize) -> Side {
    decide(study).expect("a plan").of_node(id).expect("an operator").side
}

#[test]
fn a_broadcast_follows_its_joins() {
    // Of an engine without the rule it stays on the CPU: it gains nothing, and the bus between its scan and the join is the
    // same before it and behind it.
    assert_eq!([side(&broadcast("DuckDB 1.5"), 0), side(&broadcast("DuckDB 1.5"), 2)], [Side::Gpu, Side::Cpu]);
    let study = broadcast("Spark 3.5.0");
    assert_eq!([side(&study, 0), side(&study, 2)], [Side::Gpu, Side::Gpu]);
    let whole = decide(&study).expect("a plan");
    assert!(whole.ties.iter().any(|tie| tie.rule == Rule::Broadcast));
    assert_eq!(whole.parted().count(), 0);
}

/// Shuffles of what a filter leaves. The filter is faster on GPUs, the shuffle is not.
fn shuffled() -> Placement {
    let mut study = study(vec![
        classed(Kind::Shuffle, "ShuffleExchangeExec", 10.0, &[1]),
        classed(Kind::Filter, "FilterExec", 10.0, &[2]),
        classed(Kind::Scan, "FileSourceScanExec", 10.0, &[]),
    ]);
    for operator in &mut study.operators {
        operator.cpu_seconds_per_100mb = if operator.kind == Some(Kind::Filter) { 10.0 } else { 0.000_1 };
    }
    of_engine(study, "Spark 3.5.0")
}

#[test]
fn what_feeds_an_exchange_stays_on_the_gpu_when_the_exchange_cannot_be_there() {
    let mut study = shuffled();
    study.query.as_mut().expect("a query").unsupported.insert("ShuffleExchangeExec".to_owned(), String::new());
    assert_eq!([side(&study, 0), side(&study, 1)], [Side::Cpu, Side::Gpu], "`fixUpExchangeOverhead` goes one way only");
    // The other way round the exchange goes too, though the GPU would send half the bytes.
    let mut study = shuffled();
    study.policy.compression = true;
    study.networks[0].effective_gbit_per_s = 0.1;
    assert_eq!(side(&study, 0), Side::Gpu);
    study.query.as_mut().expect("a query").pins.insert(1, Side::Cpu);
    let whole = decide(&study).expect("a plan");
    let exchange = whole.of_node(0).expect("an operator");
    assert_eq!(exchange.side, Side::Cpu);
    let expected = "; an exchange runs on the GPU only if its input does.";
    assert!(exchange.reason.to_string().ends_with(expected), "{}", exchange.reason);
}

#[test]
fn pins_stand_above_rules_and_are_warned_about() {
    let mut study = broadcast("Spark 3.5.0");
    study.query.as_mut().expect("a query").pins.insert(0, Side::Gpu);
    study.query.as_mut().expect("a query").pins.insert(2, Side::Cpu);
    assert_eq!([side(&study, 0), side(&study, 2)], [Side::Gpu, Side::Cpu]);
    let warnings = decide(&study).expect("a plan").warnings;
    let expected = "which RAPIDS does not support: a broadcast runs where its joins run";
    assert!(warnings.iter().any(|warning| warning.contains(expected)), "{warnings:?}");
}

#[test]
fn a_pin_moves_what_is_tied_to_it_and_the_reason_names_the_rule() {
    let mut study = broadcast("Spark 3.5.0");
    study.query.as_mut().expect("a query").pins.insert(2, Side::Cpu);
    let whole = decide(&study).expect("a plan");
    let join = whole.of_node(0).expect("an operator");
    assert_eq!(join.side, Side::Cpu);
    assert!(join.reason.to_string().ends_with("; a broadcast runs where its joins run."), "{}", join.reason);
}

#[test]
fn other_engines_have_no_such_rules() {
    let mut study = broadcast("DuckDB 1.5");
    study.query.as_mut().expect("a query").pins.insert(2, Side::Cpu);
    assert_eq!(side(&study, 0), Side::Gpu);
    assert_eq!(decide(&study).expect("a plan").ties, []);
}

#[test]
fn a_class_that_the_engine_moves_as_a_whole_is_switched_off_with_what_it_needs() {
    let mut study = broadcast("Spark 3.5.0");
    study.query.as_mut().expect("a query").unsupported.insert("BroadcastExchangeExec".to_owned(), String::new());
    let whole = decide(&study).expect("a plan");
    let classes = by_class(study.query.as_ref().expect("a query"), &whole, |_| Some(Side::Gpu), 0.0);
    assert_eq!(classes.sides["BroadcastExchangeExec"].side, Side::Cpu);
    assert_eq!(classes.sides["BroadcastHashJoinExec"].side, Side::Cpu, "the plugin rejects the one without the other");
}

#[test]
fn one_operator_that_cannot_leave_the_cpu_takes_its_own_broadcast_along_and_no_other() {
    // Two joins with a broadcast each; that of the nested loops has no GPU version.
    let mut study = broadcast("Spark 3.5.0");
    let query = study.query.as_mut().expect("a query");
    let mut plan = (*query.plan).clone();
    plan.nodes[3] = classed(Kind::Join, "BroadcastNestedLoopJoinExec", 1.0, &[4, 5]);
    plan.nodes.push(classed(Kind::Scan, "BatchScanExec", 1.0, &[]));
    plan.nodes.push(classed(Kind::Broadcast, "BroadcastExchangeExec", 1.0, &[6]));
    plan.nodes.push(classed(Kind::Scan, "BatchScanExec", 1.0, &[]));
    query.plan = plan.into();
    query.unsupported.insert("BroadcastNestedLoopJoinExec".to_owned(), String::new());
    let whole = decide(&study).expect("a plan");
    let side = |id: usize| whole.of_node(id).expect("an operator").side;
    assert_eq!([side(0), side(3), side(5)], [Side::Gpu, Side::Cpu, Side::Cpu]);
    let classes = by_class(study.query.as_ref().expect("a query"), &whole, |_| Some(Side::Gpu), 0.0);
    assert_eq!(classes.sides["BroadcastHashJoinExec"].side, Side::Gpu);
    assert_eq!(classes.sides["BroadcastExchangeExec"].side, Side::Gpu);
    assert_eq!(classes.sides["BroadcastNestedLoopJoinExec"].side, Side::Cpu);
}

#[test]
fn every_rule_ties_what_it_speaks_of() {
    let join = |inputs: &[usize]| classed(Kind::Join, "SortMergeJoinExec", 1.0, inputs);
    let sort = |input: usize| classed(Kind::Sort, "SortExec", 1.0, &[input]);
    let exchange = |input: usize| classed(Kind::Shuffle, "ShuffleExchangeExec", 1.0, &[input]);
    let scan = || classed(Kind::Scan, "FileSourceScanExec", 1.0, &[]);
    let aggregate = |class: &str, input: usize| classed(Kind::Aggregate, class, 1.0, &[input]);
    let typed = |function: &str, input: usize| Node {
        detail: format!("keys=[k#1], functions=[{function}(v#2, 0.5)]"),
        ..aggregate("ObjectHashAggregateExec", input)
    };
    let found = |nodes: Vec<Node>| {
        let study = of_engine(study(nodes), "Spark 3.3.0");
        let mut rules: Vec<Rule> = decide(&study).expect("a plan").ties.iter().map(|tie| tie.rule).collect();
        rules.sort_by_key(|rule| *rule as u8);
        rules
    };
    let merge = vec![join(&[1, 3]), sort(2), scan(), sort(4), scan()];
    assert_eq!(found(merge), [Rule::MergeJoin, Rule::MergeJoin]);
    assert_eq!(found(vec![aggregate("SortAggregateExec", 1), sort(2), scan()]), [Rule::SortedAggregate]);
    let halves = |function: &str| vec![typed(function, 1), exchange(2), typed(function, 3), scan()];
    assert_eq!(found(halves("percentile")), [Rule::AggregateState, Rule::Exchange]);
    assert_eq!(found(halves("collect_list")), [Rule::Exchange], "the plugin translates this state");
    let direct = vec![typed("approx_percentile", 1), typed("approx_percentile", 2), scan()];
    assert_eq!(found(direct), [Rule::AggregateState], "nothing is exchanged between the halves");
    let plain = vec![aggregate("HashAggregateExec", 1), exchange(2), aggregate("HashAggregateExec", 3), scan()];
    assert_eq!(found(plain), [Rule::Exchange], "open-source Spark may part the halves of a plain aggregate");
}
