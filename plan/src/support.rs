//! Lists of NVIDIA's tools: operator classes with a GPU version, and their operator scores.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::path::Path;

use crossover_files::read::{self, ReadTextError};
use crossover_quantity::text::counted;
use csv::StringRecord;

use crate::error::ImportError;

/// Largest list; those of NVIDIA have some kilobytes.
const LARGEST_BYTES: u64 = 4 << 20;
/// Largest score. The largest of NVIDIA's lists is below 100.
const LARGEST_SCORE: f64 = 1e6;
/// Without a GPU version, or with one that is off by default.
const ON_CPU: [&str; 2] = ["NS", "CO"];
/// With a GPU version: wholly, partly, or known to the plugin but not to the tool that the list was made for.
const ON_GPU: [&str; 5] = ["S", "PS", "TON", "TOFF", "TNEW"];
/// Not applicable.
const NOT_APPLICABLE: &str = "NA";
/// Ends the names of operators; the other rows of a score list are expressions.
const OPERATOR_SUFFIX: &str = "Exec";

/// Classes without a GPU version, each with the list's note: NVIDIA's `supportedExecs.csv`, columns `Exec`,
/// `Supported` and `Notes`. A class has several rows, one for each of its parameters; it runs on CPUs only where all of
/// them say NS (not supported) or CO (configured off).
///
/// # Errors
/// [`ImportError`]: unreadable, another header, or an invalid row (with line and field).
pub fn unsupported(path: &Path) -> Result<BTreeMap<String, String>, ImportError> {
    let list = List::read(path, ["Exec", "Supported", "Notes"])?;
    let mut notes: BTreeMap<String, Option<String>> = BTreeMap::new();
    for row in &list.rows {
        let [class, supported, note] = &row.fields;
        if class.is_empty() {
            return Err(list.wrong(row.line, "Exec", "empty; expected an operator's class, e.g. FilterExec"));
        }
        let on_cpu = ON_CPU.contains(&supported.as_str());
        if !on_cpu && supported != NOT_APPLICABLE && !ON_GPU.contains(&supported.as_str()) {
            let allowed = [ON_GPU.as_slice(), &ON_CPU, &[NOT_APPLICABLE]].concat().join(", ");
            return Err(list.wrong(row.line, "Supported", &format!("“{supported}”; allowed: {allowed}")));
        }
        if supported == NOT_APPLICABLE {
            continue;
        }
        let note = if note.is_empty() || note == "None" { "no GPU version in the support list" } else { note };
        match notes.entry(class.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(on_cpu.then(|| note.to_owned()));
            }
            // One row with a GPU version is enough.
            Entry::Occupied(mut entry) if !on_cpu => {
                entry.insert(None);
            }
            Entry::Occupied(_) => {}
        }
    }
    Ok(notes.into_iter().filter_map(|(class, note)| Some((class, note?))).collect())
}

/// How many times faster operator classes are on a GPU: NVIDIA's `operatorsScore-*.csv`, columns `CPUOperator` and
/// `Score`. Rows of expressions, whose names do not end in `Exec`, are left out.
///
/// # Errors
/// [`ImportError`]: unreadable, another header, no operators, an operator with two scores, or a score that is none
/// (with line and field).
pub fn scores(path: &Path) -> Result<BTreeMap<String, f64>, ImportError> {
    let list = List::read(path, ["CPUOperator", "Score"])?;
    let mut scores = BTreeMap::new();
    for row in &list.rows {
        let [class, score] = &row.fields;
        let value: Option<f64> = score.parse().ok();
        let value = value.filter(|value| *value > 0.0 && *value <= LARGEST_SCORE).ok_or_else(|| {
            list.wrong(row.line, "Score", &format!("“{score}”; allowed: a number above 0, up to {LARGEST_SCORE}"))
        })?;
        if !class.ends_with(OPERATOR_SUFFIX) {
            continue;
        }
        let before = *scores.entry(class.clone()).or_insert(value);
        if before != value {
            let problem = format!("{class} has {value}, but {before} above; expected one score for each operator");
            return Err(list.wrong(row.line, "Score", &problem));
        }
    }
    if scores.is_empty() {
        return Err(ImportError::unusable(path, "no operator in the file; expected names such as FilterExec"));
    }
    Ok(scores)
}

/// Rows of a CSV file, of each the wanted columns.
struct List<'a, const COLUMNS: usize> {
    path: &'a Path,
    rows: Vec<Row<COLUMNS>>,
}

struct Row<const COLUMNS: usize> {
    line: u64,
    fields: [String; COLUMNS],
}

impl<'a, const COLUMNS: usize> List<'a, COLUMNS> {
    fn read(path: &'a Path, columns: [&str; COLUMNS]) -> Result<Self, ImportError> {
        let failed = |cause| ImportError::Read { path: path.to_owned(), cause };
        let unusable = |problem: String| ImportError::unusable(path, problem);
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(unusable(format!("a folder; expected a CSV file with the columns {}", columns.join(","))));
        }
        let text = read::text_of(file, LARGEST_BYTES).map_err(|problem| match problem {
            ReadTextError::Unreadable(source) => failed(source),
            ReadTextError::TooLarge(_) => unusable(format!("{problem}; such a list is smaller")),
            ReadTextError::NotText => unusable("not a text file; expected CSV".to_owned()),
        })?;
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let explain = |error: &csv::Error| unusable(explain(error));
        let header = reader.headers().map_err(|error| explain(&error))?.clone();
        let place = |name: &str| header.iter().position(|column| column == name);
        let mut places = [0; COLUMNS];
        for (found, name) in places.iter_mut().zip(columns) {
            *found = place(name).ok_or_else(|| {
                let header: Vec<&str> = header.iter().collect();
                let shown: String = header.join(",").chars().take(80).collect();
                unusable(format!("line 1: no column “{name}” in “{shown}”; expected {}", columns.join(",")))
            })?;
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record: StringRecord = record.map_err(|error| explain(&error))?;
            let line = record.position().map_or(0, csv::Position::line);
            // The reader has checked that every row has as many fields as the header.
            rows.push(Row { line, fields: places.map(|place| record.get(place).unwrap_or_default().to_owned()) });
        }
        Ok(Self { path, rows })
    }

    fn wrong(&self, line: u64, field: &str, problem: &str) -> ImportError {
        ImportError::unusable(self.path, format!("line {line}, field {field}: {problem}"))
    }
}

/// What is wrong with a row.
fn explain(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!(
                "line {line}: {}; expected {expected_len}, as many as the header has",
                counted(*len as f64, "field")
            )
        }
        _ => error.to_string(),
    }
}
