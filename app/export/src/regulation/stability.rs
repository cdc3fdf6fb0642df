//! A stability map: how a controller does with every pair of Kp and Ki.

use crossover_quantity::text::csv::{Records, cell};
use crossover_regulation::Controller;
use crossover_regulation::stability::{Behaviour, Cell, Map};
use serde::Serialize;

use crate::json;

/// A map, as JSON holds it.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct StabilityRecord<'a> {
    study: &'static str,
    scenario: &'a str,
    /// Name of the controller, whose other settings hold in every cell.
    controller: &'a str,
    kd: f64,
    cells: Vec<Record>,
}

/// One pair of gains. The columns of the CSV file have the same names.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Record {
    kp: f64,
    ki: f64,
    /// "settles", "settles with error" or "does not settle".
    class: &'static str,
    /// Null if something is still moved in the end.
    settling_periods: Option<usize>,
    overshoot: f64,
    steady_state_error: f64,
    /// The part of it that the controller could reduce.
    remaining_error: f64,
}

/// A map as CSV: a line for each cell, from the lowest Ki, in it from the lowest Kp.
#[must_use]
pub fn stability_csv(map: &Map) -> String {
    let mut csv = Records::default();
    csv.push(["kp", "ki", "class", "settling_periods", "overshoot", "steady_state_error", "remaining_error"]);
    for record in records(map) {
        let fields = [
            record.kp.to_string(),
            record.ki.to_string(),
            record.class.to_owned(),
            cell(record.settling_periods),
            record.overshoot.to_string(),
            record.steady_state_error.to_string(),
            record.remaining_error.to_string(),
        ];
        csv.push(fields);
    }
    csv.into_text()
}

/// The same as JSON.
#[must_use]
pub fn stability_json(scenario: &str, controller: &Controller, map: &Map) -> String {
    json(&StabilityRecord {
        study: "regulation",
        scenario,
        controller: &controller.name,
        kd: controller.kd,
        cells: records(map).collect(),
    })
}

fn records(map: &Map) -> impl Iterator<Item = Record> {
    let gains = map.ki.iter().flat_map(|ki| map.kp.iter().map(move |kp| (*kp, *ki)));
    gains.zip(&map.cells).map(|((kp, ki), cell)| record(kp, ki, cell))
}

fn record(kp: f64, ki: f64, cell: &Cell) -> Record {
    let class = match cell.behaviour {
        Behaviour::Settles => "settles",
        Behaviour::SettlesWithError => "settles with error",
        Behaviour::DoesNotSettle => "does not settle",
    };
    let Cell { settling_periods, overshoot, steady_state_error, remaining_error, .. } = *cell;
    Record { kp, ki, class, settling_periods, overshoot, steady_state_error, remaining_error }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::csv::parse;

    #[test]
    fn cells_stand_with_their_gains_row_by_row() {
        let cell = |behaviour, settling_periods| Cell {
            settling_periods,
            overshoot: 0.5,
            steady_state_error: 0.25,
            remaining_error: 0.125,
            behaviour,
        };
        let map = Map {
            kp: vec![0.0, 1.0],
            ki: vec![0.0, 0.5],
            cells: vec![
                cell(Behaviour::SettlesWithError, Some(0)),
                cell(Behaviour::SettlesWithError, Some(31)),
                cell(Behaviour::Settles, Some(99)),
                cell(Behaviour::DoesNotSettle, None),
            ],
        };
        let records = parse(&stability_csv(&map));
        assert_eq!(records.len(), 5);
        assert_eq!(records[0][..4], ["kp", "ki", "class", "settling_periods"]);
        assert_eq!(records[2], ["1", "0", "settles with error", "31", "0.5", "0.25", "0.125"]);
        assert_eq!(records[3], ["0", "0.5", "settles", "99", "0.5", "0.25", "0.125"]);
        assert_eq!(records[4], ["1", "0.5", "does not settle", "", "0.5", "0.25", "0.125"]);
        let controller = super::super::tests::published().controllers[2].clone();
        let document: Value = serde_json::from_str(&stability_json("a", &controller, &map)).unwrap();
        assert_eq!((&document["study"], &document["controller"]), (&"regulation".into(), &"PI".into()));
        assert_eq!(document["cells"][3]["settling_periods"], Value::Null);
    }
}
