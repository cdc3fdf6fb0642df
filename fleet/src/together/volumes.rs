//! What the GPU engine must be given to do so that it takes the predicted time.
//!
//! ```text
//! W = work·n·l/ρ         R = storage·n·l·s_e        E = (network − spill)·n·B_e/(8·χ)       m = (E − spill·n·s_d)/n
//! ```
//! n machines with l GPUs each, `ρ`, `s_e`, `χ`, `B_e` and `s_d` of the engine on the base's machines. Every query's prediction is linear
//! in `1/(n·l)` and `1/(n·B_e)` but for what does not fit in memory, so that the sum is what the queries take on other machines,
//! too. See `docs/model/fleet.md`.

use crossover_engine::Engine;

use crate::application::Parts;

/// What the GPU engine is given to do.
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

/// Reading of an engine that says nothing of its speed, GB/s.
pub(super) const USUAL_READ: f64 = 1.0;

impl Volumes {
    /// Of so many queries whose times there consist of these parts.
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
        // One query after the other has the memory. Where nothing is spilled, all queries are taken to exchange alike.
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
