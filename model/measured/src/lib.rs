//! Results of measuring programs, as studies read them.
//!
//! - [`calibration`]: numbers of a placement study, measured on one machine
//! - [`kernels`]: classes of kernels that share a GPU, and their normalised speeds
//! - [`probe`]: probe tasks, their operators and the reports of centres

pub mod calibration;
pub mod kernels;
pub mod probe;
