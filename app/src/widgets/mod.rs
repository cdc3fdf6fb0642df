//! Widgets that several pages use.

pub(crate) mod bus_speed;
pub(crate) mod preset;
pub(crate) mod quantity;
