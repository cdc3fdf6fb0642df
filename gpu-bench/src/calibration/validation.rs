//! Validation: predictions for sizes that were not fitted, and for whole operators from their parts: transfer in,
//! launch, kernel, transfer out.

use crossover_harness::statistics::quantile;
use crossover_measured::calibration::{Calibration, Measured, Prediction, Validation};

use super::sweep::Sweep;
use super::{FROM_GPU, LAUNCH, OPERATORS, TO_GPU, fastest, seconds};
use crate::report::{Measurement, Report, Side};

/// Predicted against measured, for every size that no curve was fitted to. `None` if there is no such size.
pub(super) fn validate(report: &Report, threads: usize, calibration: &Calibration) -> Option<Validation> {
    let mut points = Vec::new();
    for operator in OPERATORS {
        for (id, side, threads, label) in [
            (operator.cpu, Side::Cpu, 1, "one core"),
            (operator.cpu, Side::Cpu, threads, "all cores"),
            (operator.gpu, Side::Gpu, 0, "GPU kernel"),
        ] {
            if label == "all cores" && threads == 1 {
                continue;
            }
            let Some(sweep) = Sweep::of(report, id, side, threads) else { continue };
            let Some(curve) = sweep.curve() else { continue };
            let what = format!("{}, {label}", operator.name);
            points.extend(
                sweep
                    .left_out()
                    .iter()
                    .filter_map(|left_out| prediction(&what, left_out, curve.seconds(left_out.bytes_logical))),
            );
        }
        points.extend(end_to_end(report, operator.name, operator.gpu, operator.end_to_end));
        points.extend(by_the_model(report, operator.name, operator.end_to_end, calibration));
    }
    let mut errors: Vec<f64> = points.iter().map(error).collect();
    errors.sort_by(f64::total_cmp);
    let worst_error = *errors.last()?;
    let median_error = quantile(&errors, 0.5);
    Some(Validation { points, median_error, worst_error })
}

/// The parts of an operator added up, for the end-to-end sizes left out of its own curve. The transfers are those
/// of pinned memory, which the end-to-end measurements use.
fn end_to_end(report: &Report, name: &str, gpu: &str, id: &str) -> Vec<Prediction> {
    let pinned = |direction: &str| Sweep::of(report, &format!("{direction}pinned"), Side::EndToEnd, 0)?.curve();
    let parts = || {
        let kernel = Sweep::of(report, gpu, Side::Gpu, 0)?.curve()?;
        let launch = fastest(report, LAUNCH, Side::Gpu, 0).and_then(seconds)?.value;
        Some((pinned(TO_GPU)?, launch, kernel, pinned(FROM_GPU)?))
    };
    let Some((to_gpu, launch, kernel, from_gpu)) = parts() else { return Vec::new() };
    let Some(sweep) = Sweep::of(report, id, Side::EndToEnd, 0) else { return Vec::new() };
    let predict = |measurement: &&Measurement| {
        // Several columns are several transfers, each with its fixed cost.
        let more = |transfers: &str| Some(measurement.param(transfers)? - 1.0);
        let sent = to_gpu.seconds(measurement.bytes_logical) + more("sends")? * to_gpu.curve.fixed_seconds;
        let received =
            from_gpu.seconds(measurement.param("bytes_out")?) + more("receives")? * from_gpu.curve.fixed_seconds;
        let total = sent + launch + kernel.seconds(measurement.bytes_logical) + received;
        prediction(&format!("{name}, end to end from its parts"), measurement, total)
    };
    sweep.left_out().iter().filter_map(predict).collect()
}

/// The prediction of the placement model with these figures on one machine, `D/b + f + a_g + D/b_g + σ·D/b′`, for the same
/// sizes. It uses the best routes; f covers one transfer each way, whatever their number is.
fn by_the_model(report: &Report, name: &str, id: &str, calibration: &Calibration) -> Vec<Prediction> {
    let figures = || {
        let operator = calibration.operators.iter().find(|operator| operator.operator == name)?;
        let value = |figure: Option<Measured>| figure.map(|figure| figure.value);
        let to_gpu = value(calibration.to_gpu_gb_per_s)?;
        let from_gpu = value(calibration.from_gpu_gb_per_s)?;
        Some((to_gpu, value(calibration.fixed_seconds)?, operator.gpu_curve?, from_gpu))
    };
    let Some((to_gpu, fixed, kernel, from_gpu)) = figures() else { return Vec::new() };
    let Some(sweep) = Sweep::of(report, id, Side::EndToEnd, 0) else { return Vec::new() };
    let predict = |measurement: &&Measurement| {
        let (sent, received) = (measurement.bytes_logical, measurement.param("bytes_out")?);
        let total = sent / 1e9 / to_gpu + fixed + kernel.seconds(sent) + received / 1e9 / from_gpu;
        prediction(&format!("{name}, end to end by the model"), measurement, total)
    };
    sweep.left_out().iter().filter_map(predict).collect()
}

fn prediction(what: &str, measurement: &Measurement, predicted_seconds: f64) -> Option<Prediction> {
    Some(Prediction {
        what: what.to_owned(),
        bytes: measurement.bytes_logical,
        predicted_seconds,
        measured_seconds: measurement.time?.median_s,
    })
}

/// Error relative to the measurement.
fn error(prediction: &Prediction) -> f64 {
    (prediction.predicted_seconds / prediction.measured_seconds - 1.0).abs()
}
