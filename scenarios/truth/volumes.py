"""Volumes of Spark's plans at the scale that they were planned for: what is read, opened and exchanged.

    python volumes.py PLANS TABLES COLUMNS [COUNTED] > volumes.csv

PLANS is a folder with `q1.explain.txt` and so on (`EXPLAIN FORMATTED` of Spark 3.5), TABLES a file with `table,rows` of
the planned scale, COLUMNS and COUNTED are `columns.csv` and the folder that `spark_rows.py` writes. With COUNTED the rows
are those of small tables, grown; without, they are estimated from the text and the rows of the tables.

- GB read: of each scan the compressed bytes of the columns that it reads x its share of the partitions. What a reused
  exchange stands for is not read again; a table that is scanned twice is read twice.
- Share of partitions: of dynamic pruning the days that its filter passes / days of the tables, a scalar subquery in it is
  one month; only "not null" 0.97; else 1. Files: partitions x share, one file each.
- Exchange: rows x bytes of a row in columns, for each exchange that is not reused. A partial aggregate has groups per task.
- Spark sizes a table with pruned partitions by the files that it finds, not by the catalog. Where these are small, it
  broadcasts what it would exchange at scale: a broadcast join with a partitioned table on its small side counts as an
  exchange of both sides.
"""

import csv
import glob
import json
import math
import os
import re
import sys

from spark_plan import Plan, identifier, items, parse, plain, rollup_levels, split

# Files of a partitioned table (days that the generator gives rows, one without day).
PARTITIONS = {
    "store_sales": 1824, "catalog_sales": 1837, "web_sales": 1824, "store_returns": 2004, "catalog_returns": 2105,
    "web_returns": 2185, "inventory": 261,
}
# Days of five years, which the large tables have.
DAYS = 1823
# Values of a calendar's columns within these days.
CALENDAR = {
    "d_year": 5, "d_moy": 12, "d_qoy": 4, "d_dom": 31, "d_month_seq": 60, "d_week_seq": 261, "d_dow": 7, "d_day_name": 7,
    "d_quarter_name": 20,
}
# Values of a column about which nothing is known.
UNKNOWN_VALUES = 100
# Bytes of a value in Parquet with Snappy where there is no footer: means of the columns that TPC-DS reads.
BYTES_BY_TYPE = {"int": 2.0, "bigint": 2.0, "decimal": 2.5, "string": 4.0, "date": 2.0, "double": 8.0}
# Spark's spark.sql.files.maxPartitionBytes, openCostInBytes and spark.sql.shuffle.partitions.
SPLIT, OPEN, SHUFFLE_TASKS = 128e6, 4e6, 200
DICTIONARY = 2**20
KEY_TABLES = (
    ("item_sk", "item"), ("customer_sk", "customer"), ("addr_sk", "customer_address"), ("address_sk", "customer_address"),
    ("store_sk", "store"), ("catalog_page_sk", "catalog_page"), ("web_page_sk", "web_page"), ("promo_sk", "promotion"),
    ("site_sk", "web_site"), ("call_center_sk", "call_center"), ("warehouse_sk", "warehouse"), ("reason_sk", "reason"),
)


def seen(draws, values):
    """Different values among so many draws."""
    if values == math.inf:
        return draws
    return values * (1 - math.exp(-draws / values)) if values > 0 else 0.0


def values_of(draws, found):
    """Number of values among which so many draws found so many different ones."""
    if found >= 0.995 * draws:
        return math.inf
    low, high = found, found * 1e6
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if seen(draws, middle) < found else (low, middle)
    return low


class Statistics:
    """Tables and columns at the planned scale."""

    def __init__(self, tables, columns):
        with open(tables, encoding="utf-8") as file:
            self.rows = {row["table"]: int(row["rows"]) for row in csv.DictReader(file)}
        with open(columns, encoding="utf-8") as file:
            self.columns = {(row["table"], row["column"]): row for row in csv.DictReader(file)}
        self.columns["customer", "c_last_review_date"] = self.columns["customer", "c_last_review_date_sk"]
        self.small = {table: int(row["rows"]) for (table, _), row in self.columns.items()}
        self.growth = {table: self.rows[table] / small for table, small in self.small.items()}

    def domain(self, origin):
        """What a column's values belong to, and by how much these grow in number."""
        table, column = origin
        for ending, other in KEY_TABLES:
            if column.endswith(ending):
                return other, self.growth[other]
        if column.endswith(("ticket_number", "order_number")):
            return table.split("_")[0] + " order", self.growth["store_sales"]
        if column.endswith(("date_sk", "time_sk", "demo_sk", "mode_sk")) or table in ("date_dim", "time_dim"):
            return column, 1.0
        small, distinct = self.small[table], int(self.columns[origin]["distinct"])
        last = table.split("_")[-1]
        if distinct > 0.4 * small and table not in PARTITIONS and (small >= 1000 or column.endswith((last + "_id", last + "_sk"))):
            return table, self.growth[table]
        return f"{table}.{column}", 1.0

    def width(self, origin):
        """Bytes of a value in memory, in columns; of sums and counts 8."""
        if origin is None:
            return 8.0
        column = self.columns[origin]
        if column["type"] == "string":
            return 4.0 + float(column["mean_length"])
        return 8.0 if column["type"] == "double" else 4.0

    def stored(self, origin):
        """Bytes of a value in a file: those of the small file x what its dictionary costs at scale / what it costs there."""
        table, name = origin
        column = self.columns[origin]
        distinct, length = int(column["distinct"]), float(column["mean_length"])
        text = column["type"] == "string"
        small_plain = 4 + length if text else 8 if column["type"] in ("int", "double") else 4
        plain_bytes = 4 + length if text else 8 if name.endswith(("ticket_number", "order_number")) else 4
        small = min(self.small[table], 1.5e6)
        at_scale = self.rows[table] / PARTITIONS[table] if table in PARTITIONS else min(self.rows[table], 2e6)
        _, growth = self.domain(origin)
        values = distinct * growth if growth > 1 or distinct < 0.9 * self.small[table] else self.rows[table]
        here = coded(small, seen(small, values_of(self.small[table], distinct)), small_plain)
        return min(1, float(column["bytes_per_row"]) / here) * coded(at_scale, seen(at_scale, values), plain_bytes)

    def tasks(self, table, rows, files):
        """Tasks that read these rows and files."""
        size = sum(float(column["bytes_per_row"]) for (of, _), column in self.columns.items() if of == table) * rows
        return max(1.0, (files * OPEN + size) / SPLIT)


def coded(rows, distinct, plain_bytes):
    """Bytes of a value with a dictionary, or plain if that is too long."""
    distinct = max(1, min(distinct, rows))
    if distinct * plain_bytes > DICTIONARY:
        return plain_bytes
    return min(plain_bytes, math.ceil(math.log2(distinct + 1)) / 8 + plain_bytes * distinct / rows)


class Rows:
    """What both ways to know rows have in common: rows and columns of each operator, and the origin of each column."""

    def __init__(self, plan, statistics):
        self.plan, self.statistics = plan, statistics
        self.rows, self.columns, self.origin, self.partitions, self.levels, self.final = {}, {}, {}, {}, {}, {}

    def kind_of(self, node):
        """"partial", "final", or "distinct" of an aggregate."""
        functions = node.list_of("Functions")
        if not functions:
            return "distinct"
        return "partial" if all(text.startswith(("partial_", "merge_")) for text in functions) else "final"

    def grouped_input(self, number):
        """The operator whose rows an aggregate groups: below partial aggregates and their exchanges."""
        number = self.plan.nodes[number].children[0]
        while True:
            node = self.plan.nodes[number]
            partial = "Aggregate" in node.name and self.kind_of(node) == "partial"
            if not node.children or not (partial or node.name in ("Exchange", "ColumnarToRow")):
                return number
            number = node.children[0]

    def outputs(self, node, below):
        """The columns of an operator, whose origins become known; `below` are those of its children."""
        name = node.name
        if node.table or node.reuses is not None:
            texts = node.list_of("Output")
        elif name == "Project":
            texts = node.list_of("Output")
        elif name.startswith("TakeOrdered"):
            texts = items(split(node.fields["Arguments"])[2])
        elif "Aggregate" in name:
            keys = [text for text in node.list_of("Keys") if "#" in text]
            if self.kind_of(node) == "partial":
                for text in keys:
                    self.follow(text, identifier(text))
                return [*below[0], *(identifier(text) for text in keys if identifier(text) not in below[0])]
            texts = node.list_of("Results") or keys
            for text in keys:
                self.follow(text, identifier(text))
        elif name == "Window":
            return [*below[0], *map(identifier, items(split(node.fields["Arguments"])[0]))]
        elif name == "Expand":
            copies, outputs = (items(part) for part in split(node.fields["Arguments"])[:2])
            for copy in copies:
                for value, output in zip(items(copy), outputs):
                    self.follow(value, identifier(output))
            return [identifier(text) for text in outputs]
        elif "Join" in name or name.startswith("Cartesian"):
            kind = node.fields.get("Join type", "Inner")
            if kind.startswith("ExistenceJoin"):
                return [*below[0], identifier(kind[:-1])]
            return below[0] if kind in ("LeftSemi", "LeftAnti") else [*below[0], *(key for key in below[1] if key not in below[0])]
        else:
            return below[0] if below else []
        for text in texts:
            self.follow(text, identifier(text))
        return list(dict.fromkeys(identifier(text) for text in texts))

    def follow(self, text, key):
        """A column that only passes another on, or changes no more than one, has its origin."""
        source = plain(text)
        if source and source in self.origin:
            self.origin.setdefault(key, self.origin[source])

    def key_growth(self, keys):
        """By how much the number of possible values of some keys grows: keys of one table count once."""
        growth = {}
        for key in keys:
            if key in self.origin:
                domain, factor = self.statistics.domain(self.origin[key])
                growth[domain] = max(growth.get(domain, 1.0), factor)
        return math.prod(growth.values())


class Counted(Rows):
    """Rows that were counted on small tables, grown."""

    def __init__(self, plan, statistics, counted):
        super().__init__(plan, statistics)
        self.counted, self.growth = {int(number): found for number, found in counted.items()}, {}
        for root in plan.roots():
            self.visit(root)
        self.rows = {number: self.small(number) * growth for number, growth in self.growth.items()}

    def small(self, number):
        return self.counted.get(number, {}).get("rows", 0)

    def visit(self, number):
        """Growth of the rows of an operator."""
        if number in self.growth:
            return self.growth[number]
        node = self.plan.nodes[number]
        below = [node.reuses] if node.reuses is not None else node.children
        growth = [self.visit(child) for child in below]
        if node.table:
            for text in node.list_of("Output"):
                name, key = re.match(r"(\w+)#(\d+)", text).groups()
                self.origin[key] = (node.table, name)
            self.partitions[number] = self.counted[number].get("partitions")
        self.columns[number] = self.outputs(node, [self.columns[child] for child in below])
        if node.reuses is not None:
            for there, here in zip(self.columns[node.reuses], self.columns[number]):
                if there in self.origin:
                    self.origin.setdefault(here, self.origin[there])
        self.growth[number] = self.of(number, node, growth)
        return self.growth[number]

    def of(self, number, node, growth):
        name = node.name
        if node.table:
            return self.statistics.growth[node.table]
        if "Join" in name or name.startswith("Cartesian"):
            return self.of_join(number, node, *growth)
        if "Aggregate" in name:
            return self.of_aggregate(number, node, growth[0])
        if name == "Union":
            rows = [self.small(child) for child in node.children]
            return sum(a * b for a, b in zip(growth, rows)) / sum(rows) if sum(rows) else max(growth)
        return 1.0 if "Limit" in name or name.startswith("TakeOrdered") else growth[0] if growth else 1.0

    def of_join(self, number, node, left, right):
        kind = node.fields.get("Join type", "Inner")
        if kind in ("LeftSemi", "LeftAnti") or kind.startswith("Existence"):
            return left
        keys = node.list_of("Left keys")
        domains = {}
        for text in keys:
            key = identifier(text) if re.fullmatch(r"\w+#\d+L?", text) else None
            if key in self.origin:
                domain, factor = self.statistics.domain(self.origin[key])
                domains[domain] = factor
        longer = max(left, right)
        if not keys:
            return left * right
        growth = left * right / max(1.0, min(math.prod(domains.values()), longer)) if domains else longer
        # At most one match of each row of the longer side: as that side grows.
        if self.small(number) <= 1.02 * max(1, *(self.small(child) for child in node.children)):
            growth = min(growth, longer)
        return {"LeftOuter": max(growth, left), "FullOuter": longer}.get(kind, growth)

    def of_aggregate(self, number, node, below):
        counted = self.counted[number]
        if not counted.get("keys"):
            return 1.0
        if "levels" not in counted:
            return below
        growth = self.visit(self.grouped_input(number))
        self.levels[number] = []
        for level in counted["levels"]:
            # Rows of one order are one draw where all its keys are the order's.
            draws = level["daily"] or level["rows"]
            periods = max(1, level["periods"])
            values = 1.0
            if level["groups"] > periods:
                values = values_of(draws / periods, level["groups"] / periods)
                if values == math.inf and level["values"] < 0.995 * draws:
                    values = values_of(draws, level["values"])
            values *= self.key_growth(level["keys"])
            groups = periods * seen(draws * growth / periods, values)
            self.levels[number].append((draws * growth, values, periods, max(1.0, min(level["rows"] * growth, groups))))
        found = sum(level["groups"] for level in counted["levels"]) or 1
        return sum(level[3] for level in self.levels[number]) / found


class Estimated(Rows):
    """Rows by rules from the text and the rows of the tables: independent columns, keys that find their table."""

    def __init__(self, plan, statistics):
        super().__init__(plan, statistics)
        self.base, self.values, self.key_rows = {}, {}, {}
        self.find_keys()
        for root in plan.roots():
            self.visit(root)

    def find_keys(self):
        """Rows of the smallest table that holds a column with which a column is joined."""
        origin = {}
        for node in self.plan.nodes.values():
            for text in node.list_of("Output") if node.table else []:
                name, key = re.match(r"(\w+)#(\d+)", text).groups()
                origin[key] = (node.table, name)
        for node in self.plan.nodes.values():
            for text in node.list_of("Output") if node.name == "Project" else []:
                if plain(text) in origin:
                    origin.setdefault(identifier(text), origin[plain(text)])
        for node in self.plan.nodes.values():
            for pair in zip(node.list_of("Left keys"), node.list_of("Right keys")):
                both = [origin.get(identifier(text)) for text in pair]
                if all(both):
                    rows = min(self.statistics.rows[table] for table, _ in both)
                    for column in both:
                        self.key_rows[column] = min(rows, self.key_rows.get(column, math.inf))
        self.origin = origin

    def values_in(self, origin):
        """Different values of a column."""
        table, column = origin
        rows = self.statistics.rows[table]
        if table == "date_dim":
            return CALENDAR.get(column, DAYS)
        if origin in self.key_rows:
            found = self.key_rows[origin]
        elif table not in PARTITIONS and re.search(rf"({table.split('_')[-1]}_id|product_name|_desc|_description|last_name|email_address)$", column):
            found = rows
        else:
            found = next((self.statistics.rows[other] for ending, other in KEY_TABLES if column.endswith(ending)), UNKNOWN_VALUES)
        if column.endswith("date_sk") and table in PARTITIONS:
            found = min(found, PARTITIONS[table])
        return min(found, rows)

    def visit(self, number):
        """Rows of an operator, and the different values of its columns."""
        if number in self.rows:
            return
        node = self.plan.nodes[number]
        below = [node.reuses] if node.reuses is not None else node.children
        for child in below:
            self.visit(child)
        self.columns[number] = self.outputs(node, [self.columns[child] for child in below])
        if node.table:
            self.of_scan(number, node)
        elif node.reuses is not None:
            self.same(number, node.reuses)
            for there, here in zip(self.columns[node.reuses], self.columns[number]):
                self.values[number][here] = self.values[node.reuses].get(there)
                if there in self.origin:
                    self.origin.setdefault(here, self.origin[there])
        elif node.name == "Filter":
            self.of_filter(number, node)
        elif "Aggregate" in node.name:
            self.of_aggregate(number, node)
        elif "Join" in node.name or node.name.startswith("Cartesian"):
            self.of_join(number, node)
        elif node.name == "Union":
            self.of_union(number, node)
        else:
            self.of_other(number, node)

    def same(self, number, child):
        self.rows[number], self.base[number], self.values[number] = self.rows[child], self.base[child], dict(self.values[child])

    def of_scan(self, number, node):
        table = node.table
        rows, share, folder = self.statistics.rows[table], 1.0, node.partition_column
        for text in node.list_of("PartitionFilters"):
            pruning = re.match(r"dynamicpruningexpression\(.*? IN dynamicpruning#(\d+)\)", text)
            if pruning:
                root = self.plan.subqueries["dynamicpruning", int(pruning.group(1))]
                self.visit(root)
                share *= min(1.0, self.rows[root] / DAYS)
            elif text.startswith("isnotnull"):
                share = min(share, 0.97)
        if table == "date_dim":
            # Only the days of the large tables matter to them.
            rows = DAYS
        self.rows[number] = rows * share
        self.base[number] = rows * share
        if folder:
            self.partitions[number] = max(1.0, share * PARTITIONS[table])
        self.values[number] = {
            key: min(max(1.0, rows * share), self.partitions[number] if self.origin[key][1] == folder else self.values_in(self.origin[key]))
            for key in self.columns[number]}

    def of_filter(self, number, node):
        child = node.children[0]
        self.same(number, child)
        condition = node.fields["Condition"]
        share = min(1.0, max(1e-9, self.share(parse(condition), child)))
        rows = self.rows[child]
        self.rows[number] = rows * share
        self.shrink(self.values[number], rows, share)
        fixed = re.findall(r"\(?\w+#(\d+)L? = [^#()]+?\)", condition) if " OR " not in condition else []
        several = [(key, choices.count(",") + 1) for key, choices in re.findall(r"\w+#(\d+)L? IN \(([^()]*)\)", condition)]
        for key, count in [(key, 1) for key in fixed] + several:
            if self.values[number].get(key):
                self.values[number][key] = min(self.values[number][key], count)

    @staticmethod
    def shrink(values, rows, share, but=()):
        """Fewer rows have fewer different values."""
        for key, found in values.items():
            if found and share < 1 and key not in but:
                values[key] = min(max(1.0, found * (1 - (1 - share) ** min(rows / found, 700))), max(1.0, rows * share))

    def of_other(self, number, node):
        child = node.children[0]
        self.same(number, child)
        below, values = self.values[child], {}
        texts = {identifier(text): text for text in node.list_of("Output")} if node.name == "Project" else {}
        for key in self.columns[number]:
            sources = [below[other] for other in re.findall(r"#(\d+)", texts.get(key, ""))[:-1] if below.get(other)]
            known = below.get(plain(texts.get(key, "")) or key)
            values[key] = known or (min(self.rows[child], math.prod(sources)) if 0 < len(sources) <= 2 else self.rows[child])
        if node.name == "Expand":
            copies, outputs = (items(part) for part in split(node.fields["Arguments"])[:2])
            self.rows[number] *= len(copies)
            self.base[number] *= len(copies)
            for copy in copies:
                for value, output in zip(items(copy), outputs):
                    if plain(value):
                        values[identifier(output)] = below.get(plain(value))
        elif node.name == "WindowGroupLimit":
            parts = split(node.fields["Arguments"])
            by = items(parts[0]) if len(parts) > 4 else []
            self.rows[number] = min(self.rows[child], int(parts[-2]) * math.prod(below.get(identifier(text)) or 10 for text in by))
        elif node.name.startswith("TakeOrdered") or node.name.endswith("Limit"):
            self.rows[number] = min(self.rows[child], 100)
        self.values[number] = values

    def of_union(self, number, node):
        self.rows[number] = sum(self.rows[child] for child in node.children)
        self.base[number] = sum(self.base[child] for child in node.children)
        self.values[number] = {}
        for place, key in enumerate(self.columns[number]):
            found = [self.values[child].get(self.columns[child][place]) for child in node.children if place < len(self.columns[child])]
            self.values[number][key] = max((value for value in found if value), default=None)

    def of_join(self, number, node):
        left, right = node.children
        kind, (here, there) = node.fields.get("Join type", "Inner"), (self.rows[left], self.rows[right])
        pairs = []
        for texts in zip(node.list_of("Left keys"), node.list_of("Right keys")):
            keys = [re.findall(r"#(\d+)", text) for text in texts]
            if texts[0].startswith("isnull(") or not all(keys):
                continue
            a, b = self.values[left].get(keys[0][0]), self.values[right].get(keys[1][0])
            pairs.append((keys[0][0], keys[1][0], a or b or min(here, there), b or a or min(here, there)))
        base = max(self.base[left], self.base[right], 1.0)
        values = math.prod(max(a, b) for _, _, a, b in pairs)
        # Several keys are one: no more values than the longer side had rows.
        values = min(values, base) if len(pairs) > 1 else values
        inner = here * there / max(1.0, values)
        condition = node.fields.get("Join condition", "None")
        if condition != "None" and kind in ("Inner", "Cross"):
            inner *= self.share(parse(condition), None)
        matched = math.prod(min(1.0, b / a) for _, _, a, b in pairs)
        if len(pairs) > 1:
            matched = max(matched, min(1.0, there / base))
        rows = {"Inner": inner, "Cross": inner, "LeftOuter": max(here, inner), "RightOuter": max(there, inner), "LeftSemi": here * matched,
                "FullOuter": max(here, there, inner), "LeftAnti": here * max(0.1, 1 - matched)}.get(kind, here)
        one_sided = kind in ("LeftSemi", "LeftAnti") or kind.startswith("Existence")
        self.rows[number], self.base[number] = max(rows, 1e-6), self.base[left] if one_sided else base
        keys = [key for pair in pairs for key in pair[:2]]
        found = {}
        for child in [left] if one_sided else [right, left]:
            values = dict(self.values[child])
            self.shrink(values, self.rows[child], min(1.0, rows / max(self.rows[child], 1e-9)), keys)
            found.update(values)
        for a, b, *counts in pairs:
            for key in (a, b):
                if key in found:
                    found[key] = min(counts)
        self.values[number] = {key: min(value, max(1.0, rows)) if value else None for key, value in found.items()}

    def possible(self, child, keys, rows):
        """Possible values of some keys, of each table at most its rows; and values of its dates."""
        by_table, periods = {}, 1.0
        for key in keys:
            found, origin = self.values[child].get(key) or min(rows, UNKNOWN_VALUES), self.origin.get(key)
            if origin and (origin[0] == "date_dim" or origin[1].endswith("date_sk")):
                periods *= found
            else:
                by_table.setdefault(origin[0] if origin and origin[0] not in PARTITIONS else key, []).append(found)
        values = 1.0
        for table, found in by_table.items():
            together, most = math.prod(found), self.statistics.rows.get(table, math.inf)
            if len(found) > 1 and max(found) < 0.4 * most < math.inf:
                # Columns of one table depend on each other.
                together = max(found) * 2.0 ** (len(found) - 1)
            values *= min(together, most)
        return max(1.0, values), max(1.0, min(periods, 2000.0))

    def of_aggregate(self, number, node):
        child = node.children[0]
        self.same(number, child)
        keys = [text for text in node.list_of("Keys") if "#" in text]
        names = [identifier(text) for text in keys]
        for text, key in zip(keys, names):
            sources = [other for other in re.findall(r"#(\d+)", text)[:-1] if other in self.values[child]]
            self.values[child].setdefault(key, self.values[child][sources[0]] if sources else None)
        source = self.grouped_input(number)
        rows = self.rows[source]
        sets = rollup_levels(self.plan, source, names)
        sets = [[key for key in names if key in level] for level in sets] if sets else [names]
        self.levels[number] = []
        for level in sets if names else []:
            values, periods = self.possible(child, level, rows / len(sets))
            draws = rows / len(sets)
            self.levels[number].append((draws, values, periods, min(draws, periods * seen(draws / periods, values))))
        groups = max(1e-6, sum(level[3] for level in self.levels[number])) if names else 1.0
        if "bloom_filter" in node.fields.get("Functions", ""):
            groups = 1.0
        self.rows[number] = groups
        if self.kind_of(node) != "partial":
            self.base[number] = groups
            below = self.values[child]
            texts = {identifier(text): text for text in node.list_of("Results")}
            self.values[number] = {
                key: min(below.get(plain(texts.get(key, "")) or key) or groups, max(1.0, groups)) for key in self.columns[number]}

    def share(self, tree, child):
        """Share of the rows that a condition passes."""
        kind, *parts = tree
        if kind == "AND":
            share, ranges = 1.0, {}
            for part in self.conjuncts(tree):
                if part[0] in ("<", "<=", ">", ">=") and part[1][0] == "column" and part[2][0] in ("number", "date"):
                    ranges.setdefault(part[1][1], []).append(part)
                else:
                    share *= self.share(part, child)
            return share * math.prod(self.range(part, child) for part in ranges.values())
        if kind == "OR":
            a, b = (self.share(part, child) for part in parts)
            return a + b - a * b
        if kind == "not":
            return 1 - self.share(parts[0], child)
        if kind == "in":
            return min(1.0, len(parts[1]) / (self.found(parts[0], child) or 10))
        if kind == "=":
            column = parts[1] if parts[0][0] == "subquery" else parts[0]
            other = self.found(parts[1], child) if parts[1][0] == "column" else None
            return 1 / max(self.found(column, child) or 10, other or 0)
        if kind in ("<", "<=", ">", ">="):
            return self.range([tree], child)
        if kind == "call":
            return self.of_call(parts[0], parts[1], child)
        return {"like": 0.1, "!=": 0.9, "case": 0.33, "number": 1.0, "word": 1.0}.get(kind, 0.5)

    def of_call(self, name, arguments, child):
        if name == "might_contain" and arguments[0][0] == "subquery":
            return self.of_bloom_filter(arguments[0][1], self.found(arguments[1], child))
        return {"isnotnull": 1.0, "isnull": 0.03, "StartsWith": 0.1}.get(name, 0.5)

    def of_bloom_filter(self, key, mine):
        root = self.plan.subqueries["scalar-subquery", key]
        self.visit(root)
        waiting = [root]
        while waiting and mine:
            node = self.plan.nodes[waiting.pop()]
            put = re.search(r"partial_bloom_filter_agg\(xxhash64\((?:cast\()?\w+#(\d+)", node.fields.get("Functions", ""))
            if put:
                source = node.children[0]
                return min(1.0, (self.values[source].get(put.group(1)) or self.rows[source]) / mine)
            waiting += node.children
        return 1.0

    def conjuncts(self, tree):
        return [part for side in tree[1:] for part in self.conjuncts(side)] if tree[0] == "AND" else [tree]

    def found(self, tree, child):
        """Different values of an expression, None if unknown."""
        if tree[0] == "column":
            return self.values.get(child, {}).get(tree[1])
        if tree[0] == "cast":
            return self.found(tree[1], child)
        return self.found(tree[2][0], child) if tree[0] == "call" and tree[2] else None

    def range(self, conditions, child):
        """Share of the rows between bounds: of a calendar its days, of small numbers theirs, else a guess."""
        column = conditions[0][1]
        low = [part[2] for part in conditions if part[0] in (">", ">=")]
        high = [part[2] for part in conditions if part[0] in ("<", "<=")]
        origin = self.origin.get(column[1]) if column[0] == "column" else None
        if not (low and high):
            return 0.33
        if low[0][0] == high[0][0] == "date":
            return max(1, day(high[0][1]) - day(low[0][1]) + 1) / DAYS
        if low[0][0] == high[0][0] == "number" and origin:
            values = self.found(column, child)
            small = origin[0] == "date_dim" or origin[1].split("_")[-1] in ("quantity", "minute", "hour", "count")
            if values and small:
                return min(1.0, (float(high[0][1]) - float(low[0][1]) + 1) / values)
        return 0.25


def day(text):
    """A date as a number."""
    year, month, of_month = map(int, text.split("-"))
    return year * 365.25 + month * 30.44 + of_month


class Volumes:
    """Volumes of one plan."""

    def __init__(self, rows):
        self.rows, self.plan, self.statistics = rows, rows.plan, rows.statistics
        nodes = self.plan.nodes
        self.scanned = {number: self.scan(number) for number, node in nodes.items() if node.table}
        self.shuffled = [number for number, node in nodes.items() if self.is_shuffled(number, node)]
        self.exchanges = [self.exchanged(number) for number, node in nodes.items() if node.name == "Exchange"]
        for join in self.shuffled:
            self.exchanges += self.of_both_sides(join)

    def columns(self):
        """What the table says of a plan."""
        nodes, rows = self.plan.nodes, self.rows.rows
        sizes = [size for _, size in self.exchanges]
        joins = [number for number, node in nodes.items() if "HashJoin" in node.name or node.name.startswith("SortMerge")]
        merged = [number for number in joins if nodes[number].name.startswith("SortMerge") or number in self.shuffled]
        named = lambda name: sum(rows[number] for number, node in nodes.items() if node.name == name) / 1e9
        pairs = sum(math.prod(rows[child] for child in node.children) for node in nodes.values()
                    if "Nested" in node.name or node.name.startswith("Cartesian"))
        whole = sum(rows[number] for number, node in nodes.items() if node.table and node.table not in PARTITIONS)
        return {
            "gb": sum(scan["gb"] for scan in self.scanned.values()),
            "gb_by_type": sum(scan["gb_by_type"] for scan in self.scanned.values()),
            "files": sum(scan["files"] for scan in self.scanned.values()),
            "partitioned_scans": sum(nodes[number].table in PARTITIONS for number in self.scanned),
            "scans": len(self.scanned),
            "scanned_rows_1e9": sum(rows[number] for number in self.scanned) / 1e9,
            "unpartitioned_rows_1e6": whole / 1e6,
            "exchanged_gb": sum(sizes),
            "largest_exchange_gb": max(sizes, default=0.0),
            "exchange_gb": " ".join(f"{size:.3g}" for size in sorted(sizes, reverse=True) if size >= 0.05),
            "exchanges": len(sizes),
            "shuffled_broadcasts": len(self.shuffled),
            "depth": max(self.depth(root) for root in self.plan.roots()),
            "sort_merge_rows_1e9": sum(rows[child] for number in merged for child in nodes[number].children) / 1e9,
            "join_output_rows_1e9": sum(rows[number] for number in joins) / 1e9,
            "window_rows_1e9": named("Window"),
            "expand_rows_1e9": named("Expand"),
            "expand_copies": max((len(items(node.fields["Arguments"])) for node in nodes.values() if node.name == "Expand"), default=0),
            "pairs_1e9": pairs / 1e9,
            "operators": len(nodes),
        }

    def scan(self, number):
        node, rows = self.plan.nodes[number], self.rows.rows[number]
        read = re.findall(r"(\w+):(\w+)", node.fields.get("ReadSchema", ""))
        files = self.rows.partitions.get(number)
        if files is None:
            files = PARTITIONS.get(node.table) or max(1, math.ceil(self.statistics.rows[node.table] * 100 / SPLIT))
        return {
            "gb": rows * sum(self.statistics.stored((node.table, name)) for name, _ in read) / 1e9,
            "gb_by_type": rows * sum(BYTES_BY_TYPE.get(kind, 4.0) for _, kind in read) / 1e9,
            "files": files, "tasks": self.statistics.tasks(node.table, rows, files),
        }

    def width(self, columns):
        return sum(self.statistics.width(self.rows.origin.get(key)) for key in columns)

    def tasks(self, number):
        """Tasks of the stage of an operator."""
        node = self.plan.nodes[number]
        if node.table:
            return self.scanned[number]["tasks"]
        if self.plan.is_broadcast(number):
            return 1.0
        if node.name == "Exchange" or node.reuses is not None:
            return float(SHUFFLE_TASKS)
        return max((self.tasks(child) for child in node.children), default=1.0)

    def exchanged(self, number):
        """Rows that an exchange moves, and GB."""
        node = self.plan.nodes[number]
        child = node.children[0]
        rows, below = self.rows.rows[child], self.plan.nodes[child]
        if "Aggregate" in below.name and self.rows.kind_of(below) in ("partial", "distinct"):
            rows = self.partial_rows(child, below)
        return rows, rows * self.width(map(identifier, node.list_of("Input"))) / 1e9

    def partial_rows(self, number, node):
        """Groups per task."""
        source = self.rows.grouped_input(number) if self.rows.kind_of(node) == "partial" else node.children[0]
        tasks = self.tasks(number)
        keys = [identifier(text) for text in node.list_of("Keys")]
        if not keys:
            return tasks
        if not self.rows.levels.get(number):
            return self.rows.rows[number]
        together = isinstance(self.rows, Estimated) and self.lies_by(source, keys)
        total = 0.0
        for draws, values, periods, groups in self.rows.levels[number]:
            # A task has rows of few days.
            in_tasks = groups if together else tasks * seen(draws / tasks, values * max(1.0, periods / tasks))
            total += min(draws, max(groups, in_tasks))
        return total

    def lies_by(self, number, keys):
        """Whether all rows of a group are in one task: they were exchanged by a key that the groups depend on."""
        node = self.plan.nodes[number]
        if node.reuses is not None:
            number, node = node.reuses, self.plan.nodes[node.reuses]
        origin, domain = self.rows.origin, self.statistics.domain
        mine = {domain(origin[key])[0] for key in keys if key in origin} | {origin[key][0] for key in keys if key in origin}
        depends = lambda found: bool(found) and {domain(origin[key])[0] for key in found} <= mine
        if node.name == "Exchange":
            by = re.findall(r"#(\d+)", node.fields["Arguments"].split("), ENS")[0])
            return depends([key for key in by if key in origin])
        if node.name.startswith("BroadcastHash"):
            by = [identifier(text) for text in node.list_of("Left keys")]
            if number in self.shuffled and depends([key for key in by if key in origin]):
                return True
            return any(self.lies_by(child, keys) for child in node.children if not self.plan.is_broadcast(child))
        if node.name.startswith("SortMerge"):
            return any(self.lies_by(child, keys) for child in node.children)
        return node.name in ("Project", "Filter", "Sort") and self.lies_by(node.children[0], keys)

    def is_shuffled(self, number, node):
        """Whether a broadcast join is none at scale."""
        return node.name.startswith("BroadcastHashJoin") and any(
            self.plan.is_broadcast(child) and self.is_large(child) for child in node.children)

    def is_large(self, number):
        """Whether a partitioned table is below, as the size that Spark gives a plan before it runs."""
        node = self.plan.nodes[number]
        if node.reuses is not None:
            return self.is_large(node.reuses)
        if node.table:
            return node.table in PARTITIONS
        if "Aggregate" in node.name and not node.list_of("Keys"):
            return False
        kind = node.fields.get("Join type", "")
        one_sided = kind in ("LeftSemi", "LeftAnti") or kind.startswith("Existence")
        return any(self.is_large(child) for child in node.children[:1 if one_sided else None])

    def of_both_sides(self, join):
        """Exchanges of a join that is no broadcast at scale."""
        node, found = self.plan.nodes[join], []
        for place, child in enumerate(node.children):
            keys = node.list_of("Left keys" if place == 0 else "Right keys")
            keys = {identifier(text) for text in keys if re.fullmatch(r"\w+#\d+L?", text)}
            if self.plan.nodes[child].reuses is None and not (not self.plan.is_broadcast(child) and self.is_placed(child, keys)):
                rows = self.rows.rows[child]
                found.append((rows, rows * self.width(self.rows.columns[child]) / 1e9))
        return found

    def is_placed(self, number, keys):
        """Whether rows were exchanged by exactly these keys before."""
        node = self.plan.nodes[number]
        if node.name == "Exchange":
            return bool(keys) and set(re.findall(r"#(\d+)", node.fields["Arguments"].split("), ENS")[0])) == keys
        if node.reuses is not None or number in self.shuffled:
            return False
        if node.name in ("Project", "Filter", "Sort", "HashAggregate"):
            return self.is_placed(node.children[0], keys)
        if node.name.startswith(("BroadcastHashJoin", "SortMergeJoin")):
            return any(self.is_placed(child, keys) for child in node.children if not self.plan.is_broadcast(child))
        return False

    def depth(self, number):
        """Exchanges on the longest path."""
        node = self.plan.nodes[number]
        if node.reuses is not None:
            return self.depth(node.reuses)
        own = node.name == "Exchange" or number in self.shuffled
        return own + max((self.depth(child) for child in node.children), default=0)


def order(name):
    """Sorts q2 before q10."""
    return [int(part) if part.isdigit() else part for part in re.findall(r"\d+|\D+", name)]


def main(plans, tables, columns, counted=None):
    """Writes a line for each plan; a plan whose rows were not counted is estimated."""
    statistics, writer = Statistics(tables, columns), None
    names = [os.path.basename(path).split(".")[0] for path in glob.glob(os.path.join(plans, "q*.explain.txt"))]
    for name in sorted(names, key=order):
        with open(os.path.join(plans, f"{name}.explain.txt"), encoding="utf-8") as file:
            plan = Plan(file.read())
        path = os.path.join(counted or "", f"{name}.json")
        if counted and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                rows = Counted(plan, statistics, json.load(file))
        else:
            rows = Estimated(plan, statistics)
        line = {"query": name, "rows": type(rows).__name__.lower(), **Volumes(rows).columns()}
        line = {key: round(value, 6) if isinstance(value, float) else value for key, value in line.items()}
        if writer is None:
            writer = csv.DictWriter(sys.stdout, list(line), lineterminator="\n")
            writer.writeheader()
        writer.writerow(line)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
