//! Runs of a probe at centres, side by side, from the command line and from the page.
//!
//! - [`target`]: a centre with its transport and what it runs
//! - [`estimate`]: how long a run takes
//! - [`dry`]: what each centre would get
//! - [`together`]: a thread for each centre
//! - [`requests`]: which centres have asked for runs
//! - [`result`]: progress and results of a centre

pub(crate) mod dry;
pub(crate) mod estimate;
mod requests;
pub(crate) mod result;
pub(crate) mod target;
pub(crate) mod together;

use std::path::PathBuf;
use std::time::Duration;

use crossover_probe::Probe;

use crate::transport::address::Address;
use crate::transport::history::{self, Entry};

/// The measuring program at a host and its container image, by default.
pub(crate) const GPU_BENCH: &str = "gpu-bench";

/// A centre as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CentreAddress {
    /// Its name; none: the only one, or this machine.
    pub(crate) name: Option<String>,
    /// How it is reached.
    pub(crate) address: Address,
    /// Time limit for all of its runs, waiting in its queue included.
    pub(crate) answer_within: Option<Duration>,
}

/// Settings of the runs at all centres.
#[derive(Debug, Clone)]
pub(crate) struct RunSettings {
    /// Type of units; none: by the unit-type rule of the centre.
    pub(crate) unit_type: Option<String>,
    /// Numbers of units; empty: the compared units.
    pub(crate) units: Vec<u32>,
    /// Each unit is a task of Slurm with its part of the executions.
    pub(crate) is_divided: bool,
    /// Runs with each number of units.
    pub(crate) repeats: u32,
    /// Further arguments of sbatch.
    pub(crate) sbatch: Vec<String>,
    /// Folder for scripts, manifests and reports; none: temporary ones, and that of Slurm.
    pub(crate) folder: Option<PathBuf>,
    /// The same for centres through Slurm, whose nodes must see it; none: in the working folder.
    pub(crate) slurm_folder: Option<PathBuf>,
    /// Container image, for Kubernetes.
    pub(crate) image: String,
    /// The measuring program on this machine and through Slurm, with its first arguments.
    pub(crate) own_program: Vec<String>,
    /// The measuring program over SSH and with Kubernetes, with its first arguments.
    pub(crate) remote_program: Vec<String>,
    /// Time limit of a run.
    pub(crate) limit: Duration,
    /// Repeats the runs after this many minutes.
    pub(crate) every: Option<u32>,
    /// Number of rounds with `every`.
    pub(crate) rounds: Option<u32>,
    /// Runs only at centres whose resources have changed.
    pub(crate) if_changed: bool,
    /// Folder with a file for each centre that has asked for runs; none: all centres run.
    pub(crate) requests: Option<PathBuf>,
    /// Whether a centre that the study does not have is queried for its units; otherwise they are assumed.
    pub(crate) asks_centres: bool,
    /// History of all runs; none: no history.
    pub(crate) history: Option<PathBuf>,
}

impl RunSettings {
    /// The numbers of units.
    pub(crate) fn units(&self, study: &Probe) -> Vec<u32> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10^7")]
        let at = study.target.units as u32;
        if self.units.is_empty() { vec![at] } else { self.units.clone() }
    }

    /// Runs of a centre in one round; of several rounds no number is known.
    pub(crate) fn runs_of_centre(&self) -> Option<u32> {
        let numbers = u32::try_from(self.units.len().max(1)).unwrap_or(u32::MAX);
        self.every.is_none().then(|| self.repeats.saturating_mul(numbers))
    }

    /// The runs of the history; none if it cannot be read, as reference times remain.
    pub(crate) fn known_runs(&self) -> Vec<Entry> {
        let read = self.history.as_ref().and_then(|path| history::read(path).ok());
        read.map(|(entries, _)| entries).unwrap_or_default()
    }

    /// The measuring program at an address, with its first arguments.
    pub(crate) fn program(&self, address: &Address) -> Vec<String> {
        match address {
            Address::Local | Address::Slurm(_) => self.own_program.clone(),
            Address::Ssh(_) | Address::Kubernetes(_) => self.remote_program.clone(),
        }
    }
}
