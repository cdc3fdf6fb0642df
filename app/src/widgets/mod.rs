//! Widgets that several pages use.

pub(crate) mod bus_speed;
pub(crate) mod cell;
pub(crate) mod drawer;
pub(crate) mod focus;
pub(crate) mod form;
pub(crate) mod preset;
pub(crate) mod table;
