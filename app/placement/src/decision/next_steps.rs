//! What to do next: the configuration of a trial run with what else it needs, and what to change on today’s machines.

use crossover_export::arguments::DecideArguments;
use crossover_export::decision::{APPLICATION, NextStep, Trial};
use crossover_page::command::Command;
use crossover_page::widgets::copied::copy;
use crossover_quantity::text::counted;
use egui::{Align, Label, RichText, Ui};

/// Where the price of today's machines is entered.
const PRICE_FIELD: &str = "Its field is under 2 Where.";

/// Draws the next step with buttons that copy its configuration; `arguments`: those of the command that compares its log, `tried`: which of
/// several options is shown, `is_sought`: the page scrolls to it.
pub(super) fn show(
    ui: &mut Ui,
    (next, arguments): (&NextStep, &DecideArguments),
    tried: &mut usize,
    is_sought: bool,
    commands: &mut Vec<Command>,
) {
    ui.add_space(8.0);
    let title = ui.strong("Next step");
    if is_sought {
        title.scroll_to_me(Some(Align::TOP));
    }
    if let Some(enter_price) = &next.enter_price {
        ui.add(Label::new(format!("{enter_price} {PRICE_FIELD}")).wrap());
    }
    if let Some(what_decides) = &next.what_decides {
        ui.add(Label::new(what_decides).wrap());
    }
    *tried = (*tried).min(next.trials.len().saturating_sub(1));
    if next.trials.len() > 1 {
        ui.horizontal_wrapped(|ui| {
            for (place, trial) in next.trials.iter().enumerate() {
                let label = ui.selectable_value(tried, place, &trial.option);
                label.on_hover_text("Show the settings of a trial run of this option");
            }
        });
    }
    if let Some(trial) = next.trials.get(*tried) {
        settings(ui, trial, arguments, commands);
    }
}

/// Draws what to change on today's machines, whatever the decision; `is_sought`: the page scrolls to it.
pub(super) fn show_without_a_move(ui: &mut Ui, step: &str, is_sought: bool) {
    ui.add_space(8.0);
    let title = ui.strong("Next step on today’s machines");
    if is_sought {
        title.scroll_to_me(Some(Align::TOP));
    }
    ui.add(Label::new(step).wrap());
}

fn settings(ui: &mut Ui, trial: &Trial, arguments: &DecideArguments, commands: &mut Vec<Command>) {
    ui.add(Label::new(trial.text_with(arguments)).wrap());
    if let Some(left_out) = arguments.left_out_in_words() {
        ui.add(Label::new(RichText::new(left_out).weak()).wrap());
    }
    let command = trial.command().join("\n");
    ui.add(Label::new(RichText::new(&command).monospace()).wrap());
    ui.weak(APPLICATION);
    ui.horizontal_wrapped(|ui| {
        let settings = counted(trial.settings.len() as f64, "setting");
        if ui.button("Copy spark-submit command").on_hover_text("The settings as --conf arguments, as above").clicked()
        {
            let what = format!("the spark-submit command with {settings} for {}", trial.option);
            copy(ui, commands, command, &what);
        }
        if ui.button("Copy spark-defaults.conf lines").on_hover_text("The same settings, one per line").clicked() {
            let what = format!("{settings} for {} as lines of spark-defaults.conf", trial.option);
            copy(ui, commands, trial.defaults().join("\n"), &what);
        }
    });
    for need in &trial.needs {
        ui.add(Label::new(format!("• {need}")).wrap());
    }
}
