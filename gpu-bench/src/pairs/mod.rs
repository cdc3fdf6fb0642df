//! Pairs of kernels on one GPU: how fast each still is beside the other, against alone.
//!
//! [`kernels`] has the kernels and finds their sizes, [`worker`] dispatches one over and over, in a process or on a thread of its
//! own, [`partner`] is a worker as its starter sees it, [`mod@run`] brings pairs together, [`report`] is what comes of it.

pub mod kernels;
pub mod partner;
pub mod report;
pub mod run;
pub mod worker;

pub use self::kernels::{KERNELS, Kernel};
pub use self::report::{How, PairsReport};
pub use self::run::{Plan, run};
