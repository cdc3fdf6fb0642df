//! Sliders: their width, and tracks that stand out from the panel.

use crossover_chart::theme::Token;
use egui::Ui;

/// Sets how wide the sliders are that are added next, in points, and the colour of their tracks. That of egui is too close to the
/// panel's in the light theme.
pub fn prepare(ui: &mut Ui, width: f32) {
    ui.spacing_mut().slider_width = width;
    let track = Token::Track.color(ui.visuals().dark_mode);
    ui.visuals_mut().widgets.inactive.bg_fill = track;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_has_the_colour_of_its_theme() {
        let ctx = egui::Context::default();
        for theme in [egui::Theme::Light, egui::Theme::Dark] {
            ctx.set_theme(theme);
            let draw = |ui: &mut Ui| {
                prepare(ui, 120.0);
                let dark = theme == egui::Theme::Dark;
                assert_eq!(ui.visuals().widgets.inactive.bg_fill, Token::Track.color(dark));
            };
            ctx.run_ui(egui::RawInput::default(), draw).textures_delta.clear();
        }
    }
}
