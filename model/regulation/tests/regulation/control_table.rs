//! The published control table at every boundary, on both sides of it, with both signs, and beyond its ends.

use crossover_regulation::table::{dead_zone, dead_zone_row, ends, is_inside, row};
use crossover_regulation::{Band, Regulation};
use crossover_scenario::read;

fn published() -> Regulation {
    let scenario = read(include_str!("../../../../scenarios/regulation-published.ron")).expect("a valid scenario");
    scenario.regulation().expect("a regulation study").clone()
}

/// The action of the row of an output: precision levels, MHz, vGPUs.
fn action(table: &[Band], output: f64) -> (f64, f64, f64) {
    let row = row(table, output).unwrap_or_else(|| panic!("a row for {output}"));
    (row.precision, row.frequency_mhz, row.vgpus)
}

/// Paragraph 110 of the document: closed at the end nearer to zero where the row is beyond it, [−0.9, −0.7) … [−0.1, 0.1]
/// … (0.7, 0.9].
#[test]
fn an_end_belongs_to_the_row_nearer_to_zero() {
    let table = published().table;
    let (keep, least, one, two, three) =
        ((0.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, -100.0, -2.0), (1.0, -200.0, -3.0), (2.0, -300.0, -4.0));
    for (end, inside, outside) in
        [(0.1, keep, least), (0.3, least, one), (0.5, one, two), (0.7, two, three), (0.9, three, three)]
    {
        for (output, expected) in [(end - 1e-6, inside), (end, inside), (end + 1e-6, outside)] {
            assert_eq!(action(&table, output), expected, "u = {output}");
            let (precision, mhz, vgpus) = expected;
            let mirrored = (0.0 - precision, 0.0 - mhz, 0.0 - vgpus);
            assert_eq!(action(&table, -output), mirrored, "u = {}", -output);
        }
    }
    for output in [0.0, -0.0, f64::MIN_POSITIVE, -f64::MIN_POSITIVE] {
        assert_eq!(action(&table, output), keep);
    }
}

#[test]
fn outputs_beyond_the_table_take_its_outermost_row_and_no_number_takes_none() {
    let table = published().table;
    for output in [0.900_001, 1.0, 5.0, 1e300, f64::INFINITY] {
        assert_eq!(action(&table, output), (2.0, -300.0, -4.0), "{output}");
        assert_eq!(action(&table, -output), (-2.0, 300.0, 4.0), "{}", -output);
    }
    assert_eq!(row(&table, f64::NAN), None);
    assert_eq!(row(&[], 0.0), None);
}

/// 1/11·1.1, 1/26·2.6 and 1/51·5.1 are 0.1; in binary some of them end a little above.
#[test]
fn outputs_that_should_be_an_end_are_that_end() {
    let table = published().table;
    for output in [1.0 / 11.0 * 1.1, 1.0 / 26.0 * 2.6, 1.0 / 51.0 * 5.1, 0.1 + 0.2 - 0.2] {
        assert_eq!(action(&table, output), (0.0, 0.0, 0.0), "{output:?}");
        assert!(is_inside(output, dead_zone(&table)) && is_inside(-output, dead_zone(&table)));
    }
}

#[test]
fn the_dead_zone_and_the_ends_are_those_of_the_table() {
    let mut table = published().table;
    assert_eq!((dead_zone(&table), ends(&table), dead_zone_row(&table)), ([-0.1, 0.1], [-0.9, 0.9], Some(4)));
    // A table of one side only: the other outputs still have a row.
    table.truncate(5);
    assert_eq!(action(&table, 0.5), (0.0, 0.0, 0.0));
    assert_eq!(action(&table, -0.5), (0.0, 100.0, 2.0));
}
