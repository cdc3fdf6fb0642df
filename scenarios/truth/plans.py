"""Makes the plans of the case files in this folder with DuckDB: true row counts on small tables.

    pip install duckdb==1.5.5 duckdb-extension-tpch==1.5.5 duckdb-extension-tpcds==1.5.5
    python plans.py

The plans go to `plans/`; a query takes a second or two, all of them a few minutes and 2 GB of memory.
"""

import glob
import os
import sysconfig

import duckdb

HERE = os.path.dirname(os.path.abspath(__file__))

# The micro-benchmarks of NVIDIA/spark-rapids-examples in DuckDB's dialect.
LETTERS = ["Ms.", "Mr.", "Dr."]
COUNTED = ["c_salutation", "c_first_name", "c_last_name", "c_birth_country", "c_email_address", "c_login",
           "c_preferred_cust_flag", "c_birth_month"]
TITLES = LETTERS + ["Miss.", "Mrs.", "Sir.", "Professor.", "Teacher.", "Agent.", "Director."]
NDS = {
    "expand": "select c_current_hdemo_sk, " + ", ".join(
        [f"count(distinct case when c_salutation = '{letter}' then {column} end)"
         for column in COUNTED for letter in LETTERS]
        + [f"avg(case when c_salutation = '{title}' then c_birth_year end)" for title in TITLES]
    ) + " from customer group by c_current_hdemo_sk",
    "window": """select ss_customer_sk, avg(avg_price) as avg_price from (
        select ss_customer_sk, avg(ss_sales_price) over (partition by ss_customer_sk order by ss_sold_date_sk
            rows between 50 preceding and 50 following) as avg_price
        from store_sales where ss_customer_sk is not null) group by ss_customer_sk order by 2 desc""",
    "crossjoin": """select count(*) from customer_1_million c1
        inner join customer_1_million c2 on c1.c_customer_sk > c2.c_customer_sk""",
}


def connect(extension, generate):
    """A database in memory with the tables of a benchmark."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    pattern = f"duckdb_extension_{extension}/extensions/*/{extension}.duckdb_extension"
    connection.execute(f"LOAD '{glob.glob(os.path.join(sysconfig.get_paths()['purelib'], pattern))[0]}'")
    connection.execute(f"CALL {generate}")
    return connection


def write(connection, folder, queries):
    """The plan of each query, with what it counted."""
    os.makedirs(os.path.join(HERE, "plans", folder), exist_ok=True)
    for name, sql in queries:
        plan = connection.execute("EXPLAIN (ANALYZE, FORMAT json) " + sql).fetchall()[-1][1]
        with open(os.path.join(HERE, "plans", folder, f"{name}.json"), "w", encoding="utf-8") as file:
            file.write(plan)


def of_benchmark(connection, function):
    """The queries that an extension brings, by their number."""
    rows = connection.execute(f"select query_nr, query from {function}()").fetchall()
    return [(f"q{number}", sql) for number, sql in rows]


if __name__ == "__main__":
    tpch = connect("tpch", "dbgen(sf=1)")
    write(tpch, "tpch", of_benchmark(tpch, "tpch_queries"))
    tpcds = connect("tpcds", "dsdgen(sf=1)")
    write(tpcds, "tpcds", of_benchmark(tpcds, "tpcds_queries"))
    # All pairs of 4,000 rows; of a million they would not end here.
    tpcds.execute("create table customer_1_million as select * from customer limit 4000")
    write(tpcds, "nds", NDS.items())
