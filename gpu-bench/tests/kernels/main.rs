//! Every kernel against its twin on the CPU, at sizes around workgroups and tiles.
//!
//! Runs on whatever adapter there is; CI has the software adapter.

mod aggregate;
mod compress;
mod filter;
mod join;
mod memory;
mod scan;
mod sort;

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crossover_gpu_bench::gpu::Gpu;
use crossover_gpu_bench::gpu::adapter;

/// Numbers of words around the sizes of a workgroup and a tile.
pub(crate) const SIZES: [u32; 9] = [0, 1, 255, 256, 257, 4095, 4096, 4097, 1_000_000];

/// The GPU that all tests share, one at a time.
pub(crate) fn gpu() -> MutexGuard<'static, Gpu> {
    static GPU: OnceLock<Mutex<Gpu>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| {
        let adapter = adapter::choose(adapter::list(), None).expect("an adapter: install mesa-vulkan-drivers");
        Mutex::new(Gpu::open(&adapter).expect("the adapter opens"))
    });
    gpu.lock().unwrap_or_else(PoisonError::into_inner)
}
