//! The command palette: every command, found by typing a part of its name.

use crossover_page::command::Command;
use egui::{Context, Id, Key, Modal, RichText};

use super::{Workbench, listed};

/// An open palette.
#[derive(Default)]
pub(super) struct Palette {
    query: String,
    highlighted: usize,
}

impl Workbench {
    pub(super) fn palette(&mut self, ctx: &Context) {
        let Some(palette) = &mut self.palette else { return };
        let mut chosen = None;
        let mut is_open = true;
        let modal = Modal::new(Id::unique("palette")).show(ctx, |ui| {
            ui.set_width(460.0);
            let label = ui.label(RichText::new("Search commands").weak());
            let (up, down, enter) = ui.input_mut(|input| {
                let none = egui::Modifiers::NONE;
                (
                    input.consume_key(none, Key::ArrowUp),
                    input.consume_key(none, Key::ArrowDown),
                    input.consume_key(none, Key::Enter),
                )
            });
            let edit = egui::TextEdit::singleline(&mut palette.query)
                .desired_width(f32::INFINITY)
                .hint_text("undo, theme, export…");
            let edit = ui.add(edit).labelled_by(label.id);
            edit.request_focus();
            if edit.changed() {
                palette.highlighted = 0;
            }
            let found: Vec<Command> = matching(&palette.query);
            if down {
                palette.highlighted += 1;
            }
            if up {
                palette.highlighted = palette.highlighted.saturating_sub(1);
            }
            palette.highlighted = palette.highlighted.min(found.len().saturating_sub(1));
            if enter {
                chosen = found.get(palette.highlighted).cloned();
                is_open = chosen.is_none() && is_open;
            }
            egui::ScrollArea::vertical().max_height(320.0).auto_shrink([false, true]).show(ui, |ui| {
                if found.is_empty() {
                    ui.weak("No command matches");
                }
                for (index, command) in found.iter().enumerate() {
                    let keys = command.shortcut().map(|keys| ui.ctx().format_shortcut(&keys)).unwrap_or_default();
                    let button = egui::Button::selectable(index == palette.highlighted, command.text())
                        .shortcut_text(keys)
                        .min_size(egui::vec2(ui.available_width(), 22.0));
                    let response = ui.add(button).on_hover_text(command.tooltip());
                    if index == palette.highlighted && (up || down) {
                        response.scroll_to_me(None);
                    }
                    if response.clicked() {
                        chosen = Some(command.clone());
                    }
                }
            });
        });
        if modal.should_close() || !is_open || chosen.is_some() {
            self.palette = None;
        }
        self.commands.extend(chosen);
    }
}

/// Commands whose name has the letters of the query in order: first those that begin with it, then those that have it as a
/// whole, then those in which its letters are closest together.
fn matching(query: &str) -> Vec<Command> {
    let query = query.trim().to_lowercase();
    let mut found: Vec<(usize, Command)> = listed()
        .into_iter()
        .filter(|command| *command != Command::Palette)
        .filter_map(|command| rank(&command.text().to_lowercase(), &query).map(|rank| (rank, command)))
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, command)| command).collect()
}

/// The smaller, the better.
fn rank(text: &str, query: &str) -> Option<usize> {
    if text.starts_with(query) {
        Some(0)
    } else if text.contains(query) {
        Some(1)
    } else {
        let mut letters = text.chars().enumerate();
        let places: Option<Vec<usize>> =
            query.chars().map(|wanted| letters.find(|(_, letter)| *letter == wanted).map(|(place, _)| place)).collect();
        let places = places?;
        Some(2 + places.last()? - places.first()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_by_a_part_of_its_name() {
        for (query, first) in [("und", Command::Undo), ("reset l", Command::ResetLayout), ("svas", Command::SaveAs)] {
            assert_eq!(matching(query).first(), Some(&first), "{query}");
        }
        assert!(matching("no such thing").is_empty());
        assert_eq!(matching("").len(), listed().len() - 1);
    }
}
