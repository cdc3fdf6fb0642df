//! How the window looks: the colour tokens applied to egui's two themes, sizes and spacing.

use crossover_chart::theme::Token;
use crossover_page::density::Density;
use egui::{Context, CornerRadius, FontDefinitions, FontFamily, FontId, Stroke, TextStyle, Theme, Visuals, vec2};

/// Sets colours, type sizes and spacing for the light and the dark theme.
pub(crate) fn apply(ctx: &Context) {
    ctx.set_fonts(fonts());
    for theme in [Theme::Light, Theme::Dark] {
        ctx.set_visuals_of(theme, visuals(theme == Theme::Dark));
    }
    // Zooming is a command like any other.
    ctx.options_mut(|options| options.zoom_with_keyboard = false);
    ctx.all_styles_mut(|style| {
        style.text_styles = [
            (TextStyle::Small, FontId::proportional(11.0)),
            (TextStyle::Body, FontId::proportional(13.0)),
            (TextStyle::Button, FontId::proportional(13.0)),
            (TextStyle::Heading, FontId::proportional(17.0)),
            (TextStyle::Monospace, FontId::monospace(12.5)),
        ]
        .into();
        style.spacing.combo_height = 360.0;
        style.interaction.tooltip_delay = 0.35;
        // An idle window does not repaint: nothing blinks.
        style.visuals.text_cursor.blink = false;
    });
    set_density(ctx, Density::Compact);
}

/// Sets the room between and within controls.
pub(crate) fn set_density(ctx: &Context, density: Density) {
    let (item, button, height) = match density {
        Density::Compact => (vec2(7.0, 4.0), vec2(7.0, 2.0), 18.0),
        // Rows of tables have room for controls of this height.
        Density::Comfortable => (vec2(9.0, 8.0), vec2(9.0, 3.0), 20.0),
    };
    ctx.all_styles_mut(|style| {
        style.spacing.item_spacing = item;
        style.spacing.button_padding = button;
        style.spacing.interact_size.y = height;
    });
}

/// egui's fonts; the monospaced one also serves arrows and mathematical signs in running text.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    if let Some(proportional) = fonts.families.get_mut(&FontFamily::Proportional) {
        proportional.push("Hack".to_owned());
    }
    fonts
}

fn visuals(dark: bool) -> Visuals {
    let mut visuals = if dark { Visuals::dark() } else { Visuals::light() };
    let token = |token: Token| token.color(dark);
    visuals.panel_fill = token(Token::Panel);
    visuals.window_fill = token(Token::Panel);
    visuals.extreme_bg_color = token(Token::Background);
    visuals.faint_bg_color = token(Token::Stripe);
    visuals.weak_text_color = Some(token(Token::TextWeak));
    visuals.warn_fg_color = token(Token::Warning);
    visuals.error_fg_color = token(Token::Error);
    visuals.hyperlink_color = token(Token::Accent);
    visuals.selection.bg_fill = token(Token::Accent).gamma_multiply(if dark { 0.45 } else { 0.25 });
    visuals.selection.stroke = Stroke::new(1.0, token(Token::Text));
    visuals.widgets.noninteractive.fg_stroke.color = token(Token::Text);
    visuals.widgets.inactive.fg_stroke.color = token(Token::Text);
    visuals.widgets.hovered.fg_stroke.color = token(Token::Text);
    visuals.widgets.active.fg_stroke.color = token(Token::Text);
    visuals.widgets.open.fg_stroke.color = token(Token::Text);
    // Weak text, such as a shortcut in a menu, reads while it is pressed too.
    visuals.widgets.active.weak_bg_fill = visuals.widgets.hovered.weak_bg_fill;
    visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, token(Token::Grid));
    visuals.menu_corner_radius = CornerRadius::same(4);
    visuals.window_corner_radius = CornerRadius::same(6);
    visuals
}

#[cfg(test)]
mod tests {
    use crossover_chart::theme::{TEXT_CONTRAST, Token, contrast};
    use crossover_page::widgets::form::quantity::LABEL_WIDTH;
    use crossover_scenario::Kind;
    use crossover_study::described;

    use crate::workbench::{documents, listed};

    /// Text that appears only in tooltips, menus and marks, which no picture test shows.
    fn texts() -> Vec<String> {
        let numbers = Kind::ALL.into_iter().flat_map(|kind| described(kind.fields()));
        let mut texts: Vec<String> = numbers
            .flat_map(|(_, info)| [info.symbol, info.label, info.meaning, info.source])
            .map(str::to_owned)
            .collect();
        texts.extend(listed().iter().flat_map(|command| [command.text(), command.tooltip().to_owned()]));
        texts.extend(documents().map(|(_, text)| text.to_owned()));
        texts.push("→▶◀▲▼×·…“”σθ′⌈⌉Σ−µ≥≤∞•₁≈√αβγ²³∝÷∆Δεδ⇅⇄⇑⇓◉⊘–".to_owned());
        texts
    }

    /// Text of the window on each of its surfaces; chart/src/theme.rs has the same for coloured text.
    #[test]
    fn text_reads_on_every_surface_of_the_window() {
        let rgb = |color: egui::Color32| [color.r(), color.g(), color.b()];
        for dark in [false, true] {
            let visuals = super::visuals(dark);
            let widgets = &visuals.widgets;
            let surfaces = [visuals.panel_fill, visuals.window_fill, visuals.extreme_bg_color, visuals.faint_bg_color];
            let controls = [widgets.inactive, widgets.hovered, widgets.active, widgets.open].map(|of| of.weak_bg_fill);
            let weak = visuals.weak_text_color.expect("a colour");
            let coloured = [visuals.warn_fg_color, visuals.error_fg_color, visuals.hyperlink_color];
            let on_surfaces = [visuals.text_color(), weak].into_iter().chain(coloured);
            let mut pairs: Vec<_> = on_surfaces.flat_map(|text| surfaces.map(|ground| (text, ground))).collect();
            pairs.extend(
                [visuals.text_color(), weak].into_iter().flat_map(|text| controls.map(|ground| (text, ground))),
            );
            for (text, ground) in pairs {
                assert!(ground.is_opaque(), "{ground:?}");
                let ratio = contrast(rgb(text), rgb(ground));
                assert!(ratio >= TEXT_CONTRAST, "{text:?} on {ground:?}, dark {dark}: {ratio:.2}");
            }
            // A chosen button or tab: its tint on the panel.
            let tint = visuals.selection.bg_fill;
            let chosen = visuals.panel_fill.blend(tint);
            let ratio = contrast(rgb(visuals.selection.stroke.color), rgb(chosen));
            assert!(ratio >= TEXT_CONTRAST, "{chosen:?}, dark {dark}: {ratio:.2}");
        }
        assert_eq!(rgb(super::visuals(true).panel_fill), Token::Panel.rgb(true));
    }

    #[test]
    fn every_label_of_a_form_fits_its_column() {
        let ctx = egui::Context::default();
        super::apply(&ctx);
        // Fonts exist after the first frame.
        ctx.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear();
        let font = egui::TextStyle::Body.resolve(&ctx.global_style());
        let width = |label: &str| {
            ctx.fonts_mut(|fonts| fonts.layout_no_wrap(label.to_owned(), font.clone(), egui::Color32::BLACK)).size().x
        };
        let labels = Kind::ALL.into_iter().flat_map(|kind| described(kind.fields())).map(|(_, info)| info.label);
        let clipped: std::collections::BTreeSet<&str> = labels.filter(|label| width(label) > LABEL_WIDTH).collect();
        assert!(clipped.is_empty(), "too long: {clipped:?}");
    }

    #[test]
    fn every_letter_of_the_interface_has_a_glyph() {
        let ctx = egui::Context::default();
        super::apply(&ctx);
        // Fonts exist after the first frame.
        ctx.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear();
        let font = egui::FontId::proportional(13.0);
        let missing: std::collections::BTreeSet<char> = texts()
            .iter()
            .flat_map(|text| text.chars())
            .filter(|letter| !letter.is_control())
            .filter(|letter| !ctx.fonts_mut(|fonts| fonts.has_glyph(&font, *letter)))
            .collect();
        assert!(missing.is_empty(), "no glyph for {missing:?}");
    }
}
