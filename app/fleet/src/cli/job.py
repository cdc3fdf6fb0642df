"""Reads event logs with Crossover on the executors of a Spark cluster, and merges the results on the driver.

    spark-submit job.py job.json

Every shard is a Spark job of its own with one task, which runs `crossover fleet --shard I/N`. Its ledger comes back to
the driver as soon as the shard has ended, also where it failed, and is kept in the folder "shards-N": the next run
continues from there. The other shards go on when one fails. Written by Crossover.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed

from pyspark import SparkConf, SparkContext, SparkFiles

LEDGER = "ledger.jsonl"
# What is kept of the messages of a run that failed, characters.
MOST_SAID = 4000
# Shards submitted to Spark at a time: a bound on the tasks that wait and on the ledgers in the driver's memory.
MOST_AT_ONCE = 128


def executable(name):
    """The program for the executors; some file systems drop the executable bit."""
    path = SparkFiles.get(name)
    if not os.access(path, os.X_OK):
        os.chmod(path, 0o755)
    return path


def started(arguments, what):
    """Runs the program; why it failed, or nothing."""
    try:
        ran = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        return f"{what}: {arguments[0]} does not start here ({error}); name a program for the executors' system with --program"
    if ran.returncode != 0:
        said = ran.stderr.decode(errors="replace")[-MOST_SAID:].strip()
        last = said.splitlines()[-1] if said else f"the program ended with status {ran.returncode} and no message"
        return f"{what} failed: {last}\n{said}"
    return None


def read_shard(job, number, before):
    """Reads one shard; its ledger, if there is one, and why it failed, if it did."""
    # Where the executor works. YARN and Kubernetes delete that with the executor; a standalone worker leaves what a killed
    # executor had there until it cleans up (spark.worker.cleanup.enabled).
    folder = tempfile.mkdtemp(prefix="crossover-", dir=os.getcwd())
    try:
        ledger = os.path.join(folder, LEDGER)
        if before is not None:
            with open(ledger, "wb") as file:
                file.write(gzip.decompress(before))
        arguments = [executable(job["program"]), "fleet", *job["paths"], "--out", folder]
        arguments += ["--shard", f"{number}/{job['shards']}", "--threads", str(job["threads"])]
        for base in job["bases"]:
            arguments += ["--base", SparkFiles.get(base)]
        failed = started(arguments, f"shard {number}")
        return kept(ledger), failed
    except OSError as error:
        # A full disk, for instance.
        return None, f"shard {number} failed: {error}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def kept(path):
    """A ledger, compressed; None if there is none."""
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


def shard(context, job, number, path):
    """Lets Spark read one shard, and keeps its ledger; why it failed, if it did."""
    before = kept(path)
    # A ledger of an earlier run may be larger than a message of Spark (spark.rpc.message.maxSize): broadcasts go in pieces.
    sent = None if before is None else context.broadcast(before)
    try:
        task = context.parallelize([number], 1).map(lambda number: read_shard(job, number, None if sent is None else sent.value))
        ledger, failed = task.collect()[0]
    # Spark has tried it several times, or refuses the ledger (spark.driver.maxResultSize).
    except Exception as error:  # pylint: disable=broad-except
        return f"shard {number} failed: {str(error)[:MOST_SAID]}\nIf its ledger is too large for Spark, use more --parts."
    finally:
        if sent is not None:
            sent.destroy()
    if ledger is not None:
        keep(path, ledger)
    return failed


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    here = os.path.dirname(os.path.abspath(sys.argv[1]))
    of = job["shards"]
    ledgers = {number: os.path.join(here, f"shards-{of}", str(number), LEDGER) for number in range(1, of + 1)}
    context = SparkContext(conf=SparkConf().setAppName("crossover fleet"))
    failures = []
    try:
        context.addFile(job["program_path"])
        for base in job["bases"]:
            context.addFile(os.path.join(here, base))
        with ThreadPoolExecutor(min(of, MOST_AT_ONCE)) as threads:
            shards = [threads.submit(shard, context, job, number, path) for number, path in ledgers.items()]
            for ended in as_completed(shards):
                try:
                    failed = ended.result()
                except OSError as error:
                    failed = f"a ledger cannot be kept in {here}: {error}"
                if failed is not None:
                    failures.append(failed)
                    print(failed, file=sys.stderr, flush=True)
    finally:
        context.stop()
    folders = [os.path.dirname(path) for path in ledgers.values()]
    merge = [job["own_path"], "fleet", "--merge", *folders, "--out", job["out"], *job["more"]]
    if failures:
        merge.append("--unfinished")
    merged = subprocess.run(merge, stdin=subprocess.DEVNULL, check=False).returncode
    if failures:
        first = min(failures).splitlines()[0]
        print(f"{len(failures)} of {of} shards failed, such as: {first}\nLogs already read are kept; run the same command to continue.", file=sys.stderr)
    sys.exit(merged or (1 if failures else 0))


if __name__ == "__main__":
    main()
