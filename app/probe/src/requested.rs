//! Runs that the user requests on the page.

use std::path::PathBuf;
use std::time::Duration;

use crossover_files::programs::AllowList;

use crate::centres::{CentreAddress, RunSettings};

/// Time limit of a run.
const LIMIT: Duration = Duration::from_mins(2);

/// The measuring program and the history of runs.
#[derive(Debug, Clone)]
pub(super) struct ProbeEnvironment {
    /// The measuring program, with its first arguments.
    pub(super) program: Vec<String>,
    /// The history file; none: no history.
    pub(super) history: Option<PathBuf>,
    /// The programs that the user has allowed.
    pub(super) allowed: AllowList,
}

/// Requested runs of the probe.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequestedRuns {
    /// The centres.
    pub(super) centres: Vec<CentreAddress>,
    /// Numbers of units.
    pub(super) units: Vec<u32>,
    /// Runs with each number of units.
    pub(super) repeats: u32,
    /// The measuring program over SSH and with Kubernetes.
    pub(super) remote_program: String,
    /// Container image, for Kubernetes.
    pub(super) image: String,
}

impl RequestedRuns {
    /// The settings of the runs, with the measuring program and the history of the window.
    pub(super) fn settings(&self, environment: &ProbeEnvironment) -> RunSettings {
        RunSettings {
            unit_type: None,
            units: self.units.clone(),
            is_divided: false,
            repeats: self.repeats,
            sbatch: Vec::new(),
            folder: None,
            // Nodes of the cluster must see it.
            slurm_folder: environment.history.as_ref().map(|history| history.with_file_name("probes")),
            image: self.image.clone(),
            own_program: environment.program.clone(),
            remote_program: vec![self.remote_program.clone()],
            limit: LIMIT,
            every: None,
            rounds: None,
            if_changed: false,
            requests: None,
            asks_centres: true,
            history: environment.history.clone(),
        }
    }

    /// The names of the centres: "north, east".
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> = self.centres.iter().filter_map(|centre| centre.name.as_deref()).collect();
        names.join(", ")
    }
}
