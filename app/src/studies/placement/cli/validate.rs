//! Predictions beside what was measured.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::{Parser, ValueEnum};
use crossover_plan::{Control, cases};

use super::profile;
use crate::export::placement::truth::{truth_json, truth_markdown, truth_table};
use crate::terminal::{message, print};
use crate::truth::compare;

/// Compares predicted times of whole queries with measured ones
#[derive(Debug, Parser)]
#[command(name = "validate", display_order = 72)]
pub(super) struct ValidateOptions {
    /// CSV with the columns `case,plan,format,scale,scenario,cpu_seconds,gpu_seconds`
    cases: PathBuf,
    /// Profile of `fit`; takes the place of the scenarios' engines
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: ValidateFormat,
}

/// What a comparison is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ValidateFormat {
    /// For the terminal
    Table,
    /// Everything, for programs
    Json,
    /// For documents
    Markdown,
}

/// Prints every case, predicted and measured, and how far predictions are off.
pub(super) fn validate(options: &ValidateOptions) -> Result<()> {
    let profile = options.profile.as_deref().map(profile::open).transpose()?;
    let cases = cases::cases(&options.cases).map_err(|error| anyhow!("{error}"))?;
    let note = |note: String| message(&format!("note: {note}"));
    let compared = compare(cases, profile.as_ref().map(|profile| &profile.engines), &Control::default(), note)
        .map_err(|error| anyhow!("{error}"))?;
    print(&match options.format {
        ValidateFormat::Table => truth_table(&compared),
        ValidateFormat::Json => truth_json(&compared),
        ValidateFormat::Markdown => truth_markdown(&compared),
    })
}
