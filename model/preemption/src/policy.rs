//! Policies that bring kernels together on a GPU.

use serde::{Deserialize, Serialize};

/// Which kernels share the GPU, and how kernels are preempted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Policy {
    /// One kernel at a time, in order of arrival.
    Exclusive,
    /// One kernel at a time, each for a time slice in turn; its whole context is saved in between.
    Slicing,
    /// Kernels share the GPU in order of arrival and run until they end, as with MPS.
    Sharing,
    /// The published method without preemption: the kernel that gives the highest sum of normalised IPC is next.
    Combining,
    /// A kernel is preempted as soon as another would combine better; its context is saved (Chimera's context switch; Park and others,
    /// ASPLOS 2015).
    Switching,
    /// The same, but it is preempted when its resident blocks have ended (Chimera's draining).
    Draining,
    /// The same, but its resident blocks are ended at once and restarted later; idempotent kernels only (Chimera's flushing).
    Flushing,
    /// Kernels share every multiprocessor by dominant-resource fairness; an arriving kernel preempts as many blocks of the
    /// others as its share needs (Wang and others, “Simultaneous Multikernel”, HPCA 2016).
    Partial,
    /// The published method: a kernel is preempted for a better combination if the gain, net of the switch cost, is above 0.
    #[default]
    Weighing,
}

impl Policy {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 9] = [
        Self::Weighing,
        Self::Combining,
        Self::Exclusive,
        Self::Slicing,
        Self::Sharing,
        Self::Switching,
        Self::Draining,
        Self::Flushing,
        Self::Partial,
    ];

    /// "cost-aware preemption": its name in tables and charts.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Exclusive => "exclusive execution",
            Self::Slicing => "time slicing",
            Self::Sharing => "sharing",
            Self::Combining => "best pairs",
            Self::Switching => "context switch",
            Self::Draining => "drain",
            Self::Flushing => "flush",
            Self::Partial => "partial (DRF)",
            Self::Weighing => "cost-aware preemption",
        }
    }

    /// Description in one sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Exclusive => "One kernel at a time, in order of arrival.",
            Self::Slicing => "One kernel at a time, each for a time slice in turn; its context is saved in between.",
            Self::Sharing => "Kernels share the GPU in order of arrival and run until they end, as with MPS.",
            Self::Combining => {
                "The published method without preemption: the kernel that gives the highest sum of normalised IPC is next."
            }
            Self::Switching => {
                "A kernel is preempted when another gives a higher sum of normalised IPC; its context is saved."
            }
            Self::Draining => {
                "A kernel is preempted when another gives a higher sum of normalised IPC, once its resident blocks have ended."
            }
            Self::Flushing => {
                "A kernel is preempted at once when another gives a higher sum of normalised IPC; its resident blocks restart later. \
                 Idempotent kernels only."
            }
            Self::Partial => {
                "Kernels share every multiprocessor by dominant-resource fairness (DRF); an arriving kernel preempts as many blocks of \
                 the others as its DRF share needs."
            }
            Self::Weighing => {
                "The published method: a kernel is preempted when another gives a higher sum of normalised IPC and the gain, net of \
                 the switch cost, is above 0."
            }
        }
    }

    /// Whether kernels are preempted for a better combination.
    pub(super) fn preempts(self) -> bool {
        matches!(self, Self::Switching | Self::Draining | Self::Flushing | Self::Weighing)
    }

    /// Whether a context switch makes room for a launch: it displaces blocks of the running kernels, and they are saved.
    pub(super) fn displaces(self) -> bool {
        matches!(self, Self::Weighing | Self::Combining | Self::Switching | Self::Partial)
    }

    /// Whether the context of a preempted kernel is saved, and loaded again later.
    pub(super) fn saves(self) -> bool {
        matches!(self, Self::Switching | Self::Weighing | Self::Slicing)
    }

    /// Whether the best combination is next; else the first arrival.
    pub(super) fn combines(self) -> bool {
        self.preempts() || self == Self::Combining
    }
}
