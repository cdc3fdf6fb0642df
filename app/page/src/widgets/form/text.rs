//! A text that is applied when its field loses the focus, if it is valid.

use egui::{Role, TextEdit, Ui, WidgetInfo};

use super::{MARK_WIDTH, label};
use crate::command::Command;
use crossover_chart::theme::Token;

/// A text that is being typed, if any.
#[derive(Default)]
pub struct State(Option<Typing>);

/// A text that is being typed.
struct Typing {
    path: String,
    /// The text before; if it changes otherwise (by undo), the typed text is dropped.
    before: String,
    text: String,
}

/// Draws the field of the text at a path; returns the typed text, trimmed, when the field loses the focus. `problem`
/// gives the reason why a text is not valid: shown below the field while typing; such a text is not applied.
pub fn field(
    ui: &mut Ui,
    state: &mut State,
    (title, explanation): (&str, &str),
    (path, current): (&str, &str),
    problem: impl FnOnce(&str) -> Option<String>,
    commands: &mut Vec<Command>,
) -> Option<String> {
    let mut text = match &state.0 {
        Some(typing) if typing.path == path && typing.before == current => typing.text.clone(),
        _ => current.to_owned(),
    };
    let response = ui.horizontal(|ui| {
        label(ui, title, explanation);
        ui.add(TextEdit::singleline(&mut text).desired_width(ui.available_width() - MARK_WIDTH))
    });
    let response = response.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, path));
    let trimmed = text.trim();
    let problem = problem(trimmed);
    if let (true, Some(problem)) = (response.has_focus(), &problem) {
        ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
    }
    if response.lost_focus() {
        state.0 = None;
        match problem {
            None => return Some(trimmed.to_owned()).filter(|typed| typed != current),
            Some(problem) => commands.push(Command::Notify(format!("{problem}; the {title} stays “{current}”"))),
        }
    } else if response.has_focus() {
        state.0 = Some(Typing { path: path.to_owned(), before: current.to_owned(), text });
    }
    None
}

/// Why a typed text cannot replace the current name; `names` are those of its list.
#[must_use]
pub fn problem_of_name<'a>(typed: &str, current: &str, mut names: impl Iterator<Item = &'a str>) -> Option<String> {
    if typed.is_empty() {
        Some("A name must not be empty".to_owned())
    } else if typed != current && names.any(|name| name == typed) {
        Some("This name is already used".to_owned())
    } else {
        None
    }
}
