//! Statements of the dialects in the forms that the parser reads.

use datafusion_sql::sqlparser::tokenizer::Tokenizer;

use super::*;
use crate::parsers::parser;

/// A statement in its new form, with one space between its words.
fn form(dialect: SqlDialect, sql: &str) -> Option<String> {
    let tokens = Tokenizer::new(parser(Some(dialect)), sql).tokenize_with_location().expect("words");
    let tokens: Tokens = tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    let new = rewritten(&tokens, Some(dialect))?;
    Some(new.iter().map(|token| token.token.to_string()).collect::<Vec<_>>().join(" "))
}

#[test]
fn hints_at_the_end_of_a_statement_are_left_out() {
    for (sql, kept) in [
        ("SELECT a FROM t OPTION (RECOMPILE, FAST (1))", 4),
        ("SELECT a FROM t option (b) WHERE a", 10),
        ("SELECT option (a)", 5),
    ] {
        let tokens = Tokenizer::new(parser(None), sql).tokenize_with_location().expect("words");
        let tokens: Tokens = tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
        assert_eq!(without_hints(&tokens).len(), kept, "{sql}");
    }
}

/// Statements of dialects, and their forms.
const FORMS: &[(SqlDialect, &str, &str)] = {
    use SqlDialect::{BigQuery, ClickHouse, DuckDb, Postgres, Redshift, Snowflake, Spark, Trino};
    &[
        (Spark, "SELECT 1 AS 30_days", "SELECT 1 AS 30_days"),
        (Spark, "FROM t SELECT a WHERE b", "SELECT a FROM t WHERE b"),
        (Spark, "SELECT exists(l, x -> x)", "SELECT exists ( l , x -> x )"),
        (Spark, "SELECT a FROM t VERSION AS OF 3", "SELECT a FROM t"),
        (Spark, "CREATE TABLE a.o USING parquet PARTITIONED BY (b) AS SELECT 1", "CREATE TABLE a . o AS SELECT 1"),
        (
            Spark,
            "MERGE INTO t USING s ON a WHEN MATCHED THEN UPDATE SET *",
            "MERGE INTO t USING s ON a WHEN MATCHED THEN UPDATE SET a = 1",
        ),
        (DuckDb, "FROM t WHERE a", "SELECT * FROM t WHERE a"),
        (DuckDb, "SELECT a FROM (FROM t LIMIT 3)", "SELECT a FROM ( SELECT * FROM t LIMIT 3 )"),
        (Postgres, "TABLE t", "SELECT * FROM t"),
        (Redshift, "SELECT APPROXIMATE COUNT(DISTINCT a) FROM t", "SELECT COUNT ( DISTINCT a ) FROM t"),
        (Redshift, "SELECT a + 30 days", "SELECT a + INTERVAL 30 days"),
        (Trino, "SELECT a FROM t FOR TIMESTAMP AS OF TIMESTAMP '2026-01-01'", "SELECT a FROM t"),
        (
            Redshift,
            "SELECT a FROM t, s WHERE t.a = s.b (+)",
            "SELECT a FROM t , s WHERE t . a = crossover_optional ( s . b )",
        ),
        (
            Spark,
            "SELECT TRANSFORM(a, b) USING 'cat' AS (x INT, y MAP<STRING, INT>) FROM t",
            "SELECT script_transformation ( 'cat' , a , b ) AS ( x , y ) FROM t",
        ),
        (
            Spark,
            "SELECT TRANSFORM(a) ROW FORMAT SERDE 's' USING 'cat' FROM t",
            "SELECT script_transformation ( 'cat' , a ) AS ( key , value ) FROM t",
        ),
        (Spark, "SELECT a FROM t TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY", "SELECT a FROM t"),
        (
            Spark,
            "INSERT OVERWRITE t PARTITION (d = '1') IF NOT EXISTS SELECT a FROM s",
            "INSERT INTO t SELECT a FROM s",
        ),
        (Spark, "FROM s INSERT OVERWRITE TABLE t SELECT a WHERE b", "INSERT INTO t SELECT a FROM s WHERE b"),
        (DuckDb, "PIVOT t ON a IN (1, 2) USING sum(b)", "SELECT * FROM t PIVOT ( sum ( b ) FOR a IN ( 1 , 2 ) )"),
        (DuckDb, "PIVOT t ON a USING sum(b) AS c", "SELECT * FROM t PIVOT ( sum ( b ) AS c FOR a IN ( ANY ) )"),
        (
            DuckDb,
            "PIVOT t ON a IN (1) USING sum(b) GROUP BY c ORDER BY c",
            "SELECT c , sum ( b ) FILTER ( WHERE a = 1 ) AS \"1\" FROM t GROUP BY c ORDER BY c",
        ),
        (DuckDb, "UNPIVOT t ON a, b INTO NAME k VALUE v", "SELECT * FROM t UNPIVOT ( v FOR k IN ( a , b ) )"),
        (DuckDb, "SELECT a FROM t USING SAMPLE 10%", "SELECT * FROM ( SELECT a FROM t ) TABLESAMPLE ( 10 PERCENT )"),
        (DuckDb, "SELECT a FROM t TABLESAMPLE reservoir(50 ROWS)", "SELECT a FROM t TABLESAMPLE ( 50 ROWS )"),
        (DuckDb, "SELECT a FROM t AT (VERSION => 3)", "SELECT a FROM t"),
        (Postgres, "CREATE TABLE t AS SELECT 1 WITH NO DATA", "CREATE TABLE t AS SELECT 1"),
        (
            Postgres,
            "MERGE INTO t USING s ON a WHEN MATCHED AND b THEN DO NOTHING WHEN NOT MATCHED THEN DO NOTHING",
            "MERGE INTO t USING s ON a WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT ( a ) VALUES ( 1 )",
        ),
        (ClickHouse, "SELECT a FROM t AS s FINAL WHERE b", "SELECT a FROM t AS s WHERE b"),
        (ClickHouse, "SELECT a FROM t ARRAY JOIN [1, 2] AS b", "SELECT a FROM t ARRAY JOIN array ( 1 , 2 ) AS b"),
        (Trino, "SELECT 1 IN (VALUES 1, 2)", "SELECT 1 IN ( VALUES ( 1 ) , ( 2 ) )"),
        (ClickHouse, "SELECT a FROM t ANY LEFT JOIN s USING b", "SELECT a FROM t LEFT JOIN s USING ( b )"),
        (ClickHouse, "SELECT a FROM t WHERE a GLOBAL IN (1)", "SELECT a FROM t WHERE a IN ( 1 )"),
        (ClickHouse, "SELECT a FROM t LIMIT 1 BY b LIMIT 10", "SELECT a FROM t LIMIT 1 BY b"),
        (ClickHouse, "WITH 3 AS n, s AS (SELECT 1) SELECT n FROM s", "WITH s AS ( SELECT 1 ) SELECT ( 3 ) FROM s"),
        (ClickHouse, "CREATE TABLE t (a INT) ENGINE = X SETTINGS b = 1", "CREATE TABLE t ( a INT )"),
        (ClickHouse, "EXPLAIN PLAN SELECT 1", "EXPLAIN SELECT 1"),
        (Spark, "FROM t |> WHERE a |> SELECT b", "SELECT * FROM t |> WHERE a |> SELECT b"),
        (Spark, "CREATE TABLE IF NOT EXISTS t DEEP CLONE a.s VERSION AS OF 3", "CREATE TABLE t CLONE a . s"),
        (BigQuery, "CREATE TABLE t COPY s OPTIONS (a = 1)", "CREATE TABLE t CLONE s"),
        (Postgres, "CREATE TABLE t (LIKE s INCLUDING ALL)", "CREATE TABLE t LIKE s"),
        (
            Postgres,
            "CREATE TABLE t (a DATE, LIKE X.Date INCLUDING ALL, LIKE \"S\", PRIMARY KEY (a, b)) WITH (fillfactor = 70)",
            "CREATE TABLE t ( a DATE , crossover_like \"x\" . \"date\" , crossover_like \"S\" , PRIMARY KEY ( a , b ) )",
        ),
        (ClickHouse, "CREATE TABLE t AS a.s ENGINE = X", "CREATE TABLE t LIKE a . s"),
        (
            ClickHouse,
            "CREATE TABLE t (a AggregateFunction(quantiles(0.5), UInt8), b SimpleAggregateFunction(sum, Nullable(UInt8)))",
            "CREATE TABLE t ( a TEXT , b Nullable ( UInt8 ) )",
        ),
        (
            Trino,
            "SELECT CAST(a AS ARRAY(ARRAY(ROW(b INT)))), CAST(c AS ROW(d INT)) FROM t",
            "SELECT CAST ( a AS ARRAY < ARRAY < TEXT > > ) , CAST ( c AS TEXT ) FROM t",
        ),
        (Spark, "REPLACE TABLE t USING delta AS SELECT 1", "CREATE TABLE t AS SELECT 1"),
        (
            Postgres,
            "SELECT a FROM t GROUP BY DISTINCT ROLLUP (a), CUBE (b)",
            "SELECT a FROM t GROUP BY ROLLUP ( a ) , CUBE ( b )",
        ),
        (
            Postgres,
            "SELECT sum(a) OVER (ORDER BY b RANGE BETWEEN '7 days'::interval PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM t",
            "SELECT sum ( a ) OVER ( ORDER BY b RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW ) FROM t",
        ),
        (
            Postgres,
            "SELECT a FROM ONLY t AS s WHERE a BETWEEN SYMMETRIC 2 AND 1",
            "SELECT a FROM t AS s WHERE a BETWEEN 2 AND 1",
        ),
        (
            Postgres,
            "WITH RECURSIVE r AS (SELECT 1) SEARCH DEPTH FIRST BY a SET o CYCLE a SET c USING p SELECT a FROM r",
            "WITH RECURSIVE r AS ( SELECT 1 ) SELECT a FROM r",
        ),
        (
            Redshift,
            "MERGE INTO t USING s ON a REMOVE DUPLICATES",
            "MERGE INTO t USING s ON a WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT ( a ) VALUES ( 1 )",
        ),
        (
            Redshift,
            "SELECT APPROXIMATE PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY a) FROM t",
            "SELECT PERCENTILE_DISC ( 0.5 ) WITHIN GROUP ( ORDER BY a ) FROM t",
        ),
        (DuckDb, "SELECT a FROM t ORDER BY a LIMIT 10%", "SELECT a FROM t ORDER BY a FETCH FIRST 10 PERCENT ROWS ONLY"),
        (
            DuckDb,
            "SELECT count(*) FILTER (a > 3), 2 ** 3 FROM t WHERE b GLOB 'x*'",
            "SELECT count ( * ) FILTER ( WHERE a > 3 ) , 2 * 3 FROM t WHERE b LIKE 'x*'",
        ),
        (DuckDb, "PIVOT t ON a, b USING sum(c)", "SELECT * FROM t PIVOT ( sum ( c ) FOR ( a , b ) IN ( ANY ) )"),
        (DuckDb, "COPY (FROM t) TO 'x' (FORMAT parquet, PARTITION_BY (a))", "INSERT INTO t SELECT * FROM t"),
        (
            Snowflake,
            "CREATE OR REPLACE TASK k SCHEDULE = '1 minute' AS INSERT INTO t SELECT a FROM s",
            "INSERT INTO t SELECT a FROM s",
        ),
        (
            BigQuery,
            "SELECT ARRAY<STRUCT<a INT64>>[b], SAFE.substr(c, 1) FROM t",
            "SELECT [ b ] , substr ( c , 1 ) FROM t",
        ),
        (BigQuery, "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) a FROM t", "SELECT a FROM t"),
        (
            ClickHouse,
            "SELECT a FROM view(SELECT 1 AS a) INTO OUTFILE 'x' FORMAT CSV",
            "SELECT a FROM ( SELECT 1 AS a ) FORMAT CSV",
        ),
        (ClickHouse, "SELECT a FROM t SEMI LEFT JOIN s USING b", "SELECT a FROM t LEFT SEMI JOIN s USING ( b )"),
        (ClickHouse, "SELECT DISTINCT a > 1 ? b : c AS d FROM t", "SELECT DISTINCT if ( a > 1 , b , c ) AS d FROM t"),
        (
            ClickHouse,
            "SELECT a ? b ? 1 : 2 : c ? 3 : 4 d FROM t",
            "SELECT if ( a , if ( b , 1 , 2 ) , if ( c , 3 , 4 ) ) d FROM t",
        ),
        (
            ClickHouse,
            "SELECT f(a ?1 : 2, CASE WHEN b THEN c ? 3 : 4 END) FROM t WHERE t.end = ? AND left(c, 1) ? d : {n:UInt8}",
            "SELECT f ( if ( a , 1 , 2 ) , CASE WHEN b THEN if ( c , 3 , 4 ) END ) FROM t \
             WHERE if ( t . end = ? AND left ( c , 1 ) , d , { n : UInt8 } )",
        ),
        (
            Trino,
            "PREPARE p FROM SELECT json_query(a, 'lax $.b' WITH ARRAY WRAPPER) FROM t",
            "PREPARE p AS SELECT json_query ( a , 'lax $.b' ) FROM t",
        ),
    ]
};

#[test]
fn forms_of_dialects_become_those_that_the_parser_reads() {
    for &(dialect, sql, expected) in FORMS {
        assert_eq!(form(dialect, sql).as_deref(), Some(expected), "{sql}");
    }
}

#[test]
fn usual_statements_stay_as_they_are() {
    for sql in [
        "SELECT a FROM t UNION ALL SELECT b FROM s LEFT JOIN r ON c",
        "SELECT extract(year FROM day), trim(both FROM a) FROM t WHERE EXISTS (SELECT 1)",
        "WITH s AS (SELECT 1 AS n) SELECT n FROM s LIMIT 3",
        "CREATE TABLE t AS SELECT 1",
        "INSERT INTO t VALUES (1, 2), (3, 4)",
        "SELECT a FROM t WHERE b = ? AND c IN (?, ?) LIMIT ?",
    ] {
        for dialect in SqlDialect::ALL {
            assert_eq!(form(dialect, sql), None, "{sql}");
        }
    }
}

#[test]
fn what_would_multiply_a_statement_is_not_written_out() {
    let list = |word: &str, count: usize| vec![word; count].join(", ");
    let named = format!("WITH ({}) AS a SELECT {}", list("1", 20_000), list("a", 5_000));
    assert_eq!(form(SqlDialect::ClickHouse, &named), None);
    let pivot = format!("PIVOT t ON a IN ({}) USING {} GROUP BY b", list("1", 20_000), list("sum(c)", 2_000));
    assert_eq!(form(SqlDialect::DuckDb, &pivot), None);
}
