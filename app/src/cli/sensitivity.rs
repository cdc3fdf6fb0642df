//! The numbers that figures of any study depend most on.

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_export::Format;
use crossover_export::sensitivity::{so_far, written};
use crossover_page::terminal::{message, print};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::rounds::{Kept, rounds};
use crossover_tools::sensitivity::{FIRST_SAMPLES, SAMPLES, begin, round};
use crossover_tools::{Sampling, Sensitivity};

use super::rounds::{LastRound, Rounds, message_if_partial, time_limit};
use super::sampling::SamplingOptions;
use super::shard::{self, ShardOption, ShardValues};
use super::tool_arguments::ToolArguments;
use super::uncertainty::{CANCELLED, failed, repeat, so_far_of};
use super::wrong_usage;

#[derive(Debug, Args)]
pub(super) struct SensitivityOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    /// Stops after this time, e.g. 2s or 5 min, with the samples so far, and states their number and error; default: no limit
    #[arg(long, value_name = "DURATION", conflicts_with = "shard")]
    time: Option<String>,
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
    let limit = time_limit(options.time.as_deref(), usage)?;
    let study = scenario.study.subject();
    // What is wrong with the whole run is found before the first round.
    let points = Watch::uncancellable(|watch| begin(study, &sampling, watch));
    let points = points.map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    if let Some(shard) = options.sharding.shard {
        return shard::evaluate(&points, shard, &scenario, ToolArguments::Sensitivity(sampling.clone()));
    }
    let (all, mut kept) = (sampling.samples, Kept::default());
    let rounds = Rounds { sizes: rounds(study, FIRST_SAMPLES, all), limit, counted: "evaluations" };
    let last = rounds
        .run(|last| so_far_of(last, all, so_far), |samples, watch| round(study, &sampling, samples, &mut kept, watch));
    let LastRound { found, size } = last.map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    message_if_partial(size, all, "samples", &repeat(size), &so_far(&found));
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
