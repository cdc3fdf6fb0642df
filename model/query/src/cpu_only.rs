//! What no GPU engine runs, by engine, version and source.

use serde::{Deserialize, Serialize};

/// Why no GPU engine runs an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CpuOnly {
    /// Time of a query that belongs to none of its operators.
    WithoutOperator,
    /// It writes rows of a transactional table.
    TableWrite,
    /// It locks rows.
    RowLock,
    /// It runs a subplan again for every row, or is part of such a subplan.
    Loop,
    /// It repeats a part of the plan until no rows are added.
    Recursion,
    /// It waits for other processes and passes their rows on.
    Gather,
    /// Another server works on it, or a foreign data wrapper reads it.
    Remote,
    /// Python processes run its functions.
    Python,
    /// Other programs, to which its rows are written as text, compute the result.
    Script,
    /// It looks for patterns in the order of rows.
    Pattern,
}

/// An engine that does not run such operators on GPUs, and where it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Exclusion {
    /// The engine.
    pub engine: &'static str,
    /// The version that was looked at.
    pub version: &'static str,
    /// The document or file.
    pub source: &'static str,
}

/// The operators of RAPIDS with a GPU version.
const RAPIDS: Exclusion =
    Exclusion { engine: "RAPIDS Accelerator for Apache Spark", version: "26.08", source: "docs/supported_ops.md" };
/// The operators that PG-Strom replaces: scan, join and aggregate.
const PG_STROM: Exclusion = Exclusion {
    engine: "PG-Strom",
    version: "6.0",
    source: "documentation, “Basic operations”: GpuScan, GpuJoin, GpuPreAgg and GpuSort",
};
/// The operators that Sirius plans.
const SIRIUS: Exclusion = Exclusion {
    engine: "Sirius (DuckDB)",
    version: "2026-10",
    source: "enable_duckdb_fallback, pull requests 673 and 1173: a query with any other operator runs in DuckDB as a whole",
};

impl CpuOnly {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::WithoutOperator,
        Self::TableWrite,
        Self::RowLock,
        Self::Loop,
        Self::Recursion,
        Self::Gather,
        Self::Remote,
        Self::Python,
        Self::Script,
        Self::Pattern,
    ];

    /// The reason as a clause.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::WithoutOperator => "it belongs to no operator, so nothing is known that would shorten it",
            Self::TableWrite => "no GPU engine writes rows of a transactional table",
            Self::RowLock => "no GPU engine locks rows",
            Self::Loop => "it runs once for every row; a GPU runs it only as a join, which is another plan",
            Self::Recursion => "no GPU engine repeats a part of a plan until no rows are added",
            Self::Gather => "one process collects the rows of the others",
            Self::Remote => "another server or a foreign data wrapper runs it",
            Self::Python => "its Python processes run on CPUs, unless RAPIDS shares the GPU with them",
            Self::Script => "a program outside of the engine reads and writes its rows as text",
            Self::Pattern => "no GPU engine looks for patterns of rows (MATCH_RECOGNIZE)",
        }
    }

    /// The engines that were looked at; empty where it follows from what the operator is.
    #[must_use]
    pub fn exclusions(self) -> &'static [Exclusion] {
        match self {
            Self::WithoutOperator | Self::Gather => &[],
            Self::TableWrite | Self::RowLock | Self::Loop | Self::Recursion => &[PG_STROM, SIRIUS],
            Self::Remote | Self::Pattern => &[PG_STROM, SIRIUS, RAPIDS],
            Self::Script => &[RAPIDS],
            Self::Python => &[Exclusion {
                engine: "RAPIDS Accelerator for Apache Spark",
                version: "26.08",
                source: "docs/additional-functionality/rapids-udfs.md, spark.rapids.sql.python.gpu.enabled (default false)",
            }],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_of_an_engine_is_documented() {
        let text = include_str!("../../../docs/IMPORT-PLANS.md");
        let (_, section) = text.split_once("## What stays on CPUs\n").expect("a section");
        let section = section.split("\n## ").next().expect("a section");
        let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        // Time without an operator is no part of a plan.
        assert_eq!(rows.len(), CpuOnly::ALL.len() - 1);
        for (reason, row) in CpuOnly::ALL[1..].iter().zip(rows) {
            for exclusion in reason.exclusions() {
                let name = exclusion.engine.split(' ').next().expect("a name");
                assert!(row.contains(name), "{reason:?}: {row}");
            }
        }
    }
}
