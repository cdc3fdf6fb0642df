//! Host memory to GPU memory and back, by every route.

use super::Benchmark;

/// What this module measures.
pub const BENCHMARKS: &[Benchmark] = &[];
