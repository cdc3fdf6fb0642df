"""Writes two small tables as Parquet with PyArrow, and prints what their footers state: expected values of tests.

    pip install pyarrow==26.0.1
    python make.py

`sales` has a folder for each day, as Spark and Hive store it; `item` and `customer` are files, as DuckDB exports them.
"""

import glob
import os

import pyarrow
import pyarrow.parquet as parquet

HERE = os.path.dirname(os.path.abspath(__file__))
# Rows of the days, and the size of row groups.
DAYS, ROW_GROUP = {1: 3000, 2: 1000}, 2000


def sales(rows):
    """Rows with an item, of which each tenth is unknown, and a price."""
    items = [None if row % 10 == 0 else row % 97 for row in range(rows)]
    return pyarrow.table({"item": pyarrow.array(items, pyarrow.int32()), "price": [row * 0.25 for row in range(rows)]})


def main():
    for day, rows in DAYS.items():
        os.makedirs(f"{HERE}/sales/day={day}", exist_ok=True)
        parquet.write_table(sales(rows), f"{HERE}/sales/day={day}/part-0.parquet", row_group_size=ROW_GROUP)
    open(f"{HERE}/sales/_SUCCESS", "wb").close()
    names = pyarrow.array([{"first": f"item {row}", "last": "of 97"} for row in range(97)])
    parquet.write_table(pyarrow.table({"id": list(range(97)), "name": names}), f"{HERE}/item.parquet")
    ids = [f"customer {row:07}" for row in range(100)]
    names = [None if row % 10 == 0 else ["Ann", "Maximilian", "Jo"][row % 3] for row in range(100)]
    parquet.write_table(pyarrow.table({"id": ids, "name": names}), f"{HERE}/customer.parquet", use_dictionary=["name"])
    for path in sorted(glob.glob(f"{HERE}/**/*.parquet", recursive=True)):
        found = parquet.read_metadata(path)
        print(os.path.relpath(path, HERE), found.num_rows, "rows,", found.num_row_groups, "row groups,", os.path.getsize(path), "bytes")
        for group in range(found.num_row_groups):
            for place in range(found.num_columns):
                column = found.row_group(group).column(place)
                start = column.dictionary_page_offset or column.data_page_offset
                print(" ", column.path_in_schema, column.total_compressed_size, "bytes from", start, column.statistics.null_count, "null,", column.statistics.min, "to", column.statistics.max)


if __name__ == "__main__":
    main()
