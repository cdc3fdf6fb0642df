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

/// The limit of GPU machines, what it leaves out, and the button that saves the report.
pub(super) fn show(
    ui: &mut Ui,
    fleet: &Fleet,
    shown: Option<&Shown>,
    machines: &mut Option<u32>,
    commands: &mut Vec<Command>,
) {
    ui.horizontal(|ui| {
        let mut is_limited = machines.is_some();
        let hint = "Choose the applications that save most with a limited number of GPU machines at a time";
        if ui.checkbox(&mut is_limited, "Limit GPU machines").on_hover_text(hint).changed() {
            *machines = is_limited.then_some(FIRST);
        }
        if let Some(count) = machines {
            let label = ui.label("at a time");
            ui.add(DragValue::new(count).range(0..=MOST)).labelled_by(label.id);
        }
        let save = Request::SaveReport(fleet.folder.clone(), *machines);
        if ui.button(save.text()).on_hover_text(save.tooltip()).clicked() {
            commands.push(save.command());
        }
    });
    let sentences = shown.filter(|_| machines.is_some()).map(|shown| shown.portfolio.join(" "));
    if let Some(sentences) = sentences.filter(|sentences| !sentences.is_empty()) {
        ui.add(Label::new(sentences).wrap());
    }
}
