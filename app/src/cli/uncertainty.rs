//! How sure the figures of any study are.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_export::Format;
use crossover_export::uncertainty::written;
use crossover_page::terminal::{message, print, told_while};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::points::evaluate;
use crossover_tools::uncertainty::{SAMPLES, begin};
use crossover_tools::{Sampling, Uncertain, UncertaintyError};

use super::asked::Asked;
use super::sampling::SamplingOptions;
use super::shard::{self, OfShards, ShardOption};
use super::wrong_usage;

/// Nobody calls off what the command line does.
pub(super) const CALLED_OFF: &str = "the sampling was called off";

#[derive(Debug, Args)]
pub(super) struct UncertaintyOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    #[command(flatten)]
    sharding: ShardOption,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Prints what figures may be; samples that are left out go to standard error.
pub(super) fn uncertainty(options: &UncertaintyOptions) -> Result<()> {
    let usage = |problem: &str| wrong_usage("uncertainty", problem);
    let (scenario, sampling) = options.sampling.read(SAMPLES, usage)?;
    let done = AtomicUsize::new(0);
    let line = || format!("{} of {} samples", done.load(Ordering::Relaxed), sampling.samples);
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let samples =
        begin(scenario.study.subject(), &sampling, watch).map_err(|error| failed(error, usage))?.context(CALLED_OFF)?;
    if let Some(shard) = options.sharding.shard {
        return shard::evaluate(&samples, shard, &scenario, Asked::Uncertainty(sampling.clone()));
    }
    let found = told_while(line, || evaluate(samples, watch));
    let found = found.map_err(|error| failed(error, usage))?.context(CALLED_OFF)?;
    tell(&scenario, &sampling, &found, options.format)
}

/// Prints the same of the values of shards.
pub(super) fn merged(scenario: &Scenario, sampling: &Sampling, values: OfShards, format: Format) -> Result<()> {
    let samples = Watch::nobody(|watch| begin(scenario.study.subject(), sampling, watch))?.context(CALLED_OFF)?;
    tell(scenario, sampling, &values.conclude(samples)?, format)
}

fn tell(scenario: &Scenario, sampling: &Sampling, found: &Uncertain, format: Format) -> Result<()> {
    if let Some(not_allowed) = &found.not_allowed {
        message(&not_allowed.to_string());
    }
    print(&written(scenario, sampling, found, format))
}

/// A study that allows no sample is no wrong use of the command.
pub(super) fn failed(error: UncertaintyError, usage: impl Fn(&str) -> clap::Error) -> anyhow::Error {
    match error {
        UncertaintyError::Nowhere(_) => error.into(),
        error => usage(&error.to_string()).into(),
    }
}
