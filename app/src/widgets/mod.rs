//! Widgets that several pages use.

pub(crate) mod quantity;
