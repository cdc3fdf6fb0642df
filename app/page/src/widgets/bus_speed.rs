//! The field for the speed of a bus in one direction.

use crossover_quantity::unit::Unit;
use egui::{DragValue, Response, Ui};

/// Default speed, GB/s: PCIe 4.0 ×16, PCI Express base specification 4.0.
pub const USUAL: f64 = 31.5;
/// Allowed speeds, GB/s.
const RANGE: std::ops::RangeInclusive<f64> = 0.1..=1000.0;

/// Label of the field.
pub const LABEL: &str = "bus speed, one direction";

/// Draws the field without its label; edits the speed in GB/s.
pub fn field(ui: &mut Ui, speed: &mut f64) -> Response {
    let before = *speed;
    let drag = DragValue::new(speed)
        .range(RANGE)
        .speed(0.1)
        .update_while_editing(false)
        .custom_formatter(|value, _| Unit::GigabytesPerSecond.format(value))
        // Leaving the field must not round the value to the shown text.
        .custom_parser(move |text| {
            let is_shown = text == Unit::GigabytesPerSecond.format(before);
            if is_shown { Some(before) } else { Unit::GigabytesPerSecond.parse(text).ok() }
        });
    ui.add(drag)
}
