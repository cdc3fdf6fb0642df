//! Recorded clusters and the tasks that came to them, from the files that schedulers and traces leave.
//!
//! - [`openb`]: Alibaba's GPU cluster of 2023
//! - [`philly`]: jobs of Microsoft's cluster of 2017
//! - [`kubernetes`]: what `kubectl get nodes,pods` prints
//! - [`slurm`]: what `scontrol show node` and `squeue --json` print
//! - [`kind`]: what a file is, by its beginning
//! - [`named`]: what a study names by its files instead of holding it
//! - [`scaling`]: throughput at several numbers of units
//! - [`probed`]: measurements that centres report, whatever tool wrote them
//! - [`profiled`]: kernels as profilers saw them, pairs that ran together, and requests as they came
//! - [`series`]: how long the same probe took at different times
//! - [`manifest`]: the way back, pods that stand where a study put them

pub mod error;
mod gpus;
mod json;
mod json_value;
pub mod kind;
pub mod kubernetes;
mod left_out;
pub mod manifest;
mod mig;
pub mod named;
pub mod openb;
pub mod philly;
pub mod probed;
pub mod profiled;
pub mod scaling;
pub mod series;
pub mod slurm;
mod table;

pub use error::TraceError;
