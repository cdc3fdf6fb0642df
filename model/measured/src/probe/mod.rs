//! Probes: small tasks that centres run, and their reports.
//!
//! - [`library`]: the operators of probes
//! - [`task`]: a probe as a file
//! - [`report`]: the report of a run
//! - [`divided`]: a probe whose units are processes
//! - [`machine`]: the compute units of a machine

pub mod divided;
pub mod library;
pub mod machine;
pub mod report;
pub mod task;

pub use library::{Amount, Category, LIBRARY, LIBRARY_VERSION, LibraryOperator};
pub use machine::MachineUnits;
pub use report::{OperatorReport, ProbeReport};
pub use task::{Executed, ProbeOperator, ProbeTask, Program};
