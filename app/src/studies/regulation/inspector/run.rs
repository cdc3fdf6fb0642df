//! How long the simulation runs, and over what its results are averaged.

use crossover_model::regulation::Regulation;
use crossover_model::regulation::numbers::{AVERAGE_PERIODS, LIGHT_SHARE, PERIOD, PERIODS};
use crossover_model::unit::Unit;
use egui::{RichText, Ui};

use super::Env;
use super::form;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
    form::numbers(ui, study, "run", &[&PERIOD, &PERIODS, &AVERAGE_PERIODS, &LIGHT_SHARE], env);
    let seconds = study.run.periods * study.run.period_seconds;
    ui.label(RichText::new(format!("{} are simulated", Unit::Seconds.format(seconds))).weak().small());
}
