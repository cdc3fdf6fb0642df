//! What a study lacks for a decision, each with the field that adds it.

use crossover_chart::theme::Token;
use crossover_decision::Baseline;
use crossover_engine::Engines;
use crossover_page::command::Command;
use crossover_page::widgets::{form, preset};
use crossover_placement::Placement;
use crossover_quantity::provenance::Provenance;
use crossover_study::sources;
use egui::{Label, RichText, Ui};

use super::super::steps;
use super::super::{Env, Mode, presets};

/// A warning on as many lines as necessary.
pub(super) fn note(ui: &mut Ui, text: &str) {
    let color = Token::Warning.color(ui.visuals().dark_mode);
    ui.add(Label::new(RichText::new(text).color(color)).wrap());
}

/// Says that no engine was measured against that of the query, and offers those that were.
pub(super) fn engines(ui: &mut Ui, study: &mut Placement, mode: &mut Option<Mode>, env: &mut Env<'_>) {
    let engine = study.query.as_deref().map_or("", |query| query.plan.engine.as_str());
    let engine = if engine.is_empty() { "this engine" } else { engine };
    let text = format!(
        "No engine was measured against {engine}, so there is no answer about time and cost. Choose measured engines to \
         compare with, or look at each operator."
    );
    note(ui, &text);
    ui.set_max_width(420.0);
    if let Some(picked) = preset::picker(ui, "engines", "", presets::engines()) {
        env.commands.extend(presets::fill_engines(study, picked).map(Command::Notify));
    }
    if ui.button("Show operators").clicked() {
        *mode = Some(Mode::Plan);
    }
}

/// The measured time of the query, or why there is none. A run on GPUs has no time on CPUs to compare with.
pub(super) fn run(ui: &mut Ui, study: &mut Placement, baseline: Option<&Baseline>, env: &mut Env<'_>) {
    let Some(engines) = study.engines.as_deref() else { return };
    let ran_on_gpu = study.query.as_deref().is_some_and(|query| query.plan.nodes.iter().any(|node| node.ran_on_gpu));
    if ran_on_gpu {
        note(ui, "This query ran on GPUs, so the file has no time on CPUs to compare with.");
        if ui.button("Choose a run on CPUs").clicked() {
            env.commands.push(Command::ShowTool(steps::WHAT));
        }
    } else if engines.measured_seconds.is_some() {
        form::numbers(ui, study, "engines", &[&Engines::MEASURED_SECONDS], env.commands);
    } else {
        note(
            ui,
            "No measured time: the file has none, its end is missing, or the query failed. The time is predicted.",
        );
        if ui.button("Enter the measured time").clicked() {
            let seconds = baseline.map_or(1.0, |baseline| baseline.time.value());
            enter(study, |engines| engines.measured_seconds = Some(seconds.clamp(1e-6, 1e9)));
        }
    }
}

/// Says that the file does not name the machines.
pub(super) fn machines(ui: &mut Ui, study: &Placement) {
    if has_assumed_machines(study) {
        note(
            ui,
            "The file does not say how many machines ran the query. The number of the measured cluster is shown: check it.",
        );
    }
}

/// Says that the log ran in another region than that of the prices; `place`: where they are entered, if not here.
pub(super) fn region(ui: &mut Ui, difference: Option<&str>, place: &str) {
    if let Some(difference) = difference {
        note(ui, &format!("Assumed: {difference}. Enter the prices of your region{place}."));
    }
}

/// Whether a study with engines lacks today's machines or their price.
pub(in super::super) fn lacks_machines(study: &Placement) -> bool {
    study.engines.as_deref().is_some_and(|engines| engines.cpu.usd_per_hour.is_none() || has_assumed_machines(study))
}

/// Whether the number of today's machines is that of the measurement.
fn has_assumed_machines(study: &Placement) -> bool {
    // An entered number has no source.
    let is_assumed = |source: &Provenance| !matches!(source, Provenance::Imported { .. });
    study.sources.get("engines.cpu.machines").is_some_and(is_assumed)
}

/// Edits the engines; numbers that change count as entered.
pub(super) fn enter(study: &mut Placement, edit: impl FnOnce(&mut Engines)) {
    sources::enter(study, |study| {
        if let Some(engines) = study.engines.as_deref_mut() {
            edit(engines);
        }
    });
}
