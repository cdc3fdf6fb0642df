//! Files that a command writes beside its result: prepared first, the result printed next, and only then the files get their
//! names. So a result that cannot be printed leaves the files as they were, and a file that is said to be written has its name.

use std::error::Error;
use std::path::Path;

use anyhow::{Context as _, Result};
use crossover_files::atomic::{self, Prepared};
use crossover_quantity::text::Printable;
use crossover_scenario::Scenario;

use super::{message, print};
use crate::storage::scenario;

/// Files that are prepared.
#[derive(Debug, Default)]
#[must_use = "the files get their names by `finish`"]
pub struct Outputs {
    /// Each with what is added to the message about it.
    files: Vec<(Prepared, String)>,
}

impl Outputs {
    /// Prepares a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, path: &Path, contents: &[u8]) -> Result<()> {
        self.add_prepared(path, atomic::prepare(path, contents))
    }

    /// Prepares the file of a scenario.
    ///
    /// # Errors
    /// It cannot be written, or could not be opened again.
    pub fn add_scenario(&mut self, path: &Path, scenario: &Scenario) -> Result<()> {
        self.add_prepared(path, scenario::prepare(path, scenario))
    }

    /// Adds a file that is prepared.
    ///
    /// # Errors
    /// It is not, as it cannot be written.
    pub fn add_prepared<E>(&mut self, path: &Path, prepared: Result<Prepared, E>) -> Result<()>
    where
        E: Error + Send + Sync + 'static,
    {
        let prepared = prepared.with_context(|| format!("cannot write {}", path.display()))?;
        self.files.push((prepared, String::new()));
        Ok(())
    }

    /// Adds a hint to the message about the last file.
    pub fn hint(&mut self, hint: &str) {
        if let Some((_, hints)) = self.files.last_mut() {
            *hints = format!("{hints}; {hint}");
        }
    }

    /// Prints the result; then all files get their names, and are named.
    ///
    /// # Errors
    /// The result cannot be printed, and no file was changed; or a file cannot get its name.
    pub fn finish(self, result: impl Into<Printable>) -> Result<()> {
        print(result)?;
        self.commit()
    }

    /// The same without a result.
    ///
    /// # Errors
    /// A file cannot get its name.
    pub fn commit(self) -> Result<()> {
        for (file, hints) in self.files {
            let path = file.path().to_owned();
            let verb = if file.replaces() { "replaced" } else { "written" };
            file.commit().with_context(|| format!("cannot write {}", path.display()))?;
            // At once: if the next file cannot get its name, this one has it.
            message(format!("{}: {verb}{hints}", path.display()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn no_file_is_changed_unless_all_can_be_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, other] = ["one.csv", "other.csv"].map(|name| folder.path().join(name));
        fs::write(&one, "old").expect("space");
        let mut outputs = Outputs::default();
        outputs.add(&one, b"new").expect("space");
        let problem = outputs.add(&folder.path().join("absent/other.csv"), b"new").expect_err("no folder");
        assert!(format!("{problem:#}").contains("there is no folder"), "{problem:#}");
        assert_eq!(fs::read(&one).expect("a file"), b"old");
        outputs.add(&other, b"new").expect("space");
        outputs.commit().expect("both");
        assert_eq!([&one, &other].map(|path| fs::read(path).expect("a file")), [b"new", b"new"]);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }
}
