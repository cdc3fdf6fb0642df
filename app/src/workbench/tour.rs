//! The tour of a study: a sequence of cards, each beside the part of the page that it explains, or below the page.

use crossover_chart::theme::Token;
use crossover_page::document::Document;
use crossover_page::tour::{self, Step};
use crossover_scenario::Kind;
use egui::{
    Align, Area, AreaState, Button, Context, EventFilter, Frame, Id, Key, Label, LayerId, Layout, Modifiers, Order,
    Panel, Popup, Pos2, Rect, RichText, Stroke, StrokeKind, Theme, Ui, Vec2, pos2, vec2,
};

use super::Workbench;
use crate::kinds;

/// Width of the text of a card, in points.
const WIDTH: f32 = 320.0;
/// Size of a card before it is laid out, in points.
const USUAL: Vec2 = vec2(340.0, 130.0);
/// Between a card and the part that it is about, in points.
const GAP: f32 = 8.0;
/// Width of the frame around that part, in points.
const LINE: f32 = 3.0;

/// The card on screen.
pub(super) struct Tour {
    /// The document that it is about, by its id.
    document: String,
    /// Its place in the tour, from 0.
    place: usize,
    /// Whether it has not been seen yet.
    is_new: bool,
    at: CardPlace,
    /// Whether the part that it is about was on the screen in the last frame.
    is_in_sight: bool,
    /// Whether keys turn the cards: no widget of the page has them.
    has_keys: bool,
}

/// Where a card is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CardPlace {
    /// Beside the part that it is about.
    BesidePart,
    /// Below the page, as there is no room beside the part.
    BelowPage,
}

/// What a user does with a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Back,
    Next,
    Close,
}

impl Workbench {
    /// Begins the tour of the study in front, or of a study of this kind; opens its first example if none is open.
    pub(super) fn take_tour(&mut self, kind: Option<Kind>) {
        let is_wanted = |document: &&Document| kind.is_none_or(|kind| document.scenario.study.kind() == kind);
        let in_front = self.document_in_front().and_then(|id| self.document(id)).filter(is_wanted);
        let open = in_front.or_else(|| self.documents.iter().rfind(is_wanted)).map(|document| document.id.clone());
        let document = open.or_else(|| {
            let example = kinds::module(kind.unwrap_or(Kind::Placement)).examples().first()?;
            self.open_example(example.label, example.text)
        });
        let Some(document) = document else { return };
        if let Some(index) = self.documents.iter().position(|open| open.id == document) {
            self.show_tab(index);
        }
        self.settings.inspector_open = true;
        self.settings.has_taken_tour = true;
        let at = CardPlace::BesidePart;
        self.tour = Some(Tour { document, place: 0, is_new: true, at, is_in_sight: true, has_keys: true });
    }

    /// Turns the cards by arrow keys, and closes the tour by Escape. Before the page is drawn, whose keys these may be, too.
    pub(super) fn tour_keys(&mut self, ctx: &Context) {
        let is_covered = self.is_modal() || self.page.is_some() || Popup::is_any_open(ctx);
        if is_covered || self.tour.as_ref().is_none_or(|tour| !tour.has_keys) {
            return;
        }
        for (key, turn) in [(Key::ArrowLeft, Turn::Back), (Key::ArrowRight, Turn::Next), (Key::Escape, Turn::Close)] {
            if ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
                self.turn(turn);
            }
        }
    }

    /// Tells the page on screen which part the card is about. Another tab ends the tour.
    pub(super) fn aim_tour(&mut self, ctx: &Context) {
        let on_screen = self.documents.get_mut(self.active).zip(self.tour.as_ref());
        let part = on_screen.filter(|(open, tour)| open.id == tour.document).and_then(|(open, tour)| {
            if tour.is_new {
                open.view.show_for_tour();
            }
            open.view.tour().get(tour.place).map(|step| step.part)
        });
        if part.is_none() {
            self.tour = None;
        }
        tour::point_at(ctx, part);
    }

    /// Draws the card below the page, where there is no room beside the part that it is about: the page is above it.
    pub(super) fn tour_card_below_page(&mut self, ui: &mut Ui) {
        let tour = self.tour.as_mut().filter(|tour| tour.at == CardPlace::BelowPage);
        let Some((tour, document)) = tour.zip(self.documents.get(self.active)) else { return };
        let steps = document.view.tour();
        let Some(step) = steps.get(tour.place) else { return };
        let panel = Panel::bottom("tour").resizable(false).show(ui, |ui| {
            ui.add_space(4.0);
            let turn = ui.horizontal(|ui| {
                ui.strong(step.title);
                ui.weak(number(tour, steps.len()));
                buttons(ui, tour, steps.len())
            });
            text(ui, step, tour.is_in_sight);
            ui.add_space(4.0);
            turn.inner
        });
        tour.is_new = false;
        if let Some(turn) = panel.inner {
            self.turn(turn);
            ui.ctx().request_repaint();
        }
    }

    /// Draws the card beside the part that it is about, if there is room, and a frame around this part.
    pub(super) fn tour_card(&mut self, ctx: &Context) {
        if self.is_modal() {
            return;
        }
        let Some((tour, document)) = self.tour.as_mut().zip(self.documents.get(self.active)) else { return };
        let steps = document.view.tour();
        let Some(step) = steps.get(tour.place) else { return };
        let target = tour::target(ctx).map(|target| target.intersect(ctx.content_rect())).filter(Rect::is_positive);
        tour.is_in_sight = target.is_some();
        if let Some(target) = target {
            // Above the page, and below windows.
            let stroke = Stroke::new(LINE, Token::Accent.color(ctx.theme() == Theme::Dark));
            ctx.layer_painter(LayerId::background()).rect_stroke(target, 4.0, stroke, StrokeKind::Inside);
        }
        if tour.at == CardPlace::BesidePart
            && let Some(turn) = card(ctx, tour, step, steps.len(), target)
        {
            self.turn(turn);
            ctx.request_repaint();
        }
    }

    fn turn(&mut self, turn: Turn) {
        let Some(tour) = &mut self.tour else { return };
        let last = self.documents.get(self.active).map_or(0, |document| document.view.tour().len().saturating_sub(1));
        let place = match turn {
            Turn::Back => tour.place.saturating_sub(1),
            Turn::Next => (tour.place + 1).min(last),
            Turn::Close => {
                self.tour = None;
                return;
            }
        };
        if place != tour.place {
            tour.place = place;
            (tour.is_new, tour.at, tour.is_in_sight) = (true, CardPlace::BesidePart, true);
        }
    }
}

/// Draws a card beside a part of the page, or in the middle if the part is not on screen; returns the action of the user. If there is no
/// room beside the part, the card is below the page from the next frame on.
fn card(ctx: &Context, tour: &mut Tour, step: &Step, count: usize, target: Option<Rect>) -> Option<Turn> {
    let id = Id::unique("tour");
    let screen = ctx.content_rect();
    let size = AreaState::load(ctx, id).map(|state| state.rect().size()).filter(|size| size.min_elem() > 0.0);
    let size = size.unwrap_or(USUAL);
    let at = target.map_or(Some(screen.center() - 0.5 * size), |target| beside(target, size, screen));
    let Some(at) = at else {
        tour.at = CardPlace::BelowPage;
        // The page becomes lower, so the part is scrolled into view once more.
        tour::point_at(ctx, None);
        ctx.request_repaint();
        return None;
    };
    let area = Area::new(id).order(Order::Middle).fixed_pos(at).fade_in(false).accessible_name("Tour");
    let shown = area.show(ctx, |ui| {
        let frame = Frame::window(ui.style()).show(ui, |ui| {
            ui.set_width(WIDTH);
            ui.horizontal(|ui| {
                ui.strong(step.title);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.weak(number(tour, count)));
            });
            text(ui, step, target.is_some());
            ui.add_space(4.0);
            ui.horizontal(|ui| buttons(ui, tour, count)).inner
        });
        // Before its size is known, the card is laid out without being seen.
        tour.is_new &= ui.is_sizing_pass();
        frame.inner
    });
    if shown.response.rect.size() != size {
        // A card of another height may be over its part.
        ctx.request_repaint();
    }
    shown.inner
}

/// "Step 2 of 5".
fn number(tour: &Tour, count: usize) -> String {
    format!("Step {} of {count}", tour.place + 1)
}

/// Draws what the card says.
fn text(ui: &mut Ui, step: &Step, is_in_sight: bool) {
    ui.add(Label::new(step.text).wrap());
    if !is_in_sight {
        ui.add(Label::new(RichText::new("This part is not on the screen now.").weak()).wrap());
    }
}

/// Draws the buttons; the one that leads on has the keyboard when the card is new.
fn buttons(ui: &mut Ui, tour: &mut Tour, count: usize) -> Option<Turn> {
    let (is_first, is_last) = (tour.place == 0, tour.place + 1 >= count);
    let back = ui.add_enabled(!is_first, Button::new("Back"));
    let next = ui.add_enabled(!is_last, Button::new("Next"));
    let close = ui.button("Close");
    if tour.is_new {
        let leads_on = if is_last { &close } else { &next };
        leads_on.request_focus();
    }
    // Arrows turn the cards, Escape closes them.
    let filter = EventFilter { horizontal_arrows: true, escape: true, ..EventFilter::default() };
    let all = [(back, Turn::Back), (next, Turn::Next), (close, Turn::Close)];
    ui.memory_mut(|memory| {
        let focused = memory.focused();
        tour.has_keys = focused.is_none_or(|focused| all.iter().any(|(button, _)| button.id == focused));
        for (button, _) in &all {
            memory.set_focus_lock_filter(button.id, filter);
        }
    });
    all.into_iter().find(|(button, _)| button.clicked()).map(|(_, turn)| turn)
}

/// Position of a card: below, above, right or left of the part; `None` if it would cover the part everywhere.
fn beside(part: Rect, card: Vec2, screen: Rect) -> Option<Pos2> {
    let free = screen.shrink(GAP);
    let x = part.left().clamp(free.left(), (free.right() - card.x).max(free.left()));
    let y = part.top().clamp(free.top(), (free.bottom() - card.y).max(free.top()));
    let places = [
        pos2(x, part.bottom() + GAP),
        pos2(x, part.top() - GAP - card.y),
        pos2(part.right() + GAP, y),
        pos2(part.left() - GAP - card.x, y),
    ];
    places.into_iter().find(|place| free.contains_rect(Rect::from_min_size(*place, card)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Rect = Rect { min: Pos2::ZERO, max: pos2(1000.0, 600.0) };
    const CARD: Vec2 = vec2(300.0, 100.0);

    /// The place of a card beside a part with these edges: left, top, right, bottom.
    fn place([left, top, right, bottom]: [f32; 4]) -> Option<Rect> {
        let part = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
        beside(part, CARD, SCREEN).map(|at| Rect::from_min_size(at, CARD))
    }

    #[test]
    fn a_card_is_beside_its_part_where_there_is_room() {
        let parts = [
            [0.0, 0.0, 1000.0, 100.0],
            [0.0, 400.0, 1000.0, 600.0],
            [0.0, 0.0, 300.0, 600.0],
            [700.0, 0.0, 1000.0, 600.0],
            [900.0, 20.0, 990.0, 50.0],
        ];
        for part in parts {
            let card = place(part).expect("room");
            let [left, top, right, bottom] = part;
            assert!(SCREEN.contains_rect(card), "{part:?}: {card:?}");
            assert!(
                card.right() <= left || card.left() >= right || card.bottom() <= top || card.top() >= bottom,
                "{part:?}: {card:?}"
            );
        }
    }

    /// 100 points of a card, 8 to its part and 8 to the edge of the window: 116 are enough, and 115 are not.
    #[test]
    fn a_card_without_room_beside_its_part_has_no_place_there() {
        assert_eq!(place([0.0, 0.0, 1000.0, 600.0]), None);
        assert_eq!(place([0.0, 0.0, 1000.0, 485.0]), None);
        assert!(place([0.0, 0.0, 1000.0, 484.0]).is_some());
    }
}
