//! A heat map in the window: the pointer reads cells, a click or a drag moves the current value.

use std::hash::Hash;

use egui::{
    Align2, CursorIcon, EventFilter, FontId, Id, Key, Mesh, Painter, Pos2, Rect, Response, RichText, Sense, Shape,
    Stroke, StrokeKind, Ui, pos2, vec2,
};

use super::sampled;
use crate::axis::Axis;
use crate::map::{DIAMOND, MARK_SIZE, MapChart, Mark, Pattern};
use crate::theme::{RAMP_STEPS, Token};

/// Width of the colour bar, in points.
const BAR_WIDTH: f32 = 14.0;
/// Free space between the cells and the colour bar, in points.
const BAR_GAP: f32 = 14.0;
/// Height of a line of labels, in points.
const LINE: f32 = 16.0;
/// Width of a sample in the legend, in points.
const SAMPLE: f32 = 24.0;
/// Radius of a mark, in points.
#[expect(clippy::cast_possible_truncation, reason = "a length on the screen")]
const RADIUS: f32 = MARK_SIZE as f32;
/// Size of the area in which a mark can be grabbed, in points.
const GRAB_SIZE: f32 = 18.0;
/// How much of an older map is seen through.
const DIMMED: f32 = 0.6;

/// Draws a map without its title; `read` says everything about the cell of a column and a row. Gives the middle of the
/// cell, in data units, to which the user moved what holds now.
pub fn show(
    ui: &mut Ui,
    id: impl Hash + std::fmt::Debug,
    chart: &MapChart,
    height: f32,
    read: impl Fn([usize; 2]) -> String,
) -> Option<[f64; 2]> {
    let dark = ui.visuals().dark_mode;
    legend(ui, chart);
    let (outer, _) = ui.allocate_exact_size(vec2(ui.available_width(), height.max(120.0)), Sense::hover());
    let space = Space::new(ui, chart, outer);
    let id = ui.scope_id().with(&id);
    let response = ui.interact(space.frame, id, Sense::click_and_drag()).on_hover_cursor(CursorIcon::Crosshair);
    describe(&response, chart);
    cells(ui, chart, &space, dark);
    contours(ui, chart, &space, dark);
    axes(ui, chart, &space, dark);
    ramp(ui, chart, &space, dark);
    if chart.is_stale {
        let veil = Token::Background.color(dark).gamma_multiply(DIMMED);
        ui.painter().rect_filled(space.frame, 0.0, veil);
    }
    let moved = marks(ui, id, chart, &space, dark);
    let pointer = response.hover_pos().or(response.interact_pointer_pos());
    if let Some([column, row]) = pointer.and_then(|pos| space.cell_at(chart, pos)) {
        crosshair(ui, &space, [column, row], dark);
        response.clone().on_hover_ui_at_pointer(|ui| {
            ui.label(read([column, row]));
            ui.label(RichText::new(chart.gesture).weak().small());
        });
    }
    let is_pressed = response.clicked() || response.dragged();
    let picked = response.interact_pointer_pos().filter(|_| is_pressed).and_then(|pos| space.cell_at(chart, pos));
    picked.and_then(|[column, row]| Some([*chart.xs.get(column)?, *chart.ys.get(row)?])).or(moved)
}

/// A sample of each pattern that occurs, and of each contour, with its name.
fn legend(ui: &mut Ui, chart: &MapChart) {
    let dark = ui.visuals().dark_mode;
    ui.horizontal_wrapped(|ui| {
        for category in chart.patterned_categories() {
            sampled(ui, SAMPLE, &category.name, |ui, rect| {
                let stroke = Stroke::new(1.0, Token::TextWeak.color(dark));
                let painter = ui.painter().with_clip_rect(rect);
                for start in [-6.0, 0.0, 6.0, 12.0, 18.0] {
                    let [left, right] = [rect.left() + start, rect.left() + start + 12.0];
                    painter.line_segment([pos2(left, rect.bottom()), pos2(right, rect.top())], stroke);
                    if category.pattern == Pattern::Crossed {
                        painter.line_segment([pos2(left, rect.top()), pos2(right, rect.bottom())], stroke);
                    }
                }
                painter.rect_stroke(rect, 0.0, stroke, StrokeKind::Inside);
            });
            ui.add_space(10.0);
        }
        for contour in chart.drawn_contours() {
            sampled(ui, SAMPLE, &contour.name, |ui, rect| {
                line(ui.painter(), vec![rect.left_center(), rect.right_center()], dark);
            });
            ui.add_space(10.0);
        }
    });
}

/// Where everything lies, in points.
struct Space {
    frame: Rect,
    columns: Vec<f32>,
    rows: Vec<f32>,
    bar: Rect,
    /// Right end of everything.
    right: f32,
}

impl Space {
    fn new(ui: &Ui, chart: &MapChart, outer: Rect) -> Self {
        let widest = |axis: &Axis| {
            let labels = axis.ticks(6).into_iter().filter_map(|tick| tick.label);
            labels.map(|label| text_width(ui, label)).fold(0.0, f32::max).min(outer.width() * 0.2)
        };
        let right = outer.right() - widest(&chart.value) - 6.0 - BAR_WIDTH - BAR_GAP;
        let frame = Rect::from_min_max(
            pos2(outer.left() + widest(&chart.y) + 8.0, outer.top() + LINE + 2.0),
            pos2(right, outer.bottom() - 2.0 * LINE - 6.0),
        );
        let bar = Rect::from_min_size(pos2(right + BAR_GAP, frame.top()), vec2(BAR_WIDTH, frame.height()));
        Self {
            columns: chart
                .column_edges()
                .iter()
                .map(|share| frame.left() + on_screen(*share) * frame.width())
                .collect(),
            rows: chart.row_edges().iter().map(|share| frame.bottom() - on_screen(*share) * frame.height()).collect(),
            frame,
            bar,
            right: outer.right(),
        }
    }

    fn at(&self, chart: &MapChart, x: f64, y: f64) -> Pos2 {
        let across = on_screen(chart.x.fraction(x)) * self.frame.width();
        let up = on_screen(chart.y.fraction(y)) * self.frame.height();
        pos2(self.frame.left() + across, self.frame.bottom() - up)
    }

    /// Column and row of the cell at a position; positions outside count as at the edge.
    fn cell_at(&self, chart: &MapChart, pos: Pos2) -> Option<[usize; 2]> {
        if chart.xs.is_empty() || chart.ys.is_empty() {
            return None;
        }
        let column = self.columns.iter().skip(1).take_while(|edge| **edge <= pos.x).count();
        let row = self.rows.iter().skip(1).take_while(|edge| **edge >= pos.y).count();
        Some([column.min(chart.xs.len() - 1), row.min(chart.ys.len() - 1)])
    }

    fn cell(&self, [column, row]: [usize; 2]) -> Rect {
        Rect::from_min_max(
            pos2(self.columns[column], self.rows[row + 1]),
            pos2(self.columns[column + 1], self.rows[row]),
        )
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a length on the screen, or a share of one")]
fn on_screen(length: f64) -> f32 {
    length as f32
}

fn font() -> FontId {
    FontId::proportional(12.0)
}

fn text_width(ui: &Ui, text: String) -> f32 {
    ui.painter().layout_no_wrap(text, font(), ui.visuals().text_color()).size().x
}

/// What an assistive technology reads instead of the picture.
fn describe(response: &Response, chart: &MapChart) {
    let text = format!("{} {} {}", chart.title, chart.subtitle, chart.answer);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, text.clone()));
}

fn cells(ui: &Ui, chart: &MapChart, space: &Space, dark: bool) {
    let painter = ui.painter().with_clip_rect(space.frame);
    painter.rect_filled(space.frame, 0.0, Token::Background.color(dark));
    let mut mesh = Mesh::default();
    for run in chart.runs() {
        let Some(step) = run.step else { continue };
        let cells = space.cell([run.from, run.row]).union(space.cell([run.to - 1, run.row]));
        mesh.add_colored_rect(cells, Token::Ramp(step).color(dark));
    }
    painter.add(Shape::mesh(mesh));
    let in_pixels = |edges: &[f32]| edges.iter().copied().map(f64::from).collect::<Vec<f64>>();
    for line in chart.pattern_lines(&in_pixels(&space.columns), &in_pixels(&space.rows)) {
        let ends = [line.from, line.to].map(|[x, y]| pos2(on_screen(x), on_screen(y)));
        painter.line_segment(ends, Stroke::new(1.0, line.token.color(dark)));
    }
}

fn contours(ui: &Ui, chart: &MapChart, space: &Space, dark: bool) {
    let painter = ui.painter().with_clip_rect(space.frame);
    for points in chart.drawn_contours().flat_map(|contour| &contour.lines).filter(|points| points.len() > 1) {
        line(&painter, points.iter().map(|[x, y]| space.at(chart, *x, *y)).collect(), dark);
    }
}

/// A line that stands out from every colour of the ramp.
fn line(painter: &Painter, points: Vec<Pos2>, dark: bool) {
    painter.line(points.clone(), Stroke::new(4.5, Token::Background.color(dark)));
    painter.line(points, Stroke::new(2.0, Token::Text.color(dark)));
}

fn axes(ui: &Ui, chart: &MapChart, space: &Space, dark: bool) {
    let painter = ui.painter();
    let (frame, weak, text) = (space.frame, Token::TextWeak.color(dark), Token::Text.color(dark));
    let stroke = Stroke::new(1.0, weak);
    painter.rect_stroke(frame, 0.0, stroke, StrokeKind::Outside);
    for tick in chart.x.ticks(7) {
        let Some(label) = tick.label else { continue };
        let x = frame.left() + on_screen(chart.x.fraction(tick.value)) * frame.width();
        painter.vline(x, frame.bottom()..=frame.bottom() + 4.0, stroke);
        painter.text(pos2(x, frame.bottom() + 5.0), Align2::CENTER_TOP, label, font(), weak);
    }
    for tick in chart.y.ticks(6) {
        let Some(label) = tick.label else { continue };
        let y = frame.bottom() - on_screen(chart.y.fraction(tick.value)) * frame.height();
        painter.hline(frame.left() - 4.0..=frame.left(), y, stroke);
        painter.text(pos2(frame.left() - 6.0, y), Align2::RIGHT_CENTER, label, font(), weak);
    }
    let below = pos2(frame.center().x, frame.bottom() + 5.0 + LINE);
    painter.text(below, Align2::CENTER_TOP, &chart.x.label, font(), text);
    painter.text(pos2(frame.left(), frame.top() - 3.0), Align2::LEFT_BOTTOM, &chart.y.label, font(), text);
}

/// The colour bar, its unit and its values.
fn ramp(ui: &Ui, chart: &MapChart, space: &Space, dark: bool) {
    let (painter, bar) = (ui.painter(), space.bar);
    let (weak, text) = (Token::TextWeak.color(dark), Token::Text.color(dark));
    let step_height = bar.height() / f32::from(RAMP_STEPS);
    for step in 0..RAMP_STEPS {
        let bottom = bar.bottom() - step_height * f32::from(step);
        let rect = Rect::from_min_max(pos2(bar.left(), bottom - step_height), pos2(bar.right(), bottom));
        painter.rect_filled(rect, 0.0, Token::Ramp(step).color(dark));
    }
    for tick in chart.value.ticks(6) {
        let Some(label) = tick.label else { continue };
        let y = bar.bottom() - on_screen(chart.value.fraction(tick.value)) * bar.height();
        painter.text(pos2(bar.right() + 5.0, y), Align2::LEFT_CENTER, label, font(), weak);
    }
    let edge = pos2(space.right, bar.top() - 3.0);
    painter.text(edge, Align2::RIGHT_BOTTOM, &chart.value.label, font(), text);
}

/// Lines through the cell under the pointer, and its outline.
fn crosshair(ui: &Ui, space: &Space, cell: [usize; 2], dark: bool) {
    let painter = ui.painter().with_clip_rect(space.frame);
    let rect = space.cell(cell);
    let (light, ink) = (Token::Background.color(dark), Token::Text.color(dark));
    for (width, color) in [(3.0, light.gamma_multiply(0.7)), (1.0, ink)] {
        painter.vline(rect.center().x, space.frame.y_range(), Stroke::new(width, color));
        painter.hline(space.frame.x_range(), rect.center().y, Stroke::new(width, color));
    }
    painter.rect_stroke(rect, 0.0, Stroke::new(2.0, ink), StrokeKind::Outside);
}

/// Draws the marks; gives where the arrow keys or a drag moved what holds now.
fn marks(ui: &mut Ui, id: Id, chart: &MapChart, space: &Space, dark: bool) -> Option<[f64; 2]> {
    let painter = ui.painter().with_clip_rect(space.frame.expand(RADIUS + 2.0));
    let (background, ink) = (Token::Background.color(dark), Token::Text.color(dark));
    let mut moved = None;
    let mut taken: Vec<Rect> = Vec::new();
    for (index, mark) in chart.placed_marks() {
        let at = space.at(chart, mark.x, mark.y);
        taken.push(Rect::from_center_size(at, vec2(GRAB_SIZE, GRAB_SIZE)));
        let place = format!("{} at {}, {}", mark.label, (chart.x.format)(mark.x), (chart.y.format)(mark.y));
        let rect = Rect::from_center_size(at, vec2(GRAB_SIZE, GRAB_SIZE));
        if mark.is_present {
            let response = ui.interact(rect, id.with(("mark", index)), Sense::click_and_drag());
            let name = format!("{place}: drag to change");
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name.clone()));
            moved = dragged_or_stepped(ui, chart, space, mark, &response);
            let focus = if response.has_focus() { Token::Accent.color(dark) } else { ink };
            painter.circle(at, RADIUS, background, Stroke::new(2.5, focus));
            painter.circle_filled(at, 1.5, ink);
            response.on_hover_cursor(CursorIcon::Move).on_hover_text("Current value. Drag it or use the arrow keys");
        } else {
            let response = ui.interact(rect, id.with(("mark", index)), Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, place.clone()));
            let corners = DIAMOND.map(|[dx, dy]| at + RADIUS * vec2(on_screen(dx), on_screen(dy))).to_vec();
            painter.add(Shape::convex_polygon(corners, background, Stroke::new(2.0, ink)));
            response.on_hover_text(&place);
        }
    }
    for (_, mark) in chart.placed_marks() {
        let at = space.at(chart, mark.x, mark.y);
        let galley = painter.layout_no_wrap(mark.label.clone(), font(), ink);
        let (right, left) = (RADIUS + 6.0, -RADIUS - 6.0 - galley.size().x);
        let rects = [-7.0, 8.0, -22.0, 23.0, -37.0, 38.0].map(|y| [right, left].map(|x| at + vec2(x, y))).concat();
        let rects: Vec<Rect> = rects.into_iter().map(|corner| Rect::from_min_size(corner, galley.size())).collect();
        let is_free = |rect: &&Rect| {
            space.frame.contains_rect(**rect) && taken.iter().all(|other| !other.intersects(rect.expand(1.0)))
        };
        let Some(rect) = rects.iter().find(is_free) else { continue };
        taken.push(*rect);
        painter.rect_filled(rect.expand2(vec2(3.0, 1.0)), 2.0, background.gamma_multiply(0.85));
        painter.galley(rect.min, galley, ink);
    }
    moved
}

fn dragged_or_stepped(ui: &Ui, chart: &MapChart, space: &Space, mark: &Mark, response: &Response) -> Option<[f64; 2]> {
    let cell = if response.dragged() {
        response.interact_pointer_pos().and_then(|pos| space.cell_at(chart, pos))
    } else if response.has_focus() {
        let arrows = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
        let [mut column, mut row] = chart.cell_at(mark.x, mark.y)?;
        let before = [column, row];
        ui.input(|input| {
            column = (column + input.num_presses(Key::ArrowRight)).saturating_sub(input.num_presses(Key::ArrowLeft));
            row = (row + input.num_presses(Key::ArrowUp)).saturating_sub(input.num_presses(Key::ArrowDown));
        });
        Some([column, row]).filter(|cell| *cell != before)
    } else {
        None
    };
    let [column, row] = cell?;
    Some([*chart.xs.get(column)?, *chart.ys.get(row)?])
}
