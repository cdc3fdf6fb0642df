//! Which commands menus and palette list, and which keys send them.

use egui::{KeyboardShortcut, Modifiers};

use crate::command::Command;
use crate::export::Format;
use crate::export::report::ReportFormat;
use crate::kinds;
use crate::room::Place;
use crate::settings::ThemeChoice;

impl Command {
    /// New scenarios of all kinds.
    pub(crate) fn new_ones() -> impl Iterator<Item = Self> {
        kinds::rooms().map(|room| Self::New(room.template()))
    }

    /// The examples of all kinds.
    pub(crate) fn examples() -> impl Iterator<Item = Self> {
        kinds::rooms().flat_map(|room| room.examples().iter().copied().map(Self::OpenExample))
    }

    /// The commands that menus and the palette list.
    #[must_use]
    pub fn listed() -> Vec<Self> {
        let mut commands: Vec<Self> = Self::new_ones().collect();
        commands.extend([Self::Open, Self::TypeOpenPath]);
        commands.extend(requests(|place| {
            matches!(place, Place::Open(_) | Place::Folder | Place::Import | Place::ImportInto)
        }));
        commands.extend(Self::examples());
        commands.extend([
            Self::Save,
            Self::SaveAs,
            Self::TypeSavePath,
            Self::CloseTab,
            Self::NextTab,
            Self::PreviousTab,
            Self::Quit,
            Self::Undo,
            Self::Redo,
        ]);
        commands.extend(kinds::tool_commands());
        commands.extend(requests(|place| matches!(place, Place::File | Place::Palette)));
        commands.extend([Format::Csv, Format::Markdown].map(Self::Copy));
        commands.extend(Format::EXPORTED.map(Self::Export));
        commands.extend(ReportFormat::ALL.map(Self::ExportReport));
        commands.extend(requests(|place| place == Place::Export));
        commands.push(Self::ExportData);
        commands.extend(ThemeChoice::ALL.map(Self::Theme));
        commands.extend([
            Self::ZoomIn,
            Self::ZoomOut,
            Self::ZoomReset,
            Self::ToggleInspector,
            Self::ResetLayout,
            Self::Palette,
            Self::ShowShortcuts,
            Self::ShowFormulas,
            Self::ShowAbout,
        ]);
        commands
    }

    /// The command whose keys were pressed in this frame; the one with most modifiers first, so that
    /// Ctrl+Shift+S is not taken for Ctrl+S. `is_typing`: a text is being typed, whose own undo goes first.
    #[must_use]
    pub fn pressed(ctx: &egui::Context, is_typing: bool) -> Option<Self> {
        let mut with_keys: Vec<(Self, KeyboardShortcut)> =
            Self::listed().into_iter().filter_map(|command| command.shortcut().map(|keys| (command, keys))).collect();
        with_keys.sort_by_key(|(_, keys)| std::cmp::Reverse(modifier_count(keys.modifiers)));
        with_keys
            .into_iter()
            .filter(|(command, _)| !(is_typing && matches!(command, Self::Undo | Self::Redo)))
            .find(|(_, keys)| ctx.input_mut(|input| input.consume_shortcut(keys)))
            .map(|(command, _)| command)
    }
}

/// What kinds of studies are asked at places of this sort.
fn requests(is_wanted: impl Fn(Place) -> bool) -> impl Iterator<Item = Command> {
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
        for command in Command::listed() {
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
        for command in Command::listed() {
            assert!(!command.text().is_empty() && !command.tooltip().is_empty(), "{command:?}");
        }
    }
}
