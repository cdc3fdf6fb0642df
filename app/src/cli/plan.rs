//! The placement of a scenario's query plan, for the engine and for other programs.

use anyhow::{Result, anyhow, bail};
use clap::Args;

use super::{Source, called, print};
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
    let file = options.source.file.display();
    let Some(study) = scenario.placement() else {
        let this = called(scenario.study.kind());
        bail!("{file}: only placement scenarios have query plans; this one is {this}")
    };
    print(&options.format.write(&scenario.name, study).map_err(|why| anyhow!("{file}: {why}"))?)
}
