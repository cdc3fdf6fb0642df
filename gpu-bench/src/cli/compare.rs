//! `gpu-bench compare`: what changed from one report to another.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::{print_as, show};
use crate::report::compare::Comparison;
use crate::report::document::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "A change is claimed only where the 95 % intervals of the medians are apart: FASTER or SLOWER. \
                        SAME means that each median lies in the interval of the other; anything else is UNCLEAR."
)]
pub struct Options {
    /// The old report, or “latest”
    old: PathBuf,
    /// The new report, or “latest”
    new: PathBuf,
    /// How the comparison is written
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

pub(super) fn compare(options: &Options) -> Result<()> {
    let (old, new) = (show::read(&options.old)?, show::read(&options.new)?);
    let comparison = Comparison::new(&old, &new);
    let warnings: Vec<String> = comparison.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    print_as(options.format, &comparison.document(), || comparison.csv(), &warnings)
}
