//! Figures of any study along one of its numbers.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use crossover_export::sweep::{sweep_csv, sweep_json};
use crossover_page::terminal::{message, print, told_while};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::bands::SAMPLES;
use crossover_tools::{self as tools, Bands, BandsError, Sampling, Sweep, UncertaintyError};

use super::sampling::SamplingOptions;
use super::wrong_usage;
use crate::kinds;

#[derive(Debug, Args)]
pub(super) struct SweepOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    /// The number, from where to where, at how many values (default 101), evenly spaced in the logarithm or not:
    /// cluster.machines=10..1000:50:log; ends may have units, as 5ms..2s
    #[arg(long, value_name = "PATH=FROM..TO[:POINTS][:log]")]
    x: String,
    /// Prints beside each figure what 5 and 95 % of all samples do not exceed at each value, where other numbers are not known
    /// exactly
    #[arg(long)]
    bands: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value = "csv")]
    format: SweepFormat,
}

/// What a sweep is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SweepFormat {
    /// A line for each value, for spreadsheets
    Csv,
    /// The same with names and units, for programs
    Json,
}

/// Prints the figures along the number; what is left out goes to standard error.
pub(super) fn sweep(options: &SweepOptions) -> Result<()> {
    let usage = |problem: &str| wrong_usage("sweep", problem);
    let (scenario, sampling) = options.sampling.read(SAMPLES, usage)?;
    if options.sampling.says_how() && !options.bands {
        return Err(usage("--spread, --within and --samples are for bands: add --bands").into());
    }
    let sweep = Sweep::read(scenario.study.subject(), &options.x).map_err(|error| usage(&error.to_string()))?;
    let sweep = Sweep { figures: sampling.figures.clone(), ..sweep };
    let count = sweep.values(scenario.study.subject()).map_err(|error| usage(&error.to_string()))?.len();
    let done = AtomicUsize::new(0);
    let line = || format!("{} of {count} values", done.load(Ordering::Relaxed));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let swept = told_while(line, || tools::sweep(scenario.study.subject(), &sweep, watch));
    let swept = swept.map_err(|error| usage(&error.to_string()))?.context("the sweep was called off")?;
    let bands = if options.bands { Some(banded(&scenario, &sweep, &sampling)?) } else { None };
    if let Some(left_out) = &swept.left_out {
        message(&left_out.to_string());
    }
    if let Some(not_allowed) = bands.as_ref().and_then(|bands| bands.not_allowed.as_ref()) {
        message(&not_allowed.to_string());
    }
    if let Some(caution) = kinds::room(scenario.study.kind()).kept_by_each(&scenario.study, &[&swept.path]) {
        message(&caution);
    }
    if swept.is_flat() {
        message(&format!("{} changes none of these figures here", swept.path));
    }
    print(&match options.format {
        SweepFormat::Csv => sweep_csv(&swept, bands.as_ref()),
        SweepFormat::Json => sweep_json(&scenario, &swept, bands.as_ref()),
    })
}

/// How far the figures may be off.
fn banded(scenario: &Scenario, sweep: &Sweep, sampling: &Sampling) -> Result<Bands> {
    let count = sweep.values(scenario.study.subject())?.len().saturating_mul(sampling.samples);
    let done = AtomicUsize::new(0);
    let line = || format!("{} of {count} samples", done.load(Ordering::Relaxed));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let found = told_while(line, || tools::bands(scenario.study.subject(), sweep, sampling, watch));
    match found {
        Ok(found) => found.context("the sweep was called off"),
        Err(BandsError::Uncertainty(UncertaintyError::Nowhere(refused))) => {
            Err(UncertaintyError::Nowhere(refused).into())
        }
        Err(error) => Err(wrong_usage("sweep", &error.to_string()).into()),
    }
}
