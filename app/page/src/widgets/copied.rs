//! What is copied to the clipboard, with a message that says so.

use egui::Ui;

use crate::command::Command;

/// Copies a text; the message is “Copied the curves as CSV” with `what` as the end.
pub fn copy(ui: &Ui, commands: &mut Vec<Command>, text: String, what: &str) {
    ui.ctx().copy_text(text);
    commands.push(Command::Notify(format!("Copied {what}")));
}

#[cfg(test)]
mod tests {
    use egui::{Context, OutputCommand, RawInput};

    use super::*;

    #[test]
    fn a_copied_text_is_on_the_clipboard_and_a_message_says_what_it_is() {
        let mut commands = Vec::new();
        let draw = |ui: &mut Ui| copy(ui, &mut commands, "a,b".to_owned(), "the curves as CSV");
        let mut output = Context::default().run_ui(RawInput::default(), draw);
        output.textures_delta.clear();
        let is_copied = |command: &OutputCommand| matches!(command, OutputCommand::CopyText(text) if text == "a,b");
        assert!(output.platform_output.commands.iter().any(is_copied));
        assert!(matches!(&commands[..], [Command::Notify(text), ..] if text == "Copied the curves as CSV"));
    }
}
