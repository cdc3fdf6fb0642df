//! Kernels that share a GPU.

use serde::{Deserialize, Serialize};

/// What a kernel is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// Waiting for memory.
    Memory,
    /// Computing.
    Compute,
}

impl Class {
    /// Both, in the order of menus.
    pub const ALL: [Self; 2] = [Self::Memory, Self::Compute];

    /// "memory-intensive".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Memory => "memory-intensive",
            Self::Compute => "compute-intensive",
        }
    }
}
