//! What a plan makes engines do, and that the parts of an answer are the answer.

use crossover_engine::{Anchored, Engines, FromPlan, PlanTime, WorkOf, predict};
use crossover_placement::whole::{EngineWork, PlanAxis, along_plan, decide};
use crossover_placement::{Placement, Query, Side};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::unit::Unit;
use crossover_query::{Amount, Graph, Kind, Metric, Node, Plan, fill};
use crossover_scenario::read;
use crossover_study::Watch;
use crossover_tools::{Sampling, uncertainty};

use super::{engines, keys, node, sales, scan};

fn study(plan: Plan, engines: Option<Engines>) -> Placement {
    let text = include_str!("../../../../scenarios/placement-small.ron");
    let mut study = read(text).expect("a scenario").placement().expect("a placement study").clone();
    study.query = Some(Box::new(Query { plan: plan.into(), ..Query::default() }));
    study.engines = engines.map(Box::new);
    study
}

fn work(plan: &Plan, engines: &Engines) -> WorkOf {
    let numbers = fill(plan);
    WorkOf::new(plan, &numbers, &Graph::new(plan, &numbers), engines)
}

/// A total by hand: the sales, and what the formula of docs/model/engines.md says of them.
#[test]
fn a_plan_takes_what_the_formula_says() {
    let total = work(&sales(), &engines()).total();
    // Both sides of the join are exchanged, a million and a thousand rows of 10 bytes; their groups lie right then.
    assert!((total.exchanged_gb - 0.010_01).abs() < 1e-12, "{total:?}");
    assert_eq!(total.exchanges, 1.0);
    // The day stands in the names of the hundred files; 10 bytes of a row without its 8 leave 2.
    assert_eq!(total.files, 100.0);
    assert!((total.read_gb - (0.002 + 0.000_01)).abs() < 1e-12, "{total:?}");
    assert!((total.own_seconds - 2.002).abs() < 1e-9, "{total:?}");

    let prediction = predict(&sales(), &engines());
    let lanes = 32.0;
    let spilled = 0.010_01 - 0.004;
    let expected = 0.5
        + 0.25
        + 2.0 * 2.002 / lanes
        + 0.002_01 / 0.1 / lanes
        + 0.01 * 100.0 / lanes
        + 0.5 * 0.010_01 / 4.0
        + spilled / 0.2 / 4.0;
    assert!((prediction.cpu.value - expected).abs() < 1e-9, "{} instead of {expected}", prediction.cpu.value);
    assert_eq!((prediction.cpu.low, prediction.cpu.high), (prediction.cpu.value / 2.0, prediction.cpu.value * 2.0));
    assert!(prediction.implied_exchanges);
}

/// Every operator tells of the times that the answer begins with, also where one of them has to be on CPUs.
#[test]
fn reasons_tell_of_the_times_of_the_answer() {
    let mut study = study(sales(), Some(engines()));
    study.pin_node(1, Some(Side::Cpu));
    let whole = decide(&study).expect("a plan");
    let times = [whole.baselines.all_cpu, whole.baselines.all_gpu].map(|seconds| Unit::Seconds.format(seconds));
    assert_ne!(times[0], times[1]);
    let free: Vec<String> = whole
        .operators
        .iter()
        .filter(|decided| decided.fixed.is_none())
        .map(|decided| decided.reason.to_string())
        .collect();
    assert_eq!(free.len(), 3);
    for reason in free {
        assert!(times.iter().all(|time| reason.contains(time)), "{reason}: {times:?}");
    }
}

/// Sampled, a time is nine times of ten within the error of its profile, as the answer says; what was fitted is not drawn beside.
#[test]
fn the_range_of_samples_is_that_of_the_answer() {
    let mut measured = engines();
    (measured.measured_seconds, measured.anchored_error_factor_90, measured.anchoring_factor) = (Some(100.0), 1.5, 0.5);
    for (engines, within) in [(engines(), [2.0, 2.0]), (measured, [1.0, 1.5])] {
        let mut study = study(sales(), Some(engines));
        let fitted = Provenance::Fitted { runs: "nine queries".to_owned(), interval: (0.1, 2.0) };
        study.sources.insert("engines.gpu.start_seconds".to_owned(), fitted);
        let answer = decide(&study).expect("a plan").verdict.expect("a profile with errors");
        let found = Watch::uncancellable(|watch| uncertainty(&study, &Sampling::default(), watch));
        let found = found.expect("sampled").expect("not cancelled");
        for ((key, range), within) in [("cpu_seconds", answer.cpu), ("gpu_seconds", answer.gpu)].into_iter().zip(within)
        {
            assert_eq!((range.low, range.high), (range.value / within, range.value * within));
            let figure = found.figures.iter().find(|figure| figure.selected.key == key).expect("a figure");
            let sampled = figure.quantiles.map(|quantile| quantile.value);
            for (sampled, answered) in sampled.into_iter().zip([range.low, range.value, range.high]) {
                assert!((sampled / answered).ln().abs() < 0.02, "{key}: {sampled} s instead of {answered} s");
            }
        }
        let drawn = found.unknowns.numbers.iter().map(|number| number.path.as_str());
        let of_engines: Vec<&str> = drawn.filter(|path| path.starts_with("engines.")).collect();
        assert!(of_engines.iter().all(|path| path.ends_with(".time_ratio")), "{of_engines:?}");
    }
}

#[test]
fn the_operators_of_a_decided_plan_add_up_to_the_prediction() {
    let prediction = predict(&sales(), &engines());
    let whole = decide(&study(sales(), Some(engines()))).expect("a plan");
    let sum = |side: Side| whole.operators.iter().map(|decided| decided.cost.seconds(side)).sum::<f64>();
    assert!((sum(Side::Cpu) / prediction.cpu.value - 1.0).abs() < 1e-12);
    assert!((sum(Side::Gpu) / prediction.gpu.value - 1.0).abs() < 1e-12);
    // One engine runs the query, the faster one: the CPU's with eight times as many cores.
    assert!(prediction.cpu.value < prediction.gpu.value);
    assert!(whole.operators.iter().all(|decided| decided.side == Side::Cpu));
    assert!((whole.seconds / prediction.cpu.value - 1.0).abs() < 1e-12);
    let verdict = whole.verdict.expect("a profile with errors");
    assert_eq!((verdict.speedup.value, verdict.likelihood), (prediction.speedup.value, prediction.likelihood));
}

#[test]
fn without_engines_nothing_of_them_acts() {
    let [with, without] = [Some(engines()), None].map(|engines| decide(&study(sales(), engines)).expect("a plan"));
    assert_eq!(without.verdict, None);
    assert_ne!(with.seconds, without.seconds);
}

#[test]
fn files_are_read_for_the_values_that_a_join_leaves() {
    let days = Node { keys: keys(&[&["day", "date"]]), ..node(Kind::Join, &[1, 2], 1e5) };
    let nodes = vec![days, scan("sales", &["item", "day"], 1e6), scan("days", &["date"], 7.0)];
    let total = work(&Plan { nodes, ..Plan::default() }, &engines()).total();
    assert!((total.files - 7.0).abs() < 1e-9, "{total:?}");
}

#[test]
fn what_is_worked_out_twice_in_the_same_way_counts_once() {
    let twice = |second: &str| {
        let join = Node { keys: keys(&[&["item"]]), ..node(Kind::Join, &[1, 2], 1e6) };
        Plan { nodes: vec![join, scan("sales", &["item"], 1e6), scan(second, &["item"], 1e6)], ..Plan::default() }
    };
    assert_eq!(work(&twice("sales"), &engines()).total().files, 100.0);
    let other = work(&twice("others"), &engines()).total();
    assert!((other.read_gb - 0.02).abs() < 1e-12, "{other:?}");
}

#[test]
fn a_plan_with_exchanges_keeps_its_own() {
    let shuffle = node(Kind::Shuffle, &[2], 1e6);
    let nodes = vec![
        Node { keys: keys(&[&["item"]]), ..node(Kind::Aggregate, &[1], 10.0) },
        shuffle,
        scan("t", &["item"], 1e6),
    ];
    let found = work(&Plan { nodes, ..Plan::default() }, &engines());
    assert!(!found.implied_exchanges);
    assert!((found.total().exchanged_gb - 0.01).abs() < 1e-12);
}

#[test]
fn a_measured_run_carries_a_part_of_its_rest_over() {
    let prediction = predict(&sales(), &engines());
    // Four times as long as its parts on CPUs, so twice as long on GPUs.
    let measured = 4.0 * prediction.cpu.value;
    let engines =
        Engines { measured_seconds: Some(measured), anchoring_factor: 0.5, anchored_error_factor_90: 1.5, ..engines() };
    let whole = decide(&study(sales(), Some(engines))).expect("a plan");
    assert!((whole.baselines.all_cpu / measured - 1.0).abs() < 1e-12);
    assert!((whole.baselines.all_gpu / (2.0 * prediction.gpu.value) - 1.0).abs() < 1e-12);
    let verdict = whole.verdict.expect("a time");
    assert!(verdict.is_measured);
    // Side and answer come from the same times.
    let is_faster = verdict.speedup.value > 1.0;
    assert!(whole.operators.iter().all(|decided| (decided.side == Side::Gpu) == is_faster));
}

/// A run of Spark that read 6 GB of 200 files, and exchanged this data.
fn counted(exchanged_gb: f64) -> Plan {
    let metric = |name: &str, total: f64| Metric { name: name.to_owned(), unit: "sum".to_owned(), total: Some(total) };
    let bytes = exchanged_gb * 1e9;
    let aggregate = Node { keys: keys(&[&["item"]]), ..node(Kind::Aggregate, &[1], 10.0) };
    let shuffle = Node {
        bytes_out: Some(Amount::reported(bytes)),
        metrics: vec![metric("data size", bytes)],
        ..node(Kind::Shuffle, &[2], 1e6)
    };
    let sales = Node {
        bytes_in: Some(Amount::reported(6e9)),
        metrics: vec![metric("number of files read", 200.0)],
        ..scan("sales", &["item"], 1e6)
    };
    Plan { engine: "Spark 3.5.3".to_owned(), nodes: vec![aggregate, shuffle, sales], ..Plan::default() }
}

/// Engines of a query that was measured, with round numbers of the sum, on the machines of its fit.
fn with_sum() -> Engines {
    let anchored = Anchored {
        start_seconds: 1.0,
        today_share: 0.1,
        read_gb_per_s: Some(2.0),
        file_seconds: 0.01,
        exchange_memory_gb: 10.0,
        spill_gb_per_s: Some(0.5),
        error_factor_90: 1.5,
        fitted_cores: 32.0,
        fitted_network_gbit_per_s: 32.0,
        // The memory of these machines is far smaller than theirs.
        fitted_memory_gb: None,
        ..super::additive::shipped().anchored.expect("the shipped engines have the sum")
    };
    Engines {
        anchored: Some(anchored),
        measured_seconds: Some(20.0),
        anchoring_factor: 1.0,
        anchored_error_factor_90: 3.0,
        ..engines()
    }
}

#[test]
fn a_counted_run_has_a_gpu_time_that_is_a_sum_with_the_measured_one() {
    let whole = decide(&study(counted(12.0), Some(with_sum()))).expect("a plan");
    // By hand: 1 + 0.1 · 20 + 6 ÷ 2 + 0.01 · 200 + (12 − 10) ÷ 0.5.
    assert!((whole.baselines.all_gpu - 12.0).abs() < 1e-9, "{}", whole.baselines.all_gpu);
    assert!((whole.baselines.all_cpu - 20.0).abs() < 1e-9, "{}", whole.baselines.all_cpu);
    let sum: f64 = whole.operators.iter().map(|decided| decided.cost.seconds(Side::Gpu)).sum();
    assert!((sum - 12.0).abs() < 1e-9, "{sum}");
    let verdict = whole.verdict.expect("a time");
    assert!(verdict.is_additive && verdict.outside.is_none());
    assert!((verdict.gpu.high / verdict.gpu.value - 1.5).abs() < 1e-9, "{:?}", verdict.gpu);
}

#[test]
fn a_query_that_never_ran_has_both_times_from_its_plan() {
    let sales =
        Node { rows_in: None, rows_out: None, row_width: None, cpu_seconds: None, ..scan("sales", &["item"], 1e9) };
    let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes: vec![sales], ..Plan::default() };
    let time = PlanTime {
        start_seconds: 0.0,
        read_gb_per_s: Some(2.0),
        file_seconds: 0.01,
        scan_seconds: 0.0,
        step_seconds: 1.0,
        spill_gb_per_s: None,
        group_seconds: 0.0,
        exponent: 1.0,
        error_factor_90: 2.0,
    };
    let from_plan = FromPlan {
        exchange_memory_gb: 20.0,
        speedup_error_factor_90: 2.5,
        gpu: PlanTime {
            start_seconds: 1.0,
            read_gb_per_s: Some(4.0),
            file_seconds: 0.005,
            step_seconds: 0.0,
            error_factor_90: 3.0,
            ..time.clone()
        },
        cpu: time,
    };
    let engines = Engines { measured_seconds: None, from_plan: Some(from_plan), ..with_sum() };
    let whole = decide(&study(plan, Some(engines))).expect("a plan");
    // 4 bytes of a column of an unknown type are 4 GB; 100 bytes of a row are 782 files of 128 MB. By hand: 4 ÷ 2 + 7.82 + 1 step, and
    // 1 + 4 ÷ 4 + 3.91.
    assert!((whole.baselines.all_cpu - 10.82).abs() < 1e-9, "{}", whole.baselines.all_cpu);
    assert!((whole.baselines.all_gpu - 5.91).abs() < 1e-9, "{}", whole.baselines.all_gpu);
    let verdict = whole.verdict.expect("a time");
    assert!(verdict.is_planned && !verdict.is_measured && verdict.outside.is_none(), "{verdict:?}");
    let factors = [verdict.cpu, verdict.gpu, verdict.speedup].map(|range| range.high / range.value);
    for (found, expected) in factors.into_iter().zip([2.0, 3.0, 2.5]) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }
}

#[test]
fn a_plan_of_another_engine_keeps_the_anchoring_factor() {
    let plan = Plan { engine: "DuckDB".to_owned(), ..counted(12.0) };
    let [with, without] = [with_sum(), Engines { anchored: None, ..with_sum() }]
        .map(|engines| decide(&study(plan.clone(), Some(engines))).expect("a plan"));
    assert_eq!(with.baselines.all_gpu, without.baselines.all_gpu);
    let verdict = with.verdict.expect("a time");
    assert!(!verdict.is_additive);
    assert!((verdict.gpu.high / verdict.gpu.value - 3.0).abs() < 1e-9, "{:?}", verdict.gpu);
}

#[test]
fn a_plan_that_was_not_measured_is_outside_by_its_windows_whatever_its_engine() {
    let windows = |rows: f64| Plan {
        engine: "DuckDB".to_owned(),
        nodes: vec![node(Kind::Window, &[1], rows), scan("sales", &["item"], rows)],
        ..Plan::default()
    };
    let of = |plan: Plan, measured_seconds: Option<f64>| {
        let engines = Engines { measured_seconds, ..with_sum() };
        decide(&study(plan, Some(engines))).expect("a plan").verdict.expect("a time").outside
    };
    // 339 million rows were measured, and rows of a plan are estimates: four times as many are inside.
    assert!(of(windows(2e9), None).is_some_and(|why| why.contains("5.9 times the largest measured (q51: ")));
    assert_eq!(of(windows(1.3e9), None), None);
    assert_eq!(of(windows(2e9), Some(20.0)), None);
    let engines = Engines { measured_seconds: None, ..with_sum() };
    assert!(predict(&windows(2e9), &engines).outside.is_some());
}

/// Also of an operator that has to be on CPUs, and of engines with other tables than those that the work was counted for.
#[test]
fn times_and_costs_without_a_decision_are_those_of_the_decision() {
    let without_tables = Engines { tables: Vec::new(), ..engines() };
    assert!(!without_tables.have_same_work(&engines()));
    for (plan, engines) in [(sales(), engines()), (sales(), without_tables), (counted(12.0), with_sum())] {
        let mut study = study(plan, Some(engines.clone()));
        study.pin_node(1, Some(Side::Cpu));
        let whole = decide(&study).expect("a plan");
        let of_other = self::engines();
        let query = study.query.as_deref().expect("a query");
        for counted_for in [&engines, &of_other] {
            let work = EngineWork::new(query, counted_for);
            let (operators, verdict) = work.operators(&engines);
            assert_eq!((&verdict, &verdict), (&whole.verdict, &work.verdict(&engines)));
            assert_eq!(operators.len(), whole.operators.len());
            for (operator, decided) in operators.iter().zip(&whole.operators) {
                assert_eq!((operator.node, operator.cost), (decided.node, decided.cost));
                assert_eq!(operator.fixed, decided.fixed.as_ref());
            }
        }
    }
}

#[test]
fn where_no_form_is_better_every_query_has_one_speedup() {
    let engines = Engines { constant_speedup: Some(2.5), speedup_error_factor_90: 3.0, ..engines() };
    for plan in [counted(12.0), counted(1.0)] {
        let whole = decide(&study(plan.clone(), Some(engines.clone()))).expect("a plan");
        let (cpu, gpu) = (whole.baselines.all_cpu, whole.baselines.all_gpu);
        assert!((cpu / gpu - 2.5).abs() < 1e-9, "{cpu} {gpu}");
        let speedup = whole.verdict.expect("a time").speedup;
        assert!((speedup.high / speedup.value - 3.0).abs() < 1e-9, "{speedup:?}");
        assert!((predict(&plan, &engines).speedup.value - 2.5).abs() < 1e-9);
    }
}

#[test]
fn the_constant_answers_a_measured_query_only_within_what_was_measured() {
    let engines = Engines { anchored_constant_speedup: Some(2.0), anchored_error_factor_90: 2.2, ..with_sum() };
    let verdict = |exchanged_gb: f64| {
        let whole = decide(&study(counted(exchanged_gb), Some(engines.clone()))).expect("a plan");
        whole.verdict.expect("a time")
    };
    let inside = verdict(12.0);
    assert_eq!((inside.is_additive, inside.basis), (false, Engines::CONSTANT_BASIS));
    assert!(inside.outside.is_none() && (inside.speedup.value - 2.0).abs() < 1e-9, "{inside:?}");
    assert!((inside.gpu.high / inside.gpu.value - 2.2).abs() < 1e-9, "{inside:?}");
    assert!(verdict(139.0).outside.is_some_and(|why| why.contains("an exchange of 139 GB")));
}

#[test]
fn a_query_beyond_the_measured_ones_has_no_likelihood_and_says_why() {
    let whole = decide(&study(counted(139.0), Some(with_sum()))).expect("a plan");
    assert!(whole.warnings.iter().any(|warning| warning.starts_with("Outside what was measured: ")));
    let verdict = whole.verdict.expect("a time");
    assert_eq!(verdict.likelihood, None);
    assert!(verdict.outside.is_some_and(|why| why.contains("times the largest measured (q67: ")));
}

#[test]
fn a_curve_says_where_it_leaves_what_was_measured() {
    let study = study(counted(12.0), Some(with_sum()));
    let query = study.query.as_ref().expect("a query");
    // 65 GB beyond the memory of an exchange, here 10 GB, is the most that was measured: 1.25 times as much is inside, an exchange of
    // 91.2 GB; 92.4 GB are outside.
    let values = [0.5, 1.0, 7.6, 7.7];
    let curves = Watch::uncancellable(|watch| along_plan(&study, query, PlanAxis::Data, &values, watch));
    let [curve] = &curves.expect("all of it")[..] else { panic!("one curve") };
    let outside: Vec<bool> = curve.times.iter().map(|times| times.is_outside).collect();
    assert_eq!(outside, [false, false, false, true]);
}
