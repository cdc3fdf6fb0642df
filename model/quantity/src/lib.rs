//! Quantities: units, ranges, provenance, uncertainty, and their texts and tables.
//!
//! Depends on no other crate of Crossover.

pub mod balance;
pub mod catalogue;
pub mod estimate;
pub mod finite;
pub mod invalid;
pub mod provenance;
pub mod quantity;
pub mod shared;
pub mod spread;
pub mod text;
pub mod unit;
pub mod unread;
