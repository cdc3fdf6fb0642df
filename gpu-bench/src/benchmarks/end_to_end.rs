//! From host memory to host memory through the GPU.

use super::Benchmark;

/// What this module measures.
pub const BENCHMARKS: &[Benchmark] = &[];
