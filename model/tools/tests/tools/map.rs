//! A map of any study is the study evaluated cell by cell, and its contour lies where a decision flips.

use std::sync::atomic::{AtomicUsize, Ordering};

use crossover_placement::break_even::break_even;
use crossover_placement::{Axis, Parameter, Point};
use crossover_scenario::{Kind, Scenario, read};
use crossover_study::{FigureValue, Watch, numbers};
use crossover_tools::{Map, MapError, Mapped, Range, map};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");
const REGULATION: &str = include_str!("../../../../scenarios/regulation-published.ron");
const QUERY: &str = include_str!("../../../../scenarios/placement-query.ron");

const CPU_TIME: &str = "operators.join.cpu_seconds_per_100mb";

fn scenario(text: &str) -> Scenario {
    read(text).expect("a shipped scenario")
}

fn read_map(scenario: &Scenario, x: &str, y: &str, figures: &[&str]) -> Result<Map, MapError> {
    let read = |text| Range::read(scenario.study.subject(), text, 8);
    let figures = figures.iter().map(|key| (*key).to_owned()).collect();
    Ok(Map { x: read(x)?, y: read(y)?, figures })
}

fn mapped(scenario: &Scenario, x: &str, y: &str, figures: &[&str]) -> Mapped {
    let wanted = read_map(scenario, x, y, figures).expect(x);
    Watch::uncancellable(|watch| map(scenario.study.subject(), &wanted, watch)).expect(x).expect("not cancelled")
}

fn refused(scenario: &Scenario, x: &str, y: &str, figures: &[&str]) -> String {
    let carried_out = read_map(scenario, x, y, figures)
        .and_then(|wanted| Watch::uncancellable(|watch| map(scenario.study.subject(), &wanted, watch)));
    carried_out.expect_err(x).to_string()
}

#[track_caller]
fn check_against_single_evaluations(text: &str, x: &str, y: &str) {
    let scenario = scenario(text);
    let mapped = mapped(&scenario, x, y, &["*"]);
    assert!(mapped.x.values.len() > 3 && mapped.y.values.len() > 3 && mapped.figures.len() > 5, "{x}, {y}");
    for (row, at_y) in mapped.y.values.iter().enumerate() {
        for (column, at_x) in mapped.x.values.iter().enumerate() {
            let assignments =
                [(&mapped.x.path, at_x), (&mapped.y.path, at_y)].map(|(path, at)| format!("{path}={at:?}"));
            let set = scenario.with_all(&assignments).expect("valid values");
            let alone = Watch::uncancellable(|watch| set.study.subject().answer(watch)).expect("not cancelled");
            assert_eq!(alone.iter().map(FigureValue::key).collect::<Vec<_>>(), keys(&mapped));
            for (place, one) in alone.iter().enumerate() {
                // Formulas of many cells at once are rounded elsewhere.
                let is_same = match (mapped.value(place, column, row), one.value) {
                    (Some(found), Some(value)) => (found - value).abs() <= 1e-12 * value.abs(),
                    (found, value) => found == value,
                };
                assert!(is_same, "{} at {assignments:?}", one.key());
            }
        }
    }
}

fn keys(mapped: &Mapped) -> Vec<String> {
    mapped.figures.iter().map(|figure| figure.key.clone()).collect()
}

#[test]
fn every_figure_of_every_cell_is_that_of_a_single_evaluation() {
    check_against_single_evaluations(
        PLACEMENT,
        &format!("{CPU_TIME}=1ms..10s:5:log"),
        "cluster.machines=10..1000:4:log",
    );
    check_against_single_evaluations(QUERY, "gpu.gpu_parallelism=1..512:4:log", "bus.to_gpu_gb_per_s=1..100:4:log");
    check_against_single_evaluations(REGULATION, "controllers.PID.kp=0.1..3:4", "controllers.PID.ki=0..0.5:4");
}

/// The contour speedup = 1 of the chosen network is the break-even of the solver, at every other number.
#[test]
fn the_contour_of_a_speedup_of_one_is_the_break_even() {
    let published = scenario(PLACEMENT);
    let study = published.placement().expect("a placement study");
    let network = study.networks.iter().position(|network| network.name == study.policy.network).expect("a network");
    let join = study.operators.iter().position(|operator| operator.name == "join").expect("a join");
    let mut compared = 0;
    for y in ["networks.100 Gb InfiniBand.effective_gbit_per_s=1..100:33:log", "gpu.gpu_parallelism=2..1024:41:log"] {
        // Within a hundredth of a decade, the speedup is as good as linear in the logarithm.
        let mapped = mapped(&published, &format!("{CPU_TIME}=10ms..10s:512:log"), y, &["operators.join.speedup"]);
        let level = mapped.figures[0].usual_level().expect("a factor has a level");
        let lines = mapped.contour(0, level);
        for (row, at) in mapped.y.values.iter().enumerate() {
            let there = published.with(&format!("{}={at:?}", mapped.y.path)).expect("a valid value");
            let there = there.placement().expect("a placement study");
            let point = Point::new(there, join, network, there.policy.compression);
            let found = break_even(&point, Axis::One(Parameter::CPU_TIME));
            let found = found.filter(|found| found.value > 1e-2 && found.value < 10.0);
            let on_row = |[_, y]: &&[f64; 2]| y.to_bits() == mapped.y.values[row].to_bits();
            let crossings: Vec<f64> = lines.iter().flatten().filter(on_row).map(|[x, _]| *x).collect();
            assert_eq!(crossings.len(), usize::from(found.is_some()), "{y} at {at}: {crossings:?}, {found:?}");
            if let Some(found) = found {
                assert!(
                    (crossings[0] / found.value - 1.0).abs() < 1e-4,
                    "{at}: {} is not {}",
                    crossings[0],
                    found.value
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared} break-evens");
}

/// On both sides of every point of a contour the decision is another one.
#[test]
fn a_decision_flips_across_the_contour() {
    let published = scenario(PLACEMENT);
    let (x, y) = (format!("{CPU_TIME}=1ms..10s:64:log"), "gpu.gpu_parallelism=4..1000:64:log");
    let mapped = mapped(&published, &x, y, &["operators.join.speedup"]);
    let points: Vec<[f64; 2]> = mapped.contour(0, 1.0).into_iter().flatten().collect();
    assert!(points.len() > 20, "{} points", points.len());
    for [x, y] in points {
        let speedup = |x: f64| {
            let set = published
                .with_all(&[format!("{CPU_TIME}={x:?}"), format!("gpu.gpu_parallelism={y:?}")])
                .expect("valid values");
            let answer = Watch::uncancellable(|watch| set.study.subject().answer(watch)).expect("not cancelled");
            answer
                .iter()
                .find(|one| one.key() == "operators.join.speedup")
                .and_then(|one| one.value)
                .expect("a speedup")
        };
        assert!(speedup(x * 0.98) < 1.0 && speedup(x * 1.02) > 1.0, "at {x}, {y}");
    }
}

#[test]
fn a_map_is_the_same_on_any_number_of_threads() {
    for (text, x, y) in [
        (PLACEMENT, "networks.10 Gb Ethernet.effective_gbit_per_s=0.1..100:40:log", "cluster.machines=10..1000:30:log"),
        (REGULATION, "controllers.PID.kp=0..3:7", "clusters.I.max_vgpus=50..150:5"),
    ] {
        let scenario = scenario(text);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                let mapped = mapped(&scenario, x, y, &[]);
                let contour = mapped.contour(0, 1.0);
                (mapped, contour)
            })
        };
        let one = on(1);
        assert_eq!(one, on(2), "{x}");
        assert_eq!(one, on(8), "{x}");
    }
}

/// Every shipped scenario of every kind, over the first two of its numbers that span decades.
#[expect(clippy::disallowed_methods, reason = "the model does no I/O, this test looks at the files that come with it")]
#[test]
fn every_shipped_scenario_is_mapped_or_says_why_not() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let mut kinds = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of scenarios") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "ron") {
            continue;
        }
        let scenario = scenario(&std::fs::read_to_string(&path).expect("a file"));
        let range = |of: usize| {
            let all = numbers(scenario.study.subject()).into_iter();
            let (path, quantity, value) =
                all.filter(|(_, quantity, value)| quantity.is_wide() && *value > 0.0).nth(of)?;
            let ends = [(value / 2.0).max(quantity.min), (value * 2.0).min(quantity.max)];
            Some(Range { path: path.to_string(), ends, points: 2, is_logarithmic: true })
        };
        let (Some(x), Some(y)) = (range(0), range(1)) else { panic!("{}: no two wide numbers", path.display()) };
        let wanted = Map { x, y, figures: Vec::new() };
        match Watch::uncancellable(|watch| map(scenario.study.subject(), &wanted, watch)) {
            Ok(mapped) => {
                let mapped = mapped.expect("not cancelled");
                assert!(!mapped.figures.is_empty(), "{}", path.display());
                for place in 0..mapped.figures.len() {
                    let lines = mapped.contour(place, 1.0);
                    assert!(lines.iter().flatten().flatten().all(|at| at.is_finite()), "{}", path.display());
                }
                kinds.push(scenario.study.kind());
            }
            Err(error) => assert!(error.to_string().contains(&wanted.x.path), "{}: {error}", path.display()),
        }
    }
    for kind in Kind::ALL {
        assert!(kinds.contains(&kind), "no scenario of kind {} was mapped", kind.key());
    }
}

#[test]
fn counts_are_whole_and_stand_once_and_the_present_values_are_told() {
    let mapped = mapped(&scenario(PLACEMENT), "cluster.machines=1..4:31", &format!("{CPU_TIME}=2..1:3"), &["speedup"]);
    assert_eq!((mapped.x.values, mapped.y.values), (vec![1.0, 2.0, 3.0, 4.0], vec![2.0, 1.5, 1.0]));
    assert_eq!((mapped.x.present, mapped.y.present), (Some(1000.0), Some(0.2)));
    assert_eq!(mapped.figures[0].values.len(), 12);
}

#[test]
fn cells_that_the_rest_of_the_study_does_not_allow_are_left_out_with_the_reason() {
    let scenario = scenario(REGULATION);
    let mapped = mapped(&scenario, "clusters.I.max_vgpus=50..150:3", "controllers.PID.ki=0..0.2:2", &["tops"]);
    let has_value = |value: &Option<f64>| value.is_some();
    let has_values: Vec<bool> = mapped.figures[0].values.iter().map(has_value).collect();
    assert_eq!(has_values, [false, true, true, false, true, true]);
    let left_out = mapped.left_out.expect("100 vGPUs are more than 50");
    assert_eq!((left_out.count, left_out.first), (2, [50.0, 0.0]));
    assert!(left_out.to_string().starts_with("2 values are left out; at 50, 0: "), "{left_out}");
}

#[test]
fn what_cannot_be_mapped_is_refused_with_what_there_is() {
    let placement = scenario(PLACEMENT);
    let machines = "cluster.machines=10..100";
    for (x, y, figures, parts) in [
        ("cluster.machine=1..10", machines, &[][..], &["no such number", "cluster.machines"][..]),
        (machines, "cluster.fanin=1..10", &[], &["no such number", "cluster.fan_in"]),
        (machines, machines, &[], &["cluster.machines", "same number"]),
        (
            "operators.join.cpu_seconds_per_100mb=1..2",
            "operators.1.cpu_seconds_per_100mb=1..2",
            &[],
            &["operators.join.cpu_seconds_per_100mb: x and y are the same number"],
        ),
        (machines, "operators.join.output_ratio=0..1:9:log", &[], &["output_ratio", "logarithm"]),
        (machines, "cluster.fan_in=0..10", &[], &["cluster.fan_in", "out of range"]),
        (machines, "cluster.fan_in=2..10:513", &[], &["513 points requested; allowed: 2 … 512"]),
        (machines, "cluster.fan_in", &[], &["PATH=FROM..TO"]),
        (machines, "cluster.fan_in=2..10", &["speed"], &["no such figure", "speedup"]),
        (machines, "operators.join.cpu_curve.gb_per_s=1..10", &[], &["lacks the part"]),
    ] {
        let message = refused(&placement, x, y, figures);
        assert!(parts.iter().all(|part| message.contains(part)), "{x}, {y}: {message}");
    }
    let message = refused(&scenario(REGULATION), "clusters.I.max_vgpus=1..50:3", "controllers.PID.ki=0..1:3", &[]);
    assert!(message.contains("no values in the ranges are valid") && message.contains("at 1, 0"), "{message}");
    let figure = &mapped(&placement, machines, "cluster.fan_in=2..10", &["seconds"]).figures[0];
    assert_eq!(figure.usual_level(), None);
    assert_eq!(figure.read_level("5 ms"), Ok(0.005));
    let message = figure.read_level("soon").expect_err("no number").to_string();
    assert!(message.starts_with("level of seconds: ") && message.contains("soon"), "{message}");
}

#[test]
fn a_map_that_nobody_waits_for_any_more_ends() {
    let scenario = scenario(REGULATION);
    let wanted = read_map(&scenario, "controllers.PID.kp=0..3:500", "controllers.PID.ki=0..1:500", &[]).expect("a map");
    let done = AtomicUsize::new(0);
    let is_cancelled = || done.load(Ordering::Relaxed) >= 3;
    let found = map(scenario.study.subject(), &wanted, Watch { is_cancelled: &is_cancelled, done: &done });
    assert_eq!(found, Ok(None));
    assert!(done.load(Ordering::Relaxed) < 1000);
}
