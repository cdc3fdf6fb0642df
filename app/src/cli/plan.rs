//! The placement of a scenario's query plan, for the engine and for other programs.

use anyhow::{Result, anyhow};
use clap::Args;
use crossover_model::scenario::Study;

use super::{Source, print};
use crate::export::placement::plan::PlanFormat;

#[derive(Debug, Args)]
pub(super) struct PlanOptions {
    #[command(flatten)]
    source: Source,
    /// What the placement is written as
    #[arg(long, value_enum)]
    format: PlanFormat,
}

/// Prints the placement of a scenario's query plan.
pub(super) fn plan(options: &PlanOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let written = match &scenario.study {
        Study::Placement(study) => options.format.write(&scenario.name, study),
        Study::Regulation(_) => Err("only placement scenarios have query plans; this one is a regulation scenario"),
    };
    print(&written.map_err(|why| anyhow!("{}: {why}", options.source.file.display()))?)
}
