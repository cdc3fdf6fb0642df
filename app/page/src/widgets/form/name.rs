//! A name that is applied when its field loses the focus.

use crossover_study::{Subject, names_of, sources};
use egui::Ui;

use super::text;
use crate::command::Command;

pub use super::text::State;

/// Draws the field; an empty or duplicate name is rejected with the reason.
pub fn field(
    ui: &mut Ui,
    state: &mut State,
    study: &mut dyn Subject,
    (list, index): (&'static str, usize),
    commands: &mut Vec<Command>,
) {
    let names = names_of(study, list);
    let Some(current) = names.get(index).map(|name| (*name).to_owned()) else { return };
    let title = ("name", "Unique in its list; applied when you leave the field");
    let problem = |typed: &str| text::problem_of_name(typed, &current, names.iter().copied());
    let path = format!("{list}.{current}.name");
    if let Some(name) = text::field(ui, state, title, (&path, &current), problem, commands) {
        sources::rename(study, list, index, &name);
    }
}
