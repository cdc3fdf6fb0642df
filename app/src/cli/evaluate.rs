//! `crossover evaluate`: the outcome of a scenario.

use anyhow::Result;
use clap::Args;
use crossover_export::decision::{ApplicationAnswer, evaluated};
use crossover_export::{Format, bill};
use crossover_page::terminal::{Source, called, message, print};
use crossover_quantity::invalid::did_you_mean;
use crossover_scenario::Scenario;

use super::{application, wrong_usage};
use crate::kinds;

#[derive(Debug, Args)]
pub(super) struct EvaluateOptions {
    #[command(flatten)]
    source: Source,
    /// Answers about the scenario's query alone; default: about its whole application, if the scenario has one
    #[arg(long)]
    query: bool,
    /// Format of the result
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// For a regulation scenario: the strategy whose control periods are printed, e.g. "no control" or PI; default: the selected controller
    #[arg(long, value_name = "NAME")]
    strategy: Option<String>,
}

/// Prints the outcome of a scenario.
pub(super) fn evaluate(options: &EvaluateOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    application::check_query("evaluate", &scenario, options.query)?;
    print(&outcome(&scenario, options.strategy.as_deref(), options.format, options.query)?)
}

/// The outcome of any study as text; warnings that CSV cannot hold go to standard error. `is_of_query`: about a query alone, although its
/// application has an answer.
///
/// # Errors
/// The scenario has no such strategy, or none that the format can hold.
pub(super) fn outcome(
    scenario: &Scenario,
    strategy: Option<&str>,
    format: Format,
    is_of_query: bool,
) -> Result<String> {
    let module = kinds::module(scenario.study.kind());
    if let Some(strategy) = strategy {
        check_strategy(&module.strategies(scenario), strategy, scenario, format)?;
    }
    let written = match (strategy, application::answer("evaluate", scenario, is_of_query)) {
        (Some(strategy), _) => module.write_strategy(scenario, strategy, format)?,
        (None, Some(ApplicationAnswer::Decided(decided))) => evaluated(&scenario.name, &decided, format),
        (None, Some(ApplicationAnswer::NotJudged(_)) | None) => module.write(scenario, format)?,
    };
    if format == Format::Csv {
        for warning in &written.warnings {
            message(format!("warning: {warning}"));
        }
    }
    Ok(written.text + &bill::costs(scenario, format))
}

/// Checks that the scenario has the strategy and that the format can hold periods.
fn check_strategy(known: &[String], strategy: &str, scenario: &Scenario, format: Format) -> Result<()> {
    let refuse = |problem: String| Err(wrong_usage("evaluate", &format!("--strategy: {problem}")).into());
    if known.is_empty() {
        return refuse(format!("{} has only one strategy; leave --strategy out", called(scenario.study.kind())));
    }
    if known.iter().all(|known| known != strategy) {
        let hint = did_you_mean(strategy, known);
        return refuse(format!("unknown strategy “{strategy}”{hint}; strategies: {}", known.join(", ")));
    }
    if matches!(format, Format::Table | Format::Markdown) {
        return refuse("periods are written as csv, json or ron; add --format csv".to_owned());
    }
    Ok(())
}
