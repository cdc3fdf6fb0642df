//! Numbers as people write, check and print them: quantities with units and ranges, where a value comes from, how sure it is, and
//! the texts and tables that show it.
//!
//! No crate of Crossover: every other one stands on this.

pub mod catalogue;
pub mod estimate;
pub mod invalid;
pub mod provenance;
pub mod quantity;
pub mod shared;
pub mod spread;
pub mod text;
pub mod unit;
