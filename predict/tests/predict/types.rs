//! Types of GPUs, each predicted by its own hardware, and a type that no run has.

use std::fs;

use crossover_predict::train::{Dataset, FeatureSet, Model, Options, Target, train};
use crossover_study::Watch;

/// Capability, memory in GB and cores.
type Hardware = [f64; 3];
/// What a task takes on a hardware.
type Truth = fn([f64; 3], Hardware) -> f64;

const TYPES: [(&str, Hardware); 3] =
    [("A1", [7.0, 32.0, 2_880.0]), ("A2", [6.1, 16.0, 2_000.0]), ("A3", [5.2, 12.0, 1_500.0])];
/// Between the others, and in no run.
const FOURTH: (&str, Hardware) = ("A4", [5.7, 14.0, 1_750.0]);

/// The truth: a share that grows with the work of a task and falls with a power of the cores and of the capability.
fn compute([batch, conv, matmul]: [f64; 3], [capability, _, cores]: Hardware) -> f64 {
    let work = 4.0 + 0.1 * batch + conv / 900.0 + matmul / 1_500.0;
    work * (2_880.0 / cores).powf(0.6) * (7.0 / capability).powf(0.2)
}

/// Share of the memory: it grows with the batch and falls with the memory.
fn memory([batch, conv, _]: [f64; 3], [_, memory, _]: Hardware) -> f64 {
    (60.0 + 3.0 * batch + conv / 100.0) / memory
}

/// Seconds: work over the share of the cores that it uses.
fn seconds(task: [f64; 3], hardware: Hardware) -> f64 {
    let [batch, conv, matmul] = task;
    (20.0 + batch + conv / 300.0 + matmul / 300.0) * 100.0 / compute(task, hardware) / hardware[2] * 2_880.0
}

/// Numbers of a task, spread evenly over their ranges (Weyl's sequence: multiples of irrational numbers). Tasks that are no runs, from
/// number 1,000 on, lie within those that are.
fn task(number: u32) -> [f64; 3] {
    let at = |step: f64| {
        let part = (f64::from(number) * step).fract();
        if number < 1_000 { part } else { 0.05 + 0.9 * part }
    };
    [8.0 + 56.0 * at(2_f64.sqrt()), 8_000.0 * at(3_f64.sqrt()), 9_000.0 * at(5_f64.sqrt())]
}

/// Runs of tasks on all types, with 1 % of noise.
fn runs() -> String {
    let mut text =
        "device,capability,memory,cores,batchsize,conv2d,matmul,compute_percent,memory_percent,seconds\n".to_owned();
    for number in 1..=250 {
        let task = task(number);
        for (place, (device, hardware)) in TYPES.iter().enumerate() {
            let noise = 1.0 + 0.02 * ((f64::from(number) * 7_f64.sqrt() + place as f64 * 0.37).fract() - 0.5);
            let [capability, memory_gb, cores] = hardware;
            let [batch, conv, matmul] = task;
            text += &format!(
                "{device},{capability},{memory_gb},{cores},{batch},{conv},{matmul},{},{},{}\n",
                noise * compute(task, *hardware),
                noise * memory(task, *hardware),
                noise * seconds(task, *hardware)
            );
        }
    }
    text
}

fn model(target: Target, known: FeatureSet) -> Model {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    fs::write(&path, runs()).expect("a file");
    let data = Dataset::read(&path, target, known).expect("runs");
    let options = Options { members: 2, ..Options::default() };
    Watch::uncancellable(|watch| train(&data, &options, watch, &mut |_| {})).expect("a network")
}

fn value(task: [f64; 3], name: &str) -> Option<f64> {
    let place = ["batchsize", "conv2d", "matmul"].iter().position(|other| *other == name)?;
    Some(task[place])
}

fn of_hardware(hardware: Hardware, name: &str) -> Option<f64> {
    let place = ["capability", "memory", "cores"].iter().position(|other| *other == name)?;
    Some(hardware[place])
}

/// Mean error on 60 tasks that no run has, and the error that the predictor states.
fn errors(model: &Model, (device, hardware): (&str, Hardware), truth: Truth) -> [f64; 2] {
    let (mut sum, mut stated) = (0.0, 0.0);
    for number in 1_001..=1_060 {
        let task = task(number);
        let one = model
            .predict_on(device, |name| of_hardware(hardware, name), |name| value(task, name))
            .expect("a prediction");
        assert!(one.out_of_range.is_empty(), "{device}: {:?}", one.out_of_range);
        assert_eq!(one.is_unseen, device == FOURTH.0);
        sum += (one.value - truth(task, hardware)).abs() / 60.0;
        stated = one.rmse.expect("a known error");
    }
    [sum, stated]
}

#[test]
fn every_type_and_a_fourth_that_no_run_has_are_within_the_stated_error() {
    for (target, truth) in [(Target::Compute, compute as Truth), (Target::Memory, memory as Truth)] {
        let model = model(target, FeatureSet::BeforeTheRun);
        let mut largest: f64 = 0.0;
        for one in TYPES {
            let [found, stated] = errors(&model, one, truth);
            println!("{target:?} on {}: {found:.3} of {stated:.3} points", one.0);
            assert!(found <= stated, "{target:?} on {}: {found} beyond {stated}", one.0);
            largest = largest.max(stated);
        }
        let [found, stated] = errors(&model, FOURTH, truth);
        println!("{target:?} on {}: {found:.3} of {stated:.3} points", FOURTH.0);
        assert!(found <= stated, "{target:?}: {found} beyond {stated}");
        assert!(stated > largest, "{target:?}: the interval of a type without runs is wider: {stated} and {largest}");
    }
}

#[test]
fn the_hardware_of_one_type_does_not_count_for_the_others() {
    let model = model(Target::Compute, FeatureSet::BeforeTheRun);
    let types = model.card().hardware.as_ref().expect("the runs have it");
    assert_eq!(types.of_devices, TYPES.map(|(_, hardware)| hardware.to_vec()));
    let task = task(2_001);
    // What a caller says about the hardware of a type of the runs is not asked for.
    let [own, other] = [TYPES[2].1, TYPES[0].1].map(|hardware| {
        let of = |name: &str| value(task, name).or_else(|| of_hardware(hardware, name));
        model.predict_on("a3", |name| of_hardware(hardware, name), of).expect("a prediction").value
    });
    assert_eq!(own, other);
    assert!((own / compute(task, TYPES[2].1) - 1.0).abs() < 0.1, "{own}");
    assert_eq!(model.type_with(|name| of_hardware(TYPES[1].1, name)), Some("A2"));
    assert_eq!(model.type_with(|name| of_hardware(FOURTH.1, name)), None);
}

#[test]
fn a_type_far_from_all_others_has_no_stated_error_and_one_without_hardware_no_prediction() {
    let model = model(Target::Compute, FeatureSet::BeforeTheRun);
    let task = task(2_002);
    let far = [9.0, 80.0, 16_896.0];
    let one = model.predict_on("H100", |name| of_hardware(far, name), |name| value(task, name)).expect("a guess");
    assert_eq!((one.rmse, one.is_unseen), (None, true));
    assert!(one.out_of_range.iter().any(|feature| feature.feature == "cores" && feature.max == 2_880.0), "{one:?}");
    let problem = model.predict_on("H100", |_| None, |name| value(task, name)).expect_err("unknown").to_string();
    assert_eq!(problem, "no run is on H100; give its capability, memory and cores");
}

#[test]
fn a_network_of_the_time_takes_the_predicted_utilisations() {
    let time = model(Target::Time, FeatureSet::Utilisations);
    let compute_of = model(Target::Compute, FeatureSet::BeforeTheRun);
    let memory_of = model(Target::Memory, FeatureSet::BeforeTheRun);
    let task = task(2_003);
    for (device, hardware) in TYPES {
        let of = |model: &Model| model.predict_on(device, |_| None, |name| value(task, name)).expect("a share").value;
        let [compute_percent, memory_percent] = [of(&compute_of), of(&memory_of)];
        let of_task = |name: &str| match name {
            "compute_percent" => Some(compute_percent),
            "memory_percent" => Some(memory_percent),
            name => value(task, name),
        };
        let found = time.predict_on(device, |_| None, of_task).expect("a time").value;
        assert!((found / seconds(task, hardware) - 1.0).abs() < 0.15, "{device}: {found}");
    }
    let without = time.predict_on("A1", |_| None, |name| value(task, name)).expect_err("it needs them").to_string();
    assert!(without.contains("compute_percent and memory_percent"), "{without}");
}
