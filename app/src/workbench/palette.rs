//! Lists that are searched by typing a part of a name: all commands, and all tabs.

use crossover_page::command::Command;
use crossover_page::shortcut;
use egui::{Context, Id, Key, Modal, RichText};

use super::{Workbench, listed};

/// A list that is open.
pub(super) struct Palette {
    list: List,
    query: String,
    highlighted: usize,
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum List {
    Commands,
    Tabs,
}

impl List {
    /// Name of the field, its hint, and what an empty list says.
    fn texts(self) -> [&'static str; 3] {
        match self {
            Self::Commands => ["Search commands", "undo, theme, export…", "No command matches"],
            Self::Tabs => ["Search tabs", "part of a title", "No tab matches"],
        }
    }
}

/// A line of the list.
struct Entry {
    text: String,
    tooltip: String,
    command: Command,
}

impl Entry {
    fn of(command: Command) -> Self {
        Self { text: command.text(), tooltip: command.tooltip().to_owned(), command }
    }

    /// Rank of the match with a query in lower case: the lowest is the best; `None` if it does not match.
    fn rank(&self, query: &str) -> Option<usize> {
        let text = self.text.to_lowercase();
        if text.starts_with(query) {
            Some(0)
        } else if text.contains(query) {
            Some(1)
        } else if self.tooltip.to_lowercase().contains(query) {
            Some(2)
        } else {
            let mut letters = text.chars().enumerate();
            let next = |wanted: char| letters.find(|(_, letter)| *letter == wanted).map(|(place, _)| place);
            let places = query.chars().map(next).collect::<Option<Vec<usize>>>()?;
            Some(3 + places.last()? - places.first()?)
        }
    }
}

impl Palette {
    /// All commands.
    pub(super) fn of_commands() -> Self {
        Self { list: List::Commands, query: String::new(), highlighted: 0 }
    }

    /// All tabs.
    pub(super) fn of_tabs() -> Self {
        Self { list: List::Tabs, ..Self::of_commands() }
    }
}

impl Workbench {
    pub(super) fn palette(&mut self, ctx: &Context) {
        let Some(list) = self.palette.as_ref().map(|palette| palette.list) else { return };
        let entries = match list {
            List::Commands => commands(),
            List::Tabs => self.tab_entries(),
        };
        let Some(palette) = &mut self.palette else { return };
        let [name, hint, nothing] = list.texts();
        let mut chosen = None;
        let mut is_open = true;
        let modal = Modal::new(Id::unique("palette")).show(ctx, |ui| {
            ui.set_width(460.0);
            let label = ui.label(RichText::new(name).weak());
            let (up, down, enter) = ui.input_mut(|input| {
                let none = egui::Modifiers::NONE;
                (
                    input.consume_key(none, Key::ArrowUp),
                    input.consume_key(none, Key::ArrowDown),
                    input.consume_key(none, Key::Enter),
                )
            });
            let edit = egui::TextEdit::singleline(&mut palette.query).desired_width(f32::INFINITY).hint_text(hint);
            let edit = ui.add(edit).labelled_by(label.id);
            edit.request_focus();
            if edit.changed() {
                palette.highlighted = 0;
            }
            let found = matching(entries, &palette.query);
            if down {
                palette.highlighted += 1;
            }
            if up {
                palette.highlighted = palette.highlighted.saturating_sub(1);
            }
            palette.highlighted = palette.highlighted.min(found.len().saturating_sub(1));
            if enter {
                chosen = found.get(palette.highlighted).map(|entry| entry.command.clone());
                is_open = chosen.is_none() && is_open;
            }
            egui::ScrollArea::vertical().max_height(320.0).auto_shrink([false, true]).show(ui, |ui| {
                if found.is_empty() {
                    ui.weak(nothing);
                }
                for (index, Entry { text, tooltip, command }) in found.iter().enumerate() {
                    let keys = command.shortcut().map(|keys| shortcut::label(ui.ctx(), keys)).unwrap_or_default();
                    let button = egui::Button::selectable(index == palette.highlighted, text.as_str())
                        .shortcut_text(keys)
                        .truncate()
                        .min_size(egui::vec2(ui.available_width(), 22.0));
                    let response = ui.add(button).on_hover_text(tooltip);
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

    fn tab_entries(&self) -> Vec<Entry> {
        let tabs = self.tab_list().into_iter();
        tabs.map(|(text, tooltip, command)| Entry { text, tooltip, command }).collect()
    }
}

/// All commands but the one that lists them.
fn commands() -> Vec<Entry> {
    listed().into_iter().filter(|command| *command != Command::Palette).map(Entry::of).collect()
}

/// Entries whose text has the letters of the query in order, or whose tooltip has it as a whole: first those whose text begins with
/// it, then those whose text has it as a whole, then those with it in the tooltip, then those in which its letters are closest together.
fn matching(entries: Vec<Entry>, query: &str) -> Vec<Entry> {
    let query = query.trim().to_lowercase();
    let mut found: Vec<(usize, Entry)> =
        entries.into_iter().filter_map(|entry| entry.rank(&query).map(|rank| (rank, entry))).collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, entry)| entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<Command> {
        matching(commands(), query).into_iter().map(|entry| entry.command).collect()
    }

    #[test]
    fn a_command_is_found_by_a_part_of_its_name() {
        for (query, first) in [("und", Command::Undo), ("reset l", Command::ResetLayout), ("svas", Command::SaveAs)] {
            assert_eq!(found(query).first(), Some(&first), "{query}");
        }
        assert!(found("no such thing").is_empty());
        assert_eq!(found("").len(), listed().len() - 1);
    }

    /// Other programs have names for charts and methods that no title here has.
    #[test]
    fn a_command_is_found_by_a_word_of_its_tooltip() {
        let uncertainty = Command::ShowTool(crossover_tool_pages::uncertainty::TOOL);
        for query in ["sensitivity", "tornado", "influence", "Uncertainty"] {
            assert_eq!(found(query).first(), Some(&uncertainty), "{query}");
        }
    }

    #[test]
    fn names_in_any_script_are_searched() {
        let entries = || -> Vec<Entry> {
            let texts = ["集計クエリ · 4 × L4", "استعلام", "İstanbul", "👩‍🔬 fleet"];
            let entry = |text: &str| Entry { text: text.to_owned(), ..Entry::of(Command::Undo) };
            texts.into_iter().map(entry).collect()
        };
        for (query, first) in
            [("クエリ", "集計クエリ · 4 × L4"), ("علام", "استعلام"), ("stan", "İstanbul"), ("🔬", "👩‍🔬 fleet")]
        {
            let found = matching(entries(), query);
            assert_eq!(found.first().map(|entry| entry.text.as_str()), Some(first), "{query}");
        }
        assert!(matching(entries(), "\u{301}\u{200d}").len() <= 1);
    }
}
