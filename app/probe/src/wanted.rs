//! Probes that are to be run from the page.

use super::transport::Through;
use super::transport::slurm::Cluster;

/// What is to be run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    /// Name of the centre.
    pub(super) centre: String,
    /// Numbers of units.
    pub(super) units: Vec<u32>,
    /// Runs with each.
    pub(super) repeats: u32,
    /// Through Slurm, to this partition if one is named; else on this machine.
    pub(super) slurm: Option<String>,
}

impl Wanted {
    /// How the probe reaches the centre.
    pub(super) fn through(&self) -> Through {
        match &self.slurm {
            None => Through::Here,
            Some(partition) => {
                let partition = Some(partition.trim().to_owned()).filter(|partition| !partition.is_empty());
                Through::Slurm(Cluster { partition, arguments: Vec::new() })
            }
        }
    }
}
