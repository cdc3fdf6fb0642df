//! In the window: the limit of GPU machines with the applications that save most within it, and the button that saves the report.

use crossover_page::ask::Ask as _;
use crossover_page::command::Command;
use egui::{DragValue, Label, Ui};

use super::Request;
use super::arranging::Shown;
use super::opening::Fleet;

/// Machines of a limit that is switched on.
const FIRST: u32 = 8;
/// Largest limit.
const MOST: u32 = 100_000;
/// Tooltip of the limit.
const HINT: &str = "Choose the applications that save most with a limited number of GPU machines at a time";

/// The button that saves the report, and the limit of GPU machines, from right to left.
pub(super) fn controls(ui: &mut Ui, fleet: &Fleet, machines: &mut Option<u32>, commands: &mut Vec<Command>) {
    let save = Request::SaveReport(fleet.folder.clone(), *machines, fleet.inputs);
    if ui.button(save.text()).on_hover_text(save.tooltip()).clicked() {
        commands.push(Command::ask(save));
    }
    let drag = machines.as_mut().map(|count| ui.add(DragValue::new(count).range(0..=MOST).suffix(" at a time")));
    let mut is_limited = machines.is_some();
    let limit = ui.checkbox(&mut is_limited, "Limit GPU machines").on_hover_text(HINT);
    if limit.changed() {
        *machines = is_limited.then_some(FIRST);
    }
    if let Some(drag) = drag {
        drag.labelled_by(limit.id);
    }
}

/// The choice within the limit in words; nothing without a limit.
pub(super) fn chosen(ui: &mut Ui, shown: Option<&Shown>) {
    let sentences = shown.map(|shown| shown.portfolio.join(" ")).unwrap_or_default();
    if !sentences.is_empty() {
        ui.add(Label::new(sentences).wrap());
    }
}
