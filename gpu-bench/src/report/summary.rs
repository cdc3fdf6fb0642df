//! A report as text: the machine, the measurements by group, and the calibration.

mod calibration;

use crossover_harness::tool::NOT_OPTIMISED;
use crossover_quantity::text::{Column, Table, TextReport, counted};

use super::{MeasuredAdapter, Measurement, Report, Side, Verified};
use crate::gpu::clock::TimingSource;
use crate::quantity;

/// The whole report.
#[must_use]
pub fn text_report(report: &Report) -> TextReport {
    let mut text_report = TextReport::default();
    text_report.facts(facts(report));
    for (group, measurements) in groups(report) {
        text_report.heading(group).table(measured(report, &measurements));
    }
    if report.results.is_empty() {
        text_report.paragraph("No measurements.");
    }
    if let Some(calibration) = &report.calibration {
        calibration::write(calibration, &mut text_report);
    }
    text_report
}

/// Cautions for all numbers of a report: a debug build, a software adapter, the notes.
#[must_use]
pub fn cautions(report: &Report) -> Vec<String> {
    let mut cautions = Vec::new();
    if !report.tool.optimised {
        cautions.push(NOT_OPTIMISED.to_owned());
    }
    if report.adapter.as_ref().is_some_and(|adapter| adapter.description.software) {
        cautions.push(format!("{SOFTWARE}; its figures are not those of a GPU"));
    }
    cautions.extend(report.notes.iter().cloned());
    cautions
}

/// The parameters of a measurement: "rows 262.1 k, selectivity 0.1".
#[must_use]
pub fn parameters(measurement: &Measurement) -> String {
    let (rows, others): (Vec<_>, Vec<_>) = measurement.params.iter().partition(|(name, _)| *name == "rows");
    let given = rows.into_iter().filter(|(_, rows)| **rows > 0.0).chain(others);
    given.map(|(name, value)| quantity::parameter(name, *value)).collect::<Vec<_>>().join(", ")
}

const SOFTWARE: &str = "software adapter: no GPU speedup";

fn facts(report: &Report) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut fact = |name: &str, text: String| facts.push((name.to_owned(), text));
    let host = &report.host;
    fact("Measured", format!("{}, suite {}, gpu-bench {}", date(&report.time), report.suite, report.tool.version));
    let known = [host.cpu.clone(), threads(report), host.isa.clone(), memory(host.ram_bytes), host.os.clone()];
    fact("Machine", joined(known));
    let features = &report.tool.target_features;
    let beyond = if features.is_empty() { "its baseline".to_owned() } else { features.join(", ") };
    fact("CPU code", format!("compiled for {} with {beyond}", host.isa));
    match &report.adapter {
        None => fact("GPU", "none".to_owned()),
        Some(adapter) => {
            fact("GPU", gpu(adapter));
            fact("Timing", timing(adapter));
        }
    }
    for caution in cautions(report) {
        fact("Note", caution);
    }
    facts
}

fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// "2026-01-02 03:04:05 UTC"; what is no time stays as it is.
fn date(time: &str) -> String {
    let parsed: Result<jiff::Timestamp, _> = time.parse();
    parsed.map_or_else(|_| time.to_owned(), |time| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

fn threads(report: &Report) -> String {
    match (report.host.physical_cores, report.host.logical_cores) {
        (_, 0) => String::new(),
        (0, threads) => counted(threads as f64, "thread"),
        (cores, threads) => format!("{}, {}", counted(cores as f64, "core"), counted(threads as f64, "thread")),
    }
}

fn memory(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { quantity::bytes(bytes as f64) }
}

fn gpu(adapter: &MeasuredAdapter) -> String {
    let description = &adapter.description;
    let kind = if description.software { SOFTWARE.to_owned() } else { description.kind.clone() };
    let driver = [description.driver.as_str(), description.driver_info.as_str()].join(" ");
    let link = description.link.map(|link| format!("{}, {} GB/s", link.label(), quantity::gb_per_s(link.gb_per_s())));
    joined([
        description.name.clone(),
        kind,
        description.backend.clone(),
        driver.trim().to_owned(),
        link.unwrap_or_default(),
    ])
}

fn timing(adapter: &MeasuredAdapter) -> String {
    let test = adapter.self_test;
    let outcome = if test.gpu_seconds > 0.0 {
        let (gpu, wall) = (quantity::seconds(test.gpu_seconds), quantity::seconds(test.wall_seconds));
        let verdict = if test.passed { "passed" } else { "failed" };
        format!("self-test {verdict}: {gpu} by the GPU, {wall} by the wall clock")
    } else {
        "no usable timestamps".to_owned()
    };
    let clocks = if adapter.clocks_held { "; clocks held up by an idle CUDA context" } else { "" };
    format!("{}; {outcome}{clocks}", source(adapter.timing_source))
}

fn source(source: TimingSource) -> &'static str {
    match source {
        TimingSource::GpuTimestamps => "GPU timestamps",
        TimingSource::WallClock => "wall clock",
    }
}

/// Measurements by the group before the dot of their ids, in the order of first appearance.
fn groups(report: &Report) -> Vec<(&str, Vec<&Measurement>)> {
    let mut groups: Vec<(&str, Vec<&Measurement>)> = Vec::new();
    for measurement in &report.results {
        let name = measurement.id.split('.').next().unwrap_or_default();
        match groups.iter_mut().find(|(group, _)| *group == name) {
            Some((_, members)) => members.push(measurement),
            None => groups.push((name, vec![measurement])),
        }
    }
    groups
}

fn measured(report: &Report, measurements: &[&Measurement]) -> Table {
    let columns = vec![
        Column::text("id"),
        Column::text("side"),
        Column::number("threads"),
        Column::text("variant"),
        Column::text("parameters"),
        Column::number("median"),
        Column::number("95 % interval"),
        Column::number("input GB/s"),
        Column::number("traffic GB/s"),
        Column::number("rows/s"),
        Column::number("share of roof"),
        Column::number("ratio"),
        Column::text("verified"),
        Column::text("remarks"),
    ];
    let rows = measurements.iter().map(|measurement| row(report, measurement)).collect();
    Table { columns, rows }.without_empty_columns()
}

fn row(report: &Report, measurement: &Measurement) -> Vec<String> {
    let optional = |value: Option<f64>, format: fn(f64) -> String| value.map(format).unwrap_or_default();
    let time = measurement.time;
    vec![
        measurement.id.clone(),
        measurement.side.label().to_owned(),
        if measurement.threads > 0 { measurement.threads.to_string() } else { String::new() },
        measurement.variant.clone(),
        parameters(measurement),
        optional(time.map(|time| time.median_s), quantity::seconds),
        time.map(|time| interval(time.ci95_s, quantity::seconds)).unwrap_or_default(),
        optional(measurement.gb_per_s(), quantity::gb_per_s),
        optional(measurement.traffic_gb_per_s(), quantity::gb_per_s),
        optional(measurement.rows_per_s(), quantity::count),
        optional(measurement.roof_share, quantity::share),
        optional(measurement.ratio, quantity::number),
        verified(measurement.verified).to_owned(),
        remarks(report, measurement),
    ]
}

/// "1.95 ms – 2.05 ms".
pub(super) fn interval((low, high): (f64, f64), format: fn(f64) -> String) -> String {
    format!("{} – {}", format(low), format(high))
}

fn verified(verified: Verified) -> &'static str {
    match verified {
        Verified::Exact => "exact",
        Verified::Digest => "digest",
        Verified::Failed => "FAILED",
        Verified::NothingToCheck => "nothing to check",
        Verified::Skipped => "",
    }
}

/// Why there is no time, an unusual time source, and warnings.
fn remarks(report: &Report, measurement: &Measurement) -> String {
    let usual = report.adapter.as_ref().map(|adapter| adapter.timing_source);
    let unusual =
        measurement.time.map(|time| time.source).filter(|time| measurement.side == Side::Gpu && usual != Some(*time));
    let reason = measurement.reason.iter().cloned();
    let timed = unusual.map(|unusual| format!("timed by {}", source(unusual)));
    reason.chain(timed).chain(measurement.warnings.iter().cloned()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests;
