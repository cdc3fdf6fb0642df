//! What the figures of any study hang on.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_export::Format;
use crossover_export::sensitivity::written;
use crossover_page::terminal::{message, print, told_while};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::points::evaluate;
use crossover_tools::sensitivity::{SAMPLES, begin};
use crossover_tools::{Sampling, Sensitivity};

use super::asked::Asked;
use super::sampling::SamplingOptions;
use super::shard::{self, OfShards, ShardOption};
use super::uncertainty::{CALLED_OFF, failed};
use super::wrong_usage;

#[derive(Debug, Args)]
pub(super) struct SensitivityOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    #[command(flatten)]
    sharding: ShardOption,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Prints what figures hang on; samples that are left out go to standard error.
pub(super) fn sensitivity(options: &SensitivityOptions) -> Result<()> {
    let usage = |problem: &str| wrong_usage("sensitivity", problem);
    let (scenario, sampling) = options.sampling.read(SAMPLES, usage)?;
    let done = AtomicUsize::new(0);
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let points =
        begin(scenario.study.subject(), &sampling, watch).map_err(|error| failed(error, usage))?.context(CALLED_OFF)?;
    if let Some(shard) = options.sharding.shard {
        return shard::evaluate(&points, shard, &scenario, Asked::Sensitivity(sampling.clone()));
    }
    let line = || format!("{} evaluations", done.load(Ordering::Relaxed));
    let found = told_while(line, || evaluate(points, watch));
    let found = found.map_err(|error| failed(error, usage))?.context(CALLED_OFF)?;
    tell(&scenario, &sampling, &found, options.format)
}

/// Prints the same of the values of shards.
pub(super) fn merged(scenario: &Scenario, sampling: &Sampling, values: OfShards, format: Format) -> Result<()> {
    let points = Watch::nobody(|watch| begin(scenario.study.subject(), sampling, watch))?.context(CALLED_OFF)?;
    tell(scenario, sampling, &values.conclude(points)?, format)
}

fn tell(scenario: &Scenario, sampling: &Sampling, found: &Sensitivity, format: Format) -> Result<()> {
    if let Some(not_allowed) = &found.not_allowed {
        message(&not_allowed.to_string());
    }
    print(&written(scenario, sampling, found, format))
}
