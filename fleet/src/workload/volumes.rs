//! Work and data that take the GPU engine the predicted time.
//!
//! ```text
//! W = work·n·l/ρ         R = storage·n·l·s_e        E = (network − spill)·n·B_e/(8·χ)       m = (E − spill·n·s_d)/n
//! ```
//! n machines with l GPUs each, `ρ`, `s_e`, `χ`, `B_e` and `s_d` of the engine on the base's machines. Every query's prediction is linear
//! in `1/(n·l)` and `1/(n·B_e)` except for spilling, so the sum holds on other machines, too. See `docs/model/fleet.md`.

use crossover_engine::Engine;

use crate::application::Parts;

/// Work and data of the GPU engine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Volumes {
    /// Work, in seconds of one core of today's engine.
    pub(super) own_seconds: f64,
    /// Read, GB.
    pub(super) read_gb: f64,
    /// Exchanged, GB.
    pub(super) exchanged_gb: f64,
    /// Memory of one machine for exchanges of all queries, GB; `None`: everything fits.
    pub(super) memory_gb: Option<f64>,
}

/// Read rate of an engine without one, GB/s.
pub(super) const USUAL_READ: f64 = 1.0;

impl Volumes {
    /// The volumes of `queries` queries with these parts of their times.
    pub(super) fn new(parts: &Parts, queries: u64, gpu: &Engine) -> Self {
        let (machines, lanes) = (gpu.machines, gpu.all_lanes());
        let own_seconds = if gpu.work_ratio > 0.0 { parts.work * lanes / gpu.work_ratio } else { 0.0 };
        let read_gb = parts.storage * lanes * gpu.read_gb_per_s.unwrap_or(USUAL_READ);
        let exchange = (parts.network - parts.spill).max(0.0);
        let spilled = parts.spill * machines * gpu.spill_gb_per_s.unwrap_or(0.0);
        let exchanged_gb = if gpu.exchange_ratio > 0.0 {
            (exchange * machines * gpu.network_gbit_per_s / 8.0 / gpu.exchange_ratio).max(spilled)
        } else {
            spilled
        };
        // One query at a time uses the memory. Without spilling, all queries are assumed to exchange alike.
        let memory_gb = gpu.exchange_memory_gb.map(|memory| {
            if spilled > 0.0 {
                (exchanged_gb - spilled) / machines
            } else {
                (memory * queries as f64).max(exchanged_gb / machines)
            }
        });
        Self { own_seconds, read_gb, exchanged_gb, memory_gb }
    }
}
