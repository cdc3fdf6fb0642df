//! The plan of a query: which side for every operator?

mod board;
mod details;
mod nodes;
mod summary;
mod text;
mod totals;

use crossover_model::placement::{Placement, Side, Term};
use egui::{Panel, Popup, PopupCloseBehavior, Rect, RichText, Ui};

use super::{Env, Mode, View, mode_switch};
use crate::chart::plan::{BUS_MARK, ESTIMATE_MARK, Mark, NETWORK_MARK};
use crate::chart::screen::{self, Swatch};
use crate::studies::export_menu;
use crate::theme::Token;
pub use board::PlanBoard;
pub(super) use nodes::show as table;
pub(super) use summary::strip;

/// Narrower than this there is no room beside the tree, in points.
const NARROW: f32 = 780.0;

/// How a plan is looked at.
#[derive(Default)]
pub struct State {
    /// Camera, and how many boxes are drawn.
    pub look: screen::plan::Look,
    /// Id of the node that the user picked.
    pub selected: Option<usize>,
    /// Where the tree is on the screen.
    canvas: Option<Rect>,
    /// The operator whose side the user is choosing.
    choosing: Option<Choosing>,
    table: nodes::Table,
}

/// An operator whose side the user is choosing.
struct Choosing {
    node: usize,
    /// Its box on the screen.
    rect: Rect,
    /// Whether the choices have not been shown yet.
    is_new: bool,
}

impl State {
    /// Picks a node and brings its box on the screen.
    fn pick(&mut self, node: usize) {
        self.selected = Some(node);
        self.look.reveals = true;
    }
}

/// Draws the plan with what is known of the picked operator, or of all.
pub(super) fn show(ui: &mut Ui, view: &mut View, study: &mut Placement, env: &mut Env<'_>) {
    let Some(plan) = view.board.plan() else { return };
    let state = &mut view.plan;
    state.selected = state.selected.filter(|node| plan.place(*node).is_some());
    let is_narrow = ui.available_width() < NARROW;
    let mut side = |ui: &mut Ui, state: &mut State, study: &mut Placement| {
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match state.selected {
            Some(node) => details::show(ui, plan, node, state, study),
            None => totals::show(ui, plan, study, env),
        });
    };
    if is_narrow {
        Panel::bottom("plan details below").resizable(true).default_size(150.0).size_range(60.0..=400.0).show(
            ui,
            |ui| {
                side(ui, state, study);
            },
        );
    } else {
        Panel::right("plan details").resizable(true).default_size(310.0).size_range(250.0..=620.0).show(ui, |ui| {
            side(ui, state, study);
        });
    }
    heading(ui, plan, &mut view.mode, env);
    toolbar(ui, plan, state);
    tree(ui, plan, state, study);
}

fn heading(ui: &mut Ui, plan: &PlanBoard, mode: &mut Option<Mode>, env: &mut Env<'_>) {
    let chart = plan.chart();
    ui.horizontal_wrapped(|ui| {
        mode_switch(ui, mode, Mode::Plan);
        ui.heading(&chart.title);
        export_menu::show(ui, env, 0..1, true);
    });
    ui.label(&chart.answer);
}

/// What moves the tree, and the keys of its colours and signs.
fn toolbar(ui: &mut Ui, plan: &PlanBoard, state: &mut State) {
    let chart = plan.chart();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        let canvas = state.canvas.unwrap_or(Rect::NOTHING);
        for (symbol, name, is_closer) in [("−", "Zoom out of the plan", false), ("+", "Zoom into the plan", true)] {
            let button = ui.button(symbol).on_hover_text(name);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
            if button.clicked() {
                screen::plan::zoom(chart, &mut state.look, canvas, is_closer);
            }
        }
        if ui.button("Fit").on_hover_text("Show the whole plan; or double-click its background").clicked() {
            state.look.camera.fit();
        }
        ui.add_space(5.0);
        let [to_gpu, back] = [Term::BusIn, Term::BusOut].map(super::bars::term_token);
        let keys = [
            (Token::Cpu, Swatch::Hollow, "CPU".to_owned()),
            (Token::Gpu, Swatch::Square, "GPU".to_owned()),
            (to_gpu, Swatch::Line, format!("{BUS_MARK} to GPU")),
            (back, Swatch::Line, format!("{BUS_MARK} back")),
            (chart.network, Swatch::Square, format!("{NETWORK_MARK} network")),
        ];
        let marks = Mark::ALL.into_iter().filter(|mark| chart.boxes.iter().any(|item| item.mark == Some(*mark)));
        let marks = marks.map(|mark| format!("{} {}", mark.symbol(), mark.label()));
        for (token, swatch, name) in keys {
            screen::swatch(ui, token, swatch);
            ui.add(egui::Label::new(RichText::new(name).weak()).extend());
            ui.add_space(2.0);
        }
        for mark in marks.chain([format!("{ESTIMATE_MARK} estimated")]) {
            ui.add(egui::Label::new(RichText::new(mark).weak()).extend());
            ui.add_space(4.0);
        }
    });
}

fn tree(ui: &mut Ui, plan: &PlanBoard, state: &mut State, study: &mut Placement) {
    state.canvas = Some(ui.available_rect_before_wrap());
    state.look.selected = state.selected.and_then(|node| plan.place(node));
    let done = screen::plan::show(ui, plan.chart(), &mut state.look);
    let node = |place: usize| plan.chart().boxes[place].node;
    state.selected = state.look.selected.map(node);
    if let Some((place, rect)) = done.asked {
        state.choosing = Some(Choosing { node: node(place), rect, is_new: true });
    }
    let Some(Choosing { node, rect, is_new }) = &mut state.choosing else { return };
    let mut is_open = true;
    let popup = Popup::new(ui.scope_id().with("choose a side"), ui.ctx().clone(), *rect, ui.layer_id())
        .open_bool(&mut is_open)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .accessible_name("Side of the operator");
    let chosen = popup.show(|ui| {
        ui.label(RichText::new("Run this operator").weak());
        pin_choice(ui, pin(study, *node), std::mem::take(is_new))
    });
    if let Some(pin) = chosen.and_then(|popup| popup.inner) {
        set_pin(study, *node, pin);
        is_open = false;
    }
    if !is_open {
        state.choosing = None;
        state.look.takes_focus = true;
    }
}

/// The side that the user insists on.
fn pin(study: &Placement, node: usize) -> Option<Side> {
    study.query.as_ref().and_then(|query| query.pins.get(&node).copied())
}

fn set_pin(study: &mut Placement, node: usize, pin: Option<Side>) {
    if let Some(query) = &mut study.query {
        match pin {
            Some(side) => drop(query.pins.insert(node, side)),
            None => drop(query.pins.remove(&node)),
        }
    }
}

/// Where an operator is to run; what the user chose. `takes_focus`: the keyboard goes on from here.
fn pin_choice(ui: &mut Ui, pin: Option<Side>, takes_focus: bool) -> Option<Option<Side>> {
    let mut chosen = None;
    let choices = [
        (None, "by cost", "Wherever the whole plan takes least time"),
        (Some(Side::Cpu), "on CPU", "Pin to the CPU, and see what that costs"),
        (Some(Side::Gpu), "on GPU", "Pin to the GPU, and see what that costs"),
    ];
    for (choice, label, meaning) in choices {
        let button = ui.radio(pin == choice, label).on_hover_text(meaning);
        if takes_focus && pin == choice {
            button.request_focus();
        }
        if button.clicked() {
            chosen = Some(choice);
        }
    }
    chosen
}
