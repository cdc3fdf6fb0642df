//! The intervals of the figures of any study.

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_export::Format;
use crossover_export::uncertainty::{so_far, written};
use crossover_page::terminal::{message, print};
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::rounds::{Kept, rounds};
use crossover_tools::uncertainty::{LEAST_SAMPLES, SAMPLES, begin, round};
use crossover_tools::{Sampling, Uncertain, UncertaintyError};

use super::rounds::{LastRound, Rounds, message_if_partial, time_limit};
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
    /// Stops after this time, e.g. 2s or 5 min, with the samples so far, and states their number and error; default: no limit
    #[arg(long, value_name = "DURATION", conflicts_with = "shard")]
    time: Option<String>,
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
    let limit = time_limit(options.time.as_deref(), usage)?;
    let study = scenario.study.subject();
    // What is wrong with the whole run is found before the first round.
    let samples = Watch::uncancellable(|watch| begin(study, &sampling, watch));
    let samples = samples.map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    if let Some(shard) = options.sharding.shard {
        return shard::evaluate(&samples, shard, &scenario, ToolArguments::Uncertainty(sampling.clone()));
    }
    let (all, mut kept) = (sampling.samples, Kept::default());
    let rounds = Rounds { sizes: rounds(study, LEAST_SAMPLES, all), limit, counted: "evaluations" };
    let last = rounds
        .run(|last| so_far_of(last, all, so_far), |samples, watch| round(study, &sampling, samples, &mut kept, watch));
    let LastRound { found, size } = last.map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    message_if_partial(size, all, "samples", &repeat(size), &so_far(&found));
    tell(&scenario, &Sampling { samples: size, ..sampling.clone() }, &found, options.format)
}

/// "speedup 1.5× … 1.9×, with 256 of 16,384 samples".
pub(super) fn so_far_of<T>(last: &LastRound<T>, all: usize, so_far: impl Fn(&T) -> String) -> String {
    let [size, all] = [last.size, all].map(|samples| Unit::Count.format(samples as f64));
    format!("{}, with {size} of {all} samples", so_far(&last.found))
}

/// The option that repeats a partial run; empty if its samples are too few to be requested.
pub(super) fn repeat(samples: usize) -> String {
    if samples < LEAST_SAMPLES { String::new() } else { format!(", which --samples {samples} repeats") }
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
