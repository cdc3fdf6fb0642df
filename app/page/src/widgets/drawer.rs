//! Panels that give their room to the answer in small windows: they become drawers that start closed.

use std::f32::consts::FRAC_PI_2;

use egui::epaint::TextShape;
use egui::{
    Button, Color32, Frame, Id, Panel, Rect, Role, Sense, StrokeKind, TextStyle, Ui, UiBuilder, UiKind, UiStackInfo,
    WidgetInfo, vec2,
};

/// Width of a page below which what is beside the answer is a drawer, in points.
const NARROW: f32 = 1000.0;
/// Height of a window below which what is below the answer is a drawer, in points.
const LOW: f32 = 600.0;
/// What the answer keeps of a low window while a drawer at the bottom is open, in points.
const ANSWER: f32 = 230.0;
/// Height of a closed drawer at the bottom, and width of one at the left, in points.
const HANDLE: f32 = 30.0;

/// Whether the window is so low that only the answer stays.
#[must_use]
pub fn is_low(ui: &Ui) -> bool {
    ui.ctx().content_rect().height() < LOW
}

/// The panel with all numbers of a study.
pub fn inspector(ui: &mut Ui, open: bool, content: impl FnOnce(&mut Ui)) {
    left(ui, "inspector", ["Parameters", "the inspector: all parameters"], open, content);
}

/// The panel on the left. In a narrow page it is a drawer, with its title and a hint; else `open` says whether it is there.
pub fn left(ui: &mut Ui, name: &'static str, [title, hint]: [&str; 2], open: bool, content: impl FnOnce(&mut Ui)) {
    let is_narrow = ui.available_width() < NARROW;
    if !is_narrow {
        if open {
            Panel::left(name).resizable(true).default_size(348.0).size_range(240.0..=560.0).show(ui, content);
        }
        return;
    }
    let id = Id::unique(("drawer", name));
    let mut is_open = is_open(ui, id);
    Panel::left(format!("{name}-handle")).exact_size(HANDLE).resizable(false).show(ui, |ui| {
        let (symbol, verb) = if is_open { ("▲", "Close") } else { ("▼", "Open") };
        if upright(ui, &format!("{symbol} {title}"), &format!("{verb} {hint}")) {
            is_open = !is_open;
            ui.data_mut(|data| data.insert_temp(id, is_open));
        }
    });
    if is_open {
        let width = (ui.available_width() - 120.0).clamp(240.0, 300.0);
        Panel::left(name).resizable(true).default_size(width).size_range(240.0..=520.0).show(ui, content);
    }
}

/// Room at the bottom, kept free before what is above it is drawn and filled after it: the keyboard gets there last.
#[must_use = "the room stays empty until something is shown in it"]
pub struct Below {
    name: &'static str,
    room: Option<Place>,
    /// Of a drawer: where its handle is.
    handle: Option<Handle>,
}

/// Where something is drawn, and what is seen of it.
struct Place {
    rect: Rect,
    clip: Rect,
}

struct Handle {
    place: Place,
    id: Id,
    title: String,
}

/// Keeps room at the bottom, usually so high. In a low window it is a drawer that is called by its title.
pub fn below(ui: &mut Ui, name: &'static str, title: &str, [least, usual]: [f32; 2]) -> Below {
    let reserved = |ui: &mut Ui| {
        ui.take_available_space();
        Place { rect: ui.max_rect(), clip: ui.clip_rect() }
    };
    if !is_low(ui) {
        let panel = Panel::bottom(name).resizable(true).default_size(usual).size_range(least..=1200.0);
        return Below { name, room: Some(panel.show(ui, reserved).inner), handle: None };
    }
    let id = Id::unique(("drawer", name));
    let panel = Panel::bottom(format!("{name}-handle")).exact_size(HANDLE).resizable(false);
    let handle = Handle { place: panel.show(ui, reserved).inner, id, title: title.to_owned() };
    let room = is_open(ui, id).then(|| {
        // The answer keeps some of the window.
        let height = (ui.available_height() - ANSWER).min(0.5 * ui.available_height()).max(60.0);
        let panel = Panel::bottom(format!("{name}-drawer")).exact_size(height).resizable(false);
        panel.show(ui, reserved).inner
    });
    Below { name, room, handle: Some(handle) }
}

impl Below {
    /// Fills the room, if it is open.
    pub fn show(self, ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
        let inside = |ui: &mut Ui, place: Place, part: &str| {
            // What fades out at its edges fades into the panel.
            let panel = UiStackInfo::new(UiKind::BottomPanel).with_frame(Frame::side_top_panel(ui.style()));
            let mut room =
                ui.new_child(UiBuilder::new().id_salt((self.name, part)).max_rect(place.rect).ui_stack_info(panel));
            room.set_clip_rect(place.clip);
            room
        };
        if let Some(Handle { place, id, title }) = self.handle {
            let was_open = self.room.is_some();
            let (symbol, hint) = if was_open { ("▼", "Close the table") } else { ("▲", "Open the table") };
            if handle(&mut inside(ui, place, "handle"), &format!("{symbol} {title}"), hint) {
                ui.data_mut(|data| data.insert_temp(id, !was_open));
            }
        }
        if let Some(place) = self.room {
            content(&mut inside(ui, place, "content"));
        }
    }
}

fn is_open(ui: &Ui, id: Id) -> bool {
    ui.data(|data| data.get_temp(id)).unwrap_or(false)
}

fn handle(ui: &mut Ui, text: &str, hint: &str) -> bool {
    ui.add(Button::new(text)).on_hover_text(hint).clicked()
}

/// A handle whose text runs upwards, in a strip as narrow as a line.
fn upright(ui: &mut Ui, text: &str, hint: &str) -> bool {
    let font = TextStyle::Button.resolve(ui.style());
    let galley = ui.painter().layout_no_wrap(text.to_owned(), font, Color32::PLACEHOLDER);
    let padding = ui.spacing().button_padding;
    let size = vec2(galley.size().y + 2.0 * padding.y, galley.size().x + 2.0 * padding.x);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, text));
    let visuals = ui.style().interact(&response);
    ui.painter().rect(rect, visuals.corner_radius, visuals.weak_bg_fill, visuals.bg_stroke, StrokeKind::Inside);
    let from = rect.left_bottom() + vec2(padding.y, -padding.x);
    ui.painter().add(TextShape::new(from, galley, visuals.text_color()).with_angle(-FRAC_PI_2));
    response.on_hover_text(hint).clicked()
}
