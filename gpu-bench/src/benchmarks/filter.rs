//! Filter.

use super::Benchmark;

/// What this module measures.
pub const BENCHMARKS: &[Benchmark] = &[];
