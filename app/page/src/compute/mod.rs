//! Computations of pages: small ones within the frame, every other one on a separate thread, the newest input first.
//!
//! - [`computed`]: the newest finished outcome of an input that changes
//! - `background`: a computation on a separate thread, with progress and cancellation
//! - `watched`: progress and cancellation of the model's computations
//! - `guarded`: a panic becomes an error
//! - `background_drop`: memory that is freed on another thread

pub mod background;
pub mod background_drop;
pub mod computed;
pub mod guarded;
pub mod watched;
