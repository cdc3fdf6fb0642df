//! Figures of any study along one of its numbers.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use crossover_export::sweep::{sweep_csv, sweep_json};
use crossover_page::terminal::{message, print};
use crossover_quantity::unit::Unit;
use crossover_study::Subject;
use crossover_tools::bands::{self, SAMPLES, in_whole_percent};
use crossover_tools::rounds::{Kept, growing, rounds};
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{self as tools, Bands, BandsError, Range, Sampling, Sweep, Swept, UncertaintyError};

use super::rounds::{LastRound, Rounds, message_if_partial, range_of, time_limit};
use super::sampling::SamplingOptions;
use super::{application, wrong_usage};
use crate::kinds;

/// Values of the first round.
pub(super) const FIRST_POINTS: usize = 11;
/// The command line never cancels a sweep, so this is not printed.
const CANCELLED: &str = "the sweep was cancelled";

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
    /// Stops after this time, e.g. 2s or 5 min, with the values and the samples so far; default: no limit
    #[arg(long, value_name = "DURATION")]
    time: Option<String>,
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
    let (began, limit) = (Instant::now(), time_limit(options.time.as_deref(), usage)?);
    let rounds = Rounds { sizes: growing(FIRST_POINTS, 4, sweep.x.points), limit, counted: "values" };
    let last = rounds.run(
        |last| format!("{} at {} of {count} values", so_far(&last.found), last.found.values.len()),
        |points, watch| tools::sweep(scenario.study.subject(), &coarser(&sweep, points), watch),
    );
    let LastRound { found: swept, size } = last.map_err(|error| usage(&error.to_string()))?.context(CANCELLED)?;
    message_if_partial(swept.values.len(), count, "values", "", &so_far(&swept));
    let left = limit.map(|limit| limit.saturating_sub(began.elapsed()));
    let bands = if options.bands {
        let found = banded(scenario.study.subject(), &coarser(&sweep, size), &sampling, left);
        found.map_err(|error| no_bands("sweep", error))?
    } else {
        None
    };
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
pub(super) fn coarser(sweep: &Sweep, points: usize) -> Sweep {
    Sweep { x: Range { points: sweep.x.points.min(points), ..sweep.x.clone() }, figures: sweep.figures.clone() }
}

/// "speedup 0.8× … 3.1×": the values of the first figure.
pub(super) fn so_far(swept: &Swept) -> String {
    let of = swept.curves.first();
    of.map_or_else(String::new, |of| range_of(&of.label, of.figure.unit, &of.values))
}

/// The bands of the figures, in rounds of samples; `None` if the time limit ended before the first.
///
/// # Errors
/// As [`bands::bands`].
pub(super) fn banded(
    study: &dyn Subject,
    sweep: &Sweep,
    sampling: &Sampling,
    limit: Option<Duration>,
) -> Result<Option<Bands>, BandsError> {
    let (all, mut kept) = (sampling.samples, Kept::default());
    // The curves are the first answer.
    let sizes: Vec<usize> = std::iter::once(0).chain(rounds(study, LEAST_SAMPLES, all)).collect();
    let rounds = Rounds { sizes, limit, counted: "evaluations" };
    let last = rounds.run(
        |last: &LastRound<Option<Bands>>| bands_so_far(last.found.as_ref(), all),
        |samples, watch| match samples {
            0 => Ok(Some(None)),
            _ => bands::round(study, sweep, sampling, samples, &mut kept, watch).map(|found| found.map(Some)),
        },
    )?;
    // The command line never cancels the only round.
    let Some(LastRound { found, size }) = last else { return Ok(None) };
    message_if_partial(size, all, "samples at each value", "", &bands_so_far(found.as_ref(), all));
    Ok(found)
}

/// Why a subcommand has no bands. A study without a valid sample is not a wrong use of it.
pub(super) fn no_bands(command: &str, error: BandsError) -> anyhow::Error {
    match error {
        BandsError::Uncertainty(error @ UncertaintyError::Nowhere(_)) => error.into(),
        error => wrong_usage(command, &error.to_string()).into(),
    }
}

/// "bands of 64 of 1,024 samples, each end ± 16 % of their width": with the sampling error so far.
fn bands_so_far(bands: Option<&Bands>, all: usize) -> String {
    let Some(bands) = bands else { return "no bands".to_owned() };
    let [samples, all] = [bands.samples, all].map(|samples| Unit::Count.format(samples as f64));
    let error = bands.error.map(in_whole_percent);
    let error =
        error.map_or_else(String::new, |error| format!(", each end ± {} of their width", Unit::Share.format(error)));
    format!("bands of {samples} of {all} samples{error}")
}
