//! The field for the speed of a bus in one direction.

use crossover_quantity::unit::Unit;
use egui::{Response, Ui};

use super::exact;

/// Default speed, GB/s: PCIe 4.0 ×16, PCI Express base specification 4.0.
pub const USUAL: f64 = 31.5;
/// Allowed speeds, GB/s.
const RANGE: std::ops::RangeInclusive<f64> = 0.1..=1000.0;

/// Label of the field.
pub const LABEL: &str = "bus speed, one direction";

/// Draws the field without its label; edits the speed in GB/s.
pub fn field(ui: &mut Ui, speed: &mut f64) -> Response {
    ui.add(exact::drag(speed, Unit::GigabytesPerSecond).range(RANGE).speed(0.1))
}
