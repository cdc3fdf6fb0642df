//! Features of a task before it runs, and predictions of its use of a GPU.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use crossover_export::json;
use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_gpu_bench::report::{Measurement, Side};
use crossover_page::terminal::{keep_apart, message, print};
use crossover_predict::features::{self, Execution, Features, Hardware, Network};
use crossover_predict::roofline::{Device, Efficiency, LABEL, Operator, estimate};
use crossover_predict::train::{Model, Target};
use crossover_quantity::unit::{Unit, elapsed};
use serde::Serialize;

use super::apply::apply;
use super::predicted::Predicted;

/// Predicts GPU utilisation, GPU memory and run time of a task from its model architecture
///
/// The model architecture is a CSV of layers (columns `operator`, `input_size`, `output_size` and `parameters`), an ONNX model, or
/// the summary that torchinfo or Keras prints. Without a trained predictor, a roofline estimates the time from the rates of the
/// GPU, which `gpu-bench` measures.
#[derive(Debug, Parser)]
#[command(name = "predict")]
pub(super) struct PredictOptions {
    /// Model architecture: CSV of layers, ONNX, torchinfo or Keras
    #[arg(value_name = "FILE")]
    network: PathBuf,
    /// Batch size, samples
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    batch: u64,
    /// Iterations; for a running task, the remaining ones
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    iterations: u64,
    /// Elements of a sample; default: those of the file
    #[arg(long)]
    input: Option<u64>,
    /// Compute capability of the GPU, such as 8.6 (0: unknown)
    #[arg(long, default_value_t = 0.0)]
    capability: f64,
    /// Memory of the GPU, GB (0: unknown)
    #[arg(long, default_value_t = 0.0)]
    memory_gb: f64,
    /// Cores of the GPU (0: unknown)
    #[arg(long, default_value_t = 0.0)]
    cores: f64,
    /// Trained predictor; may be repeated
    #[arg(long, value_name = "SAFETENSORS")]
    model: Vec<PathBuf>,
    /// Report of `gpu-bench run` with the rates of the GPU, for the roofline; "latest" is the newest of the history
    #[arg(long, value_name = "REPORT", conflicts_with_all = ["gflop_per_s", "gb_per_s"])]
    measured: Option<PathBuf>,
    /// Floating-point rate of the GPU, GFLOP/s, for the roofline
    #[arg(long, requires = "gb_per_s")]
    gflop_per_s: Option<f64>,
    /// Bandwidth of the GPU's memory, GB/s, for the roofline
    #[arg(long, requires = "gflop_per_s")]
    gb_per_s: Option<f64>,
    /// Allocation scenario: writes the predicted GPU share and run time to a task group of it; --out has the result
    #[arg(long, value_name = "SCENARIO", requires = "task", requires = "out")]
    apply: Option<PathBuf>,
    /// The task group in that scenario
    #[arg(long, value_name = "GROUP", requires = "apply")]
    task: Option<String>,
    /// File for the changed scenario
    #[arg(long, value_name = "FILE", requires = "apply")]
    out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: PredictFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PredictFormat {
    /// For the terminal
    Table,
    /// For programs
    Json,
}

/// Features and predictions of a task.
#[derive(Debug, Serialize)]
struct PredictReport {
    /// Format of the file of the model architecture.
    format: &'static str,
    layers: usize,
    features: Vec<(&'static str, f64)>,
    predicted: Vec<Predicted>,
    notes: Vec<String>,
}

pub(super) fn run(options: &PredictOptions) -> Result<()> {
    for (name, value) in
        [("capability", options.capability), ("memory-gb", options.memory_gb), ("cores", options.cores)]
    {
        if !(0.0..=1e9).contains(&value) {
            bail!("--{name} is {value}; allowed: 0 to 10⁹");
        }
    }
    if let Some(out) = &options.out {
        let read = options.model.iter().chain([&options.network]).chain(&options.measured).chain(&options.apply);
        keep_apart(out, &read.map(PathBuf::as_path).collect::<Vec<_>>())?;
    }
    let network = features::read(&options.network)?;
    let mut notes = network.notes.clone();
    let input = options.input.or(network.input).unwrap_or(0);
    let execution = Execution { batch: options.batch, iterations: options.iterations, input };
    let hardware = Hardware { capability: options.capability, memory_gb: options.memory_gb, cores: options.cores };
    let vector = Features::new(&network, execution, hardware);
    notes.extend(vector.notes.iter().cloned());
    let named: Vec<(&'static str, f64)> = Features::names().into_iter().zip(vector.values().iter().copied()).collect();
    let mut predicted = Vec::new();
    for file in &options.model {
        predicted.extend(by_network(file, &named, &mut notes)?);
    }
    if let Some(device) = device(options, &mut notes)? {
        predicted.extend(by_roofline(&network, execution, &device)?);
    }
    let found =
        PredictReport { format: network.form.name(), layers: network.layers.len(), features: named, predicted, notes };
    match options.format {
        PredictFormat::Json => print(json(&found))?,
        PredictFormat::Table => {
            for note in &found.notes {
                message(format!("note: {note}"));
            }
            print(report(&found))?;
        }
    }
    // Last: nothing fails after the file is there.
    if let (Some(scenario), Some(group), Some(out)) = (&options.apply, &options.task, &options.out) {
        apply(&found.predicted, &options.network, (scenario, group), out)?;
    }
    Ok(())
}

fn by_network(file: &Path, named: &[(&'static str, f64)], notes: &mut Vec<String>) -> Result<Vec<Predicted>> {
    let model = Model::load(file)?;
    let value = |name: &str| named.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| *value);
    let features = model.features(value).with_context(|| format!("{}: trained on other features", file.display()))?;
    let prediction = model.predict(&features)?;
    for feature in &prediction.out_of_range {
        notes.push(format!(
            "{} is {}, outside the training range {} to {}: the prediction is extrapolated",
            feature.feature, feature.value, feature.min, feature.max
        ));
    }
    let (card, is_extrapolated) = (model.card(), !prediction.out_of_range.is_empty());
    let of_device = |(device, value): (String, f64)| Predicted {
        quantity: format!("{}, {}", card.target.column(), card.unit),
        target: card.target,
        unit: card.unit.clone(),
        is_only: card.devices.len() == 1,
        learnt_from: card.source.clone(),
        by: file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        device,
        value,
        rmse: (!is_extrapolated).then_some(card.errors.network.rmse),
        is_extrapolated,
    };
    Ok(prediction.of_devices.into_iter().map(of_device).collect())
}

/// The GPU of the roofline, if its rates are given.
fn device(options: &PredictOptions, notes: &mut Vec<String>) -> Result<Option<Device>> {
    if let Some(report) = &options.measured {
        return measured(report, notes).map(Some);
    }
    let rates = options.gflop_per_s.zip(options.gb_per_s);
    Ok(rates.map(|(gflop_per_s, gb_per_s)| Device {
        name: "the GPU".to_owned(),
        flops_per_s: gflop_per_s * 1e9,
        bytes_per_s: gb_per_s * 1e9,
    }))
}

/// The GPU that gpu-bench measured: multiply-adds of its shader cores, and copies of the largest buffer.
fn measured(path: &Path, notes: &mut Vec<String>) -> Result<Device> {
    let report = crossover_gpu_bench::cli::read(path)?;
    if report.suite == Suite::Ci.name() {
        bail!(
            "{}: times of the ci suite are not meaningful; use a report of the quick or the full suite",
            path.display()
        );
    }
    let of = |id: &'static str| {
        report.results.iter().filter(move |result| result.id == id && result.side == Side::Gpu && result.time.is_some())
    };
    let flops_per_s = of("compute.multiply_add")
        .filter_map(|result| Some(result.param("flop")? / result.time?.median_s))
        .filter(|rate| rate.is_finite())
        .max_by(f64::total_cmp);
    let largest = of("memory.copy").max_by(|a, b| a.bytes_logical.total_cmp(&b.bytes_logical));
    let bytes_per_s = largest.and_then(Measurement::traffic_gb_per_s).map(|rate| rate * 1e9);
    let (Some(flops_per_s), Some(bytes_per_s)) = (flops_per_s, bytes_per_s) else {
        bail!(
            "{}: the roofline needs compute.multiply_add and memory.copy of a GPU, which this report lacks; run \
             `gpu-bench run`",
            path.display()
        );
    };
    let adapter = report.adapter.as_ref().map(|adapter| &adapter.description);
    let name = adapter.map_or_else(|| "the GPU".to_owned(), |adapter| adapter.name.clone());
    notes.push(format!(
        "{name}: {} GFLOP/s, {} GB/s as measured on the shader cores; tensor cores are not included",
        Unit::Ratio.format(flops_per_s / 1e9),
        Unit::Ratio.format(bytes_per_s / 1e9)
    ));
    Ok(Device { name, flops_per_s, bytes_per_s })
}

/// Time and shares of the GPU's rates, from operations and bytes of every layer.
fn by_roofline(network: &Network, execution: Execution, device: &Device) -> Result<Vec<Predicted>> {
    let (mut operators, mut unknown) = (Vec::new(), 0);
    for layer in &network.layers {
        match (layer.flops, layer.elements_moved(execution.batch)) {
            (Some(flops), Some(elements)) => operators.push(Operator {
                count: 1.0,
                flops: flops as f64 * execution.batch as f64,
                bytes: 4.0 * elements as f64,
            }),
            _ => unknown += 1,
        }
    }
    if unknown > 0 {
        bail!(
            "the roofline needs operations and sizes of every layer; the file lacks those of {unknown} of {} layers. Use ONNX or \
             `to_json()` of Keras. A CSV needs the columns operator, input_size, output_size and parameters, and flops for \
             convolutions and pooling",
            network.layers.len()
        );
    }
    let estimate = estimate(device, &operators, &Efficiency::default())?;
    let predicted = |target: Target, quantity: &str, value: f64| Predicted {
        quantity: quantity.to_owned(),
        target,
        unit: target.unit().to_owned(),
        is_only: true,
        learnt_from: String::new(),
        by: LABEL.to_owned(),
        device: String::new(),
        value,
        rmse: None,
        is_extrapolated: false,
    };
    Ok(vec![
        predicted(Target::Time, "time, s", estimate.seconds * execution.iterations as f64),
        predicted(Target::Compute, "compute, %", estimate.compute_percent),
        predicted(Target::Memory, "memory, %", estimate.memory_percent),
    ])
}

fn report(found: &PredictReport) -> String {
    let mut text = format!("{}, {} layers\n\n", found.format, found.layers);
    for (name, value) in &found.features {
        text.push_str(&format!("{name:<12}{value}\n"));
    }
    if found.predicted.is_empty() {
        text.push_str("\nNo prediction: add --model, or --gflop-per-s and --gb-per-s.\n");
    }
    for Predicted { quantity, unit, by, device, value, rmse, is_extrapolated, .. } in &found.predicted {
        let name = match quantity.split(',').next().unwrap_or(quantity) {
            "compute" | "compute_percent" => "GPU compute utilisation",
            "memory" => "GPU memory-bandwidth utilisation",
            "memory_percent" => "GPU memory",
            "time" | "seconds" => "run time",
            name => name,
        };
        let amount = |value: f64| match unit.as_str() {
            "s" => elapsed(value),
            "%" => Unit::Share.format(value / 100.0),
            unit => format!("{} {unit}", Unit::Ratio.format(value)),
        };
        let error = match rmse {
            Some(rmse) => format!(" ± {}", amount(*rmse)),
            None if *is_extrapolated => ", extrapolated".to_owned(),
            None => String::new(),
        };
        let device = if device.is_empty() { String::new() } else { format!(" on {device}") };
        text.push_str(&format!("\n{name}{device}: {}{error}, {by}", amount(*value)));
    }
    text.push('\n');
    text
}
