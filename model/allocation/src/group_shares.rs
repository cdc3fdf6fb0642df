//! The share of a GPU that each group of tasks of a study takes on average.

use super::mix::Mix;
use super::study::{Allocation, TaskGroup};

/// The GPUs of a study by type.
pub(super) struct GroupShares<'a> {
    study: &'a Allocation,
    /// In the order of the types of the study.
    pub(super) mix: Mix,
}

impl<'a> GroupShares<'a> {
    /// Those of a study.
    pub(super) fn new(study: &'a Allocation) -> Self {
        let place = |name: &str| study.types.iter().position(|gpu_type| gpu_type.name == name);
        let mut sums = vec![0.0; study.types.len()];
        for group in &study.nodes {
            let boards = group.more.iter().map(|board| (board.gpu_type.as_str(), board.gpus * board.left));
            for (name, gpus) in boards.chain([(group.gpu_type.as_str(), group.gpus * group.left)]) {
                if let Some(place) = place(name) {
                    sums[place] += group.nodes * gpus;
                }
            }
        }
        Self { study, mix: Mix(sums) }
    }

    /// The share that a task of a group takes on average.
    pub(super) fn of(&self, group: &TaskGroup) -> f64 {
        self.mix.share(self.study.types.iter().map(|gpu_type| group.share_on(&gpu_type.name)))
    }
}
