//! Speedup curves: a column for each operator, network and compression.

use crossover_placement::curves::curves;
use crossover_placement::{Axis, Curve, Placement};
use crossover_quantity::text::csv::Records;
use serde::Serialize;

use crate::json;

/// All curves along one axis, as JSON holds them.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Curves<'a> {
    study: &'static str,
    scenario: &'a str,
    axis: String,
    unit: &'static str,
    x: &'a [f64],
    #[serde(rename = "curves")]
    records: Vec<Record<'a>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Record<'a> {
    operator: &'a str,
    network: &'a str,
    compression: bool,
    break_even: Option<f64>,
    break_even_gpu_recommended: Option<&'static str>,
    speedup: Vec<f64>,
}

/// The speedup of some operators over every network, with and without compression, at each of `xs`, as CSV.
///
/// The first column is called like the axis, the others like "filter, 10 Gb Ethernet, compressed".
#[must_use]
pub fn curves_csv(study: &Placement, operators: &[usize], axis: Axis, xs: &[f64]) -> String {
    let curves: Vec<Curve> = all(study, operators, axis, xs).collect();
    let titles =
        curves.iter().map(|curve| format!("{}, {}", study.operators[curve.operator].name, curve.variant.label(study)));
    let mut csv = Records::default();
    csv.push(std::iter::once(axis.key()).chain(titles));
    for (index, x) in xs.iter().enumerate() {
        let numbers = std::iter::once(*x).chain(curves.iter().map(|curve| curve.speedups[index]));
        csv.push(numbers.map(|number| number.to_string()));
    }
    csv.into_text()
}

/// The same as JSON, with the break-even of every curve.
#[must_use]
pub fn curves_json(scenario: &str, study: &Placement, operators: &[usize], axis: Axis, xs: &[f64]) -> String {
    json(&Curves {
        study: "placement",
        scenario,
        axis: axis.key(),
        unit: axis.parameter().info().unit.symbol(),
        x: xs,
        records: all(study, operators, axis, xs).map(|curve| record(study, curve)).collect(),
    })
}

fn all<'a>(
    study: &'a Placement,
    operators: &'a [usize],
    axis: Axis,
    xs: &'a [f64],
) -> impl Iterator<Item = Curve> + use<'a> {
    operators.iter().flat_map(move |operator| curves(study, *operator, axis, xs))
}

fn record(study: &Placement, curve: Curve) -> Record<'_> {
    Record {
        operator: &study.operators[curve.operator].name,
        network: &study.networks[curve.variant.network].name,
        compression: curve.variant.compression,
        break_even: curve.break_even.map(|found| found.value),
        break_even_gpu_recommended: curve.break_even.map(|found| found.gpu_recommended.label()),
        speedup: curve.speedups,
    }
}

#[cfg(test)]
mod tests {
    use crossover_placement::Parameter;
    use serde_json::Value;

    use super::super::tests::published;
    use super::*;
    use crate::csv::parse;

    const TIME: Axis = Axis::One(Parameter::CPU_TIME);

    const OPERATORS: [usize; 2] = [0, 1];

    /// At t = 5 ms a filter has the published 0.9998, 3.1980, 0.9872 and 0.7705; at 200 ms a join 2.3162.
    #[test]
    fn csv_has_a_column_for_each_operator_network_and_compression() {
        let records = parse(&curves_csv(&published(), &OPERATORS, TIME, &[0.005, 0.2]));
        assert_eq!(records.len(), 3);
        assert_eq!(
            records[0],
            [
                "cpu_seconds_per_100mb",
                "filter, 10 Gb Ethernet",
                "filter, 10 Gb Ethernet, compressed",
                "filter, 100 Gb InfiniBand",
                "filter, 100 Gb InfiniBand, compressed",
                "join, 10 Gb Ethernet",
                "join, 10 Gb Ethernet, compressed",
                "join, 100 Gb InfiniBand",
                "join, 100 Gb InfiniBand, compressed",
            ]
        );
        assert_eq!((records[1][0].as_str(), records[2][0].as_str()), ("0.005", "0.2"));
        let rounded = |record: usize, column: usize| format!("{:.4}", records[record][column].parse::<f64>().unwrap());
        assert_eq!([1, 2, 3, 4].map(|column| rounded(1, column)), ["0.9998", "3.1980", "0.9872", "0.7705"]);
        assert_eq!(rounded(2, 7), "2.3162");
    }

    #[test]
    fn json_adds_axis_unit_and_break_evens() {
        let text = curves_json("Published setting", &published(), &OPERATORS, TIME, &[0.005, 0.2]);
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&document["axis"], &document["unit"]), (&"cpu_seconds_per_100mb".into(), &"s/100 MB".into()));
        let filter = &document["curves"][2];
        assert_eq!(format!("{:.4}", filter["speedup"][0].as_f64().unwrap()), "0.9872");
        // Published break-even of an uncompressed linear operator.
        assert_eq!(format!("{:.4e}", filter["break_even"].as_f64().unwrap()), "8.7302e-3");
        assert_eq!(filter["break_even_gpu_recommended"], "above");
        assert_eq!(document["curves"][1]["break_even"], Value::Null);
    }
}
