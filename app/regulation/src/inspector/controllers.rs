//! The compared controllers: form, gains, integral and derivative, and which one is in use.

use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::name;
use crossover_page::widgets::form::{self, Choice};
use crossover_quantity::quantity::Quantity;
use crossover_regulation::study::MOST_CONTROLLERS;
use crossover_regulation::{Controller, Derivative, Form, Integration, Regulation};
use egui::{Button, CollapsingHeader, Role, Ui, WidgetInfo};

use super::{Env, fuzzy, schedule, terms};

/// Draws the section.
pub(super) fn show(ui: &mut Ui, names: &mut name::State, study: &mut Regulation, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.controllers.len();
    for index in 0..count {
        ui.push_id(index, |ui| {
            let controller = &study.controllers[index];
            let is_chosen = controller.name == study.policy.controller;
            let title = if is_chosen { format!("{} · in use", controller.name) } else { controller.name.clone() };
            let header = CollapsingHeader::new(title).id_salt("controller").default_open(is_chosen).show(ui, |ui| {
                controller_form(ui, names, study, index, env);
                let use_it = ui.add_enabled(!is_chosen, Button::new("Use this controller"));
                let name = format!("policy.controller={}", study.controllers[index].name);
                use_it.widget_info(|| WidgetInfo::labeled(Role::Button, !is_chosen, &name));
                if use_it.clicked() {
                    study.policy.controller.clone_from(&study.controllers[index].name);
                }
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_CONTROLLERS, stays: None }));
            });
            header.header_response.on_hover_text(terms::OUTPUT.text());
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_controller(index),
        Some(Edit::Duplicate(index)) => drop(study.duplicate_controller(index)),
        Some(Edit::Swap(a, b)) => study.controllers.swap(a, b),
        None => {}
    }
    if list::add_button(ui, "Add controller", count, MOST_CONTROLLERS) {
        study.add_controller(Controller {
            name: "controller".into(),
            form: Form::PI,
            kp: 1.0,
            ki: 0.3,
            kd: 0.0,
            integration: Integration::default(),
            reset_after_action: true,
            integral_limit: 0.9,
            derivative: Derivative::default(),
            schedule: None,
            learned: None,
            fuzzy: None,
        });
    }
}

fn controller_form(ui: &mut Ui, names: &mut name::State, study: &mut Regulation, index: usize, env: &mut Env<'_>) {
    name::field(ui, names, study, ("controllers", index), env.commands);
    let path = format!("controllers.{}", study.controllers[index].name);
    let controller = &mut study.controllers[index];
    let explanation = "Parts of the output u";
    form::pick(ui, ("form", explanation), &format!("{path}.form"), &mut controller.form, forms());
    let parts = controller.form;
    schedule::switch(ui, study, index);
    if study.controllers[index].learned.is_some() {
        let explanation = "Gains by error and change of error, learned by “crossover tune --rule learn”";
        let removed = form::switch(ui, "learned gains", explanation, &format!("{path}.learned"), true).is_some();
        if removed {
            study.set_learned(index, None);
        }
    } else if study.controllers[index].schedule.is_some() {
        schedule::show(ui, study, index, env);
    } else {
        form::numbers(ui, study, &path, &gains(parts), env.commands);
    }
    if parts.has_integral() {
        integral(ui, &path, &mut study.controllers[index], env);
        form::numbers(ui, study, &path, &[&Controller::INTEGRAL_LIMIT], env.commands);
    }
    if parts.has_derivative() {
        let choices = [
            Choice::new(Derivative::OnError, "the error", "Kd·(e − e before), as published"),
            Choice::new(
                Derivative::OnMeasurement,
                "the load",
                "−Kd·(p_d − p_d before): a jump of the PCIe occupancy causes no derivative kick",
            ),
        ];
        let explanation = "Signal of which the derivative is taken";
        let path = format!("{path}.derivative");
        form::choose(
            ui,
            ("derivative of", explanation),
            &path,
            &mut study.controllers[index].derivative,
            choices,
            env.commands,
        );
    }
    let placed = [&Controller::KP, &Controller::KI, &Controller::KD, &Controller::INTEGRAL_LIMIT];
    form::all(ui, study, &path, &placed, env.commands);
    fuzzy::show(ui, study, index, env);
}

fn forms() -> [Choice<Form>; 4] {
    [
        Choice::new(Form::P, "P", "u = Kp·e"),
        Choice::new(
            Form::PI,
            "PI",
            "u = Kp·e + Ki·Σe: the integral part drives u out of the dead zone, where P alone \
                                     stops",
        ),
        Choice::new(Form::PD, "PD", "u = Kp·e + Kd·ec: reacts to change before the error has grown"),
        Choice::new(Form::PID, "PID", "u = Kp·e + Ki·Σe + Kd·ec"),
    ]
}

fn gains(form: Form) -> Vec<&'static Quantity> {
    let mut gains = vec![&Controller::KP];
    gains.extend(form.has_integral().then_some(&Controller::KI));
    gains.extend(form.has_derivative().then_some(&Controller::KD));
    gains
}

/// When the integral grows, and whether an action resets it.
fn integral(ui: &mut Ui, path: &str, controller: &mut Controller, env: &mut Env<'_>) {
    let choices = [
        Choice::new(
            Integration::InDeadZone,
            "in the dead zone",
            "Only while u lies in the dead zone and causes no action",
        ),
        Choice::new(Integration::UnlessSaturated, "unless saturated", "Unless u is beyond the control table"),
        Choice::new(Integration::Always, "always", "In every period; only the integral limit prevents windup"),
    ];
    let explanation = "When the integral grows";
    form::choose(
        ui,
        ("integration", explanation),
        &format!("{path}.integration"),
        &mut controller.integration,
        choices,
        env.commands,
    );
    let explanation = "The integral is set to zero after an action, as in the published example";
    let path = format!("{path}.reset_after_action");
    if let Some(is_on) = form::switch(ui, "reset after an action", explanation, &path, controller.reset_after_action) {
        controller.reset_after_action = is_on;
    }
}
