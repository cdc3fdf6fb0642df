"""Writes the tables of the queries: left-N with N rows, and right-N with half as many."""

import sys

from pyspark.sql import SparkSession, functions as F

folder, sizes = sys.argv[1], [int(size) for size in sys.argv[2].split(",")]
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()


def random(seed):
    return F.xxhash64(F.col("id") + seed)


for rows in sizes:
    key = (random(0) % F.lit(rows // 2)).alias("k")
    left = spark.range(rows).select(
        key, (random(7) % F.lit(1_000_000_000)).alias("v"), F.hex(random(13)).alias("s")
    )
    right = spark.range(rows // 2).select(key, random(3).alias("w"))
    left.repartition(8).write.mode("overwrite").parquet(f"{folder}/left-{rows}")
    right.repartition(8).write.mode("overwrite").parquet(f"{folder}/right-{rows}")
spark.stop()
