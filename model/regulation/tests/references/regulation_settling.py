"""Settling of the published regulation example, in exact fractions, apart from the program.

Two clusters of 100 vGPUs of 100 TOPS: I is fed with 5,000 TOPS at most, II with 20,000; as much work arrives. Each
controller takes e = p_p - p_d once a period; the table of the published method turns its output into vGPUs, or
into 100 MHz where no vGPU can be moved. Clusters that release vGPUs come first.

    python3 model/regulation/tests/references/regulation_settling.py

Used by model/regulation/tests/regulation/published.rs.
"""

from fractions import Fraction as F

ENDS = [F(1, 10), F(3, 10), F(5, 10), F(7, 10)]  # of the dead zone and of the rows above it, mirrored below zero
MHZ = [0, 0, 100, 200, 300]  # column of the frequency, row by row; column of the vGPUs: 0, 1, 2, 3, 4
STEP = 100  # MHz, where a row has none and the vGPUs cannot be moved
PERIODS = 600


def run(form, kp, ki, kd):
    feed = [F(5000), F(20000)]
    vgpus, mhz = [100, 100], [1000, 1000]
    integral, before = [F(0), F(0)], [None, None]
    pool, settled = 0, 0
    for period in range(PERIODS):
        output = []
        for i in range(2):
            capacity = F(100 * vgpus[i] * mhz[i], 1000)
            served = min(capacity, feed[i])
            e = served / feed[i] - served / capacity
            u = kp * e + integral[i]
            if "D" in form and before[i] is not None:
                u += kd * (e - before[i])
            if "I" in form and abs(u) <= ENDS[0]:  # only the dead zone is to be broken
                integral[i] += ki * e
                integral[i] = max(F(-9, 10), min(F(9, 10), integral[i]))
                u = kp * e + integral[i] + (kd * (e - before[i]) if "D" in form and before[i] is not None else 0)
            before[i] = e
            output.append(u)
        row = [sum(abs(u) > end for end in ENDS) for u in output]
        releasing = [i for i in range(2) if output[i] > 0]
        asking = sorted((i for i in range(2) if output[i] < 0), key=lambda i: output[i])
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
                now = mhz[i] + (-change if i in releasing else change)
                now = max(800, min(1100, now))
                acted, mhz[i] = now != mhz[i], now
            if acted:
                integral[i], settled = F(0), period + 1
    return settled, vgpus, mhz


for form, ki, kd in [
    ("P", F(0), F(0)),
    ("PD", F(0), F(1, 2)),
    ("PI", F(1, 10), F(0)),
    ("PI", F(3, 10), F(0)),
    ("PI", F(1), F(0)),
    ("PID", F(3, 10), F(1, 2)),
]:
    settled, vgpus, mhz = run(form, F(1), ki, kd)
    print(f"{form:3} Ki {float(ki)} Kd {float(kd)}: settled after {settled} periods, vGPUs {vgpus}, MHz {mhz}")
