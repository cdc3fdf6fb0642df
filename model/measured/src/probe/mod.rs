//! Probes: small tasks that centres are sent, and what they report of them.
//!
//! - [`library`]: operators of which probes are made
//! - [`task`]: a probe, which centres are sent
//! - [`report`]: what they report of it

pub mod library;
pub mod report;
pub mod task;

pub use library::{Amount, Category, LIBRARY, LIBRARY_VERSION, LibraryOperator};
pub use report::{OperatorReport, ProbeReport};
pub use task::{Added, Executed, ProbeOperator, ProbeTask};
