//! The roofline of a network on a GPU: its time and shares of the GPU's rates, and what of it is assumed.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};
use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_gpu_bench::report::{Measurement, Side};
use crossover_predict::features::{Execution, Known, LayerWork, Network};
use crossover_predict::roofline::{Device, Efficiency, LABEL, Operator, estimate};
use crossover_predict::train::Target;
use crossover_quantity::unit::Unit;

use super::predicted::Predicted;

/// Most names in a note.
const NAMED: usize = 3;

/// The GPU that gpu-bench measured: multiply-adds of its shader cores, and copies of the largest buffer.
pub(super) fn measured(path: &Path, notes: &mut Vec<String>) -> Result<Device> {
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

/// Time and shares of the GPU's rates, from operations and bytes of every layer. A layer that the file does not describe costs what
/// is known of it, and a note names it with its share of the time.
pub(super) fn predicted(
    network: &Network,
    execution: Execution,
    device: &Device,
    notes: &mut Vec<String>,
) -> Result<Vec<Predicted>> {
    let work = network.work(execution.batch);
    let is_any = |work: &&LayerWork<'_>| work.known == Known::All || work.flops > 0.0 || work.bytes > 0.0;
    let counted: Vec<&LayerWork<'_>> = work.iter().filter(is_any).collect();
    if counted.is_empty() {
        bail!("no layer has a known size, so there is nothing to estimate; the notes of this file say what is missing");
    }
    let operators: Vec<Operator> =
        counted.iter().map(|work| Operator { count: 1.0, flops: work.flops, bytes: work.bytes }).collect();
    let efficiency = Efficiency::default();
    let all = estimate(device, &operators, &efficiency)?;
    let mut unknown: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for (work, operator) in counted.iter().zip(&operators).filter(|(work, _)| work.known == Known::Sizes) {
        let (count, seconds) = unknown.entry(work.layer.operator.name()).or_default();
        *count += 1;
        *seconds += estimate(device, std::slice::from_ref(operator), &efficiency)?.seconds;
    }
    for (name, (count, seconds)) in unknown {
        notes.push(format!(
            "{count} × {name}: unknown operator, counted as one operation for each output element, {} of the time",
            Unit::Share.format(seconds / all.seconds)
        ));
    }
    let parts: Vec<&LayerWork<'_>> = work.iter().filter(|work| work.known == Known::Part).collect();
    if !parts.is_empty() {
        let names: Vec<String> = parts
            .iter()
            .take(NAMED)
            .map(|work| format!("“{}” ({})", work.layer.name, work.layer.operator.name()))
            .collect();
        let more = parts.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!(
            "the file lacks operations or sizes of {} of {} layers, which are counted as far as they are known; the time is a lower \
             bound: {}{more}",
            parts.len(),
            work.len(),
            names.join(", ")
        ));
    }
    let is_least = !parts.is_empty();
    let predicted = |target: Target, quantity: &str, value: f64| Predicted {
        quantity: quantity.to_owned(),
        target,
        unit: target.unit().to_owned(),
        is_only: true,
        learned_from: String::new(),
        by: LABEL.to_owned(),
        device: String::new(),
        value,
        rmse: None,
        is_extrapolated: false,
        is_unseen: false,
        is_least: is_least && target == Target::Time,
    };
    Ok(vec![
        predicted(Target::Time, "time, s", all.seconds * execution.iterations as f64),
        predicted(Target::Compute, "compute, %", all.compute_percent),
        predicted(Target::Memory, "memory, %", all.memory_percent),
    ])
}
