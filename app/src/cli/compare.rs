//! Scenarios of one kind side by side.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use crossover_model::scenario::{Scenario, Study};
use crossover_model::study::Watch;
use crossover_model::tools;

use crate::export::compare::{Named, csv, json, markdown, table};
use crate::storage::{named, scenario};
use crate::terminal::print;

use super::wrong_usage;

#[derive(Debug, Args)]
pub(super) struct CompareOptions {
    /// Two to four scenario files (.ron) of one kind, the baseline first; "-" reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: CompareFormat,
}

/// What a comparison is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// For the terminal
    Table,
    /// Everything, for programs
    Json,
    /// A line for each number and each figure, for spreadsheets
    Csv,
    /// For documents
    Markdown,
}

/// Prints the numbers that differ, and the figures side by side.
pub(super) fn compare(options: &CompareOptions) -> Result<()> {
    let read = |file: &PathBuf| -> Result<Scenario> {
        let mut scenario = scenario::open(file)?;
        named::fetch(&mut scenario, scenario::folder_of(file));
        Ok(scenario)
    };
    let count = options.files.len();
    if !(2..=tools::compare::MOST).contains(&count) {
        return Err(wrong_usage("compare", &tools::CompareError::Count(count).to_string()).into());
    }
    let scenarios = options.files.iter().map(read).collect::<Result<Vec<Scenario>>>()?;
    let studies: Vec<&Study> = scenarios.iter().map(|scenario| &scenario.study).collect();
    let found = Watch::nobody(|watch| tools::compare(&studies, watch));
    let found = found.map_err(|error| wrong_usage("compare", &error.to_string()))?;
    let found = found.context("the comparison was called off")?;
    let compared = Named { names: &names(&options.files), comparison: &found };
    print(&match options.format {
        CompareFormat::Table => table(&compared),
        CompareFormat::Json => json(scenarios[0].study.kind(), &compared),
        CompareFormat::Csv => csv(&compared),
        CompareFormat::Markdown => markdown(&compared),
    })
}

/// What each file is called: its name without extension, or its path where that is not clear.
fn names(files: &[PathBuf]) -> Vec<String> {
    let stem = |file: &Path| file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let name = |file: &PathBuf| {
        let stem_of_file = stem(file);
        let is_clear = files.iter().filter(|other| stem(other) == stem_of_file).count() == 1;
        if is_clear { stem_of_file } else { file.display().to_string() }
    };
    files.iter().map(name).collect()
}
