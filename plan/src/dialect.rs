//! The dialects of SQL that statements may be written in.

/// The dialect of SQL statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlDialect {
    /// Spark, Databricks and Hive.
    Spark,
    /// PostgreSQL and its relatives.
    Postgres,
    /// DuckDB.
    DuckDb,
    /// Snowflake.
    Snowflake,
    /// BigQuery's GoogleSQL.
    BigQuery,
    /// Amazon Redshift.
    Redshift,
    /// ClickHouse.
    ClickHouse,
    /// Trino, Presto and Athena.
    Trino,
    /// T-SQL: SQL Server, Azure SQL and Synapse.
    SqlServer,
}

impl SqlDialect {
    /// All dialects, in the order in which an option lists them.
    pub const ALL: [Self; 9] = [
        Self::Spark,
        Self::Postgres,
        Self::DuckDb,
        Self::Snowflake,
        Self::BigQuery,
        Self::Redshift,
        Self::ClickHouse,
        Self::Trino,
        Self::SqlServer,
    ];

    /// Its name as an option takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spark => "spark",
            Self::Postgres => "postgres",
            Self::DuckDb => "duckdb",
            Self::Snowflake => "snowflake",
            Self::BigQuery => "bigquery",
            Self::Redshift => "redshift",
            Self::ClickHouse => "clickhouse",
            Self::Trino => "trino",
            Self::SqlServer => "tsql",
        }
    }

    /// Its name in a sentence.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Spark => "Spark SQL",
            Self::Postgres => "PostgreSQL",
            Self::DuckDb => "DuckDB",
            Self::Snowflake => "Snowflake",
            Self::BigQuery => "BigQuery",
            Self::Redshift => "Redshift",
            Self::ClickHouse => "ClickHouse",
            Self::Trino => "Trino",
            Self::SqlServer => "T-SQL",
        }
    }
}
