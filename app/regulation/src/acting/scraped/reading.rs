//! The reading of one GPU.

/// PCIe occupancy and compute load of a GPU.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GpuReading {
    /// Name of the GPU on its page; empty for a query, which is of many.
    pub(super) name: String,
    /// PCIe occupancy and compute load, 0 … 1.
    pub(super) occupancies: [f64; 2],
}
