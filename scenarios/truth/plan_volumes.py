"""Volumes of queries that never ran: by rules from Spark's plans and the rows of their tables alone.

    python plan_volumes.py CASES PLANS TABLES > aws-l4-plan-volumes.csv

CASES is a file with the queries in the column `case` (`aws-l4.csv`), PLANS a folder with `q1.explain.txt` and so on (`EXPLAIN
FORMATTED` of Spark 3.5), TABLES a file with `table,rows` of the planned scale. Nothing is run, and no column has statistics. The
program follows the same rules where it has no footers of files (docs/model/engines.md, “From a plan alone”), but one: Spark sizes a table with pruned partitions by
the files that it finds. These plans were made with small files, so a broadcast of a partitioned table counts as an exchange of both
sides here.
"""

import csv
import math
import os
import re
import sys

from spark_plan import Plan, items, split

# Days of a calendar where no table has so many partitions: five years.
DAYS, LEAST_DAYS, MOST_DAYS = 1826, 366, 150_000
# Values of a column, and of a key whose table the query does not read, about which nothing is known.
UNKNOWN_VALUES, UNKNOWN_KEYS = 100.0, 1000.0
# Bytes of a value in Parquet with Snappy: means of the columns that TPC-DS reads.
STORED = {"int": 2.0, "bigint": 2.0, "decimal": 2.5, "string": 4.0, "date": 2.0, "double": 8.0}
USUAL_STORED = 4.0
# Spark's guesses of the bytes of a value, and the share of them that values have in columns.
WIDTH, USUAL_WIDTH, SHARE_IN_COLUMNS = {"int": 4.0, "date": 4.0, "string": 20.0}, 8.0, 0.6
TEXTS = ("concat", "substr", "upper", "lower", "trim", "ltrim", "rtrim", "date_format", "regexp", "lpad", "rpad")
# Bytes of a row in the files of a table, for its number of files and of tasks.
ROW_IN_FILES, ROW_OF_TASK = 100.0, 60.0
# Spark's spark.sql.files.maxPartitionBytes, openCostInBytes and spark.sql.shuffle.partitions.
SPLIT, OPEN, SHUFFLE_TASKS = 128e6, 4e6, 200.0
# Letters of a list that the program keeps.
KEPT = 300
COLUMN = re.compile(r"(\w+)#\d+L?")
BOUND = re.compile(r"(\w+)#\d+L? (>=|<=|>|<) (-?[\d.\-]+)")


def names(text):
    """The columns in an expression."""
    return re.findall(r"([A-Za-z_]\w*)#\d+", text)


def seen(draws, values):
    """Different values among so many draws."""
    return -values * math.expm1(-draws / values)


def bare(text):
    """A condition without brackets around all of it."""
    text = text.strip()
    while text.startswith("("):
        depth = 0
        for at, letter in enumerate(text):
            depth += (letter == "(") - (letter == ")")
            if depth == 0:
                break
        if at < len(text) - 1:
            break
        text = text[1:-1].strip()
    return text


def parts(text, word):
    """The conditions that a word connects, also in brackets within each other."""
    found, waiting = [], [bare(text)]
    while waiting:
        text, depth, start, own = waiting.pop(), 0, 0, []
        for at, letter in enumerate(text):
            depth += (letter == "(") - (letter == ")")
            if depth == 0 and text.startswith(word, at):
                own.append(text[start:at])
                start = at + len(word)
        if own:
            waiting += [bare(part) for part in reversed([*own, text[start:]])]
        else:
            found.append(text)
    return found


class Rows:
    """Rows of each operator, and different values of columns."""

    def __init__(self, plan, tables):
        self.plan, self.tables, self.nodes = plan, tables, plan.nodes
        self.rows, self.limits, self.bases, self.shares, self.levels = {}, {}, {}, {}, {}
        self.find_columns()
        self.find_values()
        for root in plan.roots():
            self.visit(root)

    def find_columns(self):
        """Tables of the columns, partitions of the tables, and columns that are others with a new name."""
        self.owner, self.types, self.folders, self.partition, self.renamed = {}, {}, {}, {}, {}
        for node in self.nodes.values():
            if node.table:
                read = dict(re.findall(r"(\w+):(\w+)", node.fields.get("ReadSchema", "")))
                self.types.update(read)
                for text in node.list_of("Output"):
                    name = names(text)[0]
                    self.owner.setdefault(name, node.table)
                    if name not in read:
                        self.partition[node.table] = name
                listed = re.search(r"\.\.\. (\d+) entries", node.fields.get("Location", ""))
                if listed:
                    self.folders[node.table] = int(listed.group(1)) + 1.0
            elif node.name == "Project":
                left = KEPT
                for text in node.list_of("Output"):
                    left -= len(COLUMN.sub(r"\1", text)) + 2
                    renamed = re.fullmatch(r"(\w+)#\d+L? AS (\w+)#\d+L?", text)
                    if renamed and left >= 0:
                        self.renamed.setdefault(renamed.group(2), renamed.group(1))
        most = max(self.folders.values(), default=0.0)
        self.days = most if most > LEAST_DAYS else float(DAYS)
        for table in self.partition:
            self.folders.setdefault(table, self.days)

    def real(self, name):
        """The column of a table that a name stands for."""
        for _ in range(8):
            if name in self.owner or name not in self.renamed:
                break
            name = self.renamed[name]
        return name

    def find_values(self):
        """Columns that joins compare have the values of the smallest of their tables."""
        above = {}

        def top(name):
            while name in above:
                name = above[name]
            return name

        compared = set()
        for node in self.nodes.values():
            left, right = node.list_of("Left keys"), node.list_of("Right keys")
            for pair in zip(left, right):
                pair = [self.real(found[0]) for found in map(names, pair) if len(found) == 1]
                if len(left) == 1:
                    compared.update(pair)
                if len(pair) == 2 and all(name in self.owner for name in pair) and top(pair[0]) != top(pair[1]):
                    above[top(pair[0])] = top(pair[1])
        dated = {table for name, table in self.owner.items() if day_share(name, self.days)}
        # Without partitioned tables a calendar is known by its key and its columns.
        days = {name for name, table in self.owner.items() if not self.partition and name in compared and table in dated
                and re.search("date|day", name.lower()) and LEAST_DAYS <= self.tables[table] <= MOST_DAYS}
        members = {}
        for name in self.owner:
            members.setdefault(top(name), []).append(name)
        self.values, self.key_tables, self.calendars = {}, {}, set()
        for group in members.values():
            owners = [self.owner[name] for name in group]
            is_day = any(self.partition.get(table) == name or name in days for table, name in zip(owners, group))
            whole = {table for table in owners if table not in self.folders}
            fewest = min(self.tables[table] for table in owners)
            if is_day:
                self.calendars |= {self.owner[name] for name in group if name in days} or whole
            for name in group:
                self.key_tables[name] = whole
                is_key = name in compared and self.owner[name] not in self.folders
                if is_day or len(group) > 1 or is_key:
                    self.values[name] = self.days if is_day else fewest

    def different(self, number, name):
        """Different values of a column in the rows of an operator."""
        name = self.real(name)
        table, found = self.owner.get(name), self.limits[number].get(name, self.values.get(name))
        if found is None:
            found = UNKNOWN_VALUES
            if table in self.calendars:
                found = 1 / day_share(name, self.days) if day_share(name, self.days) else UNKNOWN_VALUES
            elif table in self.folders and re.search(r"(_sk|_id|key|number)$", name):
                found = UNKNOWN_KEYS
            elif table and re.search(r"(_id|_name|_desc|_description|_address)$", name) and not re.search(r"(brand|class|category|manufact)_id$", name):
                found = self.tables[table]
        return min(found, max(1.0, self.rows[number]))

    def step(self, number):
        """"partial", "final", or "distinct" of an aggregate."""
        functions = self.nodes[number].list_of("Functions")
        if not functions:
            return "distinct"
        return "partial" if all(text.startswith(("partial_", "merge_")) for text in functions) else "final"

    def visit(self, number):
        """Rows of an operator, and what its columns are limited to."""
        if number in self.rows:
            return
        node = self.nodes[number]
        below = [node.reuses] if node.reuses is not None else node.children
        for child in below:
            self.visit(child)
        self.limits[number] = {}
        for child in reversed(below):
            self.limits[number].update(self.limits[child])
        rows = self.rows[below[0]] if below else 1.0
        self.bases[number] = max((self.bases[child] for child in below), default=1.0)
        if node.table:
            rows = self.of_scan(number, node)
        elif node.name == "Filter":
            rows = max(1e-6, rows * min(1.0, self.share(node.fields["Condition"], below[0], number)))
        elif "Aggregate" in node.name:
            rows = self.of_aggregate(number, node)
        elif "Join" in node.name or node.name.startswith("Cartesian"):
            rows = self.of_join(number, node)
        elif node.name == "Union":
            rows = sum(self.rows[child] for child in below)
        elif node.name == "Expand":
            rows *= len(items(split(node.fields["Arguments"])[0]))
        elif node.name.startswith("TakeOrdered") or node.name.endswith("Limit"):
            limit = re.match(r"\d+", node.fields.get("Arguments", ""))
            rows = min(rows, float(limit.group(0))) if limit else rows
        self.rows[number] = rows
        if node.table or "Aggregate" in node.name and self.step(number) != "partial":
            self.bases[number] = rows

    def of_scan(self, number, node):
        share, table = 1.0, node.table
        for text in node.list_of("PartitionFilters"):
            pruning = re.match(r"dynamicpruningexpression\(.*? IN dynamicpruning#(\d+)\)", text)
            if pruning:
                root = self.plan.subqueries["dynamicpruning", int(pruning.group(1))]
                self.visit(root)
                share *= min(1.0, self.rows[root] / self.days)
            elif text.startswith("isnotnull"):
                share = min(share, 0.97)
        self.shares[number] = share
        if table in self.partition:
            self.limits[number][self.partition[table]] = max(1.0, share * self.folders[table])
        rows = self.tables[table]
        return share * (min(rows, self.days) if table in self.calendars else rows)

    def grouped(self, number):
        """The operator whose rows an aggregate groups: below partial aggregates and their exchanges."""
        number = self.nodes[number].children[0]
        while True:
            node = self.nodes[number]
            partial = "Aggregate" in node.name and self.step(number) == "partial"
            if not node.children or not (partial or node.name in ("Exchange", "ColumnarToRow")):
                return number
            number = node.children[0]

    def of_aggregate(self, number, node):
        keys = [text for text in node.list_of("Keys") if "#" in text]
        if not keys:
            return 1.0
        source, sets = self.grouped(number), [keys]
        if any("grouping_id" in text for text in keys):
            expand = source
            while expand is not None and self.nodes[expand].name != "Expand":
                children = self.nodes[expand].children
                expand = children[0] if len(children) == 1 else None
            plain = [text for text in keys if "grouping_id" not in text]
            if expand is not None:
                # As of ROLLUP: each set has a key less.
                copies = len(items(split(self.nodes[expand].fields["Arguments"])[0]))
                sets = [plain[:max(0, len(plain) - left_out)] for left_out in range(copies)]
        draws, self.levels[number] = self.rows[source] / len(sets), []
        for level in sets:
            values, periods = self.combinations(source, level)
            groups = min(draws, periods * seen(draws / periods, values))
            self.levels[number].append((draws, values, periods, groups))
        return max(1.0, min(self.rows[source], sum(groups for *_, groups in self.levels[number])))

    def combinations(self, number, keys):
        """Combinations of keys without days: of one table no more than its rows; and days."""
        by_table, periods = {}, 1.0
        for text in keys:
            found = names(text)
            name = self.real(found[0]) if found else ""
            table, different = self.owner.get(name), self.different(number, name) if name else UNKNOWN_VALUES
            if table in self.calendars or name in self.partition.values():
                periods *= different
            else:
                by_table.setdefault(table if table and table not in self.folders else name, []).append(different)
        values = 1.0
        for table, found in by_table.items():
            # Columns of one table depend on each other.
            together = max(found) * 2.0 ** (len(found) - 1) if table in self.tables else math.prod(found)
            values *= min(together, self.tables.get(table, math.inf))
        return max(1.0, values), max(1.0, min(periods, self.days))

    def of_join(self, number, node):
        left, right = node.children
        here, there = self.rows[left], self.rows[right]
        kind, pairs = node.fields.get("Join type", "Inner"), []
        for texts in zip(node.list_of("Left keys"), node.list_of("Right keys")):
            if texts[0].startswith("isnull("):
                continue
            a, b = (self.different(side, found[0]) if found and self.real(found[0]) in self.owner else None
                    for side, found in zip((left, right), map(names, texts)))
            pairs.append((a or b or min(here, there), b or a or min(here, there)))
        base = max(self.bases[left], self.bases[right], 1.0)
        values = math.prod(max(pair) for pair in pairs)
        # Several keys are one: no more values than the larger side had rows.
        inner = here * there / max(1.0, min(values, base) if len(pairs) > 1 else values)
        condition = node.fields.get("Join condition", "None")
        if condition != "None" and kind in ("Inner", "Cross"):
            inner *= 0.33
        matched = math.prod(min(1.0, b / a) for a, b in pairs)
        if len(pairs) > 1:
            matched = max(matched, min(1.0, there / base))
        if kind in ("LeftSemi", "LeftAnti") or kind.startswith("Existence"):
            self.bases[number] = self.bases[left]
        return max(1e-6, {
            "Inner": inner, "Cross": inner, "LeftOuter": max(here, inner), "RightOuter": max(there, inner), "LeftSemi": here * matched,
            "FullOuter": max(here, there, inner), "LeftAnti": here * max(0.1, 1 - matched)}.get(kind, here))

    def share(self, text, child, number):
        """Share of the rows that a condition passes; `number`: the filter of which all have to pass it, or None."""
        any_of = parts(text, " OR ")
        if len(any_of) > 1:
            return 1 - math.prod(1 - self.share(part, child, None) for part in any_of)
        ranges, share = {}, 1.0
        for part in parts(text, " AND "):
            bound = BOUND.fullmatch(part)
            if bound:
                ranges.setdefault(bound.group(1), []).append(bound.groups()[1:])
            elif len(parts(part, " OR ")) > 1:
                share *= self.share(part, child, None)
            else:
                share *= self.of_clause(part, child, number)
        return share * math.prod(self.of_range(name, bounds) for name, bounds in ranges.items())

    def of_clause(self, text, child, number):
        """Share of the rows that pass a condition without AND and OR."""
        if text.startswith("NOT "):
            return 1 - self.share(text[4:], child, None)
        for start, share in (("isnotnull(", 1.0), ("isnull(", 0.03), ("StartsWith(", 0.1), ("EndsWith(", 0.1), ("Contains(", 0.1)):
            if text.startswith(start):
                return share
        if text.startswith("might_contain("):
            return self.of_bloom_filter(text, child)
        if " LIKE " in text:
            return 0.1
        choices = re.fullmatch(r"(.*?)(\w+)#\d+L? (?:IN \((.*)\)|INSET (.*))", text)
        if choices:
            before, name, listed, inset = choices.groups()
            count = (listed or inset).count(",") + 1.0
            if number is not None and not before:
                self.limits[number][self.real(name)] = count
            return min(1.0, count * (self.of_day(name) or 1 / self.different(child, name)))
        compared = re.fullmatch(r"(.*?) (=|<=>|>=|<=|>|<|!=) (.*)", text)
        if not compared:
            return 0.5
        left, sign, right = compared.groups()
        if not names(left) and names(right):
            left, right = right, left
        if sign == "!=":
            return 0.9
        if sign not in ("=", "<=>"):
            return 0.33
        column, other = COLUMN.fullmatch(left), COLUMN.fullmatch(right)
        if not column:
            return 0.1
        name = column.group(1)
        if number is not None and not other:
            self.limits[number][self.real(name)] = 1.0
        days = self.of_day(name)
        return days or 1 / max(self.different(child, name), self.different(child, other.group(1)) if other else 0.0)

    def of_day(self, name):
        name = self.real(name)
        return day_share(name, self.days) if self.owner.get(name) in self.calendars else None

    def of_range(self, name, bounds):
        low, high = ([value for sign, value in bounds if sign[0] == first] for first in "><")
        if not (low and high):
            return 0.33
        if all(re.fullmatch(r"\d{4}-\d\d-\d\d", text) for text in (low[0], high[0])):
            return min(1.0, (day(high[0]) - day(low[0]) + 1) / self.days)
        if not all(re.fullmatch(r"-?\d+", text) for text in (low[0], high[0])):
            return 0.25
        count = float(high[0]) - float(low[0]) + 1
        share = self.of_day(name)
        if share is None and self.real(name) not in self.values and count <= UNKNOWN_VALUES:
            share = 1 / UNKNOWN_VALUES
        return min(1.0, count * share) if share else 0.25

    def of_bloom_filter(self, text, child):
        key = int(re.search(r"scalar-subquery#(\d+)", text).group(1))
        name, number = names(text)[-1], self.plan.subqueries["scalar-subquery", key]
        self.visit(number)
        while self.nodes[number].children:
            below = self.nodes[number].children[0]
            if "partial_bloom_filter_agg" in self.nodes[number].fields.get("Functions", ""):
                return min(1.0, self.rows[below] / max(1.0, self.different(child, name)))
            number = below
        return 1.0


def day_share(name, days):
    """Share of the days of a calendar that have one value of a column, by its name."""
    last = name.split("_", 1)[-1]
    return {
        "year": 365.25 / days, "moy": 1 / 12, "month": 1 / 12, "qoy": 1 / 4, "quarter": 1 / 4, "dom": 1 / 30.4, "dow": 1 / 7, "day_name": 1 / 7,
        "month_seq": 30.4 / days, "week_seq": 7 / days, "quarter_name": 91.3 / days, "date": 1 / days,
    }.get(last)


def day(text):
    """A date as a number."""
    year, month, of_month = map(int, text.split("-"))
    return year * 365.25 + month * 30.44 + of_month


class Volumes:
    """Volumes of one plan."""

    def __init__(self, rows):
        self.of, self.plan, self.rows, self.nodes = rows, rows.plan, rows.rows, rows.plan.nodes
        self.live = [number for number, node in self.nodes.items() if number in self.rows and node.reuses is None]
        self.tasks_of_scan, self.gb, self.files = {}, 0.0, 0.0
        self.made = {}
        for node in self.nodes.values():
            for field in ("Output", "Results"):
                for text in node.list_of(field):
                    before, found, attribute = text.rpartition(" AS ")
                    if found:
                        self.made[attribute] = before
        for number in self.live:
            if self.nodes[number].table:
                self.scan(number)
        self.shuffled = {number for number in self.live if self.nodes[number].name.startswith("BroadcastHashJoin") and any(
            self.plan.is_broadcast(child) and self.is_large(child) for child in self.nodes[number].children)}

    def scan(self, number):
        node, table = self.nodes[number], self.nodes[number].table
        stored = sum(STORED.get(kind, USUAL_STORED) for _, kind in re.findall(r"(\w+):(\w+)", node.fields.get("ReadSchema", "")))
        if table in self.of.folders:
            files = max(1.0, self.of.shares[number] * self.of.folders[table])
        else:
            files = max(1.0, math.ceil(self.of.tables[table] * ROW_IN_FILES / SPLIT))
        self.tasks_of_scan[number] = max(1.0, (files * OPEN + self.rows[number] * ROW_OF_TASK) / SPLIT)
        self.gb += self.rows[number] * stored / 1e9
        self.files += files

    def columns(self):
        """A line of the table."""
        nodes, rows = self.nodes, self.rows
        named = lambda name: [number for number in self.live if nodes[number].name == name]
        sizes = [self.sent(nodes[number].children[0]) * self.width(nodes[number].list_of("Input")) for number in named("Exchange")]
        sizes += [rows[child] * self.width(self.outputs(child))
                  for join in self.shuffled for child in nodes[join].children if nodes[child].reuses is None]
        grouped = [nodes[number].children[0] for number in self.live
                   if "Aggregate" in nodes[number].name and self.of.step(number) in ("partial", "distinct")]
        pairs = [math.prod(rows[child] for child in nodes[number].children) for number in self.live
                 if "Nested" in nodes[number].name or nodes[number].name.startswith("Cartesian")]
        copies = [len(items(split(nodes[number].fields["Arguments"])[0])) for number in named("Expand")]
        return {
            "read_gb": self.gb, "files": self.files,
            "partitioned_scans": float(sum(nodes[number].table in self.of.folders for number in self.tasks_of_scan)),
            "exchanges_gb": " ".join(f"{size / 1e9:.3g}" for size in sorted(sizes, reverse=True) if size >= 0.05e9),
            "window_rows": sum(rows[number] for number in named("Window")), "expanded_rows": sum(rows[number] for number in named("Expand")),
            "copies": float(max(copies, default=0)), "pairs": sum(pairs),
            "depth": float(max(self.depth(root) for root in self.plan.roots())), "grouped_rows": sum(rows[child] for child in grouped),
        }

    def width(self, columns):
        """Bytes of a row in columns."""
        return SHARE_IN_COLUMNS * sum(map(self.width_of, columns))

    def width_of(self, text):
        """Bytes of a value of a column, or of an expression that makes one."""
        text = text.rpartition(" AS ")[2]
        while text in self.made:
            text = self.made[text]
        if not COLUMN.fullmatch(text):
            kind = re.fullmatch(r"cast\(.* as (\w+)(?:\(.*\))?\)", text)
            if kind:
                return WIDTH.get(kind.group(1), USUAL_WIDTH)
            return WIDTH["string"] if text.startswith(TEXTS) else USUAL_WIDTH
        name = self.of.real(names(text)[0])
        return 4.0 if name in self.of.partition.values() else WIDTH.get(self.of.types.get(name), USUAL_WIDTH)

    def outputs(self, number):
        node = self.nodes[number]
        for field in ("Output", "Input", "Results"):
            if node.list_of(field):
                return node.list_of(field)
        return [text for child in node.children for text in self.outputs(child)]

    def tasks(self, number):
        """Tasks of the stage of an operator."""
        node = self.nodes[number]
        if node.table:
            return self.tasks_of_scan[number]
        if self.plan.is_broadcast(number):
            return 1.0
        if node.name == "Exchange" or node.reuses is not None:
            return SHUFFLE_TASKS
        return max((self.tasks(child) for child in node.children), default=1.0)

    def sent(self, number):
        """Rows that an operator sends to an exchange: of a partial aggregate the groups of each task."""
        node = self.nodes[number]
        if "Aggregate" not in node.name or self.of.step(number) == "final":
            return self.rows[number]
        tasks = self.tasks(number)
        if number not in self.of.levels:
            return tasks
        if self.is_together(self.of.grouped(number), node.list_of("Keys")):
            return sum(groups for *_, groups in self.of.levels[number])
        # A task has rows of few days.
        return sum(min(draws, max(groups, tasks * seen(draws / tasks, values * max(1.0, periods / tasks))))
                   for draws, values, periods, groups in self.of.levels[number])

    def is_together(self, number, keys):
        """Whether all rows of a group are in one task: they were exchanged by a key that the groups depend on."""
        of, waiting = self.of, [number]
        columns = {of.real(found[0]) for found in map(names, keys) if found}
        tables = {of.owner.get(name) for name in columns}
        depends = lambda found: bool(found) and all(of.real(name) in columns or of.key_tables.get(of.real(name), set()) & tables for name in found)
        while waiting:
            number = waiting.pop()
            number = number if self.nodes[number].reuses is None else self.nodes[number].reuses
            node = self.nodes[number]
            if node.name == "Exchange":
                if depends(names(node.fields["Arguments"].split("), ENS")[0])):
                    return True
            elif node.name.startswith(("BroadcastHash", "SortMerge")):
                if number in self.shuffled and depends([found[0] for found in map(names, node.list_of("Left keys")) if found]):
                    return True
                waiting += [child for child in node.children if not self.plan.is_broadcast(child)]
            elif node.name in ("Project", "Filter", "Sort", "ColumnarToRow"):
                waiting += node.children
        return False

    def is_large(self, number):
        """Whether a partitioned table is below."""
        node = self.nodes[number]
        if node.reuses is not None:
            return self.is_large(node.reuses)
        if node.table:
            return node.table in self.of.folders
        if "Aggregate" in node.name and not node.list_of("Keys"):
            return False
        kind = node.fields.get("Join type", "")
        one_sided = kind in ("LeftSemi", "LeftAnti") or kind.startswith("Existence")
        return any(self.is_large(child) for child in node.children[:1 if one_sided else None])

    def depth(self, number):
        """Exchanges on the longest path."""
        node = self.nodes[number]
        if node.reuses is not None:
            return self.depth(node.reuses)
        return (node.name == "Exchange" or number in self.shuffled) + max(map(self.depth, node.children), default=0)


def main(cases, plans, tables):
    """Writes a line for each query of the case file, in its order."""
    with open(tables, encoding="utf-8") as file:
        tables = {row["table"]: float(row["rows"]) for row in csv.DictReader(file)}
    writer = None
    with open(cases, encoding="utf-8") as file:
        for case in csv.DictReader(file):
            with open(os.path.join(plans, f"{case['case']}.explain.txt"), encoding="utf-8") as text:
                columns = Volumes(Rows(Plan(text.read()), tables)).columns()
            line = {"query": case["case"], **{key: value if isinstance(value, str) else f"{value:.7g}" for key, value in columns.items()}}
            if writer is None:
                writer = csv.DictWriter(sys.stdout, list(line), lineterminator="\n")
                writer.writeheader()
            writer.writerow(line)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
