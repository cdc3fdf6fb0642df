//! "Where is the GPU faster?": speedup against a chosen parameter, one plot for each class.

use crossover_chart::lines::LineChart;
use crossover_chart::screen::{self, Gesture, Swatch};
use crossover_chart::theme::Token;
use crossover_page::export_menu;
use crossover_page::widgets::beside;
use crossover_placement::{Axis, Parameter, Placement, Variant};
use egui::{RichText, Ui};

use super::charts::{NARROWEST_PLOT, TITLE, rounded, variant_token};
use super::{Board, Env, View, answer};

/// Draws the plots with their title, legend and answer.
pub(super) fn show(ui: &mut Ui, view: &mut View, board: &Board, study: &mut Placement, env: &mut Env<'_>) {
    heading(ui, view, board, env);
    legend(ui, view, board);
    let charts: Vec<_> = board.charts().iter().enumerate().collect();
    let columns = beside::fitting(ui, NARROWEST_PLOT, charts.len().min(2));
    // The height that the bars below leave, so that both charts fit on one screen.
    let rows = charts.len().div_ceil(columns) as f32;
    let below = 118.0 + 47.0 * board.study().operators.len() as f32;
    let height = ((ui.available_height() - below) / rows - 24.0).clamp(170.0, 420.0);
    let mut gestures = Vec::new();
    for row in charts.chunks(columns) {
        beside::show(ui, columns, |columns| {
            for (ui, (class, chart)) in columns.iter_mut().zip(row) {
                ui.label(RichText::new(&chart.subtitle).strong());
                let gesture = screen::lines(ui, ("class", *class), chart, view.pinned_x, height);
                gestures.extend(gesture.map(|gesture| (*class, gesture)));
            }
        });
    }
    let mut sentences = vec![sentence(board)];
    sentences.extend_from_slice(board.coincidences());
    sentences.extend(answer::why_steps(board.study(), board.axis()));
    ui.label(sentences.join(" "));
    for (class, gesture) in gestures {
        obey(view, board, study, &board.classes()[class].group.operators, gesture);
    }
}

/// Where the GPU is faster in the variant of the answer.
pub(super) fn sentence(board: &Board) -> String {
    answer::where_gpu_is_faster(board.study(), board.axis(), board.classes(), board.outcome().summary.variant)
}

/// The title, and what x and y are.
fn heading(ui: &mut Ui, view: &mut View, board: &Board, env: &mut Env<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.heading(TITLE);
        ui.add_space(12.0);
        ui.label("x:");
        let before = view.look.axis;
        let combo = egui::ComboBox::from_id_salt("x axis").selected_text(view.look.axis.label()).width(160.0).show_ui(
            ui,
            |ui| {
                for axis in Axis::CHOICES {
                    ui.selectable_value(&mut view.look.axis, axis, axis.label());
                }
            },
        );
        combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "x axis"));
        if view.look.axis != before {
            view.pinned_x = None;
        }
        ui.toggle_value(&mut view.look.log_x, "log x").on_hover_text("Logarithmic or linear x axis");
        ui.toggle_value(&mut view.look.log_y, "log y").on_hover_text("Logarithmic or linear speedup axis");
        if view.pinned_x.is_some() && ui.button("Unpin").on_hover_text("Remove the pinned crosshair").clicked() {
            view.pinned_x = None;
        }
        export_menu::of_charts(ui, env, 0, board.charts().iter().map(LineChart::captions));
    });
}

/// One key for all plots; a click hides or shows a curve.
fn legend(ui: &mut Ui, view: &mut View, board: &Board) {
    let study = board.study();
    ui.horizontal_wrapped(|ui| {
        for variant in Variant::all(study) {
            let is_hidden = view.look.is_hidden(study, variant);
            let kind = if variant.compression { Swatch::Dashes } else { Swatch::Line };
            let key = screen::Key { token: variant_token(study, variant), kind, text: variant.label(study), is_hidden };
            if key.ui(ui).on_hover_text("Click to hide or show this curve").clicked() {
                view.look.toggle(study, variant);
            }
        }
        if let Some(about) = board.about_bands() {
            screen::entry(ui, Token::TextWeak, Swatch::Tint, &about);
        }
    });
}

/// Changes the study after a drag.
fn obey(view: &mut View, board: &Board, study: &mut Placement, operators: &[usize], gesture: Gesture) {
    match gesture {
        Gesture::Threshold(value) => Axis::One(Parameter::THRESHOLD).set(study, 0, 0, rounded(value)),
        Gesture::Point(point, value) => {
            // Entries of an older study may have moved.
            let name = operators.get(point).map(|operator| &board.study().operators[*operator].name);
            let operator = study.operators.iter().position(|operator| Some(&operator.name) == name);
            if let Some(operator) = operator {
                let network = Variant::chosen(study).network;
                board.axis().set(study, operator, network, rounded(value));
                view.look.select(study, operator);
            }
        }
        Gesture::PickedPoint(point) => {
            if let Some(operator) = operators.get(point) {
                view.look.select(board.study(), *operator);
            }
        }
        // No curve of this page has named values.
        Gesture::PickedSample(..) => {}
        Gesture::Pinned(x) => view.pinned_x = if view.pinned_x.is_some() { None } else { Some(x) },
    }
}
