r"""Checks the rule for compressed bytes of exchanges on rows of TPC-DS at scale factor 1, without running Spark.

    pip install duckdb==1.5.5 duckdb-extension-tpcds==1.5.5 lz4==4.4.5 pyarrow numpy
    python shuffle_bytes.py FOLDER PLANS

PLANS has the texts of `EXPLAIN FORMATTED` of the queries, `q1.explain.txt` and so on, as for `volumes.py`. FOLDER gets the tables, as
files of Parquet with Snappy. For each exchange in the plans whose columns are those of one table, the rows of the table are laid out as
Spark writes them: `UnsafeRow` behind its length (`UnsafeRowSerializer`), distributed by Spark's hash of the keys to 200 partitions, each
compressed with LZ4 in blocks of 32 KiB (`LZ4BlockOutputStream`). The table that is printed compares the compressed bytes with the rule
(`model/query/src/estimated/compressed.rs`) and with a fixed share of the rows: queries with odd numbers, on which the rule was chosen, and
exchanges that only queries with even numbers have. An exchange of q93 in Spark's own run checks the layout.
"""

import argparse
import glob
import math
import os
import re
import sysconfig

import duckdb
import lz4.block
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

BLOCK, HEADER, LENGTH, PARTITIONS = 32_768, 21, 4, 200
COPY, LONG_COPY, SHARE, LEAST_ROWS = 3, 19, 0.48, 50_000
EXCHANGE = re.compile(r"^\(\d+\) Exchange\nInput \[\d+\]: \[(.*?)\]\nArguments: hashpartitioning\((.*)\), ENSURE", re.M)


def generate(folder):
    """The tables as Parquet with Snappy in one row group each, and where each column is."""
    os.makedirs(folder, exist_ok=True)
    if not glob.glob(os.path.join(folder, "*.parquet")):
        connection = duckdb.connect(config={"allow_unsigned_extensions": True})
        pattern = os.path.join(sysconfig.get_paths()["purelib"], "duckdb_extension_tpcds/extensions/*/tpcds.duckdb_extension")
        connection.execute(f"LOAD '{glob.glob(pattern)[0]}'")
        connection.execute("CALL dsdgen(sf=1)")
        for (table,) in connection.execute("SELECT table_name FROM information_schema.tables").fetchall():
            path = os.path.join(folder, f"{table}.parquet")
            table = connection.execute(f"SELECT * FROM {table}").to_arrow_table()
            pq.write_table(table, path, compression="snappy", row_group_size=4_000_000)
    return {name: path for path in sorted(glob.glob(os.path.join(folder, "*.parquet"))) for name in pq.read_schema(path).names}


class Column:
    """A column: its values as words or texts, and what the footer of its file and its dictionary say."""

    def __init__(self, path, name):
        values = pq.read_table(path, columns=[name])[name].combine_chunks()
        values = values.chunk(0) if isinstance(values, pa.ChunkedArray) else values
        self.name, self.is_known, self.rows = name, np.asarray(values.is_valid()), len(values)
        self.type = "text" if pa.types.is_string(values.type) else "long"
        if pa.types.is_date(values.type):
            values = values.cast(pa.int32())
        if pa.types.is_integer(values.type):
            self.type = "int" if values.type.bit_width == 32 else "long"
            self.words = np.asarray(values.fill_null(0)).astype(np.int64)
        elif pa.types.is_decimal(values.type):
            wide = values.cast(pa.decimal128(18, values.type.scale))
            self.words = np.where(self.is_known, np.frombuffer(wide.buffers()[1], np.int64)[::2][wide.offset:][:len(wide)], 0)
        else:
            self.texts = [text.encode() for text in pc.fill_null(values, "").to_pylist()]
        chunks = [pq.ParquetFile(path).metadata.row_group(0)]
        chunk = next(chunks[0].column(at) for at in range(chunks[0].num_columns) if chunks[0].column(at).path_in_schema == name)
        self.different = self._different(pc.count_distinct(values).as_py())
        share = chunk.total_compressed_size * 8 / self.rows / math.log2(max(self.different, 2))
        self.changes = 1.0 if share > 0.8 else share / 3.5
        if self.type == "text":
            lengths = {len(text) for text, is_known in zip(self.texts, self.is_known) if is_known}
            whole = [-(-len(text) // 8) * 8 for text, is_known in zip(self.texts, self.is_known) if is_known]
            has_one_length = len(lengths) == 1 and self.is_known.all()
            self.text_bytes = np.mean(whole) if has_one_length else sum(map(len, self.texts)) / len(self.texts) + 3.5

    def _different(self, exact):
        """Different values as the files state them: a dictionary has 1 MB at most; else those between the bounds, or the rows."""
        width = 8 if self.type != "text" else 4 + sum(map(len, self.texts)) / self.rows
        if exact * width < 1e6:
            return exact
        known = self.words[self.is_known] if self.type != "text" else []
        return min(self.rows, int(known.max() - known.min()) + 1) if len(known) else self.rows

    def hashed(self, seed):
        """Spark's Murmur3 hash; of texts another one, which distributes as well."""
        if self.type == "long":
            words = self.words.view(np.uint64)
            halves = [(words & np.uint64(0xFFFFFFFF)).astype(np.uint32), (words >> np.uint64(32)).astype(np.uint32)]
        elif self.type == "int":
            halves = [self.words.astype(np.int32).view(np.uint32)]
        else:
            halves = [np.array([hash(text) & 0xFFFFFFFF for text in self.texts], np.uint64).astype(np.uint32)]
        state = seed
        for half in halves:
            mixed = state ^ rotated(half * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
            state = rotated(mixed, 13) * np.uint32(5) + np.uint32(0xE6546B64)
        state = state ^ np.uint32(4 * len(halves))
        for shift, factor in [(16, 0x85EBCA6B), (13, 0xC2B2AE35)]:
            state = (state ^ (state >> np.uint32(shift))) * np.uint32(factor)
        return np.where(self.is_known, state ^ (state >> np.uint32(16)), seed)


def rotated(words, bits):
    return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))


def laid_out(columns, places):
    """Rows as Spark serialises them: the length, null bits, a word for each column, and texts behind them in whole words."""
    fixed = np.zeros((len(places), 8 + 8 * len(columns)), np.uint8)
    for at, column in enumerate(columns):
        fixed[~column.is_known[places], at // 8] |= 1 << at % 8
        if column.type != "text":
            words = column.words[places]
            words = words.astype(np.int32).view(np.uint32).astype(np.int64) if column.type == "int" else words
            fixed[:, 8 + 8 * at:16 + 8 * at] = np.where(column.is_known[places], words, 0).astype("<i8").view(np.uint8).reshape(-1, 8)
    if all(column.type != "text" for column in columns):
        lengths = np.full((len(places), 1), fixed.shape[1], ">u4").view(np.uint8).reshape(-1, 4)
        return np.hstack([lengths, fixed]).tobytes()
    rows = []
    for row, place in zip(fixed, places):
        row = bytearray(row.tobytes())
        for at, column in enumerate(columns):
            if column.type == "text" and column.is_known[place]:
                text = column.texts[place]
                row[8 + 8 * at:16 + 8 * at] = len(text).to_bytes(4, "little") + len(row).to_bytes(4, "little")
                row += text + bytes(-len(text) % 8)
        rows.append(len(row).to_bytes(4, "big") + row)
    return b"".join(rows)


def written(columns, keys, step=1):
    """Rows, bytes of rows, and compressed bytes of every so many partitions, of one task."""
    places = np.flatnonzero(np.logical_and.reduce([key.is_known for key in keys]))
    state = np.full(columns[0].rows, 42, np.uint32)
    for key in keys:
        state = key.hashed(state)
    partition = state.view(np.int32)[places].astype(np.int64) % PARTITIONS
    rows = data = compressed = 0
    for number in range(0, PARTITIONS, step):
        inside = places[partition == number]
        stream = laid_out(columns, inside)
        rows, data = rows + len(inside), data + len(stream) - LENGTH * len(inside)
        blocks = (stream[start:start + BLOCK] for start in range(0, len(stream), BLOCK))
        compressed += sum(HEADER + min(len(lz4.block.compress(block, store_size=False)), len(block)) for block in blocks)
        compressed += HEADER if stream else 0
    return rows, data, compressed


def by_rule(columns, keys, rows, data, partitions):
    """Compressed bytes by the rule of the program."""
    row = LENGTH + data / rows
    streams = min(partitions * (1 - (1 - 1 / partitions) ** rows), rows)
    window = min(BLOCK / 2 / row, rows / streams / 2)
    key = max((column.changes for column in columns if column in keys), default=1.0)
    shares, copies, values = [], 0.0, 0.0
    for column in columns:
        if key < 0.5:
            share = max(column.changes, key)
        else:
            share = 1.0 if column.changes >= 1 else 1 - math.exp(-PARTITIONS * column.changes)
        share *= column.different > 1
        different = max(column.different / PARTITIONS, 1) if [column] == keys else column.different
        unseen = math.exp(-window / different)
        if column.type == "text":
            is_whole = column.text_bytes % 8 == 0
            letters = SHARE * (column.text_bytes - (0 if is_whole else 3.5)) * unseen + (0 if is_whole else 4)
        else:
            letters = math.log(column.different, 256) * unseen
        copies += share * (1 - 1 / different)
        values += share * (1 - 1 / different) * letters
        shares.append(share)
    stay = [0 < share < 0.5 for share in shares]
    if max(shares) > 0.5:
        copies += (1 - key) * sum(one and not before for one, before in zip(stay, stay[-1:] + stay[:-1]))
    new = values + copies * (COPY + ((row - values) / max(copies, 1) >= LONG_COPY))
    return (rows - streams) * new + streams * (first_row(columns, row) + 2 * HEADER) + HEADER * rows * row / BLOCK


def first_row(columns, row):
    """Bytes of the first row of a stream, of which only zeros are copied."""
    behind = row - LENGTH - 8 * -(-len(columns) // 64) - 8 * len(columns)
    words = [8 if one.type == "text" else min(COPY + max(math.ceil(math.log(one.different, 256)), 1), 8) for one in columns]
    if behind < 1:
        words[-1] = 8
    return min(8 + sum(words) + max(behind, 0) + 1, row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("plans")
    options = parser.parse_args()
    paths, columns, seen, found = generate(options.folder), {}, set(), []

    def column(name):
        if name not in columns:
            columns[name] = Column(paths[name], name)
        return columns[name]

    sales = [column(f"ss_{name}") for name in ("item_sk", "customer_sk", "ticket_number", "quantity", "sales_price")]
    returns = [column(f"sr_{name}") for name in ("item_sk", "reason_sk", "ticket_number", "return_quantity")]
    both = [written(side, [side[0], side[2]]) for side in (sales, returns)]
    megabytes = [sum(part[at] for part in both) / 1e6 for at in (1, 2)]
    print(f"q93, both tables: {megabytes[0]:.1f} MB of rows, {megabytes[1]:.1f} MB written; Spark 3.5.3 (CBO): 149.7 and 72.7")

    texts = [(int(re.match(r"q(\d+)", os.path.basename(path))[1]), path) for path in glob.glob(os.path.join(options.plans, "q[0-9]*.txt"))]
    for number, path in sorted(texts, key=lambda text: (text[0] % 2 == 0, text)):
        with open(path, encoding="utf-8") as file:
            exchanges = EXCHANGE.findall(file.read())
        for inputs, partitioning in exchanges:
            names = [part.split("#")[0] for part in inputs.split(", ")]
            keys = [part.split("#")[0] for part in partitioning.split(", ")[:-1]]
            if any(name not in paths for name in names + keys) or len({paths[name] for name in names + keys}) != 1:
                continue
            identity = (tuple(sorted(names)), tuple(sorted(keys)))
            if identity in seen or column(names[0]).rows < LEAST_ROWS:
                continue
            seen.add(identity)
            given, by = [column(name) for name in names], [column(name) for name in keys]
            step = 5 if any(one.type == "text" for one in given) else 1
            rows, data, compressed = written(given, by, step)
            estimates = [by_rule(given, by, rows, data, PARTITIONS / step), SHARE * data]
            found.append((number % 2, [abs(estimate / compressed - 1) for estimate in estimates]))
            print(f"q{number},{'+'.join(names)},{data / rows:.1f},{compressed / rows:.2f},{estimates[0] / rows:.2f}", flush=True)
    for parity, name in [(1, "odd"), (0, "even")]:
        for at, rule in enumerate(("rule", "0.48 of the rows")):
            errors = [error[at] for kind, error in found if kind == parity]
            near = sum(error <= 0.1 for error in errors)
            print(f"{name} numbers, {rule}: median error {np.median(errors):.1%}, within 10 %: {near} of {len(errors)}")


if __name__ == "__main__":
    main()
