//! Predicts utilisation and time of a deep-learning task on a GPU from its network.
//!
//! - [`features`]: features of a task before it runs
//! - [`train`]: networks trained on measured runs
//! - [`roofline`]: estimates without measurements

pub mod features;
pub mod roofline;
pub mod train;
