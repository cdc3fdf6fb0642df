//! Measures the network between two machines: round trips of small messages, and throughput in both directions.
//!
//! [`serve`] listens on one machine, [`measure`] connects from the other; `wire` has what they send each other.

mod end;
mod error;
pub mod file;
mod listen;
mod measure;
pub mod perftest;
mod sampling;
pub mod secured;
pub mod summary;
mod wire;

pub use self::error::NetworkError;
pub use self::listen::{Listening, serve};
pub use self::measure::{NetworkPlan, measure};
