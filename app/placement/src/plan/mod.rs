//! The plan of a query: which side for every operator?

pub(super) mod along;
mod board;
mod details;
mod find;
mod fold;
mod nodes;
pub(super) mod run;
mod summary;
mod text;
mod totals;
mod verdict;

use crossover_chart::plan::{ESTIMATE_MARK, NETWORK_MARK, bus_mark};
use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_page::tour::mark;
use crossover_page::widgets::{drawer, focus, panel, warning};
use crossover_page::{export_menu, headline};
use crossover_placement::{Placement, Side, Term};
use crossover_scenario::views::{CameraView, PageView};
use egui::{Label, Popup, PopupCloseBehavior, Rect, RichText, Sense, Ui, UiBuilder, vec2};

use super::{Env, Mode, Modes, View, mode_switch, tour};
pub use board::{Counts, PlanBoard};
pub(super) use nodes::show as table;
pub(super) use summary::figures;

/// Narrower than this there is no room beside the tree, in points.
const NARROW: f32 = 780.0;

/// The view of a plan.
#[derive(Default)]
pub struct State {
    /// Camera, and how many boxes are drawn.
    pub view: screen::plan::PlanView,
    /// Id of the selected node.
    pub selected: Option<usize>,
    /// Where the tree is on the screen.
    canvas: Option<Rect>,
    /// The operator with an open choice of its side.
    choosing: Option<Choosing>,
    /// Whether cheap operators are folded, once the user chose.
    folds: Option<bool>,
    find: find::State,
    /// The times of the plan along one number.
    pub(super) along: along::State,
    table: nodes::Table,
}

/// An operator with an open choice of its side.
struct Choosing {
    node: usize,
    /// Its box on the screen.
    rect: Rect,
    /// Whether the choices have not been shown yet.
    is_new: bool,
}

impl State {
    /// Whether the order of the table is computed on another thread.
    pub(super) fn is_busy(&self) -> bool {
        self.table.is_busy()
    }

    /// The picked node, the order of the table, and the part of the tree on screen, for a link.
    pub(super) fn shown(&self) -> PageView {
        let camera = self.view.camera.placed().map(|[scale, x, y]| CameraView { scale, x, y });
        PageView { selected: self.selected, sorted: self.table.shown(), camera, ..PageView::default() }
    }

    /// Shows what another window showed.
    pub(super) fn show_again(&mut self, shown: &PageView) {
        self.selected = shown.selected;
        self.table.show_again(shown.sorted.as_ref());
        if let Some(CameraView { scale, x, y }) = shown.camera {
            self.view.camera.place([scale, x, y]);
        }
    }

    /// Picks a node and brings its box on the screen.
    fn pick(&mut self, node: usize) {
        self.selected = Some(node);
        self.view.reveals = true;
    }

    /// Whether cheap operators are folded: in large plans, unless the user chose otherwise.
    fn is_folded(&self, plan: &PlanBoard) -> bool {
        plan.can_fold() && self.folds.unwrap_or_else(|| plan.is_large())
    }
}

/// Draws the plan with the details of the selected operator, or the totals; `other_pair`: what the decision recommends, if the page
/// does not compare it.
pub(super) fn show(
    ui: &mut Ui,
    view: &mut View,
    plan: &PlanBoard,
    study: &mut Placement,
    other_pair: Option<&str>,
    env: &mut Env<'_>,
) {
    let state = &mut view.plan;
    state.selected = state.selected.filter(|node| plan.place(*node).is_some());
    let is_narrow = ui.available_width() < NARROW;
    let mut side = |ui: &mut Ui, state: &mut State, study: &mut Placement| {
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            focus::follow(ui);
            match state.selected {
                Some(node) => details::show(ui, plan, node, state, study),
                None => totals::show(ui, plan, state, study, env),
            }
        });
    };
    // The tree comes first where there is little height.
    if is_narrow && (state.selected.is_some() || !drawer::is_low(ui)) {
        let height = (ui.available_height() * 0.3).clamp(60.0, 150.0);
        let place = (panel::Side::Bottom, "plan details below");
        let panel = panel::show(ui, place, height, 60.0..=400.0, |ui| side(ui, state, study));
        mark(ui, tour::DETAILS, panel.response.rect);
    } else if !is_narrow {
        let place = (panel::Side::Right, "plan details");
        let panel = panel::show(ui, place, 310.0, 250.0..=620.0, |ui| side(ui, state, study));
        mark(ui, tour::DETAILS, panel.response.rect);
    }
    // Nothing of the tree goes under the panel beside it, even where a text is wider than what is left.
    let mut area = ui.available_rect_before_wrap();
    if !is_narrow {
        area.max.x -= ui.spacing().item_spacing.x;
    }
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        ui.shrink_clip_rect(area);
        heading(ui, plan, &mut view.mode, other_pair, env);
        toolbar(ui, plan, state);
        let canvas = area.with_min_y(ui.cursor().top().min(area.bottom()));
        mark(ui, tour::TREE, canvas);
        tree(ui, canvas, plan, state, study);
    });
}

fn heading(ui: &mut Ui, plan: &PlanBoard, mode: &mut Option<Mode>, other_pair: Option<&str>, env: &mut Env<'_>) {
    let chart = plan.chart();
    ui.horizontal_wrapped(|ui| {
        mode_switch(ui, mode, Mode::Plan, Modes::of(plan));
        ui.heading(&chart.title);
        export_menu::show(ui, env, 0, true);
    });
    if plan.workload().is_some() {
        ui.add(Label::new(&chart.answer).wrap());
    } else {
        // One line: the strip above has the same figures.
        ui.add(Label::new(&chart.answer).truncate());
    }
    decision_link(ui, plan, mode, other_pair);
    query_warnings(ui, plan);
}

/// The warnings about a query with an answer; without an answer, the strip has them.
pub(super) fn query_warnings(ui: &mut Ui, plan: &PlanBoard) {
    if plan.workload().is_some() {
        headline::warnings(ui, &plan.whole().warnings);
    }
}

/// Says what the decision recommends, if the page does not compare it, and leads there.
fn decision_link(ui: &mut Ui, plan: &PlanBoard, mode: &mut Option<Mode>, other_pair: Option<&str>) {
    if let Some(text) = other_pair {
        warning::show(ui, text);
    }
    if plan.workload().is_some() && ui.link("The decision is on the page Answer").clicked() {
        *mode = Some(Mode::Answer);
    }
}

/// The controls of the tree, and the keys of its colours and signs.
fn toolbar(ui: &mut Ui, plan: &PlanBoard, state: &mut State) {
    let chart = &plan.drawing(state.is_folded(plan)).chart;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        let canvas = state.canvas.unwrap_or(Rect::NOTHING);
        for (symbol, name, is_closer) in [("−", "Zoom out of the plan", false), ("+", "Zoom into the plan", true)] {
            let button = ui.button(symbol).on_hover_text(name);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
            if button.clicked() {
                screen::plan::zoom(chart, &mut state.view, canvas, is_closer);
            }
        }
        if ui.button("Fit").on_hover_text("Show the whole plan; or double-click its background").clicked() {
            state.view.camera.fit();
        }
        if plan.can_fold() {
            let mut is_folded = state.is_folded(plan);
            let meaning = "Draw neighbours that take less than 1 % of the time each as one box";
            if ui.toggle_value(&mut is_folded, "Fold cheap").on_hover_text(meaning).clicked() {
                state.folds = Some(is_folded);
                state.view.reveals = state.selected.is_some();
            }
        }
        if let Some(node) = find::show(ui, plan, &mut state.find) {
            state.pick(node);
        }
        let is_low = drawer::is_low(ui);
        ui.add_space(5.0);
        let bus = |side: Side, name: &str| Key {
            swatch: Some((bus_token(side), Swatch::Square)),
            text: format!("{} {name}", bus_mark(super::side::processor(side))),
            meaning: "Data moves between CPU and GPU, and the time for it",
        };
        key(ui, Key { swatch: Some((Token::Cpu, Swatch::Hollow)), text: "CPU".into(), meaning: "Runs on the CPU" });
        key(ui, Key { swatch: Some((Token::Gpu, Swatch::Square)), text: "GPU".into(), meaning: "Runs on the GPU" });
        if is_low {
            return;
        }
        key(ui, bus(Side::Gpu, "to GPU"));
        key(ui, bus(Side::Cpu, "to CPU"));
        key(
            ui,
            Key {
                swatch: Some((chart.network, Swatch::Square)),
                text: format!("{NETWORK_MARK} network"),
                meaning: "Rows move between machines",
            },
        );
        for mark in &plan.counts().marks {
            let text = format!("{} {}", mark.symbol(), mark.short_label());
            key(ui, Key { swatch: None, text, meaning: mark.label() });
        }
        let meaning = "Estimated by a stated rule, not measured";
        key(ui, Key { swatch: None, text: format!("{ESTIMATE_MARK} estimate"), meaning });
    });
}

/// The meaning of a colour or a sign.
struct Key {
    swatch: Option<(Token, Swatch)>,
    text: String,
    meaning: &'static str,
}

/// A key in one piece, so that a line never breaks between a colour and its name.
fn key(ui: &mut Ui, Key { swatch, text, meaning }: Key) {
    const SWATCH: f32 = 11.0;
    let font = egui::TextStyle::Body.resolve(ui.style());
    let galley = ui.painter().layout_no_wrap(text.clone(), font, ui.visuals().weak_text_color());
    let before = if swatch.is_some() { SWATCH + 4.0 } else { 0.0 };
    let size = vec2(before + galley.size().x + 3.0, galley.size().y);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text.clone()));
    if let Some((token, kind)) = swatch {
        let place = Rect::from_min_size(rect.left_center() - vec2(0.0, 6.0), vec2(SWATCH, 12.0));
        screen::paint(ui, place, token.color(ui.visuals().dark_mode), kind);
    }
    let color = ui.visuals().weak_text_color();
    ui.painter().galley(rect.min + vec2(before, 0.0), galley, color);
    response.on_hover_text(meaning);
}

/// Colour of data over the bus to a side.
fn bus_token(to: Side) -> Token {
    super::bars::term_token(if to == Side::Gpu { Term::BusIn } else { Term::BusOut })
}

fn tree(ui: &mut Ui, canvas: Rect, plan: &PlanBoard, state: &mut State, study: &mut Placement) {
    state.canvas = Some(canvas);
    let drawing = plan.drawing(state.is_folded(plan));
    let selected = state.selected.and_then(|node| plan.place(node)).map(|place| drawing.box_of(place));
    state.view.selected = selected;
    let done = screen::plan::show(ui, canvas, &drawing.chart, &mut state.view);
    // A box of several operators stays picked with the one of them that was picked.
    if state.view.selected != selected {
        state.selected = state.view.selected.map(|place| drawing.chart.boxes[place].node);
    }
    if let Some((place, rect)) = done.menu_requested {
        let pressed = &drawing.chart.boxes[place];
        if pressed.operator_count > 1 {
            state.folds = Some(false);
            state.pick(pressed.node);
            state.view.takes_focus = true;
        } else {
            state.choosing = Some(Choosing { node: pressed.node, rect, is_new: true });
        }
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
    if let Some(choice) = chosen.and_then(|popup| popup.inner) {
        study.pin_node(*node, choice.pin());
        is_open = false;
    }
    if !is_open {
        state.choosing = None;
        state.view.takes_focus = true;
    }
}

/// How the side of an operator is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The side on which the whole plan takes the least time.
    ByCost,
    /// Pinned to this side.
    Pinned(Side),
}

impl Choice {
    /// The pin of this choice.
    fn pin(self) -> Option<Side> {
        match self {
            Self::ByCost => None,
            Self::Pinned(side) => Some(side),
        }
    }
}

/// The choice for an operator.
fn pin(study: &Placement, node: usize) -> Choice {
    let pinned = study.query.as_ref().and_then(|query| query.pins.get(&node).copied());
    pinned.map_or(Choice::ByCost, Choice::Pinned)
}

/// The buttons for an operator's side; returns the choice. `takes_focus`: the first button gets the focus.
fn pin_choice(ui: &mut Ui, now: Choice, takes_focus: bool) -> Option<Choice> {
    let mut chosen = None;
    let choices = [
        (Choice::ByCost, "by cost", "The side on which the whole plan takes the least time"),
        (Choice::Pinned(Side::Cpu), "on CPU", "Pin to the CPU; the totals show the time that this costs"),
        (Choice::Pinned(Side::Gpu), "on GPU", "Pin to the GPU; the totals show the time that this costs"),
    ];
    for (choice, label, meaning) in choices {
        let button = ui.radio(now == choice, label).on_hover_text(meaning);
        if takes_focus && now == choice {
            button.request_focus();
        }
        if button.clicked() {
            chosen = Some(choice);
        }
    }
    chosen
}
