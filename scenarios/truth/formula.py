"""Fits the time of another engine to volumes and the measured time of today's, and shows what it is worth on queries left out.

    pip install numpy scipy
    python formula.py TIMES VOLUMES TODAY OTHER [--scale 1] [--memory 12]

TIMES is a file with a column `query` and one of seconds for each engine, TODAY and OTHER are the names of two of them,
VOLUMES what `volumes.py` writes. `--scale` multiplies volumes of another scale factor.

    T = a + k T_today + r GB + t_f thousand files + s sum max(0, E - m) + t_s scans of partitioned tables

E are the GB of each exchange. Coefficients are not negative and make sum |ln(T / measured)| small: least squares on
relative errors, reweighted 30 times. Queries are left out with their siblings (q14a and q14b).

The form is chosen: a + k T_today, with r GB, or all terms, each alone or averaged (geometrically) with a power of
GB / T_today. The smallest mean error of queries left out in ten groups decides. Each query is predicted in the form that
the others choose.
"""

import argparse
import csv
import math

import numpy
from scipy.optimize import nnls
from scipy.stats import spearmanr, t

TERMS = ("a", "k", "r", "t_f", "s", "t_s")
# Places of the terms of each sum, and whether it is averaged with the power; the fewest numbers first.
FORMS = tuple((terms, power) for power, terms in (
    (False, (0, 1)), (False, (0, 1, 2)), (True, (0, 1)), (True, (0, 1, 2)), (False, (0, 1, 2, 3, 4, 5)), (True, (0, 1, 2, 3, 4, 5))))
GROUPS = 10
# The power is continued to a quarter of the smallest density, and to four times the largest.
BEYOND = math.log(4)
# A speedup is clear from here on, and is answered if it is predicted to be this far from 1.
CLEAR, ANSWERED = math.log(1.25), 0.3


def fit(volumes, times):
    """Coefficients, none negative."""
    weights = 1 / times
    for _ in range(31):
        found, _ = nnls(volumes * weights[:, None], times * weights)
        predicted = numpy.maximum(volumes @ found, 1e-3)
        error = numpy.abs(numpy.log(predicted / times))
        # An error of more than a tenth counts by its size, not its square.
        weights = 1 / numpy.sqrt(predicted * times * numpy.maximum(error, 0.1))
    return found


def in_form(form, volumes, times, others):
    """Times of other queries in a form that is fitted to these."""
    terms, power = form
    predicted = numpy.maximum(others[:, terms] @ fit(volumes[:, terms], times), 1e-3)
    if not power:
        return predicted
    density, share = numpy.log(volumes[:, 2] / volumes[:, 1]), numpy.log(times / volumes[:, 1])
    exponent, height = numpy.polyfit(density, share, 1)
    other = numpy.log(numpy.maximum(others[:, 2], 1e-300) / others[:, 1]).clip(density.min() - BEYOND, density.max() + BEYOND)
    return numpy.sqrt(predicted * others[:, 1] * numpy.exp(height + exponent * other))


def best(volumes, times, groups):
    """The form with the smallest mean error of queries left out in groups."""
    def error(form):
        found = numpy.zeros(len(times))
        for group in set(groups):
            out = groups == group
            found[out] = in_form(form, volumes[~out], times[~out], volumes[out])
        return abs(numpy.log(found / times)).mean()
    return min(FORMS, key=error)


def chosen(volumes, times, siblings):
    """Each time, predicted in the form that the queries choose that are no siblings; and the forms."""
    names = sorted(set(siblings))
    groups = numpy.array([names.index(sibling) % GROUPS for sibling in siblings])
    predicted, forms = numpy.zeros(len(times)), []
    for sibling in names:
        out = siblings == sibling
        forms.append(best(volumes[~out], times[~out], groups[~out]))
        predicted[out] = in_form(forms[-1], volumes[~out], times[~out], volumes[out])
    return predicted, forms, best(volumes, times, groups)


def left_out(volumes, times, siblings):
    """Each time, predicted from the queries that are no siblings."""
    predicted = numpy.zeros(len(times))
    for sibling in set(siblings):
        out = siblings == sibling
        predicted[out] = volumes[out] @ fit(volumes[~out], times[~out])
    return numpy.maximum(predicted, 1e-3)


def worth(today, other, predicted, siblings):
    """What predictions of left-out queries are worth."""
    measured, found = numpy.log(today / other), numpy.log(today / predicted)
    constant = numpy.array([measured[siblings != sibling].mean() for sibling in siblings])
    error = found - measured
    inside = 0
    for sibling, own in zip(siblings, error):
        rest = error[siblings != sibling]
        inside += abs(own) <= t.ppf(0.95, len(rest)) * math.sqrt((rest ** 2).mean())
    clear, answered, right = abs(measured) > CLEAR, abs(found) > ANSWERED, numpy.sign(found) == numpy.sign(measured)
    return {
        "rank": spearmanr(found, measured)[0], "off": abs(error).mean(), "constant": abs(constant - measured).mean(),
        "off / constant": abs(error).mean() / abs(constant - measured).mean(), "rms of ln T": math.sqrt((error ** 2).mean()),
        "clear sides right": f"{(right & clear).sum()} of {clear.sum()}",
        "of those answered": f"{(right & clear & answered).sum()} of {(clear & answered).sum()}",
        "answered": answered.mean(), "in 90 % interval": inside / len(error),
    }


def show(title, numbers):
    """A line of numbers."""
    print(f"{title:24}", "  ".join(f"{key} {value if isinstance(value, str) else round(float(value), 3)}" for key, value in numbers.items()))


def main():
    """Fits and shows."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("times", "volumes", "today", "other"):
        arguments.add_argument(name)
    arguments.add_argument("--scale", type=float, default=1.0)
    arguments.add_argument("--memory", type=float, default=12.0)
    options = arguments.parse_args()
    with open(options.volumes, encoding="utf-8") as file:
        volumes = {row["query"]: row for row in csv.DictReader(file)}
    with open(options.times, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["query"] in volumes]
    names = [row["query"] for row in rows]
    siblings = numpy.array([name.rstrip("ab") for name in names])
    today, other = (numpy.array([float(row[key]) for row in rows]) for key in (options.today, options.other))
    column = lambda key: numpy.array([float(volumes[name][key]) for name in names])
    excess = lambda name: sum(max(0.0, float(size) * options.scale - options.memory) for size in volumes[name]["exchange_gb"].split())
    terms = numpy.column_stack([
        numpy.ones(len(names)), today, column("gb") * options.scale, column("files") / 1000,
        [excess(name) for name in names], column("partitioned_scans"),
    ])
    show("coefficients", dict(zip(TERMS, fit(terms, other))))
    predicted = left_out(terms, other, siblings)
    show(f"{len(names)} queries left out", worth(today, other, predicted, siblings))
    label = lambda form: " ".join(TERMS[place] for place in form[0]) + (", power" if form[1] else "")
    if (terms[:, 2] > 0).all():
        found, forms, form = chosen(terms, other, siblings)
        show("  in the chosen form", worth(today, other, found, siblings))
        print(f"  form: {label(form)}; without a query:", {label(one): forms.count(one) for one in sorted(set(forms))})
    for place, term in enumerate(TERMS):
        fewer = numpy.delete(terms, place, axis=1)
        show(f"  without {term}", worth(today, other, left_out(fewer, other, siblings), siblings))
    for name, measured, found in sorted(zip(names, other, predicted), key=lambda row: -abs(math.log(row[2] / row[1])))[:10]:
        print(f"  {name}: {found:.1f} s, measured {measured:.1f} s")


if __name__ == "__main__":
    main()
