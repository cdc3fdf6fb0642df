//! Summary of the runs at one centre.

use std::fmt::Write as _;

use crossover_export::probe::estimated;
use crossover_probe::UnitType;
use crossover_quantity::estimate::Estimate;
use crossover_quantity::text::{Column, Table, counted};
use crossover_quantity::unit::Unit;

/// A line for each number of units, and the reasons of failed runs.
pub(super) fn runs(centre: &str, of: &UnitType) -> String {
    let mut units: Vec<f64> = of.runs.units.to_vec();
    units.sort_by(f64::total_cmp);
    units.dedup();
    let rows = units.iter().map(|units| {
        let of_units = |run: &usize| of.runs.units[*run] == *units;
        let places: Vec<usize> = (0..of.runs.seconds.len()).filter(of_units).collect();
        let mean = |column: &[Option<f64>]| {
            Estimate::of(&places.iter().filter_map(|run| column.get(*run).copied().flatten()).collect::<Vec<f64>>())
        };
        let seconds = Estimate::of(&places.iter().map(|run| of.runs.seconds[*run]).collect::<Vec<f64>>());
        let interval = seconds.and_then(|seconds| seconds.interval);
        let none = || "–".to_owned();
        vec![
            Unit::Count.format(*units),
            Unit::Count.format(places.len() as f64),
            seconds.map_or_else(none, |seconds| Unit::Ratio.format(seconds.mean)),
            interval
                .map_or_else(none, |[low, high]| format!("{} – {}", Unit::Ratio.format(low), Unit::Ratio.format(high))),
            mean(&of.runs.errors).map_or_else(none, |error| Unit::Ratio.format(error.mean)),
            mean(&of.runs.target_seconds).map_or_else(none, |target| estimated(target.mean)),
        ]
    });
    let columns = [
        "Units",
        "Runs",
        "Measured probe time, s",
        "95 % interval",
        "Relative error of results",
        "Estimated task time, s",
    ]
    .map(Column::number)
    .to_vec();
    let table = Table { columns, rows: rows.collect() };
    let mut text = format!("{centre}, {}\n{}", of.name, table.aligned());
    for failed in of.runs.failed.iter().take(10) {
        _ = writeln!(text, "Failed: {failed}");
    }
    if of.runs.failed.len() > 10 {
        _ = writeln!(text, "and {}", counted((of.runs.failed.len() - 10) as f64, "more failed run"));
    }
    text
}
