//! Sums, and group-by.

use super::Benchmark;

/// What this module measures.
pub const BENCHMARKS: &[Benchmark] = &[];
