//! One scenario with all applications to move.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use crossover_fleet::application::Verdict;
use crossover_fleet::workload::NothingToPlan;
use crossover_fleet::{Base, CombinedWorkload, Outcomes, Overview};
use crossover_page::services::name_of;
use crossover_page::terminal::Outputs;
use crossover_plan::Control;
use crossover_plan::today::is_spark;

use crate::command_line;

/// Prepares the file of the scenario, with a message that has the command that finds its cluster.
pub(super) fn add(
    file: &Path,
    out: &Path,
    outcomes: &Outcomes,
    overview: &Overview<'_>,
    base: &Base,
    outputs: &mut Outputs,
) -> Result<()> {
    let measured = outcomes.ledger.done().map_or("", |done| done.base.as_str());
    let kept = if base.digest == measured { Some(base.clone()) } else { Base::of_results(out, measured) };
    let Some(base) = kept else {
        bail!(
            "--scenario: the results in {} were predicted with other engines than {}; give the same --base and --profile",
            out.display(),
            base.name
        );
    };
    let moving = overview.applications.iter().filter(|(_, summary)| summary.verdict == Verdict::Move);
    let logs: BTreeSet<&str> = moving.map(|(log, _)| log.head.key.as_str()).collect();
    if logs.is_empty() {
        let mut predicted =
            overview.applications.iter().filter(|(_, summary)| summary.option_time.is_some()).peekable();
        if predicted.peek().is_some() && predicted.all(|(_, summary)| !is_spark(&summary.engine)) {
            return Err(NothingToPlan::OtherEngines).context("--scenario");
        }
        bail!("--scenario: no application is to move, so there is no workload for a search");
    }
    let workload = CombinedWorkload::new(outcomes, &logs, &base, &Control::default())?;
    let made = workload.scenario(&base, &name_of(out)).context("--scenario")?;
    outputs.add_scenario(file, &made)?;
    let line = made.placement().map(|study| command_line(&file.display().to_string(), study)).unwrap_or_default();
    outputs.hint(&format!("{}; find its cluster with: {line}", made.name));
    Ok(())
}
