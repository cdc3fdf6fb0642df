//! The reports in `results/` are read, and this version's calibration of them has the figures that the documents give.
//!
//! The expected figures are those of another program with the same definitions, written in Python.

use std::path::Path;

use crossover_gpu_bench::calibration::calibrate;
use crossover_gpu_bench::report::{Report, Verified, file};

const FULL: &str = "nvidia-h100-80gb-hbm3-2026-11-26-full.json";
const QUICK: &str = "nvidia-h100-80gb-hbm3-2026-11-26-quick.json";

fn report(name: &str) -> Report {
    file::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(name)).expect("a report")
}

#[test]
fn every_published_time_was_verified_with_the_clocks_up() {
    for (name, count) in [(FULL, 219), (QUICK, 292)] {
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
    let calibration = calibrate(&report(QUICK)).expect("a calibration");
    // Launch 57.8 µs, transfers 59.9 µs to the GPU and 55.7 µs back.
    let fixed = calibration.fixed_seconds.expect("a fixed cost").value;
    assert!((fixed - 173.4e-6).abs() < 0.1e-6, "{fixed}");
    let validation = calibration.validation.expect("sizes were left out");
    let by_the_model = validation.points.iter().filter(|point| point.what.ends_with("by the model"));
    let errors: Vec<f64> =
        by_the_model.map(|point| 100.0 * (point.predicted_seconds / point.measured_seconds - 1.0)).collect();
    // Filter, join, aggregate, sort; 8 and 67 MB each.
    let expected = [-13.4, 2.1, -5.7, 5.7, -5.5, -3.0, 11.2, 5.5];
    assert_eq!(errors.len(), expected.len());
    for (error, expected) in errors.iter().zip(expected) {
        assert!((error - expected).abs() < 0.1, "{errors:?}");
    }
}
