"""Runs three queries of a small shop on a real Spark and keeps the event log.

Usage: make.py FOLDER, with pyspark and a Java runtime installed. FOLDER gets the tables (they are not kept here) and
the log. What says who ran it and where is left out of the log: host names, system properties, class paths.
"""

import json
import pathlib
import subprocess
import sys

from pyspark.sql import SparkSession, functions as f
from pyspark.sql.types import StringType

folder = pathlib.Path(sys.argv[1])
logs = folder / "logs"
logs.mkdir(parents=True, exist_ok=True)
spark = (
    SparkSession.builder.master("local-cluster[2,2,1024]")
    .appName("shop")
    .config("spark.eventLog.enabled", "true")
    .config("spark.eventLog.dir", logs.as_uri())
    .config("spark.eventLog.compress", "false")
    .config("spark.eventLog.rolling.enabled", "false")
    .config("spark.sql.shuffle.partitions", "8")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
count = 3_000_000
sales = spark.range(count).select(
    f.col("id").alias("sale"),
    (f.hash("id") % 200_000 + 200_000).alias("customer"),
    (f.col("id") % 1000).alias("product"),
    f.date_add(f.lit("2024-01-01"), (f.col("id") % 730).cast("int")).alias("day"),
    ((f.col("id") * 7) % 10_000 / 100).alias("amount"),
)
customers = spark.range(400_000).select(
    f.col("id").cast("int").alias("customer"),
    f.concat(f.lit("region "), (f.col("id") % 8).cast("string")).alias("region"),
    f.sha2(f.col("id").cast("string"), 256).alias("address"),
)
products = spark.range(1000).select(
    f.col("id").alias("product"), f.concat(f.lit("category "), (f.col("id") % 20).cast("string")).alias("category")
)
for name, table in (("sales", sales), ("customers", customers), ("products", products)):
    path = folder / name
    table.write.mode("overwrite").parquet(str(path))
    spark.read.parquet(str(path)).createOrReplaceTempView(name)


def run(description, query):
    spark.sparkContext.setJobDescription(description)
    rows = (spark.sql(query) if isinstance(query, str) else query()).collect()
    print(description, len(rows))


run(
    "revenue by region and category",
    """
    SELECT region, category, count(*) AS sales, sum(amount) AS revenue
    FROM sales JOIN customers USING (customer) JOIN products USING (product)
    WHERE day >= DATE '2025-01-01'
    GROUP BY region, category ORDER BY revenue DESC
    """,
)
run(
    "best customers of each region",
    """
    SELECT * FROM (
      SELECT region, customer, revenue, rank() OVER (PARTITION BY region ORDER BY revenue DESC) AS place
      FROM (SELECT /*+ MERGE(customers) */ region, customer, sum(amount) AS revenue
            FROM sales JOIN customers USING (customer) GROUP BY region, customer))
    WHERE place <= 3
    """,
)
double = f.udf(lambda text: text[::-1], StringType())
run(
    "addresses through user code",
    lambda: spark.table("customers").where("customer < 20000").select(double("address").alias("a")).distinct()
    .orderBy("a").limit(10),
)
spark.stop()

(log,) = [file for file in logs.iterdir() if file.is_file()]
kept = []
for line in log.read_text().splitlines():
    event = json.loads(line)
    if event["Event"] == "SparkListenerEnvironmentUpdate":
        event = {"Event": event["Event"], "Spark Properties": event["Spark Properties"]}
    kept.append(event)


SECRET = (
    "driver.host", "jars", "extraJavaOptions", "sparkUser", "submit", "home", "port", "eventLog.dir", "warehouse",
    "startTime", "pyspark", "callSite",
)


def anonymous(value):
    """Every machine's name and address becomes one name; addresses of logs, users and settings of the machine go."""
    if isinstance(value, list):
        return [anonymous(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    replaced = {"Host": "worker", "Hostname": "worker", "User": "", "Log Urls": {}, "Attributes": {}}
    kept = {key: entry for key, entry in value.items() if not (key.startswith("spark.") and any(s in key for s in SECRET))}
    return {key: replaced[key] if key in replaced else anonymous(entry) for key, entry in kept.items()}


# What the operators must have given, counted by statements of their own.
counts = {
    "sales of 2025": "SELECT count(*) FROM sales WHERE day >= DATE '2025-01-01'",
    "sales of 2025 with customer": "SELECT count(*) FROM sales JOIN customers USING (customer) WHERE day >= DATE '2025-01-01'",
    "regions and categories": """
        SELECT count(*) FROM (SELECT DISTINCT region, category FROM sales JOIN customers USING (customer)
        JOIN products USING (product) WHERE day >= DATE '2025-01-01')""",
    "sales with customer": "SELECT count(*) FROM sales JOIN customers USING (customer)",
    "customers with sales": "SELECT count(DISTINCT customer) FROM sales JOIN customers USING (customer)",
    "first customers": "SELECT count(*) FROM customers WHERE customer < 20000",
}
spark = SparkSession.builder.master("local[2]").config("spark.eventLog.enabled", "false").config("spark.ui.enabled", "false").getOrCreate()
for name in ("sales", "customers", "products"):
    spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)
expected = "what,rows\n" + "".join(f"{what},{spark.sql(query).first()[0]}\n" for what, query in counts.items())
(pathlib.Path(__file__).parent / "shop-expected.csv").write_text(expected)
spark.stop()

text = "\n".join(json.dumps(anonymous(event), separators=(",", ":")) for event in kept) + "\n"
for place in (str(folder), str(pathlib.Path(__file__).parent.resolve()), str(pathlib.Path.cwd())):
    text = text.replace(place, "/data/shop")
target = pathlib.Path(__file__).parent / "shop-eventlog.zstd"
subprocess.run(["zstd", "-19", "-f", "-q", "-o", str(target)], input=text.encode(), check=True)
print(target, target.stat().st_size)
