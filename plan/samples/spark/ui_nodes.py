"""Asks a real history server how it numbers the nodes of the sample's plans.

Usage: ui_nodes.py FOLDER, with pyspark, zstd and a Java runtime installed. FOLDER gets a copy of the log, to which the
empty sections are added that `make.py` left out and without which Spark does not list it.
"""

import csv
import importlib.util
import json
import pathlib
import subprocess
import sys
import time
import urllib.request

PORT = 18480
here = pathlib.Path(__file__).parent
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
text = subprocess.run(["zstd", "-d", "-c", here / "shop-eventlog.zstd"], check=True, capture_output=True).stdout
events = [json.loads(line) for line in text.splitlines()]
for event in events:
    if event["Event"] == "SparkListenerEnvironmentUpdate":
        for left_out in (
            "JVM Information", "Hadoop Properties", "System Properties", "Metrics Properties", "Classpath Entries",
        ):
            event.setdefault(left_out, {})
(folder / "shop").write_text("".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events))

spark = pathlib.Path(importlib.util.find_spec("pyspark").origin).parent
options = {"fs.logDirectory": folder.resolve().as_uri(), "ui.port": PORT}
server = subprocess.Popen(
    ["java", "-cp", f"{spark}/jars/*", *(f"-Dspark.history.{key}={value}" for key, value in options.items()),
     "org.apache.spark.deploy.history.HistoryServer"],
    stderr=subprocess.DEVNULL,
)
url = f"http://127.0.0.1:{PORT}/api/v1/applications"


def ask(path):
    return json.load(urllib.request.urlopen(url + path))


try:
    for _ in range(60):
        time.sleep(1)
        try:
            if ask(""):
                break
        except OSError:
            pass
    (application,) = ask("")
    queries = ask(f"/{application['id']}/sql?details=true&planDescription=false&length=1000")
finally:
    server.terminate()
with (here / "shop-ui-nodes.csv").open("w", newline="") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["query", "node", "name"])
    for query in sorted(queries, key=lambda query: query["id"]):
        for node in sorted(query["nodes"], key=lambda node: node["nodeId"]):
            table.writerow([query["id"], node["nodeId"], node["nodeName"].strip()])
