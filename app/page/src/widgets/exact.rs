//! A number that leaving its field does not round to the text that the field shows.

use crossover_quantity::unit::Unit;
use egui::DragValue;

/// A field for a number with a unit; the number is applied when it is complete, in one step to undo.
pub fn drag(value: &mut f64, unit: Unit) -> DragValue<'_> {
    let before = *value;
    let shown = unit.format(before);
    DragValue::new(value)
        .update_while_editing(false)
        .custom_formatter(move |value, _| unit.format(value))
        .custom_parser(move |text| if text == shown { Some(before) } else { unit.parse(text).ok() })
}
