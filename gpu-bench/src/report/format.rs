//! What a result is written as.

use clap::ValueEnum;

/// What a result is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned columns for a terminal
    Table,
    /// One line per measurement in base units, for spreadsheets and programs
    Csv,
    /// Markdown tables for documents
    Markdown,
}
