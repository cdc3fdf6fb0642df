//! The probe as a graph: operators from left to right, with executions and inputs.

use std::collections::BTreeMap;

use crossover_chart::theme::Token;
use crossover_export::probe::executed;
use crossover_measured::probe::{ProbeOperator, ProbeTask};
use crossover_probe::{Built, Probe};
use crossover_quantity::text::counted;
use egui::{Align2, FontId, Pos2, Rect, ScrollArea, Sense, Stroke, StrokeKind, Ui, Vec2, vec2};

/// Size of a box, in points.
const BOX: Vec2 = vec2(150.0, 46.0);
/// Space between boxes, in points.
const GAP: Vec2 = vec2(46.0, 10.0);

/// Draws every probe, and names operators of the task without a match.
pub(super) fn show(ui: &mut Ui, study: &Probe, built: &Built) {
    if built.probes.is_empty() {
        ui.label("No operator of the task matches the library. Choose an operator of the library for each in the panel on the left.");
    }
    for probe in &built.probes {
        if built.probes.len() > 1 {
            ui.strong(&probe.name);
        }
        draw(ui, probe);
    }
    let missing = built.unmatched(&study.operators);
    if !missing.is_empty() {
        let text = format!("Not in the probe, as no operator of the library matches: {}", missing.join(", "));
        // The strip warns of it.
        ui.weak(text);
    }
}

/// Columns of operators, each to the right of its inputs.
fn columns(probe: &ProbeTask) -> Vec<Vec<&ProbeOperator>> {
    let mut depth: BTreeMap<&str, usize> = BTreeMap::new();
    let mut columns: Vec<Vec<&ProbeOperator>> = Vec::new();
    for of in &probe.operators {
        let inputs = of.from.iter().filter_map(|from| depth.get(from.as_str()));
        let column = inputs.map(|depth| depth + 1).max().unwrap_or(0);
        depth.insert(&of.name, column);
        if columns.len() <= column {
            columns.resize_with(column + 1, Vec::new);
        }
        columns[column].push(of);
    }
    columns
}

fn draw(ui: &mut Ui, probe: &ProbeTask) {
    let columns = columns(probe);
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let size = vec2(columns.len() as f32 * (BOX.x + GAP.x) - GAP.x + 4.0, rows as f32 * (BOX.y + GAP.y) + 4.0);
    ScrollArea::horizontal().id_salt(("probe", &probe.name)).show(ui, |ui| {
        let (canvas, _) = ui.allocate_exact_size(size, Sense::hover());
        let dark = ui.visuals().dark_mode;
        let mut places: BTreeMap<&str, Rect> = BTreeMap::new();
        for (column, operators) in columns.iter().enumerate() {
            let height = operators.len() as f32 * (BOX.y + GAP.y) - GAP.y;
            let top = canvas.center().y - height / 2.0;
            for (row, of) in operators.iter().enumerate() {
                let left = canvas.left() + 2.0 + column as f32 * (BOX.x + GAP.x);
                let min = Pos2::new(left, top + row as f32 * (BOX.y + GAP.y));
                places.insert(&of.name, Rect::from_min_size(min, BOX));
            }
        }
        let line = Stroke::new(1.4, Token::TextWeak.color(dark));
        for of in &probe.operators {
            for from in &of.from {
                let (Some(from), Some(to)) = (places.get(from.as_str()), places.get(of.name.as_str())) else {
                    continue;
                };
                let (start, end) = (from.right_center(), to.left_center());
                let middle = vec2((end.x - start.x) / 2.0, 0.0);
                let points = [start, start + middle, end - middle, end];
                let curve =
                    egui::epaint::CubicBezierShape::from_points_stroke(points, false, egui::Color32::TRANSPARENT, line);
                ui.painter().add(curve);
                ui.painter().arrow(end - vec2(7.0, 0.0), vec2(7.0, 0.0), line);
            }
        }
        for of in &probe.operators {
            if let Some(place) = places.get(of.name.as_str()) {
                operator(ui, of, *place, dark);
            }
        }
    });
}

fn operator(ui: &mut Ui, of: &ProbeOperator, place: Rect, dark: bool) {
    let painter = ui.painter().with_clip_rect(place);
    painter.rect_filled(place, 4.0, Token::Panel.color(dark));
    painter.rect_stroke(place, 4.0, Stroke::new(1.0, Token::Grid.color(dark)), StrokeKind::Inside);
    let (text, weak) = (Token::Text.color(dark), Token::TextWeak.color(dark));
    let at = place.left_top() + vec2(8.0, 6.0);
    painter.text(at, Align2::LEFT_TOP, &of.name, FontId::proportional(13.0), text);
    let often = format!("{} × {}", of.executions, executed(of));
    painter.text(at + vec2(0.0, 18.0), Align2::LEFT_TOP, &often, FontId::proportional(12.0), weak);
    let id = ui.scope_id().with(("operator", &of.name));
    let response = ui.interact(place, id, Sense::hover());
    let inputs = match &of.from[..] {
        [] => String::new(),
        [one] => format!("; input: mean output of {one}"),
        several => format!("; inputs: mean outputs of {}", several.join(", ")),
    };
    let in_target = counted(of.in_target, "execution");
    let summary = format!("{}: {often}; {in_target} in the task{inputs}", of.name);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, summary.clone()));
    response.on_hover_text(summary);
}
