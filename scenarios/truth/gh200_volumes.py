"""Writes what the queries of TPC-H read of an engine that keeps its tables in memory, as `gh200-volumes.csv`.

    pip install duckdb duckdb-extension-tpch
    python gh200_volumes.py > gh200-volumes.csv

DuckDB plans the queries over tables of scale factor 1 and says which columns each scan reads, for its result or for a
filter. A scan counts all rows of its table, and for each row the bytes of these columns in memory: 4 of an integer or a date,
8 of other numbers, 4 and the mean length of a text. Nothing else is counted: these tables have no files, and nothing is
exchanged on one machine.
"""

import argparse
import csv
import glob
import json
import os
import sys
import sysconfig

import duckdb

SCALE = 100
# Their size does not grow with the scale factor.
FIXED = ("nation", "region")
QUERIES = range(1, 23)
NOTE = "# Made by gh200_volumes.py: bytes in memory of the columns that the scans of each query read, at scale factor 100.\n"
COLUMNS = ("query", "read_gb", "files", "partitioned_scans", "exchanges_gb", "window_rows", "expanded_rows", "copies", "pairs")


def connect():
    """TPC-H at scale factor 1."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    pattern = os.path.join(sysconfig.get_paths()["purelib"], "duckdb_extension_tpch/extensions/*/tpch.duckdb_extension")
    connection.execute(f"LOAD '{glob.glob(pattern)[0]}'")
    connection.execute("CALL dbgen(sf=1)")
    return connection


def widths(connection):
    """Bytes of a value in memory, by table and column."""
    found = {}
    columns = connection.execute("select table_name, column_name, data_type from information_schema.columns").fetchall()
    for table, column, kind in columns:
        if kind == "VARCHAR":
            found[table, column] = 4 + connection.execute(f"select avg(length({column})) from {table}").fetchone()[0]
        else:
            found[table, column] = 4 if kind in ("INTEGER", "DATE") else 8
    return found


def scans(node):
    """The scans of tables in a plan: table, columns of the result, filters."""
    information = node.get("extra_info") or {}
    kind = node.get("operator_type") or node.get("operator_name") or ""
    if "SCAN" in kind and "Table" in information:
        several = lambda key: [information[key]] if isinstance(information.get(key), str) else information.get(key, [])
        yield information["Table"].split(".")[-1], several("Projections"), several("Filters")
    for child in node.get("children", []):
        yield from scans(child)


def main():
    """Plans and writes."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.parse_args()
    connection = connect()
    width = widths(connection)
    rows = {table: connection.execute(f"select count(*) from {table}").fetchone()[0] for table, _ in width}
    texts = dict(connection.execute("select query_nr, query from tpch_queries()").fetchall())
    writer = csv.writer(sys.stdout, lineterminator="\n")
    sys.stdout.write(NOTE)
    writer.writerow(COLUMNS)
    for number in QUERIES:
        plan = json.loads(connection.execute("EXPLAIN (ANALYZE, FORMAT json) " + texts[number]).fetchall()[-1][1])
        gigabytes = 0.0
        for table, projected, filters in scans(plan):
            if table not in FIXED:
                read = {name.strip() for name in projected} & {column for of, column in width if of == table}
                read |= {column for of, column in width if of == table and any(column in text for text in filters)}
                gigabytes += sum(width[table, column] for column in read) * rows[table] * SCALE / 1e9
        writer.writerow((f"q{number}", f"{gigabytes:.3f}", 0, 0, "", 0, 0, 0, 0))


if __name__ == "__main__":
    main()
