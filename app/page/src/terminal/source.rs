//! The scenario that a command is about.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::error::ErrorKind;
use crossover_scenario::Scenario;

use crate::storage::{named, scenario};

/// A scenario file, and the fields to override in it.
#[derive(Debug, Args)]
pub struct Source {
    /// Scenario file (.ron); "-" reads standard input
    pub file: PathBuf,
    /// Overrides a field, e.g. cluster.machines=200 or controllers.PID.ki=0.2; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,
}

impl Source {
    /// The scenario, with its fields overridden.
    ///
    /// # Errors
    /// A file that is not a scenario, see [`scenario::open`]; a field that cannot be overridden so is a wrong use.
    pub fn scenario(&self) -> Result<Scenario> {
        let no_such = |error| clap::Error::raw(ErrorKind::ValueValidation, format!("--set: {error}\n"));
        let mut scenario = scenario::open(&self.file)?.with_all(&self.overrides).map_err(no_such)?;
        // The overrides may name other files.
        named::fetch(&mut scenario, scenario::folder_of(&self.file));
        Ok(scenario)
    }
}
