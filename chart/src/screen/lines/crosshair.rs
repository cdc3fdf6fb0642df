//! The values of all curves at the pointer, or where they were pinned.

use egui::{FontId, Pos2, Rect, Response, RichText, Stroke, StrokeKind, Ui};
use egui_plot::PlotTransform;

use crate::axis::Axis;
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
        for series in &chart.series {
            if let Some(y) = read(series, &chart.x, x) {
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
            response.clone().on_hover_ui_at_pointer(|ui| readout(ui, chart, x, dark));
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
    for series in &chart.series {
        if let Some(y) = read(series, &chart.x, x) {
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

fn readout(ui: &mut Ui, chart: &LineChart, x: f64, dark: bool) {
    ui.label(RichText::new(format!("{} {}", chart.x.label, (chart.x.format)(x))).strong());
    egui::Grid::new("readout").num_columns(2).spacing([10.0, 2.0]).show(ui, |ui| {
        for series in &chart.series {
            if let Some(y) = read(series, &chart.x, x) {
                ui.label(RichText::new(&series.name).color(series.token.text(dark)));
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.label((chart.y.format)(y)));
                ui.end_row();
            }
        }
    });
    ui.label(RichText::new("Click to pin, drag to pan, Ctrl + scroll to zoom, double-click to reset").weak().small());
}

/// The value of a curve between its samples.
fn read(series: &Series, axis: &Axis, x: f64) -> Option<f64> {
    if series.steps {
        let after = series.points.partition_point(|point| point[0] <= x);
        let is_inside = series.points.last().is_some_and(|last| x <= last[0]);
        return after.checked_sub(1).filter(|_| is_inside).map(|index| series.points[index][1]);
    }
    let index = series.points.partition_point(|point| point[0] < x);
    let [x1, y1] = *series.points.get(index)?;
    let [x0, y0] = if index == 0 { [x1, y1] } else { series.points[index - 1] };
    if index == 0 && x1 > x {
        return None;
    }
    let span = axis.to_plot(x1) - axis.to_plot(x0);
    let part = if span > 0.0 { (axis.to_plot(x) - axis.to_plot(x0)) / span } else { 1.0 };
    Some(y0 + part * (y1 - y0)).filter(|y| y.is_finite())
}
