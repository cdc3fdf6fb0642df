//! Reports for spreadsheets and programs: one line per measurement, base units, every digit (RFC 4180).

use std::collections::BTreeSet;

use crossover_quantity::text::csv::Records;
use serde::Serialize;

use super::{Measurement, Report};
use crate::quantity::raw;

/// The measurements of a report; each parameter that occurs has a column of its own, `param_` and its name.
#[must_use]
pub fn measurements(report: &Report) -> String {
    let params: BTreeSet<&str> = report.results.iter().flat_map(|one| one.params.keys().map(String::as_str)).collect();
    let mut csv = Records::default();
    let header = ["time", "suite", "device", "software", "cpu", "optimised", "id", "side", "threads", "variant"];
    let rest = [
        "bytes_logical",
        "bytes_traffic",
        "batch",
        "n",
        "median_s",
        "iqr_s",
        "min_s",
        "ci95_low_s",
        "ci95_high_s",
        "stop",
        "timing_source",
        "gb_per_s",
        "traffic_gb_per_s",
        "rows_per_s",
        "seconds_per_100mb",
        "roof_share",
        "ratio",
        "verified",
        "warnings",
        "reason",
    ];
    let names = header.iter().map(|name| (*name).to_owned());
    let names = names.chain(params.iter().map(|name| format!("param_{name}")));
    csv.push(names.chain(rest.map(str::to_owned)));
    for measurement in &report.results {
        let params = params.iter().map(|name| optional(measurement.param(name)));
        csv.push(of_the_run(report).into_iter().chain(key(measurement)).chain(params).chain(values(measurement)));
    }
    csv.into_text()
}

/// Fields that all measurements of a report share.
fn of_the_run(report: &Report) -> [String; 6] {
    let adapter = report.adapter.as_ref().map(|adapter| &adapter.description);
    [
        report.time.clone(),
        report.suite.clone(),
        adapter.map(|adapter| adapter.name.clone()).unwrap_or_default(),
        adapter.map(|adapter| adapter.software.to_string()).unwrap_or_default(),
        report.host.cpu.clone(),
        report.tool.optimised.to_string(),
    ]
}

/// The key of a measurement, without its parameters.
pub(super) fn key(measurement: &Measurement) -> [String; 4] {
    let Measurement { id, side, threads, variant, .. } = measurement;
    [id.clone(), name(side), threads.to_string(), variant.clone()]
}

fn values(measurement: &Measurement) -> [String; 20] {
    let time = measurement.time;
    let seconds = |field: fn(&super::Time) -> f64| optional(time.as_ref().map(field));
    [
        raw(measurement.bytes_logical),
        raw(measurement.bytes_traffic),
        measurement.batch.to_string(),
        time.map(|time| time.n.to_string()).unwrap_or_default(),
        seconds(|time| time.median_s),
        seconds(|time| time.iqr_s),
        seconds(|time| time.min_s),
        seconds(|time| time.ci95_s.0),
        seconds(|time| time.ci95_s.1),
        time.map(|time| name(&time.stop)).unwrap_or_default(),
        time.map(|time| name(&time.source)).unwrap_or_default(),
        optional(measurement.gb_per_s()),
        optional(measurement.traffic_gb_per_s()),
        optional(measurement.rows_per_s()),
        optional(measurement.seconds_per_100mb()),
        optional(measurement.roof_share),
        optional(measurement.ratio),
        name(&measurement.verified),
        measurement.warnings.join("; "),
        measurement.reason.clone().unwrap_or_default(),
    ]
}

/// A number, or nothing.
pub(super) fn optional(value: Option<f64>) -> String {
    value.map(raw).unwrap_or_default()
}

/// The name that the JSON report has for it.
fn name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        other => unreachable!("an enum without fields is written as its name, not {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;

    #[test]
    fn every_measurement_is_a_line_with_raw_units() {
        let mut report = example::report();
        report.results[0].warnings = vec!["hot, \"very\"".to_owned(), "shared".to_owned()];
        let text = measurements(&report);
        let lines: Vec<&str> = text.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 1 + report.results.len());
        let expected = "time,suite,device,software,cpu,optimised,id,side,threads,variant,param_rows,param_selectivity,\
                        bytes_logical,bytes_traffic,batch,n,median_s,iqr_s,min_s,ci95_low_s,ci95_high_s,stop,\
                        timing_source,gb_per_s,traffic_gb_per_s,rows_per_s,seconds_per_100mb,roof_share,ratio,\
                        verified,warnings,reason";
        assert_eq!(lines[0], expected);
        // 4 MB in 2 ms: 2 GB/s, traffic twice that, 1e6 rows in 2 ms are 5e8 rows/s, 100 MB take 50 ms.
        let expected = "2026-01-02T03:04:05Z,quick,Example GPU 9000,false,Example CPU,true,memory.copy,cpu,1,,1000000,,\
                        4000000,8000000,1,12,0.002,0.0001,0.0019,0.0015,0.0025,precise,wall_clock,2,4,500000000,\
                        0.05,,,exact,\"hot, \"\"very\"\"; shared\",";
        assert_eq!(lines[1], expected);
        let cancelled = lines.iter().find(|line| line.contains("cancelled")).expect("a line for what was not measured");
        assert!(cancelled.ends_with(",,,,,,,,,,,,,skipped,,cancelled"), "{cancelled}");
    }
}
