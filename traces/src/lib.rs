//! Recorded clusters and the tasks that came to them, from the files that schedulers and traces leave.
//!
//! - [`openb`]: Alibaba's GPU cluster of 2023

pub mod error;
pub mod openb;
mod table;

pub use error::TraceError;
