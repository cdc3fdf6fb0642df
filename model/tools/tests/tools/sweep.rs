//! A sweep of any study is the study evaluated value by value.

use std::sync::atomic::{AtomicUsize, Ordering};

use crossover_placement::curves::curves;
use crossover_placement::{Parameter, ParameterOf, Variant};
use crossover_scenario::{Kind, Scenario, read};
use crossover_study::{Better, FigureValue, Watch, numbers};
use crossover_tools::{Range, Sweep, SweepError, Swept, sweep};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");
const ALLOCATION: &str = include_str!("../../../../scenarios/allocation-shared.ron");
const PROBE: &str = include_str!("../../../../scenarios/probe-centres.ron");
const PREEMPTION: &str = include_str!("../../../../scenarios/preemption-published.ron");
const REGULATION: &str = include_str!("../../../../scenarios/regulation-published.ron");
const QUERY: &str = include_str!("../../../../scenarios/placement-query.ron");

fn scenario(text: &str) -> Scenario {
    read(text).expect("a shipped scenario")
}

fn swept(scenario: &Scenario, x: &str, figures: &[&str]) -> Swept {
    let figures = figures.iter().map(|key| (*key).to_owned()).collect();
    let wanted = Sweep { figures, ..Sweep::read(scenario.study.subject(), x).expect(x) };
    Watch::uncancellable(|watch| sweep(scenario.study.subject(), &wanted, watch)).expect(x).expect("not cancelled")
}

fn refused(scenario: &Scenario, x: &str, figures: &[&str]) -> SweepError {
    let figures = figures.iter().map(|key| (*key).to_owned()).collect();
    let carried_out = Sweep::read(scenario.study.subject(), x).map_err(SweepError::from).and_then(|wanted| {
        let wanted = Sweep { figures, ..wanted };
        Watch::uncancellable(|watch| sweep(scenario.study.subject(), &wanted, watch))
    });
    carried_out.expect_err(x)
}

/// The figures of the scenario with its number set as the command line sets it.
fn alone(scenario: &Scenario, path: &str, value: f64) -> Vec<FigureValue> {
    let set = scenario.with(&format!("{path}={value:?}")).expect("a valid value");
    Watch::uncancellable(|watch| set.study.subject().answer(watch)).expect("not cancelled")
}

#[track_caller]
fn check_against_single_evaluations(text: &str, x: &str, figures: &[&str]) {
    let scenario = scenario(text);
    let swept = swept(&scenario, x, figures);
    assert!(swept.values.len() > 5 && !swept.curves.is_empty(), "{x}");
    for (index, value) in swept.values.iter().enumerate() {
        let alone = alone(&scenario, &swept.path, *value);
        for curve in &swept.curves {
            let one = alone.iter().find(|one| one.key() == curve.key).expect("the same figures");
            assert_eq!(curve.values[index], one.value, "{} at {} = {value}", curve.key, swept.path);
        }
    }
}

#[test]
fn a_sweep_equals_single_evaluations_of_either_kind() {
    check_against_single_evaluations(
        PLACEMENT,
        "operators.join.cpu_seconds_per_100mb=1ms..10s:20:log",
        &["operators.join.speedup", "operators.filter.speedup", "seconds"],
    );
    check_against_single_evaluations(PLACEMENT, "cluster.machines=10..1000:40:log", &[]);
    check_against_single_evaluations(PLACEMENT, "policy.threshold=0.5..2:10", &["on_gpu"]);
    check_against_single_evaluations(QUERY, "gpu.gpu_parallelism=1..512:10:log", &[]);
    check_against_single_evaluations(REGULATION, "controllers.PID.ki=0..0.5:11", &[]);
    check_against_single_evaluations(REGULATION, "clusters.I.pcie_tops=1000..20000:9", &["clusters.I.vgpus", "tops"]);
}

/// The crossing of the published figure 2d: over InfiniBand a join pays from 29.5468 ms per 100 MB.
#[test]
fn the_published_break_even_lies_where_the_swept_speedup_crosses_one() {
    let path = "operators.join.cpu_seconds_per_100mb";
    let mut scenario = scenario(PLACEMENT);
    scenario = scenario.with("policy.network=100 Gb InfiniBand").expect("one of its networks");
    let swept = swept(&scenario, &format!("{path}=29 ms..30 ms:1001"), &["operators.join.speedup"]);
    let above = |value: &Option<f64>| value.expect("a speedup") > 1.0;
    let crossing = swept.curves[0].values.iter().position(above).expect("it pays somewhere");
    assert!((swept.values[crossing] - 0.029_546_8).abs() < 2e-6, "{}", swept.values[crossing]);
    assert!(swept.curves[0].values[crossing..].iter().all(above));
}

/// The curves of the placement page are the sweeps with each network chosen, compressed and not.
#[test]
fn a_curve_is_the_sweep_of_the_speedup_with_its_network_chosen() {
    let published = scenario(PLACEMENT);
    let study = published.placement().expect("a placement study");
    let join = study.operators.iter().position(|operator| operator.name == "join").expect("a join");
    let mut compared = 0;
    for parameter in Parameter::all() {
        for variant in Variant::all(study) {
            let number = ParameterOf::of(parameter, join, variant.network);
            let Some(value) = number.value(study) else { continue };
            let info = parameter.info();
            let ends = if value == 0.0 { [0.0, 1.0] } else { [value / 2.0, value * 2.0] };
            let ends = ends.map(|end| end.clamp(info.min, info.max));
            let figures = vec!["operators.join.speedup".to_owned()];
            let x = Range { path: number.path(study), ends, points: 9, is_logarithmic: false };
            let wanted = Sweep { x, figures };
            let values = wanted.values(study).expect("values");
            let mut chosen = published.clone();
            let policy = &mut chosen.study.placement_mut().expect("a placement study").policy;
            policy.network.clone_from(&study.networks[variant.network].name);
            policy.compression = variant.compression;
            let swept = Watch::uncancellable(|watch| sweep(chosen.study.subject(), &wanted, watch))
                .expect("figures")
                .expect("all");
            let speedups: Vec<f64> = swept.curves[0].values.iter().flatten().copied().collect();
            let curves = curves(study, join, parameter.into(), &values);
            let curve = curves.iter().find(|curve| curve.variant == variant).expect("the same variants");
            assert_eq!(speedups, curve.speedups, "{}, {variant:?}", wanted.x.path);
            compared += 1;
        }
    }
    assert!(compared > 60, "{compared} curves");
}

#[test]
fn a_sweep_is_the_same_on_any_number_of_threads() {
    for (text, x) in [
        (PLACEMENT, "networks.10 Gb Ethernet.effective_gbit_per_s=0.1..100:300:log"),
        (QUERY, "bus.to_gpu_gb_per_s=1..100:50:log"),
        (REGULATION, "controllers.PID.kp=0..3:40"),
    ] {
        let scenario = scenario(text);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| swept(&scenario, x, &[]))
        };
        let one = on(1);
        assert_eq!(one, on(2), "{x}");
        assert_eq!(one, on(8), "{x}");
    }
}

#[test]
fn every_number_of_every_shipped_kind_can_be_swept_or_says_why_not() {
    for text in [PLACEMENT, REGULATION, QUERY] {
        let scenario = scenario(text);
        let mut carried_out = 0;
        for (path, quantity, value) in numbers(scenario.study.subject()) {
            let path = path.to_string();
            let ends = [value, (value + 1.0).min(quantity.max)];
            let x = Range { path: path.clone(), ends, points: 2, is_logarithmic: false };
            let wanted = Sweep { x, figures: Vec::new() };
            match Watch::uncancellable(|watch| sweep(scenario.study.subject(), &wanted, watch)) {
                Ok(swept) => {
                    let swept = swept.expect("not cancelled");
                    assert_eq!(swept.present, Some(value), "{path}");
                    assert!(!swept.curves.is_empty(), "{path}");
                    carried_out += 1;
                }
                Err(error) => assert!(error.to_string().contains(&path), "{error}"),
            }
        }
        assert!(carried_out > 20, "{carried_out} of {}", scenario.name);
    }
}

#[test]
fn a_unit_behind_the_second_end_is_that_of_both() {
    let study = scenario(PLACEMENT).study;
    for (x, ends) in [
        ("operators.join.input_gb=10..20 TB", [10_000.0, 20_000.0]),
        ("operators.join.input_gb=10 GB..20 TB", [10.0, 20_000.0]),
        ("operators.join.input_gb=10..20", [10.0, 20.0]),
        ("operators.join.input_gb=0,5..2,5 TB", [500.0, 2_500.0]),
        ("operators.join.input_gb=1,000..2,000 MB", [1.0, 2.0]),
        ("operators.join.input_gb=1e-9..2e-9 EB", [1.0, 2.0]),
        ("operators.join.cpu_seconds_per_100mb=1..5e3ms", [1e-3, 5.0]),
        ("cluster.machines=100..1k", [100.0, 1_000.0]),
        ("cluster.machines=1k..2000", [1_000.0, 2_000.0]),
        ("cluster.machines=20..10", [20.0, 10.0]),
    ] {
        assert_eq!(Sweep::read(study.subject(), x).expect(x).x.ends, ends, "{x}");
    }
    for x in ["operators.join.input_gb=500..2 TB", "operators.join.input_gb=2 TB..500"] {
        let error = Sweep::read(study.subject(), x).expect_err(x).to_string();
        assert!(error.contains("“500” has no unit, but “2 TB” has one; give both ends theirs"), "{error}");
    }
}

#[test]
fn values_are_those_that_people_would_write() {
    let study = scenario(REGULATION).study;
    let values = |x| Sweep::read(study.subject(), x).and_then(|sweep| sweep.values(study.subject())).expect(x);
    assert_eq!(values("controllers.PID.ki=0..0.5:11"), [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]);
    assert_eq!(values("controllers.PID.kp=0.001..10:5:log"), [0.001, 0.01, 0.1, 1.0, 10.0]);
}

#[test]
fn a_figure_that_is_asked_for_twice_stands_once_in_the_order_of_asking() {
    let swept = swept(&scenario(PLACEMENT), "cluster.machines=1..4:4", &["seconds", "speedup", "seconds"]);
    assert_eq!(swept.curves.iter().map(|curve| curve.key.as_str()).collect::<Vec<_>>(), ["seconds", "speedup"]);
}

/// Without compression, nothing reads how fast it is.
#[test]
fn a_number_without_influence_is_found() {
    let published = scenario(PLACEMENT);
    assert!(swept(&published, "compression.compress_gb_per_s=0.1..9:5", &[]).is_flat());
    assert!(!swept(&published, "cluster.machines=10..1000:5", &[]).is_flat());
    assert!(!swept(&published, "compression.compress_gb_per_s=1..1:2", &[]).is_flat(), "one value shows nothing");
}

/// Without noise the runs come to rest after some periods, with it never: both are answers.
#[test]
fn a_figure_that_comes_and_goes_is_not_flat() {
    let scenario = scenario(include_str!("../../../../scenarios/regulation-noisy.ron"));
    let swept = swept(&scenario, "measurement.noise_share=0..0.3:5", &["settling_periods"]);
    assert_eq!(
        swept.curves[0].values.iter().map(Option::is_some).collect::<Vec<_>>(),
        [true, false, false, false, false]
    );
    assert!(!swept.is_flat());
}

/// An end of more digits than people write is the value of another field, perhaps, and stays what it is.
#[test]
fn the_ends_stay_as_they_were_given() {
    let study = scenario(PLACEMENT).study;
    let ends = [0.100_000_000_000_000_02, 0.300_000_000_000_000_04];
    let path = "operators.join.output_ratio".to_owned();
    let wanted = Sweep { x: Range { path, ends, points: 3, is_logarithmic: false }, figures: Vec::new() };
    let values = wanted.values(study.subject()).expect("values");
    assert_eq!(
        values.iter().map(|value| value.to_bits()).collect::<Vec<_>>(),
        [ends[0], 0.2, ends[1]].map(f64::to_bits)
    );
}

#[test]
fn counts_are_whole_and_stand_once() {
    let swept = swept(&scenario(PLACEMENT), "cluster.machines=1..4:31", &["speedup"]);
    assert_eq!(swept.values, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!((swept.present, swept.curves[0].figure.better), (Some(1000.0), Better::Higher));
}

#[test]
fn values_that_the_rest_of_the_study_does_not_allow_are_left_out_with_the_reason() {
    let scenario = scenario(REGULATION);
    let swept = swept(&scenario, "clusters.I.max_vgpus=50..150:3", &["tops"]);
    assert_eq!(swept.values, [50.0, 100.0, 150.0]);
    assert_eq!(swept.curves[0].values.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, true]);
    let left_out = swept.left_out.expect("100 vGPUs are more than 50");
    assert_eq!((left_out.count, left_out.first), (1, 50.0));
    assert!(left_out.problem.problem.contains("100"), "{}", left_out.problem.problem);
}

#[test]
fn what_cannot_be_swept_is_refused_with_what_there_is() {
    let study = scenario(PLACEMENT);
    for (x, figures, parts) in [
        ("cluster.machines", &[][..], &["PATH=FROM..TO"][..]),
        ("cluster.machines=10", &[], &["PATH=FROM..TO"]),
        ("cluster.machine=1..10", &[], &["no such number", "cluster.machines"]),
        ("policy.compression=0..1", &[], &["no such number; numbers of policy: policy.threshold"]),
        (
            "nothing=0..1",
            &[],
            &["numbers begin with: bus, cluster, compression, gpu, networks, node, operators, policy"],
        ),
        ("cluster.machines=0..10", &[], &["out of range", "1 … 1,000,000"]),
        ("cluster.machines=1..ten", &[], &["cluster.machines", "ten"]),
        ("cluster.machines=2.6..2.7", &[], &["no whole number from 2.6 to 2.7"]),
        ("operators.join.input_gb=5 TB..10", &[], &["“10” has no unit"]),
        ("cluster.machines=1..10:1", &[], &["1 points", "2 … 1,000,000"]),
        ("cluster.machines=1..10:many", &[], &["many"]),
        ("operators.join.output_ratio=0..1:9:log", &[], &["logarithm"]),
        ("cluster.machines=1..10:5:lin", &[], &["PATH=FROM..TO"]),
        ("operators.join.cpu_curve.gb_per_s=1..10", &[], &["operators.join.cpu_curve.gb_per_s", "lacks"]),
        ("cluster.machines=1..10", &["speed"], &["no such figure", "speedup", "operators.join.seconds"]),
    ] {
        let message = refused(&study, x, figures).to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{x}: {message}");
    }
    let regulation = scenario(REGULATION);
    let message = refused(&regulation, "clusters.I.max_vgpus=1..50:3", &[]).to_string();
    assert!(message.contains("no value in the range is valid") && message.contains("max_vgpus"), "{message}");
}

#[test]
fn a_sweep_that_nobody_waits_for_any_more_ends() {
    let scenario = scenario(REGULATION);
    let wanted = Sweep::read(scenario.study.subject(), "controllers.PID.kp=0..3:100000").expect("a sweep");
    let done = AtomicUsize::new(0);
    let is_cancelled = || done.load(Ordering::Relaxed) >= 3;
    let found = sweep(scenario.study.subject(), &wanted, Watch { is_cancelled: &is_cancelled, done: &done });
    assert_eq!(found, Ok(None));
    assert!(done.load(Ordering::Relaxed) < 1000);
}

#[test]
fn every_kind_says_what_its_figures_are() {
    assert_eq!(Kind::ALL.len(), 5, "a kind more is a case more here");
    for text in [PLACEMENT, REGULATION, QUERY, ALLOCATION, PROBE, PREEMPTION] {
        let scenario = scenario(text);
        let subject = scenario.study.subject();
        let answer = Watch::uncancellable(|watch| subject.answer(watch)).expect("not cancelled");
        let mut keys: Vec<String> = answer.iter().map(FigureValue::key).collect();
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count, "keys are unique");
        for one in &answer {
            assert!(one.figure.meaning.ends_with('.') && !one.figure.label.is_empty(), "{}", one.key());
            assert!(subject.figures().contains(one.figure), "{}", one.key());
        }
        for figure in subject.figures() {
            assert!(answer.iter().any(|one| one.figure == figure), "{}", figure.key);
        }
    }
}
