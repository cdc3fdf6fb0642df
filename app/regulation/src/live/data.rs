//! The data of the charts as CSV.

use crossover_quantity::text::csv::{Records, cell};

use super::track::Point;

/// A line for each sample: time in seconds after watching began, p_p and p_d, e and u; empty if missing.
pub(super) fn csv<'a>(points: impl Iterator<Item = &'a Point>) -> String {
    let mut csv = Records::default();
    csv.push(["seconds", "pcie_occupancy", "load", "error", "u"]);
    for Point { seconds, occupancies, advice } in points {
        let values = [
            Some(*seconds),
            occupancies.map(|[pcie, _]| pcie),
            occupancies.map(|[_, load]| load),
            advice.as_ref().map(|advice| advice.error),
            advice.as_ref().map(|advice| advice.output),
        ];
        csv.push(values.map(cell));
    }
    csv.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_readings_are_left_empty() {
        let point = |seconds, occupancies| Point { seconds, occupancies, advice: None };
        let points = [point(0.5, Some([0.75, 0.25])), point(1.5, None)];
        assert_eq!(csv(points.iter()), "seconds,pcie_occupancy,load,error,u\r\n0.5,0.75,0.25,,\r\n1.5,,,,\r\n");
    }
}
