"""The speedup of the published join with NumPy: the peer of formulas.rs, which runs this and says so.

python3 formulas.py POINTS
"""
import sys
import time

import numpy as np

points = int(sys.argv[1])
rng = np.random.default_rng(1)
n, k, b, M = 1000.0, 10.0, 12.8, 64.0
r = np.log(n) / np.log(k)
A = n * k / (k - 1.0)
RANGES = [(0.1, 0.4), (0.5, 2.0), (0.1, 1.0), (10.0, 80.0)]


def draw():
    return [rng.uniform(low, high, points) for low, high in RANGES]


def speedup(t, D, sigma, B):
    """As docs/model/placement.md states it; what does not vary is a number, not an array."""
    work = (t / 0.1) ** 2 * D
    output = sigma * D
    transfer = output * A / (B / 8.0)
    cpu = work * (1.0 + r) + transfer
    gpu = (D / b + output / b + work / M) * (1.0 + r) + transfer
    return cpu / gpu


def least(what, times=15):
    took = []
    for _ in range(times):
        began = time.perf_counter()
        what()
        took.append(time.perf_counter() - began)
    return min(took)


def blocked(columns, size=1 << 14):
    """The same in blocks that stay in the cache."""
    out = np.empty(points)
    for first in range(0, points, size):
        out[first : first + size] = speedup(*(column[first : first + size] for column in columns))
    return out


# The same point as in formulas.rs, which checks it.
print(f"check: {float(speedup(*(np.float64(value) for value in (0.25, 1.3, 0.4, 37.0))))!r}")
columns = draw()
for name, what in [
    ("whole arrays", lambda: speedup(*columns)),
    ("blocks in the cache", lambda: blocked(columns)),
    ("whole arrays, drawn anew", lambda: speedup(*draw())),
]:
    seconds = least(what)
    print(f"{name}: {points / seconds / 1e6:.1f} M points/s")

side = 512
t = np.geomspace(0.01, 10.0, side)[np.newaxis, :]
B = np.geomspace(1.0, 100.0, side)[:, np.newaxis]
seconds = least(lambda: speedup(t, 1.0, 0.1, B), 50)
print(f"map: {side * side / seconds / 1e6:.1f} M points/s")
print(f"NumPy {np.__version__}")
