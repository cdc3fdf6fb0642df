//! What uncertainty and sensitivity have in common: their options, and their rounds of samples.

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_export::Format;
use crossover_quantity::unit::Unit;
use crossover_study::Watch;
use crossover_tools::UncertaintyError;
use crossover_tools::uncertainty::LEAST_SAMPLES;

use super::rounds::{LastRound, Rounds, message_if_partial};
use super::sampling::SamplingOptions;
use super::shard::ShardOption;

/// The command line never cancels sampling, so this is not printed.
pub(super) const CANCELLED: &str = "the sampling was cancelled";

#[derive(Debug, Args)]
pub(super) struct SampledOptions {
    #[command(flatten)]
    pub(super) sampling: SamplingOptions,
    /// Stops after this time, e.g. 2s or 5 min, with the samples so far, and states their number and error; default: no limit
    #[arg(long, value_name = "DURATION", conflicts_with = "shard")]
    pub(super) time: Option<String>,
    #[command(flatten)]
    pub(super) sharding: ShardOption,
    /// Format of the result
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Format,
}

/// Runs the rounds of a tool that takes `all` samples; a message tells if the time limit ended them earlier.
pub(super) fn last_round<T>(
    rounds: Rounds,
    all: usize,
    so_far: impl Fn(&T) -> String,
    round: impl FnMut(usize, Watch<'_>) -> Result<Option<T>, UncertaintyError>,
    usage: impl Fn(&str) -> clap::Error,
) -> Result<LastRound<T>> {
    let last = rounds.run(|last| so_far_of(last, all, &so_far), round);
    let last = last.map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    message_if_partial(last.size, all, "samples", &repeat(last.size), &so_far(&last.found));
    Ok(last)
}

/// "speedup 1.5× … 1.9×, with 256 of 16,384 samples".
fn so_far_of<T>(last: &LastRound<T>, all: usize, so_far: impl Fn(&T) -> String) -> String {
    let [size, all] = [last.size, all].map(|samples| Unit::Count.format(samples as f64));
    format!("{}, with {size} of {all} samples", so_far(&last.found))
}

/// The option that repeats a partial run; empty if its samples are too few to be requested.
pub(super) fn repeat(samples: usize) -> String {
    if samples < LEAST_SAMPLES { String::new() } else { format!(", which --samples {samples} repeats") }
}

/// A study without a valid sample is not a wrong use of the command.
pub(super) fn failed(error: UncertaintyError, usage: impl Fn(&str) -> clap::Error) -> anyhow::Error {
    match error {
        UncertaintyError::Nowhere(_) => error.into(),
        error => usage(&error.to_string()).into(),
    }
}
