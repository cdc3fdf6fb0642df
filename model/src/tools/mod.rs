//! Tools that act on any study: they know numbers and figures, and no kind of study.
//!
//! - [`mod@sweep`]: figures along one number
//! - [`mod@uncertainty`]: how sure figures are, where numbers are not
//! - [`mod@sensitivity`]: which of the unsure numbers a figure hangs on
//! - [`unknowns`]: numbers that are not known exactly, and points among all that they may be
//! - [`wanted`]: which figures are asked for

mod sampled;
pub mod sensitivity;
pub mod sweep;
pub mod uncertainty;
pub mod unknowns;
pub mod wanted;

pub use sampled::NotAllowed;
pub use sensitivity::{Sensitivity, sensitivity};
pub use sweep::{Sweep, SweepError, Swept, sweep};
pub use uncertainty::{Sampling, Uncertain, UncertaintyError, uncertainty};
pub use unknowns::Unknowns;
