//! The report of a network as text.

use crossover_harness::tool::NOT_OPTIMISED;
use crossover_measured::calibration::Measured;
use crossover_measured::network::{NetworkDirection, NetworkEnd, NetworkReport, Throughput};
use crossover_quantity::text::{Column, Table, TextReport};
use crossover_quantity::unit::Unit;

/// A report with both machines, a row for each measurement, and what limits its use.
#[must_use]
pub fn text_report(report: &NetworkReport) -> TextReport {
    let mut text_report = TextReport::titled(format!("Network between {}", report.machines()));
    text_report.facts([
        ("here", end(&report.here)),
        ("there", end(&report.there)),
        ("measured", format!("{}, {}", report.time, report.tool)),
    ]);
    text_report.table(table(report));
    if let Some(effective) = report.effective() {
        let speed = Unit::GigabitsPerSecond.format(effective.gbit_per_s.value);
        text_report.paragraph(format!("Effective speed, slower direction with most connections: {speed}"));
    }
    text_report.warnings(warnings(report));
    text_report
}

fn warnings(report: &NetworkReport) -> Vec<String> {
    let mut warnings = Vec::new();
    if report.is_loopback() {
        warnings.push("both ends are this machine, so no network was measured".to_owned());
    }
    if report.unoptimised {
        warnings.push(NOT_OPTIMISED.to_owned());
    }
    warnings
}

/// One end in a line.
fn end(end: &NetworkEnd) -> String {
    let mut parts = vec![end.machine.clone(), end.address.clone()];
    parts.retain(|part| !part.is_empty());
    parts.extend(end.interface.as_ref().map(|name| format!("interface {name}")));
    parts.extend(end.line_mbit_per_s.map(|mbit| {
        let speed = Unit::GigabitsPerSecond.format(f64::from(mbit) / 1e3);
        format!("line speed {speed}")
    }));
    parts.extend(end.mtu.map(|bytes| format!("MTU {bytes} bytes")));
    parts.extend(end.congestion_control.clone());
    parts.join(", ")
}

fn table(report: &NetworkReport) -> Table {
    let mut rows = Vec::new();
    rows.extend(report.round_trips.map(|trips| {
        let what = format!("round trip of {} bytes", trips.message_bytes);
        row(what, trips.count, Unit::Seconds, trips.seconds, trips.quantiles)
    }));
    rows.extend(
        report
            .throughput
            .iter()
            .map(|one| row(name(one), one.slices.len(), Unit::GigabitsPerSecond, one.gbit_per_s, one.quantiles)),
    );
    let columns = vec![
        Column::text("measurement"),
        Column::number("median"),
        Column::text("95 % interval"),
        Column::text("5 % to 95 % quantile"),
        Column::number("samples"),
    ];
    Table { columns, rows }
}

fn row(what: String, samples: usize, unit: Unit, median: Measured, quantiles: (f64, f64)) -> Vec<String> {
    let range = |(low, high): (f64, f64)| format!("{} … {}", unit.format(low), unit.format(high));
    vec![what, unit.format(median.value), range(median.interval), range(quantiles), samples.to_string()]
}

fn name(one: &Throughput) -> String {
    let way = match one.direction {
        NetworkDirection::HereToThere => "here to there",
        NetworkDirection::ThereToHere => "there to here",
    };
    let connections = if one.streams == 1 { "1 connection".to_owned() } else { format!("{} connections", one.streams) };
    format!("{way}, {connections}")
}

#[cfg(test)]
mod tests {
    use crossover_measured::network::RoundTrips;
    use crossover_needs::network_report;

    use super::*;

    fn figure(value: f64) -> Measured {
        Measured { value, interval: (value * 0.9, value * 1.1) }
    }

    #[test]
    fn a_report_names_both_machines_and_the_speed_of_the_slower_direction() {
        let end = |machine: &str, address: &str| NetworkEnd {
            machine: machine.to_owned(),
            address: address.to_owned(),
            mtu: Some(9_000),
            line_mbit_per_s: Some(100_000),
            ..NetworkEnd::default()
        };
        let throughput = |streams, direction, value| Throughput {
            streams,
            direction,
            gbit_per_s: figure(value),
            quantiles: (value * 0.8, value * 1.2),
            slices: vec![value; 15],
        };
        let report = NetworkReport {
            here: end("a\u{1b}[2J", "10.0.0.1"),
            there: end("b", "10.0.0.1"),
            round_trips: Some(RoundTrips {
                count: 1_000,
                message_bytes: 64,
                seconds: figure(5e-5),
                quantiles: (4e-5, 8e-5),
            }),
            throughput: vec![
                throughput(1, NetworkDirection::HereToThere, 30.0),
                throughput(8, NetworkDirection::HereToThere, 90.0),
                throughput(8, NetworkDirection::ThereToHere, 80.0),
            ],
            ..network_report()
        };
        let text = text_report(&report).terminal();
        for expected in [
            "10.0.0.1, line speed 100 Gbit/s, MTU 9000 bytes",
            "round trip of 64 bytes   50 µs  45 µs … 55 µs",
            "here to there, 1 connection   30 Gbit/s",
            "with most connections: 80 Gbit/s",
            "Warning: both ends are this machine",
        ] {
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(squeezed(&text).contains(&squeezed(expected)), "{expected}: {text}");
        }
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
