//! The control table: actions by controller output.

use super::study::Band;

/// Outputs this near to an end count as the end: products such as 1/11·1.1 do not end exactly where they should.
const TOLERANCE: f64 = 1e-9;

/// The row of an output: an end that two rows share belongs to the row nearer to zero, and outputs beyond the table
/// use its outermost row. `None` only for an empty table or an output that is not a number.
#[must_use]
pub fn row(table: &[Band], output: f64) -> Option<&Band> {
    if output.is_nan() {
        return None;
    }
    if output >= 0.0 {
        // From zero upwards: the first row that reaches this far.
        table.iter().find(|band| band.to > 0.0 && output <= band.to + TOLERANCE).or(table.last())
    } else {
        table.iter().rev().find(|band| band.from < 0.0 && output >= band.from - TOLERANCE).or(table.first())
    }
}

/// The control table of the published method: nine rows, their signs mirrored around the dead zone.
#[must_use]
pub fn published() -> Vec<Band> {
    let band = |from, to, precision, frequency_mhz, vgpus| Band { from, to, precision, frequency_mhz, vgpus };
    vec![
        band(-0.9, -0.7, -2.0, 300.0, 4.0),
        band(-0.7, -0.5, -1.0, 200.0, 3.0),
        band(-0.5, -0.3, 0.0, 100.0, 2.0),
        band(-0.3, -0.1, 0.0, 0.0, 1.0),
        band(-0.1, 0.1, 0.0, 0.0, 0.0),
        band(0.1, 0.3, 0.0, 0.0, -1.0),
        band(0.3, 0.5, 0.0, -100.0, -2.0),
        band(0.5, 0.7, 1.0, -200.0, -3.0),
        band(0.7, 0.9, 2.0, -300.0, -4.0),
    ]
}

/// Index of the dead zone, the row that has zero inside.
#[must_use]
pub fn dead_zone_row(table: &[Band]) -> Option<usize> {
    table.iter().position(|band| band.from < 0.0 && band.to > 0.0)
}

/// Both ends of the dead zone.
#[must_use]
pub fn dead_zone(table: &[Band]) -> [f64; 2] {
    dead_zone_row(table).map_or([0.0, 0.0], |row| [table[row].from, table[row].to])
}

/// Both ends of the table.
#[must_use]
pub fn ends(table: &[Band]) -> [f64; 2] {
    [table.first().map_or(0.0, |band| band.from), table.last().map_or(0.0, |band| band.to)]
}

/// Whether an output lies between two ends, both included.
#[must_use]
pub fn is_inside(output: f64, [from, to]: [f64; 2]) -> bool {
    (from - TOLERANCE..=to + TOLERANCE).contains(&output)
}
