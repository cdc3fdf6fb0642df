#!/usr/bin/env python3
"""Measures how fast CUDA kernels run two at a time, on two streams of a process and in two processes.

How to run, on a machine whose GPU does nothing else:

    python3 -m venv ENV && ENV/bin/pip install torch
    ENV/bin/python gpu-bench/peers/pairs_torch.py pairs.csv --seconds 2
    crossover fit-pairs pairs.csv --device "NAME, two CUDA streams"

`gpu-bench pairs` does the same with kernels of Vulkan, whose driver runs one process at a time. CUDA also runs streams of a
process side by side.

The kernels are two that are bound by memory and two that are bound by compute. Each thread or process launches its kernel
eight times, waits for them, and launches again, until the time is over; launches per second alone and beside the other are
compared. The normalised throughput of a pair depends on the length of the kernels too: two streams that take turns complete
equally many launches, so the longer kernel keeps more of its throughput. The sum of both is comparable.
"""

import argparse
import csv
import multiprocessing
import threading
import time

LAUNCHES = 8
CLASSES = {
    "copy 256 MiB": "memory",
    "gather of 8.4 M random words": "memory",
    "matmul bf16 3072": "compute",
    "matmul f32 1024": "compute",
}


def kernels():
    """The work of one launch, by name."""
    import torch

    count = 256 * 2**20 // 4
    x = torch.rand(count, device="cuda")
    y = torch.empty_like(x)
    places = torch.randint(0, count, (count // 8,), device="cuda")
    gathered = torch.empty(count // 8, device="cuda")
    a = torch.randn(3072, 3072, device="cuda", dtype=torch.bfloat16)
    c = torch.empty_like(a)
    s = torch.randn(1024, 1024, device="cuda", dtype=torch.float32)
    t = torch.empty_like(s)
    work = [
        lambda: y.copy_(x),
        lambda: torch.index_select(x, 0, places, out=gathered),
        lambda: torch.mm(a, a, out=c),
        lambda: torch.mm(s, s, out=t),
    ]
    return dict(zip(CLASSES, work))


def launches_per_second(work, stream, end):
    """Launches until `end` on the clock time.time(), and counts."""
    import torch

    launches, began = 0, time.perf_counter()
    with torch.cuda.stream(stream):
        while time.time() < end:
            for _ in range(LAUNCHES):
                work()
            stream.synchronize()
            launches += LAUNCHES
    return launches / (time.perf_counter() - began)


def on_streams(works, seconds):
    import torch

    start, rates = threading.Barrier(len(works)), [0.0] * len(works)
    end = time.time() + seconds

    def run(place, work):
        start.wait()
        rates[place] = launches_per_second(work, torch.cuda.Stream(), end)

    threads = [threading.Thread(target=run, args=(place, work)) for place, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return rates


def worker(pipe):
    """A process with its own context: measures what it is sent, until it is sent None."""
    import torch

    works, stream = kernels(), torch.cuda.Stream()
    for work in works.values():
        with torch.cuda.stream(stream):
            work()
    torch.cuda.synchronize()
    pipe.send("ready")
    while (request := pipe.recv()) is not None:
        name, begin, end = request
        while time.time() < begin:
            pass
        pipe.send(launches_per_second(works[name], stream, end))


def in_processes(pipes, names, seconds):
    begin = time.time() + 0.03
    for pipe, name in zip(pipes, names):
        pipe.send((name, begin, begin + seconds))
    return [pipe.recv() for pipe, _ in zip(pipes, names)]


def main():
    parser = argparse.ArgumentParser(description="Throughput of pairs of CUDA kernels.")
    parser.add_argument("out", help="CSV to write, in the form that `crossover fit-pairs` reads")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement (default 2)")
    arguments = parser.parse_args()

    multiprocessing.set_start_method("spawn")
    ends = [multiprocessing.Pipe() for _ in range(2)]
    processes = [multiprocessing.Process(target=worker, args=(end[1],)) for end in ends]
    for process in processes:
        process.start()
    pipes = [end[0] for end in ends]

    import torch

    works = kernels()
    for work in works.values():
        work()
    torch.cuda.synchronize()
    for pipe in pipes:
        pipe.recv()

    ways = {
        "two CUDA streams": lambda names: on_streams([works[name] for name in names], arguments.seconds),
        "two processes": lambda names: in_processes(pipes, names, arguments.seconds),
    }
    names = list(CLASSES)
    with open(arguments.out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        columns = ["device", "first", "second", "first_class", "second_class", "first_normalised", "second_normalised"]
        rates = ["first_alone_per_s", "second_alone_per_s", "first_per_s", "second_per_s"]
        writer.writerow(columns + rates)
        for way, measure in ways.items():
            device = f"{torch.cuda.get_device_name(0)}, {way}"
            alone = {name: measure([name])[0] for name in names}
            for place, first in enumerate(names):
                for second in names[place:]:
                    beside = measure([first, second])
                    normalised = [f"{rate / alone[name]:.4f}" for rate, name in zip(beside, [first, second])]
                    per_second = [f"{rate:.1f}" for rate in [alone[first], alone[second], *beside]]
                    writer.writerow([device, first, second, CLASSES[first], CLASSES[second], *normalised, *per_second])
                    file.flush()
    for pipe in pipes:
        pipe.send(None)
    for process in processes:
        process.join()


if __name__ == "__main__":
    main()
