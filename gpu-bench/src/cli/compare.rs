//! `gpu-bench compare`: changes between two reports.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::{print_as, show};
use crate::report::compare::Comparison;
use crate::report::format::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "FASTER/SLOWER: the 95 % intervals of the medians, widened if many are compared, do not overlap. \
                        SAME: each median lies in the interval of the other. UNCLEAR: anything else."
)]
pub struct Options {
    /// The old report, or “latest”
    old: PathBuf,
    /// The new report, or “latest”
    new: PathBuf,
    /// Format of the comparison
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

pub(super) fn compare(options: &Options) -> Result<()> {
    let (old, new) = (show::read(&options.old)?, show::read(&options.new)?);
    let comparison = Comparison::new(&old, &new);
    let warnings: Vec<String> = comparison.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    print_as(options.format, &comparison.text_report(), || comparison.csv(), &warnings)
}
