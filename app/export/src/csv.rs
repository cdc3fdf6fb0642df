//! Reads CSV files back, for tests of what is exported.

/// The records of a CSV text.
pub(crate) fn parse(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let fields = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
    reader.records().map(|record| fields(record.expect("a record"))).collect()
}
