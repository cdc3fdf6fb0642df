//! A plan in the window: drag to move it, scroll to zoom, arrows to walk along its lines.
//!
//! Only what is on the screen is drawn, and text only where it can be read.

mod scene;

use egui::{CursorIcon, EventFilter, Id, Key, Pos2, Rect, Response, Sense, Ui, Vec2, vec2};

use super::camera::{Camera, STEP};
use crate::plan::PlanChart;
use crate::theme::Token;
use scene::{Scene, TEXT};

/// Boxes smaller than this on the screen are areas of their colour, in points.
const SMALLEST_BOX: f32 = 12.0;

/// Actions on a plan, and their gestures.
pub const GESTURES: [(&str, &str); 7] = [
    ("Move the plan", "Drag its background"),
    ("Zoom", "Scroll, pinch, or + and −"),
    ("Show the whole plan", "Double-click its background"),
    ("Show an operator's numbers", "Click its box"),
    ("Move between operators", "Arrow keys"),
    ("Choose an operator's side", "Enter, or right-click its box"),
    ("Find an operator", "Ctrl+F, then Enter"),
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
