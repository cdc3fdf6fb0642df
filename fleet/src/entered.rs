//! Runs per month and price today of a folder of results: the window begins with those of the last run of the command.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crossover_files::atomic::write;
use crossover_files::read::text;
use serde::{Deserialize, Serialize};

use crate::error::FleetError;

/// Name of the file in the folder of results.
pub const NAME: &str = "entered.json";
/// Largest file that is read, bytes.
const LARGEST: u64 = 1 << 16;
/// Largest number of runs, and largest price.
const LARGEST_AMOUNT: f64 = 1e9;

/// Runs per month and price today of the last run of the command.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Entered {
    /// Runs of each application in a month; `None`: as often as in the logs.
    pub runs_per_month: Option<f64>,
    /// Price of one of today's machines, US dollars per hour; `None`: that of the base.
    pub price_today: Option<f64>,
}

impl Entered {
    /// Writes it into a folder of results, or deletes the file if nothing was entered.
    ///
    /// # Errors
    /// The file cannot be written or deleted.
    pub fn keep(&self, folder: &Path) -> Result<(), FleetError> {
        if *self == Self::of(folder) {
            return Ok(());
        }
        let path = folder.join(NAME);
        if *self == Self::default() {
            return match fs::remove_file(&path) {
                Err(cause) if cause.kind() != ErrorKind::NotFound => {
                    Err(FleetError::Out { path, step: "deleting a file", cause })
                }
                _ => Ok(()),
            };
        }
        let bytes = serde_json::to_vec(self).map_err(|error| FleetError::Out {
            path: path.clone(),
            step: "writing a file",
            cause: error.into(),
        })?;
        Ok(write(&path, &bytes)?)
    }

    /// Reads it from a folder of results; empty without a file, or with a damaged one.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let read = || {
            let path = Some(folder.join(NAME)).filter(|path| path.is_file())?;
            serde_json::from_str::<Self>(&text(&path, LARGEST).ok()?).ok()
        };
        let Self { runs_per_month, price_today } = read().unwrap_or_default();
        let valid = |amount: Option<f64>| amount.filter(|amount| *amount > 0.0 && *amount <= LARGEST_AMOUNT);
        Self { runs_per_month: valid(runs_per_month), price_today: valid(price_today) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_entered_last_is_kept_and_nothing_entered_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Entered::of(folder.path()), Entered::default());
        let entered = Entered { runs_per_month: Some(720.0), price_today: Some(0.5) };
        entered.keep(folder.path()).expect("kept");
        assert_eq!(Entered::of(folder.path()), entered);
        Entered::default().keep(folder.path()).expect("deleted");
        assert!(!folder.path().join(NAME).exists());
        Entered::default().keep(folder.path()).expect("nothing to delete");
    }

    #[test]
    fn a_damaged_file_or_an_impossible_number_is_nothing_entered() {
        let folder = tempfile::tempdir().expect("a folder");
        for (text, runs_per_month) in [
            ("{\"runs_per_month\":30.0,\"price_today\":-1.0}", Some(30.0)),
            ("{\"runs_per_month\":1e300,\"price_today\":null}", None),
            ("{\"runs_per", None),
        ] {
            fs::write(folder.path().join(NAME), text).expect("written");
            assert_eq!(Entered::of(folder.path()), Entered { runs_per_month, price_today: None }, "{text}");
        }
    }
}
