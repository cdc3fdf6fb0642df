"""The true values of the probe operators, computed apart from the Rust code: python3 true_values.py

Needs numpy 2 (its Fourier transform keeps long doubles). Dense and sparse products, filters and tables are exact integers;
sines and Fourier transforms are in 64-bit mantissas. A few minutes, 4 GB.
"""

import numpy as np

U32 = np.uint32
WEIGHTS = 64  # value i of a result is weighted by 1 + (i mod 64)/64


def numerators(count, multiplier):
    """k of the fractions k/1024 that are the operands."""
    return (np.arange(count, dtype=np.int64) * multiplier) % 1021


def weighted(exact, denominator):
    """Weighted sum of integers over a denominator: exact up to the last division."""
    flat = exact.reshape(-1, WEIGHTS)
    total = int((flat.sum(axis=0, dtype=object) * (WEIGHTS + np.arange(WEIGHTS).astype(object))).sum())
    return total / (WEIGHTS * denominator)


def mix(x):
    x = x.astype(U32)
    x ^= x >> U32(16)
    x *= U32(0x7FEB352D)
    x ^= x >> U32(15)
    x *= U32(0x846CA68B)
    return x ^ (x >> U32(16))


def words(seed, places):
    """The generator's words at places below 2^32."""
    return mix(places.astype(U32) + mix(np.array([seed], dtype=U32)))


def below(seed, places, bound):
    return (words(seed, places).astype(np.uint64) * np.uint64(bound)) >> np.uint64(32)


def product(n):
    # Column by column, as the library has it. Sums stay far below 2^53, so floats hold them exactly.
    left = numerators(n * n, 7919).reshape(n, n).T.astype(np.float64)
    right = numerators(n * n, 104_729).reshape(n, n).T.astype(np.float64)
    return weighted((left @ right).T.astype(np.int64), 1 << 20)


def spmv():
    side = 64
    rows = side**3
    row = np.arange(rows)
    x, y, z = row % side, row // side % side, row // side**2
    vector = numerators(rows, 7919)
    sums = np.zeros(rows, dtype=np.int64)
    for k in range(27):
        dx, dy, dz = k % 3 + side - 1, k // 3 % 3 + side - 1, k // 9 + side - 1
        column = (x + dx) % side + (y + dy) % side * side + (z + dz) % side * side**2
        sums += (row * 27 + k) * 104_729 % 1021 * vector[column]
    return weighted(sums, 1 << 20)


def fft():
    points, transforms = 4096, 256
    total = np.longdouble(0)
    weights = 1 + (np.arange(points) % WEIGHTS).astype(np.longdouble) / WEIGHTS
    real = numerators(points * transforms, 7919).reshape(-1, points)
    imaginary = numerators(points * transforms, 104_729).reshape(-1, points)
    for re, im in zip(real, imaginary):
        signal = (re.astype(np.longdouble) + 1j * im.astype(np.longdouble)) / 1024
        spectrum = np.fft.fft(signal)
        assert spectrum.dtype == np.clongdouble
        total += (weights * (spectrum.real**2 + spectrum.imag**2)).sum()
    return np.sqrt(total)


def convolution():
    images, inputs, outputs, side = 32, 16, 16, 64
    padded = side + 2
    data = numerators(images * inputs * padded**2, 7919).reshape(images, inputs, padded, padded)
    filters = numerators(outputs * inputs * 9, 104_729).reshape(outputs, inputs, 3, 3)
    result = np.zeros((images, outputs, side, side), dtype=np.int64)
    for dy in range(3):
        for dx in range(3):
            window = data[:, :, dy : dy + side, dx : dx + side]
            result += np.einsum("nixy,oi->noxy", window, filters[:, :, dy, dx])
    return weighted(result, 1 << 20)


def trigonometry():
    place = np.arange(1 << 20, dtype=np.int64)
    x = (place * 7919 % 1_000_003).astype(np.longdouble) / (1 << 20) * 3
    values = 2 * np.sin(x) + np.cos(x)
    weights = 1 + (place % WEIGHTS).astype(np.longdouble) / WEIGHTS
    return (values * weights).sum()


def triad():
    count = 1 << 22
    return weighted(numerators(count, 7919) + 3 * numerators(count, 104_729), 1024)


def random_access():
    table, chains, steps = 1 << 23, 4096, 64
    place = np.arange(table, dtype=np.uint64).astype(U32)
    high, low = mix(place), mix(place ^ U32(0x5BD1E995))
    at = mix(np.arange(chains, dtype=np.uint64).astype(U32)) & U32(table - 1)
    total = 0
    for step in range(steps):
        total += int((high[at] >> U32(8)).sum(dtype=np.uint64))
        at = (low[at] + U32(step)) & U32(table - 1)
    return total


def filtered():
    column = below(11, np.arange(1 << 24), 1000)
    kept = column[column < 250]
    return int(kept.sum()) + len(kept)


def hash_join():
    build, probe = 1 << 18, 1 << 21
    pick = below(16, np.arange(probe), 2 * build)
    # Words of a stream are distinct: a key is in the table if its place is.
    found = pick[pick < build]
    return int(found.sum()) + len(found)


def aggregate():
    rows, groups = 1 << 23, 1000
    codes = below(12, np.arange(rows), groups).astype(np.int64)
    values = below(13, np.arange(rows), 1000).astype(np.int64)
    sums = np.zeros(groups, dtype=np.int64)
    np.add.at(sums, codes, values)
    counts = np.bincount(codes, minlength=groups)
    return int(((np.arange(groups) + 1) * (sums + counts)).sum())


def ordered():
    keys = np.sort(words(14, np.arange(1 << 21)).astype(np.uint64))
    with np.errstate(over="ignore"):
        total = int(((np.arange(len(keys), dtype=np.uint64) + np.uint64(1)) * keys).sum(dtype=np.uint64))
    return total % 2**53


def main():
    values = {
        "dgemm": product(640),
        "sgemm": product(768),
        "spmv": spmv(),
        "fft": fft(),
        "convolution": convolution(),
        "trigonometry": trigonometry(),
        "triad": triad(),
        "random_access": random_access(),
        "filter": filtered(),
        "hash_join": hash_join(),
        "aggregate": aggregate(),
        "sort": ordered(),
    }
    for key, value in values.items():
        print(f"{key:14} {float(value)!r}")


if __name__ == "__main__":
    main()
