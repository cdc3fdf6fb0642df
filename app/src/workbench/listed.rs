//! Which commands menus and palette list, and which keys send them.

use crossover_export::Format;
use crossover_export::report::ReportFormat;
use crossover_page::command::Command;
use crossover_page::density::Density;
use crossover_page::study_module::MenuPlace;
use crossover_page::theme_choice::ThemeChoice;
use crossover_scenario::Kind;
use egui::{Event, KeyboardShortcut, Modifiers};

use crate::kinds;

/// New scenarios of all kinds.
pub(super) fn new_ones() -> impl Iterator<Item = Command> {
    kinds::modules().map(|module| Command::New(module.template()))
}

/// The commands of all kinds that open other files than scenarios.
pub(super) fn opening() -> impl Iterator<Item = Command> {
    requests(|place| matches!(place, MenuPlace::Open(_)))
}

/// The examples of all kinds.
pub(super) fn examples() -> impl Iterator<Item = Command> {
    kinds::modules().flat_map(|module| module.examples().iter().copied().map(Command::OpenExample))
}

/// The commands that menus and the palette list.
#[must_use]
pub fn listed() -> Vec<Command> {
    let mut commands: Vec<Command> = new_ones().collect();
    commands.extend([Command::Open, Command::TypeOpenPath, Command::OpenLink]);
    commands.extend(requests(|place| {
        matches!(place, MenuPlace::Open(_) | MenuPlace::Folder | MenuPlace::Import | MenuPlace::ImportInto)
    }));
    commands.extend(examples());
    commands.extend([
        Command::Save,
        Command::SaveAs,
        Command::TypeSavePath,
        Command::CopyLink,
        Command::CloseTab,
        Command::CloseOtherTabs,
        Command::ReopenClosed,
        Command::NextTab,
        Command::PreviousTab,
        Command::MoveTabLeft,
        Command::MoveTabRight,
        Command::ListTabs,
        Command::Quit,
        Command::Undo,
        Command::Redo,
    ]);
    commands.extend(kinds::tool_commands());
    commands.extend(requests(|place| matches!(place, MenuPlace::File | MenuPlace::Palette)));
    commands.extend([Format::Csv, Format::Markdown].map(Command::Copy));
    commands.extend(Format::EXPORTED.map(Command::Export));
    commands.extend(ReportFormat::ALL.map(Command::ExportReport));
    commands.extend(requests(|place| place == MenuPlace::Export));
    commands.push(Command::ExportData);
    commands.extend(ThemeChoice::ALL.map(Command::Theme));
    commands.extend(Density::ALL.map(Command::Density));
    commands.extend([
        Command::ZoomIn,
        Command::ZoomOut,
        Command::ZoomReset,
        Command::ToggleInspector,
        Command::ShowStart,
        Command::ResetLayout,
        Command::Palette,
        Command::ShowShortcuts,
        Command::TakeTour(None),
    ]);
    commands.extend(Kind::ALL.map(|kind| Command::TakeTour(Some(kind))));
    commands.extend([Command::HelpOnPage, Command::ShowHelp, Command::ShowAbout]);
    commands
}

/// The command whose keys were pressed in this frame; the one with most modifiers first, so that
/// Ctrl+Shift+S is not taken for Ctrl+S. `is_typing`: a text is being typed, whose own undo goes first.
pub(super) fn pressed(ctx: &egui::Context, is_typing: bool) -> Option<Command> {
    // The list is made from the requests of all kinds, and most frames have no key.
    let is_press = |event: &Event| matches!(event, Event::Key { pressed: true, .. });
    if !ctx.input(|input| input.events.iter().any(is_press)) {
        return None;
    }
    let mut with_keys: Vec<(Command, KeyboardShortcut)> =
        listed().into_iter().filter_map(|command| command.shortcut().map(|keys| (command, keys))).collect();
    // On most keyboards “+” is Shift and this key.
    with_keys.push((Command::ZoomIn, egui::gui_zoom::kb_shortcuts::ZOOM_IN_SECONDARY));
    with_keys.sort_by_key(|(_, keys)| std::cmp::Reverse(modifier_count(keys.modifiers)));
    with_keys
        .into_iter()
        .filter(|(command, _)| !(is_typing && matches!(command, Command::Undo | Command::Redo)))
        .find(|(_, keys)| ctx.input_mut(|input| input.consume_shortcut(keys)))
        .map(|(command, _)| command)
}

/// The requests of all kinds of studies at these places of the menus.
fn requests(is_wanted: impl Fn(MenuPlace) -> bool) -> impl Iterator<Item = Command> {
    kinds::requests(is_wanted).map(Command::Ask)
}

fn modifier_count(modifiers: Modifiers) -> u8 {
    [modifiers.alt, modifiers.ctrl || modifiers.command, modifiers.shift].into_iter().map(u8::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_shortcuts_clash() {
        let mut seen: Vec<(KeyboardShortcut, String)> = Vec::new();
        for command in listed() {
            if let Some(keys) = command.shortcut() {
                if let Some((_, other)) = seen.iter().find(|(taken, _)| *taken == keys) {
                    panic!("{keys:?} means both “{other}” and “{}”", command.text());
                }
                seen.push((keys, command.text()));
            }
        }
        assert!(seen.len() > 10);
    }

    #[test]
    fn every_listed_command_says_what_it_does() {
        for command in listed() {
            assert!(!command.text().is_empty() && !command.tooltip().is_empty(), "{command:?}");
        }
    }
}
