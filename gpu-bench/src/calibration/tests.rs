//! A machine whose times follow known lines: calibration must find the lines again.

use crossover_harness::tool::Tool;

use super::*;
use crate::gpu::adapter::Description;
use crate::gpu::clock::TimingSource;
use crate::report::{Host, MeasuredAdapter, Measurement, SCHEMA, Verified};
use crate::sampling::StopReason;

const SIZES: [f64; 5] = [1e6, 4e6, 16e6, 64e6, 256e6];

fn measured(id: &str, side: Side, threads: usize, bytes: f64, seconds: f64) -> Measurement {
    Measurement {
        id: id.to_owned(),
        side,
        threads,
        variant: String::new(),
        params: [("bytes_out", bytes / 10.0), ("sends", 1.0), ("receives", 2.0)]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
        calibrates: true,
        bytes_logical: bytes,
        bytes_traffic: bytes,
        samples_s: vec![seconds; 12],
        batch: 1,
        time: Some(Time {
            median_s: seconds,
            iqr_s: 0.0,
            min_s: seconds,
            ci95_s: (seconds, seconds),
            n: 12,
            stop: StopReason::Precise,
            source: TimingSource::GpuTimestamps,
        }),
        roof_share: None,
        verified: Verified::Exact,
        warnings: Vec::new(),
        reason: None,
        ratio: None,
    }
}

/// 10 GB/s to the GPU and 20 GB/s back, each after 100 µs; launches take 50 µs. A filter: 1 GB/s on a core,
/// 4 GB/s on eight, 200 GB/s after 20 µs on the GPU.
fn machine() -> Report {
    let line = |fixed: f64, gb_per_s: f64, bytes: f64| fixed + bytes / 1e9 / gb_per_s;
    let mut results = vec![measured("launch.roundtrip", Side::Gpu, 0, 0.0, 50e-6)];
    for bytes in SIZES {
        let sent = line(100e-6, 10.0, bytes);
        let kernel = line(20e-6, 200.0, bytes);
        let received = |bytes: f64| line(100e-6, 20.0, bytes);
        results.extend([
            measured("transfer.h2d.pinned", Side::EndToEnd, 0, bytes, sent),
            measured("transfer.h2d.one_call", Side::EndToEnd, 0, bytes, 3.0 * sent),
            measured("transfer.d2h.pinned", Side::EndToEnd, 0, bytes, received(bytes)),
            measured("filter.ordered", Side::Cpu, 1, bytes, line(0.0, 1.0, bytes)),
            measured("filter.ordered", Side::Cpu, 8, bytes, line(10e-6, 4.0, bytes)),
            measured("filter.append", Side::Gpu, 0, bytes, kernel),
            measured(
                "end_to_end.filter",
                Side::EndToEnd,
                0,
                bytes,
                sent + 50e-6 + kernel + 100e-6 + received(bytes / 10.0),
            ),
        ]);
    }
    Report {
        schema: SCHEMA,
        tool: Tool { optimised: true, ..Tool::default() },
        time: "2026-01-02T03:04:05Z".to_owned(),
        suite: "full".to_owned(),
        host: Host { cpu: "Example CPU".to_owned(), ..Host::default() },
        adapter: Some(MeasuredAdapter {
            description: Description { name: "Example GPU".to_owned(), ..Description::default() },
            ..MeasuredAdapter::default()
        }),
        results,
        calibration: None,
        notes: Vec::new(),
        drift: None,
    }
}

fn near(found: Option<Measured>, expected: f64) {
    let found = found.expect("a figure").value;
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} instead of {expected}");
}

#[test]
fn the_lines_of_a_machine_are_found_again() {
    let calibration = calibrate(&machine()).expect("a calibration");
    assert_eq!((calibration.device.as_str(), calibration.date.as_str()), ("Example GPU", "2026-01-02"));
    near(calibration.to_gpu_gb_per_s, 10.0);
    near(calibration.from_gpu_gb_per_s, 20.0);
    // 50 µs to launch, 100 µs for each of the two transfers.
    near(calibration.fixed_seconds, 250e-6);
    let filter = &calibration.operators[0];
    near(filter.cpu_seconds_per_100mb, 0.1);
    near(filter.all_cores_seconds_per_100mb, 0.025 + 10e-6);
    near(filter.gpu_seconds_per_100mb, 0.5e-3 + 20e-6);
    near(filter.gpu_parallelism, 0.1 / 0.52e-3);
    near(filter.cpu_parallelism, 0.1 / 0.025_01);
}

#[test]
fn end_to_end_times_are_predicted_from_their_parts() {
    let validation = calibrate(&machine()).expect("a calibration").validation.expect("sizes were left out");
    // Sizes 1 and 3 of five are left out: on one core, on all, on the GPU, end to end from its parts and by the model.
    assert_eq!(validation.points.len(), 10);
    let errors = |model: bool| -> Vec<f64> {
        let points = validation.points.iter().filter(|point| point.what.ends_with("by the model") == model);
        points.map(|point| point.predicted_seconds - point.measured_seconds).collect()
    };
    assert!(errors(false).iter().all(|error| error.abs() < 1e-9), "{validation:?}");
    // The model has one transfer each way. The third one reads how many rows are kept: another 100 µs.
    assert!(errors(true).iter().all(|error| (error + 100e-6).abs() < 1e-9), "{validation:?}");
    let mut slow = machine();
    for measurement in &mut slow.results {
        if measurement.id == "end_to_end.filter"
            && let Some(time) = &mut measurement.time
        {
            time.median_s *= 2.0;
        }
    }
    let validation = calibrate(&slow).expect("a calibration").validation.expect("sizes were left out");
    let parts = validation.points.iter().find(|point| point.what.ends_with("from its parts")).expect("a prediction");
    assert!((parts.predicted_seconds / parts.measured_seconds - 0.5).abs() < 1e-6, "half of what was measured");
    assert!(validation.worst_error >= 0.5);
}

#[test]
fn what_must_be_known_before_applying_is_said() {
    let unmeasured = ["join: not measured", "aggregate: not measured", "sort: not measured"];
    assert_eq!(calibrate(&machine()).expect("a calibration").cautions, unmeasured);
    let mut doubtful = machine();
    doubtful.tool.optimised = false;
    doubtful.results.retain(|measurement| measurement.bytes_logical < 100e6);
    doubtful.results[1]
        .warnings
        .push("machine state changed: the reference copy was 10 % slower afterwards".to_owned());
    let calibration = calibrate(&doubtful).expect("a calibration");
    assert!(calibration.unoptimised);
    let expected =
        [&["without optimisation", "machine state changed", "filter: measured up to 64 MB"][..], &unmeasured].concat();
    assert_eq!(calibration.cautions.len(), expected.len());
    for (caution, expected) in calibration.cautions.iter().zip(expected) {
        assert!(caution.contains(expected), "{caution}");
    }
    doubtful.drift = Some(-0.35);
    let doubts = calibrate(&doubtful).expect("a calibration").doubts();
    assert!(
        matches!(&doubts[..], [one] if one.contains("changed by 35 %") && one.contains("at most 20 %")),
        "{doubts:?}"
    );
    assert!(calibrate(&machine()).expect("a calibration").doubts().is_empty());
    let small = Report { suite: "ci".to_owned(), ..machine() };
    assert_eq!(calibrate(&small), None, "times of the small suite mean nothing");
}

#[test]
fn of_several_forms_the_fastest_counts_and_sweeps_of_shares_do_not() {
    let mut report = machine();
    for bytes in SIZES {
        let mut better = measured("filter.append", Side::Gpu, 0, bytes, 20e-6 + bytes / 1e9 / 400.0);
        better.variant = "subgroups".to_owned();
        let mut sweep = measured("filter.append", Side::Gpu, 0, bytes, bytes / 1e9 / 4000.0);
        sweep.calibrates = false;
        report.results.extend([better, sweep]);
    }
    let calibration = calibrate(&report).expect("a calibration");
    near(calibration.operators[0].gpu_seconds_per_100mb, 0.25e-3 + 20e-6);
}

#[test]
fn failed_measurements_give_no_figure() {
    let mut report = machine();
    for measurement in &mut report.results {
        measurement.time = None;
    }
    assert_eq!(calibrate(&report), None);
    let mut report = machine();
    report.results.retain(|measurement| measurement.side == Side::Cpu);
    let calibration = calibrate(&report).expect("the CPU's part");
    assert_eq!((calibration.to_gpu_gb_per_s, calibration.operators[0].gpu_parallelism), (None, None));
    near(calibration.operators[0].cpu_seconds_per_100mb, 0.1);
}

#[test]
fn sizes_that_stay_in_a_cache_do_not_flatter_large_ones() {
    let mut report = machine();
    // 1 and 4 MB come from a cache at 40 GB/s; memory gives 10 GB/s.
    report.results.retain(|measurement| measurement.id != "filter.ordered");
    for bytes in SIZES {
        let rate = if bytes < 10e6 { 40.0 } else { 10.0 };
        report.results.push(measured("filter.ordered", Side::Cpu, 1, bytes, bytes / 1e9 / rate));
    }
    let filter = &calibrate(&report).expect("a calibration").operators[0];
    let curve = filter.one_core_curve.expect("a curve").curve;
    assert!((curve.gb_per_s - 10.0).abs() < 1e-6, "{curve:?}");
    // Between 64 and 256 MB, both at 10 GB/s.
    near(filter.cpu_seconds_per_100mb, 0.01);
}

#[test]
fn one_size_gives_a_time_but_no_curve() {
    let mut report = machine();
    report.results.retain(|measurement| measurement.bytes_logical == 64e6 || measurement.id.starts_with("launch"));
    let filter = &calibrate(&report).expect("a calibration").operators[0];
    assert_eq!(filter.gpu_curve, None);
    near(filter.cpu_seconds_per_100mb, 0.1);
}
