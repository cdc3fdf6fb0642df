//! The parser of each dialect.

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::dialect::{
    BigQueryDialect, ClickHouseDialect, Dialect, DuckDbDialect, GenericDialect, MsSqlDialect, PostgreSqlDialect,
    RedshiftSqlDialect, SnowflakeDialect, SparkSqlDialect,
};

/// The parser of a dialect; without one, the parser that accepts most of all dialects. The parser has no dialect of Trino,
/// whose forms the general one has.
pub(super) fn parser(dialect: Option<SqlDialect>) -> &'static dyn Dialect {
    match dialect {
        None | Some(SqlDialect::Trino) => &GenericDialect {},
        Some(SqlDialect::Spark) => &SparkSqlDialect {},
        Some(SqlDialect::Postgres) => &PostgreSqlDialect {},
        Some(SqlDialect::DuckDb) => &DuckDbDialect {},
        Some(SqlDialect::Snowflake) => &SnowflakeDialect {},
        Some(SqlDialect::BigQuery) => &BigQueryDialect {},
        Some(SqlDialect::Redshift) => &RedshiftSqlDialect {},
        Some(SqlDialect::ClickHouse) => &ClickHouseDialect {},
        Some(SqlDialect::SqlServer) => &MsSqlDialect {},
    }
}

/// Whether a quoted name means the same in capital and small letters: so do the catalogs of these engines. Unquoted names
/// always do.
pub(super) fn ignores_case(dialect: Option<SqlDialect>) -> bool {
    matches!(
        dialect,
        Some(
            SqlDialect::Spark
                | SqlDialect::DuckDb
                | SqlDialect::BigQuery
                | SqlDialect::Redshift
                | SqlDialect::Trino
                | SqlDialect::SqlServer
        )
    )
}
