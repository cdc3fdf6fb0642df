//! What compute centres deliver, measured by probes: how far work scales there.
//!
//! - [`usl`]: throughput against units, a law that is fitted
//! - [`kneedle`]: where a curve begins to flatten
//! - [`scaling`]: how many units are worth while

pub mod kneedle;
pub mod scaling;
pub mod usl;

pub use scaling::{Recommended, Scaled};
pub use usl::{NoScaling, Point, Scaling};
