//! Every kernel against its twin on the CPU, at sizes around workgroups and tiles.
//!
//! Runs on whatever adapter there is; CI has the software adapter.

mod aggregate;
mod compress;
mod compute;
mod filter;
mod join;
mod memory;
mod scan;
mod sort;

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_gpu_bench::gpu::Gpu;
use crossover_gpu_bench::gpu::adapter;
use crossover_gpu_bench::report::{Measurement, Verified};
use crossover_gpu_bench::runner::{self, Plan};
use crossover_harness::Cancel;
use crossover_needs::gpu_adapter;

/// Numbers of words around the sizes of a workgroup and a tile.
pub(crate) const SIZES: [u32; 9] = [0, 1, 255, 256, 257, 4095, 4096, 4097, 1_000_000];

/// The GPU that all tests share, one at a time.
pub(crate) fn gpu() -> Option<MutexGuard<'static, Gpu>> {
    static GPU: OnceLock<Option<Mutex<Gpu>>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| {
        let adapter = adapter::choose(adapter::list(), None).ok()?;
        Some(Mutex::new(Gpu::open(&adapter).expect("the adapter opens")))
    });
    Some(gpu_adapter(gpu.as_ref())?.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The number of rows of a column.
pub(crate) fn rows<T>(column: &[T]) -> u32 {
    u32::try_from(column.len()).expect("fewer than 2^32 rows")
}

/// The records of a small run of the benchmarks whose id begins so; all must be verified numbers.
pub(crate) fn verified_records(gpu: &Gpu, only: &str) -> Vec<Measurement> {
    let plan = Plan { suite: Suite::Ci, budget_seconds: 60.0, only: vec![only.to_owned()] };
    let report = runner::run(&plan, Ok(gpu), &Cancel::default(), &mut |_| {});
    assert!(!report.results.is_empty(), "no benchmark begins with {only}");
    for record in &report.results {
        assert!(record.time.is_some(), "{}, {:?}: {:?}", record.id, record.params, record.reason);
        assert!(matches!(record.verified, Verified::Exact | Verified::Digest), "{}", record.id);
    }
    report.results
}
