//! The CPU's side: the same operators on the same data with the same materialised output, on one core and
//! on all. Each is the fastest known form, for a fair comparison with the GPU; `peers/` compares it with
//! DuckDB and Polars.
//!
//! What ends in `_parallel` runs on the threads of the rayon pool it is called in; its output is the same.

pub mod aggregate;
mod compaction;
pub mod compress;
pub mod filter;
pub mod gather;
pub mod join;
pub mod memory;
mod output;
mod partition;
pub mod scan;
pub mod sort;

#[cfg(test)]
mod tests;
