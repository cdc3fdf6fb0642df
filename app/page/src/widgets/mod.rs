//! Widgets that several pages use.

pub mod beside;
pub mod bus_speed;
pub mod cell;
pub mod chart_tabs;
pub mod copied;
pub mod drawer;
pub mod effort_hours;
pub mod empty;
pub mod exact;
pub mod focus;
pub mod form;
pub mod panel;
pub mod preset;
pub mod runs_per_month;
pub mod slider;
pub mod table;
pub mod text_table;
pub mod typed;
pub mod warning;
pub mod wrapped;
