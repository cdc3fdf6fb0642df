"""Cost-aware preemption of a list of launches, written from docs/model/preemption.md alone, in small steps of time instead of from event to
event. Prints when each launch is done, for model/preemption/tests/preemption/study.rs.

Kernels: instructions, IPC alone, bytes of a block, resident blocks, blocks, miss rate, memory-intensive.
"""

import math

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
        back.append(leaves)
        running.append(comes)
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
            running.append(best[1])
            continue
        before = total(kernels)
        options = []
        all_speeds = speeds(running)
        rest = min(left[running[0]] / all_speeds[0], left[running[1]] / all_speeds[1])
        for index, leaves in enumerate(running):
            stays = kernels[1 - index]
            kernel, staying = KERNELS[LAUNCHES[leaves][0]], KERNELS[stays]
            blocks = min(kernel[3], math.ceil(kernel[4] * left[leaves] / (kernel[0] / kernel[1])))
            cycles = (0.09526 * staying[5] + 0.01633) * kernel[2] * blocks
            during = all_speeds[1 - index] * (DECAY if staying[6] else 1.0)
            for head in heads:
                after = total([stays, LAUNCHES[head[1]][0]])
                if after > before:
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
