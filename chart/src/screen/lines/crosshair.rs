//! The values of all curves at the pointer, or where they were pinned.

use egui::{FontId, Pos2, Rect, Response, RichText, Stroke, StrokeKind, Ui};
use egui_plot::PlotTransform;

use crate::lines::{LineChart, Series};
use crate::theme::Token;

/// A vertical line at the pointer, or where it was pinned, that reads every curve there.
pub(super) fn crosshair(
    ui: &Ui,
    chart: &LineChart,
    response: &Response,
    transform: &PlotTransform,
    pinned_x: Option<f64>,
    hovered: Option<Pos2>,
) {
    let dark = ui.visuals().dark_mode;
    let frame = *transform.frame();
    let painter = ui.painter().with_clip_rect(frame);
    let line = |x: f64| {
        let at = transform.position_from_point_x(chart.x.to_plot(x));
        painter.vline(at, frame.y_range(), Stroke::new(1.0, Token::TextWeak.color(dark)));
        for series in curves(chart) {
            if let Some(y) = series.value_at(&chart.x, x) {
                let at = Pos2::new(at, transform.position_from_point_y(chart.y.to_plot(y)));
                painter.circle_filled(at, 3.0, series.token.color(dark));
            }
        }
    };
    if let Some(x) = pinned_x {
        line(x);
        readout_at(ui, chart, x, transform, dark);
    }
    if let Some(pos) = hovered {
        let x = chart.x.from_plot(transform.value_from_position(pos).x);
        line(x);
        if pinned_x.is_none() {
            let y = chart.y.from_plot(transform.value_from_position(pos).y);
            response.clone().on_hover_ui_at_pointer(|ui| readout(ui, chart, [x, y], dark));
        }
    }
}

/// The pinned readout, painted beside its line.
fn readout_at(ui: &Ui, chart: &LineChart, x: f64, transform: &PlotTransform, dark: bool) {
    let frame = *transform.frame();
    let at = transform.position_from_point_x(chart.x.to_plot(x));
    if !frame.x_range().contains(at) {
        return;
    }
    let mut text = (chart.x.format)(x);
    for series in curves(chart) {
        if let Some(y) = series.value_at(&chart.x, x) {
            text += &format!("\n{}  {}", (chart.y.format)(y), series.name);
        }
    }
    let painter = ui.painter().with_clip_rect(frame);
    let galley = painter.layout_no_wrap(text, FontId::proportional(11.5), Token::Text.color(dark));
    let left = if at + galley.size().x + 14.0 < frame.right() { at + 8.0 } else { at - galley.size().x - 8.0 };
    let rect = Rect::from_min_size(Pos2::new(left, frame.top() + 20.0), galley.size());
    painter.rect(
        rect.expand(4.0),
        3.0,
        Token::Panel.color(dark).gamma_multiply(0.94),
        Stroke::new(1.0, Token::Grid.color(dark)),
        StrokeKind::Inside,
    );
    painter.galley(rect.min, galley, Token::Text.color(dark));
}

/// The curves that have a value between their points.
fn curves(chart: &LineChart) -> &[Series] {
    if chart.readings.is_empty() { &chart.series } else { &[] }
}

fn readout(ui: &mut Ui, chart: &LineChart, [x, y]: [f64; 2], dark: bool) {
    ui.label(RichText::new(format!("{} {}", chart.x.label, (chart.x.format)(x))).strong());
    if !chart.readings.is_empty() {
        ui.label(RichText::new(format!("{} {}", chart.y.label, (chart.y.format)(y))).strong());
    }
    egui::Grid::new("readout").num_columns(2).spacing([10.0, 2.0]).show(ui, |ui| {
        for series in curves(chart) {
            if let Some(y) = series.value_at(&chart.x, x) {
                ui.label(RichText::new(&series.name).color(series.token.text(dark)));
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.label((chart.y.format)(y)));
                ui.end_row();
            }
        }
    });
    ui.label(RichText::new("Click to pin, drag to pan, Ctrl + scroll to zoom, double-click to reset").weak().small());
}
