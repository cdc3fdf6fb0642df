//! The trial of an option: the measured time beside the predicted one, and what was learned from it.

use crossover_decision::Decision;
use crossover_decision::trial::TrialTime;
use crossover_export::arguments::DecideArguments;
use crossover_export::decision::DecidedTrial;
use crossover_page::ask::Ask as _;
use crossover_page::command::Command;
use crossover_page::widgets::warning;
use crossover_placement::Placement;
use crossover_plan::decide::Workload;
use egui::{Label, RichText, Ui};

use super::super::Env;
use super::super::import::trial::has_trials;
use super::super::request::Request;
use super::decided::Decided;
use super::trial_texts::title;

/// The trial of a workload beside its prediction; `None` without one.
pub(super) fn decided(workload: &Workload, before: Option<Decision>) -> Option<DecidedTrial> {
    let (tried, before) = (workload.tried.as_ref()?, before?);
    let total = TrialTime {
        name: if tried.run.query.is_empty() { "the query".to_owned() } else { format!("query {}", tried.run.query) },
        predicted: tried.predicted.time?,
        seconds: tried.run.seconds,
    };
    Some(DecidedTrial {
        file: tried.run.file.clone(),
        option: tried.predicted.title.clone(),
        queries: vec![total.clone()],
        total,
        missing: 0,
        before,
    })
}

/// Draws the measured time beside the predicted one, and what was learned; the buttons compare with a log, learn from it, and remove both.
pub(super) fn show(ui: &mut Ui, study: &mut Placement, decided: &Decided, env: &mut Env<'_>) {
    let Decided { trial, learned, .. } = decided;
    let kept = study.decision.as_deref().and_then(|inputs| inputs.trial.clone());
    if !has_trials(study) && kept.is_none() && learned.is_none() {
        return;
    }
    ui.add_space(8.0);
    match (trial, &kept) {
        (Some(trial), _) => trial.show(ui),
        (None, Some(run)) => {
            ui.strong(title(&run.option, &run.file));
            warning::show(ui, "No option has this engine and these machines any more, so the trial is not used.");
        }
        (None, None) => {
            ui.strong("Trial");
            let text = "After a run of this query with one of the options, compare its event log with the prediction.";
            ui.add(Label::new(RichText::new(text).weak()).wrap());
        }
    }
    if let Some(learned) = learned {
        learned.show(ui);
    }
    ui.horizontal_wrapped(|ui| {
        let learn = (kept.is_some() && has_trials(study)).then_some(Request::LearnTrial);
        for request in std::iter::once(Request::CompareTrial).chain(learn) {
            if ui.button(request.text()).on_hover_text(request.tooltip()).clicked() {
                env.commands.push(Command::ask(request));
            }
        }
        if kept.is_some() {
            let remove = ui.button("Remove the trial");
            if remove.on_hover_text("Decide by the predicted time again").clicked() {
                study.edit_decision(|inputs| inputs.trial = None);
            }
        }
        if learned.is_some() {
            let forget = ui.button("Forget what was learned");
            if forget.on_hover_text("Return to the predictions from before the trial").clicked() {
                study.forget_learned();
            }
        }
    });
}

/// Says how the trial of an application is compared; true if the page of its query, which compares that one, is to be shown.
pub(super) fn of_application(ui: &mut Ui, study: &Placement, arguments: &DecideArguments) -> bool {
    if !has_trials(study) {
        return false;
    }
    ui.add_space(8.0);
    ui.strong("Trial");
    let text = format!(
        "The window compares the trial of one query. For the whole application, use the terminal: {}",
        arguments.compare_command()
    );
    ui.add(Label::new(RichText::new(text).weak()).wrap());
    let button = ui.button("Compare a trial of this query");
    button.on_hover_text("Shows the answer about this query, with the button that compares a log").clicked()
}
