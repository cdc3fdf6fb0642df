"""Cost-aware preemption and best pairs on random streams of scenarios/preemption-h100.ron, written from docs/model/preemption.md alone. Prints
what model/preemption/tests/preemption/study.rs expects; the random numbers are others than those of the program.
"""

import heapq
import math
import pathlib
import random
import re
import statistics

TEXT = (pathlib.Path(__file__).resolve().parents[4] / "scenarios/preemption-h100.ron").read_text()
KERNEL = re.compile(
    r'\(name: "([^"]+)", instructions: ([\d.]+), ipc: ([\d.]+), register_bytes: (\d+), shared_bytes: 0, threads: (\d+), blocks: (\d+), '
    r"miss_rate: ([\d.]+), class: (\w+), is_idempotent: true, weight: ([\d.]+)\)"
)
PAIR = re.compile(r'\(first: "([^"]+)", second: "([^"]+)", first_normalised: ([\d.]+), second_normalised: ([\d.]+)\)')
MULTIPROCESSORS, REGISTERS, THREADS, BLOCKS, CLOCK = 132, 262144, 2048, 32, 1.98e9
STREAMS, LAUNCHES, LOAD, DECAY = 60, 40, 1.0, 0.9

KERNELS = [
    dict(
        name=name,
        cycles=float(instructions) / float(ipc),
        bytes=float(registers),
        block=(float(registers) / REGISTERS, float(threads) / THREADS, 1 / BLOCKS),
        blocks=float(blocks),
        miss=float(miss),
        decay=DECAY if kind == "Memory" else 1.0,
        weight=float(weight),
    )
    for name, instructions, ipc, registers, threads, blocks, miss, kind, weight in KERNEL.findall(TEXT)
]
for kernel in KERNELS:
    kernel["full"] = math.floor(1 / max(kernel["block"]))
PLACE = {kernel["name"]: place for place, kernel in enumerate(KERNELS)}
BESIDE = {}
for one, two, of_one, of_two in PAIR.findall(TEXT):
    of_one, of_two = float(of_one), float(of_two)
    if one == two:
        of_one = of_two = (of_one + of_two) / 2
    BESIDE[PLACE[one], PLACE[two]] = of_one
    BESIDE[PLACE[two], PLACE[one]] = of_two


def total(kernels):
    return 1.0 if len(kernels) == 1 else BESIDE[kernels[0], kernels[1]] + BESIDE[kernels[1], kernels[0]]


def fair(one, two):
    """Blocks of both on a multiprocessor by dominant-resource fairness."""
    blocks, free = [0, 0], [1.0] * 3
    while True:
        kernels = [KERNELS[one]["block"], KERNELS[two]["block"]]
        fits = [place for place in (0, 1) if all(a <= b + 1e-9 for a, b in zip(kernels[place], free))]
        if not fits:
            return [sum(blocks) / 2] * 2 if one == two else blocks
        place = min(fits, key=lambda place: blocks[place] * max(kernels[place]))
        blocks[place] += 1
        free = [b - a for a, b in zip(kernels[place], free)]


def simulate(stream, preempts):
    """Ends of all launches, and preemptions, of a stream of kernels and arrivals."""
    left = [KERNELS[kernel]["cycles"] for kernel, _ in stream]
    done, held = [None] * len(stream), [0.0] * len(stream)
    running, waiting, switch, preemptions = [], [], None, 0
    arrivals = list(enumerate(arrival for _, arrival in stream))
    now = 0.0

    def of(launch):
        return KERNELS[stream[launch][0]]

    def kernels(launches):
        return [stream[launch][0] for launch in launches]

    def blocks_left(launch):
        return math.ceil(of(launch)["blocks"] * left[launch] / of(launch)["cycles"])

    def displaced(stays, comes):
        keeps, gets = fair(stream[stays][0], stream[comes][0])
        has = min(held[stays], blocks_left(stays) / MULTIPROCESSORS)
        if all(has * a + gets * b <= 1 + 1e-9 for a, b in zip(of(stays)["block"], of(comes)["block"])):
            return held[stays], gets, 0.0
        return min(held[stays], keeps), gets, max(0.0, has - keeps) * MULTIPROCESSORS * of(stays)["bytes"]

    def cycles(stays, size):
        return (0.09526 * of(stays)["miss"] + 0.01633) * size

    def start(comes):
        held[comes] = of(comes)["full"]
        if running:
            held[running[0]], held[comes], _ = displaced(running[0], comes)
        running.append(comes)

    def decide():
        nonlocal switch, preemptions
        while switch is None and waiting:
            # Preempted ones before new ones, then the first that came.
            if len(running) < 2:
                _, came = min((-total(kernels(running) + kernels([came[1]])), came) for came in waiting)
                waiting.remove(came)
                cost = cycles(running[0], displaced(running[0], came[1])[2]) if running else 0.0
                if cost > 0.0:
                    switch = (now + cost, None, came[1], [of(running[0])["decay"]])
                else:
                    start(came[1])
                continue
            if not preempts:
                break
            before, options = total(kernels(running)), []
            speeds = [BESIDE[tuple(kernels(order))] for order in (running, running[::-1])]
            rest = min(left[launch] / speed for launch, speed in zip(running, speeds))
            for place in (0, 1):
                leaves, stays = running[place], running[1 - place]
                during = speeds[1 - place] * of(stays)["decay"]
                resident = min(of(leaves)["full"] * MULTIPROCESSORS, blocks_left(leaves))
                for came in waiting:
                    after = total(kernels([stays, came[1]]))
                    cost = cycles(stays, resident * of(leaves)["bytes"] + displaced(stays, came[1])[2])
                    within = min(cost, rest)
                    gain = during * within + after * (rest - within) - before * rest
                    if after > before:
                        options.append((-after, came[0], -gain, came[1], leaves, stays, cost, during))
            if not options or min(options)[2] >= 0.0:
                break
            _, is_new, _, comes, leaves, stays, cost, during = min(options)
            waiting.remove((is_new, comes))
            running.remove(leaves)
            preemptions += 1
            switch = (now + cost, leaves, comes, [during])
        if switch is None and len(running) == 1:
            held[running[0]] = of(running[0])["full"]

    while None in done:
        if switch:
            rates = switch[3] if running else []
        elif len(running) == 2:
            rates = [BESIDE[tuple(kernels(order))] for order in (running, running[::-1])]
        else:
            rates = [1.0] * len(running)
        events = [(now + left[launch] / rate, 0, launch) for launch, rate in zip(running, rates)]
        if switch:
            events.append((switch[0], 1, None))
        if arrivals:
            events.append((arrivals[0][1], 2, None))
        at, kind, launch = heapq.nsmallest(1, events)[0]
        for other, rate in zip(running, rates):
            left[other] -= rate * (at - now)
        now = at
        if kind == 0:
            running.remove(launch)
            done[launch] = now
        elif kind == 1:
            _, leaves, comes, _ = switch
            switch = None
            if leaves is not None:
                waiting.append((False, leaves))
            start(comes)
        else:
            waiting.append((True, arrivals.pop(0)[0]))
        decide()
    return done, preemptions


def drawn(seed):
    chance, now, stream = random.Random(seed), 0.0, []
    weights = [kernel["weight"] for kernel in KERNELS]
    mean = sum(kernel["weight"] * kernel["cycles"] for kernel in KERNELS) / sum(weights)
    for _ in range(LAUNCHES):
        now += chance.expovariate(1.0) * mean / LOAD
        stream.append((chance.choices(range(len(KERNELS)), weights)[0], now))
    return stream


found = {True: [], False: []}
for seed in range(STREAMS):
    stream = drawn(seed)
    alone = [KERNELS[kernel]["cycles"] for kernel, _ in stream]
    for preempts, list_of in found.items():
        done, preemptions = simulate(stream, preempts)
        latencies = [end - arrival for end, (_, arrival) in zip(done, stream)]
        list_of.append(
            (
                sum(alone) / (max(done) - stream[0][1]),
                statistics.mean(latency / cycles for latency, cycles in zip(latencies, alone)),
                statistics.mean(latencies) / CLOCK,
                preemptions / LAUNCHES,
            )
        )
more = [own[0] / pairs[0] - 1 for own, pairs in zip(found[True], found[False])]
half = 2.0 * statistics.stdev(more) / math.sqrt(STREAMS)
print(f"throughput {100 * statistics.mean(more):+.2f} ± {half * 100:.2f} %")
for preempts, list_of in found.items():
    means = [statistics.mean(column) for column in zip(*list_of)]
    print("cost-aware" if preempts else "best pairs", "throughput, turnaround, latency, preemptions:", *(f"{mean:.3g}" for mean in means))
