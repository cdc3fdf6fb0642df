//! What measuring programs report, and studies read.
//!
//! - [`calibration`]: the numbers of a placement study, measured on one machine
//! - [`kernels`]: kernels that share a GPU: what they are busy with, and what is left of their speed
//! - [`probe`]: probe tasks, the operators of which they are made, and what centres report of them

pub mod calibration;
pub mod kernels;
pub mod probe;
