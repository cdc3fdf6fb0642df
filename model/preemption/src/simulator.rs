//! Data that all streams of a study share.

use super::occupancy::{residency, taken_alone};
use super::study::{Kernel, Preemption, count};
use super::table::{Parts, Table};
use super::weigh::decay;

/// Work between two checks for cancellation, in events of two kernels that share the GPU.
pub(super) const LOOK: u64 = 1 << 18;

/// Properties of a kernel that policies use.
#[derive(Debug, Clone, Copy)]
pub(super) struct KernelSpec {
    pub(super) decay: f64,
    pub(super) miss_rate: f64,
    /// Registers and shared memory of a block.
    pub(super) block_bytes: f64,
    /// Resident blocks.
    pub(super) resident: f64,
    pub(super) blocks: f64,
    /// Shares of the registers, shared memory, threads and blocks of a multiprocessor that it takes alone.
    pub(super) taken: [f64; 4],
    pub(super) waves: f64,
    pub(super) is_idempotent: bool,
}

impl KernelSpec {
    /// Context bytes of the resident blocks, by the work left of all work.
    pub(super) fn context(&self, left: f64, all: f64) -> f64 {
        self.block_bytes * self.resident.min((self.blocks * left / all).ceil())
    }

    /// Share of its resident blocks for which it has blocks left, at most 1.
    pub(super) fn resident_share(&self, left: f64, all: f64) -> f64 {
        ((self.blocks * left / all).ceil() / self.resident).min(1.0)
    }
}

/// Data that all streams of a study share.
#[derive(Debug)]
pub struct Simulator<'a> {
    pub(super) study: &'a Preemption,
    table: Table,
    /// The pair table of a scheduler without experience.
    pub(super) by_classes: Table,
    /// With parts of multiprocessors instead of whole ones.
    pub(super) partial: Table,
    /// Those parts, of two kernels each.
    pub(super) parts: Parts,
    pub(super) specs: Vec<KernelSpec>,
    /// The largest sum of normalised IPC of any combination with each kernel.
    pub(super) best_sums: Vec<f64>,
    /// How many times as fast as alone a launch is at most, beside others; at least 1.
    pub(super) fastest: f64,
}

impl<'a> Simulator<'a> {
    /// Of a valid study.
    #[must_use]
    pub fn new(study: &'a Preemption) -> Self {
        let table = Table::new(study);
        let parts = Parts::new(study);
        let partial = table.partial(&parts);
        let spec = |kernel: &Kernel| {
            let found = residency(&study.gpu, kernel);
            KernelSpec {
                decay: decay(&study.rule, kernel.class),
                miss_rate: kernel.miss_rate,
                block_bytes: kernel.register_bytes + kernel.shared_bytes,
                resident: found.as_ref().map_or(1.0, |found| found.resident),
                blocks: kernel.blocks,
                taken: taken_alone(&study.gpu, kernel),
                waves: found.as_ref().map_or(1.0, |found| found.waves),
                is_idempotent: kernel.is_idempotent,
            }
        };
        let limit = count(study.rule.limit);
        // Beside each of the others a kernel may be faster by as much.
        let fastest = table.fastest().powf(limit.max(1) as f64 - 1.0);
        let best_sums = table.best_sums(limit);
        let specs = study.kernels.iter().map(spec).collect();
        Self { study, table, by_classes: Table::by_classes(study), partial, parts, specs, best_sums, fastest }
    }

    /// Kernels of the study.
    pub(super) fn kernels(&self) -> usize {
        self.specs.len()
    }

    /// At most so many kernels share the GPU.
    pub(super) fn limit(&self) -> usize {
        count(self.study.rule.limit)
    }

    /// The pair table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }
}
