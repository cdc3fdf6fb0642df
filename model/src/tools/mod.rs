//! Tools that act on any study: they know numbers and figures, and no kind of study.
//!
//! - [`mod@sweep`]: figures along one number

pub mod sweep;

pub use sweep::{Sweep, SweepError, Swept, sweep};
