//! What measuring programs report, and studies read.
//!
//! - [`calibration`]: the numbers of a placement study, measured on one machine
//! - [`kernels`]: what kernels that share a GPU are busy with
//! - [`probe`]: probe tasks, the operators of which they are made, and what centres report of them

pub mod calibration;
pub mod kernels;
pub mod probe;
