r"""Compares the rule for compressed bytes of exchanges with what Spark wrote, exchange by exchange, with the rows known.

    pip install duckdb==1.5.5 lz4==4.4.5 pyarrow numpy
    python exchange_bytes.py FOLDER/warehouse LOGS... > spark-exchanges.csv

FOLDER is that of `spark_volumes.py`, LOGS are folders with event logs of queries on its tables. Rows, data, and written bytes of each
exchange are those that its tasks counted; its columns are followed through the plan. Footers are read with PyArrow, distinct values and
lengths of texts are counted by DuckDB as the dictionaries state them. The rule is that of `shuffle_bytes.py`; it is 0.48 of the rows behind
the first ones of streams where a column is computed or rows are not in the order of the files. A summary follows on standard error.
"""

import argparse
import collections
import csv
import glob
import json
import math
import os
import re
import sys

import duckdb
import numpy as np
import pyarrow.parquet as pq

from shuffle_bytes import BLOCK, HEADER, LENGTH, SHARE, by_rule, first_row

COLUMN = re.compile(r"^(\w+)#(\d+)L?$")
LONG = 256**3


class Stored:
    """What the files of a table state of a column; without a file, a computed number of three bytes or a text."""

    def __init__(self, name="", kind="long", different=LONG, changes=1.0, text_bytes=0.0):
        self.name, self.type, self.different, self.changes, self.text_bytes = name, kind, different, changes, text_bytes
        self.is_stored = bool(name)


def stored(warehouse):
    """Columns of all tables by their names."""
    connection, found = duckdb.connect(), {}
    for table in sorted(glob.glob(os.path.join(warehouse, "*"))):
        files = glob.glob(os.path.join(table, "*.parquet"))
        sizes, rows = collections.Counter(), 0
        for metadata in (pq.ParquetFile(file).metadata for file in files):
            rows += metadata.num_rows
            for group in (metadata.row_group(at) for at in range(metadata.num_row_groups)):
                for column in (group.column(at) for at in range(group.num_columns)):
                    sizes[column.path_in_schema] += column.total_compressed_size
        source = f"read_parquet('{table}/*.parquet')"
        for name, data_type, *_ in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall() if files else []:
            is_text = data_type == "VARCHAR"
            of = f"strlen({name})" if is_text else name
            different, known, least, largest, letters = connection.execute(
                f"SELECT count(DISTINCT {name}), count({name}), min({of}), max({of}), {f'sum({of})' if is_text else '0'} FROM {source}"
            ).fetchone()
            if different * (4 + (letters or 0) / rows if is_text else 8) >= 1e6:
                different = min(rows, int(largest) - int(least) + 1) if data_type in ("INTEGER", "BIGINT") else rows
            different = max(different, 1)
            bits = 8 * sizes[name] / rows / math.log2(max(different, 2))
            mean = (letters or 0) / max(known, 1)
            text = known / rows * (-(-mean // 8) * 8 if least == largest else mean + 3.5) if is_text else 0.0
            found[name] = Stored(name, "text" if is_text else "long", different, 1.0 if bits > 0.8 else bits / 3.5, text)
    return found


def parts(text):
    """The parts of a list, split at the commas outside of brackets."""
    depth, found = 0, [""]
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found if part.strip()]


def listed(text, behind):
    """The parts of the list in brackets behind a word; none without it."""
    start = text.find(behind + "[")
    depth = 0
    for at in range(start + len(behind), len(text) if start >= 0 else 0):
        depth += (text[at] == "[") - (text[at] == "]")
        if depth == 0:
            return parts(text[start + len(behind) + 1:at])
    return []


class Rows:
    """Columns of the rows of a plan, under whatever name."""

    def __init__(self, tables):
        self.tables, self.renamed = tables, {}

    def column(self, text):
        """A column, or an expression with or without a name."""
        expression, _, name = text.rpartition(" AS ")
        found = COLUMN.match(expression or name)
        if found and found[2] in self.renamed:
            one = self.renamed[found[2]]
        elif found and found[1] in self.tables:
            one = self.tables[found[1]]
        else:
            one = Stored(kind="text" if re.match(r"substr|concat|upper|lower", expression) else "long")
        if expression and (given := COLUMN.match(name)):
            self.renamed[given[2]] = one
        return one

    def of(self, node):
        """Columns of the rows that an operator gives."""
        name, text, below = node["nodeName"], node["simpleString"], [self.of(child) for child in node["children"]]
        if name.startswith("Scan"):
            return [self.column(part) for part in listed(text, text.split("[")[0])]
        if name in ("Project", "Window"):
            return (below[0] if name == "Window" else []) + [self.column(part) for part in listed(text, name + " ")]
        if name.endswith("Aggregate"):
            states = (2 if call.startswith(("partial_avg", "merge_avg")) else 1 for call in listed(text, "functions="))
            return [self.column(part) for part in listed(text, "keys=")] + [Stored() for _ in range(sum(states))]
        if name == "Expand":
            copies, given = text.rsplit("], [", 1)
            for one, other in zip(parts(copies[copies.index("[[") + 2:copies.index("],") if "]," in copies else None]), parts(given[:-1])):
                if (new := COLUMN.match(other)) and COLUMN.match(one):
                    self.renamed[new[2]] = self.column(one)
            return [self.column(part) for part in parts(given[:-1])]
        if "Join" in name and len(below) == 2 and not re.search("LeftSemi|LeftAnti|Existence", text):
            return below[0] + below[1]
        return below[0] if below else []


def is_in_order(node):
    """Whether rows are in the order of the files of a table."""
    name, below = node["nodeName"], node["children"]
    if name == "BroadcastHashJoin":
        return is_in_order(below["BuildLeft" in node["simpleString"]])
    passes = name in ("Project", "Filter", "InputAdapter", "ColumnarToRow") or name.startswith("WholeStage")
    return name.startswith("Scan") or passes and is_in_order(below[0])


def exchanges(log, tables):
    """Exchanges of the queries in a folder of event logs."""
    plans, names, sums, tasks = {}, {}, collections.Counter(), collections.Counter()
    for file in glob.glob(os.path.join(log, "*")):
        for event in map(json.loads, open(file, encoding="utf-8")):
            if "sparkPlanInfo" in event:
                names.setdefault(event["executionId"], event.get("description"))
                plans[event["executionId"]] = event["sparkPlanInfo"]
            elif event["Event"] == "SparkListenerTaskEnd":
                for update in event["Task Info"]["Accumulables"]:
                    if str(update.get("Update", "")).isdecimal():
                        sums[update["ID"]] += int(update["Update"])
                        tasks[update["ID"]] += 1
    for number, plan in plans.items():
        rows, seen, waiting = Rows(tables), set(), [plan]
        rows.of(plan)
        while waiting:
            node = waiting.pop()
            waiting += node["children"]
            metrics = {metric["name"]: metric["accumulatorId"] for metric in node["metrics"]}
            written = metrics.get("shuffle bytes written")
            if node["nodeName"] == "Exchange" and sums[written] and written not in seen:
                seen.add(written)
                yield names[number], node, rows, [sums[metrics[name]] for name in METRICS], tasks[written]


METRICS = ("shuffle records written", "data size", "shuffle bytes written")


def estimate(node, rows, count, data, tasks):
    """Bytes that an exchange writes, by the rule."""
    text, below = node["simpleString"], node["children"][0]
    columns = rows.of(below)
    hashed = parts(text[text.index("hashpartitioning(") + 17:text.rindex("), ENSURE")]) if "hashpartitioning" in text else []
    partitions = tasks * (int(hashed[-1]) if hashed else 1 if "SinglePartition" in text else 200)
    if columns and is_in_order(below) and all(column.is_stored for column in columns):
        return by_rule(columns, [rows.column(key) for key in hashed[:-1]], count, data, partitions)
    row = LENGTH + data / count
    streams = min(partitions * (1 - (1 - 1 / partitions) ** count) if partitions > 1 else 1, count)
    first = first_row(columns, row) if columns else row
    return (count - streams) * SHARE * data / count + streams * (first + 2 * HEADER) + HEADER * count * row / BLOCK


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warehouse")
    parser.add_argument("logs", nargs="+")
    options = parser.parse_args()
    tables = stored(options.warehouse)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["log", "query", "rows", "data_bytes", "written_bytes", "written_bytes_rule"])
    for log in options.logs:
        found, queries = [], collections.defaultdict(lambda: np.zeros(2))
        for query, node, rows, (count, data, written), tasks in exchanges(log, tables):
            by = estimate(node, rows, count, data, tasks)
            writer.writerow([log, query, count, data, written, round(by)])
            found.append((written, by))
            queries[query] += (written, by)
        for what, pairs in [("exchanges", found), ("exchanges of 1 MB or more", [pair for pair in found if pair[0] >= 1e6]),
                            ("queries", queries.values())]:
            errors = [abs(by / written - 1) for written, by in pairs]
            near = sum(error <= 0.1 for error in errors)
            print(f"{log}: {len(errors)} {what}, median error {np.median(errors):.1%}, within 10 %: {near}", file=sys.stderr)


if __name__ == "__main__":
    main()
