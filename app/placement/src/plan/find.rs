//! Finds an operator of a plan by its name, its table or its kind.

use crossover_page::shortcut;
use crossover_quantity::shared::Shared;
use crossover_query::Plan;
use egui::text::{CCursor, CCursorRange};
use egui::{Key, KeyboardShortcut, Modifiers, RichText, TextEdit, Ui};

use super::PlanBoard;

/// The shortcut that focuses the field.
const SHORTCUT: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::F);
/// Width of the field, in points.
const WIDTH: f32 = 130.0;

/// The search text and the operator shown.
#[derive(Debug, Default)]
pub(super) struct State {
    text: String,
    /// Position of the shown operator among those found.
    at: usize,
    /// The plan that was searched.
    plan: Option<Shared<Plan>>,
    /// The text that was searched, in lower case.
    by: String,
    /// Nodes that were found, in the order of the plan.
    found: Vec<usize>,
}

impl State {
    /// Searches again if the text or the plan has changed.
    fn refresh(&mut self, plan: &PlanBoard) {
        let by = self.text.trim().to_lowercase();
        if by == self.by && self.plan.as_ref().is_some_and(|known| known.is_same(plan.plan())) {
            return;
        }
        self.at = 0;
        self.found = if by.is_empty() { Vec::new() } else { found(plan, &by) };
        (self.plan, self.by) = (Some(plan.plan().clone()), by);
    }
}

/// Nodes of operators that contain a text in lower case: first by name, kind, table or keys, then by the engine's
/// description; each in the order of the plan.
fn found(plan: &PlanBoard, text: &str) -> Vec<usize> {
    let holds = |whole: &str| whole.to_lowercase().contains(text);
    let mut nodes: Vec<usize> = plan.whole().operators.iter().map(|decided| decided.node).collect();
    nodes.sort_unstable();
    let node = |id: &usize| &plan.plan().nodes[*id];
    let is_called = |id: &usize| holds(&node(id).title()) || holds(node(id).kind.label());
    let (mut found, others): (Vec<usize>, Vec<usize>) = nodes.into_iter().partition(is_called);
    found.extend(others.into_iter().filter(|id| holds(&node(id).detail)));
    found
}

/// Draws the field; returns the operator to show, if the user chose one.
pub(super) fn show(ui: &mut Ui, plan: &PlanBoard, state: &mut State) -> Option<usize> {
    let wants_focus = ui.input_mut(|input| input.consume_shortcut(&SHORTCUT));
    let field = TextEdit::singleline(&mut state.text).desired_width(WIDTH).hint_text("Find an operator");
    let mut field = field.show(ui);
    if wants_focus {
        // The next key replaces the previous text.
        let all = CCursorRange::two(CCursor::new(0), CCursor::new(state.text.chars().count()));
        field.state.cursor.set_char_range(Some(all));
        field.state.store(ui.ctx(), field.response.id);
        field.response.request_focus();
    }
    let keys = shortcut::label(ui.ctx(), SHORTCUT);
    let hint = format!("By name, table or kind; Enter shows the next one ({keys})");
    let field = field.response.response.on_hover_text(hint);
    field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SearchInput, true, "Find an operator"));
    let before = state.by.clone();
    state.refresh(plan);
    let is_new = before != state.by;
    let wants_next = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    if wants_next {
        field.request_focus();
        state.at = if state.found.is_empty() { 0 } else { (state.at + 1) % state.found.len() };
    }
    if !state.by.is_empty() {
        let count = match state.found.len() {
            0 => "none".to_owned(),
            count => format!("{} of {count}", state.at + 1),
        };
        ui.label(RichText::new(count).weak());
    }
    (is_new || wants_next).then(|| state.found.get(state.at).copied()).flatten()
}
