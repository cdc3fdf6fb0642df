r"""Runs 20 queries of TPC-DS in Spark on this machine: their plans before the run, the event logs, and what the run counted.

    pip install pyspark==3.5.3 duckdb==1.5.5 duckdb-extension-tpcds==1.5.5
    python spark_volumes.py FOLDER [--scale 1]

Java 17 must be there. DuckDB makes tables and queries. Spark stores the tables as Parquet with Snappy, without partitions, and with
statistics of all columns. Each query is planned and run on one core in three settings: `default` (Spark's own: the planner knows the
bytes of files), and `off` and `on`: `spark.sql.cbo.enabled`, so that the planner knows rows and values of columns, with adaptive
execution off or on. FOLDER/runs/SETTING gets `plans/q1.txt` and so on (`EXPLAIN COST`), `log/` with the event log, and `counted.csv`:

- read_mb: bytes that the tasks read
- files: number of files that the scans opened
- data_mb: `data size` of the exchanges, in Spark's rows
- written_mb: shuffle bytes that the tasks wrote, compressed

The program reads the same plans and logs, and the footers of the tables' files; it makes the table of docs/FIDELITY.md:

    cargo run --release -p crossover-plan --example volumes -- --markdown --tables FOLDER/warehouse \
        --plans FOLDER/runs/default/plans FOLDER/runs/default/log/*

At scale factor 1 all of it takes 6 GB of memory, 1 GB of disk and ten minutes. What is there already is kept.
"""

import argparse
import collections
import csv
import glob
import json
import os
import re
import sysconfig

import duckdb
from pyspark.sql import SparkSession

QUERIES = (1, 3, 6, 7, 12, 15, 19, 22, 26, 34, 42, 43, 50, 62, 65, 73, 82, 93, 96, 99)
SETTINGS = {
    "default": {},
    "off": {"spark.sql.cbo.enabled": "true", "spark.sql.adaptive.enabled": "false"},
    "on": {"spark.sql.cbo.enabled": "true"},
}


def generate(folder, scale):
    """The tables of TPC-DS as files of Parquet, and the texts of its queries."""
    files, texts = os.path.join(folder, "generated"), os.path.join(folder, "queries.json")
    if os.path.exists(texts):
        return files, texts
    os.makedirs(files, exist_ok=True)
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    pattern = os.path.join(sysconfig.get_paths()["purelib"], "duckdb_extension_tpcds/extensions/*/tpcds.duckdb_extension")
    connection.execute(f"LOAD '{glob.glob(pattern)[0]}'")
    connection.execute(f"CALL dsdgen(sf={scale})")
    for (table,) in connection.execute("SELECT table_name FROM information_schema.tables").fetchall():
        connection.execute(f"COPY {table} TO '{files}/{table}.parquet' (FORMAT parquet)")
    queries = dict(connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall())
    with open(texts, "w", encoding="utf-8") as file:
        json.dump({number: queries[number] for number in QUERIES}, file)
    return files, texts


def session(folder, log=None, settings=()):
    """Spark on one core with a catalog in the folder; texts of plans are not cut."""
    builder = SparkSession.builder.master("local[1]").config("spark.driver.memory", "5g").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.warehouse.dir", os.path.join(folder, "warehouse"))
    catalog = f"jdbc:derby:;databaseName={folder}/catalog;create=true"
    builder = builder.config("spark.hadoop.javax.jdo.option.ConnectionURL", catalog)
    builder = builder.config("spark.driver.extraJavaOptions", f"-Dderby.system.home={folder}")
    builder = builder.config("spark.sql.debug.maxToStringFields", "1000").config("spark.sql.maxMetadataStringLength", "1000000")
    if log:
        os.makedirs(log, exist_ok=True)
        builder = builder.config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", f"file:{log}")
    for key, value in dict(settings).items():
        builder = builder.config(key, value)
    spark = builder.enableHiveSupport().getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def store(folder, files, texts):
    """The tables that a query reads."""
    with open(texts, encoding="utf-8") as file:
        read = set(re.findall(r"\w+", " ".join(json.load(file).values())))
    spark = session(folder)
    for file in sorted(glob.glob(os.path.join(files, "*.parquet"))):
        table = os.path.basename(file).removesuffix(".parquet")
        if table in read and not spark.catalog.tableExists(table):
            spark.read.parquet(file).write.format("parquet").saveAsTable(table)
            spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR ALL COLUMNS")
    spark.stop()


def run(folder, texts, setting):
    """Plans and runs each query, and writes what the run counted."""
    out = os.path.join(folder, "runs", setting)
    if os.path.exists(os.path.join(out, "counted.csv")):
        return
    os.makedirs(os.path.join(out, "plans"), exist_ok=True)
    with open(texts, encoding="utf-8") as file:
        queries = json.load(file)
    spark = session(folder, os.path.join(out, "log"), SETTINGS[setting])
    cost = spark._jvm.org.apache.spark.sql.execution.ExplainMode.fromString("cost")
    for number, text in queries.items():
        # DuckDB's quotes of names.
        frame = spark.sql(re.sub(r'"([^"]*)"', r"`\1`", text).strip().rstrip(";"))
        with open(os.path.join(out, "plans", f"q{number}.txt"), "w", encoding="utf-8") as file:
            file.write(frame._jdf.queryExecution().explainString(cost))
        spark.sparkContext.setJobDescription(f"q{number}")
        frame.collect()
    spark.stop()
    write_counted(out)


def write_counted(out):
    """What the event log counts of each query."""
    counts, executions = {}, {}
    for line in lines(os.path.join(out, "log")):
        event = json.loads(line)
        if event["Event"].endswith(".SparkListenerSQLExecutionStart"):
            executions[event["executionId"]] = event["description"]
            counts[event["description"]] = collections.Counter()
    names, stages = {}, {}
    for line in lines(os.path.join(out, "log")):
        event = json.loads(line)
        kind = event["Event"].rsplit(".", 1)[-1]
        if "sparkPlanInfo" in event:
            for node in nodes(event["sparkPlanInfo"]):
                for metric in node["metrics"]:
                    wanted = {"number of files read": "files"}
                    if node["nodeName"] == "Exchange":
                        wanted["data size"] = "data"
                    if metric["name"] in wanted:
                        names[metric["accumulatorId"]] = (executions[event["executionId"]], wanted[metric["name"]])
        elif kind == "SparkListenerDriverAccumUpdates":
            for number, value in event["accumUpdates"]:
                add(counts, names.get(number), value)
        elif kind == "SparkListenerJobStart":
            execution = event["Properties"].get("spark.sql.execution.id")
            stages.update((stage, executions.get(int(execution or -1))) for stage in event["Stage IDs"])
        elif kind == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            query = stages.get(event["Stage ID"])
            for update in event["Task Info"]["Accumulables"]:
                add(counts, names.get(update["ID"]), float(update.get("Update", 0)) if update["ID"] in names else 0)
            add(counts, query and (query, "read"), event["Task Metrics"]["Input Metrics"]["Bytes Read"])
            add(counts, query and (query, "written"), event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"])
    with open(os.path.join(out, "counted.csv"), "w", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["query", "read_mb", "files", "data_mb", "written_mb"])
        for number in QUERIES:
            found = counts[f"q{number}"]
            mega = [f"{found[name] / 1e6:.6g}" for name in ("read", "data", "written")]
            writer.writerow([f"q{number}", mega[0], int(found["files"]), *mega[1:]])


def lines(folder):
    """The lines of the event log in a folder."""
    for name in glob.glob(os.path.join(folder, "*")):
        with open(name, encoding="utf-8") as file:
            yield from file


def nodes(plan):
    """The operators of a plan."""
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        waiting += node["children"]
        yield node


def add(counts, place, value):
    """Adds to a count of a query, if it is one."""
    if place:
        query, name = place
        counts[query][name] += value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    os.makedirs(folder, exist_ok=True)
    files, texts = generate(folder, options.scale)
    store(folder, files, texts)
    for setting in SETTINGS:
        run(folder, texts, setting)


if __name__ == "__main__":
    main()
