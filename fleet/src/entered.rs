//! What was entered for a folder of results, such as runs per month and the goal: the window begins with what the last run of the command
//! was given.

use std::fs;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::Path;

use crossover_decision::Goal;
use crossover_files::atomic::write;
use crossover_files::read::text;
use crossover_placement::EnteredInputs;

use crate::error::FleetError;

/// Name of the file in the folder of results.
pub const NAME: &str = "entered.json";
/// Largest file that is read, bytes.
const LARGEST: u64 = 1 << 16;
/// Largest number of runs, and largest price.
const LARGEST_AMOUNT: f64 = 1e9;
/// Smallest and largest time limit, as a factor of today's time.
const LIMITS: RangeInclusive<f64> = 0.01..=1e3;

/// Writes what was entered into a folder of results, or deletes the file if nothing was.
///
/// # Errors
/// The file cannot be written or deleted.
pub fn keep(entered: EnteredInputs, folder: &Path) -> Result<(), FleetError> {
    if entered == of(folder) {
        return Ok(());
    }
    let path = folder.join(NAME);
    if entered == EnteredInputs::default() {
        return match fs::remove_file(&path) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => {
                Err(FleetError::Out { path, step: "deleting a file", cause })
            }
            _ => Ok(()),
        };
    }
    let bytes = serde_json::to_vec(&entered).map_err(|error| FleetError::Out {
        path: path.clone(),
        step: "writing a file",
        cause: error.into(),
    })?;
    Ok(write(&path, &bytes)?)
}

/// What was entered, from a folder of results; nothing without a file, or with a damaged one.
#[must_use]
pub fn of(folder: &Path) -> EnteredInputs {
    let read = || {
        let path = Some(folder.join(NAME)).filter(|path| path.is_file())?;
        serde_json::from_str::<EnteredInputs>(&text(&path, LARGEST).ok()?).ok()
    };
    let EnteredInputs {
        runs_per_month,
        price_today,
        time_limit,
        time_limit_seconds: _,
        goal,
        budget_usd,
        effort_usd,
        effort_hours,
        hourly_rate_usd,
    } = read().unwrap_or_default();
    let valid = |amount: Option<f64>| amount.filter(|amount| *amount > 0.0 && *amount <= LARGEST_AMOUNT);
    EnteredInputs {
        runs_per_month: valid(runs_per_month),
        price_today: valid(price_today),
        time_limit: time_limit.filter(|limit| LIMITS.contains(limit)),
        // Each application has its own time.
        time_limit_seconds: None,
        goal: if goal == Goal::Time { goal } else { Goal::Cost },
        budget_usd: valid(budget_usd),
        effort_usd: valid(effort_usd),
        effort_hours: valid(effort_hours),
        hourly_rate_usd: valid(hourly_rate_usd),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_entered_last_is_kept_and_nothing_entered_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(of(folder.path()), EnteredInputs::default());
        let entered = EnteredInputs {
            runs_per_month: Some(720.0),
            price_today: Some(0.5),
            time_limit: Some(1.2),
            time_limit_seconds: None,
            goal: Goal::Time,
            budget_usd: Some(0.01),
            effort_usd: Some(5000.0),
            effort_hours: Some(40.0),
            hourly_rate_usd: Some(90.0),
        };
        keep(entered, folder.path()).expect("kept");
        assert_eq!(of(folder.path()), entered);
        keep(EnteredInputs::default(), folder.path()).expect("deleted");
        assert!(!folder.path().join(NAME).exists());
        keep(EnteredInputs::default(), folder.path()).expect("nothing to delete");
    }

    #[test]
    fn a_damaged_file_or_an_impossible_number_is_nothing_entered() {
        let folder = tempfile::tempdir().expect("a folder");
        for (text, runs_per_month) in [
            ("{\"runs_per_month\":30.0,\"price_today\":-1.0}", Some(30.0)),
            ("{\"runs_per_month\":1e300,\"price_today\":null}", None),
            ("{\"runs_per_month\":30.0,\"price_today\":null,\"time_limit\":-1.0}", Some(30.0)),
            ("{\"runs_per_month\":30.0,\"price_today\":null,\"goal\":\"pareto_front\"}", Some(30.0)),
            ("{\"runs_per_month\":30.0,\"price_today\":null,\"budget_usd\":0.0,\"effort_usd\":1e300}", Some(30.0)),
            (
                "{\"runs_per_month\":30.0,\"price_today\":null,\"effort_hours\":-1.0,\"hourly_rate_usd\":0.0}",
                Some(30.0),
            ),
            ("{\"runs_per", None),
        ] {
            fs::write(folder.path().join(NAME), text).expect("written");
            assert_eq!(of(folder.path()), EnteredInputs { runs_per_month, ..EnteredInputs::default() }, "{text}");
        }
    }
}
