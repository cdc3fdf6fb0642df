//! `crossover learn`: pairs the queries of a run in Spark with those of a trial, and updates the profile of the trial's engine.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ValueEnum};
use crossover_export::learned::{learned_json, learned_text_report};
use crossover_files::atomic;
use crossover_page::terminal::{message, print};
use crossover_placement_page::truth::open_profile;
use crossover_plan::Import;
use crossover_plan::learn::learn as learn_from;

use super::decide::read;
use crate::shipped;

/// Options of `crossover learn`.
#[derive(Debug, Args)]
pub struct LearnOptions {
    /// Spark event logs of the same queries: runs in Spark alone, and runs in RAPIDS, Gluten or Comet, in any order
    #[arg(value_name = "LOG", required = true, num_args = 2..)]
    logs: Vec<PathBuf>,
    /// Profile to start from, written by `crossover learn` or `crossover fit`; default: the shipped engines
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,
    /// File for the learned profile, for `crossover decide --profile`; without it the result is only shown
    #[arg(long, value_name = "PROFILE")]
    out: Option<PathBuf>,
    /// Format of the result
    #[arg(long, value_enum, default_value = "table")]
    format: LearnFormat,
}

/// What the result is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LearnFormat {
    /// For the terminal
    Table,
    /// Everything, for programs
    Json,
    /// For documents
    Markdown,
}

/// Prints predicted against measured time of each query, and writes the profile after the trial.
///
/// # Errors
/// A log or the profile cannot be read, the logs have no query in common, or the profile cannot be written.
pub fn learn(options: &LearnOptions) -> Result<()> {
    let base = match &options.profile {
        None => shipped::base().map_err(|problem| anyhow!(problem))?,
        Some(path) => shipped::with_profile(open_profile(path).map_err(|problem| anyhow!(problem))?)
            .map_err(|problem| anyhow!("--profile {}: {problem}", path.display()))?,
    };
    let logs = options.logs.iter().map(|log| read(log)).collect::<Result<Vec<Import>>>()?;
    let learning = learn_from(&base.study_with_engines(), base.alternatives(), &logs)?;
    if let Some(out) = &options.out {
        let text = learning.profile.to_ron();
        atomic::write(out, text.as_bytes()).with_context(|| format!("cannot write {}", out.display()))?;
        let name = out.display();
        message(format!("{name}: written; decide with it by crossover decide LOG --profile {name}"));
    }
    print(&match options.format {
        LearnFormat::Table => learned_text_report(&learning).terminal(),
        LearnFormat::Json => learned_json(&learning),
        LearnFormat::Markdown => learned_text_report(&learning).markdown(),
    })
}
