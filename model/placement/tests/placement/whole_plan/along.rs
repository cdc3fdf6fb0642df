//! What a plan takes along a number: at every value what is decided there, by hand where that is short.

use crossover_engine::Engines;
use crossover_placement::whole::{Baselines, PlanAxis, PlanTimes, along_plan, decide};
use crossover_placement::{Axis, Parameter, Placement, Side, Variant};
use crossover_query::Kind;
use crossover_study::{Watch, answer};

use super::plans::{node, study};

/// A sort of 40 GB on four machines: 5 s on CPUs and 5 s of scan; see the costs of plans.
fn sort() -> Placement {
    study(vec![node(Kind::Sort, 40.0, &[1]), node(Kind::Scan, 40.0, &[])])
}

fn along(study: &Placement, axis: PlanAxis, values: &[f64]) -> Vec<PlanTimes> {
    let query = study.query.as_ref().expect("a query");
    let curves = Watch::uncancellable(|watch| along_plan(study, query, axis, values, watch)).expect("all of it");
    let chosen = Variant::chosen(study);
    curves.into_iter().find(|curve| curve.variant == chosen).expect("the chosen variant").times
}

#[test]
fn at_the_present_value_it_is_what_the_plan_page_says() {
    let study = sort();
    let whole = decide(&study).expect("a plan");
    for axis in PlanAxis::all(&study) {
        let now = axis.now(&study).expect("a number of the study");
        let [low, high] = axis.window(&study);
        assert!(low <= now && now <= high, "{axis:?}");
        let times = along(&study, axis, &[now])[0];
        let Baselines { all_cpu, all_gpu, .. } = whole.baselines;
        for (found, expected) in [(times.cpu, all_cpu), (times.gpu, all_gpu), (times.placed, whole.seconds)] {
            assert!((found - expected).abs() <= 1e-9 * expected, "{axis:?}: {times:?}, expected {expected:?}");
        }
        assert!(!times.is_outside && !times.differs, "{axis:?}");
    }
}

#[test]
fn more_machines_share_the_data_of_the_query_and_more_data_takes_longer() {
    // 40 GB at 2 cores of 1 GB/s each: 80 core-seconds ÷ (2 · machines).
    let times = along(&sort(), PlanAxis::Cluster(Axis::One(Parameter::MACHINES)), &[1.0, 2.0, 8.0]);
    for (times, expected) in times.iter().zip([40.0, 20.0, 5.0]) {
        assert!((times.cpu - expected).abs() < 1e-9, "{times:?}");
    }
    // Everything of this plan is linear.
    let times = along(&sort(), PlanAxis::Data, &[0.5, 10.0]);
    assert!((times[0].cpu - 5.0).abs() < 1e-9 && (times[1].cpu - 100.0).abs() < 1e-9, "{times:?}");
    assert!((times[1].placed / times[0].placed - 20.0).abs() < 1e-9);
}

#[test]
fn what_a_measured_run_adds_is_carried_along() {
    let mut engines = Engines::plain();
    (engines.cpu.start_seconds, engines.gpu.start_seconds) = (0.0, 0.0);
    (engines.cpu.machines, engines.gpu.machines) = (1.0, 1.0);
    let modelled = Placement { engines: Some(Box::new(engines.clone())), ..sort() };
    let cpu = decide(&modelled).expect("a plan").baselines.all_cpu;
    engines.measured_seconds = Some(2.0 * cpu);
    let mut study = Placement { engines: Some(Box::new(engines)), ..sort() };
    let times = along(&study, PlanAxis::Data, &[1.0, 3.0]);
    assert!((times[0].cpu / (2.0 * cpu) - 1.0).abs() < 1e-9, "{times:?}, modelled {cpu}");
    assert!((times[1].cpu / times[0].cpu - 3.0).abs() < 1e-9, "{times:?}");
    // Also where an operator stays on one side whatever the engine.
    study.pin_node(1, Some(Side::Cpu));
    let whole = decide(&study).expect("a plan");
    let now = along(&study, PlanAxis::Data, &[1.0])[0];
    assert!((now.gpu / whole.baselines.all_gpu - 1.0).abs() < 1e-9 && (now.placed / whole.seconds - 1.0).abs() < 1e-9);
}

/// A GPU engine that takes four times as long has a speedup of ¼, and the query stays on CPUs.
#[test]
fn the_speedup_of_a_slower_gpu_engine_is_below_one_and_the_time_is_that_of_the_faster_engine() {
    let mut engines = Engines::plain();
    engines.gpu.work_ratio = 4.0;
    let study = Placement { engines: Some(Box::new(engines)), ..sort() };
    let figures = Watch::uncancellable(|watch| answer(&study, watch)).expect("not cancelled");
    let figure = |key: &str| figures.iter().find(|one| one.key() == key).expect("a figure");
    let value = |key: &str| figure(key).value.expect("a value");
    assert!((value("gpu_seconds") / value("cpu_seconds") - 4.0).abs() < 1e-9);
    assert!((value("speedup") - 0.25).abs() < 1e-9);
    assert_eq!(value("seconds"), value("cpu_seconds"));
    assert_eq!(figure("seconds").figure.label, "time in faster engine");
    // Operators of one engine are placed one by one.
    let placed = Watch::uncancellable(|watch| answer(&sort(), watch)).expect("not cancelled");
    let label = placed.iter().find(|one| one.key() == "seconds").map(|one| one.figure.label);
    assert_eq!(label, Some("time as placed"));
}

#[test]
fn the_data_of_a_query_is_that_of_all_machines() {
    assert_eq!(PlanAxis::Cluster(Axis::One(Parameter::MACHINES)).label(), "machines");
}
