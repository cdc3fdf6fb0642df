//! A plan in the window: drag to move it, scroll to zoom, arrows to walk along its lines.
//!
//! Only what is on the screen is drawn, and text only where it can be read.

use egui::{
    Align2, Color32, CornerRadius, CursorIcon, EventFilter, FontId, Id, Key, Mesh, Pos2, Rect, Response, Sense, Shape,
    Stroke, StrokeKind, Ui, Vec2, pos2, vec2,
};

use super::camera::{Camera, STEP};
use crate::plan::layout::Label;
use crate::plan::{GPU_TINT, PlanBox, PlanChart, PlanEdge, Processor, SHARE, STRIPE};
use crate::theme::Token;

/// Text sizes of the first and the second line of a box, in points of the picture.
const TEXT: [f32; 2] = [13.0, 12.0];
/// Text smaller than this on the screen is left out, in points.
const SMALLEST_TEXT: f32 = 6.5;
/// Boxes smaller than this on the screen are areas of their colour, in points.
const SMALLEST_BOX: f32 = 12.0;
/// Size of the text that names the operators which take most time, where boxes have no text of their own, in points.
const CALLOUT_TEXT: f32 = 11.5;
/// Room for the name of such an operator, in points.
const CALLOUT_ROOM: f32 = 130.0;

/// Actions on a plan, and their gestures.
pub const GESTURES: [(&str, &str); 7] = [
    ("Move the plan", "Drag its background"),
    ("Zoom", "Scroll, pinch, or + and −"),
    ("Show the whole plan", "Double-click its background"),
    ("Show an operator's numbers", "Click its box"),
    ("Move between operators", "Arrow keys"),
    ("Choose an operator's side", "Enter, or right-click its box"),
    ("Find an operator", "Ctrl + F, then Enter"),
];

/// Camera, selection and focus of a plan on the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PlanView {
    /// What is on the screen.
    pub camera: Camera,
    /// Place of the operator that the user picked.
    pub selected: Option<usize>,
    /// Bring the picked operator on the screen in the next frame.
    pub reveals: bool,
    /// Give the picked operator the keyboard's focus in the next frame.
    pub takes_focus: bool,
    /// How many boxes were drawn in the last frame.
    pub drawn: usize,
}

/// What the user did with a plan in this frame.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Done {
    /// The box whose side the user wants to choose, and where it is on the screen.
    pub menu_requested: Option<(usize, Rect)>,
}

/// Draws a plan on a part of the screen.
pub fn show(ui: &mut Ui, canvas: Rect, chart: &PlanChart, view: &mut PlanView) -> Done {
    let id = ui.scope_id().with("plan");
    let background = ui.interact(canvas, id, Sense::CLICK | Sense::DRAG);
    if !ui.is_rect_visible(canvas) || !canvas.is_positive() {
        view.drawn = 0;
        // A frame that only finds out sizes draws no box, and what is not drawn loses the focus.
        view.takes_focus |= view.selected.is_some_and(|place| ui.memory(|memory| memory.has_focus(box_id(id, place))));
        return Done::default();
    }
    let operators = if chart.boxes.len() == 1 { "operator" } else { "operators" };
    let name = format!("Plan, {} {operators}: arrows move along its lines", chart.boxes.len());
    background.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Group, true, name.clone()));
    view.selected = view.selected.filter(|place| *place < chart.boxes.len());
    let mut done = Done::default();
    keys(ui, chart, view, canvas, id, &mut done);
    let result = chart.layout.boxes.last().map_or(Pos2::ZERO, Rect::center_top);
    view.camera.settle(chart.layout.size, result, canvas);
    if std::mem::take(&mut view.reveals)
        && let Some(place) = view.selected
    {
        view.camera.reveal(chart.layout.boxes[place], canvas);
    }
    move_camera(ui, chart, view, &background, canvas);
    let requested_by_key = done.menu_requested.take().map(|(place, _)| place);

    let scene = Scene { chart, camera: view.camera, canvas, dark: ui.visuals().dark_mode };
    let painter = ui.painter().with_clip_rect(canvas);
    painter.rect_filled(canvas, 0.0, Token::Background.color(scene.dark));
    let seen = view.camera.seen(canvas);
    let visible: Vec<usize> =
        (0..chart.boxes.len()).filter(|place| chart.layout.boxes[*place].intersects(seen)).collect();
    view.drawn = visible.len();
    let are_specks = scene.size(BOX_HEIGHT) < SMALLEST_BOX;
    if are_specks {
        scene.specks(&painter, &visible, seen);
    } else {
        scene.lines(&painter, view.selected, seen);
        for place in &visible {
            scene.operator(&painter, *place);
        }
        scene.labels(&painter, seen);
    }
    if scene.font(TEXT[0]).is_none() {
        scene.callouts(&painter, &visible);
    }
    if let Some(place) = view.selected {
        scene.selection(&painter, place);
    }
    if background.clicked() {
        view.selected = None;
    }
    // Thousands of specks are one area; the keyboard goes on from one of them.
    let in_reach: Vec<usize> = if are_specks {
        let at = |pos: Option<Pos2>| {
            let at = view.camera.to_picture(pos?, canvas);
            visible.iter().copied().find(|place| chart.layout.boxes[*place].contains(at))
        };
        if background.clicked() {
            view.selected = at(background.interact_pointer_pos());
            view.reveals = view.selected.is_some();
        }
        if let Some(place) = at(background.hover_pos()) {
            background.clone().on_hover_text_at_pointer(chart.boxes[place].summary());
        }
        chart.boxes.len().checked_sub(1).map(|last| view.selected.unwrap_or(last)).into_iter().collect()
    } else {
        visible
    };
    for place in in_reach {
        let rect = view.camera.rect_to_screen(chart.layout.boxes[place], canvas).intersect(canvas);
        let response = ui.interact(rect, box_id(id, place), Sense::click());
        operated(&response, chart, view, place);
        // Several operators in one box are shown one by one as a folder is opened.
        let is_opened = chart.boxes[place].operator_count > 1 && response.double_clicked();
        if is_opened || response.secondary_clicked() || requested_by_key == Some(place) {
            view.selected = Some(place);
            done.menu_requested = Some((place, rect));
        }
        response.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(chart.boxes[place].summary());
    }
    done
}

/// Picks a box that was clicked, or that got the keyboard's focus, and gives it the focus where that is requested.
fn operated(response: &Response, chart: &PlanChart, view: &mut PlanView, place: usize) {
    let name = chart.boxes[place].accessible_name();
    response.widget_info(|| {
        egui::WidgetInfo::selected(egui::Role::Button, true, view.selected == Some(place), name.clone())
    });
    if response.clicked() || response.gained_focus() {
        view.selected = Some(place);
        response.request_focus();
    }
    if view.selected == Some(place) && std::mem::take(&mut view.takes_focus) {
        response.request_focus();
    }
}

const BOX_HEIGHT: f32 = crate::plan::layout::BOX.y;

fn box_id(id: Id, place: usize) -> Id {
    id.with(("box", place))
}

/// Arrows, Enter, plus and minus while a box has the focus.
fn keys(ui: &Ui, chart: &PlanChart, view: &mut PlanView, canvas: Rect, id: Id, done: &mut Done) {
    let here = view.selected.unwrap_or(chart.boxes.len().saturating_sub(1));
    if !ui.memory(|memory| memory.has_focus(box_id(id, here))) {
        return;
    }
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, tab: false, escape: false };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(box_id(id, here), filter));
    let pressed = |key: Key| ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key));
    let step = [Key::ArrowUp, Key::ArrowDown, Key::ArrowLeft, Key::ArrowRight].into_iter().find(|key| pressed(*key));
    if let Some(next) = step.and_then(|key| neighbour(chart, here, key)) {
        view.selected = Some(next);
        view.reveals = true;
        ui.memory_mut(|memory| memory.request_focus(box_id(id, next)));
    }
    for (key, is_closer) in [(Key::Plus, true), (Key::Equals, true), (Key::Minus, false)] {
        if pressed(key) {
            zoom(chart, view, canvas, is_closer);
        }
    }
    if pressed(Key::Enter) || pressed(Key::Space) {
        view.selected = Some(here);
        view.reveals = true;
        done.menu_requested = Some((here, Rect::NOTHING));
    }
}

/// Up to a reader, down to the first input, sideways to the nearest box of the same layer.
fn neighbour(chart: &PlanChart, here: usize, key: Key) -> Option<usize> {
    let layout = &chart.layout;
    let x = |place: usize| layout.boxes[place].center().x;
    match key {
        Key::ArrowUp => chart.edges.iter().find(|edge| edge.from == here).map(|edge| edge.to),
        Key::ArrowDown => chart.edges.iter().find(|edge| edge.to == here).map(|edge| edge.from),
        _ => {
            let is_right = key == Key::ArrowRight;
            let beside = (0..layout.boxes.len()).filter(|place| {
                layout.layers[*place] == layout.layers[here]
                    && if is_right { x(*place) > x(here) } else { x(*place) < x(here) }
            });
            beside.min_by(|a, b| (x(*a) - x(here)).abs().total_cmp(&(x(*b) - x(here)).abs()))
        }
    }
}

fn move_camera(ui: &Ui, chart: &PlanChart, view: &mut PlanView, background: &Response, canvas: Rect) {
    let size = chart.layout.size;
    if background.dragged() {
        view.camera.pan(background.drag_delta());
        ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
    }
    if background.double_clicked() {
        view.camera.fit();
    }
    let pointer = ui.input(|input| input.pointer.hover_pos()).filter(|pos| canvas.contains(*pos));
    // A menu or a window above the plan scrolls by itself.
    let is_on_top = pointer.is_some_and(|pos| ui.ctx().layer_id_at(pos) == Some(ui.layer_id()));
    if let (Some(pointer), true) = (pointer, is_on_top) {
        let (pinch, scroll) = ui.input(|input| (input.zoom_delta(), input.smooth_scroll_delta));
        if pinch != 1.0 {
            view.camera.zoom(pinch, pointer, size, canvas);
        } else if scroll != Vec2::ZERO {
            view.camera.zoom((scroll.y / 240.0).exp(), pointer, size, canvas);
            view.camera.pan(vec2(scroll.x, 0.0));
            ui.ctx().input_mut(|input| input.smooth_scroll_delta = Vec2::ZERO);
        }
    }
    view.camera.hold(size);
}

/// Larger or smaller, around the middle.
pub fn zoom(chart: &PlanChart, view: &mut PlanView, canvas: Rect, is_closer: bool) {
    let by = if is_closer { STEP } else { 1.0 / STEP };
    view.camera.zoom(by, canvas.center(), chart.layout.size, canvas);
}

/// A plan, the part of it that is on the screen, and where.
struct Scene<'a> {
    chart: &'a PlanChart,
    camera: Camera,
    canvas: Rect,
    dark: bool,
}

impl Scene<'_> {
    fn color(&self, token: Token) -> Color32 {
        token.color(self.dark)
    }

    /// A length of the picture on the screen.
    fn size(&self, length: f32) -> f32 {
        length * self.camera.scale()
    }

    fn at(&self, point: Pos2) -> Pos2 {
        self.camera.to_screen(point, self.canvas)
    }

    /// The font of a text of this size, if it can be read. In steps, so that zooming needs few glyphs.
    fn font(&self, size: f32) -> Option<FontId> {
        let size = (self.size(size) * 2.0).floor() / 2.0;
        (size >= SMALLEST_TEXT).then(|| FontId::proportional(size))
    }

    fn lines(&self, painter: &egui::Painter, selected: Option<usize>, seen: Rect) {
        for (edge, route) in self.chart.edges.iter().zip(&self.chart.layout.routes) {
            if !bounds(&route.points).expand(4.0).intersects(seen) {
                continue;
            }
            let is_picked = selected.is_some_and(|place| place == edge.from || place == edge.to);
            let token = match (&edge.bus, is_picked) {
                (Some(bus), _) => bus.token,
                (None, true) => Token::Text,
                (None, false) => Token::TextWeak,
            };
            let width = self.size(edge.width() + if is_picked { 1.0 } else { 0.0 }).max(0.8);
            let points: Vec<Pos2> = route.points.iter().map(|point| self.at(*point)).collect();
            if let Some(end) = points.last().copied() {
                let half = self.size(4.0).max(width);
                let head = vec![end, end + vec2(-half, 1.6 * half), end + vec2(half, 1.6 * half)];
                painter.add(Shape::convex_polygon(head, self.color(token), Stroke::NONE));
            }
            painter.line(points, Stroke::new(width, self.color(token)));
        }
    }

    fn labels(&self, painter: &egui::Painter, seen: Rect) {
        let Some(font) = self.font(TEXT[1]) else { return };
        for (edge, route) in self.chart.edges.iter().zip(&self.chart.layout.routes) {
            if let Some(label) = route.label.filter(|label| seen.expand(label.room).contains(label.at)) {
                self.label(painter, edge, &label, &font);
            }
        }
    }

    fn label(&self, painter: &egui::Painter, edge: &PlanEdge, label: &Label, font: &FontId) {
        let text = self.color(if edge.bus.is_some() { Token::Text } else { Token::TextWeak });
        // A label with an outline needs room for it.
        let pad = if edge.bus.is_some() { self.size(4.0) } else { 0.0 };
        let room = self.size(label.room) - 2.0 * pad;
        let full = painter.layout_no_wrap(edge.text(), font.clone(), text);
        let galley = if full.size().x <= room { full } else { one_line(painter, &edge.short_text(), font, text, room) };
        let at = self.at(label.at);
        let left = if label.ends_here { at.x - galley.size().x - pad } else { at.x + pad };
        let rect = Rect::from_min_size(pos2(left, at.y - galley.size().y / 2.0), galley.size());
        let ground = self.color(Token::Background);
        match &edge.bus {
            Some(bus) => {
                let pill = rect.expand2(vec2(self.size(3.0), self.size(1.0)));
                let stroke = Stroke::new(self.size(1.5).max(1.0), self.color(bus.token));
                painter.rect(pill, self.size(5.0), ground, stroke, StrokeKind::Inside);
            }
            None => {
                painter.rect_filled(rect, 2.0, ground.gamma_multiply(0.85));
            }
        }
        painter.galley(rect.min, galley, text);
    }

    fn operator(&self, painter: &egui::Painter, place: usize) {
        let item = &self.chart.boxes[place];
        let rect = self.camera.rect_to_screen(self.chart.layout.boxes[place], self.canvas);
        let color = self.color(item.processor.token());
        let corner = CornerRadius::same(3);
        painter.rect_filled(rect, corner, self.color(Token::Background));
        if item.processor == Processor::Gpu {
            #[expect(clippy::cast_possible_truncation, reason = "an opacity between 0 and 1")]
            painter.rect_filled(rect, corner, color.gamma_multiply(GPU_TINT as f32));
        }
        let stripe = self.size(STRIPE);
        painter.rect_filled(rect.with_max_x(rect.left() + stripe), CornerRadius { nw: 3, sw: 3, ne: 0, se: 0 }, color);
        if item.is_exchange {
            let right = rect.with_min_x(rect.right() - stripe);
            let network = self.color(self.chart.network);
            painter.rect_filled(right, CornerRadius { nw: 0, sw: 0, ne: 3, se: 3 }, network);
        }
        let inner = rect.shrink2(vec2(stripe, 0.0));
        let share =
            inner.with_min_y(rect.bottom() - self.size(SHARE)).with_max_x(inner.left() + item.share * inner.width());
        painter.rect_filled(share, 0.0, color);
        painter.rect_stroke(rect, corner, Stroke::new(self.size(1.5).max(1.0), color), StrokeKind::Inside);
        self.texts(painter, item, inner.shrink2(vec2(self.size(7.0), 0.0)));
    }

    fn texts(&self, painter: &egui::Painter, item: &PlanBox, inner: Rect) {
        let (text, weak) = (self.color(Token::Text), self.color(Token::TextWeak));
        let [first, second] = [inner.top() + self.size(11.0), inner.top() + self.size(26.5)];
        let Some(font) = self.font(TEXT[0]) else { return };
        let corner = match item.mark {
            Some(mark) => format!("{} {}", mark.symbol(), item.processor.label()),
            None => item.processor.label().to_owned(),
        };
        let corner = painter.text(pos2(inner.right(), first), Align2::RIGHT_CENTER, corner, font.clone(), text);
        let name = one_line(painter, &item.name, &font, text, corner.left() - inner.left() - self.size(6.0));
        painter.galley(pos2(inner.left(), first - name.size().y / 2.0), name, text);
        let Some(font) = self.font(TEXT[1]) else { return };
        let time = painter.text(pos2(inner.right(), second), Align2::RIGHT_CENTER, &item.time, font.clone(), text);
        let line = one_line(painter, &item.second_line(), &font, weak, time.left() - inner.left() - self.size(6.0));
        painter.galley(pos2(inner.left(), second - line.size().y / 2.0), line, weak);
    }

    /// Names the operators that take most time beside their boxes, as far as no name hides another one.
    fn callouts(&self, painter: &egui::Painter, places: &[usize]) {
        let mut ranked: Vec<(usize, usize)> =
            places.iter().filter_map(|place| Some((self.chart.boxes[*place].rank?, *place))).collect();
        ranked.sort_unstable();
        let (font, text) = (FontId::proportional(CALLOUT_TEXT), self.color(Token::Text));
        let mut taken: Vec<Rect> = Vec::new();
        for (rank, place) in ranked {
            let item = &self.chart.boxes[place];
            let rect = self.camera.rect_to_screen(self.chart.layout.boxes[place], self.canvas);
            let full = one_line(painter, &format!("{rank}  {} {}", item.name, item.time), &font, text, CALLOUT_ROOM);
            let short = one_line(painter, &rank.to_string(), &font, text, CALLOUT_ROOM);
            // To the right of the box, or to its left; where names do not fit, the number of the list beside.
            let at = |galley: &egui::Galley, is_right: bool| {
                let size = galley.size() + vec2(8.0, 2.0);
                let x = if is_right { rect.right() + 3.0 } else { rect.left() - 3.0 - size.x };
                Rect::from_min_size(pos2(x, rect.center().y - size.y / 2.0), size)
            };
            let ways = [(&full, true), (&full, false), (&short, true), (&short, false)];
            let free = ways.into_iter().map(|(galley, is_right)| (galley, at(galley, is_right))).find(|(_, pill)| {
                self.canvas.contains_rect(*pill) && taken.iter().all(|other| !other.intersects(*pill))
            });
            let Some((galley, pill)) = free else { continue };
            let stroke = Stroke::new(1.0, self.color(item.processor.token()));
            painter.rect(pill, CornerRadius::same(4), self.color(Token::Background), stroke, StrokeKind::Inside);
            painter.galley(pill.min + vec2(4.0, 1.0), std::sync::Arc::clone(galley), text);
            taken.push(pill);
        }
    }

    fn selection(&self, painter: &egui::Painter, place: usize) {
        let rect = self.camera.rect_to_screen(self.chart.layout.boxes[place], self.canvas);
        let stroke = Stroke::new(2.5, self.color(Token::Accent));
        painter.rect_stroke(rect.expand(2.5), CornerRadius::same(5), stroke, StrokeKind::Outside);
    }

    /// Boxes too small for anything but their colour, with their lines, in one piece: filled on the GPU, hollow on the
    /// CPU, and the stronger the more time they take.
    fn specks(&self, painter: &egui::Painter, places: &[usize], seen: Rect) {
        let mut mesh = Mesh::default();
        for (edge, route) in self.chart.edges.iter().zip(&self.chart.layout.routes) {
            if bounds(&route.points).intersects(seen) {
                let token = edge.bus.as_ref().map_or(Token::TextWeak, |bus| bus.token);
                let half = (self.size(edge.width()) / 2.0).max(0.3);
                for pair in route.points.windows(2) {
                    // Lines are vertical or horizontal.
                    let line = Rect::from_two_pos(self.at(pair[0]), self.at(pair[1])).expand(half);
                    mesh.add_colored_rect(line, self.color(token));
                }
            }
        }
        let ground = self.color(Token::Background);
        let most = self.chart.boxes.iter().map(|item| item.share).fold(f32::MIN_POSITIVE, f32::max);
        for place in places {
            let rect = self.camera.rect_to_screen(self.chart.layout.boxes[*place], self.canvas);
            let rect = Rect::from_center_size(rect.center(), rect.size().max(Vec2::splat(1.0)));
            let item = &self.chart.boxes[*place];
            let color = self.color(item.processor.token());
            mesh.add_colored_rect(rect, color);
            // The eye compares areas as it compares lengths of many sizes: by root.
            let heat = (item.share / most).sqrt();
            let (edge, empty) = match item.processor {
                Processor::Cpu => (1.0 + 2.0 * heat, ground),
                Processor::Gpu => (1.0, ground.lerp_to_gamma(color, 0.25 + 0.75 * heat)),
            };
            let inner = rect.shrink(edge.min(rect.height() / 3.0));
            if inner.is_positive() && rect.height() > 3.0 {
                mesh.add_colored_rect(inner, empty);
            } else if item.processor == Processor::Cpu && rect.shrink(1.0).is_positive() {
                mesh.add_colored_rect(rect.shrink(1.0), ground);
            }
        }
        painter.add(mesh);
    }
}

fn bounds(points: &[Pos2]) -> Rect {
    Rect::from_points(points)
}

/// A text in one line, cut where there is no more room.
fn one_line(
    painter: &egui::Painter,
    text: &str,
    font: &FontId,
    color: Color32,
    room: f32,
) -> std::sync::Arc<egui::Galley> {
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), font.clone(), color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(room.max(0.0));
    painter.layout_job(job)
}
