"""The volumes of the queries of a case file, as the program's tests and its scoreboard read them.

    python shipped_volumes.py CASES VOLUMES > aws-l4-volumes.csv

CASES is a file with the queries in the column `case` (`aws-l4.csv`), VOLUMES what `volumes.py` writes for all of them.
GB, files, scans and rows are those of the planned scale; `exchanges_gb` has the GB of each exchange, separated by spaces.
"""

import csv
import sys

# Column here, column of `volumes.py`, and its unit there.
COLUMNS = (
    ("read_gb", "gb", 1), ("files", "files", 1), ("partitioned_scans", "partitioned_scans", 1), ("exchanges_gb", "exchange_gb", None),
    ("window_rows", "window_rows_1e9", 1e9), ("expanded_rows", "expand_rows_1e9", 1e9), ("copies", "expand_copies", 1),
    ("pairs", "pairs_1e9", 1e9),
)


def main(cases, volumes):
    """Writes a line for each query of the case file, in its order."""
    with open(volumes, encoding="utf-8") as file:
        rows = {row["query"]: row for row in csv.DictReader(file)}
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["query"] + [name for name, _, _ in COLUMNS])
    with open(cases, encoding="utf-8") as file:
        for case in csv.DictReader(file):
            row = rows[case["case"]]
            number = lambda text, unit: text if unit is None else f"{float(text) * unit:.12g}"
            writer.writerow([case["case"]] + [number(row[name], unit) for _, name, unit in COLUMNS])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
