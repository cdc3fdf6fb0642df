//! Recorded clusters with their tasks, from traces and the output of schedulers.
//!
//! - [`openb`]: Alibaba's GPU cluster of 2023
//! - [`philly`]: jobs of published logs: Philly, Helios, Acme, PAI
//! - [`kubernetes`]: what `kubectl get nodes,pods` prints
//! - [`decisions`]: logs of the scheduler extender
//! - [`slurm`]: what `scontrol`, `sinfo`, `squeue` and `sacct` print
//! - [`kind`]: the kind of a file, by its beginning
//! - [`named`]: traces that a study names by their files
//! - [`scaling`]: throughput at several numbers of units
//! - [`probed`]: measurements of centres, from several tools
//! - [`profiled`]: profiled kernels, measured pairs, and recorded requests
//! - [`series`]: times of the same probe at different dates
//! - [`manifest`]: export of a placement as pods

pub mod decisions;
pub mod error;
mod gpus;
mod job_log;
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
mod unread;

pub use error::TraceError;
