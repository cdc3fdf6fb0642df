"""Corrections by fuzzy rules, in exact fractions, apart from the program.

The union of the clipped triangles is a broken line. Between two places where it may bend it is straight, so that the
trapezoid rule gives its area and Simpson's rule its moment exactly.

    python3 model/regulation/tests/references/fuzzy_centroids.py

Used by model/regulation/src/fuzzy.rs. The tables are those of https://github.com/shuoyueqishi/fuzzy-PID-controller.
"""

from fractions import Fraction as F

VALUE = dict(NB=-3, NM=-2, NS=-1, ZO=0, PS=1, PM=2, PB=3)
TABLES = {
    "Kp": """PB PB PM PM PS ZO ZO
             PB PB PM PS PS ZO NS
             PM PM PM PS ZO NS NS
             PM PM PS ZO NS NM NM
             PS PS ZO NS NS NM NM
             PS ZO NS NM NM NM NB
             ZO ZO NM NM NM NB NB""",
    "Ki": """NB NB NM NM NS ZO ZO
             NB NB NM NS NS ZO ZO
             NB NM NS NS ZO PS PS
             NM NM NS ZO PS PM PM
             NM NS ZO PS PS PM PB
             ZO ZO PS PS PM PB PB
             ZO ZO PS PM PM PB PB""",
    "Kd": """PS NS NB NB NB NM PS
             PS NS NB NM NM NS ZO
             ZO NS NM NM NS NS ZO
             ZO NS NS NS NS NS ZO
             ZO ZO ZO ZO ZO ZO ZO
             PB NS PS PS PS PS PB
             PB PM PM PM PS PS PB""",
}


def membership(centre, x):
    return max(F(0), 1 - abs(x - centre))


def centroid(table, e, ec):
    rules = [[VALUE[name] for name in row.split()] for row in table.splitlines()]
    height = {value: F(0) for value in range(-3, 4)}
    for row in range(7):
        for column in range(7):
            strength = min(membership(row - 3, e), membership(column - 3, ec))
            value = rules[row][column]
            height[value] = max(height[value], strength)

    def union(x):
        return max(min(height[value], membership(value, x)) for value in height)

    bends = {F(place, 2) for place in range(-8, 9)}
    for centre in range(-3, 4):
        for clipped in height.values():
            bends |= {centre - (1 - clipped), centre + (1 - clipped)}
    bends = sorted(bends)
    area = moment = F(0)
    for a, b in zip(bends, bends[1:]):
        middle = (a + b) / 2
        area += (b - a) * (union(a) + union(b)) / 2
        moment += (b - a) * (a * union(a) + 4 * middle * union(middle) + b * union(b)) / 6
    return moment / area


for e, ec in [("1.5", "-0.4"), ("-2.25", "0.75"), ("0.3", "0.1"), ("-0.5", "-0.5"), ("2.9", "-2.9"), ("-1.2", "2.6"), ("0.9", "1.7")]:
    found = (f"{name} {float(centroid(table, F(e), F(ec))):+.9f}" for name, table in TABLES.items())
    print(f"e {e:>5}, ec {ec:>5}:", ", ".join(found))
