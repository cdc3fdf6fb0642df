//! The placement of a scenario's query plan, for the engine and for other programs.

use anyhow::{Result, anyhow, bail};
use clap::Parser;
use crossover_export::placement::plan::PlanFormat;
use crossover_page::terminal::{Source, other_kind, print};

/// Exports the operator placement of a query plan
#[derive(Debug, Parser)]
#[command(name = "plan", display_order = 60)]
pub(super) struct PlanOptions {
    #[command(flatten)]
    source: Source,
    /// Output format
    #[arg(long, value_enum)]
    format: PlanFormat,
}

/// Prints the placement of a scenario's query plan.
pub(super) fn plan(options: &PlanOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let file = options.source.file.display();
    let Some(study) = scenario.placement() else {
        bail!("{file}: {}", other_kind("only placement scenarios have query plans", scenario.study.kind()))
    };
    print(&options.format.write(&scenario.name, study).map_err(|why| anyhow!("{file}: {why}"))?)
}
