//! What to do next: the configuration of a trial run with what else it needs, and what to change on today’s machines.

use crossover_export::arguments::DecideArguments;
use crossover_export::decision::{APPLICATION, NextStep, Trial};
use crossover_page::command::Command;
use crossover_page::widgets::copied::copy;
use crossover_quantity::text::counted;
use egui::{Align, Label, RichText, Ui};

/// Where the price of today's machines is entered.
const PRICE_FIELD: &str = "Its field is under 2 Where.";

/// The next step in words, made once.
pub(super) struct NextTexts {
    /// That a price is to be entered, with the place of its field.
    enter_price: Option<String>,
    what_decides: Option<String>,
    trials: Vec<TrialStep>,
    /// What the command that compares a trial does not have of the decision.
    left_out: Option<String>,
}

/// How an option is tried.
struct TrialStep {
    trial: Trial,
    text: String,
    /// The command of a run with its settings.
    command: String,
    needs: Vec<String>,
}

impl NextTexts {
    pub(super) fn new(next: NextStep) -> Self {
        let NextStep { enter_price, what_decides, trials } = next;
        let trial = |trial: Trial| TrialStep {
            text: String::new(),
            command: trial.command().join("\n"),
            needs: trial.needs.iter().map(|need| format!("• {need}")).collect(),
            trial,
        };
        Self {
            enter_price: enter_price.map(|enter_price| format!("{enter_price} {PRICE_FIELD}")),
            what_decides,
            trials: trials.into_iter().map(trial).collect(),
            left_out: None,
        }
    }

    /// Names the command that compares the log of a trial, with these arguments.
    pub(super) fn compare_with(&mut self, arguments: &DecideArguments) {
        for step in &mut self.trials {
            step.text = step.trial.text_with(arguments);
        }
        self.left_out = arguments.left_out_in_words();
    }
}

/// Draws the next step with buttons that copy its configuration; `tried`: which of several options is shown, `is_sought`: the page scrolls
/// to it.
pub(super) fn show(ui: &mut Ui, next: &NextTexts, tried: &mut usize, is_sought: bool, commands: &mut Vec<Command>) {
    ui.add_space(8.0);
    let title = ui.strong("Next step");
    if is_sought {
        title.scroll_to_me(Some(Align::TOP));
    }
    if let Some(enter_price) = &next.enter_price {
        ui.add(Label::new(enter_price).wrap());
    }
    if let Some(what_decides) = &next.what_decides {
        ui.add(Label::new(what_decides).wrap());
    }
    *tried = (*tried).min(next.trials.len().saturating_sub(1));
    if next.trials.len() > 1 {
        ui.horizontal_wrapped(|ui| {
            for (place, step) in next.trials.iter().enumerate() {
                let label = ui.selectable_value(tried, place, &step.trial.option);
                label.on_hover_text("Show the settings of a trial run of this option");
            }
        });
    }
    if let Some(step) = next.trials.get(*tried) {
        settings(ui, step, next.left_out.as_deref(), commands);
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

fn settings(
    ui: &mut Ui,
    TrialStep { trial, text, command, needs }: &TrialStep,
    left_out: Option<&str>,
    commands: &mut Vec<Command>,
) {
    ui.add(Label::new(text).wrap());
    if let Some(left_out) = left_out {
        ui.add(Label::new(RichText::new(left_out).weak()).wrap());
    }
    ui.add(Label::new(RichText::new(command).monospace()).wrap());
    ui.weak(APPLICATION);
    ui.horizontal_wrapped(|ui| {
        let settings = counted(trial.settings.len() as f64, "setting");
        if ui.button("Copy spark-submit command").on_hover_text("The settings as --conf arguments, as above").clicked()
        {
            let what = format!("the spark-submit command with {settings} for {}", trial.option);
            copy(ui, commands, command.clone(), &what);
        }
        if ui.button("Copy spark-defaults.conf lines").on_hover_text("The same settings, one per line").clicked() {
            let what = format!("{settings} for {} as lines of spark-defaults.conf", trial.option);
            copy(ui, commands, trial.defaults().join("\n"), &what);
        }
    });
    for need in needs {
        ui.add(Label::new(need).wrap());
    }
}
