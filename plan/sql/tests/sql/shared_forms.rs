//! Forms that several dialects have, each in the words of its dialect: window frames, first rows, samples, groups, pivots, rows made of rows,
//! joins, parameters, tables and files that are written. They have the operators that their manuals describe, or are left out with the
//! reason.

use SqlDialect::{BigQuery, ClickHouse, DuckDb, Postgres, Redshift, Snowflake, Spark, Trino};
use crossover_plan::{Query, SqlDialect};
use crossover_query::{Kind, fill};

use super::import_as;

const TABLES: &str = "
    -- rows: 1000
    CREATE TABLE sales (id BIGINT, day DATE, made TIMESTAMP, shop INT, amount DOUBLE, note VARCHAR(40));
    -- rows: 40
    CREATE TABLE shops (shop INT, city VARCHAR, area DOUBLE);
";

/// Statements, and kinds of operators that they need.
const PLANNED: &[(SqlDialect, &str, &[Kind])] = &[
    (
        Spark,
        "SELECT sum(amount) OVER (PARTITION BY shop ORDER BY made RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW) FROM sales",
        &[Kind::Window],
    ),
    (
        Spark,
        "SELECT sum(amount) OVER w, avg(amount) OVER (w ROWS 3 PRECEDING) FROM sales WINDOW w AS (PARTITION BY shop ORDER BY made)",
        &[Kind::Window],
    ),
    (
        Postgres,
        "SELECT sum(amount) OVER (ORDER BY made RANGE BETWEEN '7 days'::interval PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM sales",
        &[Kind::Window],
    ),
    (
        Postgres,
        "SELECT sum(amount) OVER (ORDER BY made GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM sales",
        &[Kind::Window],
    ),
    (
        DuckDb,
        "SELECT sum(amount) OVER (ORDER BY made RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM sales",
        &[Kind::Window],
    ),
    (
        Snowflake,
        "SELECT sum(amount) OVER (ORDER BY made RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) FROM sales",
        &[Kind::Window],
    ),
    (
        BigQuery,
        "SELECT SUM(amount) OVER w FROM sales WINDOW w AS (PARTITION BY shop ORDER BY made ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
        &[Kind::Window],
    ),
    (
        ClickHouse,
        "SELECT lagInFrame(amount) OVER (PARTITION BY shop ORDER BY made ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM sales",
        &[Kind::Window],
    ),
    (
        Trino,
        "SELECT sum(amount) OVER w FROM sales WINDOW w AS (ORDER BY made RANGE BETWEEN INTERVAL '7' DAY PRECEDING AND CURRENT ROW)",
        &[Kind::Window],
    ),
    (Snowflake, "SELECT TOP 10 PERCENT id FROM sales ORDER BY amount", &[Kind::Window, Kind::Filter]),
    (
        Redshift,
        "SELECT TOP 10 PERCENT shop, sum(amount) AS total FROM sales GROUP BY shop ORDER BY 2 DESC",
        &[Kind::Aggregate, Kind::Window, Kind::Filter],
    ),
    (DuckDb, "SELECT id FROM sales ORDER BY amount LIMIT 10%", &[Kind::Window, Kind::Filter]),
    (Postgres, "SELECT id FROM sales ORDER BY amount FETCH FIRST 10 ROWS WITH TIES", &[Kind::Sort]),
    (Trino, "SELECT id FROM sales ORDER BY amount FETCH FIRST 10 ROWS WITH TIES", &[Kind::Sort]),
    (ClickHouse, "SELECT id FROM sales ORDER BY amount LIMIT 5 WITH TIES", &[Kind::Sort]),
    (
        Spark,
        "SELECT id FROM sales QUALIFY row_number() OVER (PARTITION BY shop ORDER BY made) = 1",
        &[Kind::Window, Kind::Filter],
    ),
    (
        ClickHouse,
        "SELECT id FROM sales QUALIFY row_number() OVER (PARTITION BY shop ORDER BY made) = 1",
        &[Kind::Window, Kind::Filter],
    ),
    (
        Redshift,
        "SELECT id FROM sales QUALIFY row_number() OVER (PARTITION BY shop ORDER BY made) = 1",
        &[Kind::Window, Kind::Filter],
    ),
    (Spark, "SELECT id FROM sales TABLESAMPLE (100 ROWS)", &[Kind::Limit]),
    (Spark, "SELECT id FROM sales TABLESAMPLE (BUCKET 4 OUT OF 10)", &[Kind::Filter]),
    (Postgres, "SELECT id FROM sales TABLESAMPLE BERNOULLI (10) REPEATABLE (3)", &[Kind::Filter]),
    (DuckDb, "SELECT id FROM sales TABLESAMPLE 10%", &[Kind::Filter]),
    (Snowflake, "SELECT id FROM sales SAMPLE (100 ROWS)", &[Kind::Limit]),
    (ClickHouse, "SELECT id FROM sales SAMPLE 1/10 OFFSET 1/2", &[Kind::Filter]),
    (Trino, "SELECT id FROM sales TABLESAMPLE SYSTEM (10)", &[Kind::Filter]),
    (
        Postgres,
        "SELECT shop, sum(amount) FROM sales GROUP BY DISTINCT ROLLUP (shop, day), CUBE (id)",
        &[Kind::Aggregate],
    ),
    (
        DuckDb,
        "SELECT shop, day, sum(amount) FROM sales GROUP BY GROUPING SETS ((shop, day), ROLLUP (shop), ())",
        &[Kind::Aggregate],
    ),
    (
        BigQuery,
        "SELECT shop, SUM(amount) FROM sales GROUP BY GROUPING SETS (shop, (shop, day), CUBE (shop, day))",
        &[Kind::Aggregate],
    ),
    (Snowflake, "SELECT shop, sum(amount) FROM sales GROUP BY ALL", &[Kind::Aggregate]),
    (ClickHouse, "SELECT shop, sum(amount) FROM sales GROUP BY shop WITH TOTALS", &[Kind::Aggregate]),
    (Trino, "SELECT shop, sum(amount) FROM sales GROUP BY ALL (shop, day)", &[Kind::Aggregate]),
    (DuckDb, "SELECT count(*) FILTER (amount > 3) FROM sales", &[Kind::Aggregate]),
    (DuckDb, "SELECT min(COLUMNS(* EXCLUDE (note, day))) FROM sales", &[Kind::Aggregate]),
    (
        ClickHouse,
        "SELECT argMinIf(id, amount, shop = 1), sumOrNull(amount), countDistinct(id), quantileTDigestIf(0.5)(amount, shop = 2) FROM sales",
        &[Kind::Aggregate],
    ),
    (
        Spark,
        "SELECT * FROM sales PIVOT (sum(amount) AS s, count(*) AS c FOR (shop, note) IN ((1, 'a') AS x, (2, 'b') AS y))",
        &[Kind::Aggregate],
    ),
    (DuckDb, "PIVOT sales ON shop, note USING sum(amount)", &[Kind::Aggregate]),
    (DuckDb, "PIVOT sales ON shop, note USING sum(amount) GROUP BY day", &[Kind::Aggregate]),
    (Redshift, "SELECT * FROM sales PIVOT (sum(amount) FOR shop IN (1, 2))", &[Kind::Aggregate]),
    (
        Snowflake,
        "SELECT * FROM (SELECT id, shop, amount::int AS amount FROM sales) UNPIVOT INCLUDE NULLS (v FOR k IN (shop, amount))",
        &[Kind::Expand],
    ),
    (Spark, "SELECT id FROM sales MINUS SELECT id FROM sales WHERE shop = 1", &[Kind::Join]),
    (Snowflake, "SELECT id FROM sales MINUS SELECT id FROM sales WHERE shop = 1", &[Kind::Join]),
    (Redshift, "SELECT id FROM sales MINUS SELECT id FROM sales WHERE shop = 1", &[Kind::Join]),
    (BigQuery, "SELECT id FROM sales EXCEPT DISTINCT SELECT id FROM sales WHERE shop = 1", &[Kind::Join]),
    (Spark, "SELECT a, b FROM sales LATERAL VIEW json_tuple(note, 'a', 'b') j AS a, b", &[Kind::Expand]),
    (BigQuery, "SELECT id, w FROM sales LEFT JOIN UNNEST(SPLIT(note, ' ')) w", &[Kind::Expand]),
    (ClickHouse, "SELECT id, word FROM sales LEFT ARRAY JOIN splitByChar(' ', note) AS word", &[Kind::Expand]),
    (
        Snowflake,
        "SELECT f.key, f.value:a FROM sales, TABLE(FLATTEN(parse_json(note), outer => true)) f",
        &[Kind::Expand],
    ),
    (
        Postgres,
        "SELECT u.x, u.n FROM sales, unnest(string_to_array(note, ' ')) WITH ORDINALITY AS u(x, n)",
        &[Kind::Expand],
    ),
    (DuckDb, "SELECT unnest([1, 2, 3]), id FROM sales", &[Kind::Expand]),
    (Trino, "SELECT t.a, t.b FROM sales CROSS JOIN UNNEST(ARRAY[1, 2], ARRAY['a', 'b']) AS t (a, b)", &[Kind::Expand]),
    (Redshift, "SELECT t.id, e FROM sales t, t.note AS e AT i", &[Kind::Expand]),
    (Snowflake, "SELECT id FROM sales WHERE made > '2020-1-1' AND note ILIKE ANY ('a%', 'b%')", &[Kind::Filter]),
    (
        Postgres,
        "SELECT id FROM sales WHERE amount IS DISTINCT FROM 3 AND note ILIKE 'a%' AND shop BETWEEN SYMMETRIC 5 AND 1",
        &[Kind::Filter],
    ),
    (Postgres, "SELECT sum(amount) FROM ONLY sales", &[Kind::Aggregate]),
    (Postgres, "SELECT s.id FROM ONLY sales s JOIN ONLY shops p USING (shop)", &[Kind::Join]),
    (DuckDb, "SELECT id FROM sales WHERE note GLOB 'a*' AND amount ** 2 > 3", &[Kind::Filter]),
    (
        BigQuery,
        "SELECT id FROM sales WHERE shop IN UNNEST(@shops) AND SAFE.SUBSTR(note, 0, 3) = 'abc'",
        &[Kind::Filter],
    ),
    (
        BigQuery,
        "SELECT shop, HLL_COUNT.MERGE(note), ANY_VALUE(note HAVING MAX amount) FROM sales GROUP BY shop",
        &[Kind::Aggregate],
    ),
    (ClickHouse, "SELECT id FROM sales WHERE id = {id:UInt64} AND CAST(note, 'Nullable(UInt8)') > 3", &[Kind::Filter]),
    (Trino, "SELECT id FROM sales WHERE element_at(MAP(), 'a') = 1 AND json_exists(note, 'lax $.a')", &[Kind::Filter]),
    (DuckDb, "SELECT id FROM sales WHERE MAP {} IS NOT NULL AND shop = 1", &[Kind::Filter]),
    (Snowflake, "SELECT id FROM IDENTIFIER('sales') WHERE note::variant:a.b[0]::int > 3", &[Kind::Filter]),
    (ClickHouse, "SELECT id FROM sales SEMI LEFT JOIN shops USING (shop)", &[Kind::Join]),
    (
        ClickHouse,
        "SELECT s.id FROM remote('host', default.sales) AS s JOIN shops AS p ON s.shop = p.shop",
        &[Kind::Join],
    ),
    (
        ClickHouse,
        "WITH v1 AS (SELECT shop, id FROM sales), v2 AS (SELECT v1.shop, v1.id, v1_lag.id AS before FROM v1, v1 AS v1_lag WHERE v1.id = v1_lag.id + 1) SELECT * FROM v2 WHERE v1.shop = 3 ORDER BY v1.id",
        &[Kind::Join, Kind::Sort],
    ),
    (
        Spark,
        "SELECT /*+ REPARTITION(10, shop), SHUFFLE_HASH(b) */ a.id FROM sales a JOIN shops b USING (shop)",
        &[Kind::Join],
    ),
    (
        Spark,
        "FROM sales |> WHERE amount > 3 |> AGGREGATE sum(amount) AS s GROUP BY shop |> ORDER BY s DESC |> LIMIT 3",
        &[Kind::Filter, Kind::Aggregate, Kind::Sort],
    ),
    (
        BigQuery,
        "FROM sales |> WHERE amount > 3 |> AGGREGATE SUM(amount) AS s GROUP BY shop |> ORDER BY s DESC |> LIMIT 3",
        &[Kind::Filter, Kind::Aggregate, Kind::Sort],
    ),
    (
        Spark,
        "REPLACE TABLE k1 USING delta TBLPROPERTIES ('a' = 'b') AS SELECT shop, sum(amount) AS s FROM sales GROUP BY shop",
        &[Kind::Aggregate],
    ),
    (
        Spark,
        "CREATE TABLE k2 ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE AS SELECT DISTINCT shop FROM sales",
        &[Kind::Aggregate],
    ),
    (
        BigQuery,
        "CREATE OR REPLACE TABLE k3 PARTITION BY DATE(made) CLUSTER BY shop OPTIONS (description = 'x') AS SELECT DISTINCT shop FROM sales",
        &[Kind::Aggregate],
    ),
    (
        Redshift,
        "CREATE TABLE k4 BACKUP NO DISTSTYLE KEY DISTKEY (shop) COMPOUND SORTKEY (day, shop) AS SELECT DISTINCT shop, day FROM sales",
        &[Kind::Aggregate],
    ),
    (
        ClickHouse,
        "CREATE TABLE k5 ENGINE = MergeTree ORDER BY (shop, id) AS SELECT DISTINCT shop, id FROM sales",
        &[Kind::Aggregate],
    ),
    (
        Trino,
        "CREATE TABLE k6 WITH (partitioned_by = ARRAY['shop'], bucket_count = 3) AS SELECT DISTINCT shop FROM sales",
        &[Kind::Aggregate],
    ),
    (
        Snowflake,
        "CREATE OR REPLACE TEMPORARY TABLE k7 CLUSTER BY (shop) COMMENT = 'c' AS SELECT DISTINCT shop FROM sales",
        &[Kind::Aggregate],
    ),
    (
        Snowflake,
        "INSERT OVERWRITE INTO shops SELECT shop, max(note), sum(amount) FROM sales GROUP BY shop",
        &[Kind::Aggregate],
    ),
    (
        Snowflake,
        "COPY INTO @stage FROM (SELECT shop, count(*) FROM sales GROUP BY shop) FILE_FORMAT = (TYPE = parquet)",
        &[Kind::Aggregate],
    ),
    (
        Snowflake,
        "CREATE TASK t WAREHOUSE = w SCHEDULE = '1 minute' AS INSERT INTO shops SELECT shop, max(note), 1 FROM sales GROUP BY shop",
        &[Kind::Aggregate],
    ),
    (
        DuckDb,
        "COPY (FROM sales WHERE amount > 3) TO 'x.parquet' (FORMAT parquet, PARTITION_BY (shop))",
        &[Kind::Filter],
    ),
    (Redshift, "MERGE INTO shops USING sales s ON shops.shop = s.shop REMOVE DUPLICATES", &[Kind::Join]),
    (Postgres, "DECLARE c CURSOR FOR SELECT id FROM sales WHERE amount > 3", &[Kind::Filter]),
    (Trino, "PREPARE p FROM SELECT id FROM sales WHERE shop = ?", &[Kind::Filter]),
    (
        ClickHouse,
        "SELECT a FROM view(SELECT DISTINCT shop AS a FROM sales) INTO OUTFILE 'x' FORMAT CSV",
        &[Kind::Aggregate],
    ),
    (
        Postgres,
        "WITH RECURSIVE r AS (SELECT id, shop FROM sales UNION SELECT s.id, s.shop FROM sales s JOIN r ON s.shop = r.id) SEARCH DEPTH FIRST BY id SET place SELECT id FROM r",
        &[Kind::Join, Kind::Union],
    ),
    (
        DuckDb,
        "WITH RECURSIVE r (n) USING KEY (n) AS (SELECT shop FROM sales UNION SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
        &[Kind::Union],
    ),
    (
        ClickHouse,
        "SELECT shop, sumIfOrNull(amount, id > 3), uniqExactIf(id, amount > 3), sumDistinct(shop), quantilesState(0.5, 0.9)(amount), groupArrayIf(note, id > 3) FROM sales GROUP BY shop",
        &[Kind::Aggregate],
    ),
    (
        ClickHouse,
        "SELECT shop, sumMerge(s) / countMerge(c), uniqMerge(u) FROM (SELECT shop, day, sumState(amount) AS s, countState() AS c, uniqState(id) AS u FROM sales GROUP BY shop, day) GROUP BY shop",
        &[Kind::Aggregate],
    ),
    (
        ClickHouse,
        "SELECT sumArray(splitByChar(' ', note)), avgArrayIf(splitByChar(' ', note), id > 3) FROM sales",
        &[Kind::Aggregate],
    ),
    (
        Snowflake,
        "SELECT id FROM sales WHERE note LIKE ALL ('%a%', '%b%') AND note NOT ILIKE ALL ('c%', 'd%')",
        &[Kind::Filter],
    ),
    (Spark, "SELECT id FROM sales WHERE note LIKE ALL ('%a%', '%b%')", &[Kind::Filter]),
    // Too long to be written once for each pattern.
    (
        Snowflake,
        "SELECT id FROM sales WHERE note || note || note || note || note NOT LIKE ANY ('%a%', '%b%')",
        &[Kind::Filter],
    ),
    (
        Snowflake,
        "SELECT id, w.index FROM sales, LATERAL SPLIT_TO_TABLE(note, ' ') w WHERE value <> 'a'",
        &[Kind::Expand],
    ),
    (
        Postgres,
        "SELECT p.shop, count(s.*) FROM shops p LEFT JOIN sales s ON s.shop = p.shop GROUP BY p.shop",
        &[Kind::Join],
    ),
    (
        BigQuery,
        "SELECT p.city, ARRAY(SELECT AS STRUCT s.id, s.amount FROM sales s WHERE s.shop = p.shop ORDER BY id) AS sold FROM shops p",
        &[Kind::Join],
    ),
    (
        Trino,
        "SELECT id, w FROM sales CROSS JOIN UNNEST(CAST(json_parse(note) AS ARRAY(VARCHAR))) AS t (w) WHERE CAST(note AS ROW(a INTEGER, b VARCHAR)) IS NOT NULL",
        &[Kind::Expand],
    ),
    (Redshift, "SELECT isnull(amount, 0) * 2 AS twice FROM sales WHERE isnull(shop, 0) = 3", &[Kind::Filter]),
    (Snowflake, "WITH r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r", &[Kind::Union]),
];

/// Statements that are left out, and what is said of them.
const LEFT_OUT: &[(SqlDialect, &str, &str)] = &[
    (
        Spark,
        "SELECT * FROM sales PIVOT (sum(amount) FOR (shop, note) IN ((1, 'a'), 2))",
        "PIVOT by 2 columns needs as many values",
    ),
    (Snowflake, "SELECT TOP 200 PERCENT id FROM sales", "“200 PERCENT” is not supported here"),
    (DuckDb, "SELECT COLUMNS('a.*') FROM sales", "COLUMNS is supported with * only"),
    (DuckDb, "SELECT max(COLUMNS(*)) FROM (SELECT id FROM sales)", "COLUMNS(*) of a subquery is not supported"),
    (Snowflake, "CREATE TABLE k CLONE sale", "there is no table “sale”"),
    (Snowflake, "SELECT t.$1 FROM @stage/file.csv t", "there is no table “@stage/file.csv"),
    (BigQuery, "SELECT s FROM sales s", "there is no column “s”"),
    (Postgres, "SELECT ctid FROM sales", "there is no column “ctid”"),
    (ClickHouse, "SELECT number FROM system.numbers LIMIT 10", "there is no table “system.numbers”"),
];

#[test]
fn forms_of_dialects_have_the_operators_that_they_need() {
    for (dialect, statement, kinds) in PLANNED {
        let query = planned(*dialect, statement);
        let plan = &query.plan;
        for kind in *kinds {
            let has = plan.nodes.iter().any(|node| node.kind == *kind);
            assert!(has, "{}: {statement}: no {kind:?} in {:#?}", dialect.name(), plan.nodes);
        }
    }
}

#[test]
fn forms_that_cannot_be_planned_are_named_with_line_and_reason() {
    for (dialect, statement, reason) in LEFT_OUT {
        let import = import_as(*dialect, &format!("{TABLES}SELECT 1;\n{statement};")).expect("an import");
        assert_eq!(import.queries.len(), 1, "{}: {statement}", dialect.name());
        // The text begins with an empty line, and each table has two.
        let is_named = import.warnings.iter().any(|note| note.contains("line 7") && note.contains(reason));
        assert!(is_named, "{}: {statement}: {:?}", dialect.name(), import.warnings);
    }
}

#[test]
fn the_first_percent_of_the_rows_are_that_share() {
    for (dialect, statement) in [
        (Snowflake, "SELECT TOP 10 PERCENT id FROM sales ORDER BY amount"),
        (DuckDb, "SELECT id FROM sales ORDER BY amount LIMIT 10%"),
        (Trino, "SELECT id FROM sales ORDER BY amount FETCH FIRST 10 PERCENT ROWS ONLY"),
    ] {
        let query = planned(dialect, statement);
        let sample = query.plan.nodes.iter().position(|node| node.name == "Sample").expect("a share of the rows");
        // 10 % of 1000 rows.
        assert_eq!(fill(&query.plan)[sample].rows_out.value, 100.0, "{statement}");
    }
}

#[test]
fn rows_of_the_second_query_are_an_anti_join() {
    let query = planned(Snowflake, "SELECT id FROM sales MINUS SELECT shop FROM shops");
    let join = query.plan.nodes.iter().find(|node| node.kind == Kind::Join).expect("a join");
    assert!(join.detail.contains("anti"), "{}", join.detail);
}

/// `ClickHouse`'s manual: a state stands in a column of type `AggregateFunction`, a value of type `SimpleAggregateFunction(f, T)` as T.
#[test]
fn states_of_aggregations_are_columns() {
    let text = "-- rows: 10\nCREATE TABLE t (a AggregateFunction(uniq, UInt64), b SimpleAggregateFunction(max, UInt64));\n\
                SELECT uniqMerge(a) FROM t;\nSELECT b FROM t;";
    let import = import_as(ClickHouse, text).expect("an import");
    assert!(import.queries.len() == 2 && import.warnings.is_empty(), "{:?}", import.warnings);
    let plan = &import.queries[1].plan;
    let scan = plan.nodes.iter().position(|node| node.kind == Kind::Scan).expect("a scan");
    // UInt64 has 8 bytes.
    assert_eq!(fill(plan)[scan].row_width.value, 8.0);
}

#[test]
fn functions_of_the_rows_of_a_condition_are_functions_of_many() {
    let text =
        format!("{TABLES}SELECT argMinIf(id, amount, shop = 1), countDistinct(id), sumOrNull(amount) FROM sales;");
    let import = import_as(ClickHouse, &text).expect("an import");
    // None of them is called unknown.
    assert!(import.warnings.is_empty(), "{:?}", import.warnings);
}

#[track_caller]
fn planned(dialect: SqlDialect, statement: &str) -> Query {
    let import = import_as(dialect, &format!("{TABLES}{statement};")).unwrap_or_else(|refused| {
        panic!("{}: {statement}: {refused}", dialect.name());
    });
    let unknown = import.warnings.iter().find(|note| note.contains("does not know"));
    assert_eq!(unknown, None, "{}: {statement}", dialect.name());
    import.queries.into_iter().next().expect("a query")
}
