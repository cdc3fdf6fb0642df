//! Length of the simulation, and the periods over which its results are averaged.

use crossover_page::widgets::form;
use crossover_quantity::unit::Unit;
use crossover_regulation::{Regulation, Run};
use egui::{RichText, Ui};

use super::Env;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
    // The seed is next to the noise.
    form::all(ui, study, "run", &[&Run::SEED], env.commands);
    let seconds = study.run.periods * study.run.period_seconds;
    ui.label(RichText::new(format!("simulated time {}", Unit::Seconds.format(seconds))).weak().small());
}
