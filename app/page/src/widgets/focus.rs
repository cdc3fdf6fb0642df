//! Keyboard focus: scrolled into view and framed.

use crossover_chart::theme::Token;
use egui::{Context, Event, Id, Key, Memory, Stroke, StrokeKind, Ui, vec2};

use crate::page_memory::Shared;

/// Margin kept visible above and below the focused widget, in points.
const AROUND: f32 = 28.0;

/// Scrolls to a newly focused widget. Call it first in the content of a scroll area.
pub fn follow(ui: &Ui) {
    let followed = Id::unique(("followed", ui.scope_id()));
    let focused = ui.memory(Memory::focused);
    let Some(response) = focused.and_then(|id| ui.ctx().read_response(id)) else { return };
    if ui.data(|data| data.get_temp(followed)) == focused {
        return;
    }
    ui.data_mut(|data| data.insert_temp(followed, response.id));
    // A widget outside the view has an empty clip; every other one lies in it.
    let seen = response.interact_rect;
    let is_here = response.layer_id == ui.layer_id()
        && ui.max_rect().x_range().contains(response.rect.center().x)
        && (!seen.is_positive() || ui.clip_rect().contains_rect(seen));
    if is_here && was_moved(ui.ctx()) {
        ui.scroll_to_rect(response.rect.expand2(vec2(0.0, AROUND)), None);
    }
}

/// Draws a frame around the widget focused by keys. Call it last.
pub fn show(ctx: &Context) {
    let (pressed, moved) = ctx.input(|input| {
        let is_move = |event: &Event| match event {
            Event::Key { key: Key::Tab, pressed, .. } => *pressed,
            Event::Key { key, pressed, modifiers, .. } => *pressed && is_arrow(*key) && !modifiers.any(),
            _ => false,
        };
        (input.pointer.any_pressed(), input.events.iter().any(is_move))
    });
    if pressed || moved {
        Shared::change(ctx, |shared| shared.focus_moved_by_keys = moved);
    }
    let focused = ctx.memory(Memory::focused).filter(|_| was_moved(ctx));
    let Some(response) = focused.and_then(|id| ctx.read_response(id)) else { return };
    if !response.interact_rect.is_positive() {
        return;
    }
    let painter = ctx.layer_painter(response.layer_id).with_clip_rect(response.interact_rect.expand(3.0));
    let color = Token::Accent.color(ctx.global_style().visuals.dark_mode);
    painter.rect_stroke(response.rect, 3.0, Stroke::new(2.0, color), StrokeKind::Outside);
}

fn is_arrow(key: Key) -> bool {
    matches!(key, Key::ArrowUp | Key::ArrowDown | Key::ArrowLeft | Key::ArrowRight)
}

/// Whether keys moved the focus last, not the pointer.
fn was_moved(ctx: &Context) -> bool {
    Shared::read(ctx).focus_moved_by_keys
}
