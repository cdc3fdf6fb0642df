//! The control table as a grid of numbers: actions by output.

use crossover_page::widgets::form;
use crossover_quantity::quantity::Quantity;
use crossover_regulation::{Band, Regulation, table as control_table};
use crossover_scenario::glossary::Meaning;
use egui::{Button, Grid, Label, RichText, Role, Ui, WidgetInfo, vec2};

use super::{Env, terms};

/// Width of the buttons at the end of a row, in points.
const BUTTON: f32 = 20.0;
/// Between two columns, in points.
const GAP: f32 = 4.0;

/// A change to the rows that must wait until they have been drawn.
enum Edit {
    Split(usize),
    Remove(usize),
}

/// Draws the section.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
    let dead_zone = control_table::dead_zone_row(&study.table);
    let width = ((ui.available_width() - 2.0 * BUTTON - 6.0 * GAP - 8.0) / 5.0).clamp(34.0, 64.0);
    let mut edit = None;
    ui.scope(|ui| {
        ui.spacing_mut().button_padding.x = 3.0;
        Grid::new("control table").num_columns(7).spacing([GAP, 3.0]).min_col_width(BUTTON).show(ui, |ui| {
            heads(ui, width);
            for row in 0..study.table.len() {
                let band = format!("table.{row}");
                form::cell(ui, study, &band, &Band::FROM, width, env.commands);
                form::cell(ui, study, &band, &Band::TO, width, env.commands);
                if dead_zone == Some(row) {
                    dead_zone_cell(ui, width);
                } else {
                    for action in [&Band::PRECISION, &Band::FREQUENCY_MHZ, &Band::VGPUS] {
                        form::cell(ui, study, &band, action, width, env.commands);
                    }
                }
                let is_free = dead_zone != Some(row);
                if button(ui, "÷", &format!("split {band}"), "Split the row in the middle", is_free) {
                    edit = Some(Edit::Split(row));
                }
                let explanation = "Remove the row; the next row towards zero gets its outputs";
                if button(ui, "×", &format!("remove {band}"), explanation, is_free) {
                    edit = Some(Edit::Remove(row));
                }
                ui.end_row();
            }
        });
    });
    match edit {
        Some(Edit::Split(row)) => study.split_band(row),
        Some(Edit::Remove(row)) => study.remove_band(row),
        None => {}
    }
    ui.horizontal_wrapped(|ui| {
        let first =
            ui.button("Add first row").on_hover_text("A row before the first one, for outputs further below zero");
        if first.clicked() {
            study.add_band(true);
        }
        let last = ui.button("Add last row").on_hover_text("A row after the last one, for outputs further above zero");
        if last.clicked() {
            study.add_band(false);
        }
        if ui.button("Published table").on_hover_text("The nine rows of the published method").clicked() {
            study.use_published_table();
        }
    });
    ui.label(RichText::new("Outputs beyond the table use its outermost row").weak().small());
}

fn heads(ui: &mut Ui, width: f32) {
    let heads: [(&str, &Quantity, Meaning); 5] = [
        ("u from", &Band::FROM, terms::OUTPUT),
        ("u to", &Band::TO, terms::OUTPUT),
        ("precision", &Band::PRECISION, Meaning::own("Lower precision computes faster and moves fewer bytes")),
        ("MHz", &Band::FREQUENCY_MHZ, Meaning::own("A higher frequency computes faster and draws more power")),
        ("vGPUs", &Band::VGPUS, terms::VGPU),
    ];
    for (head, quantity, meaning) in heads {
        let label = Label::new(RichText::new(head).weak().small()).truncate();
        ui.add_sized([width, 14.0], label).on_hover_text(format!("{}\n{}", quantity.meaning, meaning.text()));
    }
    ui.end_row();
}

/// Marks the row that causes no action, over the width of three columns.
fn dead_zone_cell(ui: &mut Ui, width: f32) {
    // A grid has no cells that span columns: the text of the first one reaches over the two empty ones.
    let (rect, response) = ui.allocate_exact_size(vec2(width, 18.0), egui::Sense::hover());
    let rect = egui::Rect::from_min_size(rect.min, vec2(3.0 * width + 2.0 * GAP, rect.height()));
    ui.painter().rect_filled(rect, 2.0, ui.visuals().faint_bg_color);
    let (font, color) = (egui::TextStyle::Body.resolve(ui.style()), ui.visuals().weak_text_color());
    ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, "dead zone: no action", font, color);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, "dead zone: no action"));
    ui.interact(rect, response.id.with("whole"), egui::Sense::hover()).on_hover_text(terms::DEAD_ZONE.text());
    ui.label("");
    ui.label("");
}

fn button(ui: &mut Ui, symbol: &str, name: &str, explanation: &str, is_enabled: bool) -> bool {
    let response = ui.add_enabled(is_enabled, Button::new(symbol).small().min_size(vec2(BUTTON, 16.0)));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, is_enabled, name));
    response.on_hover_text(explanation).on_disabled_hover_text("The dead zone cannot be split or removed").clicked()
}
