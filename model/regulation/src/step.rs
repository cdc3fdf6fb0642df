//! What a simulation records of each cluster in each period.

use super::actions::Action;
use super::pid::{Gains, Parts};

/// One period of one cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Period, from 0.
    pub period: usize,
    /// Index of the cluster.
    pub cluster: usize,
    /// Start of the period, seconds.
    pub seconds: f64,
    /// Work that arrives, TOPS.
    pub demand: f64,
    /// X, served throughput, TOPS.
    pub tops: f64,
    /// Work that waits at the end of the period, tera-operations.
    pub backlog: f64,
    /// p_p, PCIe occupancy, 0 … 1.
    pub pcie: f64,
    /// p_d, compute load, 0 … 1.
    pub load: f64,
    /// PCIe occupancy as the controller reads it.
    pub read_pcie: f64,
    /// Compute load as the controller reads it.
    pub read_load: f64,
    /// e = p_p − p_d, as read.
    pub error: f64,
    /// Gains in force.
    pub gains: Gains,
    /// Parts of the output.
    pub parts: Parts,
    /// u, output of the controller.
    pub output: f64,
    /// What changed at the end of the period.
    pub action: Action,
    /// vGPUs that worked.
    pub vgpus: f64,
    /// Frequency, GHz.
    pub frequency_ghz: f64,
    /// Precision level, by its index.
    pub precision: usize,
    /// Share of the data in the precision level below.
    pub converted_share: f64,
    /// Voltage, relative to that of the base power.
    pub voltage: f64,
    /// Concurrent tasks of each vGPU.
    pub concurrency: f64,
    /// Power, W.
    pub watts: f64,
    /// Energy since the start, joules.
    pub joules: f64,
    /// vGPUs that belong to no cluster at the end of the period, including those in transit.
    pub pool: f64,
}

impl Step {
    /// A step of a cluster before anything happened.
    pub(super) fn empty(cluster: usize) -> Self {
        Self {
            period: 0,
            cluster,
            seconds: 0.0,
            demand: 0.0,
            tops: 0.0,
            backlog: 0.0,
            pcie: 0.0,
            load: 0.0,
            read_pcie: 0.0,
            read_load: 0.0,
            error: 0.0,
            gains: Gains::default(),
            parts: Parts::default(),
            output: 0.0,
            action: Action::default(),
            vgpus: 0.0,
            frequency_ghz: 0.0,
            precision: 0,
            converted_share: 0.0,
            voltage: 1.0,
            concurrency: 1.0,
            watts: 0.0,
            joules: 0.0,
            pool: 0.0,
        }
    }
}
