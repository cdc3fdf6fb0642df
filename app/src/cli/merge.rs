//! Shards of a run that several machines made, put together.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::map::MapFormat;
use super::shard::{Asked, Shards};
use super::{map, sensitivity, uncertainty, wrong_usage};
use crate::export::Format;

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
    let Shards { scenario, asked, values } = Shards::read(options.files.iter().map(PathBuf::as_path))?;
    let format = options.format.unwrap_or(Format::Table);
    match asked {
        Asked::Uncertainty(sampling) => uncertainty::merged(&scenario, &sampling, values, format),
        Asked::Sensitivity(sampling) => sensitivity::merged(&scenario, &sampling, values, format),
        Asked::Map(asked, level) => {
            let format = match options.format {
                None | Some(Format::Csv) => MapFormat::Csv,
                Some(Format::Json) => MapFormat::Json,
                Some(other) => {
                    let problem = format!("--format: a map is written as csv or json, not as {}", other.label());
                    return Err(wrong_usage("merge", &problem).into());
                }
            };
            map::merged(&scenario, &asked, level.as_deref(), values, format)
        }
    }
}
