#!/usr/bin/env python3
"""Trains random networks under torch and writes time, memory and activity of the GPU: runs for `crossover train`.

How to run, on a machine whose GPU does nothing else:

    python3 -m venv ENV && ENV/bin/pip install torch nvidia-ml-py
    ENV/bin/python gpu-bench/peers/networks.py networks.csv --networks 300 --seconds 2
    crossover train --data networks.csv --target time --out time.safetensors

A network is a multi-layer perceptron, a convolutional network or transformer encoders, with random depth, width, batch and
input, in single precision or with bf16 autocast. A step is forward, backward and stochastic gradient descent. Networks that do
not fit into memory are left out.

    seconds             of a step, over all steps of the measurement
    compute_percent     SM activity by GPM of NVML: share of the time in which an SM had a warp, mean over SMs
    memory_percent      activity of the memory by GPM
    peak_mib            most memory that torch had allocated

The counters of GPM are as old as 100 ms and more when they are read. So each network trains for `SETTLE` seconds before the
first reading: otherwise the reading contains a part of the network before. Everything of a network is deleted before the next
one, so that its peak is its own.
"""

import argparse
import csv
import gc
import random
import time

SETTLE = 0.5
SEED = 20261126
NUMBERS = ["layers", "width", "batch", "input", "kernel", "heads", "tokens"]
COLUMNS = [
    "kind",
    "is_cnn",
    "is_transformer",
    "is_bf16",
    *NUMBERS,
    "parameters",
    "seconds",
    "compute_percent",
    "memory_percent",
    "peak_mib",
]


def perceptron(draw):
    from torch import nn

    depth, width, batch, size = draw.randint(1, 8), 2 ** draw.randint(6, 13), 2 ** draw.randint(3, 13), 2 ** draw.randint(5, 11)
    layers, inputs = [], size
    for _ in range(depth):
        layers += [nn.Linear(inputs, width), nn.ReLU()]
        inputs = width
    network = nn.Sequential(*layers, nn.Linear(inputs, 10))
    return network, (batch, size), {"layers": depth + 1, "width": width, "batch": batch, "input": size}


def convolutional(draw):
    from torch import nn

    depth, channels, batch = draw.randint(1, 8), 2 ** draw.randint(3, 8), 2 ** draw.randint(2, 8)
    size, kernel = draw.choice([16, 28, 32, 64, 96]), draw.choice([1, 3, 5])
    layers, inputs = [], 3
    for _ in range(depth):
        layers += [nn.Conv2d(inputs, channels, kernel, padding=kernel // 2), nn.BatchNorm2d(channels), nn.ReLU()]
        inputs = channels
    network = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 10))
    numbers = {"layers": depth + 1, "width": channels, "batch": batch, "input": size, "kernel": kernel}
    return network, (batch, 3, size, size), numbers


def transformer(draw):
    from torch import nn

    depth, width, batch, tokens = draw.randint(1, 6), 2 ** draw.randint(6, 10), 2 ** draw.randint(0, 6), 2 ** draw.randint(5, 9)
    heads = draw.choice([heads for heads in (1, 2, 4, 8, 16) if width // heads >= 16])

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True, dropout=0.0)
            self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
            self.last = nn.Linear(width, 10)

        def forward(self, x):
            return self.last(self.encoder(x).mean(1))

    numbers = {"layers": depth, "width": width, "batch": batch, "input": width, "heads": heads, "tokens": tokens}
    return Classifier(), (batch, tokens, width), numbers


KINDS = {"mlp": perceptron, "cnn": convolutional, "transformer": transformer}


class Activity:
    """SM and memory activity between two readings, by the GPU performance monitoring (GPM) of NVML; from Hopper on."""

    def __init__(self):
        import pynvml

        self.nvml = pynvml
        pynvml.nvmlInit()
        self.device = pynvml.nvmlDeviceGetHandleByIndex(0)
        self.samples = [pynvml.nvmlGpmSampleAlloc() for _ in range(2)]

    def read(self, place):
        self.nvml.nvmlGpmSampleGet(self.device, self.samples[place])

    def percent(self):
        ids = [self.nvml.NVML_GPM_METRIC_SM_UTIL, self.nvml.NVML_GPM_METRIC_DRAM_BW_UTIL]
        request = self.nvml.c_nvmlGpmMetricsGet_t()
        request.version = self.nvml.NVML_GPM_METRICS_GET_VERSION
        request.numMetrics = len(ids)
        request.sample1, request.sample2 = self.samples
        for place, metric in enumerate(ids):
            request.metrics[place].metricId = metric
        self.nvml.nvmlGpmMetricsGet(request)
        return [request.metrics[place].value for place in range(len(ids))]


def measure(draw, activity, seconds):
    """Columns of one random network. Nothing of it is left on the GPU afterwards."""
    import torch

    kind = draw.choice(list(KINDS))
    network, shape, numbers = KINDS[kind](draw)
    is_bf16 = draw.random() < 0.5
    network = network.cuda()
    x = torch.randn(*shape, device="cuda")
    y = torch.randint(0, 10, (shape[0],), device="cuda")
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-3)
    loss = torch.nn.CrossEntropyLoss()

    def train(seconds):
        steps, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            for _ in range(4):
                optimizer.zero_grad(set_to_none=True)
                with torch.autocast("cuda", dtype=torch.bfloat16, enabled=is_bf16):
                    error = loss(network(x), y)
                error.backward()
                optimizer.step()
            torch.cuda.synchronize()
            steps += 4
        return (time.perf_counter() - began) / steps

    train(SETTLE)
    activity.read(0)
    step_seconds = train(seconds)
    activity.read(1)
    compute, memory = activity.percent()
    columns = {"kind": kind, "is_cnn": int(kind == "cnn"), "is_transformer": int(kind == "transformer"), "is_bf16": int(is_bf16)}
    columns |= {name: numbers.get(name, 0) for name in NUMBERS}
    columns["parameters"] = sum(parameter.numel() for parameter in network.parameters())
    columns |= {"seconds": f"{step_seconds:.6g}", "compute_percent": f"{compute:.2f}", "memory_percent": f"{memory:.2f}"}
    columns["peak_mib"] = f"{torch.cuda.max_memory_allocated() / 2**20:.1f}"
    return columns


def main():
    import torch

    parser = argparse.ArgumentParser(description="Time, memory and activity of random networks in training.")
    parser.add_argument("out", help="CSV to write")
    parser.add_argument("--networks", type=int, default=300, help="how many (default 300)")
    parser.add_argument("--seconds", type=float, default=2.0, help="that each is measured (default 2)")
    arguments = parser.parse_args()
    draw, activity = random.Random(SEED), Activity()
    with open(arguments.out, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for _ in range(arguments.networks):
            gc.collect()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            try:
                writer.writerow(measure(draw, activity, arguments.seconds))
                file.flush()
            except torch.cuda.OutOfMemoryError:
                print("out of memory: left out")


if __name__ == "__main__":
    main()
