//! The figures of the strip on top of a page.

use crossover_chart::theme::Token;
use crossover_quantity::text::counted;
use egui::{Align, Layout, Panel, RichText, ScrollArea, TextStyle, TextWrapMode, Ui};

use crate::compute::computed::{Computed, Work};
use crate::tour;
use crate::widgets::{drawer, warning};

/// The strip: what `show` adds about the outcome on the screen, dimmed while a newer one is computed, and the state of the computation.
pub fn panel<I: Work>(ui: &mut Ui, board: &mut Computed<I>, show: impl FnOnce(&mut Ui, &I::Outcome)) {
    let strip = Panel::top("summary").resizable(false).show(ui, |ui| {
        ui.add_space(4.0);
        if let Some(shown) = board.shown() {
            ui.scope(|ui| {
                board.dim(ui);
                show(ui, shown);
            });
        }
        board.state(ui);
        ui.add_space(2.0);
    });
    tour::mark(ui, tour::STRIP, strip.response.rect);
}

/// Figures beside each other: on as many lines as necessary, and in a short window on one that scrolls.
pub fn strip(ui: &mut Ui, figures: impl FnOnce(&mut Ui)) {
    let spaced = |ui: &mut Ui| {
        ui.spacing_mut().item_spacing.x = 22.0;
        figures(ui);
    };
    if drawer::is_short(ui) {
        ScrollArea::horizontal().show(ui, |ui| ui.horizontal(spaced));
    } else {
        ui.horizontal_wrapped(spaced);
    }
}

/// Warnings in full; in a low window their number, with the texts as a tooltip.
pub fn warnings(ui: &mut Ui, warnings: &[String]) {
    if drawer::is_low(ui) && warnings.iter().map(String::len).sum::<usize>() > SHORT {
        warning::count(ui, warnings.len());
        let color = Token::Warning.color(ui.visuals().dark_mode);
        let text = counted(warnings.len() as f64, "warning");
        ui.colored_label(color, text).on_hover_ui(|ui| {
            for warning in warnings {
                ui.label(warning);
            }
        });
        return;
    }
    for text in warnings {
        warning::show(ui, format!("Warning: {text}"));
    }
}

/// Maximum number of characters of warnings in a low window.
const SHORT: usize = 60;

/// A figure with its meaning below, as one block.
pub fn headline(ui: &mut egui::Ui, figure: &str, meaning: &str, tooltip: &str) {
    headline_as_wide(ui, figure, meaning, meaning, tooltip);
}

/// The same with room for another meaning, so that nothing moves when that one takes its place.
pub fn headline_as_wide(ui: &mut egui::Ui, figure: &str, meaning: &str, other: &str, tooltip: &str) {
    let figure = RichText::new(figure).size(20.0).strong();
    let meaning = RichText::new(meaning).weak();
    let mut size = egui::vec2(0.0, 40.0);
    for text in [figure.clone(), meaning.clone(), RichText::new(other).weak()] {
        let galley =
            egui::WidgetText::from(text).into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Body);
        size.x = size.x.max(galley.size().x);
    }
    let block = ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.add(egui::Label::new(figure).extend());
        ui.add(egui::Label::new(meaning).extend());
    });
    block.response.on_hover_text(tooltip);
}
