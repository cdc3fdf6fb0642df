"""Reads event logs with Crossover on the executors of a Spark cluster, and puts the results together on the driver.

    spark-submit job.py job.json

Every task runs `crossover fleet --shard I/N`; its ledger comes back to the driver, which merges all of them. What was
read stays in the folder "shards": the next run goes on from there. Written by Crossover.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

from pyspark import SparkConf, SparkContext, SparkFiles

LEDGER = "ledger.jsonl"
# What is kept of the messages of a run that failed, characters.
MOST_SAID = 4000


def executable(name):
    """The program that came with the job; some file systems lose what may be run."""
    path = SparkFiles.get(name)
    if not os.access(path, os.X_OK):
        os.chmod(path, 0o755)
    return path


def run(arguments, what):
    """Runs the program; standard error of one that fails is in the exception."""
    try:
        ran = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise RuntimeError(f"{what}: {arguments[0]} does not start here ({error}); ship a program for the executors' system with --ship")
    if ran.returncode != 0:
        raise RuntimeError(f"{what} failed:\n{ran.stderr.decode(errors='replace')[-MOST_SAID:]}")
    return ran


def read_shard(job, task):
    """Reads one shard; its number and its ledger."""
    number, before = task
    # The executor's own folder: Spark deletes it, also after a kill.
    folder = tempfile.mkdtemp(prefix="crossover-", dir=os.getcwd())
    try:
        ledger = os.path.join(folder, LEDGER)
        if before is not None:
            with open(ledger, "wb") as file:
                file.write(gzip.decompress(before))
        arguments = [executable(job["program"]), "fleet", *job["paths"], "--out", folder]
        arguments += ["--shard", f"{number}/{job['shards']}", "--threads", str(job["threads"]), "--base", SparkFiles.get(job["base"])]
        run(arguments, f"shard {number}")
        with open(ledger, "rb") as file:
            return number, gzip.compress(file.read(), 1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def kept(path):
    """The ledger of an earlier run, compressed."""
    try:
        with open(path, "rb") as file:
            return gzip.compress(file.read(), 1)
    except FileNotFoundError:
        return None


def keep(path, ledger):
    """Writes a ledger in one step."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = path + ".part"
    with open(part, "wb") as file:
        file.write(gzip.decompress(ledger))
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    here = os.path.dirname(os.path.abspath(sys.argv[1]))
    context = SparkContext(conf=SparkConf().setAppName("crossover fleet"))
    try:
        context.addFile(job["program_path"])
        context.addFile(os.path.join(here, job["base"]))
        of = job["shards"]
        ledgers = [os.path.join(here, f"shards-{of}", str(number), LEDGER) for number in range(1, of + 1)]
        tasks = [(number, kept(path)) for number, path in enumerate(ledgers, 1)]
        done = context.parallelize(tasks, of).map(lambda task: read_shard(job, task))
        for number, ledger in done.collect():
            keep(ledgers[number - 1], ledger)
    finally:
        context.stop()
    folders = [os.path.dirname(path) for path in ledgers]
    merge = [job["program_path"], "fleet", "--merge", *folders, "--out", job["out"], *job["more"]]
    sys.exit(subprocess.run(merge, stdin=subprocess.DEVNULL, check=False).returncode)


if __name__ == "__main__":
    main()
