//! Figures of any study along one of its numbers.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use crossover_export::sweep::{sweep_csv, sweep_json};
use crossover_page::terminal::{message, print, with_progress};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::bands::SAMPLES;
use crossover_tools::{self as tools, Bands, BandsError, Range, Sampling, Sweep, Swept, UncertaintyError};

use super::rounds::{LastRound, Rounds, growing, range_of};
use super::sampling::SamplingOptions;
use super::{application, wrong_usage};
use crate::kinds;

/// Values of the first round.
const FIRST_POINTS: usize = 11;

#[derive(Debug, Args)]
pub(super) struct SweepOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    /// The number, its range, the number of values (default 101), and log for logarithmic spacing:
    /// cluster.machines=10..1000:50:log; the bounds may have units: 5ms..2s
    #[arg(long, value_name = "PATH=FROM..TO[:POINTS][:log]")]
    x: String,
    /// Adds the 5 % and 95 % quantiles of each figure at each value, given the uncertainty of the other numbers
    #[arg(long)]
    bands: bool,
    /// Format of the result
    #[arg(long, value_enum, default_value = "csv")]
    format: SweepFormat,
}

/// Format of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SweepFormat {
    /// One line for each value, for spreadsheets
    Csv,
    /// With names and units, for programs
    Json,
}

/// Prints the figures along the number; omitted values are reported on standard error.
pub(super) fn sweep(options: &SweepOptions) -> Result<()> {
    let usage = |problem: &str| wrong_usage("sweep", problem);
    let (scenario, sampling) = options.sampling.read(SAMPLES, usage)?;
    if options.sampling.has_spreads_or_samples() && !options.bands {
        return Err(usage("--spread, --spread-all and --samples need --bands; add --bands").into());
    }
    let sweep = Sweep::read(scenario.study.subject(), &options.x).map_err(|error| usage(&error.to_string()))?;
    let sweep = Sweep { figures: sampling.figures.clone(), ..sweep };
    let count = sweep.values(scenario.study.subject()).map_err(|error| usage(&error.to_string()))?.len();
    let rounds = Rounds { sizes: growing(FIRST_POINTS, 4, sweep.x.points), limit: None, counted: "values" };
    let last = rounds.run(
        |last| format!("{} at {} of {count} values", so_far(&last.found), last.found.values.len()),
        |points, watch| tools::sweep(scenario.study.subject(), &coarser(&sweep, points), watch),
    );
    let LastRound { found: swept, .. } =
        last.map_err(|error| usage(&error.to_string()))?.context("the sweep was cancelled")?;
    let bands = if options.bands { Some(banded(&scenario, &sweep, &sampling)?) } else { None };
    application::message_about(&scenario);
    if let Some(left_out) = &swept.left_out {
        message(left_out.to_string());
    }
    if let Some(not_allowed) = bands.as_ref().and_then(|bands| bands.not_allowed.as_ref()) {
        message(not_allowed.to_string());
    }
    if let Some(caution) = kinds::module(scenario.study.kind()).weak_scaling_caution(&scenario.study, &[&swept.path]) {
        message(&caution);
    }
    if swept.is_flat() {
        message(format!("{} has no effect on these figures in this range", swept.path));
    }
    print(&match options.format {
        SweepFormat::Csv => sweep_csv(&swept, bands.as_ref()),
        SweepFormat::Json => sweep_json(&scenario, &swept, bands.as_ref()),
    })
}

/// The same sweep with at most so many values.
fn coarser(sweep: &Sweep, points: usize) -> Sweep {
    Sweep { x: Range { points: sweep.x.points.min(points), ..sweep.x.clone() }, figures: sweep.figures.clone() }
}

fn so_far(swept: &Swept) -> String {
    let of = swept.curves.first();
    of.map_or_else(String::new, |of| range_of(&of.label, of.figure.unit, &of.values))
}

/// The bands of the figures.
fn banded(scenario: &Scenario, sweep: &Sweep, sampling: &Sampling) -> Result<Bands> {
    let count = sweep.values(scenario.study.subject())?.len().saturating_mul(sampling.samples);
    let done = AtomicUsize::new(0);
    let line = || format!("{} of {count} samples", done.load(Ordering::Relaxed));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let found = with_progress(line, || tools::bands(scenario.study.subject(), sweep, sampling, watch));
    match found {
        Ok(found) => found.context("the sweep was cancelled"),
        Err(BandsError::Uncertainty(UncertaintyError::Nowhere(refused))) => {
            Err(UncertaintyError::Nowhere(refused).into())
        }
        Err(error) => Err(wrong_usage("sweep", &error.to_string()).into()),
    }
}
