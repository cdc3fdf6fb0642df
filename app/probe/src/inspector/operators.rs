//! Operators of the target task: executions, operator of the library, and inputs.

use crossover_measured::probe::LIBRARY;
use crossover_measured::probe::task::MOST_OPERATORS;
use crossover_page::command::Command;
use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::{self, Choice, name};
use crossover_probe::{Input, Probe, TargetOperator};
use crossover_quantity::unit::Unit;
use egui::{CollapsingHeader, Ui};

use super::super::request::{Request, TASK_FILES};
use super::{Env, State, categories};

/// Draws every operator.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Probe, env: &mut Env<'_>) {
    if ui.button("Import task from file…").on_hover_text(TASK_FILES).clicked() {
        env.commands.push(Command::ask(Request::Task));
    }
    let mut edit = None;
    let count = study.operators.len();
    for index in 0..count {
        ui.push_id(("operator", index), |ui| {
            let of = &study.operators[index];
            let executions = if of.executions == 1.0 { "execution" } else { "executions" };
            let title = format!("{} · {} {executions}", of.name, Unit::Count.format(of.executions));
            CollapsingHeader::new(title).id_salt("operator").default_open(index == 0).show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("operators", index), env.commands);
                let part = format!("operators.{}", study.operators[index].name);
                form::all(ui, study, &part, &[], env.commands);
                let title = ("category", "Category of the operator; default: that of the task");
                let path = format!("{part}.category");
                let category = &mut study.operators[index].category;
                form::choose(ui, title, &path, category, categories("that of the task"), env.commands);
                let title = ("library operator", "The operator of the library that represents it");
                let path = format!("{part}.library_operator");
                let choices = library(study);
                form::choose(ui, title, &path, &mut study.operators[index].library_operator, choices, env.commands);
                inputs(ui, &part, study, index);
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_OPERATORS, stays: None }));
            });
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_operator(index),
        Some(Edit::Duplicate(index)) => study.add_operator(study.operators[index].clone()),
        Some(Edit::Swap(a, b)) => study.operators.swap(a, b),
        None => {}
    }
    if list::add_button(ui, "Add operator", count, MOST_OPERATORS) {
        study.add_operator(TargetOperator::default());
    }
}

fn library(study: &Probe) -> Vec<Choice<String>> {
    let matched = Choice::new(String::new(), "by name", "Same or most similar name, first in its category");
    let own = LIBRARY.iter().map(|of| Choice::new(of.key.to_owned(), of.key, of.meaning));
    let added = study.target.programs.iter().map(|of| Choice::new(of.key.clone(), &of.key, "A program that you added"));
    std::iter::once(matched).chain(own).chain(added).collect()
}

/// The inputs of an operator.
fn inputs(ui: &mut Ui, part: &str, study: &mut Probe, index: usize) {
    if study.operators.len() < 2 {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        form::label(ui, "inputs", "Mean outputs of these operators over all their executions");
        for other in 0..study.operators.len() {
            if other == index || leads_to(study, index, other) {
                continue;
            }
            let name = study.operators[other].name.clone();
            let from = &mut study.operators[index].from;
            let is_on = from.iter().any(|input| input.operator == name);
            let path = format!("{part}.from.{name}");
            match form::switch(ui, &name, "Its output is an input", &path, is_on) {
                Some(true) => from.push(Input { operator: name }),
                Some(false) => from.retain(|input| input.operator != name),
                None => {}
            }
        }
    });
}

/// Whether the output of an operator reaches another one, directly or through others; then the other cannot be its input.
fn leads_to(study: &Probe, from: usize, to: usize) -> bool {
    let mut seen = vec![false; study.operators.len()];
    let mut open = vec![to];
    while let Some(place) = open.pop() {
        if place == from {
            return true;
        }
        if !std::mem::replace(&mut seen[place], true) {
            let inputs = study.operators[place].from.iter();
            open.extend(inputs.filter_map(|input| study.operators.iter().position(|of| of.name == input.operator)));
        }
    }
    false
}
