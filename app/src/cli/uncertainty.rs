//! The intervals of the figures of any study.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_export::Format;
use crossover_export::uncertainty::written;
use crossover_page::terminal::{message, print, with_progress};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::points::evaluate;
use crossover_tools::uncertainty::{SAMPLES, begin};
use crossover_tools::{Sampling, Uncertain, UncertaintyError};

use super::sampling::SamplingOptions;
use super::shard::{self, ShardOption, ShardValues};
use super::tool_arguments::ToolArguments;
use super::wrong_usage;

/// The command line never cancels sampling, so this is not printed.
pub(super) const CANCELLED: &str = "the sampling was cancelled";

#[derive(Debug, Args)]
pub(super) struct UncertaintyOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    #[command(flatten)]
    sharding: ShardOption,
    /// Format of the result
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Prints the intervals of the figures; omitted samples are reported on standard error.
pub(super) fn uncertainty(options: &UncertaintyOptions) -> Result<()> {
    let usage = |problem: &str| wrong_usage("uncertainty", problem);
    let (scenario, sampling) = options.sampling.read(SAMPLES, usage)?;
    let done = AtomicUsize::new(0);
    let line = || format!("{} of {} samples", done.load(Ordering::Relaxed), sampling.samples);
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let samples =
        begin(scenario.study.subject(), &sampling, watch).map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    if let Some(shard) = options.sharding.shard {
        return shard::evaluate(&samples, shard, &scenario, ToolArguments::Uncertainty(sampling.clone()));
    }
    let found = with_progress(line, || evaluate(samples, watch));
    let found = found.map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    tell(&scenario, &sampling, &found, options.format)
}

/// Prints the intervals that the values of shards give.
pub(super) fn merged(scenario: &Scenario, sampling: &Sampling, values: ShardValues, format: Format) -> Result<()> {
    let samples = Watch::uncancellable(|watch| begin(scenario.study.subject(), sampling, watch))?.context(CANCELLED)?;
    tell(scenario, sampling, &values.conclude(samples)?, format)
}

fn tell(scenario: &Scenario, sampling: &Sampling, found: &Uncertain, format: Format) -> Result<()> {
    if let Some(not_allowed) = &found.not_allowed {
        message(not_allowed.to_string());
    }
    print(written(scenario, sampling, found, format))
}

/// A study without a valid sample is not a wrong use of the command.
pub(super) fn failed(error: UncertaintyError, usage: impl Fn(&str) -> clap::Error) -> anyhow::Error {
    match error {
        UncertaintyError::Nowhere(_) => error.into(),
        error => usage(&error.to_string()).into(),
    }
}
