//! The numbers that figures of any study depend most on.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_export::Format;
use crossover_export::sensitivity::written;
use crossover_page::terminal::{message, print, with_progress};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::points::evaluate;
use crossover_tools::sensitivity::{SAMPLES, begin};
use crossover_tools::{Sampling, Sensitivity};

use super::sampling::SamplingOptions;
use super::shard::{self, ShardOption, ShardValues};
use super::tool_arguments::ToolArguments;
use super::uncertainty::{CANCELLED, failed};
use super::wrong_usage;

#[derive(Debug, Args)]
pub(super) struct SensitivityOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    #[command(flatten)]
    sharding: ShardOption,
    /// Format of the result
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Prints the numbers that figures depend most on; omitted samples are reported on standard error.
pub(super) fn sensitivity(options: &SensitivityOptions) -> Result<()> {
    let usage = |problem: &str| wrong_usage("sensitivity", problem);
    let (scenario, sampling) = options.sampling.read(SAMPLES, usage)?;
    let done = AtomicUsize::new(0);
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let points =
        begin(scenario.study.subject(), &sampling, watch).map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    if let Some(shard) = options.sharding.shard {
        return shard::evaluate(&points, shard, &scenario, ToolArguments::Sensitivity(sampling.clone()));
    }
    let line = || format!("{} evaluations", done.load(Ordering::Relaxed));
    let found = with_progress(line, || evaluate(points, watch));
    let found = found.map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    tell(&scenario, &sampling, &found, options.format)
}

/// Prints the sensitivity that the values of shards give.
pub(super) fn merged(scenario: &Scenario, sampling: &Sampling, values: ShardValues, format: Format) -> Result<()> {
    let points = Watch::uncancellable(|watch| begin(scenario.study.subject(), sampling, watch))?.context(CANCELLED)?;
    tell(scenario, sampling, &values.conclude(points)?, format)
}

fn tell(scenario: &Scenario, sampling: &Sampling, found: &Sensitivity, format: Format) -> Result<()> {
    if let Some(not_allowed) = &found.not_allowed {
        message(not_allowed.to_string());
    }
    print(written(scenario, sampling, found, format))
}
