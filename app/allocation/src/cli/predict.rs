//! Features of a task before it runs, and predictions of its use of a GPU.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use crossover_export::json;
use crossover_page::terminal::{keep_apart, message, print};
use crossover_predict::features::{self, Dimensions, Execution, Features, Hardware, Network};
use crossover_predict::roofline::Device;
use crossover_quantity::unit::{Unit, elapsed};
use serde::Serialize;

use super::apply::apply;
use super::predicted::Predicted;
use super::roofline;
use super::trained::{self, FurtherGpu, Task};

/// Predicts GPU utilisation, GPU memory and run time of a task from its model architecture
///
/// The model architecture is a CSV of layers (columns `operator`, `input_size`, `output_size` and `parameters`), an ONNX model, a
/// graph of TensorFlow, or the summary that torchinfo, torchsummary or Keras prints. A trained predictor predicts each GPU type
/// of its runs from the hardware recorded there (columns `capability`, `memory`, `cores`). --gpu adds types
/// without runs. Without a trained predictor, a roofline estimates the time from the rates of the GPU, which `gpu-bench` measures.
#[derive(Debug, Parser)]
#[command(name = "predict")]
pub(super) struct PredictOptions {
    /// Model architecture: CSV of layers, ONNX, TensorFlow, torchinfo, torchsummary or Keras
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
    /// Size of a dimension that an ONNX model or Keras JSON leaves open, such as `sequence_length=128`, or `x[2]=48` where it has no
    /// name; may be repeated
    #[arg(long, value_name = "NAME=SIZE", value_parser = dimension)]
    dimension: Vec<(String, u64)>,
    /// Bits of an element of the tensors, such as 16 in half precision; for files that do not have the element type [default: 32]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=128))]
    element_bits: Option<u32>,
    /// A GPU type without runs, predicted from its hardware by a predictor with runs of other types; may be repeated
    #[arg(long, value_name = "NAME=CAPABILITY,MEMORY_GB,CORES", value_parser = FurtherGpu::parse)]
    gpu: Vec<FurtherGpu>,
    /// GPU share that the running task has now, percent; predictors of run time use it instead of the predicted utilisation
    #[arg(long, value_name = "PERCENT")]
    share: Option<f64>,
    /// Compute capability of an unnamed GPU, such as 8.6 (0: unknown); for named GPU types use --gpu
    #[arg(long, default_value_t = 0.0)]
    capability: f64,
    /// Memory of the unnamed GPU, GB (0: unknown)
    #[arg(long, default_value_t = 0.0)]
    memory_gb: f64,
    /// CUDA cores of the unnamed GPU, all multiprocessors together (0: unknown)
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
    /// Allocation scenario; predicted GPU and memory shares and run time replace those of the task group --task, in the file --out
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
    /// Parameters; null if those of a layer are not known.
    parameters: Option<u64>,
    /// Known multiply-adds for a sample.
    multiply_adds: u64,
    /// Layers whose multiply-adds are not known.
    layers_without_multiply_adds: usize,
    /// Bytes of the parameters, and of the outputs of all layers for a sample.
    parameter_bytes: u64,
    output_bytes: u64,
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
    if let Some(share) = options.share.filter(|share| !(0.1..=100.0).contains(share)) {
        bail!("--share is {share}; allowed: 0.1 to 100");
    }
    if let Some(out) = &options.out {
        let read = options.model.iter().chain([&options.network]).chain(&options.measured).chain(&options.apply);
        keep_apart(out, &read.map(PathBuf::as_path).collect::<Vec<_>>())?;
    }
    let network = network(options)?;
    let mut notes = network.notes.clone();
    let input = options.input.or(network.input).unwrap_or(0);
    let execution = Execution { batch: options.batch, iterations: options.iterations, input };
    let hardware = Hardware { capability: options.capability, memory_gb: options.memory_gb, cores: options.cores };
    let vector = Features::new(&network, execution, hardware);
    notes.extend(vector.notes.iter().cloned());
    let named: Vec<(&'static str, f64)> = Features::names().into_iter().zip(vector.values().iter().copied()).collect();
    let gpus = gpus(options, hardware);
    let task = Task { features: &named, share_percent: options.share, gpus: &gpus };
    let result = predictions(options, &network, execution, &task, &mut notes);
    let predicted = result.inspect_err(|_| {
        // The notes say what the error does not.
        for note in &notes {
            message(format!("note: {note}"));
        }
    })?;
    let ((multiply_adds, layers_without_multiply_adds), [parameter_bytes, output_bytes]) =
        (network.multiply_adds(), network.memory());
    let found = PredictReport {
        format: network.form.name(),
        layers: network.layers.len(),
        parameters: network.parameters(),
        multiply_adds,
        layers_without_multiply_adds,
        parameter_bytes,
        output_bytes,
        features: named,
        predicted,
        notes,
    };
    let text = match options.format {
        PredictFormat::Json => json(&found),
        PredictFormat::Table => {
            for note in &found.notes {
                message(format!("note: {note}"));
            }
            report(&found)
        }
    };
    // Nothing is printed if the file cannot be written.
    if let (Some(scenario), Some(group), Some(out)) = (&options.apply, &options.task, &options.out) {
        apply(&found.predicted, &options.network, (scenario, group), out)?;
    }
    print(text)
}

/// `NAME=SIZE`.
fn dimension(text: &str) -> Result<(String, u64), String> {
    let parsed = text.rsplit_once('=').and_then(|(name, size)| Some((name.trim(), size.trim().parse::<u64>().ok()?)));
    let parsed = parsed.filter(|(name, size)| !name.is_empty() && (1..=1_000_000_000).contains(size));
    parsed
        .map(|(name, size)| (name.to_owned(), size))
        .ok_or_else(|| "expected NAME=SIZE with a size from 1 to 1,000,000,000, such as sequence_length=128".to_owned())
}

/// The network of the file, with the sizes and the element type that the user sets.
fn network(options: &PredictOptions) -> Result<Network> {
    let dimensions: Dimensions = options.dimension.iter().cloned().collect();
    let mut network = features::read_with(&options.network, &dimensions)?;
    if let Some(bits) = options.element_bits {
        if network.form.has_element_types() {
            bail!("--element-bits: {} files have the element types themselves; leave it out", network.form.name());
        }
        network.set_bits(bits);
    }
    if network.layers.iter().all(|layer| layer.input_size.is_none() && layer.output_size.is_none()) {
        for note in &network.notes {
            message(format!("note: {note}"));
        }
        bail!("{}: no layer has a known size, so there are no features to predict from", options.network.display());
    }
    Ok(network)
}

/// Types of GPUs that the user describes: those with a name, and that of --capability, --memory-gb and --cores.
fn gpus(options: &PredictOptions, hardware: Hardware) -> Vec<FurtherGpu> {
    let Hardware { capability, memory_gb, cores } = hardware;
    let parts = [
        (capability, format!("capability {capability}")),
        (memory_gb, format!("{memory_gb} GB")),
        (cores, format!("{cores} CUDA cores")),
    ];
    let known: Vec<String> = parts.into_iter().filter(|(value, _)| *value > 0.0).map(|(_, text)| text).collect();
    let mut gpus = options.gpu.clone();
    if !known.is_empty() {
        gpus.push(FurtherGpu { name: format!("a GPU with {}", known.join(", ")), hardware, is_named: false });
    }
    gpus
}

/// Predictions of trained networks and of the roofline.
fn predictions(
    options: &PredictOptions,
    network: &Network,
    execution: Execution,
    task: &Task<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<Predicted>> {
    let mut predicted = trained::predicted(&options.model, task, notes)?;
    if let Some(device) = device(options, notes)? {
        predicted.extend(roofline::predicted(network, execution, &device, notes)?);
    }
    Ok(predicted)
}

/// The GPU of the roofline, if its rates are given.
fn device(options: &PredictOptions, notes: &mut Vec<String>) -> Result<Option<Device>> {
    if let Some(report) = &options.measured {
        return roofline::measured(report, notes).map(Some);
    }
    let rates = options.gflop_per_s.zip(options.gb_per_s);
    Ok(rates.map(|(gflop_per_s, gb_per_s)| Device {
        name: "the GPU".to_owned(),
        flops_per_s: gflop_per_s * 1e9,
        bytes_per_s: gb_per_s * 1e9,
    }))
}

fn report(found: &PredictReport) -> String {
    let layers = if found.layers == 1 { "layer" } else { "layers" };
    let mut text = format!("{}, {} {layers}\n", found.format, found.layers);
    let bytes = |bytes: u64| Unit::Bytes.format(bytes as f64);
    let parameters = found.parameters.map_or_else(
        || "not known for every layer".to_owned(),
        |count| format!("{}, {}", Unit::Count.format(count as f64), bytes(found.parameter_bytes)),
    );
    let without = match found.layers_without_multiply_adds {
        0 => String::new(),
        1 => ", without those of 1 layer".to_owned(),
        count => format!(", without those of {count} layers"),
    };
    let multiply_adds = Unit::Count.format(found.multiply_adds as f64);
    text.push_str(&format!("parameters: {parameters}\nmultiply-adds of a sample: {multiply_adds}{without}\n"));
    text.push_str(&format!("outputs of all layers for a sample: {}\n\n", bytes(found.output_bytes)));
    for (name, value) in &found.features {
        text.push_str(&format!("{name:<12}{value}\n"));
    }
    if found.predicted.is_empty() {
        text.push_str("\nNo prediction: add --model, or --gflop-per-s and --gb-per-s.\n");
    }
    for Predicted { quantity, unit, by, device, value, rmse, is_extrapolated, is_unseen, is_least, .. } in
        &found.predicted
    {
        let name = match quantity.split(',').next().unwrap_or(quantity) {
            "compute" | "compute_percent" => "GPU compute utilisation",
            "memory" => "GPU memory-bandwidth utilisation",
            "memory_percent" => "GPU memory occupied",
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
        let least = if *is_least { "at least " } else { "" };
        let unseen = if *is_unseen { ", from its hardware: the runs do not have this type" } else { "" };
        text.push_str(&format!("\n{name}{device}: {least}{}{error}, {by}{unseen}", amount(*value)));
    }
    text.push('\n');
    text
}
