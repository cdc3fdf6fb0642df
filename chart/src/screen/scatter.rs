//! Dots in the window. Many of them are one shape: ten thousand cost no more than some curves.

use egui::{
    Align2, Color32, CursorIcon, FontId, Mesh, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui,
    WidgetInfo, pos2, vec2,
};

use crate::axis::Axis;
use crate::scatter::{Dot, Scatter};
use crate::theme::Token;

/// Radius of a dot, in points.
const RADIUS: f32 = 3.2;
/// So many dots are drawn one by one, with smooth edges.
const SMOOTH: usize = 1_500;
/// How far from the pointer a dot may be that is read, in points.
const REACH: f32 = 9.0;
/// Height of a line of labels, and of the strip below, in points.
const LINE: f32 = 15.0;
const STRIP: f32 = 18.0;
/// About as many ticks have a label.
const MOST_LABELS: usize = 6;
/// Corners of a dot that is not smooth.
const CORNERS: [[f32; 2]; 6] = [[1.0, 0.0], [0.5, 0.866], [-0.5, 0.866], [-1.0, 0.0], [-0.5, -0.866], [0.5, -0.866]];
/// The triangles that it consists of; each has the first corner too.
const TRIANGLES: [[u32; 2]; 4] = [[1, 2], [2, 3], [3, 4], [4, 5]];

/// Where dots are on the screen.
struct Places<'a> {
    /// Where both axes have a place.
    frame: Rect,
    /// Where the vertical axis has none.
    strip: Rect,
    x: Along<'a>,
    y: Along<'a>,
}

/// An axis between two places of the screen.
struct Along<'a> {
    axis: &'a Axis,
    /// Its ends in plot coordinates.
    ends: [f64; 2],
    /// Its ends on the screen.
    places: [f32; 2],
}

impl<'a> Along<'a> {
    fn new(axis: &'a Axis, places: [f32; 2]) -> Self {
        Self { axis, ends: axis.bounds().map(|end| axis.to_plot(end)), places }
    }

    /// Where a value is; what is outside the axis is at its end.
    #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
    fn of(&self, value: f64) -> f32 {
        let [low, high] = self.ends;
        let share = ((self.axis.to_plot(value) - low) / (high - low)).clamp(0.0, 1.0) as f32;
        self.places[0] + (self.places[1] - self.places[0]) * share
    }
}

/// Draws dots without the title; `picked` is ringed, `read` says what a dot is. Gives the dot that was clicked.
pub fn show(
    ui: &mut Ui,
    chart: &Scatter,
    picked: Option<usize>,
    read: impl Fn(usize) -> String,
    height: f32,
) -> Option<usize> {
    let dark = ui.visuals().dark_mode;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
    let text = format!("{} {}", chart.title, chart.answer);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, text.clone()));
    let places = axes(ui, chart, rect, dark);
    let painter = ui.painter().with_clip_rect(places.frame.union(places.strip).expand(RADIUS + 1.0));
    let colors: Vec<Color32> = chart.kinds.iter().map(|(_, token)| token.color(dark).gamma_multiply(0.75)).collect();
    let at = |dot: &Dot| places.of(chart, dot);
    let drawn = chart.dots.iter().filter_map(|dot| Some((at(dot)?, *colors.get(dot.kind)?)));
    if chart.dots.len() <= SMOOTH {
        painter.extend(drawn.map(|(at, color)| Shape::circle_filled(at, RADIUS, color)));
    } else {
        painter.add(Shape::mesh(mesh(drawn)));
    }
    let ring = |at: Pos2, token: Token| painter.circle_stroke(at, RADIUS + 2.5, Stroke::new(1.8, token.color(dark)));
    if let Some(at) = picked.and_then(|picked| chart.dots.get(picked)).and_then(at) {
        ring(at, Token::Text);
    }
    let near = response.hover_pos().and_then(|pointer| nearest(chart, &places, pointer))?;
    ring(at(chart.dots.get(near)?)?, Token::Accent);
    hovered(response, || read(near)).then_some(near)
}

/// Reads a dot under the pointer; whether it was clicked.
fn hovered(response: Response, read: impl Fn() -> String) -> bool {
    let is_clicked = response.clicked();
    response.on_hover_cursor(CursorIcon::PointingHand).on_hover_ui_at_pointer(|ui| {
        ui.label(read());
    });
    is_clicked
}

/// The dot nearest to the pointer; of several the uppermost.
fn nearest(chart: &Scatter, places: &Places<'_>, pointer: Pos2) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (index, dot) in chart.dots.iter().enumerate() {
        let Some(at) = places.of(chart, dot) else { continue };
        let distance = at.distance_sq(pointer);
        if distance <= REACH * REACH && best.is_none_or(|(_, least)| distance <= least) {
            best = Some((index, distance));
        }
    }
    best.map(|(index, _)| index)
}

fn mesh(dots: impl Iterator<Item = (Pos2, Color32)>) -> Mesh {
    let mut mesh = Mesh::default();
    for (at, color) in dots {
        let first = u32::try_from(mesh.vertices.len()).unwrap_or(u32::MAX);
        for [x, y] in CORNERS {
            mesh.colored_vertex(at + RADIUS * vec2(x, y), color);
        }
        for [one, other] in TRIANGLES {
            mesh.add_triangle(first, first + one, first + other);
        }
    }
    mesh
}

impl Places<'_> {
    fn of(&self, chart: &Scatter, dot: &Dot) -> Option<Pos2> {
        if !chart.x.has_place_for(dot.x) {
            return None;
        }
        let y = if chart.is_below(dot) { self.strip.center().y } else { self.y.of(dot.y) };
        Some(pos2(self.x.of(dot.x), y))
    }
}

/// Draws both axes with their ticks, and the strip below.
fn axes<'a>(ui: &Ui, chart: &'a Scatter, rect: Rect, dark: bool) -> Places<'a> {
    let painter = ui.painter_at(rect);
    let font = FontId::proportional(11.5);
    let (weak, grid) = (Token::TextWeak.color(dark), Token::Grid.color(dark));
    let layout = |text: String| painter.layout_no_wrap(text, font.clone(), weak);
    let rows: Vec<_> =
        chart.y.ticks(MOST_LABELS).into_iter().map(|tick| (tick.value, tick.label.map(&layout))).collect();
    let widest = rows.iter().filter_map(|(_, label)| Some(label.as_ref()?.size().x)).fold(24.0_f32, f32::max);
    let has_strip = chart.dots.iter().any(|dot| chart.is_below(dot) && chart.x.has_place_for(dot.x));
    let strip_height = if has_strip { STRIP } else { 0.0 };
    let left = rect.left() + widest + 8.0;
    let bottom = rect.bottom() - 2.0 * LINE - strip_height - 2.0;
    let frame = Rect::from_min_max(pos2(left, rect.top() + 6.0), pos2(rect.right() - 18.0, bottom));
    let strip =
        Rect::from_min_max(frame.left_bottom() + vec2(0.0, 2.0), pos2(frame.right(), bottom + 2.0 + strip_height));
    painter.rect_filled(frame, 0.0, Token::Background.color(dark));
    let across = Along::new(&chart.x, [frame.left(), frame.right()]);
    let upwards = Along::new(&chart.y, [frame.bottom(), frame.top()]);
    for (value, label) in rows {
        let y = upwards.of(value);
        let opacity = if label.is_some() { 1.0 } else { 0.45 };
        painter.hline(frame.x_range(), y, Stroke::new(1.0, grid.gamma_multiply(opacity)));
        if let Some(label) = label {
            painter.galley(pos2(left - 6.0 - label.size().x, y - label.size().y / 2.0), label, weak);
        }
    }
    let mut taken = f32::NEG_INFINITY;
    for tick in chart.x.ticks(MOST_LABELS) {
        let x = across.of(tick.value);
        let opacity = if tick.label.is_some() { 1.0 } else { 0.45 };
        painter.vline(x, frame.y_range(), Stroke::new(1.0, grid.gamma_multiply(opacity)));
        let Some(label) = tick.label.map(&layout) else { continue };
        let half = label.size().x / 2.0;
        let middle = x.clamp(rect.left() + half, rect.right() - half);
        if middle - half > taken + 6.0 {
            taken = middle + half;
            painter.galley(pos2(middle - half, strip.bottom() + 2.0), label, weak);
        }
    }
    painter.text(pos2(frame.center().x, rect.bottom()), Align2::CENTER_BOTTOM, &chart.x.label, font.clone(), weak);
    let name = layout(chart.y.label.clone());
    let place = Rect::from_min_size(frame.left_top() + vec2(5.0, 3.0), name.size());
    painter.rect_filled(place.expand(2.0), 2.0, Token::Background.color(dark).gamma_multiply(0.8));
    painter.galley(place.min, name, weak);
    if has_strip {
        painter.rect_filled(strip, 0.0, Token::Background.color(dark));
        painter.text(strip.left_center() - vec2(6.0, 0.0), Align2::RIGHT_CENTER, &chart.below, font, weak);
        painter.rect_stroke(strip, 0.0, Stroke::new(1.0, grid), StrokeKind::Inside);
    }
    Places { frame, strip, x: across, y: upwards }
}
