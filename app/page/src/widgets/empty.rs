//! What a page shows where it has nothing to show: what is missing, and the commands that lead on.

use egui::Ui;

use crate::command::Command;

/// Space above the text at most, in points.
const ABOVE: f32 = 160.0;

/// Says in the middle of a page what is missing, with a button for each command that leads on.
pub fn next_steps(ui: &mut Ui, text: &str, steps: &[Command], commands: &mut Vec<Command>) {
    ui.vertical_centered(|ui| {
        ui.add_space((0.3 * ui.available_height()).min(ABOVE));
        ui.label(text);
        ui.add_space(8.0);
        for step in steps {
            if ui.button(step.text()).on_hover_text(step.tooltip()).clicked() {
                commands.push(step.clone());
            }
        }
    });
}

/// The same for a page that needs a scenario and finds none.
pub fn no_scenario(ui: &mut Ui, text: &str, commands: &mut Vec<Command>) {
    next_steps(ui, text, &[Command::Open, Command::ShowStart], commands);
}
