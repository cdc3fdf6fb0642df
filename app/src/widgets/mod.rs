//! Widgets that several pages use.

pub mod quantity;
