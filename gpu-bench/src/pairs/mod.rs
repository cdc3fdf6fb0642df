//! Pairs of kernels that share a GPU: throughput of each, relative to running alone.
//!
//! [`kernels`] has the kernels and finds their sizes, [`worker`] dispatches one repeatedly in its own process or thread,
//! [`worker_handle`] controls a worker, [`mod@run`] measures pairs, [`report`] has the results.

pub mod kernels;
pub mod report;
pub mod run;
pub mod worker;
pub mod worker_handle;

pub use self::kernels::{KERNELS, Kernel};
pub use self::report::{PairMode, PairsReport};
pub use self::run::{Plan, run};
