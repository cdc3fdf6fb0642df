//! A pool from which several loops take, such as the vGPUs of a cloud manager: a setting grows only by what others have left.

use std::path::Path;

use anyhow::{Result, ensure};
use crossover_files::programs::{NotAllowed, Programs};
use serde::Deserialize;

use super::control;

/// What a setting shares with those of other loops. Nothing is kept between periods: what others use is read anew.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pool {
    /// All that there is, in the unit of the setting.
    total: f64,
    /// Programs of the user, each of which prints what another member uses.
    others: Vec<Vec<String>>,
}

impl Pool {
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.total.is_finite() && self.total > 0.0, "pool: total: expected a number above 0");
        ensure!(!self.others.is_empty(), "pool: others: no other member; remove the pool, or name one");
        ensure!(self.others.iter().all(|line| !line.is_empty()), "pool: others: a command line has no program");
        Ok(())
    }

    /// The programs that it starts in a folder.
    ///
    /// # Errors
    /// A command line that a user cannot check.
    pub(super) fn programs(&self, folder: &Path) -> Result<Option<Programs>, NotAllowed> {
        Programs::in_folder(folder, self.others.iter().map(Vec::as_slice))
    }

    /// What others leave.
    ///
    /// # Errors
    /// What another member uses cannot be read; a sentence about it.
    pub(super) fn left(&self, folder: &Path) -> Result<f64, String> {
        self.others.iter().try_fold(self.total, |left, line| Ok(left - control::printed_number(line, folder)?))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_others_use_is_taken_from_the_total() {
        let pool = |others: &str| ron::from_str::<Pool>(&format!("(total: 200, others: [{others}])")).unwrap();
        let left = |others: &str| pool(others).left(Path::new("/"));
        assert_eq!(left("[\"echo\", \"50\"], [\"echo\", \"30.5\"]"), Ok(119.5));
        assert_eq!(left("[\"echo\", \"many\"]"), Err("“echo” printed “many”; expected one number".to_owned()));
        for wrong in ["", "[\"echo\", \"1\"], []"] {
            assert!(pool(wrong).check().is_err(), "{wrong}");
        }
    }
}
