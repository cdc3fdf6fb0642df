//! How the window looks: the colour tokens applied to egui's two themes, sizes and spacing.

use egui::{Context, CornerRadius, FontId, Stroke, TextStyle, Theme, Visuals, vec2};

use crate::theme::Token;

/// Sets colours, type sizes and spacing for the light and the dark theme.
pub fn apply(ctx: &Context) {
    for theme in [Theme::Light, Theme::Dark] {
        ctx.set_visuals_of(theme, visuals(theme == Theme::Dark));
    }
    ctx.all_styles_mut(|style| {
        style.text_styles = [
            (TextStyle::Small, FontId::proportional(11.0)),
            (TextStyle::Body, FontId::proportional(13.0)),
            (TextStyle::Button, FontId::proportional(13.0)),
            (TextStyle::Heading, FontId::proportional(17.0)),
            (TextStyle::Monospace, FontId::monospace(12.5)),
        ]
        .into();
        style.spacing.item_spacing = vec2(7.0, 4.0);
        style.spacing.button_padding = vec2(7.0, 2.0);
        style.spacing.combo_height = 360.0;
        style.interaction.tooltip_delay = 0.35;
        // An idle window does not repaint: nothing blinks.
        style.visuals.text_cursor.blink = false;
    });
}

fn visuals(dark: bool) -> Visuals {
    let mut visuals = if dark { Visuals::dark() } else { Visuals::light() };
    let token = |token: Token| token.color(dark);
    visuals.panel_fill = token(Token::Panel);
    visuals.window_fill = token(Token::Panel);
    visuals.extreme_bg_color = token(Token::Background);
    visuals.faint_bg_color = token(Token::Grid).gamma_multiply(0.35);
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
    visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, token(Token::Grid));
    visuals.menu_corner_radius = CornerRadius::same(4);
    visuals.window_corner_radius = CornerRadius::same(6);
    visuals
}
