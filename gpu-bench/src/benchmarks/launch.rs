//! What it costs to start work on the GPU.

use super::Benchmark;

/// What this module measures.
pub const BENCHMARKS: &[Benchmark] = &[];
