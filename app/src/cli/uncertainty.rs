//! The intervals of the figures of any study.

use anyhow::{Context as _, Result};
use crossover_export::Format;
use crossover_export::uncertainty::{so_far, written};
use crossover_page::terminal::{message, print};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::rounds::{Kept, rounds};
use crossover_tools::uncertainty::{LEAST_SAMPLES, SAMPLES, begin, round};
use crossover_tools::{Sampling, Uncertain};

use super::rounds::{LastRound, Rounds, time_limit};
use super::sampled::{CANCELLED, Progress, SampledOptions, failed, last_round};
use super::shard::{self, ShardValues};
use super::tool_arguments::ToolArguments;
use super::{application, wrong_usage};

/// Prints the intervals of the figures; omitted samples are reported on standard error.
pub(super) fn uncertainty(options: &SampledOptions) -> Result<()> {
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
    let round = |samples: usize, watch: Watch<'_>| round(study, &sampling, samples, &mut kept, watch);
    let progress = |samples| Progress::of_samples(samples, all);
    let LastRound { found, size } = last_round(rounds, progress, so_far, round, usage)?;
    tell(&scenario, &Sampling { samples: size, ..sampling.clone() }, &found, options.format)
}

/// Prints the intervals that the values of shards give.
pub(super) fn merged(scenario: &Scenario, sampling: &Sampling, values: ShardValues, format: Format) -> Result<()> {
    let samples = Watch::uncancellable(|watch| begin(scenario.study.subject(), sampling, watch))?.context(CANCELLED)?;
    tell(scenario, sampling, &values.conclude(samples)?, format)
}

fn tell(scenario: &Scenario, sampling: &Sampling, found: &Uncertain, format: Format) -> Result<()> {
    if format == Format::Csv {
        application::message_about(scenario);
    }
    if let Some(not_allowed) = &found.not_allowed {
        message(not_allowed.to_string());
    }
    print(written(scenario, sampling, found, format))
}
