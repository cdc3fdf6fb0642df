//! Regulation studies on the command line.

mod readings_options;
mod regulate;
mod replay;
mod stability;
mod tune;

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::{CommandFactory as _, FromArgMatches as _};
use crossover_page::terminal::{Subcommand, other_kind, with_progress};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::text::counted;
use crossover_regulation::{Controller, Regulation};
use crossover_scenario::Scenario;
use crossover_study::Watch;

use regulate::{RestoreOptions, RunOptions};
use replay::ReplayOptions;
use stability::StabilityOptions;
use tune::TuneOptions;

/// Subcommands for regulation studies only.
pub(crate) const SUBCOMMANDS: [Subcommand; 6] = [
    Subcommand {
        under: None,
        command: TuneOptions::command,
        run: |matches| tune::tune(&TuneOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: StabilityOptions::command,
        run: |matches| stability::stability(&StabilityOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: ReplayOptions::command,
        run: |matches| replay::replay(&ReplayOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: || {
            clap::Command::new("regulate")
                .about("Regulates a real cluster with a controller of a regulation scenario")
                .display_order(41)
                .arg_required_else_help(true)
        },
        run: |_| Ok(()),
    },
    Subcommand {
        under: Some("regulate"),
        command: RunOptions::command,
        run: |matches| regulate::run(&RunOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("regulate"),
        command: RestoreOptions::command,
        run: |matches| regulate::restore(&RestoreOptions::from_arg_matches(matches)?),
    },
];

/// The regulation study of a scenario.
fn study(scenario: &Scenario) -> Result<&Regulation> {
    let why = || other_kind("only regulation scenarios have controllers", scenario.study.kind());
    scenario.regulation().with_context(why)
}

/// The chosen controller of a study, with its index.
fn chosen(study: &Regulation) -> Result<(usize, &Controller)> {
    let controllers = study.controllers.iter().enumerate();
    let mut named = controllers.filter(|(_, controller)| controller.name == study.policy.controller);
    named.next().context("a valid study has the controller that its policy names")
}

/// Index of the cluster that an option names.
fn cluster(study: &Regulation, option: &str, name: &str) -> Result<usize> {
    let names: Vec<&str> = study.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
    let index = names.iter().position(|known| *known == name);
    let hint = did_you_mean(name, &names);
    index.with_context(|| format!("{option}: there is no cluster “{name}”{hint}; there is: {}", names.join(", ")))
}

/// Runs work of many simulations and prints how many of them are finished.
fn watched<T>(work: impl FnOnce(Watch<'_>) -> T) -> T {
    let runs = AtomicUsize::new(0);
    let line = || counted(runs.load(Ordering::Relaxed) as f64, "run");
    with_progress(line, || work(Watch { is_cancelled: &|| false, done: &runs }))
}
