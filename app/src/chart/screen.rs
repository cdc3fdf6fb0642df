//! Charts in the window: the same data as in a file, with crosshair, zoom and things to drag.

use std::hash::Hash;

use egui::{Align2, Color32, CursorIcon, FontId, Id, Pos2, Rect, RichText, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, vec2};
use egui_plot::{GridInput, GridMark, HLine, Line, LineStyle, Plot, PlotPoint, PlotPoints, PlotTransform, Points};

use super::axis::{Axis, Scale};
use super::bars::{BarChart, BarRow};
use super::lines::{LineChart, Series};
use crate::theme::Token;

/// How far from a thing it can be grabbed, in points.
const GRAB_RADIUS: f32 = 7.0;

/// What the user did with a line chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gesture {
    /// Dragged the threshold line to this value of y.
    Threshold(f64),
    /// Dragged the point with this index to this value of x.
    Point(usize, f64),
    /// Clicked the point with this index.
    PickedPoint(usize),
    /// Clicked somewhere else, at this value of x.
    Pinned(f64),
}

/// Draws a line chart without its title; `id` keeps its zoom apart from other charts'.
pub fn lines(ui: &mut Ui, id: impl Hash + std::fmt::Debug, chart: &LineChart, pinned_x: Option<f64>, height: f32) -> Option<Gesture> {
    let dark = ui.visuals().dark_mode;
    let id = Id::unique((&id, chart.x.scale as u8, chart.y.scale as u8, &chart.x.label));
    let grab = ui.data(|data| data.get_temp::<Grab>(id));
    let plot = Plot::new(id)
        .height(height)
        .allow_scroll(false)
        .allow_drag(grab.is_none())
        .allow_boxed_zoom(grab.is_none())
        .show_x(false)
        .show_y(false)
        .show_crosshair(false)
        .set_margin_fraction(vec2(0.0, 0.06))
        .x_axis_label(RichText::new(&chart.x.label).small())
        .y_axis_label(RichText::new(&chart.y.label).small())
        .x_grid_spacer(|input| grid(&chart.x, input))
        .y_grid_spacer(|input| grid(&chart.y, input))
        .x_axis_formatter(|mark, _| tick_text(&chart.x, mark))
        .y_axis_formatter(|mark, _| tick_text(&chart.y, mark));
    let shown = plot.show(ui, |plot| {
        for series in &chart.series {
            let color = series.token.color(dark);
            let points: PlotPoints<'_> = series
                .points
                .iter()
                .filter(|[x, y]| chart.x.has_place_for(*x) && chart.y.has_place_for(*y))
                .map(|[x, y]| [chart.x.to_plot(*x), chart.y.to_plot(*y)])
                .collect();
            let style = if series.dashed { LineStyle::Dashed { length: 7.0 } } else { LineStyle::Solid };
            plot.line(Line::new(series.name.clone(), points).color(color).style(style).width(1.8).allow_hover(false));
        }
        if let Some(threshold) = chart.threshold {
            let color = Token::Threshold.color(dark);
            plot.hline(HLine::new("threshold", chart.y.to_plot(threshold)).color(color).width(1.2).allow_hover(false));
        }
        // Invisible: keeps every named point inside the automatic bounds.
        let places: PlotPoints<'_> =
            chart.points.iter().map(|point| [chart.x.to_plot(point.x), chart.y.to_plot(point.y)]).collect();
        plot.points(Points::new("operators", places).radius(0.0).color(Color32::TRANSPARENT).allow_hover(false));
    });
    let transform = shown.transform;
    let place = |x: f64, y: f64| transform.position_from_point(&PlotPoint::new(chart.x.to_plot(x), chart.y.to_plot(y)));
    describe(&shown.response, chart);
    sides(ui, chart, &transform, dark);
    marks(ui, chart, &place, *transform.frame(), dark);
    let gesture = gestures(ui, id, chart, &shown.response, &transform, &place);
    crosshair(ui, chart, &shown.response, &transform, pinned_x, dark, grab.is_some());
    gesture
}

/// What an assistive technology reads instead of the picture.
fn describe(response: &egui::Response, chart: &LineChart) {
    let text = format!("{} {} {}", chart.title, chart.subtitle, chart.answer);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, text.clone()));
}

/// Grid lines and their weights; a larger step is drawn stronger.
fn grid(axis: &Axis, input: GridInput) -> Vec<GridMark> {
    let visible = visible(axis, input.bounds);
    let ticks = visible.ticks(7);
    let span = (input.bounds.1 - input.bounds.0).abs();
    ticks
        .into_iter()
        .map(|tick| GridMark {
            value: axis.to_plot(tick.value),
            step_size: if tick.label.is_some() { span / 4.0 } else { span / 40.0 },
        })
        .collect()
}

/// The axis with the range that is on screen.
fn visible(axis: &Axis, bounds: (f64, f64)) -> Axis {
    Axis { range: [axis.from_plot(bounds.0), axis.from_plot(bounds.1)], ..axis.clone() }
}

/// Only labelled ticks come with a wide step.
fn tick_text(axis: &Axis, mark: GridMark) -> String {
    let text = (axis.format)(axis.from_plot(mark.value));
    if mark.step_size > 0.0 { text } else { String::new() }
}

/// Tints the GPU's side above the threshold and the CPU's side below, and names them.
fn sides(ui: &Ui, chart: &LineChart, transform: &PlotTransform, dark: bool) {
    let Some(threshold) = chart.threshold else { return };
    let frame = *transform.frame();
    let middle = transform.position_from_point_y(chart.y.to_plot(threshold)).clamp(frame.top(), frame.bottom());
    let painter = ui.painter().with_clip_rect(frame);
    let font = FontId::proportional(12.0);
    for (token, rect, name, anchor, corner) in [
        (Token::Gpu, Rect::from_min_max(frame.min, Pos2::new(frame.right(), middle)), "GPU pays", Align2::RIGHT_TOP, frame.right_top() + vec2(-6.0, 4.0)),
        (Token::Cpu, Rect::from_min_max(Pos2::new(frame.left(), middle), frame.max), "CPU", Align2::RIGHT_BOTTOM, frame.right_bottom() + vec2(-6.0, -4.0)),
    ] {
        painter.rect_filled(rect, 0.0, token.color(dark).gamma_multiply(0.07));
        if rect.height() > 16.0 {
            painter.text(corner, anchor, name, font.clone(), token.color(dark));
        }
    }
}

/// Break-even markers on the threshold, and named points.
fn marks(ui: &Ui, chart: &LineChart, place: &impl Fn(f64, f64) -> Pos2, frame: Rect, dark: bool) {
    let painter = ui.painter().with_clip_rect(frame);
    let background = Token::Background.color(dark);
    if let Some(threshold) = chart.threshold {
        for mark in &chart.breakevens {
            let Some(series) = chart.series.get(mark.series) else { continue };
            let at = place(mark.x, threshold);
            let diamond = [vec2(0.0, -5.0), vec2(5.0, 0.0), vec2(0.0, 5.0), vec2(-5.0, 0.0)].map(|offset| at + offset);
            painter.add(Shape::convex_polygon(diamond.to_vec(), background, Stroke::new(1.6, series.token.color(dark))));
        }
    }
    let mut taken: Vec<Rect> = Vec::new();
    for point in &chart.points {
        let at = place(point.x, point.y);
        painter.circle(at, 4.5, point.token.color(dark), Stroke::new(1.5, background));
        let galley = painter.layout_no_wrap(point.label.clone(), FontId::proportional(12.5), Token::Text.color(dark));
        let spots = [vec2(8.0, -18.0), vec2(8.0, 4.0), vec2(-8.0 - galley.size().x, -18.0), vec2(-8.0 - galley.size().x, 4.0)];
        let rects = spots.map(|offset| Rect::from_min_size(at + offset, galley.size()));
        let free = |rect: &&Rect| frame.contains_rect(**rect) && taken.iter().all(|other| !other.intersects(**rect));
        let Some(rect) = rects.iter().find(free).or_else(|| rects.iter().find(|rect| frame.contains_rect(**rect))) else { continue };
        taken.push(*rect);
        painter.rect_filled(rect.expand(1.0), 2.0, background.gamma_multiply(0.75));
        painter.galley(rect.min, galley, Token::Text.color(dark));
    }
}

/// A thing that is being dragged.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Grab {
    Threshold,
    Point(usize),
}

fn gestures(
    ui: &Ui,
    id: Id,
    chart: &LineChart,
    response: &egui::Response,
    transform: &PlotTransform,
    place: &impl Fn(f64, f64) -> Pos2,
) -> Option<Gesture> {
    let pointer = ui.input(|input| input.pointer.interact_pos())?;
    let frame = transform.frame();
    let near = |pos: Pos2| {
        let point = chart.points.iter().position(|point| place(point.x, point.y).distance(pos) <= GRAB_RADIUS);
        let on_threshold = chart.threshold.is_some_and(|threshold| {
            let y = transform.position_from_point_y(chart.y.to_plot(threshold));
            (pos.y - y).abs() <= GRAB_RADIUS * 0.6 && frame.x_range().contains(pos.x)
        });
        point.map(Grab::Point).or_else(|| on_threshold.then_some(Grab::Threshold))
    };
    let held: Option<Grab> = ui.data(|data| data.get_temp(id));
    if let (None, true) = (held, response.hovered()) {
        // Told apart before the button goes down, so that the plot does not start to pan.
        if let Some(grab) = near(pointer) {
            ui.ctx().set_cursor_icon(match grab {
                Grab::Threshold => CursorIcon::ResizeVertical,
                Grab::Point(_) => CursorIcon::ResizeHorizontal,
            });
            if ui.input(|input| input.pointer.primary_pressed()) {
                ui.data_mut(|data| data.insert_temp(id, grab));
            }
        }
    }
    let value = transform.value_from_position(pointer);
    if ui.input(|input| input.pointer.primary_released()) {
        ui.data_mut(|data| data.remove::<Grab>(id));
    }
    if let Some(grab) = held {
        let has_moved = ui.input(|input| input.pointer.is_decidedly_dragging());
        return match grab {
            Grab::Threshold if has_moved => Some(Gesture::Threshold(chart.y.from_plot(value.y))),
            Grab::Point(index) if has_moved => Some(Gesture::Point(index, chart.x.from_plot(value.x))),
            Grab::Point(index) if response.clicked() => Some(Gesture::PickedPoint(index)),
            _ => None,
        };
    }
    (response.clicked() && frame.contains(pointer)).then(|| Gesture::Pinned(chart.x.from_plot(value.x)))
}

/// A vertical line at the pointer, or where it was pinned, that reads every curve there.
fn crosshair(ui: &Ui, chart: &LineChart, response: &egui::Response, transform: &PlotTransform, pinned_x: Option<f64>, dark: bool, is_dragging: bool) {
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
    let hovered = response.hover_pos().filter(|pos| frame.contains(*pos) && !is_dragging);
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
    painter.rect(rect.expand(4.0), 3.0, Token::Panel.color(dark).gamma_multiply(0.94), Stroke::new(1.0, Token::Grid.color(dark)), StrokeKind::Inside);
    painter.galley(rect.min, galley, Token::Text.color(dark));
}

fn readout(ui: &mut Ui, chart: &LineChart, x: f64, dark: bool) {
    ui.label(RichText::new(format!("{} {}", chart.x.label, (chart.x.format)(x))).strong());
    egui::Grid::new("readout").num_columns(2).spacing([10.0, 2.0]).show(ui, |ui| {
        for series in &chart.series {
            if let Some(y) = read(series, &chart.x, x) {
                ui.label(RichText::new(&series.name).color(series.token.color(dark)));
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.label((chart.y.format)(y)));
                ui.end_row();
            }
        }
    });
    ui.label(RichText::new("Click to pin, drag to pan, Ctrl + scroll to zoom, double-click to reset").weak().small());
}

/// The value of a curve between its samples.
fn read(series: &Series, axis: &Axis, x: f64) -> Option<f64> {
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

/// A key of a curve or a bar segment: a dash or a square of its colour.
pub fn swatch(ui: &mut Ui, token: Token, kind: Swatch) {
    let (rect, _) = ui.allocate_exact_size(vec2(if kind == Swatch::Square { 11.0 } else { 22.0 }, 12.0), Sense::hover());
    let color = token.color(ui.visuals().dark_mode);
    match kind {
        Swatch::Square => drop(ui.painter().rect_filled(rect.shrink(0.5), 2.0, color)),
        Swatch::Line => drop(ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(2.0, color))),
        Swatch::Dashes => {
            let ends = [rect.left_center(), rect.right_center()];
            ui.painter().extend(Shape::dashed_line(&ends, Stroke::new(2.0, color), 5.0, 3.0));
        }
    }
}

/// How a key is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swatch {
    /// A filled square.
    Square,
    /// A solid line.
    Line,
    /// A dashed line.
    Dashes,
}

/// Draws stacked bars without the title: CPU above GPU for each group.
pub fn bars(ui: &mut Ui, chart: &BarChart) {
    let dark = ui.visuals().dark_mode;
    let longest = chart.rows.iter().map(|row| row.total).filter(|total| total.is_finite()).fold(0.0, f64::max);
    let font = FontId::proportional(12.5);
    let width_of = |text: &str| ui.fonts_mut(|fonts| fonts.layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x);
    let group_width = chart.rows.iter().map(|row| width_of(&row.group)).fold(40.0_f32, f32::max).min(150.0);
    let note_width = chart.rows.iter().map(|row| width_of(&behind(chart, row))).fold(60.0_f32, f32::max);
    let mut previous: Option<&str> = None;
    for row in &chart.rows {
        let starts_group = previous != Some(row.group.as_str());
        if starts_group && previous.is_some() {
            ui.add_space(5.0);
        }
        previous = Some(&row.group);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 17.0), Sense::hover());
        let painter = ui.painter().with_clip_rect(rect);
        let text = Token::Text.color(dark);
        if starts_group {
            let galley = painter.layout(row.group.clone(), font.clone(), text, group_width);
            painter.with_clip_rect(Rect::from_min_size(rect.min, vec2(group_width, rect.height()))).galley(rect.min, galley, text);
        }
        let label_at = Pos2::new(rect.left() + group_width + 8.0, rect.center().y);
        painter.text(label_at, Align2::LEFT_CENTER, &row.label, font.clone(), row.token.color(dark));
        let left = label_at.x + 34.0;
        let room = (rect.right() - note_width - 16.0 - left).max(20.0);
        let scale = if longest > 0.0 { f64::from(room) / longest } else { 0.0 };
        let mut x = left;
        for segment in &row.segments {
            #[expect(clippy::cast_possible_truncation, reason = "a length on the screen")]
            let length = (segment.value.max(0.0) * scale) as f32;
            let bar = Rect::from_min_size(Pos2::new(x, rect.top() + 2.0), Vec2::new(length, rect.height() - 4.0));
            painter.rect_filled(bar, 0.0, segment.token.color(dark));
            x += length;
        }
        painter.text(Pos2::new(x + 6.0, rect.center().y), Align2::LEFT_CENTER, behind(chart, row), font.clone(), text);
        let summary = format!("{} on {}: {}", row.group, row.label, behind(chart, row));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, summary.clone()));
        response.on_hover_ui(|ui| segments(ui, chart, row));
    }
}

/// What stands behind a bar.
fn behind(chart: &BarChart, row: &BarRow) -> String {
    let total = (chart.unit_format)(row.total);
    if row.note.is_empty() { total } else { format!("{total}   {}", row.note) }
}

fn segments(ui: &mut Ui, chart: &BarChart, row: &BarRow) {
    ui.label(RichText::new(format!("{} on {}", row.group, row.label)).strong());
    egui::Grid::new("segments").num_columns(3).spacing([8.0, 2.0]).show(ui, |ui| {
        for segment in &row.segments {
            swatch(ui, segment.token, Swatch::Square);
            ui.label(&segment.name);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.label((chart.unit_format)(segment.value)));
            ui.end_row();
        }
    });
}

/// Whether the scale of an axis is logarithmic.
#[must_use]
pub fn scale(is_log: bool) -> Scale {
    if is_log { Scale::Log } else { Scale::Linear }
}
