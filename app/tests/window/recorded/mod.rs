//! A recorded run of a machine that does not exist, and programs that play it as the measuring process would.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crossover_gpu_bench::calibration::{OPERATORS, Operator};
use crossover_gpu_bench::gpu::adapter::Description;
use crossover_gpu_bench::gpu::clock::TimingSource;
use crossover_gpu_bench::report::{Host, MeasuredAdapter, Measurement, Report, SCHEMA, Side, Time, Verified};
use crossover_gpu_bench::runner::Event;
use crossover_gpu_bench::sampling::StopReason;
use crossover_harness::tool::Tool;
use crossover_measured::calibration::{
    Calibration, CostCurve, Measured, MeasuredCurve, OperatorFigures, Prediction, Validation,
};

const MIB: f64 = 1_048_576.0;

/// Fixed seconds and GB/s.
type Line = (f64, f64);

/// Lines of each operator on one core, on all cores, on the GPU, and end to end.
const LINES: [[Line; 4]; 4] = [
    [(5e-6, 2.5), (3e-5, 15.0), (1.2e-5, 900.0), (8e-5, 20.0)],
    [(5e-6, 0.25), (3e-5, 1.6), (2e-5, 120.0), (9e-5, 12.0)],
    [(5e-6, 0.8), (3e-5, 5.0), (1.5e-5, 300.0), (8e-5, 16.0)],
    [(5e-6, 0.12), (3e-5, 0.8), (6e-5, 20.0), (1.2e-4, 8.0)],
];

fn figure(value: f64) -> Measured {
    Measured { value, interval: (value * 0.98, value * 1.02) }
}

fn curve((fixed_seconds, gb_per_s): Line) -> MeasuredCurve {
    MeasuredCurve {
        curve: CostCurve { fixed_seconds, gb_per_s },
        fixed_seconds_interval: (fixed_seconds * 0.9, fixed_seconds * 1.1),
        gb_per_s_interval: (gb_per_s * 0.98, gb_per_s * 1.02),
        r_squared: 0.999,
    }
}

fn measurement(id: &str, side: Side, threads: usize, bytes: f64, seconds: f64) -> Measurement {
    Measurement {
        id: id.to_owned(),
        side,
        threads,
        variant: String::new(),
        params: BTreeMap::from([("rows".to_owned(), bytes / 4.0)]),
        calibrates: true,
        bytes_logical: bytes,
        bytes_traffic: bytes,
        samples_s: vec![seconds; 3],
        batch: 1,
        time: Some(Time {
            median_s: seconds,
            iqr_s: seconds * 0.01,
            min_s: seconds * 0.99,
            ci95_s: (seconds * 0.99, seconds * 1.01),
            n: 12,
            stop: StopReason::Precise,
            source: if side == Side::Gpu { TimingSource::GpuTimestamps } else { TimingSource::WallClock },
        }),
        roof_share: None,
        verified: Verified::Exact,
        warnings: Vec::new(),
        reason: None,
        ratio: None,
    }
}

fn without_number(id: &str, variant: &str, verified: Verified, reason: &str) -> Measurement {
    Measurement {
        variant: variant.to_owned(),
        time: None,
        verified,
        reason: Some(reason.to_owned()),
        ..measurement(id, Side::Gpu, 0, 64.0 * MIB, 1.0)
    }
}

fn results(is_software: bool) -> Vec<Measurement> {
    let mut results = Vec::new();
    let launch = measurement("launch.empty", Side::Gpu, 0, 0.0, 9.5e-6);
    results.push(Measurement { verified: Verified::NothingToCheck, params: BTreeMap::new(), ..launch });
    results.push(measurement("transfer.to_gpu", Side::Gpu, 0, 128.0 * MIB, 128.0 * MIB / 24.6e9));
    for mib in [1.0, 8.0, 32.0, 64.0, 128.0] {
        let copy = measurement("memory.copy", Side::Gpu, 0, mib * MIB, 4e-6 + 2.0 * mib * MIB / 1500e9);
        results.push(Measurement { bytes_traffic: 2.0 * mib * MIB, roof_share: Some(1.0), ..copy });
    }
    for (index, (ids, curves)) in OPERATORS.into_iter().zip(LINES).enumerate() {
        let time = |(fixed, rate): Line, bytes: f64| fixed + bytes / rate / 1e9;
        for mib in [1.0, 4.0, 8.0, 16.0, 32.0] {
            for (threads, curve) in [(1, curves[0]), (8, curves[1])] {
                results.push(measurement(ids.cpu, Side::Cpu, threads, mib * MIB, time(curve, mib * MIB)));
            }
        }
        for mib in [1.0, 8.0, 32.0, 64.0, 128.0] {
            let gpu = measurement(ids.gpu, Side::Gpu, 0, mib * MIB, time(curves[2], mib * MIB));
            let share = [0.82, 0.31, 0.54, 0.12][index];
            results.push(Measurement { roof_share: Some(share), verified: Verified::Digest, ..gpu });
            results.push(measurement(ids.end_to_end, Side::EndToEnd, 0, mib * MIB, time(curves[3], mib * MIB)));
        }
    }
    results.push(without_number("scan.single_pass", "subgroups", Verified::Skipped, "the device has no subgroups"));
    results.push(without_number("memory.gather", "", Verified::Failed, "word 7 is 3, not 2"));
    if is_software {
        for one in &mut results {
            one.roof_share = None;
        }
    }
    results
}

fn calibration(is_software: bool) -> Calibration {
    let operator = |(ids, curves): (Operator, [Line; 4])| OperatorFigures {
        operator: ids.name.to_owned(),
        cpu_seconds_per_100mb: Some(figure(curves[0].0 + 0.1 / curves[0].1)),
        all_cores_seconds_per_100mb: Some(figure(curves[1].0 + 0.1 / curves[1].1)),
        gpu_seconds_per_100mb: Some(figure(curves[2].0 + 0.1 / curves[2].1)),
        gpu_parallelism: Some(figure(curves[2].1 / curves[0].1)),
        cpu_parallelism: Some(figure(6.2)),
        one_core_curve: Some(curve(curves[0])),
        cpu_curve: Some(curve(curves[1])),
        gpu_curve: Some(curve(curves[2])),
        end_to_end_curve: Some(curve(curves[3])),
    };
    let prediction = |what: &str, mib: f64, predicted: f64, measured: f64| Prediction {
        what: what.to_owned(),
        bytes: mib * MIB,
        predicted_seconds: predicted,
        measured_seconds: measured,
    };
    Calibration {
        device: name(is_software).to_owned(),
        date: "2026-01-02".to_owned(),
        software: is_software,
        cpu: "Example CPU".to_owned(),
        threads: 8,
        to_gpu_gb_per_s: Some(figure(24.6)),
        from_gpu_gb_per_s: Some(figure(22.1)),
        memory_gb_per_s: Some(figure(80.0)),
        fixed_seconds: Some(figure(9.5e-6)),
        operators: OPERATORS.into_iter().zip(LINES).map(operator).collect(),
        validation: Some(Validation {
            points: vec![
                prediction("filter, end to end", 32.0, 1.85e-3, 1.91e-3),
                prediction("join, all cores", 8.0, 5.27e-3, 5.13e-3),
                prediction("sort, GPU", 64.0, 3.42e-3, 3.61e-3),
            ],
            median_error: 0.031,
            worst_error: 0.053,
        }),
        ..Calibration::default()
    }
}

fn name(is_software: bool) -> &'static str {
    if is_software { "Example rasteriser" } else { "Example GPU" }
}

/// An adapter that does not exist.
pub(crate) fn device(is_software: bool) -> Description {
    Description {
        name: name(is_software).to_owned(),
        kind: if is_software { "software" } else { "discrete" }.to_owned(),
        backend: "vulkan".to_owned(),
        software: is_software,
        ..Description::default()
    }
}

/// The whole report.
pub(crate) fn report(is_software: bool) -> Report {
    Report {
        schema: SCHEMA,
        tool: Tool { version: "0.1.0".to_owned(), optimised: true, target_features: Vec::new() },
        time: "2026-01-02T10:11:12Z".to_owned(),
        suite: "quick".to_owned(),
        host: Host { cpu: "Example CPU".to_owned(), logical_cores: 8, ..Host::default() },
        adapter: Some(MeasuredAdapter { description: device(is_software), ..MeasuredAdapter::default() }),
        results: results(is_software),
        calibration: Some(calibration(is_software)),
        notes: Vec::new(),
        drift: None,
    }
}

/// The events of a whole run, in order.
pub(crate) fn events(is_software: bool) -> Vec<Event> {
    let report = report(is_software);
    let empty = Report { results: Vec::new(), calibration: None, ..report.clone() };
    let mut events = vec![Event::Planned { total: report.results.len(), report: Box::new(empty) }];
    for (index, measurement) in report.results.iter().enumerate() {
        let what = format!("{}, {}", measurement.id, measurement.side.label());
        events.push(Event::Started { index, what });
        events.push(Event::Finished { index, measurement: Box::new(measurement.clone()) });
    }
    events.push(Event::Ended { report: Box::new(report) });
    events
}

/// A program that lists `devices`, and for a measurement runs a piece of shell in which `$events` is the file of
/// the recorded events, one in each line.
pub(crate) fn program(folder: &Path, devices: &[Description], measure: &str, is_software: bool) -> PathBuf {
    let lines: Vec<String> =
        events(is_software).iter().map(|event| serde_json::to_string(event).expect("an event")).collect();
    let mut cancelled = report(is_software);
    cancelled.results.truncate(10);
    cancelled.calibration = None;
    cancelled.notes.push("cancelled after 10 of 89 measurements".to_owned());
    let cancelled = serde_json::to_string(&Event::Ended { report: Box::new(cancelled) }).expect("an event");
    std::fs::write(folder.join("cancelled.jsonl"), cancelled + "\n").expect("written");
    let (list, recorded) = (folder.join("list.json"), folder.join("events.jsonl"));
    std::fs::write(&list, serde_json::to_string_pretty(devices).expect("a list")).expect("written");
    std::fs::write(&recorded, lines.join("\n") + "\n").expect("written");
    let script = format!(
        "#!/bin/sh\nfolder='{}'\nevents=\"$folder/events.jsonl\"\necho \"$@\" >> \"$folder/arguments\"\n\
         if [ \"$2\" = list ]; then cat \"$folder/list.json\"; exit; fi\necho $$ > \"$folder/pid\"\n{measure}\n",
        folder.display()
    );
    let path = folder.join("measure.sh");
    std::fs::write(&path, script).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("made executable");
    path
}
