//! Throughput measured at several numbers of units, as CSV.

use std::path::Path;

use crossover_probe::Point;
use crossover_quantity::balance::BalanceOf;
use crossover_quantity::unread::Unread;

use crate::error::TraceError;
use crate::left_out::shown;
use crate::table::Table;

/// The measurements of a table with the columns `units` and `throughput`; of two columns the one beside `throughput` may have
/// another name, such as `processors` or `load`. Notes count and name bad lines, which are left out.
///
/// # Errors
/// [`TraceError`]: unreadable, other columns, or no usable line.
pub fn read(path: &Path) -> Result<(Vec<Point>, Vec<String>), TraceError> {
    let table = Table::read(path, &["throughput"])?;
    let units = match &table.columns()[..] {
        [one, other] if one == other => {
            return Err(TraceError::unusable(
                path,
                format!("line 1: duplicate column “{one}”; expected units,throughput"),
            ));
        }
        [one, other] if other == "throughput" => one.clone(),
        [one, other] if one == "throughput" => other.clone(),
        columns if columns.iter().any(|column| column == "units") => "units".to_owned(),
        columns => {
            let problem = format!("line 1: no column “units” in “{}”; expected units,throughput", columns.join(","));
            return Err(TraceError::unusable(path, problem));
        }
    };
    let mut unread = Unread::default();
    table.name_unread(&[units.to_lowercase().as_str(), "throughput"], &mut unread);
    let mut notes = unread.sentences();
    let (points, _) = table.rows(("measurement", BalanceOf::Runs), &mut notes, |row| {
        let number = |column: &str, expected: &str, is_allowed: fn(f64) -> bool| {
            let text = row.text(column);
            let value = text.parse().ok().filter(|value: &f64| value.is_finite() && is_allowed(*value));
            value.ok_or_else(|| format!("{column} is “{}”; expected a number {expected}", shown(text)))
        };
        let units = number(&units, "from 1 to 10⁹", |value| (1.0..=1e9).contains(&value))?;
        Ok(Point { units, throughput: number("throughput", "above 0", |value| value > 0.0)? })
    })?;
    Ok((points, notes))
}
