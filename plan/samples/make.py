"""Runs statements in DuckDB or PostgreSQL, writes what EXPLAIN says of them, and counts rows by other statements.

Called by make.sh:  make.py postgres  |  make.py duckdb SCRATCH_FILE
Writes postgres-*.json, duckdb-*.json and expected-postgres.csv, expected-duckdb.csv beside itself.
"""

import csv
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

TABLES = [
    "CREATE TABLE customers AS SELECT CAST(i AS integer) AS id, CONCAT('customer ', i) AS name,"
    " CASE i % 5 WHEN 0 THEN 'north' WHEN 1 THEN 'east' WHEN 2 THEN 'south' WHEN 3 THEN 'west' ELSE 'centre' END"
    " AS region FROM generate_series(0, 499) AS t(i)",
    "CREATE TABLE sales AS SELECT CAST(i AS integer) AS id, CAST((i * 7919) % 500 AS integer) AS customer,"
    " CAST((i * 104729) % 1000 AS double precision) / 10 AS amount, CAST(i % 31 AS integer) AS day"
    " FROM generate_series(0, 19999) AS t(i)",
]

JOIN = (
    "SELECT c.region, sum(s.amount) AS total FROM sales s JOIN customers c ON s.customer = c.id"
    " WHERE s.amount > 50 GROUP BY c.region ORDER BY total DESC LIMIT 3"
)
WINDOW = (
    "SELECT id, row_number() OVER (PARTITION BY customer ORDER BY amount, id) AS place FROM sales WHERE day < 10"
)
UNION = "SELECT customer FROM sales WHERE day = 1 UNION ALL SELECT id FROM customers WHERE region = 'north'"
CTE = (
    "WITH totals AS MATERIALIZED (SELECT customer, sum(amount) AS total FROM sales GROUP BY customer)"
    " SELECT a.customer FROM totals a JOIN totals b ON a.customer = b.customer"
    " WHERE a.total > (SELECT avg(total) FROM totals)"
)
SUBQUERY = (
    "SELECT c.id, (SELECT max(s.amount) FROM sales s WHERE s.customer = c.id AND s.day > c.id % 31) AS best"
    " FROM customers c"
)
TOTALS = "SELECT customer, sum(amount) AS total FROM sales GROUP BY customer"

# What operators give, counted by the engine without EXPLAIN.
LARGE_SALES = "SELECT count(*) FROM sales WHERE amount > 50"
ALL_SALES = "SELECT count(*) FROM sales"
CUSTOMERS = "SELECT count(*) FROM customers"
JOINED = "SELECT count(*) FROM sales s JOIN customers c ON s.customer = c.id WHERE s.amount > 50"
REGIONS = "SELECT count(DISTINCT region) FROM customers"
EARLY_SALES = "SELECT count(*) FROM sales WHERE day < 10"
FIRST_DAY = "SELECT count(*) FROM sales WHERE day = 1"
NORTHERNERS = "SELECT count(*) FROM customers WHERE region = 'north'"
BUYERS = "SELECT count(DISTINCT customer) FROM sales"
ABOVE_AVERAGE = f"SELECT count(*) FROM ({TOTALS}) t WHERE total > (SELECT avg(total) FROM ({TOTALS}) u)"
LATE_SALES = "SELECT count(*) FROM sales s JOIN customers c ON s.customer = c.id WHERE s.day > c.id % 31"
NORTHERN_SALES = "SELECT count(*) FROM sales s JOIN customers c ON s.customer = c.id WHERE c.region = 'north'"
SALES_ABOVE_20 = "SELECT count(*) FROM sales WHERE amount > 20"
DAYS = "SELECT count(DISTINCT day) FROM sales WHERE amount > 20"
ONE = "SELECT 1"
NONE = "SELECT 0"


class Expected:
    """Rows that operators give: file, statement in it, operator's name, words of its detail, rows, how counted."""

    def __init__(self, count):
        self.count = count
        self.rows = []

    def add(self, file, operator, marker, sql, statement=1):
        self.rows.append([file, statement, operator, marker, self.count(sql), sql])

    def write(self, path, append=False):
        with open(path, "a" if append else "w", newline="") as out:
            table = csv.writer(out, lineterminator="\n")
            if not append:
                table.writerow(["file", "statement", "operator", "marker", "rows", "counted_by"])
            table.writerows(self.rows)


def postgres():
    def psql(*statements, options=("-A", "-t")):
        command = ["psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", *options]
        for statement in statements:
            command += ["-c", statement]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def write(name, *statements, options=("-A", "-t")):
        (HERE / name).write_text(psql(*statements, options=options))
        return name

    def analyze(statement):
        return f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}"

    psql(*TABLES, "CREATE INDEX ON sales (customer)", "ALTER TABLE customers ADD PRIMARY KEY (id)", "ANALYZE")
    expected = Expected(lambda sql: int(psql(sql)))
    serial = "SET max_parallel_workers_per_gather = 0"

    file = write("postgres-join.json", serial, analyze(JOIN))
    expected.add(file, "Seq Scan", "sales", LARGE_SALES)
    expected.add(file, "Seq Scan", "customers", CUSTOMERS)
    expected.add(file, "Hash Join", "", JOINED)
    expected.add(file, "Aggregate", "", REGIONS)
    expected.add(file, "Limit", "", f"SELECT count(*) FROM ({JOIN}) q")

    file = write("postgres-window.json", serial, analyze(WINDOW))
    expected.add(file, "Seq Scan", "sales", EARLY_SALES)
    expected.add(file, "Sort", "", EARLY_SALES)
    expected.add(file, "WindowAgg", "", f"SELECT count(*) FROM ({WINDOW}) q")

    file = write("postgres-union.json", serial, analyze(UNION))
    expected.add(file, "Seq Scan", "sales", FIRST_DAY)
    expected.add(file, "Seq Scan", "customers", NORTHERNERS)
    expected.add(file, "Append", "", f"SELECT count(*) FROM ({UNION}) q")

    file = write("postgres-cte.json", serial, analyze(CTE))
    expected.add(file, "Seq Scan", "sales", ALL_SALES)
    expected.add(file, "Aggregate", "Key: sales.customer", BUYERS)
    expected.add(file, "CTE Scan", "Alias: a", ABOVE_AVERAGE)
    expected.add(file, "CTE Scan", "Alias: b", BUYERS)
    expected.add(file, "CTE Scan", "Alias: totals", BUYERS)
    expected.add(file, "Aggregate", "Plain", ONE)
    expected.add(file, "Hash Join", "", f"SELECT count(*) FROM ({CTE}) q")

    file = write("postgres-subquery.json", serial, analyze(SUBQUERY))
    expected.add(file, "Seq Scan", "customers", CUSTOMERS)
    expected.add(file, "Bitmap Heap Scan", "sales", LATE_SALES)
    expected.add(file, "Aggregate", "", CUSTOMERS)

    nested = "SELECT s.id FROM customers c JOIN sales s ON s.customer = c.id WHERE c.region = 'north'"
    only_nested = ("SET enable_hashjoin = off", "SET enable_mergejoin = off", "SET enable_bitmapscan = off")
    file = write("postgres-nested-loop.json", serial, *only_nested, analyze(nested))
    expected.add(file, "Seq Scan", "customers", NORTHERNERS)
    expected.add(file, "Index Scan", "sales", NORTHERN_SALES)
    expected.add(file, "Nested Loop", "", f"SELECT count(*) FROM ({nested}) q")

    by_day = "SELECT day, count(*) FROM sales WHERE amount > 20 GROUP BY day"
    parallel = (
        "SET max_parallel_workers_per_gather = 2",
        "SET parallel_setup_cost = 0",
        "SET parallel_tuple_cost = 0",
        "SET min_parallel_table_scan_size = 0",
    )
    file = write("postgres-parallel.json", *parallel, analyze(by_day))
    expected.add(file, "Seq Scan", "sales", SALES_ABOVE_20)
    expected.add(file, "Aggregate", "Finalize", DAYS)
    write("postgres-parallel-estimate.json", *parallel, f"EXPLAIN (FORMAT JSON) {by_day}")
    write("postgres-estimate.json", serial, f"EXPLAIN (FORMAT JSON) {JOIN}")

    nobody = "SELECT s.id FROM customers c JOIN sales s ON s.customer = c.id WHERE c.region = 'nowhere'"
    insert = "INSERT INTO sales SELECT id + 20000, customer, amount, day FROM sales WHERE day = 1"
    # Counted before the third statement adds rows.
    file = "postgres-several.txt"
    expected.add(file, "Append", "", f"SELECT count(*) FROM ({UNION}) q", 1)
    expected.add(file, "Nested Loop", "", NONE, 2)
    expected.add(file, "Index Scan", "sales", NONE, 2)
    expected.add(file, "Seq Scan", "sales", FIRST_DAY, 3)
    write(file, serial, *only_nested, analyze(UNION), analyze(nobody), analyze(insert), options=())
    expected.write(HERE / "expected-postgres.csv")


def duckdb(scratch):
    import duckdb as engine

    connection = engine.connect()
    for table in TABLES:
        connection.execute(table)
    expected = Expected(lambda sql: connection.execute(sql).fetchone()[0])
    version = engine.__version__

    def explain(name, statement, options="ANALYZE, FORMAT json"):
        text = connection.execute(f"EXPLAIN ({options}) {statement}").fetchone()[1]
        (HERE / name).write_text(text)
        return name

    def profile(name, statement):
        connection.execute("PRAGMA enable_profiling = 'json'")
        connection.execute(f"PRAGMA profiling_output = '{scratch}'")
        connection.execute(statement).fetchall()
        connection.execute("PRAGMA disable_profiling")
        (HERE / name).write_text(Path(scratch).read_text())
        return name

    if version.startswith("2."):
        scan, customers = ("TABLE_SCAN", "Table: memory.main.sales"), ("TABLE_SCAN", "Table: memory.main.customers")
        file = explain("duckdb-join.json", JOIN)
        for name in file, profile("duckdb-profile.json", JOIN):
            expected.add(name, *scan, LARGE_SALES)
            expected.add(name, *customers, CUSTOMERS)
            expected.add(name, "HASH_JOIN", "", JOINED)
            expected.add(name, "HASH_GROUP_BY", "", REGIONS)
            expected.add(name, "TOP_N", "", f"SELECT count(*) FROM ({JOIN}) q")

        file = explain("duckdb-window.json", WINDOW)
        expected.add(file, *scan, EARLY_SALES)
        expected.add(file, "WINDOW", "", f"SELECT count(*) FROM ({WINDOW}) q")

        file = explain("duckdb-union.json", UNION)
        expected.add(file, *scan, FIRST_DAY)
        expected.add(file, *customers, NORTHERNERS)

        file = explain("duckdb-cte.json", CTE)
        expected.add(file, *scan, ALL_SALES)
        expected.add(file, "PERFECT_HASH_GROUP_BY", "", BUYERS)

        file = explain("duckdb-subquery.json", SUBQUERY)
        expected.add(file, *customers, CUSTOMERS)

        explain("duckdb-estimate.json", JOIN, "FORMAT json")
        expected.write(HERE / "expected-duckdb.csv")
    elif version.startswith("1."):
        scan, customers = ("SEQ_SCAN", "Table: sales"), ("SEQ_SCAN", "Table: customers")
        file = profile("duckdb-1.4-profile.json", JOIN)
        expected.add(file, *scan, LARGE_SALES)
        expected.add(file, *customers, CUSTOMERS)
        expected.add(file, "HASH_JOIN", "", JOINED)
        expected.add(file, "TOP_N", "", f"SELECT count(*) FROM ({JOIN}) q")

        file = explain("duckdb-1.4-subquery.json", SUBQUERY)
        expected.add(file, *customers, CUSTOMERS)
        explain("duckdb-1.4-estimate.json", JOIN, "FORMAT json")
        expected.write(HERE / "expected-duckdb.csv", append=True)
    else:
        file = profile("duckdb-0.10-profile.json", JOIN)
        expected.add(file, "SEQ_SCAN", "sales", LARGE_SALES)
        expected.add(file, "SEQ_SCAN", "customers", CUSTOMERS)
        expected.add(file, "HASH_JOIN", "", JOINED)
        expected.add(file, "TOP_N", "", f"SELECT count(*) FROM ({JOIN}) q")
        expected.write(HERE / "expected-duckdb.csv", append=True)


if sys.argv[1] == "postgres":
    postgres()
else:
    duckdb(sys.argv[2])
