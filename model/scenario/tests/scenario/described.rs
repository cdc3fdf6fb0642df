//! The tables of docs/model say of every number what its description says: symbol, unit, range, neutral value.

use std::collections::BTreeMap;
use std::path::Path;

use crossover_quantity::quantity::Quantity;
use crossover_quantity::unit::Unit;
use crossover_scenario::{FORMULAS, Kind};
use crossover_study::described;

/// A row of a table of numbers, by its column.
type Row = BTreeMap<String, String>;

/// The rows of all tables that have a column “field”, by the path in it; entries of lists stand as “…” there.
fn tables() -> Vec<(String, Row)> {
    let cells =
        |line: &str| -> Vec<String> { line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect() };
    let mut head: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for line in FORMULAS.into_iter().flat_map(|(_, text)| text.lines()) {
        if !line.starts_with('|') {
            head.clear();
        } else if head.is_empty() {
            head = cells(line);
        } else if !line.starts_with("|-") && head.iter().any(|name| name == "field") {
            let row: Row = head.iter().cloned().zip(cells(line)).collect();
            let path =
                ["NAME", "ROW", "POINT"].iter().fold(row["field"].clone(), |path, entry| path.replace(entry, "…"));
            rows.push((path, row));
        }
    }
    rows
}

/// A number as the tables write it.
fn number(text: &str) -> f64 {
    if text == "1 year" {
        return 366.0 * 86_400.0;
    }
    let text = text.replace(',', "").replace('−', "-");
    match text.split_once("10^") {
        Some((sign, power)) => format!("{sign}1e{power}").parse().expect(power),
        None => text.parse().unwrap_or_else(|_| panic!("{text:?} is no number")),
    }
}

fn unit(quantity: &Quantity) -> &'static str {
    match quantity.unit {
        Unit::Share => "share",
        Unit::Factor => "",
        other => other.symbol(),
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the model does no I/O, this test looks for files that it lacks")]
fn every_document_of_the_formulas_is_in_the_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model");
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("a text file");
        assert!(FORMULAS.iter().any(|(_, known)| *known == text), "{} is not in FORMULAS", path.display());
    }
}

#[test]
fn every_number_stands_in_the_tables_once_as_it_is_described() {
    let numbers: Vec<(String, &Quantity)> = Kind::ALL
        .into_iter()
        .flat_map(|kind| described(kind.fields()))
        .filter(|(path, _)| !path.ends_with("[]"))
        .collect();
    assert!(numbers.len() > 80, "{}", numbers.len());
    let tables = tables();
    for (path, quantity) in &numbers {
        let found: Vec<&Row> = tables.iter().filter(|(other, _)| other == path).map(|(_, row)| row).collect();
        let [row] = found[..] else { panic!("{path} stands in the tables {} times", found.len()) };
        assert_eq!(row["symbol"], quantity.symbol, "{path}");
        assert_eq!(row["unit"], unit(quantity), "{path}");
        let (range, whole) =
            row["range"].strip_suffix(", whole").map_or((row["range"].as_str(), false), |rest| (rest, true));
        let (min, max) = range.split_once(" … ").expect("a range");
        assert_eq!((number(min), number(max), whole), (quantity.min, quantity.max, quantity.whole), "{path}");
        match row.get("neutral").map(String::as_str) {
            Some("None") => assert!(quantity.optional && quantity.neutral == Some(f64::INFINITY), "{path}"),
            Some(value) if value != "no curve" => assert_eq!(quantity.neutral, Some(number(value)), "{path}"),
            _ => {}
        }
    }
    for (path, _) in &tables {
        assert!(numbers.iter().any(|(known, _)| known == path), "{path} is no number of any study");
    }
}

#[test]
fn every_number_says_what_it_is_in_a_range_that_has_its_neutral_value() {
    for (path, quantity) in Kind::ALL.into_iter().flat_map(|kind| described(kind.fields())) {
        assert!(quantity.min < quantity.max && quantity.max.is_finite(), "{path}");
        assert!(quantity.meaning.ends_with('.') && !quantity.label.is_empty() && !quantity.source.is_empty(), "{path}");
        let last = path.rsplit('.').next().expect("a path has segments").trim_end_matches("[]");
        assert!(quantity.key == last, "{path} is called {}", quantity.key);
        if let Some(neutral) = quantity.neutral {
            assert!(neutral == f64::INFINITY || quantity.problem(neutral).is_none(), "{path}: {neutral}");
        }
    }
}
