//! The dialect of a file: as named, or the first under which every statement parses, tried in the order of its marks.

use crossover_plan::SqlDialect;

use super::statements::{Split, split};

/// Words that only one dialect has, in capital letters. Each that occurs is a vote.
const MARKS: [(SqlDialect, &[&str]); 9] = [
    (
        SqlDialect::Spark,
        &[
            "LATERAL VIEW",
            "USING PARQUET",
            "USING DELTA",
            "USING ICEBERG",
            "DISTRIBUTE BY",
            "CLUSTER BY",
            "SORT BY",
            "INSERT OVERWRITE",
            "STORED AS",
            "TBLPROPERTIES",
            "EXPLODE(",
            "COLLECT_LIST(",
            "COLLECT_SET(",
        ],
    ),
    (SqlDialect::Postgres, &["JSONB", "::TEXT", "~*", "ON CONFLICT", "BYTEA", "NOW()::", "PG_CATALOG"]),
    (
        SqlDialect::DuckDb,
        &["READ_PARQUET(", "READ_CSV(", "STRLEN(", "USING SAMPLE", "LIST_", "HUGEINT", "EPOCH_MS(", "COLUMNS(*"],
    ),
    (
        SqlDialect::Snowflake,
        &["FLATTEN(", "TRANSIENT TABLE", "VARIANT", "PARSE_JSON(", "IFF(", "TO_VARCHAR(", "ZEROIFNULL(", "$1:"],
    ),
    (
        SqlDialect::BigQuery,
        &["SAFE_CAST", "SAFE_DIVIDE", "STRUCT<", "GENERATE_ARRAY(", "INT64", "BIGNUMERIC", "_TABLE_SUFFIX", "SAFE."],
    ),
    (SqlDialect::Redshift, &["DISTKEY", "SORTKEY", "DISTSTYLE", "SELECT TOP", "GETDATE()"]),
    (
        SqlDialect::ClickHouse,
        &[
            "MERGETREE",
            "PREWHERE",
            "ARRAY JOIN",
            "UNIQ(",
            "LOWCARDINALITY",
            "TOSTARTOF",
            "COUNTIF(",
            "ARRAYJOIN(",
            "UINT8",
            "UINT64",
            "NULLABLE(",
            "TODATE(",
        ],
    ),
    (SqlDialect::Trino, &["DATE_PARSE(", "WITH ORDINALITY", "APPROX_DISTINCT(", "FROM_ISO8601", "TRY(", "ROW("]),
    (SqlDialect::SqlServer, &["FROM [", "INTO [", "AS [", "TABLE [", "].[", "(NOLOCK)"]),
];

/// Cuts a file by the dialect that fits it best: the first, in the order of their marks, under which all statements parse;
/// else the one under which most do.
pub(super) fn guess(text: &str) -> (Option<SqlDialect>, Split) {
    let mut best: Option<(usize, Option<SqlDialect>, Split)> = None;
    for dialect in order(text) {
        let cut = split(text, dialect);
        let failed = cut.problems.len() + cut.statements.iter().filter(|statement| !statement.is_of(dialect)).count();
        if failed == 0 {
            return (dialect, cut);
        }
        if best.as_ref().is_none_or(|(fewest, ..)| failed < *fewest) {
            best = Some((failed, dialect, cut));
        }
    }
    best.map_or_else(|| (None, split(text, None)), |(_, dialect, cut)| (dialect, cut))
}

/// The dialects in the order in which they are tried: those with marks before the general one, the others after it.
fn order(text: &str) -> Vec<Option<SqlDialect>> {
    let text = text.to_uppercase();
    let votes = |dialect: SqlDialect| {
        let marks = MARKS.iter().find(|(of, _)| *of == dialect).map_or(&[][..], |(_, marks)| *marks);
        marks.iter().filter(|mark| has_word(&text, mark)).count()
    };
    let mut voted: Vec<(usize, SqlDialect)> = SqlDialect::ALL.into_iter().map(|one| (votes(one), one)).collect();
    // A stable sort: dialects with as many marks keep their order.
    voted.sort_by_key(|(votes, _)| std::cmp::Reverse(*votes));
    let (marked, others): (Vec<_>, Vec<_>) = voted.into_iter().partition(|(votes, _)| *votes > 0);
    let marked = marked.into_iter().map(|(_, dialect)| Some(dialect));
    marked.chain([None]).chain(others.into_iter().map(|(_, dialect)| Some(dialect))).collect()
}

/// Whether a text has a mark that begins a word.
fn has_word(text: &str, mark: &str) -> bool {
    let begins = |at: usize| {
        let before = text[..at].chars().next_back();
        !mark.starts_with(char::is_alphanumeric)
            || before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
    };
    text.match_indices(mark).any(|(at, _)| begins(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_dialect_name_it() {
        for (text, expected) in [
            ("SELECT 1", None),
            ("SELECT `a b` FROM t LATERAL VIEW explode(x) e AS y", Some(SqlDialect::Spark)),
            ("create or replace transient table a as (select 1 as b)", Some(SqlDialect::Snowflake)),
            ("SELECT a FROM t PREWHERE a > 1", Some(SqlDialect::ClickHouse)),
            ("SELECT TOP 10 a FROM t", Some(SqlDialect::Redshift)),
            ("SELECT SAFE_DIVIDE(a, b) FROM t", Some(SqlDialect::BigQuery)),
            ("SELECT strlen(a) FROM t", Some(SqlDialect::DuckDb)),
            ("SELECT [id] FROM [Order Details]", Some(SqlDialect::SqlServer)),
        ] {
            assert_eq!(guess(text).0, expected, "{text}");
        }
    }
}
