//! Reasons and warnings of plans whose times are computed by hand.

use crossover_placement::whole::decide;
use crossover_placement::{Overlap, Placement, Side};
use crossover_query::{Kind, Node};

use super::plans::{node, study};

#[track_caller]
fn check(study: &Placement, id: usize, expected: &str) {
    let whole = decide(study).expect("a plan");
    assert_eq!(whole.of_node(id).expect("an operator").reason.to_string(), expected);
}

/// A sort of 40 GB: 5 s on CPUs, 0.5 s on GPUs, 1 s over the bus on each way in, 2 s out.
fn sort() -> Placement {
    study(vec![node(Kind::Sort, 40.0, &[1]), node(Kind::Scan, 40.0, &[])])
}

fn with_t(mut study: Placement, kind: Kind, seconds: f64) -> Placement {
    for operator in study.operators.iter_mut().filter(|operator| operator.kind == Some(kind)) {
        operator.cpu_seconds_per_100mb = seconds;
    }
    study
}

#[test]
fn a_faster_operator_says_how_much() {
    // The sort: 0.5 s + 2 s for the result. The scan: 0.5 s + 1 s over the bus, against 5 s.
    check(&sort(), 0, "GPU: 2.5 s instead of 5 s on CPU; computing saves 4.5 s, but the bus takes 2 s.");
    check(&sort(), 1, "GPU: 1.5 s instead of 5 s on CPU; computing saves 4.5 s, but the bus takes 1 s.");
}

#[test]
fn a_slower_one_says_what_takes_the_time() {
    // 0.01 s for 100 MB: 0.5 s on CPUs; on GPUs 0.05 s and 2 s (sort) or 1 s (scan) of bus.
    let study = with_t(with_t(sort(), Kind::Sort, 0.01), Kind::Scan, 0.01);
    check(&study, 0, "CPU: 500 ms instead of 2.05 s on GPU, where the bus takes 2 s and computing saves 450 ms.");
    check(&study, 1, "CPU: 500 ms instead of 1.05 s on GPU, where the bus takes 1 s and computing saves 450 ms.");
}

#[test]
fn what_takes_equally_long_on_both_sides_is_no_reason() {
    let mut study = with_t(sort(), Kind::Scan, 0.01);
    study.node.scan_gb_per_s = Some(1.0);
    study.pin_node(0, Some(Side::Cpu));
    // Each of four machines reads its 10 GB in 10 s, whatever works on them.
    check(&study, 1, "CPU: 10.5 s instead of 11.05 s on GPU, where the bus takes 1 s and computing saves 450 ms.");
}

#[test]
fn an_operator_stays_where_moving_its_data_takes_longer_than_it_saves() {
    // The filter in the middle: 0.5 s on CPUs, 0.05 s on GPUs, but 1 s in and 2 s out.
    let nodes = vec![node(Kind::Sort, 40.0, &[1]), node(Kind::Filter, 40.0, &[2]), node(Kind::Scan, 40.0, &[])];
    let mut study = with_t(study(nodes), Kind::Filter, 0.01);
    study.pin_node(0, Some(Side::Cpu));
    study.pin_node(2, Some(Side::Cpu));
    check(&study, 1, "CPU: 500 ms; GPU: 50 ms, but running it on GPU adds 3 s of transfer.");
    check(&study, 0, "CPU: pinned; it takes 5 s here and would take 3.5 s on GPU, moving its data included.");
    // Between operators on GPUs it follows its data, and would even if it were slower there.
    study.pin_node(0, Some(Side::Gpu));
    study.pin_node(2, Some(Side::Gpu));
    check(
        &study,
        1,
        "GPU: 50 ms instead of 500 ms on CPU; its neighbours are on the GPU too, so its data need not move.",
    );
    for operator in study.operators.iter_mut().filter(|operator| operator.kind == Some(Kind::Filter)) {
        operator.fixed_seconds = 1.0;
    }
    check(&study, 1, "GPU: 1.05 s; CPU: 500 ms, but running it on CPU adds 3 s of transfer.");
}

#[test]
fn times_that_are_printed_alike_leave_the_transfer_as_the_reason() {
    // As above, but for 10⁻¹⁰ s for 100 MB the filter takes 5 ns on CPUs and 0.5 ns on GPUs.
    let nodes = vec![node(Kind::Sort, 40.0, &[1]), node(Kind::Filter, 40.0, &[2]), node(Kind::Scan, 40.0, &[])];
    let mut study = with_t(study(nodes), Kind::Filter, 1e-10);
    study.pin_node(0, Some(Side::Cpu));
    study.pin_node(2, Some(Side::Cpu));
    check(&study, 1, "CPU: less than 1 µs, as on GPU; running it there would add 3 s of transfer.");
}

#[test]
fn a_gain_below_the_threshold_is_told() {
    let mut study = sort();
    study.policy.threshold = 3.0;
    study.pin_node(1, Some(Side::Cpu));
    // On CPU 5 s; on GPU 2.5 s and 1 s of bus, which would have to be less than a third of that.
    check(&study, 0, "CPU: 5 s instead of 3.5 s on GPU, moving its data included; the threshold is 3×.");
}

#[test]
fn fixed_operators_say_why() {
    let mut study =
        study(vec![node(Kind::UserCode, 1.0, &[1]), node(Kind::Sort, 1.0, &[2]), node(Kind::Other, 1.0, &[])]);
    check(&study, 0, "CPU: it runs user code row by row.");
    check(&study, 2, "CPU: Crossover has no model for this operator.");
    study.set_support([("sortExec".to_owned(), String::new())].into());
    check(&study, 1, "CPU: the support list has no GPU version of sortExec.");
    study.set_support([("sortExec".to_owned(), "Not for decimals.".to_owned())].into());
    check(&study, 1, "CPU: the support list has no GPU version of sortExec (Not for decimals).");
    study.pin_node(1, Some(Side::Gpu));
    assert!(
        decide(&study).expect("a plan").of_node(1).expect("an operator").reason.to_string().starts_with("GPU: pinned;")
    );
    study.set_support([].into());
    study.pin_node(1, None);
    assert_eq!(decide(&study).expect("a plan").of_node(1).expect("an operator").fixed, None);
}

#[test]
fn what_the_decision_leaves_out_is_warned_of() {
    let mut study = sort();
    assert_eq!(decide(&study).expect("a plan").warnings, Vec::<String>::new());
    study.policy.overlap = Overlap::Everything;
    study.operators.retain(|operator| operator.kind != Some(Kind::Sort));
    study.set_scores([("scanExec".to_owned(), 2.0)].into());
    study.set_support([("sortExec".to_owned(), String::new())].into());
    let query = study.query.as_mut().expect("a query");
    query.plan.nodes[1].rows_out = None;
    query.plan.nodes[1].bytes_out = None;
    query.plan.nodes.push(Node::new("stage", Kind::Wrapper));
    query.plan.nodes[1].inputs.push(2);
    query.plan.nodes.push(Node::new("lambda", Kind::UserCode));
    query.plan.nodes[1].inputs.push(3);
    for id in [0, 2, 3] {
        study.pin_node(id, Some(Side::Gpu));
    }
    let expected = [
        "The times of a whole plan add up; the overlap of the policy does not apply.",
        "In this query, rows or bytes of 2 of 3 operators are estimated, not reported.",
        "The study has no costs for sort, user code; the default costs of these kinds are used.",
        "No score for lambda, sortExec; the model's GPU times are used.",
        "sort (node 0) is pinned to the GPU, but the support list has no GPU version of it.",
        "The pin of stage (node 2) has no effect: the node does no work of its own.",
        "lambda (node 3) is pinned to the GPU, but it runs user code row by row.",
        "All on CPU keeps the pins: 2 operators stay on the GPU there too.",
    ];
    assert_eq!(decide(&study).expect("a plan").warnings, expected);
}

#[test]
fn a_plan_says_what_its_pins_cost_and_what_follows_them() {
    // Without pins both go to GPUs: 2.5 s and 1.5 s.
    assert_eq!(decide(&sort()).expect("a plan").unpinned, None);
    let mut study = sort();
    study.pin_node(1, Some(Side::Cpu));
    // The scan takes 5 s on CPUs; the sort then 2.5 s and 1 s of bus.
    let whole = decide(&study).expect("a plan");
    let unpinned = whole.unpinned.expect("one pin");
    assert_eq!((unpinned.pins, unpinned.seconds, unpinned.followers), (1, 4.0, 0));
    assert_eq!(unpinned.sentence(whole.seconds), "the pin costs 4.5 s (112.5 %)");

    // A threshold of 2 keeps the sort on the CPU where the scan is there: 3.5 s are more than half of 5 s.
    study.policy.threshold = 2.0;
    let whole = decide(&study).expect("a plan");
    let unpinned = whole.unpinned.expect("one pin");
    assert_eq!((unpinned.seconds, unpinned.followers), (4.0, 1));
    assert_eq!(unpinned.sentence(whole.seconds), "the pin costs 6 s (150 %); 1 other operator follows it");
}
