"""Runs a filter, a join and a grouping over tables of several sizes at several speeds of the links.

The filter sends nothing between machines, the join both tables, the grouping what is left after grouping each part. One
query runs at all speeds in a row, beginning with another one in each round: what makes the machine slower for a while
does not meet one speed alone. The first round warms up, at the last speed.
"""

import subprocess
import sys

from pyspark.sql import SparkSession, functions as F

folder, shape, rounds = sys.argv[1], sys.argv[2], int(sys.argv[4])
sizes = [int(size) for size in sys.argv[3].split(",")]
speeds = sys.argv[5].split(",")
spark = SparkSession.builder.getOrCreate()


def queries(rows):
    left, right = (spark.read.parquet(f"{folder}/{side}-{rows}") for side in ("left", "right"))
    yield "filter", left.filter("v < 500000000")
    yield "join", left.join(right, "k").select("k", "v", "w", "s")
    yield "group", left.groupBy("k").agg(F.sum("v").alias("total"), F.max("s").alias("last"))


def run(name, frame, speed):
    subprocess.run(["sh", shape, speed], check=True)
    # What the log calls the query.
    spark.sparkContext.setJobDescription(name)
    frame.write.format("noop").mode("overwrite").save()


for number in range(rounds + 1):
    turn = number % len(speeds)
    order = speeds[turn:] + speeds[:turn] if number else speeds[-1:]
    for rows in sizes:
        for name, frame in queries(rows):
            for speed in order:
                run(f"{name} {rows} at {speed} Mbit/s, round {number}", frame, speed)
spark.stop()
