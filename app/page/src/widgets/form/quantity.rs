//! One number of a form: name, slider where the range is wide, drag value with unit, provenance mark,
//! and a tooltip that says what the number means, in which unit and range, and where it comes from.

use std::cell::Cell;

use crossover_chart::theme::Token;
use crossover_quantity::provenance::{Provenance, SourceKind};
use crossover_quantity::quantity::Quantity;
use crossover_quantity::unit::{ParseQuantityError, Unit};
use egui::{Align, DragValue, Layout, Response, RichText, Slider, Ui};

use crate::widgets::slider;

/// Width of the names, in points.
pub const LABEL_WIDTH: f32 = 130.0;

/// An edit of a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// A new value.
    Changed,
    /// Reset to the saved value.
    Reset,
    /// The typed text is not valid; the message has the reason.
    Refused(String),
}

/// A typed text that is not applied.
enum Typed {
    /// Not a number of this unit.
    Refused(ParseQuantityError),
    /// A number out of range.
    NotAllowed(f64),
}

/// Draws one number of a form as a row of a grid with two columns; `name` is its accessible name. A number that belongs to no study
/// has no `source`, and no mark.
pub fn row(ui: &mut Ui, info: &Quantity, name: &str, value: &mut f64, source: Option<&Provenance>) -> Option<Edit> {
    let mut edit = None;
    let label = egui::Label::new(info.label).truncate().sense(egui::Sense::CLICK);
    let size = egui::vec2(LABEL_WIDTH, 18.0);
    let label = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(size.x);
        ui.add(label)
    });
    let label = label.inner;
    label.clone().on_hover_ui(|ui| explain(ui, info, *value, source));
    let mut wants_reset = reset_menu(&label);
    let mut is_left = false;
    // From the right, so that the numbers of all rows stand below each other.
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        match source {
            Some(source) => mark(ui, source),
            None => ui.add_space(super::MARK_WIDTH),
        }
        let before = *value;
        let mut next = *value;
        let refused = Cell::new(None);
        let drag = drag_value(info, &mut next, &refused, written).min_size(egui::vec2(104.0, 18.0));
        let drag = ui.add(drag).labelled_by(label.id);
        is_left = drag.lost_focus();
        wants_reset |= dress(drag, info, name, before, source);
        let room = ui.available_width();
        if info.is_wide() && room > 30.0 {
            slider::prepare(ui, room - 4.0);
            let slider = Slider::new(&mut next, info.min..=info.max)
                .logarithmic(true)
                .show_value(false)
                .clamping(egui::SliderClamping::Always);
            let slider = ui.add(slider);
            slider.widget_info(|| egui::WidgetInfo::slider(true, before, format!("{name} slider")));
        }
        edit = taken_over(info, value, next, &refused);
    });
    ui.end_row();
    problem_beside(ui, name, *value, edit.as_ref(), is_left);
    if wants_reset { Some(Edit::Reset) } else { edit }
}

/// The problem with the last typed text, below the number, until its value changes or the field is left without a problem.
fn problem_beside(ui: &mut Ui, name: &str, value: f64, edit: Option<&Edit>, is_left: bool) {
    let id = ui.scope_id().with(("refused", name));
    let pass = ui.ctx().cumulative_pass_nr();
    let known = ui.data(|data| data.get_temp::<Problem>(id));
    match edit {
        Some(Edit::Refused(problem)) => {
            let problem = Problem { of: value.to_bits(), pass, text: problem.clone() };
            ui.data_mut(|data| data.insert_temp(id, problem));
        }
        Some(Edit::Changed | Edit::Reset) => ui.data_mut(|data| data.remove::<Problem>(id)),
        // A field is left in two passes, and the second one has no text any more.
        None if is_left && known.as_ref().is_some_and(|known| known.pass + 1 < pass) => {
            ui.data_mut(|data| data.remove::<Problem>(id));
        }
        None => {}
    }
    let Some(problem) = ui.data(|data| data.get_temp::<Problem>(id)) else { return };
    if problem.of != value.to_bits() {
        ui.data_mut(|data| data.remove::<Problem>(id));
        return;
    }
    ui.label("");
    ui.vertical(|ui| {
        let color = Token::Error.color(ui.visuals().dark_mode);
        ui.add(egui::Label::new(RichText::new(problem.text).color(color).small()).wrap());
    });
    ui.end_row();
}

/// A typed text that is not the number.
#[derive(Debug, Clone)]
struct Problem {
    /// The bits of the number.
    of: u64,
    /// The pass in which the text was typed.
    pass: u64,
    text: String,
}

/// Draws one number alone, without name, unit and mark, for a table with the unit in its head; `name` is its
/// accessible name.
pub(crate) fn cell(
    ui: &mut Ui,
    info: &Quantity,
    name: &str,
    value: &mut f64,
    source: &Provenance,
    width: f32,
) -> Option<Edit> {
    let source = Some(source);
    let before = *value;
    let mut next = *value;
    let refused = Cell::new(None);
    let number = |unit: Unit, value| unit.number_and_symbol(value).0;
    let drag = ui.add(drag_value(info, &mut next, &refused, number).min_size(egui::vec2(width, 18.0)));
    let wants_reset = dress(drag, info, name, before, source);
    let edit = taken_over(info, value, next, &refused);
    if wants_reset { Some(Edit::Reset) } else { edit }
}

/// Gives a drag value its accessible name, menu and tooltip; true to reset it to the saved value.
fn dress(drag: Response, info: &Quantity, name: &str, before: f64, source: Option<&Provenance>) -> bool {
    drag.widget_info(|| {
        let mut info = egui::WidgetInfo::new(egui::Role::SpinButton);
        info.label = Some(name.to_owned());
        info.value = Some(before);
        info
    });
    let wants_reset = reset_menu(&drag);
    drag.on_hover_ui(|ui| explain(ui, info, before, source));
    wants_reset
}

/// Applies a new value, clamped to the range and rounded where it must be whole.
fn taken_over(info: &Quantity, value: &mut f64, mut next: f64, refused: &Cell<Option<Typed>>) -> Option<Edit> {
    let before = *value;
    let problem = match refused.take() {
        Some(Typed::Refused(problem)) => Some(problem.to_string()),
        Some(Typed::NotAllowed(typed)) => info.problem(typed),
        None => None,
    };
    if let Some(problem) = problem {
        return Some(Edit::Refused(format!(
            "{}: {problem}; the value stays {}",
            info.label,
            written(info.unit, before)
        )));
    }
    if info.whole {
        next = next.round();
    }
    *value = next.clamp(info.min, info.max);
    (value.to_bits() != before.to_bits()).then_some(Edit::Changed)
}

/// A right click offers the saved value.
fn reset_menu(response: &Response) -> bool {
    let mut is_wanted = false;
    response.context_menu(|ui| is_wanted = ui.button("Reset to the saved value").clicked());
    is_wanted
}

/// A drag value with the unit of the number: it reads "1.5 TB", "100 Gbit/s" and "5 ms". Text that is not valid sets
/// `refused`.
fn drag_value<'a>(
    info: &'a Quantity,
    value: &'a mut f64,
    refused: &'a Cell<Option<Typed>>,
    written: fn(Unit, f64) -> String,
) -> DragValue<'a> {
    let current = *value;
    let unit = info.unit;
    let shown = written(unit, current);
    let speed = speed(info, current);
    DragValue::new(value)
        .range(info.min..=info.max)
        .speed(speed)
        .update_while_editing(false)
        .custom_formatter(move |value, _| written(unit, value))
        // Leaving a field must not round the value to the shown text.
        .custom_parser(move |text| {
            if text == shown {
                return Some(current);
            }
            match info.parse_typed(text) {
                Ok(value) => {
                    if info.problem(value).is_some() {
                        refused.set(Some(Typed::NotAllowed(value)));
                    }
                    Some(value)
                }
                Err(error) => {
                    refused.set(Some(Typed::Refused(error)));
                    None
                }
            }
        })
}

/// How far one point of a drag moves a value: a hundredth of it, but enough to leave zero.
fn speed(info: &Quantity, value: f64) -> f64 {
    let least = if info.whole {
        0.2
    } else if info.min > 0.0 {
        info.min * 0.01
    } else if info.min < 0.0 || value == 0.0 {
        match info.unit {
            Unit::Megahertz | Unit::Bytes | Unit::Cycles | Unit::Tops | Unit::TeraOperations | Unit::Watts => 1.0,
            _ => 1e-3,
        }
    } else {
        1e-9
    };
    (value.abs() * 0.01).max(least)
}

/// A value with its unit, short enough for a field.
fn written(unit: Unit, value: f64) -> String {
    match unit {
        Unit::SecondsPer100Mb => Unit::Seconds.format(value),
        other => other.format(value),
    }
}

/// A coloured letter for the kind of source.
pub fn mark(ui: &mut Ui, source: &Provenance) {
    let kind = source.source_kind();
    let token = match kind {
        SourceKind::Entered => Token::TextWeak,
        SourceKind::Published | SourceKind::PriceList => Token::Accent,
        SourceKind::Catalogue => Token::Gpu,
        SourceKind::Measured | SourceKind::Fitted => Token::InfiniBand,
        SourceKind::Imported | SourceKind::Assumed => Token::Warning,
    };
    let color = token.text(ui.visuals().dark_mode);
    ui.add(egui::Label::new(RichText::new(kind.letter()).small().strong().color(color)).selectable(false))
        .on_hover_text(source.describe());
}

/// Meaning, symbol, unit, range, source.
fn explain(ui: &mut Ui, info: &Quantity, value: f64, source: Option<&Provenance>) {
    ui.set_max_width(360.0);
    ui.label(RichText::new(info.label).strong());
    ui.label(info.meaning);
    egui::Grid::new("explain").num_columns(2).show(ui, |ui| {
        let mut line = |name: &str, text: String| {
            if !text.is_empty() {
                ui.label(RichText::new(name).weak());
                ui.add(egui::Label::new(text).wrap());
                ui.end_row();
            }
        };
        line("symbol", info.symbol.to_owned());
        line("value", info.unit.format(value));
        line("range", info.range());
        line("definition", info.source.to_owned());
        line("source", source.map(Provenance::describe).unwrap_or_default());
    });
    ui.label(
        RichText::new("Drag, or type with a unit. Right-click to reset. F1: all formulas and their sources.").weak(),
    );
}
