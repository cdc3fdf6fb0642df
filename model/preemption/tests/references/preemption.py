"""Cost-aware preemption of a list of launches, written from docs/model/preemption.md alone, in small steps of time instead of from event to
event. Prints when each launch is done, for model/preemption/tests/preemption/study.rs: with launches that join free, and with the
argument “saved” where they displace blocks of the running kernel, which are saved.

Kernels: instructions, IPC alone, bytes of a block, resident blocks, blocks, miss rate, memory-intensive.
"""

import math
import sys

STEP = 20.0
KERNELS = [
    (3.0e7, 100.0, 40000.0, 60.0, 600.0, 0.5, True),
    (2.0e7, 200.0, 12000.0, 120.0, 960.0, 0.1, False),
    (9.0e7, 300.0, 30000.0, 90.0, 450.0, 0.3, True),
    (1.0e7, 50.0, 8000.0, 150.0, 1500.0, 0.0, False),
]
PAIRS = {(0, 1): (0.9, 0.8), (0, 2): (0.55, 0.5), (1, 2): (0.75, 0.95), (2, 3): (0.85, 0.9), (1, 3): (0.6, 0.7)}
FALLBACK = {(True, True): 0.7265, (True, False): 0.769, (False, True): 0.769, (False, False): 0.783}
DECAY = 0.9
SAVED = sys.argv[1:] == ["saved"]
MULTIPROCESSORS, REGISTERS, THREADS, BLOCKS = 15, 1e6, 2048, 16
LAUNCHES = [((place * 7 + place * place * 3) % 4, 70_000.0 * place) for place in range(24)]


def beside(own, other):
    if (own, other) in PAIRS:
        return PAIRS[own, other][0]
    if (other, own) in PAIRS:
        return PAIRS[other, own][1]
    return FALLBACK[KERNELS[own][6], KERNELS[other][6]]


def total(pair):
    if len(pair) == 1:
        return 1.0
    return beside(pair[0], pair[1]) + beside(pair[1], pair[0])


def speeds(running):
    if len(running) == 1:
        return [1.0]
    one, two = LAUNCHES[running[0]][0], LAUNCHES[running[1]][0]
    return [beside(one, two), beside(two, one)]


def resources(kernel):
    """Shares of a multiprocessor that a block takes."""
    bytes_of_block, resident = KERNELS[kernel][2], KERNELS[kernel][3]
    return [bytes_of_block / REGISTERS, THREADS // (resident / MULTIPROCESSORS) / THREADS, 1 / BLOCKS]


def fair(one, two):
    """Blocks on a multiprocessor by dominant-resource fairness; of one kernel half of them each."""
    blocks, free = [0, 0], [1.0] * 3
    while True:
        fits = [place for place, kernel in enumerate((one, two)) if all(a <= b + 1e-9 for a, b in zip(resources(kernel), free))]
        if not fits:
            break
        place = min(fits, key=lambda place: blocks[place] * max(resources((one, two)[place])))
        blocks[place] += 1
        free = [b - a for a, b in zip(resources((one, two)[place]), free)]
    return [sum(blocks) / 2] * 2 if one == two else blocks


def full(kernel):
    """Blocks of a kernel on a multiprocessor that it has alone."""
    return KERNELS[kernel][3] / MULTIPROCESSORS


def on_one(launch):
    """Blocks of a running launch on a multiprocessor: what it holds, but no more than it has left."""
    kernel = KERNELS[LAUNCHES[launch][0]]
    return min(held[launch], math.ceil(kernel[4] * left[launch] / (kernel[0] / kernel[1])) / MULTIPROCESSORS)


def displaced(stays, comes):
    """Blocks that the staying launch keeps and the new one gets on a multiprocessor, and the bytes that are saved."""
    one, two = LAUNCHES[stays][0], LAUNCHES[comes][0]
    keeps, gets = fair(one, two)
    taken = [on_one(stays) * a + gets * b for a, b in zip(resources(one), resources(two))]
    if all(share <= 1 + 1e-9 for share in taken):
        return held[stays], gets, 0.0
    given_up = max(0.0, on_one(stays) - keeps)
    return min(held[stays], keeps), gets, given_up * MULTIPROCESSORS * KERNELS[one][2]


def saving(stays, comes):
    """Cycles to save what a launch displaces."""
    return (0.09526 * KERNELS[LAUNCHES[stays][0]][5] + 0.01633) * displaced(stays, comes)[2] if SAVED else 0.0


def start(comes):
    held[comes] = full(LAUNCHES[comes][0])
    if running:
        held[running[0]], held[comes], _ = displaced(running[0], comes)
    running.append(comes)


def grow():
    """What has the GPU to itself takes all of it; two take their fair shares if there is room for both."""
    kernels = [LAUNCHES[launch][0] for launch in running]
    shares = [full(kernels[0])] if len(running) == 1 else fair(*kernels) if running else []
    larger = [max(held[launch], share) for launch, share in zip(running, shares)]
    taken = [sum(blocks * resources(kernel)[of] for blocks, kernel in zip(larger, kernels)) for of in range(3)]
    if all(share <= 1 + 1e-9 for share in taken):
        for launch, blocks in zip(running, larger):
            held[launch] = blocks


held = [0.0] * len(LAUNCHES)
left = [KERNELS[kernel][0] / KERNELS[kernel][1] for kernel, _ in LAUNCHES]
done = [None] * len(LAUNCHES)
new, back, running = [], [], []
switch = None
now, coming = 0.0, 0
while None in done:
    while coming < len(LAUNCHES) and LAUNCHES[coming][1] <= now:
        new.append(coming)
        coming += 1
    if switch and now >= switch[0]:
        _, leaves, comes = switch
        if leaves is not None:
            back.append(leaves)
        start(comes)
        switch = None
    while not switch:
        # Preempted ones before new ones, then the first that came; of a kernel only the first of each queue.
        heads, seen = [], set()
        for queue in (back, new):
            for launch in queue:
                if LAUNCHES[launch][0] not in seen:
                    seen.add(LAUNCHES[launch][0])
                    heads.append((queue is new, launch))
        kernels = [LAUNCHES[launch][0] for launch in running]
        if len(running) < 2:
            if not heads:
                break
            best = min(heads, key=lambda head: (-total(kernels + [LAUNCHES[head[1]][0]]), head))
            (new if best[0] else back).remove(best[1])
            cycles = saving(running[0], best[1]) if running else 0.0
            if cycles > 0.0:
                switch = (now + cycles, None, best[1])
                during_switch = DECAY if KERNELS[kernels[0]][6] else 1.0
            else:
                start(best[1])
            continue
        before = total(kernels)
        options = []
        all_speeds = speeds(running)
        rest = min(left[running[0]] / all_speeds[0], left[running[1]] / all_speeds[1])
        for index, leaves in enumerate(running):
            stays = kernels[1 - index]
            kernel, staying = KERNELS[LAUNCHES[leaves][0]], KERNELS[stays]
            blocks = min(kernel[3], math.ceil(kernel[4] * left[leaves] / (kernel[0] / kernel[1])))
            saved = (0.09526 * staying[5] + 0.01633) * kernel[2] * blocks
            during = all_speeds[1 - index] * (DECAY if staying[6] else 1.0)
            for head in heads:
                after = total([stays, LAUNCHES[head[1]][0]])
                if after > before:
                    cycles = saved + saving(running[1 - index], head[1])
                    # A switch is cut off where the rest ends.
                    switching = min(cycles, rest)
                    gain = during * switching + after * (rest - switching) - before * rest
                    options.append((-after, head[0], -gain, head[1], leaves, cycles, during))
        if not options:
            break
        # The best combination; of equal ones preempted launches, then what gains most, then the first that came.
        _, is_new, negative, comes, leaves, cycles, during = min(options)
        gain = -negative
        if gain <= 0.0:
            break
        (new if is_new else back).remove(comes)
        running.remove(leaves)
        switch = (now + cycles, leaves, comes)
        during_switch = during
    if not switch:
        grow()
    rates = [during_switch] if switch and running else speeds(running) if running else []
    # To the next arrival, end or end of a switch, or one step, whichever is sooner.
    step = STEP
    if switch:
        step = min(step, switch[0] - now)
    if coming < len(LAUNCHES):
        step = min(step, LAUNCHES[coming][1] - now)
    for launch, rate in zip(running, rates):
        step = min(step, left[launch] / rate)
    now += step
    for launch, rate in zip(list(running), rates):
        left[launch] -= step * rate
        if left[launch] <= 1e-6:
            done[launch] = now
            running.remove(launch)
print(",\n".join(f"{at:.3f}" for at in done))
