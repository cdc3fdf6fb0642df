//! Merges the shards of a run that several machines made.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use crossover_export::Format;
use crossover_export::report::ReportFormat;

use super::compare::CompareFormat;
use super::map::MapFormat;
use super::shard::Shards;
use super::tool_arguments::ToolArguments;
use super::{compare, map, report, search, sensitivity, uncertainty, wrong_usage};

#[derive(Debug, Args)]
pub(super) struct MergeOptions {
    /// Files printed with --shard: each shard of one run once, in any order
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Format of the result; default: the default of the command that printed the shards
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// Prints what the command would print without --shard.
pub(super) fn merge(options: &MergeOptions) -> Result<()> {
    let mut shards = Shards::read(options.files.iter().map(PathBuf::as_path))?;
    let (scenario, arguments) = (shards.scenario.clone(), shards.arguments.clone());
    let format = options.format.unwrap_or(Format::Table);
    let no_format = |what: &str, written: Format| {
        let problem = format!("--format: a {what}, not as {}", written.label());
        anyhow::Error::from(wrong_usage("merge", &problem))
    };
    match arguments {
        ToolArguments::Uncertainty(sampling) => uncertainty::merged(&scenario, &sampling, shards.next()?, format),
        ToolArguments::Sensitivity(sampling) => sensitivity::merged(&scenario, &sampling, shards.next()?, format),
        ToolArguments::Search(arguments) => search::merged(&scenario, &arguments, shards.next()?, format),
        ToolArguments::Map(arguments, level) => {
            let format = match options.format {
                None | Some(Format::Csv) => MapFormat::Csv,
                Some(Format::Json) => MapFormat::Json,
                Some(other) => return Err(no_format("map is written as csv or json", other)),
            };
            map::merged(&scenario, &arguments, level.as_deref(), shards.next()?, format)
        }
        ToolArguments::Compare(arguments) => {
            let format = match options.format {
                None | Some(Format::Table) => CompareFormat::Table,
                Some(Format::Json) => CompareFormat::Json,
                Some(Format::Csv) => CompareFormat::Csv,
                Some(Format::Markdown) => CompareFormat::Markdown,
                Some(other) => return Err(no_format("comparison is written as table, json, csv or markdown", other)),
            };
            compare::merged(&scenario, &arguments, &mut shards, format)
        }
        ToolArguments::Report(arguments) => {
            let format = match options.format {
                None => ReportFormat::Html,
                Some(Format::Markdown) => ReportFormat::Markdown,
                Some(other) => {
                    return Err(no_format("report is written as html, which is the default, or markdown", other));
                }
            };
            report::merged(&scenario, &arguments, [shards.next()?, shards.next()?], format)
        }
    }
}
