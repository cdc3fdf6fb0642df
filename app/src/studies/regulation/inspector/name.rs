//! A name that is taken over when its field is left.

use crossover_chart::theme::Token;
use crossover_model::regulation::Regulation;
use egui::{Role, TextEdit, Ui, WidgetInfo};

use super::{Env, form};
use crate::command::Command;

/// A name that is being typed, if any.
#[derive(Default)]
pub(super) struct State(Option<Typing>);

/// A name that is being typed.
struct Typing {
    named: Named,
    /// The name before; if it changes otherwise (by undo), what was typed is dropped.
    before: String,
    text: String,
}

/// A list entry that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Cluster(usize),
    Controller(usize),
    Rung(usize),
}

impl Named {
    /// The list, the name now, and all names of the list.
    fn find(self, study: &Regulation) -> Option<(&'static str, String, Vec<&str>)> {
        let (list, index, names): (_, _, Vec<&str>) = match self {
            Self::Cluster(index) => {
                ("clusters", index, study.clusters.iter().map(|cluster| cluster.name.as_str()).collect())
            }
            Self::Controller(index) => {
                ("controllers", index, study.controllers.iter().map(|controller| controller.name.as_str()).collect())
            }
            Self::Rung(index) => ("ladder", index, study.ladder.iter().map(|rung| rung.name.as_str()).collect()),
        };
        Some((list, (*names.get(index)?).to_owned(), names))
    }

    fn rename(self, study: &mut Regulation, name: &str) {
        match self {
            Self::Cluster(index) => study.rename_cluster(index, name),
            Self::Controller(index) => study.rename_controller(index, name),
            Self::Rung(index) => study.rename_rung(index, name),
        }
    }
}

/// Draws the field; an empty or taken name is refused with the reason.
pub(super) fn field(ui: &mut Ui, state: &mut State, study: &mut Regulation, named: Named, env: &mut Env<'_>) {
    let Some((list, current, others)) = named.find(study) else { return };
    let mut text = match &state.0 {
        Some(typing) if typing.named == named && typing.before == current => typing.text.clone(),
        _ => current.clone(),
    };
    let path = format!("{list}.{current}.name");
    let response = ui.horizontal(|ui| {
        form::label(ui, "name", "Unique in its list; taken over when the field is left");
        ui.add(TextEdit::singleline(&mut text).desired_width(ui.available_width() - form::MARK_WIDTH))
    });
    let response = response.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, &path));
    let trimmed = text.trim().to_owned();
    let problem = if trimmed.is_empty() {
        Some("A name must not be empty")
    } else if trimmed != current && others.contains(&trimmed.as_str()) {
        Some("This name is taken")
    } else {
        None
    };
    if let (true, Some(problem)) = (response.has_focus(), problem) {
        ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
    }
    if response.lost_focus() {
        state.0 = None;
        match problem {
            None if trimmed != current => named.rename(study, &trimmed),
            None => {}
            Some(problem) => env.commands.push(Command::Notify(format!("{problem}; the name stays “{current}”"))),
        }
    } else if response.has_focus() {
        state.0 = Some(Typing { named, before: current, text });
    }
}
