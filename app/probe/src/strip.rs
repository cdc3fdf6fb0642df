//! A heat strip for each centre: the time of its probe at every hour of the day.

use crossover_chart::theme::{RAMP_STEPS, Token};
use crossover_export::probe::network::clock;
use crossover_probe::Network;
use crossover_quantity::unit::{Unit, elapsed};
use egui::{Align2, FontId, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, vec2};

use super::board::Shown;

/// Height of a strip, in points.
const HEIGHT: f32 = 16.0;
/// Width of the names in front of them, in points.
const NAMES: f32 = 110.0;

/// Draws the strips; nothing if no centre was probed over a day. Strong colours are slow, on one scale for all centres.
pub(super) fn show(ui: &mut Ui, shown: &Shown) {
    let networks = shown.study.centres.iter().zip(&shown.outcome.centres);
    let networks: Vec<_> =
        networks.filter_map(|(centre, of)| Some((&centre.name, of.network.as_ref()?, of.best_window()))).collect();
    let shares =
        networks.iter().flat_map(|(_, network, _)| network.hours.iter().flatten().map(|band| band / lowest(network)));
    let (low, high) = shares.fold((f64::INFINITY, 0.0_f64), |(low, high), share| (low.min(share), high.max(share)));
    if networks.is_empty() {
        return;
    }
    let dark = ui.visuals().dark_mode;
    let text = Token::Text.color(dark);
    for (name, network, best) in networks {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT + 3.0), Sense::hover());
        let painter = ui.painter().with_clip_rect(rect);
        let names = Rect::from_min_size(rect.min, vec2(NAMES - 8.0, HEIGHT));
        let at = Pos2::new(rect.left(), rect.top() + HEIGHT / 2.0);
        painter.with_clip_rect(names).text(at, Align2::LEFT_CENTER, name, FontId::proportional(12.5), text);
        let left = rect.left() + NAMES;
        let width = (rect.right() - left).max(24.0) / 24.0;
        let cell = |hour: f32, hours: f32| {
            Rect::from_min_size(Pos2::new(left + hour * width, rect.top()), vec2(width * hours - 1.0, HEIGHT))
        };
        for (hour, band) in network.hours.iter().enumerate() {
            let token = band.map_or(Token::Panel, |band| ramp(band / lowest(network), low, high));
            painter.rect_filled(cell(hour as f32, 1.0), 1.0, token.color(dark));
        }
        if let Some(best) = best {
            #[expect(clippy::cast_possible_truncation, reason = "hours of a day")]
            let (from, hours) = (best.from as f32, (best.until - best.from) as f32);
            // Beyond midnight it continues at the left end.
            let parts = [(from, hours.min(24.0 - from)), (0.0, from + hours - 24.0)];
            for (from, hours) in parts.into_iter().filter(|(_, hours)| *hours > 0.0) {
                let stroke = Stroke::new(2.0, Token::Accent.color(dark));
                painter.rect_stroke(cell(from, hours), 1.0, stroke, StrokeKind::Inside);
            }
        }
        let best = best.map_or_else(
            || "; no change point".to_owned(),
            |best| format!("; best window {} – {}", clock(best.from), clock(best.until)),
        );
        let summary = format!("{name}: mean of the dated runs {}{best}", elapsed(network.seconds));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, summary.clone()));
        let pointed = response.hover_pos().map(|pos| ((pos.x - left) / width).floor());
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(&summary);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … 23 or filtered")]
            if let Some(hour) = pointed.filter(|hour| (0.0..24.0).contains(hour)).map(|hour| hour as usize) {
                let seconds = network.hours[hour].map_or_else(
                    || "not probed".to_owned(),
                    |band| format!("{}, {} of the mean", elapsed(band), Unit::Factor.format(band / network.seconds)),
                );
                ui.label(format!("{hour}:00 – {}:00: {seconds}", hour + 1));
            }
        });
    }
    hours(ui, dark);
    ui.weak(
        "Each cell is one hour of the day, beginning at midnight UTC. The stronger the colour, the slower the probe. Frame: \
         best window of the day",
    );
}

/// The hours below the cells.
fn hours(ui: &mut Ui, dark: bool) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 14.0), Sense::hover());
    let left = rect.left() + NAMES;
    let width = (rect.right() - left).max(24.0) / 24.0;
    for hour in [0_u8, 6, 12, 18, 24] {
        let at = Pos2::new(left + f32::from(hour) * width, rect.top());
        let anchor = match hour {
            0 => Align2::LEFT_TOP,
            24 => Align2::RIGHT_TOP,
            _ => Align2::CENTER_TOP,
        };
        ui.painter().text(at, anchor, hour.to_string(), FontId::proportional(11.0), Token::TextWeak.color(dark));
    }
}

/// The mean time of the lowest level, seconds.
fn lowest(network: &Network) -> f64 {
    network.levels.iter().map(|level| level.seconds).fold(f64::INFINITY, f64::min)
}

/// The colour of a time relative to the shortest one: the strongest for the longest.
fn ramp(share: f64, low: f64, high: f64) -> Token {
    let steps = f64::from(RAMP_STEPS - 1);
    let place = if high > low { (share - low) / (high - low) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … the last step")]
    let step = (place.clamp(0.0, 1.0) * steps).round() as u8;
    Token::Ramp(step)
}
