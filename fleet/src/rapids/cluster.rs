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
    /// What the GPU is called; empty where the base does not say.
    pub gpu: String,
    /// Memory of a GPU, GB.
    pub gpu_memory_gb: Option<f64>,
    /// What the rest of a machine has, if anybody says.
    pub host: Option<Host>,
}

/// What a machine has besides GPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Host {
    /// What the machine is called.
    pub name: String,
    /// Cores, as Spark counts them.
    pub cores: f64,
    /// Memory, GiB.
    pub memory_gib: f64,
}

/// A base whose GPU engine does not read this configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the base's GPU engine is {0}, and this configuration is for RAPIDS: take a base or a profile of it")]
pub struct NoRapids(String);

impl GpuCluster {
    /// The GPU machines of a base. `host` is told what they are called.
    ///
    /// # Errors
    /// [`NoRapids`]: its GPU engine is another one than the RAPIDS Accelerator for Apache Spark.
    pub fn of(base: &Base, host: impl FnOnce(&str) -> Option<Host>) -> Result<Self, NoRapids> {
        let (study, _) = base.study();
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
    reason = "the fraction is meant to go, and what is no u64 becomes the nearest one"
)]
pub(super) fn whole(count: f64) -> u64 {
    count as u64
}
