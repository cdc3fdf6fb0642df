//! Profiles of engines: read, and fitted to runs.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Parser;
use crossover_model::engine::fit::LEAST_FOR_ERROR;
use crossover_model::engine::{Judged, Profile, file, fit};
use crossover_model::provenance::Provenance;
use crossover_model::unit::Unit;
use crossover_plan::{Control, cases};

use crate::export::placement::truth::fit_table;
use crate::storage::atomic;
use crate::terminal::{message, print};
use crate::truth::runs;

/// A number that a fit changes by more than this is worth a question.
const SUSPICIOUS_FACTOR: f64 = 30.0;

/// Fits the engines of a scenario to measured runs of whole queries
#[derive(Debug, Parser)]
#[command(name = "fit", display_order = 71)]
pub(super) struct FitOptions {
    /// CSV with the columns `case,plan,format,scale,scenario,cpu_seconds,gpu_seconds`; the fit begins with the engines of the
    /// scenario
    #[arg(long, value_name = "CSV")]
    cases: PathBuf,
    /// Profile to begin with instead of the scenario's engines
    #[arg(long, value_name = "PROFILE")]
    from: Option<PathBuf>,
    /// File for the fitted profile; without it, what was found is only shown
    #[arg(long, value_name = "PROFILE")]
    out: Option<PathBuf>,
}

/// Shows what the runs say of the engines, and writes the profile if a file is named.
pub(super) fn fit_profile(options: &FitOptions) -> Result<()> {
    let cases = cases::cases(&options.cases).map_err(|error| anyhow!("{error}"))?;
    let note = |note: String| message(&format!("note: {note}"));
    let from = options.from.as_deref().map(open).transpose()?;
    let (runs, start) = runs(&cases, from, &Control::default(), note).map_err(|error| anyhow!("{error}"))?;
    let fitted = start.sources.values().find_map(|source| match source {
        Provenance::Fitted { runs, .. } => Some(runs),
        _ => None,
    });
    if let Some(fitted) = fitted {
        let why = "if these are among them, the errors of queries that are left out come out too small";
        message(&format!(
            "note: the fit begins with numbers that were fitted to {fitted}; {why} (--from names another beginning)"
        ));
    }
    let Some(found) = fit(&runs, &start.engines) else {
        bail!("{}: no case has a measured time; a fit needs cpu_seconds or gpu_seconds", options.cases.display());
    };
    let measured = runs.iter().filter(|run| run.cpu_seconds.is_some() || run.gpu_seconds.is_some()).count();
    if measured < found.numbers.len() {
        let why = "what they do not tell stays near the scenario's";
        message(&format!("note: {measured} runs for {} numbers: {why}", found.numbers.len()));
    }
    for (side, within) in [
        ("CPU times", found.engines.cpu.within),
        ("GPU times", found.engines.gpu.within),
        ("speedups", found.engines.speedup_within),
    ] {
        if within <= 1.0 {
            let why = format!("fewer than {LEAST_FOR_ERROR} queries were measured");
            message(&format!("note: {side} have no range, because {why}"));
        }
    }
    let largest = found.numbers.iter().map(|number| number.factor.ln().abs()).fold(0.0, f64::max).exp();
    if largest > SUSPICIOUS_FACTOR {
        message(&format!(
            "note: a number changed by a factor of {}; are the times in seconds, and in the right columns?",
            Unit::Count.format(largest.round())
        ));
    }
    if let Some(out) = &options.out {
        let runs = if measured == 1 { "run" } else { "runs" };
        let name = options.cases.file_name().unwrap_or_default().to_string_lossy();
        let text = found.profile(&format!("{measured} {runs} of {name}"), &start.sources).to_ron();
        atomic::write(out, text.as_bytes()).with_context(|| format!("{}: cannot be written", out.display()))?;
    }
    let left_out = found.left_out.iter().zip(&runs).map(|(prediction, run)| Judged {
        prediction: prediction.clone(),
        cpu_seconds: run.cpu_seconds,
        gpu_seconds: run.gpu_seconds,
    });
    print(&fit_table(&found, &left_out.collect::<Vec<Judged>>()))
}

/// Reads a profile.
pub(super) fn open(path: &Path) -> Result<Profile> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    file::read(&text).map_err(|error| {
        let place = error.place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        let is_scenario = text.contains("study:");
        let hint = if is_scenario { "; this is a scenario, a profile is what `fit --out` writes" } else { "" };
        anyhow!("{}{place}: {}{hint}", path.display(), error.problem)
    })
}
