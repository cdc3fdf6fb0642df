//! The left panel: every number of the study, section by section.

mod centres;
mod operators;
mod points;
mod programs;
mod units;
mod work;

use crossover_measured::probe::Category;
use crossover_page::command::Command;
use crossover_page::widgets::focus;
use crossover_page::widgets::form::{self, Choice, legend, section, text};
use crossover_probe::{Built, Probe};
use egui::{Button, Ui};

use super::Env;
use super::request::Request;

/// State of the panel between frames.
#[derive(Default)]
pub(super) struct State {
    pub(crate) name: text::State,
}

/// Draws the panel; `built` is the probe, if it was built already.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Probe, built: Option<&Built>, env: &mut Env<'_>) {
    // Beside the numbers, not above their marks.
    ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
    ui.spacing_mut().indent = 12.0;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        section(ui, "Probe of the task", true, |ui| {
            task_type(ui, state, study, env);
            form::all(ui, study, "target", &[], env.commands);
            let title = ("category", "Operators of this category are matched first");
            form::choose(ui, title, "target.category", &mut study.target.category, categories("any"), env.commands);
            let explanation = "Groups of operators without connections become separate probes";
            if let Some(is_on) =
                form::switch(ui, "separate independent groups", explanation, "target.is_split", study.target.is_split)
            {
                study.target.is_split = is_on;
            }
        });
        section(ui, "Operators of the task", true, |ui| operators::show(ui, state, study, env));
        section(ui, "Programs", !study.target.programs.is_empty(), |ui| programs::show(ui, state, study, env));
        section(ui, "Score", false, |ui| points::show(ui, study, env));
        section(ui, "Centres", true, |ui| centres::show(ui, state, study, built, env));
        section(ui, "Work", false, |ui| work::show(ui, state, study, env));
        section(ui, "Plan", false, |ui| form::all(ui, study, "planning", &[], env.commands));
        legend(ui, study);
    });
}

/// The type of the task, and the kept probes of it.
fn task_type(ui: &mut Ui, state: &mut State, study: &mut Probe, env: &mut Env<'_>) {
    let title = ("task type", "Kept probes are found by task type, for example climate");
    let current = study.target.task_type.clone();
    let path = "target.task_type";
    if let Some(typed) = text::field(ui, &mut state.name, title, (path, &current), |_| None, env.commands) {
        study.target.task_type = typed;
    }
    ui.horizontal_wrapped(|ui| {
        let keep = ui.add_enabled(!study.target.task_type.is_empty(), Button::new("Keep probe"));
        let keep = keep.on_hover_text("Keeps this scenario with its runs under its task type");
        if keep.on_disabled_hover_text("Enter a task type first").clicked() {
            env.commands.push(Command::ask(Request::Keep));
        }
        if ui.button("Find kept probes…").on_hover_text("Lists kept probes, and opens a copy of one").clicked() {
            env.commands.push(Command::ask(Request::FindKept));
        }
    });
}

/// Categories to choose from; `none` is the label for no category.
fn categories(none: &str) -> Vec<Choice<Option<Category>>> {
    let all = Category::ALL.map(|category| Choice::new(Some(category), category.label(), ""));
    std::iter::once(Choice::new(None, none, "")).chain(all).collect()
}
