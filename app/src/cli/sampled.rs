//! What uncertainty and sensitivity have in common: their options, and their rounds of samples.

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_export::Format;
use crossover_quantity::text::counted_of;
use crossover_study::Watch;
use crossover_tools::UncertaintyError;
use crossover_tools::uncertainty::LEAST_SAMPLES;

use super::rounds::{LastRound, Rounds, message_of_partial};
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

/// How far a round goes.
#[derive(Debug)]
pub(super) struct Progress {
    /// “16 of 1,024 samples”.
    text: String,
    /// The option that repeats it; empty if none does.
    repeat: String,
    is_whole: bool,
}

impl Progress {
    /// So many of all samples.
    pub(super) fn of_samples(samples: usize, all: usize) -> Self {
        let text = counted_of(samples as f64, all as f64, "sample");
        Self { text, repeat: repeat(samples), is_whole: samples >= all }
    }

    /// So many of all numbers moved one at a time, before any sample.
    pub(super) fn of_numbers(moved: usize, all: usize) -> Self {
        let numbers = counted_of(moved as f64, all as f64, "number");
        Self { text: format!("{numbers} moved one at a time"), repeat: String::new(), is_whole: false }
    }
}

/// Runs the rounds of a tool; a message tells if the time limit ended them before the whole.
pub(super) fn last_round<T, S: Copy>(
    rounds: Rounds<S>,
    progress: impl Fn(S) -> Progress,
    so_far: impl Fn(&T) -> String,
    round: impl FnMut(S, Watch<'_>) -> Result<Option<T>, UncertaintyError>,
    usage: impl Fn(&str) -> clap::Error,
) -> Result<LastRound<T, S>> {
    let last = rounds.run(|last| format!("{}, with {}", so_far(&last.found), progress(last.size).text), round);
    let last = last.map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    let Progress { text, repeat, is_whole } = progress(last.size);
    if !is_whole {
        message_of_partial(&text, &repeat, &so_far(&last.found));
    }
    Ok(last)
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
