//! Results of measuring programs, as studies read them.
//!
//! - [`calibration`]: numbers of a placement study, measured on one machine
//! - [`kernels`]: classes of kernels that share a GPU, and their normalised speeds
//! - [`network`]: round trips and throughput between two machines
//! - [`probe`]: probe tasks, their operators and the reports of centres
//! - [`sharing`]: two programs beside each other on a GPU or on CPUs

pub mod calibration;
pub mod kernels;
pub mod network;
pub mod probe;
pub mod sharing;
