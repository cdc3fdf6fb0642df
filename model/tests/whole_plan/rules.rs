//! What the RAPIDS Accelerator runs on one side is decided together: `engines.md`'s table of its source, by hand.

use crossover_model::placement::whole::{Rule, by_class, decide};
use crossover_model::placement::{Placement, Side};
use crossover_model::plan::{Kind, Node};

use super::plans::{node, study};

fn classed(kind: Kind, class: &str, gigabytes: f64, inputs: &[usize]) -> Node {
    Node { class: Some(class.to_owned()), ..node(kind, gigabytes, inputs) }
}

/// A join of 40 GB with a small table that is sent to every machine. The join pays on GPUs; a broadcast of 1 GB by itself
/// does not.
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
    let query = study.query.as_mut().expect("a query");
    let mut plan = (*query.plan).clone();
    engine.clone_into(&mut plan.engine);
    query.plan = plan.into();
    study
}

fn side(study: &Placement, id: usize) -> Side {
    decide(study).expect("a plan").of_node(id).expect("an operator").side
}

#[test]
fn a_broadcast_follows_its_joins_and_says_so() {
    let study = broadcast("Spark 3.5.0");
    assert_eq!([side(&study, 0), side(&study, 2)], [Side::Gpu, Side::Gpu]);
    let whole = decide(&study).expect("a plan");
    assert!(whole.ties.iter().any(|tie| tie.rule == Rule::Broadcast));
    assert_eq!(whole.parted().count(), 0);
}

#[test]
fn pins_stand_above_rules_and_are_warned_about() {
    let mut study = broadcast("Spark 3.5.0");
    study.query.as_mut().expect("a query").pins.insert(0, Side::Gpu);
    study.query.as_mut().expect("a query").pins.insert(2, Side::Cpu);
    assert_eq!([side(&study, 0), side(&study, 2)], [Side::Gpu, Side::Cpu]);
    let warnings = decide(&study).expect("a plan").warnings;
    let expected = "which RAPIDS cannot do: a broadcast runs where its joins run";
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
fn classes_that_the_engine_refuses_to_part_go_together() {
    let mut study = broadcast("Spark 3.5.0");
    study.query.as_mut().expect("a query").unsupported.insert("BroadcastExchangeExec".to_owned(), String::new());
    let whole = decide(&study).expect("a plan");
    let classes = by_class(study.query.as_ref().expect("a query"), &whole, |_| true);
    assert_eq!(classes.sides["BroadcastExchangeExec"].side, Side::Cpu);
    assert_eq!(classes.sides["BroadcastHashJoinExec"].side, Side::Cpu, "the plugin rejects the one without the other");
}

#[test]
fn every_rule_ties_what_it_speaks_of() {
    let join = |inputs: &[usize]| classed(Kind::Join, "SortMergeJoinExec", 1.0, inputs);
    let sort = |input: usize| classed(Kind::Sort, "SortExec", 1.0, &[input]);
    let exchange = |input: usize| classed(Kind::Shuffle, "ShuffleExchangeExec", 1.0, &[input]);
    let scan = || classed(Kind::Scan, "FileSourceScanExec", 1.0, &[]);
    let aggregate = |class: &str, input: usize| classed(Kind::Aggregate, class, 1.0, &[input]);
    let found = |nodes: Vec<Node>| {
        let mut study = study(nodes);
        let query = study.query.as_mut().expect("a query");
        let mut plan = (*query.plan).clone();
        "Spark 3.3.0".clone_into(&mut plan.engine);
        query.plan = plan.into();
        let mut rules: Vec<Rule> = decide(&study).expect("a plan").ties.iter().map(|tie| tie.rule).collect();
        rules.sort_by_key(|rule| *rule as u8);
        rules
    };
    let merge = vec![join(&[1, 3]), sort(2), scan(), sort(4), scan()];
    assert_eq!(found(merge), [Rule::MergeJoin, Rule::MergeJoin]);
    assert_eq!(found(vec![aggregate("SortAggregateExec", 1), sort(2), scan()]), [Rule::SortedAggregate]);
    let typed = "ObjectHashAggregateExec";
    let halves = vec![aggregate(typed, 1), exchange(2), aggregate(typed, 3), scan()];
    assert_eq!(found(halves), [Rule::AggregateState, Rule::Exchange]);
    let plain = vec![aggregate("HashAggregateExec", 1), exchange(2), aggregate("HashAggregateExec", 3), scan()];
    assert_eq!(found(plain), [Rule::Exchange], "open-source Spark may part the halves of a plain aggregate");
}
