//! The figures of the strip on top of a page.

use egui::{Align, Layout, RichText, TextStyle, TextWrapMode};

/// A figure with its meaning below; a block that wraps as a whole.
pub(super) fn headline(ui: &mut egui::Ui, figure: &str, meaning: &str, tooltip: &str) {
    let figure = RichText::new(figure).size(20.0).strong();
    let meaning = RichText::new(meaning).weak();
    let mut size = egui::vec2(0.0, 40.0);
    for text in [figure.clone(), meaning.clone()] {
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
