"""Gains by cells of the error and of its change, learned by simulation, apart from the program.

The loop is that of regulation_settling.py in binary fractions, with demands that step. The table starts from the schedule of an
expert. Printed for each seed: the integral of absolute error relative to that of the schedule, for training, for validation, and
for 16 disturbances that no choice has seen (mean and worst).

    python3 model/regulation/tests/references/learned_gains.py 1 2 3 4

Used by docs/model/regulation.md.
"""

import random
import sys

ENDS = [0.1, 0.3, 0.5, 0.7]  # of the dead zone and of the rows above it, mirrored below zero
MHZ = [0, 0, 100, 200, 300]  # column of the frequency, row by row; column of the vGPUs: 0, 1, 2, 3, 4
STEP = 100  # MHz, where a row has none and the vGPUs cannot be moved
PERIODS = 600
NEAR = 1e-9
SMALL, LARGE, FAST = 0.1, 0.3, 0.02  # bounds of the cells, those of the schedule


def schedule(error, change):
    if abs(error) >= LARGE:
        return (1.0, 0.0, 0.25)
    if abs(error) >= SMALL:
        return (0.8, 0.1, 0.25)
    return (1.0, 0.3, 0.5 if abs(change) >= FAST else 0.25)


def by_table(table):
    def gains(error, change):
        row = (abs(error) >= SMALL) + (abs(error) >= LARGE)
        growth = change if error >= 0 else -change
        return table[3 * row + (2 if growth >= FAST else int(growth > -FAST))]

    return gains


def absolute_error(disturbance, gains):
    feed, demand, step = disturbance
    vgpus, mhz, pool = [100, 100], [1000, 1000], 0
    integral, before = [0.0, 0.0], [None, None]
    total, quiet = 0.0, 0
    for period in range(PERIODS):
        output, errors = [], []
        for i in range(2):
            capacity = 100 * vgpus[i] * mhz[i] / 1000
            served = min(capacity, feed[i], demand[i][period >= step[i]])
            error = served / feed[i] - served / capacity
            change = 0.0 if before[i] is None else error - before[i]
            kp, ki, kd = gains(error, change)
            plain = kp * error + kd * change
            if abs(plain + integral[i]) <= ENDS[0] + NEAR:  # only the dead zone is to be broken
                integral[i] = max(-0.9, min(0.9, integral[i] + ki * error))
            output.append(plain + integral[i])
            errors.append(abs(error))
            before[i] = error
        total += sum(errors)
        row = [sum(abs(u) > end + NEAR for end in ENDS) for u in output]
        releasing = [i for i in range(2) if output[i] > 0]
        asking = sorted((i for i in range(2) if output[i] < 0), key=lambda i: output[i])
        quiet += 1
        for i in releasing + asking:
            if row[i] == 0:
                continue
            if i in releasing:
                moved = -min(row[i], vgpus[i] - 10)
            else:
                moved = min(row[i], 200 - vgpus[i], pool)
            vgpus[i] += moved
            pool -= moved
            acted = moved != 0
            if not acted:
                change = MHZ[row[i]] or STEP
                now = max(800, min(1100, mhz[i] + (-change if i in releasing else change)))
                acted, mhz[i] = now != mhz[i], now
            if acted:
                integral[i], quiet = 0.0, 0
        if quiet > 150 and period > max(step):
            return total + (PERIODS - period - 1) * sum(errors)
    return total


def disturbances(seed, count):
    stream = random.Random(seed)
    between = lambda low, high: low + (high - low) * stream.random()
    drawn = []
    for _ in range(count):
        feed = [full * between(0.7, 1.3) for full in (5000, 20000)]
        demand = [[full * between(0.4, 1.2) for _ in range(2)] for full in (5000, 20000)]
        drawn.append((feed, demand, [int(PERIODS * between(0.05, 0.3)) for _ in range(2)]))
    return drawn


def learn(seed):
    sets = [disturbances(3 * seed + which, count) for which, count in enumerate((8, 8, 16))]
    present = [[absolute_error(one, schedule) for one in drawn] for drawn in sets]

    def ratios(which, table):
        return [absolute_error(one, by_table(table)) / by for one, by in zip(sets[which], present[which])]

    def cost(which, table):
        return sum(ratios(which, table)) / len(sets[which])

    table = [list(schedule(error, change)) for error in (0.05, 0.2, 0.3) for change in (-FAST, 0.0, FAST)]
    least = cost(0, table)
    kept = (1.0, least, [list(cell) for cell in table])
    for _ in range(2):
        for cell in table:
            for which, gain in enumerate(cell[:]):
                tried = [gain * factor for factor in (0.5, 0.8, 1.25, 2.0)] if gain > 0 else [0.05, 0.2]
                best = gain
                for candidate in tried:
                    cell[which] = candidate
                    found = cost(0, table)
                    if found < least - NEAR:
                        least, best = found, candidate
                cell[which] = best
        validation = cost(1, table)
        if validation < kept[0]:
            kept = (validation, least, [list(cell) for cell in table])
    validation, training, table = kept
    unseen = ratios(2, table)
    mean, worst = sum(unseen) / len(unseen), max(unseen)
    print(f"seed {seed}: training {training:.3f}, validation {validation:.3f}, unseen {mean:.3f}, worst {worst:.3f}")


for seed in map(int, sys.argv[1:]):
    learn(seed)
