//! The reports in `results/` are read, and this version's calibration of them has the figures that the documents give.
//!
//! The expected figures are those of another program with the same definitions, written in Python.

use std::fs;
use std::path::{Path, PathBuf};

use crossover_gpu_bench::calibration::calibrate;
use crossover_gpu_bench::report::{Measurement, Report, Side, Verified, file};
use crossover_measured::sharing::SharingReport;

/// Before the kernels were tuned.
const FULL: &str = "nvidia-h100-80gb-hbm3-2026-11-26-full.json";
const QUICK: &str = "nvidia-h100-80gb-hbm3-2026-11-26-quick.json";

/// After it.
const TUNED_QUICK: &str = "nvidia-h100-80gb-hbm3-2026-11-27-quick.json";
const TUNED_KERNELS: &str = "nvidia-h100-80gb-hbm3-2026-11-27-kernels.json";
const TUNED_END_TO_END: &str = "nvidia-h100-80gb-hbm3-2026-11-27-end-to-end.json";
const SHARE: &str = "nvidia-h100-80gb-hbm3-2026-11-27-share.json";
const SHARE_MPS: &str = "nvidia-h100-80gb-hbm3-2026-11-27-share-mps.json";

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(name)
}

fn report(name: &str) -> Report {
    file::read(&path(name)).expect("a report")
}

fn sharing(name: &str) -> SharingReport {
    serde_json::from_str(&fs::read_to_string(path(name)).expect("a file")).expect("a report of two programs")
}

/// The measurement of the size sweep of a kernel with this many bytes of input.
fn kernel<'report>(report: &'report Report, id: &str, variant: &str, bytes: f64) -> &'report Measurement {
    let is_it = |result: &&Measurement| {
        (&*result.id, &*result.variant, result.side) == (id, variant, Side::Gpu)
            && result.calibrates
            && result.time.is_some()
            && (result.bytes_logical - bytes).abs() < 1.0
    };
    report.results.iter().find(is_it).expect("the kernel was measured")
}

/// By the model, for the end-to-end sizes that were not fitted, percent.
fn errors_by_the_model(report: &Report) -> Vec<f64> {
    let validation = calibrate(report).expect("a calibration").validation.expect("sizes were left out");
    let by_the_model = validation.points.iter().filter(|point| point.what.ends_with("by the model"));
    by_the_model.map(|point| 100.0 * (point.predicted_seconds / point.measured_seconds - 1.0)).collect()
}

fn assert_errors(errors: &[f64], expected: &[f64]) {
    assert_eq!(errors.len(), expected.len(), "{errors:?}");
    for (error, expected) in errors.iter().zip(expected) {
        assert!((error - expected).abs() < 0.1, "{errors:?}");
    }
}

#[test]
fn every_published_time_was_verified_with_the_clocks_up() {
    let counts = [(FULL, 219), (QUICK, 292), (TUNED_QUICK, 180), (TUNED_KERNELS, 53), (TUNED_END_TO_END, 31)];
    for (name, count) in counts {
        let report = report(name);
        assert!(report.tool.optimised && report.adapter.is_some_and(|adapter| adapter.clocks_held), "{name}");
        let measured: Vec<_> = report.results.iter().filter(|result| result.time.is_some()).collect();
        assert_eq!(measured.len(), count, "{name}");
        for result in measured {
            assert!(!matches!(result.verified, Verified::Failed | Verified::Skipped), "{name}: {}", result.id);
            assert!(result.warnings.is_empty(), "{name}: {}: {:?}", result.id, result.warnings);
        }
    }
}

#[test]
fn the_model_predicts_end_to_end_times_with_the_published_errors() {
    // Launch 57.8 µs, transfers 59.9 µs to the GPU and 55.7 µs back; 71.8, 74.7 and 76.6 µs a day later. Errors of filter, join,
    // aggregate and sort; 8 and 67 MB each.
    let runs = [
        (QUICK, 173.4e-6, [-13.4, 2.1, -5.7, 5.7, -5.5, -3.0, 11.2, 5.5]),
        (TUNED_QUICK, 223.1e-6, [12.6, 13.9, -2.0, 10.2, -0.1, 5.0, 16.9, 8.0]),
    ];
    for (name, expected_fixed, expected) in runs {
        let report = report(name);
        let fixed = calibrate(&report).and_then(|calibration| calibration.fixed_seconds).expect("a fixed cost").value;
        assert!((fixed - expected_fixed).abs() < 0.1e-6, "{name}: {fixed}");
        assert_errors(&errors_by_the_model(&report), &expected);
    }
}

#[test]
fn a_quick_suite_predicts_larger_end_to_end_times_with_the_published_errors() {
    let mut joined = report(TUNED_QUICK);
    joined.results.retain(|result| !result.id.starts_with("end_to_end."));
    joined.results.extend(report(TUNED_END_TO_END).results);
    // Filter, join, aggregate, sort; 4, 67 and 268 MB each.
    let expected = [8.3, 1.9, 9.9, 2.0, 11.2, 13.2, 14.4, 2.2, 11.5, 16.9, -0.7, 12.1];
    assert_errors(&errors_by_the_model(&joined), &expected);
}

#[test]
fn tuned_kernels_have_the_published_speeds() {
    let (before, now) = (report(FULL), report(TUNED_KERNELS));
    // Kernel, variant, MB of input in binary megabytes; times as fast as before, and GB/s of traffic now.
    let published = [
        ("filter.append", "", 64.0, 1.16, 1_556.0),
        ("filter.append", "", 512.0, 1.42, 2_196.0),
        ("filter.append", "", 1_024.0, 1.43, 2_233.0),
        ("join.probe_materialise", "", 1.0, 1.41, 204.0),
        ("join.probe_materialise", "", 1_024.0, 1.69, 513.0),
        ("aggregate.group_by", "", 16.0, 2.52, 842.0),
        ("aggregate.group_by", "", 64.0, 1.90, 1_366.0),
        ("aggregate.group_by", "", 256.0, 1.00, 1_694.0),
        ("aggregate.group_by", "", 1_024.0, 1.00, 2_187.0),
        ("sort.keys", "subgroups", 1.0, 1.02, 28.0),
        ("sort.keys", "subgroups", 64.0, 1.42, 183.0),
        ("sort.keys", "subgroups", 256.0, 1.44, 198.0),
    ];
    for (id, variant, mebibytes, faster, gb_per_s) in published {
        let bytes = mebibytes * 1_048_576.0;
        let before = kernel(&before, id, variant, bytes).time.expect("a time").median_s;
        let now = kernel(&now, id, variant, bytes);
        let ratio = before / now.time.expect("a time").median_s;
        assert!((ratio - faster).abs() < 0.006, "{id}, {mebibytes} MiB: {ratio}");
        let speed = now.traffic_gb_per_s().expect("a speed");
        assert!((speed - gb_per_s).abs() < 0.6, "{id}, {mebibytes} MiB: {speed}");
    }
}

#[test]
fn two_programs_had_the_published_progress() {
    let alternating = sharing(SHARE);
    let together = sharing(SHARE_MPS);
    // Uncontrolled, then time slices or shares of 70:30.
    let published = [
        (&alternating, 0, [0.51, 0.52], 1.02),
        (&alternating, 1, [0.52, 0.56], 1.08),
        (&together, 0, [0.94, 0.35], 1.30),
        (&together, 1, [0.72, 0.79], 1.51),
    ];
    for (report, setting, each, sum) in published {
        let progress = report.progress(setting).expect("a measured setting");
        for (progress, expected) in progress.each.iter().zip(each) {
            assert!((progress.median - expected).abs() < 0.006, "{progress:?}");
        }
        assert!((progress.sum.median - sum).abs() < 0.006, "{progress:?}");
    }
    for (report, throughput) in [(&alternating, 1.09), (&together, 1.15)] {
        let measured = report.queue_throughput().expect("a queue").median;
        assert!((measured - throughput).abs() < 0.006, "{measured}");
    }
}
