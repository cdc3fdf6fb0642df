//! The GPU capacity of a cluster by type, and the share that a task takes on average.
//!
//! ```text
//! s̄ = Σ C(type) / Σ C(type)/s(type)    over the types on which the task can run
//! ```
//! C is the capacity of all GPUs of a type, s the task's share of such a GPU. If every one of these GPUs is filled with tasks of
//! this kind, their number × s̄ is the whole capacity. Without it, a task that fits on a whole GPU or on an instance would count
//! with one of them on all GPUs. It is s if all shares are equal.

use super::amount::GpuAmount;
use super::cluster::Cluster;

/// The GPU capacity of a cluster by type, in GPUs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mix(pub(super) Vec<f64>);

impl Mix {
    /// Of the first nodes of a cluster.
    pub(super) fn of_nodes(cluster: &Cluster, nodes: usize) -> Self {
        let mut sums: Vec<GpuAmount> = Vec::new();
        for node in cluster.nodes.iter().take(nodes) {
            for (gpu_type, left) in cluster.shapes[usize::from(node.shape)].iter().zip(node.left) {
                let place = usize::from(*gpu_type);
                if sums.len() <= place {
                    sums.resize(place + 1, GpuAmount::NONE);
                }
                sums[place] += GpuAmount::from_units(u64::from(left));
            }
        }
        Self(sums.into_iter().map(GpuAmount::gpus).collect())
    }

    /// The share that a task takes on average, by its share of each type; the least one if no node has a type on which it can
    /// run, and 0 if there is no such type.
    pub(super) fn share(&self, shares: impl Iterator<Item = Option<f64>>) -> f64 {
        let able: Vec<(f64, f64)> = shares
            .enumerate()
            .filter_map(|(place, share)| Some((self.0.get(place).copied().unwrap_or(0.0), share?)))
            .collect();
        let least = able.iter().map(|(_, share)| *share).reduce(f64::min).unwrap_or(0.0);
        let is_alike = able.iter().all(|(_, share)| *share == least);
        let capacity: f64 = able.iter().map(|(capacity, _)| capacity).sum();
        let tasks: f64 = able.iter().map(|(capacity, share)| capacity / share).sum();
        // Shares above 0, so that the sum is finite.
        if is_alike || capacity <= 0.0 || least <= 0.0 { least } else { capacity / tasks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four whole GPUs, and one in four parts: eight tasks fill five GPUs, so each counts 5/8.
    #[test]
    fn tasks_that_fill_a_cluster_request_all_of_it() {
        let mix = Mix(vec![4.0, 1.0]);
        assert_eq!(mix.share([Some(1.0), Some(0.25)].into_iter()), 5.0 / 8.0);
        assert_eq!(mix.share([Some(0.3), Some(0.3)].into_iter()), 0.3);
        assert_eq!(mix.share([None, Some(0.25)].into_iter()), 0.25);
        assert_eq!(mix.share([None, None].into_iter()), 0.0);
        assert_eq!(Mix(vec![0.0, 0.0]).share([Some(0.5), Some(0.25)].into_iter()), 0.25);
    }
}
