//! What somebody sees who trains a network on measured runs: what it predicts, how good that is, and what is said where
//! nothing can be learned.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crossover_needs::test_data;
use crossover_predict::train::{Dataset, Epoch, FeatureSet, Model, Options, Target, TrainError, train};
use crossover_study::Watch;
use proptest::prelude::*;

const GPUMEMNET: &str = "dl/gpumemnet/mlp_data_step1.csv";

fn trained(data: &Dataset, options: &Options) -> Model {
    Watch::uncancellable(|watch| train(data, options, watch, &mut |_| {})).expect("a network")
}

/// Short training, for what does not depend on how good the network is.
fn quick() -> Options {
    Options { hidden: vec![8], members: 2, most_epochs: 5, ..Options::default() }
}

fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    fs::write(&path, text).expect("a file");
    (folder, path)
}

fn read(text: &str, target: Target, known: FeatureSet) -> Result<Dataset, TrainError> {
    let (_folder, path) = written(text);
    Dataset::read(&path, target, known)
}

fn says(text: &str, target: Target) -> String {
    let problem_text = read(text, target, FeatureSet::BeforeTheRun).expect_err("nothing to learn from").to_string();
    let (_, problem) = problem_text.split_once("runs.csv: ").expect("the name of the file");
    problem.to_owned()
}

/// 200 runs on two types of devices: B takes 30 points less than A of its compute units and a quarter of A's time.
fn two_devices() -> String {
    let mut text = "name,batch,layers,device,compute_percent,memory_percent,seconds\n".to_owned();
    for run in 0..200_u32 {
        let (batch, layers) = (1 + run * 37 % 64, 1 + run * 17 % 9);
        let compute = f64::from(batch) * 0.5 + f64::from(layers) * 3.0;
        let seconds = f64::from(batch * layers);
        let (device, compute, seconds) =
            if run % 2 == 0 { ("A", compute + 35.0, seconds) } else { ("B", compute + 5.0, seconds / 4.0) };
        text += &format!("run {run},{batch},{layers},{device},{compute},{},{seconds}\n", batch / 2);
    }
    text
}

#[test]
fn a_network_knows_what_gpumemnets_runs_take_of_a_gpu() {
    let Some(file) = test_data(GPUMEMNET) else { return };
    let data = Dataset::read(&file, Target::Compute, FeatureSet::BeforeTheRun).expect("runs");
    assert_eq!((data.rows.len(), data.left_out, data.unit.as_str()), (3000, 0, "%"));
    // The first run of the file: 9 linear layers, the largest 629 wide; from 1259 inputs, so 629 · (1259 + 1) parameters.
    let first = |name: &str| {
        let place = data.features.iter().position(|feature| feature == name);
        data.rows[0].features[place.unwrap_or_else(|| panic!("no {name} in {:?}", data.features))]
    };
    assert_eq!(first("largest activations: linear"), 629.0);
    assert_eq!(first("largest parameters: linear"), f64::from(629 * (1259 + 1)));
    assert_eq!((first("batch"), first("depth")), (717.0, 9.0));
    assert!(data.notes.iter().any(|note| note.contains("largest parameters: ReLU")), "{:?}", data.notes);

    let model = trained(&data, &Options::default());
    let errors = &model.card().errors;
    println!("{errors:?}");
    assert_eq!(errors.network.runs, 600);
    assert!(errors.network.rmse <= 3.0, "{errors:?}");
    assert!(errors.network.rmse < errors.ridge.rmse && errors.ridge.rmse < errors.mean.rmse, "{errors:?}");
    // Deviation and ridge regression of 600 other runs of the 3000, computed with another program: 17.0 and 7.5.
    assert!((errors.mean.rmse - 17.0).abs() < 1.5 && errors.ridge.rmse < 7.5 + 1.0, "{errors:?}");
}

#[test]
fn a_network_knows_the_memory_of_gpumemnets_runs() {
    let Some(file) = test_data(GPUMEMNET) else { return };
    let data = Dataset::read(&file, Target::Memory, FeatureSet::BeforeTheRun).expect("runs");
    assert_eq!(data.unit, "MiB");
    let model = trained(&data, &Options { members: 2, most_epochs: 150, ..Options::default() });
    let errors = &model.card().errors;
    println!("{errors:?}");
    assert!(errors.network.rmse < 0.5 * errors.ridge.rmse && errors.ridge.rmse < errors.mean.rmse, "{errors:?}");
}

#[test]
fn gpumemnet_has_no_times() {
    let text = "Depth,Activations-Params,Batch Size,Avg GPUTL\n2,\"[('linear', 2, 6)]\",4,10\n";
    assert!(says(text, Target::Time).contains("no execution times"));
    assert!(says(text, Target::Memory).contains("without its column “Max GPU Memory (MiB)”"));
    let broken = "Depth,Activations-Params,Batch Size,Avg GPUTL\n2,\"[('linear', 2, 6), ('ReLU', x, 0)]\",4,10\n";
    assert!(says(broken, Target::Compute).contains("line 2: column “Activations-Params”, layer 2"));
}

#[test]
fn every_type_of_device_has_its_own_prediction() {
    let data = read(&two_devices(), Target::Compute, FeatureSet::BeforeTheRun).expect("runs");
    assert_eq!(data.devices, ["A", "B"]);
    assert_eq!(data.features, ["batch", "layers"]);
    assert_eq!(data.notes, ["columns without numbers, left out: name"]);
    let model = trained(&data, &Options { members: 2, ..Options::default() });
    let prediction = model.predict(&[32.0, 5.0]).expect("a prediction");
    // 32 · ½ + 5 · 3 = 31, and 35 or 5 more.
    for ((device, value), (expected_device, expected)) in prediction.of_devices.iter().zip([("A", 66.0), ("B", 36.0)]) {
        assert_eq!(device, expected_device);
        assert!((value - expected).abs() < 2.0, "{device}: {value} instead of {expected}");
    }
    assert!(prediction.out_of_range.is_empty());
    let devices: Vec<Option<&str>> = model.card().of_devices.iter().map(|errors| errors.device.as_deref()).collect();
    assert_eq!(devices, [Some("A"), Some("B")]);
    let runs: usize = model.card().of_devices.iter().map(|errors| errors.network.runs).sum();
    assert_eq!(runs, model.card().errors.network.runs);
    // A plane on each device: ridge regression finds it, the mean does not.
    assert!(model.card().errors.ridge.rmse < 0.5 && model.card().errors.mean.rmse > 5.0);
}

#[test]
fn a_time_that_spans_decades_is_learned_as_its_logarithm_and_may_know_the_utilisations() {
    let data = read(&two_devices(), Target::Time, FeatureSet::Utilisations).expect("runs");
    assert_eq!(data.features, ["batch", "layers", "compute_percent", "memory_percent"]);
    let before = read(&two_devices(), Target::Time, FeatureSet::BeforeTheRun).expect("runs");
    assert_eq!(before.features, ["batch", "layers"]);
    let model = trained(&before, &Options { members: 2, ..Options::default() });
    assert!(model.card().scale.is_log);
    let prediction = model.predict(&[30.0, 4.0]).expect("a prediction");
    assert!((prediction.of_devices[0].1 / 120.0 - 1.0).abs() < 0.1, "{prediction:?}");
    assert!((prediction.of_devices[1].1 / 30.0 - 1.0).abs() < 0.1, "{prediction:?}");
}

#[test]
fn a_target_may_be_learned_over_an_estimate_of_it() {
    let mut text = "size,estimate,seconds\n".to_owned();
    for run in 1..100_u32 {
        text += &format!("{},{},{}\n", run % 7, run, 2 * run);
    }
    let data = read(&text, Target::Time, FeatureSet::BeforeTheRun).expect("runs");
    let relative = |name: &str| Options { relative_to: Some(name.to_owned()), ..quick() };
    let model = trained(&data, &Options { most_epochs: 200, ..relative("estimate") });
    // Always twice the estimate.
    let prediction = model.predict(&[3.0, 40.0]).expect("a prediction");
    assert!((prediction.of_devices[0].1 / 80.0 - 1.0).abs() < 0.05, "{prediction:?}");
    let prediction = model.predict(&[3.0, 400.0]).expect("a guess");
    assert_eq!(prediction.out_of_range.len(), 1);
    assert!(prediction.out_of_range[0].to_string().starts_with("estimate is 400; the predictor was trained from"));
    let fails = |name: &str| {
        Watch::uncancellable(|watch| train(&data, &relative(name), watch, &mut |_| {}))
            .expect_err("no base")
            .to_string()
    };
    assert!(fails("guess").contains("no feature “guess”"));
    assert!(fails("size").contains("“size” and the target must be above 0"));
    assert!(model.predict(&[3.0, 0.0]).expect_err("no base").to_string().contains("estimate is 0"));
}

#[test]
fn the_same_seed_trains_the_same_network_and_another_seed_another() {
    let data = read(&two_devices(), Target::Compute, FeatureSet::BeforeTheRun).expect("runs");
    let with = |seed| trained(&data, &Options { seed, members: 3, ..quick() });
    assert_eq!(with(7), with(7));
    assert_ne!(with(7).predict(&[9.0, 3.0]).expect("one"), with(8).predict(&[9.0, 3.0]).expect("another"));
}

#[test]
fn every_epoch_is_told_and_training_can_be_called_off_between_two() {
    let data = read(&two_devices(), Target::Compute, FeatureSet::BeforeTheRun).expect("runs");
    let (reported, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let is_cancelled = || reported.load(Ordering::Relaxed) == 3;
    let mut epochs: Vec<Epoch> = Vec::new();
    let outcome = train(&data, &quick(), Watch { is_cancelled: &is_cancelled, done: &done }, &mut |epoch| {
        epochs.push(epoch);
        reported.store(epochs.len(), Ordering::Relaxed);
    });
    assert!(matches!(outcome, Err(TrainError::Cancelled)));
    assert_eq!(epochs.iter().map(|epoch| epoch.epoch).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(done.load(Ordering::Relaxed), 3);
    assert!(epochs[2].training < epochs[0].training, "{epochs:?}");
}

#[test]
fn an_epoch_has_the_spread_over_members_and_over_runs() {
    let data = read(&two_devices(), Target::Compute, FeatureSet::BeforeTheRun).expect("runs");
    let first = |members| {
        let options = Options { members, ..quick() };
        let mut epochs: Vec<Epoch> = Vec::new();
        Watch::uncancellable(|watch| train(&data, &options, watch, &mut |epoch| epochs.push(epoch))).expect("trained");
        epochs[0]
    };
    let (one, three) = (first(1), first(3));
    assert_eq!(one.training_interval, None, "one member");
    for epoch in [(three.training, three.training_interval), (three.validation, three.validation_interval)] {
        let (loss, interval) = epoch;
        let [low, high] = interval.expect("several");
        assert!(low < loss && loss < high, "{three:?}");
    }
}

#[test]
fn bad_lines_are_left_out_and_named() {
    let text =
        two_devices().replace("run 3,", "run 3,inf,").replace("run 5,", "run 5,many").replace("run 9,", "run 9,nan")
            + "run,1,2,A,101,0,1\nrun,1,2,,50,0,1\n";
    let data = read(&text, Target::Compute, FeatureSet::BeforeTheRun).expect("the other runs");
    assert_eq!((data.rows.len(), data.left_out), (197, 5));
    let note = &data.notes[0];
    assert!(note.starts_with("5 lines were left out: line 5: 8 cells; expected 7"), "{note}");
    assert!(note.contains("line 7: column “batch”: “many58”; expected a number from"), "{note}");
    assert!(note.ends_with("and 2 more"), "{note}");
}

#[test]
fn what_nothing_can_be_learned_from_is_said_in_a_sentence() {
    assert!(says("", Target::Compute).contains("no column “compute_percent”"));
    assert!(
        says("batch,seconds\n1,1\n", Target::Compute)
            .contains("line 1: no column “compute_percent” in “batch,seconds”")
    );
    assert!(says("batch,seconds\n", Target::Time).contains("no usable row"));
    assert!(says("batch,seconds\n1,fast\n", Target::Time).contains("line 2: column “seconds”: “fast”"));
    assert!(says("seconds\n1\n2\n", Target::Time).contains("no column of numbers besides “seconds”"));
    assert!(
        says("batch,seconds\n4,1\n4,2\n", Target::Time)
            .contains("every feature is constant in all 2 usable rows (batch)")
    );
    assert!(says("batch,batch,seconds\n4,5,1\n", Target::Time).contains("columns 1 and 2 are both called “batch”"));
    let long = format!("{},seconds\n1,1\n", "b".repeat(300));
    assert!(says(&long, Target::Time).contains("is longer than 200 characters"));
    let few = read("batch,size,seconds\n4,7,1\n5,7,2\n", Target::Time, FeatureSet::BeforeTheRun).expect("two runs");
    assert_eq!(few.notes, ["constant features, left out: size"]);
    let problem_text =
        Watch::uncancellable(|watch| train(&few, &quick(), watch, &mut |_| {})).expect_err("too few").to_string();
    assert_eq!(problem_text, "runs.csv: 2 usable rows; expected at least 10");
    let absent = Dataset::read(Path::new("/no/such/runs.csv"), Target::Time, FeatureSet::BeforeTheRun);
    assert!(absent.expect_err("no file").to_string().starts_with("cannot read /no/such/runs.csv: "));
}

#[test]
fn options_outside_their_ranges_are_refused() {
    let data = read(&two_devices(), Target::Compute, FeatureSet::BeforeTheRun).expect("runs");
    let says = |options: &Options| {
        Watch::uncancellable(|watch| train(&data, options, watch, &mut |_| {})).expect_err("bad options").to_string()
    };
    assert!(says(&Options { hidden: vec![], ..quick() }).contains("hidden layers: 0; allowed: 1 to 8"));
    assert!(says(&Options { hidden: vec![100_000], ..quick() }).contains("units of a hidden layer: 100000"));
    let wide = Options { hidden: vec![1024; 8], members: 16, ..quick() };
    assert!(says(&wide).contains("weights; allowed: at most 16000000"));
    assert!(says(&Options { members: 0, ..quick() }).contains("networks to average: 0"));
    assert!(says(&Options { learning_rate: f64::NAN, ..quick() }).contains("learning rate: NaN"));
    assert!(says(&Options { test: 0.9, ..quick() }).contains("share of the test set: 0.9; allowed: 0.01 to 0.45"));
}

/// Shapes of the tensors of a file, read and checked by the rules of <https://github.com/huggingface/safetensors#format>: eight
/// bytes, little-endian, with the size of the header; the header, JSON from its first byte on; and numbers without a gap.
fn shapes_of_safetensors(bytes: &[u8]) -> BTreeMap<String, Vec<usize>> {
    let (size, rest) = bytes.split_first_chunk::<8>().expect("the size of the header");
    let (header, numbers) = rest.split_at(usize::try_from(u64::from_le_bytes(*size)).expect("a size"));
    assert_eq!(header[0], b'{');
    let mut header: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header).expect("a header in JSON");
    let metadata = header.remove("__metadata__").expect("metadata");
    serde_json::from_value::<BTreeMap<String, String>>(metadata).expect("texts by their names");
    let mut spans = Vec::new();
    let mut shapes = BTreeMap::new();
    for (name, tensor) in header {
        assert_eq!(tensor["dtype"], "F32");
        let shape: Vec<usize> = serde_json::from_value(tensor["shape"].clone()).expect("a shape");
        let [begin, end]: [usize; 2] = serde_json::from_value(tensor["data_offsets"].clone()).expect("offsets");
        assert_eq!(end - begin, 4 * shape.iter().product::<usize>(), "{name}: four bytes each");
        spans.push([begin, end]);
        shapes.insert(name, shape);
    }
    spans.sort_unstable();
    let end = spans.iter().fold(0, |before, [begin, end]| {
        assert_eq!(*begin, before, "a gap, or an overlap");
        *end
    });
    assert_eq!(end, numbers.len());
    shapes
}

#[test]
fn a_saved_network_is_the_same_when_it_is_loaded() {
    let data = read(&two_devices(), Target::Time, FeatureSet::Utilisations).expect("runs");
    let model = trained(&data, &Options { date: Some("2026-11-23".to_owned()), ..quick() });
    let (folder, _) = written("");
    let path = folder.path().join("time.safetensors");
    model.save(&path).expect("saved");
    let loaded = Model::load(&path).expect("loaded");
    assert_eq!(loaded, model);
    assert_eq!(
        loaded.predict(&[3.0, 4.0, 20.0, 1.0]).expect("one"),
        model.predict(&[3.0, 4.0, 20.0, 1.0]).expect("other")
    );
    let card = loaded.card();
    assert_eq!((card.source.as_str(), card.date.as_deref(), card.unit.as_str()), ("runs.csv", Some("2026-11-23"), "s"));
    assert_eq!((card.rows.training, card.rows.validation, card.rows.test), (140, 20, 40));
    // What others read: 2 members with 4 inputs, 8 units and 2 outputs.
    let shapes = shapes_of_safetensors(&fs::read(&path).expect("the file"));
    assert_eq!(shapes.len(), 8);
    assert_eq!(shapes["member.01.layer.0.weights"], [4, 8]);
    assert_eq!(shapes["member.01.layer.1.biases"], [2]);
}

#[test]
fn a_damaged_network_is_refused_in_a_sentence() {
    let data = read(&two_devices(), Target::Compute, FeatureSet::BeforeTheRun).expect("runs");
    let model = trained(&data, &quick());
    let (folder, _) = written("");
    let path = folder.path().join("compute.safetensors");
    model.save(&path).expect("saved");
    let bytes = fs::read(&path).expect("the file");
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("a damaged file");
        Model::load(&path).expect_err("damaged").to_string()
    };
    for length in 0..bytes.len() {
        let problem_text = refused(&bytes[..length]);
        assert!(
            problem_text.contains("train the predictor again"),
            "{length} of {} bytes: {problem_text}",
            bytes.len()
        );
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(refused(&longer).contains("1 bytes after the last tensor"));
    let mut huge = bytes.clone();
    huge[..8].fill(0xff);
    assert!(refused(&huge).contains("its header has"));
    let mut not_finite = bytes.clone();
    let end = not_finite.len();
    not_finite[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(refused(&not_finite).contains("not finite"));
    // The same length, other content: a width, a range, a name, a sort of number.
    for (old, new, problem_text) in [
        ("\\\"hidden\\\":[8]", "\\\"hidden\\\":[9]", "expected F32 [2, 9]"),
        ("\\\"format\\\":2", "\\\"format\\\":3", "format 3; this version reads format 2"),
        ("\\\"members\\\":2", "\\\"members\\\":0", "members: 0; allowed: 1 to 16"),
        ("\\\"members\\\":2", "\\\"members\\\":1", "8 tensors; the model card has 4"),
        ("\\\"members\\\":2", "\\\"persons\\\":2", "unknown field `persons`"),
        ("member.00.layer.0.weights", "member.77.layer.0.weights", "no tensor “member.00.layer.0.weights”"),
        ("\"F32\"", "\"F16\"", "F16"),
        ("model_card", "model-card", "not trained by Crossover"),
    ] {
        let place = bytes.windows(old.len()).position(|window| window == old.as_bytes());
        let place = place.unwrap_or_else(|| panic!("no {old} in the file"));
        let mut changed = bytes.clone();
        changed[place..place + old.len()].copy_from_slice(new.as_bytes());
        let found = refused(&changed);
        assert!(found.contains(problem_text), "{old} → {new}: {found}");
    }
}

#[test]
fn what_a_network_cannot_answer_is_said() {
    let data = read(&two_devices(), Target::Compute, FeatureSet::BeforeTheRun).expect("runs");
    let model = trained(&data, &quick());
    let says = |features: &[f64]| model.predict(features).expect_err("no answer").to_string();
    assert!(says(&[1.0]).contains("1 features; the predictor needs 2"));
    assert!(says(&[1.0, f64::NAN]).contains("layers is NaN"));
    assert!(says(&[f64::INFINITY, 1.0]).contains("batch is inf"));
    let far = model.predict(&[1e18, -1e18]).expect("a guess");
    assert_eq!(far.out_of_range.len(), 2);
    assert!(far.of_devices.iter().all(|(_, value)| (0.0..=100.0).contains(value)), "{far:?}");
    let named = model.features(|name| (name == "batch").then_some(2.0)).expect_err("layers are absent").to_string();
    assert!(named.contains("the predictor needs the feature layers, which the input lacks"), "{named}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_table_makes_it_panic(
        head in "(batch|seconds|device|Depth|Batch Size|Activations-Params|compute_percent|,|\"|\n){0,8}",
        body in "([0-9]{1,3}|-|1e400|nan|,|\n|\"|\\[\\('a', 1, 2\\)\\]|ä){0,60}",
    ) {
        let text = format!("{head}\n{body}");
        for target in Target::ALL {
            if let Ok(data) = read(&text, target, FeatureSet::Utilisations) {
                prop_assert!(!data.rows.is_empty() && data.rows.iter().all(|row| row.value.is_finite()));
                let _ = Watch::uncancellable(|watch| train(&data, &Options { most_epochs: 1, ..quick() }, watch, &mut |_| {}));
            }
        }
    }
}
