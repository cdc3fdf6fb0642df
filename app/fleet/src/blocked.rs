//! "Why do applications not move?": a bar for each blocker; a click filters by it.

use crossover_chart::theme::Token;
use crossover_fleet::blocker::Blocker;
use crossover_fleet::listed::Blocked;
use crossover_quantity::unit::Unit;
use egui::{Align2, CursorIcon, FontId, Rect, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::words::{HOUR, is_in_hours, time};

/// Height of a bar with its words, in points.
const ROW: f32 = 21.0;
/// Width of a blocker's name, and of the numbers behind a bar, in points.
const NAME: f32 = 150.0;
const BEHIND: [f32; 2] = [72.0, 66.0];

/// Draws a bar for each blocker, as long as the time today of its applications; a click selects the blocker or clears it.
pub(super) fn show(ui: &mut Ui, blocked: &[Blocked], picked: &mut Option<Blocker>, height: f32) {
    ScrollArea::vertical().id_salt("blocked").max_height(height).auto_shrink([false, false]).show(ui, |ui| {
        let longest = blocked.iter().map(|one| one.seconds).fold(0.0, f64::max);
        titles(ui, blocked);
        ui.spacing_mut().item_spacing.y = 1.0;
        for one in blocked {
            if bar(ui, one, longest, *picked) {
                *picked = (*picked != Some(one.blocker)).then_some(one.blocker);
            }
        }
    });
}

/// A time in the unit of the longest one beside it; hours with one decimal.
fn rounded(seconds: f64, longest: f64) -> String {
    if is_in_hours(longest) && seconds < 100.0 * HOUR {
        format!("{:.1} h", seconds / HOUR)
    } else {
        time(seconds, is_in_hours(longest))
    }
}

/// Titles of the numbers behind the bars.
fn titles(ui: &mut Ui, blocked: &[Blocked]) {
    if blocked.is_empty() {
        return;
    }
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
    let (font, weak) = (FontId::proportional(11.5), Token::TextWeak.color(ui.visuals().dark_mode));
    for (right, words) in [(4.0, "time today"), (4.0 + BEHIND[0], "applications")] {
        let at = pos2(rect.right() - right, rect.center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, words, font.clone(), weak);
    }
}

fn bar(ui: &mut Ui, one: &Blocked, longest: f64, picked: Option<Blocker>) -> bool {
    let dark = ui.visuals().dark_mode;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let name = one.blocker.label();
    let count = Unit::Count.format(one.applications as f64);
    let today = rounded(one.seconds, longest);
    let is_picked = picked == Some(one.blocker);
    let described = format!("{name}: {count} of the applications, {} today", Unit::Seconds.format(one.seconds));
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_picked, described.clone()));
    let painter = ui.painter_at(rect);
    if is_picked || response.hovered() || response.has_focus() {
        let opacity = if is_picked { 0.22 } else { 0.10 };
        painter.rect_filled(rect, 3.0, Token::Accent.color(dark).gamma_multiply(opacity));
    }
    let (font, text) = (FontId::proportional(13.0), Token::Text.color(dark));
    // The other bars are pale once one is selected.
    let opacity: f32 = if picked.is_none() || is_picked { 1.0 } else { 0.45 };
    let text = text.gamma_multiply(opacity.max(0.7));
    painter.text(pos2(rect.left() + 4.0, rect.center().y), Align2::LEFT_CENTER, name, font.clone(), text);
    let room = (rect.width() - NAME - BEHIND[0] - BEHIND[1] - 12.0).max(10.0);
    #[expect(clippy::cast_possible_truncation, reason = "a length on the screen")]
    let share = if longest > 0.0 { (one.seconds / longest) as f32 } else { 0.0 };
    let from = pos2(rect.left() + NAME, rect.top() + 4.0);
    let bar = Rect::from_min_size(from, vec2((room * share).max(1.0), rect.height() - 8.0));
    painter.rect_filled(bar, 0.0, Token::Uncontrolled.color(dark).gamma_multiply(opacity));
    for (right, words) in [(4.0, today), (4.0 + BEHIND[0], count)] {
        painter.text(pos2(rect.right() - right, rect.center().y), Align2::RIGHT_CENTER, words, font.clone(), text);
    }
    if is_picked {
        painter.rect_stroke(rect, 3.0, Stroke::new(1.0, Token::Accent.color(dark)), StrokeKind::Inside);
    }
    let hint = if is_picked { "Click to show all applications" } else { "Click to show only these" };
    let explained = format!("{described}. {} {hint}", one.blocker.explanation());
    response.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(explained).clicked()
}
