//! Execution times on GPUs that no predictor saw: 135 measured latencies of transformers on 11 types of GPUs, from the data
//! of `NeuSight` (Lee, Phanishayee and Mahajan, ASPLOS 2025, <https://github.com/sitar-lab/NeuSight>), of whose own predictor
//! 2.3 % are published for training GPT-3 on an H100.
//!
//! Each device in turn is left out; whatever is fitted or trained sees only the others. Networks were measured in `PyTorch`'s
//! single precision, which leaves tensor cores of NVIDIA alone; rates are those of the data's device descriptions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crossover_needs::test_data;
use crossover_predict::roofline::{Device, Efficiency, Measured, Operator, estimate, fit};
use crossover_predict::train::{Dataset, Errors, Options, Row, Target, train};
use crossover_study::Watch;

/// Bytes of a number in single precision.
const SINGLE: f64 = 4.0;

struct Gpu {
    device: Device,
    memory_gb: f64,
    multiprocessors: f64,
}

struct Measurement {
    gpu: String,
    network: String,
    operators: Vec<Operator>,
    /// Per operator type the elements of the largest.
    largest: BTreeMap<String, f64>,
    is_training: bool,
    batch: f64,
    seconds: f64,
}

/// Operators as the graph lists them: type, and a list of numbers for each shape.
fn listed(cell: &str) -> Vec<(String, Vec<Vec<f64>>)> {
    cell.split("['")
        .skip(1)
        .filter_map(|part| {
            let (name, rest) = part.split_once('\'')?;
            let groups = rest.split(['(', ')', '[', ']']).map(numbers);
            Some((name.to_owned(), groups.filter(|group| !group.is_empty()).collect()))
        })
        .collect()
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(',').filter_map(|number| number.trim().parse().ok()).collect()
}

fn elements(shapes: &[Vec<f64>]) -> f64 {
    shapes.iter().map(|shape| shape.iter().product::<f64>()).sum()
}

/// Operations and bytes of an operator on one GPU. Products of matrices read both and write one; elementwise operators read
/// one or two and write one.
fn work(name: &str, shapes: &[Vec<f64>]) -> (f64, f64) {
    let product =
        |times: f64, m: f64, n: f64, k: f64| (2.0 * times * m * n * k, SINGLE * times * (m * k + k * n + m * n));
    match (name, shapes.first().map(Vec::as_slice).unwrap_or_default()) {
        ("Linear", [m, k, n]) => product(1.0, *m, *n, *k),
        ("BMM", [times, m, k, n]) => product(*times, *m, *n, *k),
        ("MEM", _) => (0.0, SINGLE * elements(shapes)),
        (name, shape) if name.starts_with("VEC") => {
            let inputs_and_output = if ["VECadd", "VECmul", "VECdiv"].contains(&name) { 3.0 } else { 2.0 };
            let elements = shape.iter().product::<f64>();
            (elements, SINGLE * elements * inputs_and_output)
        }
        _ => panic!("unknown operator {name} {shapes:?}"),
    }
}

/// The operators of a graph. Most graphs have one layer of the network, between the first and the last node that is named
/// after it (with the addition behind); its `layers` are alike. Views are no operators; fused nodes read their inputs and
/// write their output once.
fn graph(file: &Path, layers: f64) -> (Vec<Operator>, BTreeMap<String, f64>) {
    let mut reader = csv::Reader::from_path(file).expect("a graph");
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a node")).collect();
    let layer_of = |row: &csv::StringRecord| {
        ["_h_", "_layer_", "_layers_", "_block_", "block_"].iter().find_map(|mark| {
            let (_, rest) = row[0].split_once(mark)?;
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<usize>().ok()
        })
    };
    let marked: Vec<usize> = (0..rows.len()).filter(|row| layer_of(&rows[*row]).is_some()).collect();
    let distinct: BTreeSet<usize> = marked.iter().filter_map(|row| layer_of(&rows[*row])).collect();
    let (first, mut last) = (marked[0], marked[marked.len() - 1]);
    if rows.get(last + 1).is_some_and(|row| &row[1] == "VECadd") {
        last += 1;
    }
    let is_training = file.to_string_lossy().contains("-train-");
    let mut operators: BTreeMap<[u64; 2], f64> = BTreeMap::new();
    let mut largest: BTreeMap<String, f64> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        if &row[1] == "getitem" {
            continue;
        }
        let count = if distinct.len() == 1 && (first..=last).contains(&place) { layers } else { 1.0 };
        assert!(count > 0.0, "{}: the number of layers", file.display());
        let cells = if is_training { 2..5 } else { 2..3 };
        let listed: Vec<(String, Vec<Vec<f64>>)> = cells.flat_map(|cell| listed(&row[cell])).collect();
        let is_product = |(name, _): &(String, Vec<Vec<f64>>)| name == "Linear" || name == "BMM";
        let is_fused = row[0].contains('~') && !listed.is_empty() && !listed.iter().any(is_product);
        let mut add = |name: &str, flops: f64, bytes: f64| {
            *operators.entry([flops.to_bits(), bytes.to_bits()]).or_default() += count;
            let most = largest.entry(name.to_owned()).or_default();
            *most = most.max(bytes / SINGLE);
        };
        if is_fused {
            let shapes: Vec<Vec<f64>> =
                [&row[7], &row[8]].iter().flat_map(|cell| cell.split(['(', ')'])).map(numbers).collect();
            let shapes: Vec<Vec<f64>> = shapes.into_iter().filter(|shape| !shape.is_empty()).collect();
            add("fused", 0.0, SINGLE * elements(&shapes));
        } else {
            for (name, shapes) in &listed {
                let (flops, bytes) = work(name, shapes);
                add(name, flops, bytes);
            }
        }
    }
    let operators = operators.into_iter().map(|([flops, bytes], count)| Operator {
        count,
        flops: f64::from_bits(flops),
        bytes: f64::from_bits(bytes),
    });
    (operators.collect(), largest)
}

fn json(file: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(file).expect("a file")).expect("JSON")
}

fn files(folder: &Path) -> Vec<(String, std::path::PathBuf)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), path))
        .collect();
    files.sort();
    files
}

/// GPUs by name, and all measurements on one GPU for which there is a graph.
fn data(folder: &Path) -> (BTreeMap<String, Gpu>, Vec<Measurement>) {
    let gpus = files(&folder.join("device_configs")).into_iter().map(|(name, path)| {
        let values = json(&path);
        let value = |key: &str| values[key].as_f64();
        let peak = value("SingleFLOPs").or(value("SingleFLOPsMM")).expect("a peak rate");
        let bandwidth = value("Mem_Bw").expect("a bandwidth");
        let device = Device { name: name.clone(), flops_per_s: peak * 1e9, bytes_per_s: bandwidth * 1e9 };
        let [memory_gb, multiprocessors] = ["Dev_Mem", "Num_Sm"].map(|key| value(key).expect("a size"));
        (name, Gpu { device, memory_gb, multiprocessors })
    });
    let gpus = gpus.collect();
    let mut measurements = Vec::new();
    for (name, path) in files(&folder.join("label")) {
        let (gpu, network) = name.split_once("__").expect("device and network");
        let is_of_many = ["dp4", "tp4", "pp4_1", "pp4_4"].iter().any(|end| network.ends_with(end));
        let file = folder.join("opgraph").join(format!("{network}.csv"));
        if is_of_many || !file.exists() {
            continue;
        }
        let label = json(&path);
        let (operators, largest) = graph(&file, label["num_layer"].as_f64().expect("layers"));
        measurements.push(Measurement {
            gpu: gpu.to_owned(),
            network: network.to_owned(),
            operators,
            largest,
            is_training: network.contains("-train-"),
            batch: network.split('-').nth(3).and_then(|batch| batch.parse().ok()).expect("a batch"),
            seconds: label["e2e_latency"].as_f64().expect("a latency") / 1e3,
        });
    }
    (gpus, measurements)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

fn fitted(gpus: &BTreeMap<String, Gpu>, others: &[&Measurement]) -> Efficiency {
    let measured = others.iter().map(|one| Measured {
        device: &gpus[&one.gpu].device,
        operators: &one.operators,
        seconds: one.seconds,
    });
    fit(&measured.collect::<Vec<_>>()).expect("efficiencies")
}

/// Mean and median of |predicted / measured − 1| in percent, of all and of each GPU.
struct Found(BTreeMap<String, Vec<(f64, f64)>>);

impl Found {
    fn mape(&self) -> f64 {
        Errors::of(self.0.values().flatten().copied()).mape_percent.expect("measurements")
    }

    fn errors_in_words(&self, what: &str) -> String {
        let relative =
            |pairs: &[(f64, f64)]| pairs.iter().map(|(predicted, was)| 100.0 * (predicted / was - 1.0).abs()).collect();
        let all: Vec<(f64, f64)> = self.0.values().flatten().copied().collect();
        let mut text = format!("{what}: mean {:.1} %, median {:.1} %\n", self.mape(), median(relative(&all)));
        for (gpu, pairs) in &self.0 {
            let mean = Errors::of(pairs.iter().copied()).mape_percent.expect("measurements");
            text += &format!("    {gpu}: {mean:.1} %, median {:.1} %, of {}\n", median(relative(pairs)), pairs.len());
        }
        text
    }
}

/// Predictions of every measurement by what is made from those on other GPUs; `group`: GPUs that are left out together.
fn leave_out<'m, P: Fn(&Measurement) -> f64>(
    measurements: &'m [Measurement],
    group: impl Fn(&str) -> String,
    make: impl Fn(&[&'m Measurement]) -> P,
) -> Found {
    let mut found: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    let groups: BTreeSet<String> = measurements.iter().map(|one| group(&one.gpu)).collect();
    for left_out in groups {
        let (own, others): (Vec<_>, Vec<_>) = measurements.iter().partition(|one| group(&one.gpu) == left_out);
        let predict = make(&others);
        for one in own {
            found.entry(one.gpu.clone()).or_default().push((predict(one), one.seconds));
        }
    }
    Found(found)
}

/// The median time of the same network on other GPUs, else the geometric mean of all times.
fn knows_nothing<'a>(others: &[&'a Measurement]) -> impl Fn(&Measurement) -> f64 + use<'a> {
    let others: Vec<&Measurement> = others.to_vec();
    move |one| {
        let same: Vec<f64> =
            others.iter().filter(|other| other.network == one.network).map(|other| other.seconds).collect();
        let logarithms = others.iter().map(|other| other.seconds.ln()).sum::<f64>();
        if same.is_empty() { (logarithms / others.len() as f64).exp() } else { median(same) }
    }
}

fn alone(gpu: &str) -> String {
    gpu.to_owned()
}

#[test]
fn a_roofline_fitted_on_other_gpus_is_within_15_percent() {
    let Some(folder) = test_data("dl/neusight") else { return };
    let (gpus, measurements) = data(&folder);
    assert_eq!(measurements.len(), 135, "all on one GPU with a graph");
    let by_roofline = |efficiency: Efficiency| {
        let gpus = &gpus;
        move |one: &Measurement| {
            estimate(&gpus[&one.gpu].device, &one.operators, &efficiency).expect("an estimate").seconds
        }
    };
    let nothing = leave_out(&measurements, alone, knows_nothing);
    let peak = leave_out(&measurements, alone, |_| by_roofline(Efficiency::PEAK));
    let of_others = leave_out(&measurements, alone, |others| by_roofline(fitted(&gpus, others)));
    // MI210 and MI250 (one of its halves) are nearly the same, as are the A100s: without relatives it is harder.
    let family = |gpu: &str| {
        gpu.chars().take_while(|letter| !letter.is_ascii_digit()).collect::<String>()
            + match gpu {
                gpu if gpu.contains("A100") => "100",
                gpu if gpu.starts_with("AMD") => "",
                gpu => gpu,
            }
    };
    let of_families = leave_out(&measurements, family, |others| by_roofline(fitted(&gpus, others)));
    println!("{}", nothing.errors_in_words("knows nothing"));
    println!("{}", peak.errors_in_words("roofline at peak rates"));
    println!("{}", of_others.errors_in_words("roofline fitted on the other GPUs"));
    println!("{}", of_families.errors_in_words("roofline fitted on other families of GPUs"));
    assert!(of_others.mape() <= 15.0 && of_families.mape() <= 20.0);
    assert!(of_others.mape() < peak.mape() && peak.mape() < nothing.mape());

    let all = fitted(&gpus, &measurements.iter().collect::<Vec<_>>());
    println!("fitted on all: {all:?}");
    let usual = Efficiency::default();
    assert!((all.compute / usual.compute - 1.0).abs() < 0.05, "{all:?}");
    assert!((all.memory / usual.memory - 1.0).abs() < 0.05, "{all:?}");
    assert!((all.balance_exponent - usual.balance_exponent).abs() < 0.03, "{all:?}");
    assert!((all.launch_seconds / usual.launch_seconds - 1.0).abs() < 0.2, "{all:?}");
}

/// Largest operator of each type, execution, hardware, and the time by the roofline, over which the network learns.
fn features(one: &Measurement, gpu: &Gpu, types: &BTreeSet<&String>, roofline_seconds: f64) -> Vec<f64> {
    let mut features: Vec<f64> = types.iter().map(|name| one.largest.get(*name).copied().unwrap_or(0.0)).collect();
    features.extend([one.batch, f64::from(u8::from(one.is_training))]);
    features.extend([gpu.device.flops_per_s / 1e12, gpu.device.bytes_per_s / 1e9, gpu.memory_gb, gpu.multiprocessors]);
    features.push(roofline_seconds);
    features
}

#[test]
fn a_time_network_trained_on_other_gpus_knows_more_than_nothing() {
    let Some(folder) = test_data("dl/neusight") else { return };
    let (gpus, measurements) = data(&folder);
    let types: BTreeSet<&String> = measurements.iter().flat_map(|one| one.largest.keys()).collect();
    let mut names: Vec<String> = types.iter().map(|name| format!("largest {name}")).collect();
    let others = ["batch", "is training", "peak TFLOP/s", "bandwidth GB/s", "memory GB", "multiprocessors"];
    names.extend(others.map(str::to_owned));
    names.push("roofline_seconds".to_owned());
    let by_network = |others: &[&Measurement], is_relative: bool| {
        let efficiency = fitted(&gpus, others);
        let (gpus, types) = (&gpus, &types);
        let of = move |one: &Measurement| {
            let gpu = &gpus[&one.gpu];
            let roofline = estimate(&gpu.device, &one.operators, &efficiency).expect("an estimate");
            features(one, gpu, types, roofline.seconds)
        };
        let rows = others.iter().map(|one| Row { features: of(one), device: 0, value: one.seconds });
        let data = Dataset {
            source: "other GPUs".to_owned(),
            digest: String::new(),
            target: Target::Time,
            unit: "s".to_owned(),
            features: names.clone(),
            devices: vec!["any".to_owned()],
            rows: rows.collect(),
            left_out: 0,
            notes: Vec::new(),
        };
        let relative_to = is_relative.then(|| "roofline_seconds".to_owned());
        let options = Options { relative_to, test: 0.05, validation: 0.15, ..Options::default() };
        let model = Watch::uncancellable(|watch| train(&data, &options, watch, &mut |_| {})).expect("a network");
        move |one: &Measurement| model.predict(&of(one)).expect("a prediction").of_devices[0].1
    };
    let nothing = leave_out(&measurements, alone, knows_nothing);
    let seconds = leave_out(&measurements, alone, |others| by_network(others, false));
    let relative = leave_out(&measurements, alone, |others| by_network(others, true));
    println!("{}", nothing.errors_in_words("knows nothing"));
    println!("{}", seconds.errors_in_words("network, of the logarithm of seconds"));
    println!("{}", relative.errors_in_words("network, of measured over roofline"));
    assert!(relative.mape() < nothing.mape());
}
