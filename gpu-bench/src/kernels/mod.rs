//! Kernels in WGSL and the programs made of them. Each has a twin in [`crate::cpu`] and a test that both agree.
//!
//! Rules for every kernel: workgroup memory is initialised by the kernel itself; no workgroup waits for
//! another one (no forward progress is assumed); loops are bounded; subgroup operations only in variants.

pub mod aggregate;
pub mod compress;
pub mod compute;
pub mod filter;
pub mod generate;
pub mod join;
pub mod launch;
pub mod memory;
pub mod scan;
pub mod sort;
pub mod zipf;

/// Items that one workgroup works on: 16 per invocation.
pub const TILE: u64 = 4096;
