//! The CPU time of a stage among its operators.

use crossover_plan::spark::raw::{RawNode, RawStage};
use crossover_query::{Amount, Plan, Rule};
use proptest::prelude::*;

use super::build::{With, node, plan, query, stage};

fn cpu(plan: &Plan, id: usize) -> f64 {
    plan.nodes[id].cpu_seconds.map_or(f64::NAN, |figure| figure.value)
}

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{value}, expected {expected}");
}

#[test]
fn a_measured_sort_has_its_time_and_the_others_share_the_rest_by_weight() {
    // 100 rows of 16 bytes. Weights per byte: filter 0.005, aggregate 0.1, of which the filter reads 1,600 bytes and
    // the aggregate the same. Of the 10 s the sort has its 4 s; 6 s are shared 0.005 to 0.1.
    let nodes = vec![
        node(0, "HashAggregate").stages(&[1]).rows(1, 10.0),
        node(1, "Filter").stages(&[1]).rows(2, 100.0),
        node(2, "Sort").stages(&[1]).metric("sort time", "timing", 3, 4000.0),
        node(3, "Exchange").text("Exchange hashpartitioning(a#1)").stages(&[0]).rows(4, 100.0).metric(
            "data size",
            "size",
            5,
            1600.0,
        ),
    ];
    let plan = plan(&query(nodes, &[1]), &[stage(1, 10.0)]);
    assert_eq!(plan.nodes[2].cpu_seconds, Some(Amount::reported(4.0)));
    close(cpu(&plan, 1), 6.0 * 0.005 / 0.105);
    close(cpu(&plan, 0), 6.0 * 0.1 / 0.105);
    assert_eq!(plan.nodes[0].cpu_seconds.unwrap().origin, Amount::estimated(0.0, Rule::ShareOfStage).origin);
    assert_eq!(plan.nodes[3].cpu_seconds, None, "stage 0 did not run");
}

#[test]
fn an_exchange_has_a_share_of_both_its_stages() {
    // The same 1,600 bytes everywhere. Stage 0: project 0.0025 and half of the exchange 0.05; stage 1: the other half
    // and the aggregate 0.1.
    let nodes = vec![
        node(0, "HashAggregate").stages(&[1]).rows(1, 10.0),
        node(1, "Exchange")
            .text("Exchange hashpartitioning(a#1)")
            .stages(&[0, 1])
            .metric("shuffle records written", "sum", 2, 100.0)
            .metric("data size", "size", 3, 1600.0),
        // No metric: it ran where the exchange was written.
        node(2, "Project"),
        node(3, "Scan").stages(&[0]).rows(4, 100.0),
    ];
    let plan = plan(&query(nodes, &[0, 1]), &[stage(0, 2.0), stage(1, 3.0)]);
    let (scan, project, half, aggregate) = (1e-6, 0.0025, 0.05, 0.1);
    close(cpu(&plan, 0), 3.0 * aggregate / (aggregate + half));
    close(cpu(&plan, 1), 2.0 * half / (scan + project + half) + 3.0 * half / (aggregate + half));
    close(cpu(&plan, 2), 2.0 * project / (scan + project + half));
    close(cpu(&plan, 3), 2.0 * scan / (scan + project + half));
    assert_eq!(plan.nodes[2].stages, [0; 0], "Spark did not report where it ran");
}

#[test]
fn waiting_for_storage_is_no_cpu_time() {
    // 10 s of scan time on the clock; the tasks ran 12 s, 5 of them on a CPU, 1 collecting garbage: 6 s they waited.
    // So the scan had at least 4 s; as if the stage waited evenly, 10 · 5/12 s.
    let nodes = vec![
        node(0, "HashAggregate").stages(&[1]).rows(1, 10.0),
        node(1, "Scan parquet ").stages(&[1]).rows(2, 100.0).metric("scan time", "timing", 3, 10_000.0),
    ];
    let waited = RawStage { run_seconds: 12.0, gc_seconds: 1.0, ..stage(1, 5.0) };
    let shared = plan(&query(nodes.clone(), &[1]), &[waited]);
    close(cpu(&shared, 1), 50.0 / 12.0);
    close(cpu(&shared, 0), 10.0 / 12.0);
    assert_eq!(shared.nodes[1].cpu_seconds.unwrap().origin, Amount::estimated(0.0, Rule::ShareOfTime).origin);
}

#[test]
fn a_scan_has_no_more_cpu_time_than_it_took() {
    // Alone with a filter of little weight it would get nearly all of the 9 s; it took 2 s.
    let nodes = vec![
        node(0, "Union").stages(&[1]),
        node(1, "Scan parquet ").stages(&[1]).rows(2, 100.0).metric("scan time", "timing", 3, 2000.0),
    ];
    let plan = plan(&query(nodes, &[1]), &[stage(1, 9.0)]);
    close(cpu(&plan, 1), 2.0);
    close(cpu(&plan, 0), 7.0);
}

#[test]
fn measured_times_never_exceed_the_stage() {
    let nodes = vec![
        node(0, "SortMergeJoin").stages(&[1]).rows(1, 10.0),
        node(1, "Sort").stages(&[1]).metric("sort time", "timing", 2, 8000.0),
        node(1, "Sort").stages(&[1]).metric("sort time", "timing", 3, 8000.0),
    ];
    let plan = plan(&query(nodes, &[1]), &[stage(1, 10.0)]);
    close(cpu(&plan, 0) + cpu(&plan, 1) + cpu(&plan, 2), 10.0);
    assert_eq!(plan.nodes[1].cpu_seconds, Some(Amount::reported(8.0)));
    assert!(plan.nodes[2].cpu_seconds.unwrap().is_estimated());
}

#[test]
fn a_stage_on_a_gpu_says_nothing_about_cpu_time() {
    let nodes = vec![
        node(0, "Filter").stages(&[1]).rows(1, 10.0),
        node(1, "GpuColumnarToRow"),
        node(2, "GpuProject").stages(&[1]).metric("op time", "nsTiming", 2, 5e8),
    ];
    let plan = plan(&query(nodes, &[1]), &[stage(1, 10.0)]);
    assert!(plan.nodes.iter().all(|node| node.cpu_seconds.is_none()));
    assert_eq!(plan.nodes[2].time.unwrap().seconds, 0.5);
}

#[test]
fn a_stage_that_did_not_run_gives_no_cpu_time() {
    let nodes = vec![node(0, "Filter").stages(&[1]).rows(1, 10.0), node(1, "Range").stages(&[1]).rows(2, 10.0)];
    let plan = plan(&query(nodes, &[]), &[stage(1, 10.0)]);
    assert!(plan.nodes.iter().all(|node| node.cpu_seconds.is_none()));
}

/// A plan as it grows: operators by number; an exchange begins a new stage below it.
fn grow(choices: &[(u8, u16, u16, bool)]) -> (Vec<RawNode>, u64) {
    const NAMES: [&str; 7] =
        ["Filter", "Project", "Sort", "HashAggregate", "WholeStageCodegen (1)", "Exchange", "Scan parquet "];
    let mut nodes: Vec<RawNode> = Vec::new();
    let mut stage = 0;
    for (index, (accumulator, (choice, rows, time, reports))) in (0..).step_by(10).zip(choices).enumerate() {
        let is_last = index + 1 == choices.len();
        let name = if is_last { "Scan parquet " } else { NAMES[usize::from(*choice) % 6] };
        let mut next = node(index, name);
        if name == "Exchange" {
            next = next.text("Exchange hashpartitioning(a#1, 8)").stages(&[stage, stage + 1]).metric(
                "data size",
                "size",
                accumulator,
                f64::from(*rows) * 16.0,
            );
            stage += 1;
        } else if *reports || is_last {
            next = next.stages(&[stage]).rows(accumulator, f64::from(*rows));
            let time_name = if name == "Sort" { "sort time" } else { "scan time" };
            next = next.metric(time_name, "timing", accumulator + 1, f64::from(*time));
        }
        nodes.push(next);
    }
    // Spark numbers stages from the sources up.
    for node in &mut nodes {
        node.stages = node.stages.iter().rev().map(|above| stage - above).collect();
    }
    (nodes, stage + 1)
}

proptest! {
    #[test]
    fn shares_add_up_to_the_cpu_time_of_all_stages(
        choices in prop::collection::vec((any::<u8>(), any::<u16>(), any::<u16>(), any::<bool>()), 2..14),
        seconds in prop::collection::vec(0.001_f64..1000.0, 14),
        waits in prop::collection::vec(0.0_f64..100.0, 14),
    ) {
        let (nodes, count) = grow(&choices);
        let ids: Vec<u64> = (0..count).collect();
        let stages: Vec<RawStage> = ids
            .iter()
            .zip(seconds.iter().zip(&waits))
            .map(|(id, (seconds, wait))| RawStage { run_seconds: seconds + wait, ..stage(*id, *seconds) })
            .collect();
        let plan = plan(&query(nodes, &ids), &stages);
        let shares: f64 = plan.nodes.iter().filter_map(|node| node.cpu_seconds).map(|figure| figure.value).sum();
        let all: f64 = stages.iter().map(|stage| stage.cpu_seconds).sum();
        prop_assert!((shares - all).abs() <= 1e-9 * all, "{shares} of {all}");
    }
}
