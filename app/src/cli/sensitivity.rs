//! The numbers that figures of any study depend most on.

use anyhow::{Context as _, Result};
use crossover_export::Format;
use crossover_export::sensitivity::{so_far, written};
use crossover_page::terminal::{message, print};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::rounds::Kept;
use crossover_tools::sensitivity::{SAMPLES, Step, begin, round, steps};
use crossover_tools::{Sampling, Sensitivity};

use super::rounds::{LastRound, Rounds, time_limit};
use super::sampled::{CANCELLED, Progress, SampledOptions, failed, last_round};
use super::shard::{self, ShardValues};
use super::tool_arguments::ToolArguments;
use super::{application, wrong_usage};

/// Prints the numbers that figures depend most on; omitted samples are reported on standard error.
pub(super) fn sensitivity(options: &SampledOptions) -> Result<()> {
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
    let (all, numbers, mut kept) = (sampling.samples, points.unknowns().numbers.len(), Kept::default());
    let rounds = Rounds { sizes: steps(study, numbers, all), limit, counted: "evaluations" };
    let round = |step: Step, watch: Watch<'_>| round(study, &sampling, step, &mut kept, watch);
    let progress = |step: Step| match step {
        Step::OneAtATime(moved) => Progress::of_numbers(moved, numbers),
        Step::Samples(samples) => Progress::of_samples(samples, all),
    };
    let LastRound { found, .. } = last_round(rounds, progress, so_far, round, usage)?;
    tell(&scenario, &sampling, &found, options.format)
}

/// Prints the sensitivity that the values of shards give.
pub(super) fn merged(scenario: &Scenario, sampling: &Sampling, values: ShardValues, format: Format) -> Result<()> {
    let points = Watch::uncancellable(|watch| begin(scenario.study.subject(), sampling, watch))?.context(CANCELLED)?;
    tell(scenario, sampling, &values.conclude(points)?, format)
}

fn tell(scenario: &Scenario, sampling: &Sampling, found: &Sensitivity, format: Format) -> Result<()> {
    if format == Format::Csv {
        application::message_about(scenario);
    }
    if let Some(not_allowed) = &found.not_allowed {
        message(not_allowed.to_string());
    }
    print(written(scenario, sampling, found, format))
}
