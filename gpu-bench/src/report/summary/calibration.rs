//! The calibration in a report: machine, operators, fits, speedups and predictions.

use crossover_measured::calibration::{Calibration, Measured, MeasuredCurve, OperatorFigures, Validation};
use crossover_quantity::text::{Column, Table, TextReport};

use super::interval;
use crate::quantity;

/// 100 MB, in GB: the amount that times of operators refer to.
const REFERENCE_GB: f64 = 0.1;

/// Appends headings and tables; tables without a row are left out.
pub(super) fn write(calibration: &Calibration, text_report: &mut TextReport) {
    let mut sections = vec![
        ("Calibration: machine", machine(calibration)),
        ("Calibration: operators, time per 100 MB", operators(calibration)),
        ("Calibration: fits T(V) = a + V/b", fits(calibration)),
    ];
    if !calibration.software {
        sections.push(("Speedups at 100 MB: kernel, transfer and end to end", speedups(calibration)));
    }
    for (heading, table) in sections {
        text_report.section(heading, |section| section.table(table.without_empty_columns()));
    }
    for caution in &calibration.cautions {
        text_report.paragraph(format!("Caution: {caution}."));
    }
    if !calibration.operators.is_empty() {
        let text =
            "Intervals show the noise within this run. Differences between runs may be larger: compare two runs.";
        text_report.paragraph(text);
    }
    if calibration.software {
        let text = "Software adapter: there are no GPU speedups, and its figures are not applied.";
        text_report.paragraph(text);
    }
    if let Some(found) = &calibration.validation {
        validation(found, text_report);
    }
}

fn figure(figure: Option<Measured>, format: fn(f64) -> String) -> [String; 2] {
    figure.map(|figure| [format(figure.value), interval(figure.interval, format)]).unwrap_or_default()
}

fn machine(calibration: &Calibration) -> Table {
    let speed = |gb_per_s: f64| quantity::gb_per_s(gb_per_s) + " GB/s";
    let figures = [
        ("host to GPU", calibration.to_gpu_gb_per_s, speed as fn(f64) -> String),
        ("GPU to host", calibration.from_gpu_gb_per_s, speed),
        ("memory, all cores", calibration.memory_gb_per_s, speed),
        ("fixed cost of an operator, f", calibration.fixed_seconds, quantity::seconds),
        ("compressed / raw size, c", calibration.compression_ratio, quantity::number),
        ("compression on the GPU, v", calibration.compress_gb_per_s, speed),
        ("decompression on the GPU", calibration.decompress_gb_per_s, speed),
    ];
    let rows = figures.into_iter().filter(|(_, value, _)| value.is_some()).map(|(name, value, format)| {
        let [value, interval] = figure(value, format);
        vec![name.to_owned(), value, interval]
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    if !calibration.codec.is_empty() && calibration.compression_ratio.is_some() {
        rows.push(vec!["codec".to_owned(), calibration.codec.clone(), String::new()]);
    }
    Table { columns: vec![Column::text("figure"), Column::number("value"), Column::number("95 % interval")], rows }
}

fn operators(calibration: &Calibration) -> Table {
    let columns = vec![
        Column::text("operator"),
        Column::number("one core, t"),
        Column::number("95 % interval"),
        Column::number("all cores"),
        Column::number("95 % interval"),
        Column::number("GPU kernel"),
        Column::number("95 % interval"),
        Column::number("CPU parallelism, P"),
        Column::number("GPU parallelism, M"),
        Column::number("95 % interval"),
    ];
    let rows = calibration.operators.iter().map(|operator| {
        let [parallel, _] = figure(operator.cpu_parallelism, quantity::number);
        // M is the GPU's speedup over one core, which software does not have.
        let m = operator.gpu_parallelism.filter(|_| !calibration.software);
        let mut row = vec![operator.operator.clone()];
        row.extend(figure(operator.cpu_seconds_per_100mb, quantity::seconds));
        row.extend(figure(operator.all_cores_seconds_per_100mb, quantity::seconds));
        row.extend(figure(operator.gpu_seconds_per_100mb, quantity::seconds));
        row.push(parallel);
        row.extend(figure(m, quantity::number));
        row
    });
    Table { columns, rows: rows.collect() }
}

fn fits(calibration: &Calibration) -> Table {
    let columns = vec![
        Column::text("operator"),
        Column::text("side"),
        Column::number("a"),
        Column::number("95 % interval"),
        Column::number("b, GB/s"),
        Column::number("95 % interval"),
        Column::number("R²"),
    ];
    let rows = calibration.operators.iter().flat_map(|operator| {
        let curves = [
            ("one core", operator.one_core_curve),
            ("all cores", operator.cpu_curve),
            ("GPU kernel", operator.gpu_curve),
            ("end to end", operator.end_to_end_curve),
        ];
        let fitted = curves.into_iter().filter_map(|(side, curve)| Some((side, curve?)));
        fitted.map(|(side, fit)| {
            vec![
                operator.operator.clone(),
                side.to_owned(),
                quantity::seconds(fit.curve.fixed_seconds),
                interval(fit.fixed_seconds_interval, quantity::seconds),
                quantity::gb_per_s(fit.curve.gb_per_s),
                interval(fit.gb_per_s_interval, quantity::gb_per_s),
                quantity::number(fit.r_squared),
            ]
        })
    });
    Table { columns, rows: rows.collect() }
}

/// The GPU against all cores: with the data in its memory, the transfers alone, and everything together.
fn speedups(calibration: &Calibration) -> Table {
    let columns = vec![
        Column::text("operator"),
        Column::number("all cores"),
        Column::number("kernel, data resident"),
        Column::number("kernel speedup"),
        Column::number("transfer of the input"),
        Column::number("end to end"),
        Column::number("end-to-end speedup"),
    ];
    let transfer = calibration.to_gpu_gb_per_s.map(|speed| REFERENCE_GB / speed.value);
    let rows = calibration.operators.iter().filter_map(|operator| {
        let cpu = time(operator.cpu_curve.as_ref()).or(value(operator.all_cores_seconds_per_100mb))?;
        let kernel = kernel_time(operator);
        let end_to_end = time(operator.end_to_end_curve.as_ref());
        if kernel.is_none() && end_to_end.is_none() {
            return None;
        }
        let seconds = |time: Option<f64>| time.map(quantity::seconds).unwrap_or_default();
        let speedup = |time: Option<f64>| time.map(|time| quantity::number(cpu / time) + "×").unwrap_or_default();
        Some(vec![
            operator.operator.clone(),
            quantity::seconds(cpu),
            seconds(kernel),
            speedup(kernel),
            seconds(transfer),
            seconds(end_to_end),
            speedup(end_to_end),
        ])
    });
    Table { columns, rows: rows.collect() }
}

fn kernel_time(operator: &OperatorFigures) -> Option<f64> {
    time(operator.gpu_curve.as_ref()).or(value(operator.gpu_seconds_per_100mb))
}

/// Seconds of 100 MB by a fit.
fn time(fit: Option<&MeasuredCurve>) -> Option<f64> {
    fit.map(|fit| fit.curve.fixed_seconds + REFERENCE_GB / fit.curve.gb_per_s)
}

fn value(figure: Option<Measured>) -> Option<f64> {
    figure.map(|figure| figure.value)
}

fn validation(validation: &Validation, text_report: &mut TextReport) {
    let columns = vec![
        Column::text("what"),
        Column::number("input"),
        Column::number("predicted"),
        Column::number("measured"),
        Column::number("error"),
    ];
    let rows = validation.points.iter().map(|point| {
        vec![
            point.what.clone(),
            quantity::bytes(point.bytes),
            quantity::seconds(point.predicted_seconds),
            quantity::seconds(point.measured_seconds),
            quantity::share(point.predicted_seconds / point.measured_seconds - 1.0),
        ]
    });
    let (median, worst) = (quantity::share(validation.median_error), quantity::share(validation.worst_error));
    text_report
        .heading("Predicted and measured times, sizes that were not fitted")
        .paragraph(format!("Median error {median}, largest {worst}."))
        .table(Table { columns, rows: rows.collect() });
}
