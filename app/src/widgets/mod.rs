//! Widgets that several pages use.

pub(crate) mod preset;
pub(crate) mod quantity;
