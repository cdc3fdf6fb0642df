//! Calibration: the parameters of the model from a report.

pub mod fit;
pub mod spread;
pub mod sweep;
mod validation;

use crossover_measured::calibration::{Calibration, Measured, OperatorFigures};

use self::sweep::Sweep;
use crate::benchmarks::case::Suite;
use crate::report::{Measurement, Report, Side, Time};

/// An operator of the model, and the benchmarks that measure it.
#[derive(Debug, Clone, Copy)]
pub struct Operator {
    /// Name in the model.
    pub name: &'static str,
    /// On the CPU.
    pub cpu: &'static str,
    /// On the GPU, data resident.
    pub gpu: &'static str,
    /// From host memory to host memory.
    pub end_to_end: &'static str,
}

/// The operators that a run measures for the model.
pub const OPERATORS: [Operator; 4] = [
    Operator { name: "filter", cpu: "filter.ordered", gpu: "filter.append", end_to_end: "end_to_end.filter" },
    Operator {
        name: "join",
        cpu: "join.probe_materialise",
        gpu: "join.probe_materialise",
        end_to_end: "end_to_end.join",
    },
    Operator {
        name: "aggregate",
        cpu: "aggregate.group_by",
        gpu: "aggregate.group_by",
        end_to_end: "end_to_end.group_by",
    },
    Operator { name: "sort", cpu: "sort.keys", gpu: "sort.keys", end_to_end: "end_to_end.sort" },
];

/// Routes of transfers to the GPU; the fastest is used.
pub const TO_GPU: &str = "transfer.h2d.";
/// Routes of transfers from the GPU.
pub const FROM_GPU: &str = "transfer.d2h.";
/// Submitting an empty kernel and waiting for it.
const LAUNCH: &str = "launch.roundtrip";

/// The model's parameters as far as the report gives them. `None` if nothing was measured, or by the ci suite,
/// whose times are not meaningful.
#[must_use]
pub fn calibrate(report: &Report) -> Option<Calibration> {
    if report.suite == Suite::Ci.name() || report.results.iter().all(|measurement| measurement.time.is_none()) {
        return None;
    }
    let threads = report.results.iter().map(|measurement| measurement.threads).max().unwrap_or(1);
    let adapter = report.adapter.as_ref().map(|adapter| &adapter.description);
    let operators = OPERATORS.iter().filter_map(|operator| figures(report, *operator, threads)).collect();
    let decode = |direction: &str| gpu_speed(report, &format!("{CODEC_ID}.{direction}"));
    let ratio = fastest(report, &format!("{CODEC_ID}.encode"), Side::Gpu, 0).and_then(|encode| encode.ratio);
    let mut calibration = Calibration {
        device: adapter.map_or_else(|| report.host.cpu.clone(), |adapter| adapter.name.clone()),
        date: report.time.get(..10).unwrap_or_default().to_owned(),
        software: adapter.is_some_and(|adapter| adapter.software),
        cpu: report.host.cpu.clone(),
        threads,
        to_gpu_gb_per_s: best_route(report, TO_GPU).and_then(|sweep| rate(&sweep)),
        from_gpu_gb_per_s: best_route(report, FROM_GPU).and_then(|sweep| rate(&sweep)),
        memory_gb_per_s: fastest(report, "memory.read", Side::Cpu, threads).and_then(speed),
        fixed_seconds: fixed_cost(report),
        // Without noise: the compressed size of the same data is constant.
        compression_ratio: ratio.map(|value| Measured { value, interval: (value, value) }),
        compress_gb_per_s: decode("encode"),
        decompress_gb_per_s: decode("decode"),
        codec: if ratio.is_some() { CODEC_NAME.to_owned() } else { String::new() },
        operators,
        cautions: cautions(report, threads),
        unoptimised: !report.tool.optimised,
        validation: None,
        drift: report.drift,
    };
    calibration.validation = validation::validate(report, threads, &calibration);
    Some(calibration)
}

/// The report with a calibration, also if its run ended early: inputs of the calibration are measured first.
#[must_use]
pub fn calibrated(report: Report) -> Report {
    let calibration = report.calibration.clone().or_else(|| calibrate(&report));
    Report { calibration, ..report }
}

/// Cautions for applying the figures.
fn cautions(report: &Report, threads: usize) -> Vec<String> {
    let mut cautions = Vec::new();
    if !report.tool.optimised {
        cautions.push("measured by a program that was built without optimisation".to_owned());
    }
    if report.results.iter().any(|measurement| measurement.calibrates && !measurement.warnings.is_empty()) {
        cautions.push("the machine state changed (throttled or shared) during some of the measurements".to_owned());
    }
    for operator in OPERATORS {
        let is_software = report.adapter.as_ref().is_some_and(|adapter| adapter.description.software);
        let sides = [(operator.cpu, Side::Cpu, 1), (operator.cpu, Side::Cpu, threads), (operator.gpu, Side::Gpu, 0)];
        let largest = sides
            .into_iter()
            // Figures of a software adapter are not applied.
            .filter(|(_, side, _)| *side == Side::Cpu || !is_software)
            .filter_map(|(id, side, threads)| Sweep::of(report, id, side, threads))
            .filter_map(|sweep| Some(sweep.measurements.last()?.bytes_logical))
            .reduce(f64::min);
        if largest.is_none() {
            cautions.push(format!("{}: not measured", operator.name));
        }
        if let Some(largest) = largest.filter(|largest| *largest < 100e6) {
            let megabytes = largest / 1e6;
            let name = operator.name;
            cautions.push(format!("{name}: measured up to {megabytes:.0} MB, so 100 MB is an extrapolation"));
        }
    }
    cautions
}

/// The codec that represents compression in the model.
const CODEC_ID: &str = "compress.for";
const CODEC_NAME: &str = "frame-of-reference bit-packing";

fn figures(report: &Report, operator: Operator, threads: usize) -> Option<OperatorFigures> {
    let one_core = Sweep::of(report, operator.cpu, Side::Cpu, 1);
    let all_cores = Sweep::of(report, operator.cpu, Side::Cpu, threads);
    let gpu = Sweep::of(report, operator.gpu, Side::Gpu, 0);
    let end_to_end = Sweep::of(report, operator.end_to_end, Side::EndToEnd, 0);
    if one_core.is_none() && gpu.is_none() {
        return None;
    }
    let seconds = |sweep: &Option<Sweep<'_>>| sweep.as_ref().and_then(Sweep::seconds_per_100mb);
    let curve = |sweep: &Option<Sweep<'_>>| sweep.as_ref().and_then(Sweep::curve);
    let (one, all, kernel) = (seconds(&one_core), seconds(&all_cores), seconds(&gpu));
    Some(OperatorFigures {
        operator: operator.name.to_owned(),
        cpu_seconds_per_100mb: one,
        all_cores_seconds_per_100mb: all,
        gpu_seconds_per_100mb: kernel,
        gpu_parallelism: one.zip(kernel).and_then(|(one, kernel)| quotient(one, kernel)),
        cpu_parallelism: one.zip(all).and_then(|(one, all)| quotient(one, all)),
        one_core_curve: curve(&one_core),
        cpu_curve: curve(&all_cores),
        gpu_curve: curve(&gpu),
        end_to_end_curve: curve(&end_to_end),
    })
}

/// a/b, from the smallest a over the largest b to the opposite: wider than 95 %, and no assumption is needed.
fn quotient(a: Measured, b: Measured) -> Option<Measured> {
    let value = a.value / b.value;
    let interval = (a.interval.0 / b.interval.1, a.interval.1 / b.interval.0);
    (value.is_finite() && interval.0.is_finite() && interval.1.is_finite()).then_some(Measured { value, interval })
}

/// The route that is fastest at its largest size.
fn best_route<'report>(report: &'report Report, prefix: &str) -> Option<Sweep<'report>> {
    let mut ids: Vec<&str> = report.results.iter().map(|measurement| measurement.id.as_str()).collect();
    ids.retain(|id| id.starts_with(prefix));
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter()
        .filter_map(|id| Sweep::of(report, id, Side::EndToEnd, 0))
        .max_by(|a, b| a.top_speed().total_cmp(&b.top_speed()))
}

/// The rate of the curve, or of the largest size alone.
fn rate(sweep: &Sweep<'_>) -> Option<Measured> {
    match sweep.curve() {
        Some(curve) => Some(curve.figures().1),
        None => sweep.measurements.last().and_then(|measurement| speed(measurement)),
    }
}

/// The fixed cost of an operator whose data come from host memory and go back: the launch, and the fixed costs of the two routes
/// whose rates the model uses. Each of the three includes a wait for the GPU, and a submission of all of them waits once, so the
/// sum is high for the smallest inputs. The launch alone is low for all small inputs, by more.
fn fixed_cost(report: &Report) -> Option<Measured> {
    let launch = fastest(report, LAUNCH, Side::Gpu, 0).and_then(seconds)?;
    let transfers =
        [TO_GPU, FROM_GPU].into_iter().filter_map(|routes| Some(best_route(report, routes)?.curve()?.figures().0));
    // As in `quotient`, the ends of the intervals are combined, without assumptions.
    Some(transfers.fold(launch, |sum, transfer| Measured {
        value: sum.value + transfer.value,
        interval: (sum.interval.0 + transfer.interval.0, sum.interval.1 + transfer.interval.1),
    }))
}

fn gpu_speed(report: &Report, id: &str) -> Option<Measured> {
    fastest(report, id, Side::Gpu, 0).and_then(speed)
}

/// The calibrating measurement with the highest speed; with the shortest time where there is no speed.
fn fastest<'report>(report: &'report Report, id: &str, side: Side, threads: usize) -> Option<&'report Measurement> {
    let quickness = |measurement: &Measurement| {
        let time = measurement.time.map_or(f64::INFINITY, |time| time.median_s);
        measurement.gb_per_s().unwrap_or(1.0 / time)
    };
    report
        .results
        .iter()
        .filter(|measurement| measurement.id == id && measurement.side == side && measurement.threads == threads)
        .filter(|measurement| measurement.calibrates && measurement.time.is_some())
        .max_by(|a, b| quickness(a).total_cmp(&quickness(b)))
}

/// Input per second.
fn speed(measurement: &Measurement) -> Option<Measured> {
    let Time { median_s, ci95_s: (low, high), .. } = measurement.time?;
    let gb = measurement.bytes_logical / 1e9;
    (gb > 0.0).then_some(Measured { value: gb / median_s, interval: (gb / high, gb / low) })
}

/// Time of one repetition.
fn seconds(measurement: &Measurement) -> Option<Measured> {
    measurement.time.map(|time| Measured { value: time.median_s, interval: time.ci95_s })
}

#[cfg(test)]
mod tests;
