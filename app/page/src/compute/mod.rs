//! How pages compute: what is small within the frame, everything else on threads of their own, the newest input first.
//!
//! - [`computed`]: the newest finished outcome of an input that changes
//! - `background`: a computation on a thread of its own, with progress and cancel
//! - `watched`: how the model's computations are followed from there
//! - `guarded`: a panic becomes a problem to report
//! - `aside`: memory that is given back on another thread

pub mod aside;
pub mod background;
pub mod computed;
pub mod guarded;
pub mod watched;
