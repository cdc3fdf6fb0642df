//! Requests of the groups of tasks, one for each group.

use super::amount::{THOUSANDTH, WHOLE};
use super::cluster::Cluster;
use super::policy::Policy;
use super::study::{Allocation, TaskGroup};
use super::workload::{Request, Workload};

/// Bytes of a mebibyte, in gigabytes.
pub(super) const MIB_IN_GB: f64 = 1_048_576.0 / 1e9;

/// Needed and declared requests.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GroupRequests {
    /// What tasks need.
    pub needed: Workload,
    /// What owners declare.
    pub declared: Workload,
}

impl GroupRequests {
    /// Requests of the groups of tasks on a cluster.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 1,024 pieces")]
    ///
    /// `first`: nodes of the study, before added ones.
    pub(super) fn new(study: &Allocation, cluster: &Cluster, first: usize) -> Self {
        let workload = |declared_factor: fn(&TaskGroup) -> f64| {
            let requests = study.tasks.iter().map(|group| request(study, group, declared_factor(group))).collect();
            let pieces = study.tasks.iter().map(|group| group.pieces as u32).collect();
            let seconds = study.tasks.iter().map(|group| seconds(study, group)).collect();
            let memory: Vec<Vec<u16>> = study.tasks.iter().map(|group| memory(study, group)).collect();
            Workload::new(cluster, requests)
                .with_first_nodes(cluster, first)
                .with_memory(cluster, &memory)
                .with_pieces(pieces)
                .with_seconds(seconds)
        };
        Self { needed: workload(|_| 1.0), declared: workload(|group| group.declared_factor) }
    }

    /// Requests of tasks under a policy.
    pub(super) fn under(&self, policy: Policy) -> &Workload {
        if policy == Policy::Declared { &self.declared } else { &self.needed }
    }
}

/// A share of a GPU, in units of which [`WHOLE`] are one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … 42,000")]
pub(super) fn units(share: f64) -> u16 {
    (share * f64::from(WHOLE)).round().clamp(0.0, f64::from(WHOLE)) as u16
}

/// The request of a piece of a task; its GPU share is its need × `declared_factor`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated ranges, all below 2³²")]
fn request(study: &Allocation, group: &TaskGroup, declared_factor: f64) -> Request {
    let share_of = |name: &str| group.share_on(name).map(|share| units(share * declared_factor).max(THOUSANDTH));
    Request {
        cpu_milli: (group.cores * 1e3).round() as u32,
        memory_mib: (group.memory_gb / MIB_IN_GB).floor() as u32,
        gpus: group.gpus as u8,
        shares: study.types.iter().map(|gpu_type| share_of(&gpu_type.name)).collect(),
    }
}

/// Share of the memory of a GPU of each type that a task needs, in units.
fn memory(study: &Allocation, group: &TaskGroup) -> Vec<u16> {
    let share_of = |name: &str| {
        let own = group.runs_on.iter().find(|on| on.gpu_type == name).map(|on| on.memory_share);
        own.filter(|share| *share > 0.0).unwrap_or(group.memory_share)
    };
    study.types.iter().map(|gpu_type| units(share_of(&gpu_type.name))).collect()
}

pub(super) fn speeds(study: &Allocation, group: &TaskGroup) -> Vec<f64> {
    let speed_of = |name: &str| group.runs_on.iter().find(|on| on.gpu_type == name).map_or(1.0, |on| on.speed);
    study.types.iter().map(|gpu_type| speed_of(&gpu_type.name)).collect()
}

/// Run time of a task on each type, where it decides the GPU; empty for latency-sensitive tasks (published method).
fn seconds(study: &Allocation, group: &TaskGroup) -> Vec<f64> {
    if group.is_sensitive {
        return Vec::new();
    }
    speeds(study, group).into_iter().map(|speed| group.run_seconds / speed).collect()
}
