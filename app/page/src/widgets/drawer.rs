//! Panels that become closed drawers in small windows, to leave space for the answer.

use std::f32::consts::FRAC_PI_2;

use egui::epaint::TextShape;
use egui::{
    Button, Color32, Frame, Panel, Rect, Role, Sense, StrokeKind, TextStyle, Ui, UiBuilder, UiKind, UiStackInfo,
    WidgetInfo, vec2,
};

use crate::page_memory::Shared;
use crate::tour;
use crate::widgets::panel::{self, Side};

/// Width of a page below which side panels are drawers, in points.
const NARROW: f32 = 1000.0;
/// Height of a window below which bottom panels are drawers, in points.
const LOW: f32 = 600.0;
/// Height of a window below which tables and figures leave the room to one chart, in points: 800 × 600 is such a window.
const SHORT: f32 = 640.0;
/// Share of the height of a page that a table below charts takes in a short window.
const TABLE_SHARE: f32 = 0.2;
/// Height of the answer in a low window while the bottom drawer is open, in points.
const ANSWER: f32 = 230.0;
/// Height of a closed drawer at the bottom, and width of one at the left, in points.
const HANDLE: f32 = 30.0;

/// Whether the window is so low that only the answer stays.
#[must_use]
pub fn is_low(ui: &Ui) -> bool {
    ui.ctx().content_rect().height() < LOW
}

/// Whether the window has room for one chart only.
#[must_use]
pub fn is_short(ui: &Ui) -> bool {
    ui.ctx().content_rect().height() < SHORT
}

/// The heights of a table below charts, least and usual: in a short window one chart stays legible above it.
#[must_use]
pub fn below_charts(ui: &Ui, [least, usual]: [f32; 2]) -> [f32; 2] {
    let most = if is_short(ui) { (TABLE_SHARE * ui.available_height()).max(least) } else { f32::INFINITY };
    [least, usual.min(most)]
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
            let panel = panel::show(ui, (Side::Left, name), 348.0, 240.0..=560.0, content);
            tour::mark(ui, tour::PARAMETERS, panel.response.rect);
        }
        return;
    }
    let mut is_open = is_open(ui, name);
    let strip = Panel::left(format!("{name}-handle")).exact_size(HANDLE).resizable(false).show(ui, |ui| {
        let (symbol, verb) = if is_open { ("▲", "Close") } else { ("▼", "Open") };
        if upright(ui, &format!("{symbol} {title}"), &format!("{verb} {hint}")) {
            is_open = !is_open;
            set_open(ui, name, is_open);
        }
    });
    tour::mark(ui, tour::PARAMETERS, strip.response.rect);
    if is_open {
        let width = (ui.available_width() - 120.0).clamp(240.0, 300.0);
        let panel = panel::show(ui, (Side::Left, name), width, 240.0..=520.0, content);
        tour::mark(ui, tour::PARAMETERS, panel.response.rect);
    }
}

/// Space at the bottom, reserved before the content above is drawn and filled after it: last in the tab order.
#[must_use = "the space stays empty until content is shown in it"]
pub struct Below {
    name: &'static str,
    area: Option<Area>,
    /// Of a drawer: where its handle is.
    handle: Option<Handle>,
}

/// A rectangle for content, and its visible part.
struct Area {
    rect: Rect,
    clip: Rect,
}

struct Handle {
    area: Area,
    title: String,
}

/// Reserves space at the bottom with a usual height. In a low window it is a drawer with this title.
pub fn below(ui: &mut Ui, name: &'static str, title: &str, [least, usual]: [f32; 2]) -> Below {
    let reserved = |ui: &mut Ui| {
        ui.take_available_space();
        Area { rect: ui.max_rect(), clip: ui.clip_rect() }
    };
    if !is_low(ui) {
        // A height that was set in a tall window would leave no room in a short one.
        let id = if is_short(ui) { format!("{name}-short") } else { name.to_owned() };
        let panel = panel::show(ui, (Side::Bottom, id.as_str()), usual, least..=1200.0, reserved);
        return Below { name, area: Some(panel.inner), handle: None };
    }
    let panel = Panel::bottom(format!("{name}-handle")).exact_size(HANDLE).resizable(false);
    let handle = Handle { area: panel.show(ui, reserved).inner, title: title.to_owned() };
    let area = is_open(ui, name).then(|| {
        // Leaves space for the answer.
        let height = (ui.available_height() - ANSWER).min(0.5 * ui.available_height()).max(60.0);
        let panel = Panel::bottom(format!("{name}-drawer")).exact_size(height).resizable(false);
        panel.show(ui, reserved).inner
    });
    Below { name, area, handle: Some(handle) }
}

impl Below {
    /// Draws the content, if it is open.
    pub fn show(self, ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
        let inside = |ui: &mut Ui, area: Area, part: &str| {
            // Content fades out into the panel at its edges.
            let panel = UiStackInfo::new(UiKind::BottomPanel).with_frame(Frame::side_top_panel(ui.style()));
            let mut child =
                ui.new_child(UiBuilder::new().id_salt((self.name, part)).max_rect(area.rect).ui_stack_info(panel));
            child.set_clip_rect(area.clip);
            child
        };
        if let Some(Handle { area, title }) = self.handle {
            let was_open = self.area.is_some();
            let (symbol, hint) = if was_open { ("▼", "Close the table") } else { ("▲", "Open the table") };
            tour::mark(ui, tour::TABLE, area.rect);
            if handle(&mut inside(ui, area, "handle"), &format!("{symbol} {title}"), hint) {
                set_open(ui, self.name, !was_open);
            }
        }
        if let Some(area) = self.area {
            tour::mark(ui, tour::TABLE, area.rect);
            content(&mut inside(ui, area, "content"));
        }
    }
}

fn is_open(ui: &Ui, name: &'static str) -> bool {
    Shared::read(ui.ctx()).open_drawers.contains(name)
}

fn set_open(ui: &Ui, name: &'static str, is_open: bool) {
    Shared::change(ui.ctx(), |shared| {
        if is_open {
            shared.open_drawers.insert(name);
        } else {
            shared.open_drawers.remove(name);
        }
    });
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
