//! Regulation studies on the command line.

pub(super) mod replay;
pub(super) mod stability;
pub(super) mod tune;

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, anyhow};
use crossover_model::invalid::did_you_mean;
use crossover_model::regulation::tuning::Watch;
use crossover_model::regulation::{Controller, Regulation, evaluate};
use crossover_model::scenario::Scenario;

use super::progress::told_while;
use super::{called, message};
use crate::export::Format;
use crate::export::regulation::results;

/// The outcome of a regulation study as text, with the steps of a strategy or of the chosen controller; what a CSV
/// has no place for goes to standard error.
///
/// # Errors
/// If there is no such strategy.
pub(super) fn outcome(scenario: &str, study: &Regulation, strategy: Option<&str>, format: Format) -> Result<String> {
    let outcome = evaluate(study);
    if format == Format::Csv {
        for warning in &outcome.warnings {
            message(&format!("warning: {warning}"));
        }
    }
    let results = results(scenario, study, &outcome);
    let results = match strategy {
        Some(strategy) => results.with_steps_of(strategy).map_err(|problem| anyhow!("--strategy: {problem}"))?,
        None => results,
    };
    Ok(results.write(format))
}

/// The regulation study of a scenario.
fn study(scenario: &Scenario) -> Result<&Regulation> {
    let this = || called(scenario.study.kind());
    scenario.regulation().with_context(|| format!("only regulation scenarios have controllers; this one is {}", this()))
}

/// The chosen controller of a study, and its place.
fn chosen(study: &Regulation) -> Result<(usize, &Controller)> {
    let controllers = study.controllers.iter().enumerate();
    let mut named = controllers.filter(|(_, controller)| controller.name == study.policy.controller);
    named.next().context("a valid study has the controller that its policy names")
}

/// The place of the cluster that an option names.
fn cluster(study: &Regulation, option: &str, name: &str) -> Result<usize> {
    let names: Vec<&str> = study.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
    let index = names.iter().position(|known| *known == name);
    let hint = did_you_mean(name, &names);
    index.with_context(|| format!("{option}: there is no cluster “{name}”{hint}; there is: {}", names.join(", ")))
}

/// Does work of many runs and tells how many of them are done.
fn watched<T>(work: impl FnOnce(Watch<'_>) -> T) -> T {
    let runs = AtomicUsize::new(0);
    let line = || format!("{} runs", runs.load(Ordering::Relaxed));
    told_while(line, || work(Watch { is_cancelled: &|| false, done: &runs }))
}
