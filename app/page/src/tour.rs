//! Tours: cards in an order that point at the parts of a page. A page has its cards as data, and marks its parts where it
//! draws them.

use egui::style::ScrollAnimation;
use egui::{Align, Context, Rect, Ui};

use crate::page_memory::{Pointed, Shared};

/// A part of a page, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part(pub &'static str);

/// The strip on top, with the answer.
pub const STRIP: Part = Part("strip");
/// The panel on the left, or its handle in a narrow window.
pub const PARAMETERS: Part = Part("parameters");
/// The table below, or its handle in a low window.
pub const TABLE: Part = Part("table");

/// A card of a tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What it points at.
    pub part: Part,
    /// The name of the part.
    pub title: &'static str,
    /// What the part shows, and what to try.
    pub text: &'static str,
}

/// The card about the parameters of a study, which are at the same place on every page.
pub const OF_PARAMETERS: Step = Step {
    part: PARAMETERS,
    title: "Parameters",
    text: "Every number of the study, with its unit. Type another value, such as 5 ms, and the answer follows. Edit → Undo \
           takes it back.",
};

/// Points at a part from this frame on, until another one is given; none: at nothing. The part is scrolled into view once.
/// Call it in every frame, before the page is drawn.
pub fn point_at(ctx: &Context, part: Option<Part>) {
    Shared::change(ctx, |shared| {
        let before = shared.pointed.take();
        shared.pointed = part.map(|Part(part)| {
            let is_sought = before.is_none_or(|before| before.part != part || before.is_sought);
            Pointed { part, rect: None, is_sought }
        });
    });
}

/// Whether this part is pointed at and was not drawn since.
#[must_use]
pub fn is_sought(ctx: &Context, part: Part) -> bool {
    Shared::read(ctx).pointed.is_some_and(|pointed| pointed.part == part.0 && pointed.is_sought)
}

/// Where the part is that is pointed at; `None` if it is not on the screen.
#[must_use]
pub fn target(ctx: &Context) -> Option<Rect> {
    Shared::read(ctx).pointed?.rect
}

/// Says that a part of the page is at a place.
pub fn mark(ui: &Ui, part: Part, rect: Rect) {
    let view = ui.clip_rect();
    let mut is_sought = false;
    Shared::change(ui.ctx(), |shared| {
        if let Some(pointed) = shared.pointed.as_mut().filter(|pointed| pointed.part == part.0) {
            pointed.rect = Some(rect.intersect(view)).filter(Rect::is_positive);
            is_sought = std::mem::take(&mut pointed.is_sought);
        }
    });
    if is_sought && !view.contains_rect(rect) {
        ui.scroll_to_rect_animation(rect, Some(Align::Min), ScrollAnimation::none());
        ui.ctx().request_repaint();
    }
}

/// Draws a part of a page, whose widgets are below each other, and marks it.
pub fn part<T>(ui: &mut Ui, part: Part, content: impl FnOnce(&mut Ui) -> T) -> T {
    let top = ui.cursor().top();
    let drawn = content(ui);
    let bottom = ui.cursor().top() - ui.spacing().item_spacing.y;
    if bottom > top {
        mark(ui, part, Rect::from_x_y_ranges(ui.max_rect().x_range(), top..=bottom));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use egui::{ScrollArea, pos2, vec2};
    use egui_kittest::Harness;

    use super::*;

    const FIRST: Part = Part("first");
    const LAST: Part = Part("last");

    /// A page of two parts, of which the last is below the window; `pointed` is pointed at.
    fn page(pointed: Option<Part>) -> Harness<'static> {
        let mut page = Harness::builder().with_size([300.0, 200.0]).build_ui(move |ui| {
            point_at(ui.ctx(), pointed);
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                part(ui, FIRST, |ui| ui.allocate_space(vec2(100.0, 50.0)));
                ui.add_space(1000.0);
                part(ui, LAST, |ui| ui.allocate_space(vec2(100.0, 60.0)));
            });
        });
        page.run_steps(4);
        page
    }

    #[test]
    fn a_part_is_found_where_it_is_drawn() {
        let at = target(&page(Some(FIRST)).ctx).expect("it is on the screen");
        assert!((at.height() - 50.0).abs() < 0.5, "{at:?}");
        assert!(Rect::from_min_max(pos2(0.0, 0.0), pos2(300.0, 200.0)).contains_rect(at), "{at:?}");
    }

    #[test]
    fn a_part_outside_of_the_view_is_scrolled_to() {
        let at = target(&page(Some(LAST)).ctx).expect("it was scrolled to");
        assert!((at.height() - 60.0).abs() < 0.5, "all of it is in view: {at:?}");
    }

    #[test]
    fn nothing_is_found_where_nothing_is_pointed_at_or_the_page_lacks_the_part() {
        assert_eq!(target(&page(None).ctx), None);
        assert_eq!(target(&page(Some(TABLE)).ctx), None);
    }
}
