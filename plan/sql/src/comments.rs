//! Properties in comments: the size of a table, the name of a query.

use crossover_quantity::unit::Unit;
use datafusion_sql::sqlparser::tokenizer::Location;

use super::problem::Problem;
use super::statements::Statement;

/// Bytes of a gigabyte.
const GB: f64 = 1e9;
/// Most rows or bytes of a table.
const MOST: f64 = 1e18;
/// Words behind a number.
const NUMERALS: [(&str, f64); 4] = [("thousand", 1e3), ("million", 1e6), ("billion", 1e9), ("trillion", 1e12)];

/// Properties in the comments of a statement.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Properties {
    /// Rows of the table.
    pub(super) rows: Option<f64>,
    /// Bytes of one row.
    pub(super) row_width: Option<f64>,
    /// Bytes of the table, uncompressed.
    pub(super) size: Option<f64>,
    /// Name of the query.
    pub(super) name: Option<String>,
}

/// Reads the comments of a statement. A comment that starts otherwise is a remark.
pub(super) fn read(statement: &Statement) -> Result<Properties, Problem> {
    let mut properties = Properties::default();
    for (place, line) in &statement.comments {
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim().to_lowercase().replace('_', " "), value.trim());
        let once = |known: bool| {
            if known {
                Err(Problem::at(*place, format!("“{key}” is stated twice for one statement")))
            } else {
                Ok(())
            }
        };
        match key.as_str() {
            "rows" => {
                once(properties.rows.is_some())?;
                properties.rows = Some(rows(value, *place)?);
            }
            "row width" => {
                once(properties.row_width.is_some())?;
                properties.row_width = Some(bytes(value, *place, "a row width like “100 B” or “1.5 kB”", true)?);
            }
            "size" => {
                once(properties.size.is_some())?;
                properties.size = Some(bytes(value, *place, "a size with its unit like “100 GB” or “1.5 TB”", false)?);
            }
            "name" if !value.is_empty() => {
                once(properties.name.is_some())?;
                properties.name = Some(value.to_owned());
            }
            _ => misspelt(&key, value, *place)?,
        }
    }
    Ok(properties)
}

/// "6 billion", "1,000,000", "1e9".
fn rows(value: &str, place: Location) -> Result<f64, Problem> {
    let (number, factor) = NUMERALS
        .iter()
        .find_map(|(word, factor)| Some((value.to_lowercase().strip_suffix(word)?.to_owned(), *factor)))
        .unwrap_or((value.to_owned(), 1.0));
    let rows = Unit::Count.parse(&number.replace('_', "")).ok().map(|number| (number * factor).round());
    rows.filter(|rows| (0.0..=MOST).contains(rows)).ok_or_else(|| {
        Problem::at(
            place,
            format!("“{value}” is not a number of rows; expected one like “1,000,000”, “1e9” or “6 billion”"),
        )
    })
}

/// "100 B", "1.5 TB", and a bare number of bytes where that is clear.
fn bytes(value: &str, place: Location, expected: &str, bare: bool) -> Result<f64, Problem> {
    let bytes = match value.parse::<f64>() {
        Ok(number) => Some(number).filter(|_| bare),
        // To a thousandth of a byte, so that 100 B are 100 and not 100.00000000000001.
        Err(_) => Unit::Gigabytes.parse(value).ok().map(|gb| (gb * GB * 1e3).round() / 1e3),
    };
    bytes
        .filter(|bytes| *bytes > 0.0 && *bytes <= MOST)
        .ok_or_else(|| Problem::at(place, format!("“{value}” is not valid; expected {expected}")))
}

/// A comment that looks like a misspelt size must not pass for a remark.
fn misspelt(key: &str, value: &str, place: Location) -> Result<(), Problem> {
    let is_number = value.starts_with(|letter: char| letter.is_ascii_digit());
    let near = ["rows", "row width", "size"].into_iter().find(|known| strsim::levenshtein(key, known) <= 2);
    match near.filter(|_| is_number) {
        Some(known) => Err(Problem::at(place, format!("“{key}” is not known; did you mean “{known}”?"))),
        None => Ok(()),
    }
}
