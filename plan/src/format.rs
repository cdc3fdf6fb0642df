//! Every format of query plans.

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A Spark event log: a file, or a folder of rolling files.
    SparkLog,
    /// Text of Spark's `EXPLAIN`.
    SparkPlan,
    /// JSON of DuckDB's `EXPLAIN (ANALYZE, FORMAT json)` or of its profiler.
    DuckDb,
    /// Output of PostgreSQL's `EXPLAIN`: JSON, YAML, XML or text.
    Postgres,
    /// SQL statements with the sizes of their tables.
    Sql,
}

impl Format {
    /// All formats, in the order of menus.
    pub const ALL: [Self; 5] = [Self::SparkLog, Self::SparkPlan, Self::DuckDb, Self::Postgres, Self::Sql];

    /// What it is called in a menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::SparkLog => "Spark event log",
            Self::SparkPlan => "Spark plan (text)",
            Self::DuckDb => "DuckDB plan (JSON)",
            Self::Postgres => "PostgreSQL plan (JSON)",
            Self::Sql => "SQL with table sizes",
        }
    }
}
