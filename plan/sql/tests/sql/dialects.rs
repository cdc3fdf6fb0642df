//! The common forms of each dialect are planned.

use crossover_plan::SqlDialect;
use crossover_query::Kind;

use super::{drawn, import, import_as};

const TABLES: &str = "
    -- rows: 1 million
    CREATE TABLE sales (id BIGINT, day DATE, made TIMESTAMP, shop INT, amount DOUBLE, note VARCHAR(40));
    -- rows: 2000
    CREATE TABLE shops (shop INT, city VARCHAR, area DOUBLE);
";

/// Statements of a dialect; each must be planned.
#[track_caller]
fn planned(dialect: SqlDialect, statements: &[&str]) {
    let text = format!("{TABLES}{}", statements.join(";\n"));
    let import = import_as(dialect, &text).expect("an import");
    let left_out: Vec<&String> = import.warnings.iter().filter(|note| note.contains("left out")).collect();
    assert_eq!(import.queries.len(), statements.len(), "{}: {left_out:#?}", dialect.name());
}

#[test]
fn spark() {
    planned(
        SqlDialect::Spark,
        &[
            "SELECT s.id, word FROM sales s LATERAL VIEW explode(split(note, ' ')) words AS word WHERE word <> 'a'",
            "SELECT id, pos, word FROM sales LATERAL VIEW OUTER posexplode(split(note, ' ')) t AS pos, word",
            "SELECT explode(split(note, ' ')) AS word FROM sales",
            "SELECT shop, collect_list(id), percentile_approx(amount, 0.5) FROM sales GROUP BY shop",
            "SELECT id FROM sales WHERE note RLIKE '^a' AND note NOT RLIKE 'z$'",
            "SELECT date_add(day, 5), datediff(day, DATE '2026-01-01'), months_between(day, made) FROM sales",
            "SELECT id FROM sales DISTRIBUTE BY shop SORT BY id",
            "SELECT shop, city, sum(amount) AS `total sum` FROM sales JOIN shops USING (shop) GROUP BY shop, city WITH ROLLUP",
            "SELECT id FROM sales LEFT SEMI JOIN shops ON sales.shop = shops.shop",
            "SELECT get_json_object(note, '$.a'), if(amount > 3, 'x', 'y'), nvl(note, '') FROM sales",
            "SELECT * FROM (SELECT shop, day, amount FROM sales) PIVOT (sum(amount) FOR shop IN (1, 2, 3))",
            "SELECT id FROM sales WHERE day BETWEEN cast('1999-02-22' AS date) AND (cast('1999-02-22' AS date) + INTERVAL 30 days)",
            "SELECT filter(split(note, ' '), x -> x <> 'a'), transform(split(note, ' '), (x, i) -> concat(x, i)) FROM sales",
            "SELECT id FROM sales WHERE exists(split(note, ' '), x -> x = note)",
            "SELECT k, sum(v) FROM sales UNPIVOT (v FOR k IN (shop, amount)) AS u GROUP BY k",
            "SELECT sum(CASE WHEN shop = 1 THEN 1 ELSE 0 END) AS 30_days FROM sales",
            "SELECT id, ~shop FROM sales VERSION AS OF 3",
            "FROM sales SELECT shop, sum(amount) WHERE amount > 3 GROUP BY shop",
            "SELECT stack(2, 'a', shop, 'b', id) AS (k, v) FROM sales",
            "CREATE TABLE kept USING parquet PARTITIONED BY (shop) AS SELECT * FROM sales",
            "MERGE INTO shops t USING (SELECT * FROM shops) s ON t.shop = s.shop WHEN MATCHED THEN UPDATE SET * \
             WHEN NOT MATCHED THEN INSERT *",
            "SELECT TRANSFORM(id, note) USING 'python clean.py' AS (id BIGINT, word STRING) FROM sales",
            "SELECT /*+ BROADCAST(p) */ s.id FROM sales s JOIN shops p ON s.shop = p.shop",
            "SELECT * EXCEPT (note) FROM sales",
            "SELECT shop, sum(amount) FROM sales GROUP BY ALL ORDER BY ALL",
            "SELECT id FROM sales LEFT ANTI JOIN shops USING (shop)",
            "SELECT id FROM sales TIMESTAMP AS OF date_sub(current_date(), 1)",
            "INSERT OVERWRITE TABLE sales PARTITION (day = '2026-01-01') SELECT id, made, shop, amount, note FROM sales",
            "FROM sales INSERT OVERWRITE TABLE kept SELECT id, amount WHERE amount > 3",
            "CACHE TABLE small AS SELECT shop, city FROM shops",
            "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT shop FROM shops",
        ],
    );
}

#[test]
fn postgresql() {
    planned(
        SqlDialect::Postgres,
        &[
            "SELECT note::text, extract(epoch FROM made), day + 5, day - DATE '2026-01-01' FROM sales",
            "SELECT note ->> 'a' FROM sales WHERE note ~* 'x' AND shop = ANY (ARRAY[1, 2, 3])",
            "SELECT d FROM generate_series(1, 100) AS g (d)",
            "SELECT s.id, t.city FROM sales s CROSS JOIN LATERAL (SELECT city FROM shops WHERE shops.shop = s.shop) t",
            "SELECT string_agg(note, ',' ORDER BY id), count(*) FILTER (WHERE amount > 3) FROM sales",
            "SELECT id FROM sales ORDER BY id FETCH FIRST 10 ROWS ONLY",
            "SELECT to_char(made, 'YYYY-MM'), date_trunc('month', made) FROM sales",
            "SELECT DISTINCT ON (shop) shop, id, amount FROM sales ORDER BY shop, made DESC",
            "SELECT DISTINCT ON (1) shop, id FROM sales",
            "WITH RECURSIVE r (id, up) AS (SELECT id, shop FROM sales WHERE shop = 1 UNION ALL SELECT s.id, s.shop FROM sales s \
             JOIN r ON s.shop = r.id) SELECT count(*) FROM r",
            "SELECT id FROM sales WHERE (shop, id) IN (SELECT shop, id FROM sales)",
            "SELECT id, (SELECT city FROM shops p WHERE p.shop = s.shop) FROM sales s",
            "TABLE sales",
            "SELECT p.city, t.id FROM shops p CROSS JOIN LATERAL (SELECT id, amount FROM sales s WHERE s.shop = p.shop ORDER BY s.made DESC LIMIT 3) t",
            "SELECT p.city, t.id FROM shops p LEFT JOIN LATERAL (SELECT id FROM sales WHERE shop = p.shop AND amount < p.area LIMIT 1) t ON true",
            "SELECT p.city, t.last FROM shops p, LATERAL (SELECT max(made) AS last FROM sales s WHERE s.shop = p.shop LIMIT 1) t",
            "INSERT INTO shops SELECT shop, max(note), max(amount) FROM sales GROUP BY shop ON CONFLICT (shop) DO UPDATE SET area = 1 RETURNING shop",
            "CREATE TABLE kept AS SELECT * FROM sales WITH NO DATA",
            "CREATE MATERIALIZED VIEW v AS SELECT shop, sum(amount) AS total FROM sales GROUP BY shop WITH DATA",
            "MERGE INTO shops t USING sales s ON t.shop = s.shop WHEN MATCHED THEN DO NOTHING WHEN NOT MATCHED THEN INSERT DEFAULT VALUES",
        ],
    );
}

#[test]
fn spans_of_time_without_their_word_are_read() {
    let text = format!(
        "{TABLES}SELECT id FROM sales WHERE day BETWEEN cast('2000-01-27' AS date) AND (cast('2000-01-27' AS date) + 30 days);"
    );
    assert_eq!(import(&text).expect("an import").queries.len(), 1);
}

#[test]
fn duckdb() {
    planned(
        SqlDialect::DuckDb,
        &[
            "SELECT * EXCLUDE (note) FROM sales",
            "SELECT shop, strlen(note), sum(amount) FROM sales GROUP BY ALL",
            "SELECT id FROM sales QUALIFY row_number() OVER (PARTITION BY shop ORDER BY made) = 1",
            "FROM sales SELECT count(*)",
            "FROM sales WHERE amount > 3",
            "SELECT DISTINCT ON (shop) * FROM sales ORDER BY made",
            "SELECT * FROM sales UNPIVOT (v FOR k IN (shop, amount))",
            "SELECT * FROM sales ASOF JOIN shops ON sales.shop = shops.shop AND sales.amount >= shops.area",
            "SELECT {'a': 1, 'b': note}.a FROM sales",
            "SELECT arg_max(id, amount), list(note), approx_count_distinct(id) FROM sales",
            "SELECT regexp_replace(note, 'a', 'b', 'g'), strftime(made, '%Y') FROM sales",
            "PIVOT sales ON shop USING sum(amount) GROUP BY day",
            "PIVOT sales ON shop IN (1, 2) USING sum(amount) GROUP BY day",
            "PIVOT (SELECT shop, day, amount FROM sales) ON shop USING sum(amount)",
            "UNPIVOT (SELECT id, shop, area FROM sales JOIN shops USING (shop)) ON shop, area INTO NAME k VALUE v",
            "WITH s AS (SELECT shop, day, amount FROM sales) PIVOT s ON shop IN (1, 2) USING avg(amount)",
            "SELECT * REPLACE (amount / 2 AS amount) FROM sales",
            "SELECT id FROM sales SEMI JOIN shops USING (shop)",
            "SELECT id FROM sales ANTI JOIN shops USING (shop)",
            "SELECT shop, id FROM sales ORDER BY ALL",
            "SELECT id FROM sales USING SAMPLE 10%",
            "SELECT id FROM sales AT (VERSION => 3)",
            "INSERT OR REPLACE INTO shops BY NAME SELECT shop, city FROM shops",
        ],
    );
}

#[test]
fn snowflake() {
    planned(
        SqlDialect::Snowflake,
        &[
            "SELECT f.value::string AS word FROM sales, LATERAL FLATTEN(input => split(note, ' ')) f WHERE f.index > 1",
            "SELECT dateadd(day, 30, day), datediff('month', day, made), iff(amount > 3, 1, 0) FROM sales",
            "SELECT parse_json(note):a.b::string FROM sales",
            "SELECT id FROM sales QUALIFY rank() OVER (PARTITION BY shop ORDER BY amount DESC) <= 3",
            "SELECT * FROM (SELECT shop, note, amount FROM sales) PIVOT (sum(amount) FOR note IN ('a', 'b')) AS p",
            "SELECT listagg(note, ',') WITHIN GROUP (ORDER BY id), zeroifnull(sum(amount)) FROM sales",
            "SELECT TOP 10 id FROM sales ORDER BY amount DESC",
            "SELECT id FROM sales SAMPLE (10)",
            "WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
            "SELECT amount AS x, x * 2 AS y FROM sales WHERE x > 3",
            "SELECT *, amount FROM sales",
            "SELECT shop, array_agg(note) WITHIN GROUP (ORDER BY id) FROM sales GROUP BY shop",
            "SELECT sum(amount) OVER w FROM sales WINDOW w AS (PARTITION BY shop ORDER BY made)",
            "SELECT s.id, p.city FROM sales s, shops p WHERE s.shop = p.shop (+) AND p.area (+) > 3 AND s.amount > 5",
            "SELECT id, LEVEL FROM sales START WITH shop = 1 CONNECT BY PRIOR id = shop",
            "SELECT SYS_CONNECT_BY_PATH(note, '/') AS path, CONNECT_BY_ROOT id AS root FROM sales s START WITH s.shop = 1 CONNECT BY s.shop = PRIOR s.id",
            "SELECT LEVEL FROM dual CONNECT BY LEVEL <= 10",
            "SELECT * FROM sales MATCH_RECOGNIZE (PARTITION BY shop ORDER BY made MEASURES FIRST(up.made) AS begun, count(*) AS steps \
             ONE ROW PER MATCH PATTERN (up+ down) DEFINE up AS amount > lag(amount), down AS amount < 3)",
            "SELECT * FROM (SELECT shop, note, amount FROM sales) PIVOT (sum(amount) FOR note IN (ANY)) AS p",
            "SELECT * EXCLUDE (note) RENAME (id AS number) FROM sales",
            "SELECT id FROM sales AT (OFFSET => -60)",
            "SELECT s.id FROM sales s ASOF JOIN shops p MATCH_CONDITION (s.amount >= p.area) ON s.shop = p.shop",
            "SELECT seq4() FROM TABLE(GENERATOR(ROWCOUNT => 10))",
            "INSERT ALL INTO kept INTO old SELECT id, amount FROM sales",
            "MERGE INTO shops t USING sales s ON t.shop = s.shop WHEN MATCHED AND s.amount > 3 THEN DELETE WHEN NOT MATCHED THEN INSERT (shop) VALUES (s.shop)",
        ],
    );
}

#[test]
fn bigquery() {
    planned(
        SqlDialect::BigQuery,
        &[
            "SELECT `shop`, COUNTIF(amount > 3), SAFE_DIVIDE(SUM(amount), COUNT(*)) FROM `sales` GROUP BY 1",
            "SELECT DATE_TRUNC(day, MONTH), DATE_DIFF(day, DATE '2026-01-01', DAY) FROM sales",
            "SELECT DATE_ADD(day, INTERVAL 1 MONTH), TIMESTAMP_TRUNC(made, HOUR) FROM sales",
            "SELECT id, word FROM sales, UNNEST(SPLIT(note, ' ')) AS word",
            "SELECT * EXCEPT (note) FROM sales WHERE note = \"text in double quotes\"",
            "SELECT REGEXP_CONTAINS(note, r'^a'), SAFE_CAST(note AS INT64) FROM sales",
            "SELECT APPROX_QUANTILES(amount, 4), ARRAY_AGG(id ORDER BY made LIMIT 3) FROM sales",
            "SELECT id FROM sales QUALIFY ROW_NUMBER() OVER (PARTITION BY shop ORDER BY made) = 1",
            "SELECT id, word, pos FROM sales CROSS JOIN UNNEST(SPLIT(note, ' ')) AS word WITH OFFSET AS pos",
            "SELECT * REPLACE (amount / 2 AS amount) FROM sales",
            "SELECT id FROM sales FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)",
            "SELECT id FROM sales TABLESAMPLE SYSTEM (10 PERCENT)",
            "INSERT sales (id, shop) SELECT id, shop FROM sales",
            "MERGE sales t USING sales s ON FALSE WHEN NOT MATCHED THEN INSERT ROW WHEN NOT MATCHED BY SOURCE THEN DELETE",
            "EXPORT DATA OPTIONS (uri = 'gs://a/*', format = 'CSV') AS SELECT id FROM sales",
        ],
    );
}

#[test]
fn redshift() {
    planned(
        SqlDialect::Redshift,
        &[
            "SELECT TOP 100 shop, sum(amount) FROM sales GROUP BY shop ORDER BY 2 DESC",
            "SELECT dateadd(day, 30, day), datediff(day, day, getdate()), nvl(note, '') FROM sales",
            "SELECT listagg(note, ',') WITHIN GROUP (ORDER BY id) FROM sales",
            "SELECT approximate_count(id), len(note) FROM sales",
            "SELECT json_extract_path_text(note, 'a'), decode(shop, 1, 'a', 2, 'b', 'c') FROM sales",
            "SELECT shop, day, sum(amount), grouping(shop) FROM sales GROUP BY rollup (shop, day)",
            "SELECT shop, day, sum(amount) FROM sales GROUP BY GROUPING SETS ((shop), (shop, day), ())",
            "SELECT max(amount), min(amount), max(amount) FROM sales",
            "SELECT APPROXIMATE COUNT(DISTINCT id) FROM sales",
            "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) OVER (PARTITION BY shop) FROM sales WHERE made < sysdate",
            "SELECT s.id, p.city FROM sales s, shops p WHERE s.shop = p.shop(+)",
            "SELECT id, level FROM sales START WITH shop = 1 CONNECT BY PRIOR id = shop",
            "SELECT * EXCLUDE (note, made) FROM sales",
            "UNLOAD ('SELECT shop, sum(amount) FROM sales GROUP BY shop') TO 's3://a/b' IAM_ROLE 'c'",
            "CREATE TABLE kept DISTKEY (shop) SORTKEY (day) AS SELECT * FROM sales",
            "CREATE VIEW v AS SELECT shop FROM shops WITH NO SCHEMA BINDING",
        ],
    );
}

#[test]
fn clickhouse() {
    planned(
        SqlDialect::ClickHouse,
        &[
            "SELECT shop, uniq(id), uniqExact(id), countIf(amount > 3), sumIf(amount, shop = 1) FROM sales GROUP BY shop",
            "SELECT toStartOfMonth(day) AS m, quantile(0.9)(amount) FROM sales PREWHERE shop > 3 GROUP BY m",
            "SELECT shop, id FROM sales ORDER BY amount DESC LIMIT 2 BY shop",
            "SELECT argMax(id, amount), anyLast(note), groupArray(id) FROM sales",
            "SELECT count() FROM sales WHERE notEmpty(note) AND note LIKE '%a%'",
            "SELECT sum(number) FROM numbers(100)",
            "SELECT id FROM sales AS s ANY LEFT JOIN shops AS p ON s.shop = p.shop",
            "SELECT id FROM sales WHERE shop GLOBAL IN (SELECT shop FROM shops)",
            "SELECT arrayFilter((x, y) -> x > y, [1], [2]) FROM sales",
            "WITH 3 AS three SELECT id, three FROM sales",
            "SELECT id FROM sales LIMIT 1 BY shop LIMIT 10",
            "SELECT domain(note), toDate(made), lengthUTF8(note), multiIf(amount > 3, 'a', 'b') FROM sales SAMPLE 0.1",
            "SELECT id, word FROM sales ARRAY JOIN splitByChar(' ', note) AS word",
            "SELECT id, a, b FROM sales ARRAY JOIN [1, 2] AS a, [3, 4] AS b",
            "SELECT amount > 3 ? 'high' : shop = 1 ? 'low' : note AS kind, (shop = 2 ? 1 : 0) + id FROM sales WHERE id > 3 ? shop = 1 : amount > 2",
            "SELECT s.id FROM sales AS s FINAL WHERE s.shop > 3",
            "SELECT sales.id FROM sales FINAL PREWHERE shop > 3 SETTINGS max_threads = 8",
            "SELECT id FROM sales GLOBAL ANY INNER JOIN shops USING shop",
            "SELECT s.id FROM sales s ASOF JOIN shops p ON s.shop = p.shop AND s.amount >= p.area",
            "SELECT id FROM sales LIMIT 2 OFFSET 1 BY shop",
            "SELECT * EXCEPT (note) FROM sales FORMAT JSONEachRow",
            "INSERT INTO kept SETTINGS async_insert = 1 SELECT id FROM sales",
            "CREATE MATERIALIZED VIEW v TO kept AS SELECT shop, count() AS c FROM sales GROUP BY shop",
        ],
    );
}

#[test]
fn trino() {
    planned(
        SqlDialect::Trino,
        &[
            "SELECT id, word FROM sales CROSS JOIN UNNEST(split(note, ' ')) AS t (word)",
            "SELECT id, word, n FROM sales CROSS JOIN UNNEST(split(note, ' ')) WITH ORDINALITY AS t (word, n)",
            "SELECT approx_distinct(id), max_by(note, amount), approx_percentile(amount, 0.5) FROM sales",
            "SELECT date_add('day', 5, day), date_diff('day', day, current_date), made + INTERVAL '5' DAY FROM sales",
            "SELECT try_cast(note AS bigint) FROM sales",
            "SELECT filter(split(note, ' '), x -> x <> 'a'), reduce(split(note, ' '), 0, (s, x) -> s + length(x), s -> s) FROM sales",
            "WITH RECURSIVE r (n) AS (VALUES 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
            "SELECT id FROM sales FOR VERSION AS OF 3",
            "SELECT json_extract_scalar(note, '$.a'), element_at(split(note, ' '), 1) FROM tpch.sf1.sales",
            "SELECT * FROM sales MATCH_RECOGNIZE (PARTITION BY shop ORDER BY made MEASURES RUNNING LAST(a.amount) AS high ALL ROWS PER MATCH \
             AFTER MATCH SKIP PAST LAST ROW PATTERN (a b*) DEFINE b AS b.amount > PREV(b.amount)) AS m",
            "SELECT id FROM sales FOR TIMESTAMP AS OF current_timestamp - INTERVAL '1' DAY",
            "SELECT id FROM sales TABLESAMPLE BERNOULLI (10)",
            "CREATE TABLE kept WITH (format = 'ORC') AS SELECT * FROM sales WITH NO DATA",
            "SELECT p.city, t.id FROM shops p CROSS JOIN LATERAL (SELECT id FROM sales s WHERE s.shop = p.shop ORDER BY id FETCH FIRST 2 ROWS ONLY) t",
        ],
    );
}

#[test]
fn rows_that_are_made_of_every_row_are_no_join() {
    let text = format!("{TABLES}SELECT id, word FROM sales LATERAL VIEW explode(split(note, ' ')) t AS word;");
    let import = import_as(SqlDialect::Spark, &text).expect("an import");
    let plan = drawn(&import.queries[0]);
    assert!(!import.queries[0].plan.nodes.iter().any(|node| node.kind == Kind::Join), "{plan}");
    let expand = import.queries[0].plan.nodes.iter().find(|node| node.kind == Kind::Expand).expect("rows are made");
    assert_eq!(expand.detail, "explode(split(note, ' '))");
    // The column that they are made of is read.
    assert!(plan.contains("[sales: id, note]"), "{plan}");
}

#[test]
fn top_is_a_limit_and_limit_by_a_window() {
    let text = format!("{TABLES}SELECT TOP 10 id FROM sales;\nSELECT id FROM sales LIMIT 2 BY shop;");
    let import = import_as(SqlDialect::ClickHouse, &text).expect("an import");
    let has = |query: usize, kind: Kind| import.queries[query].plan.nodes.iter().any(|node| node.kind == kind);
    assert!(has(0, Kind::Limit) && has(1, Kind::Window), "{:?}", import.warnings);
}

#[test]
fn the_dialect_is_guessed_from_the_statements_and_said() {
    let text = format!("{TABLES}SELECT shop, uniq(id) FROM sales PREWHERE shop > 3 GROUP BY shop;");
    let import = import(&text).expect("an import");
    assert!(import.warnings[0].contains("ClickHouse"), "{:?}", import.warnings);
    let plain = format!("{TABLES}SELECT shop FROM sales;");
    assert!(super::import(&plain).expect("an import").warnings.is_empty());
}

#[test]
fn types_of_other_dialects_are_as_wide_as_their_manuals_say() {
    for (dialect, column, bytes) in [
        // ClickHouse: Int8 has 1 byte, UInt64 8, DateTime here 8 as every point in time, FixedString(5) 5.
        (SqlDialect::ClickHouse, "Int8", 1.0),
        (SqlDialect::ClickHouse, "UInt64", 8.0),
        (SqlDialect::ClickHouse, "Nullable(UInt16)", 2.0),
        (SqlDialect::ClickHouse, "FixedString(5)", 5.0),
        // PostgreSQL: float is double precision, int8 has 8 bytes.
        (SqlDialect::Postgres, "FLOAT", 8.0),
        (SqlDialect::Postgres, "INT8", 8.0),
        // BigQuery, Snowflake, DuckDB.
        (SqlDialect::BigQuery, "INT64", 8.0),
        (SqlDialect::Snowflake, "NUMBER(15, 0)", 8.0),
        (SqlDialect::DuckDb, "UTINYINT", 1.0),
    ] {
        let text = format!("-- rows: 10\nCREATE TABLE t (a {column});\nSELECT a FROM t;");
        let import = import_as(dialect, &text).expect("an import");
        let plan = &import.queries[0].plan;
        let scan = plan.nodes.iter().position(|node| node.kind == Kind::Scan).expect("a scan");
        assert_eq!(crossover_query::fill(plan)[scan].row_width.value, bytes, "{column}");
    }
}

/// Each of them reads its table twice: twenty within one another would read it a million times.
#[test]
fn hierarchies_within_one_another_are_refused_before_they_are_copied() {
    let mut query = "SELECT * FROM sales CONNECT BY PRIOR id = shop".to_owned();
    for _ in 0..20 {
        query = format!("SELECT * FROM ({query}) x CONNECT BY PRIOR id = shop");
    }
    let refused = import_as(SqlDialect::Snowflake, &format!("{TABLES}{query}")).expect_err("too many").to_string();
    assert!(refused.contains("more than 30 CONNECT BY"), "{refused}");
}

/// Each of them would have four copies of those within it.
#[test]
fn pivots_within_one_another_do_not_grow_without_end() {
    let list = vec!["1"; 2_000].join(", ");
    let mut query = format!("SELECT * FROM sales WHERE id IN ({list})");
    for _ in 0..24 {
        query = format!("(PIVOT {query} ON shop USING sum(amount) GROUP BY id)");
    }
    // Planned or refused: in either case there is an answer.
    let answered = import_as(SqlDialect::DuckDb, &format!("{TABLES}SELECT * FROM {query}"));
    assert!(answered.map_or_else(|why| !why.to_string().is_empty(), |import| !import.warnings.is_empty()));
}
