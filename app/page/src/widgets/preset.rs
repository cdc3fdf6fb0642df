//! Numbers from the hardware catalogue: a list of entries, and the provenance of the numbers.

use crossover_quantity::catalogue::{Confidence, Datum};
use crossover_quantity::provenance::Provenance;
use egui::Ui;

/// A catalogue entry in the list: its name, and figures that distinguish it.
pub type Choice<'a> = (&'a str, String);

/// A list of entries; returns the index of the picked one.
pub fn picker<'a>(ui: &mut Ui, id: &str, current: &str, choices: impl Iterator<Item = Choice<'a>>) -> Option<usize> {
    let mut picked = None;
    let shown = if current.is_empty() { "Choose from the catalogue…" } else { current };
    let response = egui::ComboBox::from_id_salt(id)
        .selected_text(shown)
        .width(ui.available_width() - 8.0)
        .truncate()
        .height(420.0)
        .show_ui(ui, |ui| {
            ui.set_min_width(430.0);
            for (index, (name, figures)) in choices.enumerate() {
                let button = egui::Button::selectable(name == current, name)
                    .shortcut_text(figures)
                    .min_size(egui::vec2(ui.available_width(), 0.0));
                if ui.add(button).clicked() {
                    picked = Some(index);
                    ui.close();
                }
            }
        })
        .response;
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, format!("{id} preset")));
    picked
}

/// Provenance of a figure of a catalogue entry.
#[must_use]
pub fn source(entry: &str, figure: &Datum) -> Provenance {
    match figure.confidence {
        Confidence::Published => Provenance::Published(figure.source.clone()),
        Confidence::Measured | Confidence::Spec | Confidence::Derived => Provenance::Preset {
            entry: entry.to_owned(),
            source: format!("{} ({})", figure.source, confidence(figure.confidence)),
        },
    }
}

fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Measured => "measured",
        Confidence::Spec => "data sheet",
        Confidence::Derived => "derived",
        Confidence::Published => "published",
    }
}
