//! Settings of the probe runs that the page starts.

use super::transport::Transport;
use super::transport::slurm::Cluster;

/// Settings of probe runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunSettings {
    /// Name of the centre.
    pub(super) centre: String,
    /// Numbers of units.
    pub(super) units: Vec<u32>,
    /// Runs with each number of units.
    pub(super) repeats: u32,
    /// Partition of Slurm, empty for its default; none: this machine.
    pub(super) slurm: Option<String>,
}

impl RunSettings {
    /// Transport to the centre.
    pub(super) fn transport(&self) -> Transport {
        match &self.slurm {
            None => Transport::Local,
            Some(partition) => {
                let partition = Some(partition.trim().to_owned()).filter(|partition| !partition.is_empty());
                Transport::Slurm(Cluster { partition, arguments: Vec::new() })
            }
        }
    }
}
