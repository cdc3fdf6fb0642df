#!/usr/bin/env python3
"""Sets the CPU's operators beside DuckDB and Polars, on the same data and with the same materialised output.

How to run, from the root of the repository, on a machine that does nothing else:

    cargo build --release -p crossover-gpu-bench --example operators
    python3 -m venv ENV && ENV/bin/pip install duckdb polars pyarrow numpy
    ENV/bin/python gpu-bench/peers/compare.py --json comparison.json

What is compared, on one thread and on all:

    filter      u32 column, keep what is below a bound (10 % and 50 %), write what is kept
    join        build side of distinct u32 keys with a payload, probe side of which half matches;
                writes (probe row, payload) for each match; building is part of the time
    group by    dictionary codes (10, 1000, 1000000 groups), sum and count of a u32 value
    sort        u32 column

What makes it fair:

    - Data are those of the program's generator, made again in numpy; sums of the inputs are compared.
    - Results must agree: rows, and a sum that depends on order where order matters.
    - Peers start from memory. DuckDB reads a table of its own and writes a temporary table, or an Arrow table;
      Polars runs in memory, or streaming; sums are asked for over u32 and over wider columns, because a peer may
      know a faster way for these. The fastest of a peer's ways counts.
    - Each engine runs in a process of its own that is told the number of threads; rounds alternate between the
      engines. The first run of each process is discarded, the median of the others counts.
    - Our time is given with memory for the output at hand, as the benchmarks measure on CPU and GPU, and with a new
      output in each repetition, as in the peers. Their allocators and ours keep freed memory for the next one.

A ratio is the peer's time / ours: 1 or more means that ours is at least as fast.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

OPERATORS = ["filter_0.1", "filter_0.5", "join", "group_by_10", "group_by_1000", "group_by_1000000", "sort"]
ENGINES = ["duckdb", "polars"]
BOUNDS = {"filter_0.1": 429_496_730, "filter_0.5": 1 << 31}


# The generator of harness/src/generator.rs.


def mix(x):
    """A bijection of 32-bit words ("lowbias32")."""
    import numpy as np

    x = x ^ (x >> np.uint32(16))
    x = x * np.uint32(0x7FEB352D)
    x = x ^ (x >> np.uint32(15))
    x = x * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def at(seed, places):
    """The words of a stream at these places, which are below 2^32."""
    import numpy as np

    return mix(places.astype(np.uint32) + mix(np.array([seed], dtype=np.uint32)))


def words(seed, count):
    import numpy as np

    return at(seed, np.arange(count, dtype=np.uint32))


def words_below(seed, count, bound):
    import numpy as np

    return ((words(seed, count).astype(np.uint64) * np.uint64(bound)) >> np.uint64(32)).astype(np.uint32)


def inputs(operator, rows, build_rows):
    """The columns of an operator by name."""
    import numpy as np

    if operator.startswith("filter"):
        return {"word": words(1, rows)}
    if operator == "join":
        return {
            "build_key": words(2, build_rows),
            "payload": words(3, build_rows),
            "probe_key": at(2, words_below(4, rows, 2 * build_rows)),
            "probe_row": np.arange(rows, dtype=np.uint32),
        }
    if operator.startswith("group_by"):
        groups = int(operator.removeprefix("group_by_"))
        return {"code": words_below(5, rows, groups), "value": words(6, rows)}
    return {"word": words(7, rows)}


def input_sum(operator, columns):
    import numpy as np

    used = [column for name, column in columns.items() if name != "probe_row"]
    return int(sum(int(column.sum(dtype=np.uint64)) for column in used)) % 2**64


def check(operator, columns):
    """Rows and a sum of the output columns."""
    import numpy as np

    columns = [np.asarray(column) for column in columns]
    with np.errstate(over="ignore"):
        if operator.startswith("group_by"):
            codes, sums, counts = columns
            weighted = (codes.astype(np.uint64) + np.uint64(1)) * sums.astype(np.uint64)
            return {"rows": len(codes), "sum": int(weighted.sum(dtype=np.uint64))}
        if operator == "sort":
            (keys,) = columns
            weighted = np.arange(len(keys), dtype=np.uint64) * keys.astype(np.uint64)
            return {"rows": len(keys), "sum": int(weighted.sum(dtype=np.uint64))}
        total = sum(int(column.sum(dtype=np.uint64)) for column in columns)
        return {"rows": len(columns[0]), "sum": total % 2**64}


# Peers: each gives ways to do an operator; a way returns a result whose columns can be checked.


def duckdb_ways(operator, columns, threads):
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    connection.execute("SET preserve_insertion_order = false")

    def table(name, of):
        connection.register("columns_of_table", pa.table(of))
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM columns_of_table")
        connection.unregister("columns_of_table")

    if operator.startswith("filter"):
        table("t", columns)
        queries = {"u32": f"SELECT word FROM t WHERE word < {BOUNDS[operator]}"}
    elif operator == "join":
        table("build", {"key": columns["build_key"], "payload": columns["payload"]})
        table("probe", {"key": columns["probe_key"], "probe_row": columns["probe_row"]})
        queries = {"u32": "SELECT probe_row, payload FROM probe JOIN build USING (key)"}
    elif operator.startswith("group_by"):
        table("t", columns)
        connection.execute("CREATE TABLE wide AS SELECT code, value::BIGINT AS value FROM t")
        select = "SELECT code, sum(value)::UBIGINT AS s, count(*) AS c FROM {} GROUP BY code"
        queries = {"u32": select.format("t"), "i64": select.format("wide")}
    else:
        table("t", columns)
        connection.execute("SET preserve_insertion_order = true")
        queries = {"u32": "SELECT word FROM t ORDER BY word"}

    def into_table(query):
        connection.execute("DROP TABLE IF EXISTS result")
        start = time.perf_counter()
        connection.execute(f"CREATE TEMP TABLE result AS {query}")
        return time.perf_counter() - start, lambda: connection.sql("FROM result").to_arrow_table().columns

    def into_arrow(query):
        start = time.perf_counter()
        result = connection.sql(query).to_arrow_table()
        return time.perf_counter() - start, lambda: result.columns

    return {
        f"{name}, {output}": (lambda query=query, run=run: run(query))
        for name, query in queries.items()
        for output, run in [("table", into_table), ("arrow", into_arrow)]
    }


def polars_ways(operator, columns, threads):
    import polars as pl

    if pl.thread_pool_size() != threads:
        raise SystemExit(f"Polars runs on {pl.thread_pool_size()} threads, not {threads}")
    frame = pl.DataFrame(columns) if operator != "join" else None
    if operator.startswith("filter"):
        plans = {"u32": frame.lazy().filter(pl.col("word") < BOUNDS[operator])}
    elif operator == "join":
        build = pl.DataFrame({"key": columns["build_key"], "payload": columns["payload"]})
        probe = pl.DataFrame({"key": columns["probe_key"], "probe_row": columns["probe_row"]})
        plans = {"u32": probe.lazy().join(build.lazy(), on="key").select("probe_row", "payload")}
    elif operator.startswith("group_by"):
        wide = frame.with_columns(pl.col("value").cast(pl.UInt64))
        narrow_sum, wide_sum = pl.col("value").cast(pl.UInt64).sum().alias("s"), pl.col("value").sum().alias("s")
        count = pl.len().alias("c")
        plans = {
            "u32": frame.lazy().group_by("code").agg(narrow_sum, count),
            "u64": wide.lazy().group_by("code").agg(wide_sum, count),
        }
    else:
        plans = {"u32": frame.lazy().sort("word")}

    def collect(plan, engine):
        start = time.perf_counter()
        result = plan.collect(engine=engine)
        return time.perf_counter() - start, lambda: [column.to_numpy() for column in result.get_columns()]

    return {
        f"{name}, {engine}": (lambda plan=plan, engine=engine: collect(plan, engine))
        for name, plan in plans.items()
        for engine in ["in-memory", "streaming"]
    }


def work(engine, operators, options, threads):
    """Times a peer in this process; prints a line of JSON per operator."""
    ways_of = {"duckdb": duckdb_ways, "polars": polars_ways}[engine]
    for operator in operators:
        columns = inputs(operator, options.rows, options.build_rows)
        line = {"operator": operator, "ways": {}, "input_sum": input_sum(operator, columns)}
        for name, way in ways_of(operator, columns, threads).items():
            checked = check(operator, way()[1]())
            if line.setdefault("check", checked) != checked:
                raise SystemExit(f"{engine}, {operator}: {name} gives {checked}, not {line['check']}")
            line["ways"][name] = [way()[0] for _ in range(options.repetitions)]
        print(json.dumps(line), flush=True)


def run_process(command, threads):
    environment = dict(os.environ, POLARS_MAX_THREADS=str(threads), RAYON_NUM_THREADS=str(threads))
    output = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line["operator"]: line for line in map(json.loads, output.splitlines())}


def compare(options):
    """Runs all engines in turn; returns one record per operator and number of threads."""
    root = Path(__file__).resolve().parents[2]
    target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    ours = options.ours or target / "release" / "examples" / "operators"
    operators = [operator for operator in OPERATORS if operator.startswith(options.only)]
    sizes = ["--rows", str(options.rows), "--build-rows", str(options.build_rows)]
    sizes += ["--repetitions", str(options.repetitions), "--only", options.only]
    records = {}
    for threads in options.threads or sorted({1, len(os.sched_getaffinity(0))}):
        for turn in range(options.rounds):
            print(f"{threads} threads, round {turn + 1}, load {os.getloadavg()[0]:.2f}", file=sys.stderr)
            for engine in ["ours", *ENGINES]:
                worker = [sys.executable, __file__, "--worker", engine, "--threads", str(threads)]
                command = [str(ours), "--threads", str(threads)] if engine == "ours" else worker
                for operator, line in run_process(command + sizes, threads).items():
                    record = records.setdefault((operator, threads), {})
                    add(record, engine, line, f"{operator} on {threads} threads")
    return [
        {"operator": operator, "threads": threads, **summary(records[operator, threads])}
        for threads in sorted({threads for _, threads in records})
        for operator in operators
    ]


def add(record, engine, line, where):
    for fact in ["check", "input_sum"]:
        if record.setdefault(fact, line[fact]) != line[fact]:
            raise SystemExit(f"{where}: {fact} of {engine} is {line[fact]}, not {record[fact]}")
    if engine == "ours":
        ways = {"at hand": line["samples"], "new": line["samples_with_allocation"]}
    else:
        ways = line["ways"]
    for way, samples in ways.items():
        record.setdefault(engine, {}).setdefault(way, []).extend(samples)


def summary(record):
    medians = {
        engine: {way: statistics.median(samples) for way, samples in record[engine].items()}
        for engine in ["ours", *ENGINES]
    }
    result = {"check": record["check"], "ours_s": medians["ours"]["at hand"], "ours_new_memory_s": medians["ours"]["new"]}
    for engine in ENGINES:
        way = min(medians[engine], key=medians[engine].get)
        seconds = medians[engine][way]
        result[engine] = {
            "seconds": seconds,
            "way": way,
            "ratio": seconds / result["ours_s"],
            "ratio_new_memory": seconds / result["ours_new_memory_s"],
            "ways": medians[engine],
        }
    return result


def show(records):
    titles = ["operator", "threads", "ours s", "new memory s", "DuckDB s", "Polars s", "DuckDB/ours", "Polars/ours"]
    lines = [titles]
    for record in records:
        times = [record["ours_s"], record["ours_new_memory_s"], *(record[engine]["seconds"] for engine in ENGINES)]
        ratios = [f"{record[engine]['ratio']:.2f} ({record[engine]['ratio_new_memory']:.2f})" for engine in ENGINES]
        lines.append([record["operator"], str(record["threads"]), *(f"{time:.4f}" for time in times), *ratios])
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
    for line in lines:
        print("  ".join(cell.rjust(width) if column else cell.ljust(width)
                        for column, (cell, width) in enumerate(zip(line, widths))))
    print("Ratios: peer's time / ours with the output at hand (with a new output).")


def versions():
    import importlib.metadata

    return {name: importlib.metadata.version(name) for name in ["duckdb", "polars", "pyarrow", "numpy"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=16_000_000, help="rows; of the probe side in a join")
    parser.add_argument("--build-rows", type=int, default=1_000_000, help="rows of the build side of a join")
    parser.add_argument("--repetitions", type=int, default=7, help="timed repetitions per process")
    parser.add_argument("--rounds", type=int, default=1, help="processes per engine, alternating")
    parser.add_argument("--threads", type=int, action="append", help="default: 1 and all")
    parser.add_argument("--only", default="", help="only operators whose name begins like this")
    parser.add_argument("--ours", type=Path, help="the built example `operators`")
    parser.add_argument("--json", type=Path, help="write the comparison to this file")
    parser.add_argument("--worker", choices=ENGINES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        operators = [operator for operator in OPERATORS if operator.startswith(options.only)]
        return work(options.worker, operators, options, options.threads[0])
    load_before = os.getloadavg()
    records = compare(options)
    print(", ".join(f"{name} {version}" for name, version in versions().items()))
    show(records)
    if options.json:
        machine = {"cores": os.cpu_count(), "load_before": load_before, "load_after": os.getloadavg()}
        sizes = {"rows": options.rows, "build_rows": options.build_rows}
        report = {"versions": versions(), **machine, **sizes, "records": records}
        options.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
