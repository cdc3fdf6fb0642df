//! What compute centres deliver, measured by probes: how far work scales there.
//!
//! - [`usl`]: throughput against units, a law that is fitted
//! - [`kneedle`]: where a curve begins to flatten
//! - [`scaling`]: how many units are worth while
//! - [`pelt`]: when a series changes its level
//! - [`window`]: when the network is good

pub mod kneedle;
pub mod pelt;
pub mod scaling;
pub mod usl;
pub mod window;

pub use scaling::{Recommended, Scaled};
pub use usl::{NoScaling, Point, Scaling};
pub use window::{Level, Network, Timed, Window};
