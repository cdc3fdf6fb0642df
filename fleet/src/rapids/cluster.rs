//! The GPU machines that a configuration is for.

use crate::base::Base;

/// The GPU machines of a base.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuCluster {
    /// "RAPIDS 25.12 (L4), 4 × g6.2xlarge".
    pub title: String,
    /// Machines.
    pub machines: u64,
    /// GPUs of one.
    pub gpus_per_machine: u64,
    /// Name of the GPU; empty if the base has none.
    pub gpu: String,
    /// Memory of a GPU, GB.
    pub gpu_memory_gb: Option<f64>,
    /// The host of a machine, if known.
    pub host: Option<Host>,
}

/// The host of a machine with GPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Host {
    /// Name of the machine.
    pub name: String,
    /// Cores, as Spark counts them.
    pub cores: f64,
    /// Memory, GiB.
    pub memory_gib: f64,
}

/// A base whose GPU engine is not RAPIDS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the base's GPU engine is {0}; this configuration is for RAPIDS: choose a base or a profile with RAPIDS")]
pub struct NoRapids(String);

impl GpuCluster {
    /// The GPU machines of a base. `host` looks up a machine by its name.
    ///
    /// # Errors
    /// [`NoRapids`]: its GPU engine is not the RAPIDS Accelerator for Apache Spark.
    pub fn of(base: &Base, host: impl FnOnce(&str) -> Option<Host>) -> Result<Self, NoRapids> {
        let study = base.study();
        let gpu = &base.engines().gpu;
        let names = ["RAPIDS", "cuDF"];
        if !gpu.name.is_empty() && !names.iter().any(|name| gpu.name.contains(name)) {
            return Err(NoRapids(gpu.name.clone()));
        }
        Ok(Self {
            title: gpu.title(),
            machines: whole(gpu.machines.round()).max(1),
            gpus_per_machine: whole(gpu.lanes.round()).max(1),
            gpu: study.gpu.name.clone(),
            gpu_memory_gb: study.gpu.gpu_memory_gb.filter(|memory| *memory > 0.0),
            host: host(&gpu.machine).filter(|host| host.cores >= 1.0 && host.memory_gib > 0.0),
        })
    }

    /// GPUs of all machines: one executor each.
    #[must_use]
    pub fn executors(&self) -> u64 {
        self.machines.saturating_mul(self.gpus_per_machine)
    }
}

/// A count without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "truncation is intended, and the cast saturates"
)]
pub(super) fn whole(count: f64) -> u64 {
    count as u64
}
