//! What a deep-learning task takes of a GPU, predicted from its network.
//!
//! - [`features`]: what is known of a task before it runs
//! - [`train`]: networks that are trained on measured runs
//! - [`roofline`]: what is said where nobody measured

pub mod features;
pub mod roofline;
pub mod train;
