//! The scenario that a command is about.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use crossover_model::scenario::Scenario;

use crate::storage::{named, scenario};

/// A scenario file, and the fields to override in it.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// Scenario file (.ron); "-" reads standard input
    pub(crate) file: PathBuf,
    /// Overrides a field, e.g. cluster.machines=200 or controllers.PID.ki=0.2; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(crate) overrides: Vec<String>,
}

impl Source {
    /// The scenario.
    pub(crate) fn scenario(&self) -> Result<Scenario> {
        let mut scenario = scenario::open(&self.file)?.with_all(&self.overrides)?;
        // Other files may be named by now.
        named::fetch(&mut scenario, scenario::folder_of(&self.file));
        Ok(scenario)
    }
}
