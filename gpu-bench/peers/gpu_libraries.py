#!/usr/bin/env python3
"""Times the operators of torch and CuPy on the GPU, at the sizes of the suites, to set beside the kernels of gpu-bench.

How to run, from the root of the repository, on a machine whose GPU does nothing else:

    python3 -m venv ENV && ENV/bin/pip install torch cupy-cuda13x numpy
    ENV/bin/python gpu-bench/peers/gpu_libraries.py libraries.csv
    cargo run --release -p crossover-gpu-bench -- run --suite full --json report.json

The CSV has a line for each operator and size: library, version, what, rows, median and least seconds, samples.

What makes it fair:

    - The same card, driver and number of rows as the report. A CUDA context exists, as while gpu-bench measures, so that
      the driver keeps the clocks up in both.
    - Data on the GPU beforehand, random words; outputs are new in each repetition, from the libraries' own pools.
    - Times of kernels are those between two CUDA events, the median of up to 40 after 3 that do not count. They contain
      what the library does on the CPU in between, such as waiting for the number of rows of a mask. gpu-bench times the
      kernels alone. So compare sizes from 64 MiB, at which this is a small part.
    - Times of transfers are those of the CPU's clock with a synchronisation before and after, as in gpu-bench.

What the libraries do more or less than the kernels of gpu-bench:

    mask         keeps the order, and makes the mask first; filter.append does not keep the order, filter.ordered does
    torch.sort   sorts pairs: it returns the places of the keys as well, as 64-bit numbers
    scatter_add  only the sums, of floats, by 64-bit keys: 12 bytes a row instead of 8
    bincount     only the counts: 4 bytes a row instead of 8
    index_select reads 64-bit places: 8 bytes of places a row instead of 4
    sum, cumsum  the same as aggregate.sum and scan.prefix_sum
"""

import csv
import statistics
import sys
import time

MEBIBYTES = (16, 64, 128, 512, 1024)
BOUND = 429_496_730  # A tenth of all 32-bit words is below it.
GROUPS = 1000
LONGEST_SAMPLES = 40
TRANSFER_SAMPLES = 12


def main(path):
    import cupy
    import torch

    stream = torch.cuda.Stream()
    torch.cuda.set_stream(stream)
    cupy.cuda.ExternalStream(stream.cuda_stream).use()
    rows = []

    def add(library, what, count, times):
        version = {"torch": torch, "cupy": cupy}[library].__version__
        rows.append([library, version, what, count, f"{statistics.median(times):.6g}", f"{min(times):.6g}", len(times)])
        print(f"{library:6} {what:24} {count:12} rows {statistics.median(times) * 1e6:12.1f} µs", flush=True)

    def kernel(library, what, count, work, budget_s=0.2):
        for _ in range(3):
            work()
        torch.cuda.synchronize()
        times, began = [], time.perf_counter()
        while len(times) < 5 or (len(times) < LONGEST_SAMPLES and time.perf_counter() - began < budget_s):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            work()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) * 1e-3)
        add(library, what, count, times)

    def transfer(what, count, work):
        for _ in range(3):
            work()
        times = []
        for _ in range(TRANSFER_SAMPLES):
            torch.cuda.synchronize()
            began = time.perf_counter()
            work()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - began)
        add("torch", what, count, times)

    def words(count):
        return torch.randint(-(2**31), 2**31 - 1, (count,), dtype=torch.int32, device="cuda")

    for mebibytes in MEBIBYTES:
        count = mebibytes * 2**20 // 4
        pinned = torch.empty(count, dtype=torch.int32).pin_memory()
        pageable = torch.ones(count, dtype=torch.int32)
        x = words(count)
        y = torch.empty_like(x)
        transfer("h2d pinned", count, lambda: x.copy_(pinned, non_blocking=True))
        transfer("d2h pinned", count, lambda: pinned.copy_(x, non_blocking=True))
        transfer("h2d pageable", count, lambda: x.copy_(pageable))
        transfer("d2h pageable", count, lambda: pageable.copy_(x))
        x = words(count)
        kernel("torch", "copy", count, lambda: y.copy_(x))
        kernel("torch", "cumsum", count, lambda: torch.cumsum(x, 0, dtype=torch.int32))
        kernel("torch", "mask 0.1", count, lambda: x[x < BOUND - 2**31])
        kernel("torch", "sort", count, lambda: torch.sort(x))
        u = cupy.random.randint(0, 2**32, count, dtype=cupy.uint32)
        kernel("cupy", "sum", count, lambda: u.sum(dtype=cupy.uint32))
        kernel("cupy", "cumsum", count, lambda: cupy.cumsum(u, dtype=cupy.uint32))
        kernel("cupy", "mask 0.1", count, lambda: u[u < cupy.uint32(BOUND)])
        kernel("cupy", "sort", count, lambda: cupy.sort(u))
        # Two columns: half as many rows in the same bytes.
        pairs = count // 2
        keys = torch.randint(0, GROUPS, (pairs,), dtype=torch.int64, device="cuda")
        values = torch.ones(pairs, dtype=torch.float32, device="cuda")
        sums = torch.zeros(GROUPS, dtype=torch.float32, device="cuda")
        kernel("torch", "scatter_add 1000", pairs, lambda: sums.scatter_add_(0, keys, values))
        codes = cupy.random.randint(0, GROUPS, pairs, dtype=cupy.int32)
        kernel("cupy", "bincount 1000", pairs, lambda: cupy.bincount(codes, minlength=GROUPS))
        places = torch.randint(0, count, (count,), dtype=torch.int64, device="cuda")
        kernel("torch", "index_select", count, lambda: torch.index_select(x, 0, places))
        del x, y, u, keys, values, codes, places, pinned, pageable
        torch.cuda.empty_cache()
        cupy.get_default_memory_pool().free_all_blocks()

    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["library", "version", "what", "rows", "median_seconds", "least_seconds", "samples"])
        writer.writerows(rows)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} OUT.csv")
    main(sys.argv[1])
