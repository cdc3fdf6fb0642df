//! What a page shows where it has nothing to show: what will be there, what is missing, and the commands that lead on.

use egui::{Label, Ui};

use crate::command::{Command, Tool};
use crate::examples::PUBLISHED;

/// Space above the text at most, in points.
const ABOVE: f32 = 160.0;

/// The page of a tool that needs a scenario and finds none: its question, a sentence about what answers it, what is missing, and
/// how to get it.
pub fn no_scenario(ui: &mut Ui, tool: Tool, [question, answer, missing]: [&str; 3], commands: &mut Vec<Command>) {
    ui.vertical_centered(|ui| {
        ui.add_space((0.3 * ui.available_height()).min(ABOVE));
        ui.heading(question);
        for text in [answer, missing] {
            ui.add(Label::new(text).wrap());
        }
        ui.add_space(8.0);
        let sample = ui.button("Open a sample").on_hover_text("Shows the published setting in this tool");
        if sample.clicked() {
            commands.extend([Command::OpenExample(PUBLISHED), Command::ShowTool(tool)]);
        }
        steps(ui, &[Command::Open, Command::ShowStart], commands);
    });
}

/// A button for each command that leads on.
pub fn steps(ui: &mut Ui, steps: &[Command], commands: &mut Vec<Command>) {
    for step in steps {
        if ui.button(step.text()).on_hover_text(step.tooltip()).clicked() {
            commands.push(step.clone());
        }
    }
}
