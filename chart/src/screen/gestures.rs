//! What a user does with a line chart: drag the threshold or an operator, pick a point, pin the crosshair.

use egui::{CursorIcon, Id, Pos2, Rect, Response, Sense, Ui, vec2};
use egui_plot::PlotTransform;

use crate::lines::LineChart;

/// Size of the area in which a point can be grabbed, in points.
const GRAB_SIZE: f32 = 16.0;
/// Height of the area in which the threshold can be grabbed, in points.
const GRAB_HEIGHT: f32 = 9.0;

/// What a gesture does in a line chart, and the gesture.
pub const GESTURES: [(&str, &str); 6] = [
    ("Pin or unpin the crosshair", "Click"),
    ("Pan", "Drag"),
    ("Zoom", "Ctrl + scroll"),
    ("Reset pan and zoom", "Double-click"),
    ("Change an operator", "Drag its dot sideways"),
    ("Change the threshold", "Drag its line up or down"),
];

/// What the user did with a line chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gesture {
    /// Dragged the threshold line to this value of y.
    Threshold(f64),
    /// Dragged the point with this index to this value of x.
    Point(usize, f64),
    /// Clicked the point with this index.
    PickedPoint(usize),
    /// Clicked a named value: the curve's index, and the value's among all of the curve.
    PickedSample(usize, usize),
    /// Clicked somewhere else, at this value of x.
    Pinned(f64),
}

/// What the user did in this frame, and whether something is under the pointer that can be dragged or picked.
pub(super) fn read(
    ui: &Ui,
    id: Id,
    chart: &LineChart,
    plot: &Response,
    transform: &PlotTransform,
) -> (Option<Gesture>, bool) {
    let frame = *transform.frame();
    let value_at = |pos: Pos2| transform.value_from_position(pos);
    let mut gesture = None;
    let mut is_over = false;
    // Added after the plot, so they are above it. A press on a point means the point, not the threshold below it.
    let pressed = ui.input(|input| input.pointer.press_origin());
    let near =
        |point: Pos2| pressed.is_some_and(|at| Rect::from_center_size(point, vec2(GRAB_SIZE, GRAB_SIZE)).contains(at));
    let place = |x: f64, y: f64| transform.position_from_point(&[chart.x.to_plot(x), chart.y.to_plot(y)].into());
    let is_near_point = chart.is_editable && chart.placed_points().any(|(_, point)| near(place(point.x, point.y)));
    if let Some(threshold) = chart.threshold.filter(|_| chart.is_editable) {
        let y = transform.position_from_point_y(chart.y.to_plot(threshold));
        let line =
            Rect::from_x_y_ranges(frame.x_range(), y - GRAB_HEIGHT / 2.0..=y + GRAB_HEIGHT / 2.0).intersect(frame);
        if line.is_positive() {
            let response = handle(ui, id.with("threshold"), line, CursorIcon::ResizeVertical, "Threshold");
            is_over |= response.hovered() || response.dragged();
            gesture = dragged_to(&response)
                .filter(|_| !is_near_point)
                .map(|pos| Gesture::Threshold(chart.y.from_plot(value_at(pos).y)));
            if response.clicked() {
                gesture =
                    response.interact_pointer_pos().map(|pos| Gesture::Pinned(chart.x.from_plot(value_at(pos).x)));
            }
        }
    }
    for (index, mark) in chart.breakevens.iter().enumerate() {
        let (Some(threshold), Some(series)) = (chart.threshold, chart.series.get(mark.series)) else { continue };
        let x = transform.position_from_point_x(chart.x.to_plot(mark.x));
        let y = transform.position_from_point_y(chart.y.to_plot(threshold));
        let rect = Rect::from_center_size(Pos2::new(x, y), vec2(GRAB_SIZE, GRAB_SIZE)).intersect(frame);
        if rect.is_positive() {
            let response = ui.interact(rect, id.with(("break-even", index)), Sense::hover());
            is_over |= response.hovered();
            let text = format!("{}: break-even at {}", series.name, mark.label);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text.clone()));
            response.on_hover_text(&text);
        }
    }
    for (series, sample, [x, y], name) in named_samples(chart) {
        let at = transform.position_from_point(&[chart.x.to_plot(x), chart.y.to_plot(y)].into());
        let rect = Rect::from_center_size(at, vec2(GRAB_SIZE, GRAB_SIZE)).intersect(frame);
        if !rect.is_positive() {
            continue;
        }
        let text = format!("{name}: {}, {}", (chart.x.format)(x), (chart.y.format)(y));
        let response = ui.interact(rect, id.with(("sample", series, sample)), Sense::CLICK);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, text.clone()));
        is_over |= response.hovered();
        if response.on_hover_text(&text).clicked() {
            gesture = Some(Gesture::PickedSample(series, sample));
        }
    }
    for (index, point) in chart.placed_points().filter(|_| chart.is_editable) {
        let x = transform.position_from_point_x(chart.x.to_plot(point.x));
        let y = transform.position_from_point_y(chart.y.to_plot(point.y));
        let rect = Rect::from_center_size(Pos2::new(x, y), vec2(GRAB_SIZE, GRAB_SIZE)).intersect(frame);
        if !rect.is_positive() {
            continue;
        }
        let name = format!("{} at {}, {}", point.label, (chart.x.format)(point.x), (chart.y.format)(point.y));
        let response = handle(ui, id.with(("point", index)), rect, CursorIcon::ResizeHorizontal, &name);
        is_over |= response.hovered() || response.dragged();
        if let Some(pos) = dragged_to(&response) {
            gesture = Some(Gesture::Point(index, chart.x.from_plot(value_at(pos).x)));
        } else if response.clicked() {
            gesture = Some(Gesture::PickedPoint(index));
        }
    }
    if plot.clicked() && gesture.is_none() {
        let inside = plot.interact_pointer_pos().filter(|pos| frame.contains(*pos));
        gesture = inside.map(|pos| Gesture::Pinned(chart.x.from_plot(value_at(pos).x)));
    }
    (gesture, is_over)
}

/// The named values of all curves: the curve's index, the value's among all of the curve, its place, its name.
fn named_samples(chart: &LineChart) -> impl Iterator<Item = (usize, usize, [f64; 2], &str)> {
    chart.series.iter().enumerate().flat_map(|(series, curve)| {
        let named = curve.samples.all().zip(&curve.samples.names).enumerate();
        named.map(move |(sample, ((place, _), name))| (series, sample, place, name.as_str()))
    })
}

fn handle(ui: &Ui, id: Id, rect: Rect, cursor: CursorIcon, name: &str) -> Response {
    let response = ui.interact(rect, id, Sense::click_and_drag()).on_hover_cursor(cursor);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("{name}: drag to change")));
    response
}

fn dragged_to(response: &Response) -> Option<Pos2> {
    if response.dragged() { response.interact_pointer_pos() } else { None }
}
