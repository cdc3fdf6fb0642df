//! `crossover probe rank` and `crossover probe schedule`: parts of what `evaluate` prints.

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use crossover_export::probe::results;
use crossover_page::terminal::{Source, called, message, print};
use crossover_probe::evaluate;
use crossover_quantity::text::counted;
use crossover_scenario::Scenario;

/// Ranks centres by their score for the task
#[derive(Debug, Parser)]
#[command(name = "rank", display_order = 3)]
pub(super) struct RankOptions {
    #[command(flatten)]
    source: Source,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ShownFormat,
}

/// Schedules the work: centre, units and start of every task
#[derive(Debug, Parser)]
#[command(name = "schedule", display_order = 6)]
pub(super) struct ScheduleOptions {
    #[command(flatten)]
    source: Source,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ShownFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShownFormat {
    /// For the terminal
    Table,
    /// A line for each centre or task, for spreadsheets
    Csv,
    /// For programs
    Json,
    /// For reports
    Markdown,
}

pub(super) fn rank(options: &RankOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let study = probe(&scenario)?;
    let outcome = evaluate(study);
    tell(&outcome.warnings);
    if outcome.ranking.is_empty() {
        let units = counted(study.target.units, "unit");
        bail!("no centre has run the probe on {units}; nothing to rank");
    }
    let results = results(&scenario.name, study, &outcome);
    print(&match options.format {
        ShownFormat::Table => format!("{}\n\n{}\n", outcome.sentence(study), results.centres_table().aligned()),
        ShownFormat::Csv => results.centres_csv(),
        ShownFormat::Json => results.centres_json(),
        ShownFormat::Markdown => format!("{}\n\n{}", outcome.sentence(study), results.centres_table().markdown()),
    })
}

pub(super) fn schedule(options: &ScheduleOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let study = probe(&scenario)?;
    let outcome = evaluate(study);
    tell(&outcome.warnings);
    if outcome.plan().is_none() {
        bail!(
            "{}",
            if study.work.is_empty() {
                "the scenario has no work to schedule; add work to its list “work”"
            } else {
                "no centre has run the probe, so the time of tasks is not known"
            }
        );
    }
    let results = results(&scenario.name, study, &outcome);
    print(&match options.format {
        ShownFormat::Table => results.schedule().terminal(),
        ShownFormat::Csv => results.schedule_csv(),
        ShownFormat::Json => results.schedule_json(),
        ShownFormat::Markdown => results.schedule().markdown(),
    })
}

fn probe(scenario: &Scenario) -> Result<&crossover_probe::Probe> {
    let kind = scenario.study.kind();
    scenario.probe().with_context(|| format!("this is {}, not a probe scenario", called(kind)))
}

fn tell(warnings: &[String]) {
    for warning in warnings {
        message(format!("warning: {warning}"));
    }
}
