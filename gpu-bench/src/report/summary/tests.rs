//! The text of whole reports.

use crossover_measured::calibration::{
    Calibration, CostCurve, Measured, MeasuredCurve, OperatorFigures, Prediction, Validation,
};

use super::super::example;
use super::*;

/// A filter that all cores do in 11 ms per 100 MB and the GPU in 1.1 ms, or 5.1 ms with transfers.
fn calibration() -> Calibration {
    let figure = |value: f64| Some(Measured { value, interval: (value * 0.9, value * 1.1) });
    let curve = |fixed_seconds: f64, gb_per_s: f64| {
        Some(MeasuredCurve {
            curve: CostCurve { fixed_seconds, gb_per_s },
            fixed_seconds_interval: (fixed_seconds * 0.5, fixed_seconds * 1.5),
            gb_per_s_interval: (gb_per_s * 0.9, gb_per_s * 1.1),
            r_squared: 0.999,
        })
    };
    Calibration {
        device: "Example GPU 9000".to_owned(),
        to_gpu_gb_per_s: figure(50.0),
        fixed_seconds: figure(2e-5),
        operators: vec![OperatorFigures {
            operator: "filter".to_owned(),
            cpu_seconds_per_100mb: figure(0.044),
            all_cores_seconds_per_100mb: figure(0.011),
            gpu_seconds_per_100mb: figure(0.0011),
            gpu_parallelism: figure(40.0),
            cpu_parallelism: figure(4.0),
            cpu_curve: curve(0.001, 10.0),
            gpu_curve: curve(0.0001, 100.0),
            end_to_end_curve: curve(0.0001, 20.0),
            ..OperatorFigures::default()
        }],
        validation: Some(Validation {
            points: vec![Prediction {
                what: "filter, GPU".to_owned(),
                bytes: 64e6,
                predicted_seconds: 0.00074,
                measured_seconds: 0.0008,
            }],
            median_error: 0.075,
            worst_error: 0.075,
        }),
        ..Calibration::default()
    }
}

fn calibrated() -> Report {
    Report { calibration: Some(calibration()), ..example::report() }
}

#[test]
fn a_report_reads_in_a_terminal() {
    insta::assert_snapshot!(text_report(&calibrated()).terminal());
}

#[test]
fn a_report_reads_as_markdown() {
    insta::assert_snapshot!(text_report(&example::report()).markdown());
}

/// 11 ms / 1.1 ms = 10; 11 ms / 5.1 ms = 2.157; 100 MB at 50 GB/s take 2 ms.
#[test]
fn kernel_transfer_and_end_to_end_are_told_apart() {
    let text = text_report(&calibrated()).terminal();
    let line = text.lines().rev().find(|line| line.starts_with("filter   ") && line.contains('×')).expect("speedups");
    let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells, ["filter", "11 ms", "1.1 ms", "10×", "2 ms", "5.1 ms", "2.157×"]);
}

#[test]
fn a_software_adapter_never_has_a_speedup() {
    let mut report = calibrated();
    report.calibration.as_mut().expect("calibrated").software = true;
    report.adapter.as_mut().expect("an adapter").description.software = true;
    let document = text_report(&report);
    for text in [document.terminal(), document.markdown()] {
        assert!(text.contains("software adapter: no GPU speedup"), "{text}");
        assert!(!text.contains('×') || text.matches('×').count() == text.matches("5.0 ×16").count(), "{text}");
        assert!(!text.contains("GPU parallelism"), "{text}");
    }
}

#[test]
fn a_measurement_without_a_time_says_why_and_one_timed_otherwise_says_so() {
    let mut report = example::report();
    report.results[1].time.as_mut().expect("a time").source = TimingSource::WallClock;
    report.results[1].warnings.push("machine state changed: the reference copy was 9 % slower afterwards".to_owned());
    let text = text_report(&report).terminal();
    assert!(
        text.contains("timed by wall clock; machine state changed: the reference copy was 9 % slower afterwards\n"),
        "{text}"
    );
    assert!(text.contains("cancelled\n"), "{text}");
}

#[test]
fn a_report_of_nothing_says_so() {
    let report = Report { adapter: None, results: Vec::new(), notes: Vec::new(), ..example::report() };
    let text = text_report(&report).terminal();
    assert!(text.contains("GPU       none\n") && text.ends_with("\nNo measurements.\n"), "{text}");
}

#[test]
fn a_debug_build_is_a_caution() {
    let mut report = example::report();
    report.tool.optimised = false;
    let expected =
        ["built without optimisation; its figures are not comparable", "cancelled after 3 of 4 measurements"];
    assert_eq!(cautions(&report), expected);
}

#[test]
fn numbers_that_no_machine_has_are_still_written() {
    let mut report = calibrated();
    for measurement in &mut report.results {
        measurement.bytes_logical = f64::MAX;
        measurement.params.insert("rows".to_owned(), f64::MAX);
        if let Some(time) = &mut measurement.time {
            time.median_s = f64::MIN_POSITIVE;
        }
    }
    let text = text_report(&report).terminal();
    assert!(text.contains("∞") && text.lines().all(|line| line.chars().count() < 300), "{text}");
}
