//! The mathematics behind Crossover: pure functions from a scenario to an outcome.
//!
//! Nothing in this crate reads a file, a clock, the network or a GPU: the same input gives the same
//! output on every machine. Files, windows and measurements live in the crates around it.

pub mod allocation;
pub mod calibration;
pub mod catalogue;
pub mod engine;
pub mod estimate;
pub mod formula;
pub mod invalid;
pub mod placement;
pub mod plan;
pub mod preemption;
pub mod probe;
pub mod provenance;
pub mod quantity;
pub mod regulation;
pub mod scenario;
pub mod shared;
pub mod spread;
pub mod study;
pub mod text;
pub mod tools;
pub mod unit;
