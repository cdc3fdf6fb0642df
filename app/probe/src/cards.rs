//! Centres as cards: units, score and number of runs.

use crossover_chart::screen::{self, Swatch};
use crossover_probe::{Centre, CentreOutcome, Route};
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, elapsed};
use egui::{Frame, Label, RichText, Sense, Stroke, Ui, vec2};

use super::board::Shown;
use super::charts::token;
use crossover_chart::theme::Token;

/// Size of a card, in points.
const WIDTH: f32 = 196.0;
/// Most cards that are drawn; the table has all centres.
const MOST: usize = 24;

/// Draws the cards; a click selects a centre.
pub(super) fn show(ui: &mut Ui, shown: &Shown, picked: &mut usize) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(8.0, 8.0);
        for (place, centre) in shown.study.centres.iter().enumerate().take(MOST) {
            let of = &shown.outcome.centres[place];
            if card(ui, (place, centre), of, *picked == place) {
                *picked = place;
            }
        }
        if shown.study.centres.len() > MOST {
            ui.weak(format!("and {} more in the table below", shown.study.centres.len() - MOST));
        }
    });
    ui.add_space(6.0);
}

fn card(ui: &mut Ui, (place, centre): (usize, &Centre), of: &CentreOutcome, is_picked: bool) -> bool {
    let dark = ui.visuals().dark_mode;
    let edge =
        if is_picked { Stroke::new(2.0, Token::Accent.color(dark)) } else { Stroke::new(1.0, Token::Grid.color(dark)) };
    let frame = Frame::new().stroke(edge).fill(Token::Panel.color(dark)).corner_radius(5.0).inner_margin(8.0);
    let shown = frame.show(ui, |ui| {
        ui.set_width(WIDTH);
        ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
        ui.vertical(|ui| {
            ui.horizontal(|ui| {
                screen::swatch(ui, token(place), Swatch::Square);
                ui.add(Label::new(RichText::new(&centre.name).strong()).truncate().selectable(false));
            });
            for line in lines(centre, of) {
                ui.add(Label::new(line).truncate().selectable(false));
            }
        });
    });
    let id = ui.scope_id().with(("card", place));
    let response = ui.interact(shown.response.rect, id, Sense::click());
    let name = format!("card {}", centre.name);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
    response.on_hover_text("Selects this centre").clicked()
}

/// Three lines: units, score and time, number of runs.
fn lines(centre: &Centre, of: &CentreOutcome) -> Vec<String> {
    let unit = match &of.unit {
        Ok(unit) => {
            let unit = &centre.units[*unit];
            let by = match centre.route {
                Route::Table => "",
                Route::Named(_) => ", named by the centre",
                Route::User(_) => ", chosen by you",
                Route::Centre => ", selected by the centre",
            };
            format!("{} × {}{by}", Unit::Count.format(unit.count), unit.name)
        }
        Err(_) => "no unit type selected".to_owned(),
    };
    let runs = of.unit.as_ref().ok().map(|unit| &centre.units[*unit].runs);
    let score = match (of.score, of.seconds) {
        (Some(score), Some(seconds)) => {
            format!("score {}, probe {}", Unit::Ratio.format(score.value), elapsed(seconds.mean))
        }
        _ => "not compared yet".to_owned(),
    };
    let count = runs.map_or_else(String::new, |runs| {
        let failed = if runs.failed.is_empty() { String::new() } else { format!(", {} failed", runs.failed.len()) };
        counted(runs.seconds.len() as f64, "run") + &failed
    });
    vec![unit, score, count]
}
