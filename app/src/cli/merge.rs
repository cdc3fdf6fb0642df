//! Shards of a run that several machines made, put together.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use crossover_export::Format;
use crossover_export::report::ReportFormat;

use super::asked::Asked;
use super::compare::CompareFormat;
use super::map::MapFormat;
use super::shard::Shards;
use super::{compare, map, report, search, sensitivity, uncertainty, wrong_usage};

#[derive(Debug, Args)]
pub(super) struct MergeOptions {
    /// Files that a command with --shard printed: every shard of one run once, in any order
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How the result is written; default: as the command does
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// Prints what the command prints without --shard.
pub(super) fn merge(options: &MergeOptions) -> Result<()> {
    let mut shards = Shards::read(options.files.iter().map(PathBuf::as_path))?;
    let (scenario, asked) = (shards.scenario.clone(), shards.asked.clone());
    let format = options.format.unwrap_or(Format::Table);
    let no_format = |what: &str, written: Format| {
        let problem = format!("--format: a {what}, not as {}", written.label());
        anyhow::Error::from(wrong_usage("merge", &problem))
    };
    match asked {
        Asked::Uncertainty(sampling) => uncertainty::merged(&scenario, &sampling, shards.next()?, format),
        Asked::Sensitivity(sampling) => sensitivity::merged(&scenario, &sampling, shards.next()?, format),
        Asked::Search(asked) => search::merged(&scenario, &asked, shards.next()?, format),
        Asked::Map(asked, level) => {
            let format = match options.format {
                None | Some(Format::Csv) => MapFormat::Csv,
                Some(Format::Json) => MapFormat::Json,
                Some(other) => return Err(no_format("map is written as csv or json", other)),
            };
            map::merged(&scenario, &asked, level.as_deref(), shards.next()?, format)
        }
        Asked::Compare(asked) => {
            let format = match options.format {
                None | Some(Format::Table) => CompareFormat::Table,
                Some(Format::Json) => CompareFormat::Json,
                Some(Format::Csv) => CompareFormat::Csv,
                Some(Format::Markdown) => CompareFormat::Markdown,
                Some(other) => return Err(no_format("comparison is written as table, json, csv or markdown", other)),
            };
            compare::merged(&scenario, &asked, &mut shards, format)
        }
        Asked::Report(asked) => {
            let format = match options.format {
                None => ReportFormat::Html,
                Some(Format::Markdown) => ReportFormat::Markdown,
                Some(other) => {
                    return Err(no_format("report is written as html, which is the default, or markdown", other));
                }
            };
            report::merged(&scenario, &asked, [shards.next()?, shards.next()?], format)
        }
    }
}
