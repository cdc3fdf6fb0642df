"""Counts the rows of each operator of Spark's plans by running the plans in DuckDB on small tables.

    pip install duckdb==1.5.5 duckdb-extension-tpcds==1.5.5 pyarrow
    python spark_rows.py PLANS OUTPUT [q1 q2 …]

PLANS is a folder with `q1.explain.txt` and so on (`EXPLAIN FORMATTED` of Spark 3.5), OUTPUT gets `q1.json` and so on and
`columns.csv`: of each column its type, rows, bytes a row as Parquet with Snappy, distinct values and mean length. All
TPC-DS queries take about two minutes and 6 GB of memory. A partial aggregate passes its input on, so that the final one
counts right; its own rows are those of one task.
"""

import csv
import glob
import json
import os
import re
import sys
import sysconfig
import tempfile
import threading

import duckdb
import pyarrow.parquet

from spark_plan import Plan, identifier, items, parse, plain, rollup_levels, split

# Columns that DuckDB's generator names differently.
RENAMED = {"c_last_review_date": "c_last_review_date_sk"}
TYPES = {"string": "varchar", "int": "integer"}
# Seconds after which an operator is given up, and its query with it.
PATIENCE = 120


class Runner:
    """Runs one plan, each operator into a table `t5` with columns `c500`, and `c_day` where the rows belong to a day."""

    def __init__(self, connection, plan):
        self.connection, self.plan = connection, plan
        self.columns, self.origin, self.rows, self.detail, self.dated, self.failed = {}, {}, {}, {}, set(), {}

    def query(self, sql):
        """Runs a statement for a limited time."""
        timer = threading.Timer(PATIENCE, self.connection.interrupt)
        timer.start()
        try:
            return self.connection.execute(sql).fetchall()
        finally:
            timer.cancel()

    def run(self, number):
        """Runs an operator and what is below it, once."""
        if number in self.columns:
            return
        node = self.plan.nodes[number]
        if node.reuses is not None:
            return self.reuse(number, node)
        for child in node.children:
            self.run(child)
        try:
            self.make(number, node)
        except (ValueError, AttributeError, KeyError, duckdb.Error) as error:
            if not node.children or isinstance(error, duckdb.InterruptException):
                raise
            # What it would compute is missing, its rows stand for it.
            self.failed[number] = str(error)[:200]
            self.store(number, f"select * from t{node.children[0]}", self.columns[node.children[0]], "view", node.children[0])

    def store(self, number, sql, columns, kind="table", like=None, rows=None):
        """Keeps the result of an operator; `like` names a child whose day and, for a view, whose count it has."""
        if like in self.dated:
            self.dated.add(number)
        self.query(f"create or replace temp {kind} t{number} as {sql}")
        self.columns[number] = columns
        if rows is None:
            rows = self.rows[like] if kind == "view" else self.query(f"select count(*) from t{number}")[0][0]
        self.rows[number] = rows

    def day(self, number):
        return ", c_day" if number in self.dated else ""

    def reuse(self, number, node):
        self.run(node.reuses)
        outputs = [identifier(text) for text in node.list_of("Output")]
        pairs = list(zip(self.columns[node.reuses], outputs))
        for there, here in pairs:
            self.origin.setdefault(here, self.origin.get(there))
        chosen = ", ".join(f"c{there} as c{here}" for there, here in pairs) or "1 as x"
        self.store(number, f"select {chosen}{self.day(node.reuses)} from t{node.reuses}", outputs, "view", node.reuses)

    def make(self, number, node):
        name, child = node.name, node.children[0] if node.children else None
        if node.table:
            self.scan(number, node)
        elif name == "Filter":
            self.store(number, f"select * from t{child} where {self.sql(node.fields['Condition'])}", self.columns[child], like=child)
        elif name == "Project":
            self.project(number, f"t{child}", node.list_of("Output"), child)
        elif name.startswith("TakeOrdered"):
            limit, _, outputs = split(node.fields["Arguments"])[:3]
            self.project(number, f"t{child}", items(outputs), child, f" limit {limit}")
        elif "Aggregate" in name:
            self.aggregate(number, node, child)
        elif "Join" in name or name.startswith("Cartesian"):
            self.join(number, node)
        elif name == "Union":
            self.union(number, node)
        elif name == "Expand":
            self.expand(number, node, child)
        elif name == "Window":
            self.window(number, node, child)
        elif name == "WindowGroupLimit":
            self.best_of_window(number, node, child)
        elif name.endswith("Limit"):
            self.store(number, f"select * from t{child} limit {re.search('[0-9]+', node.fields['Arguments']).group(0)}",
                       self.columns[child], like=child)
        elif child is not None:
            # Exchanges, sorts and the like leave rows as they are.
            self.store(number, f"select * from t{child}", self.columns[child], "view", child)

    def scan(self, number, node):
        table, chosen, columns = node.table, [], []
        for text in node.list_of("Output"):
            name, key = re.match(r"(\w+)#(\d+)", text).groups()
            chosen.append(f"{RENAMED.get(name, name)} as c{key}")
            columns.append(key)
            self.origin[key] = (table, name)
        where = ["true"]
        for text in node.list_of("PartitionFilters"):
            pruning = re.match(r"dynamicpruningexpression\((?:cast\()?(\w+)#\d+L?(?: as \w+\))? IN dynamicpruning#(\d+)\)", text)
            if pruning:
                root = self.plan.subqueries["dynamicpruning", int(pruning.group(2))]
                self.run(root)
                keys = [key for key in self.columns[root] if self.origin.get(key) and "date_sk" in self.origin[key][1]]
                where.append(f"{pruning.group(1)} in (select c{(keys or self.columns[root])[0]} from t{root})")
            elif not text.startswith("dynamicpruning"):
                where.append(re.sub(r"\bc(\d+)\b", lambda found: self.origin[found.group(1)][1], self.sql(text)))
        where, folder = " and ".join(where), node.partition_column
        [(rows,)] = self.query(f"select count(*) from {table} where {where}")
        if folder:
            self.dated.add(number)
            chosen.append(f"{folder} as c_day")
            self.detail[number] = {"partitions": self.query(f"select count(distinct {folder}) from {table} where {where}")[0][0]}
        self.store(number, f"select {', '.join(chosen) or '1 as x'} from {table} where {where}", columns, "view", rows=rows)

    def project(self, number, source, texts, child, tail=""):
        chosen = {}
        for text in texts:
            key = identifier(text)
            if key in chosen:
                continue
            value = re.match(r"^(.*) AS .*#\d+L?$", text)
            # An " AS " inside a function's name is none.
            renames = value and value.group(1).count("(") == value.group(1).count(")")
            chosen[key] = f"{self.sql(value.group(1)) if renames else f'c{key}'} as c{key}"
            if plain(text) and self.origin.get(plain(text)):
                self.origin.setdefault(key, self.origin[plain(text)])
        day = self.day(child) if child else ""
        self.store(number, f"select {', '.join(chosen.values()) or '1 as x'}{day} from {source}{tail}", list(chosen), like=child)

    def aggregate(self, number, node, child):
        keys, functions = [text for text in node.list_of("Keys") if "#" in text], node.list_of("Functions")
        names = [identifier(text) for text in keys]
        values = [self.sql(re.sub(r" AS [^#]*#\d+L?$", "", text)) for text in keys]
        for text, key in zip(keys, names):
            if plain(text) and self.origin.get(plain(text)):
                self.origin.setdefault(key, self.origin[plain(text)])
        if functions and all(text.startswith(("partial_", "merge_")) for text in functions):
            new = [f"{value} as c{key}" for value, key in zip(values, names) if key not in self.columns[child]]
            columns = self.columns[child] + [key for key in names if key not in self.columns[child]]
            self.store(number, f"select *{''.join(', ' + text for text in new)} from t{child}", columns, "view", child)
            self.detail[number] = {"kind": "partial", "keys": names}
            self.rows[number] = 1
            if names and "bloom_filter" not in functions[0]:
                self.count_groups(number, number, child, names)
            return
        if "bloom_filter" in "".join(functions):
            self.store(number, f"select * from t{child}", self.columns[child], "view", child, rows=1)
            return
        self.detail[number] = {"kind": "final", "keys": names}
        if names and all(value == f"c{key}" for value, key in zip(values, names)):
            self.count_groups(number, child, child, names)
        grouped = ", ".join(f"{value} as c{key}" for value, key in zip(values, names))
        if not functions:
            results = node.list_of("Results") or keys
            self.project(number, f"(select distinct {grouped} from t{child})", [re.sub(r"^.* AS ", "", text) if text in keys else text for text in results], None)
            return
        if self.plan.nodes[child].reuses is not None:
            # The partial aggregate is another's: its columns are not here, the other's result is the same.
            twin = next(other.number for other in self.plan.nodes.values()
                        if other.children[:1] == [self.plan.nodes[child].reuses] and "Aggregate" in other.name)
            self.run(twin)
            results = [identifier(text) for text in node.list_of("Results")]
            pairs = list(zip(self.columns[twin], results))
            for there, here in pairs:
                self.origin.setdefault(here, self.origin.get(there))
            self.store(number, f"select {', '.join(f'c{there} as c{here}' for there, here in pairs)} from t{twin}", results, "view", twin)
            return
        attributes = node.list_of("Aggregate Attributes")
        computed = [f"{self.sql(text)} as c{identifier(name)}" for text, name in zip(functions, attributes)]
        results = node.fields["Results"]
        for name in sorted(attributes, key=len, reverse=True):
            results = results.replace(name, f"value#{identifier(name)}")
        by = f" group by {', '.join(str(place + 1) for place in range(len(names)))}" if names else ""
        self.project(number, f"(select {', '.join(([grouped] if grouped else []) + computed)} from t{child}{by})", items(results), None)

    def count_groups(self, number, source, child, names):
        """Of each level of a rollup: rows, groups, groups without dates, groups by day, and values of the dates."""
        levels = rollup_levels(self.plan, child, names)
        marker = next((key for key in names if levels and all(key not in level for level in levels)), None)
        dates = [key for key in names if self.origin.get(key)
                 and (self.origin[key][0] == "date_dim" or self.origin[key][1].endswith("date_sk"))]
        other = [key for key in names if key not in dates]
        distinct = lambda keys: f"count(distinct row({', '.join('c' + key for key in keys)}))" if keys else "1"
        daily = distinct([*other, "_day"]) if child in self.dated else "null"
        counts = ", ".join(f"count(c{key})" for key in names)
        found = self.query(
            f"select {f'c{marker}' if marker else 0}, count(*), {distinct(names)}, {distinct(other)}, {daily}, {distinct(dates)}, "
            f"{counts} from t{source} group by 1")
        self.detail[number]["levels"] = [
            {"rows": row[1], "groups": row[2], "values": row[3], "daily": row[4], "periods": row[5],
             "keys": [key for key, count in zip(names, row[6:]) if count and key != marker]} for row in found]
        if source == number:
            self.rows[number] = sum(row[2] for row in found)

    def join(self, number, node):
        left, right = node.children
        condition = node.fields.get("Join condition", "None")
        on = [f"{self.sql(a)} = {self.sql(b)}" for a, b in zip(node.list_of("Left keys"), node.list_of("Right keys"))]
        on = " and ".join(on + ([self.sql(condition)] if condition != "None" else [])) or "true"
        kind = node.fields.get("Join type", "Inner")
        columns = self.columns[left]
        if kind.startswith("ExistenceJoin"):
            key = identifier(kind[:-1])
            self.store(number, f"select *, exists(select 1 from t{right} where {on}) as c{key} from t{left}", [*columns, key], like=left)
        elif kind in ("LeftSemi", "LeftAnti"):
            wanted = "" if kind == "LeftSemi" else "not "
            self.store(number, f"select * from t{left} where {wanted}exists (select 1 from t{right} where {on})", columns, like=left)
        else:
            how = {"LeftOuter": "left", "RightOuter": "right", "FullOuter": "full"}.get(kind, "inner")
            more = [key for key in self.columns[right] if key not in columns]
            chosen = [f"l.c{key}" for key in columns] + [f"r.c{key}" for key in more]
            days = [f"{side}.c_day" for side, child in (("l", left), ("r", right)) if child in self.dated]
            if days:
                self.dated.add(number)
                chosen.append(f"coalesce({', '.join(days)}) as c_day")
            self.store(number, f"select {', '.join(chosen) or '1 as x'} from t{left} l {how} join t{right} r on {on}", [*columns, *more])

    def union(self, number, node):
        first = self.columns[node.children[0]]
        day = all(child in self.dated for child in node.children)
        parts = [f"select {', '.join(f'c{there} as c{here}' for there, here in zip(self.columns[child], first))}"
                 f"{', c_day' if day else ''} from t{child}" for child in node.children]
        self.store(number, " union all ".join(parts), first, like=node.children[0] if day else None)

    def expand(self, number, node, child):
        copies, outputs = (items(part) for part in split(node.fields["Arguments"])[:2])
        keys = [identifier(text) for text in outputs]
        parts = []
        for copy in copies:
            values = items(copy)
            for value, key in zip(values, keys):
                if plain(value) and self.origin.get(plain(value)):
                    self.origin.setdefault(key, self.origin[plain(value)])
            parts.append(f"select {', '.join(f'{self.sql(value)} as c{key}' for value, key in zip(values, keys))}{self.day(child)} from t{child}")
        self.store(number, " union all ".join(parts), keys, like=child)

    def order(self, texts):
        found = [re.match(r"^(.*) (ASC|DESC) NULLS (FIRST|LAST)$", text).groups() for text in texts]
        return ", ".join(f"{self.sql(value)} {way} nulls {nulls}" for value, way, nulls in found)

    def window(self, number, node, child):
        functions, *more = (items(part) for part in split(node.fields["Arguments"]))
        order = next((texts for texts in more if texts and re.search(" (ASC|DESC) NULLS", texts[0])), [])
        by = next((texts for texts in more if texts and not re.search(" (ASC|DESC) NULLS", texts[0])), [])
        over = (f"partition by {', '.join(map(self.sql, by))} " if by else "") + (f"order by {self.order(order)}" if order else "")
        bound = r"\S+?\$\(\)|-?\d+"
        chosen, columns = [], list(self.columns[child])
        for text in functions:
            name, key = re.match(r"^(.*?) windowspecdefinition\(.*\) AS .*#(\d+)L?$", text).groups()
            kind, start, end = re.search(rf"specifiedwindowframe\((\w+), ({bound}), ({bound})\)", text).groups()
            function = self.sql(name)
            frame = "" if function == "rank()" else f" {'rows' if kind == 'RowFrame' else 'range'} between {self.bound(start)} and {self.bound(end)}"
            chosen.append(f"{function} over ({over}{frame}) as c{key}")
            columns.append(key)
        self.store(number, f"select *, {', '.join(chosen)} from t{child}", columns, like=child)

    @staticmethod
    def bound(text):
        named = {"unboundedpreceding$()": "unbounded preceding", "currentrow$()": "current row", "unboundedfollowing$()": "unbounded following"}
        return named.get(text) or (f"{-int(text)} preceding" if int(text) < 0 else f"{text} following")

    def best_of_window(self, number, node, child):
        parts = split(node.fields["Arguments"])
        by = items(parts[0]) if len(parts) > 4 else []
        over = (f"partition by {', '.join(map(self.sql, by))} " if by else "") + f"order by {self.order(items(parts[-4]))}"
        self.store(number, f"select * from t{child} qualify rank() over ({over}) <= {int(parts[-2])}", self.columns[child], like=child)

    def sql(self, text):
        """An expression of Spark in DuckDB's language."""
        return self.of_tree(parse(text))

    def of_tree(self, tree):
        kind, *parts = tree
        if kind == "column":
            return f"c{parts[0]}"
        if kind in ("number", "word"):
            return parts[0]
        if kind == "date":
            return f"date '{parts[0]}'"
        if kind == "text":
            return "'" + parts[0].replace("'", "''") + "'"
        if kind == "subquery":
            return self.of_subquery(parts[0])
        if kind == "not":
            return f"(not {self.of_tree(parts[0])})"
        if kind == "in":
            return f"({self.of_tree(parts[0])} in ({', '.join(map(self.of_tree, parts[1]))}))"
        if kind == "cast":
            name = "double" if parts[1].startswith("decimal") else TYPES.get(parts[1], parts[1])
            return f"cast({self.of_tree(parts[0])} as {name})"
        if kind == "case":
            branches = " ".join(f"when {self.of_tree(a)} then {self.of_tree(b)}" for a, b in parts[0])
            return f"case {branches}{f' else {self.of_tree(parts[1])}' if parts[1] else ''} end"
        if kind == "call":
            return self.of_call(*parts)
        left, right = self.of_tree(parts[0]), self.of_tree(parts[1])
        if kind == "<=>":
            return f"({left} is not distinct from {right})"
        if kind == "/":
            return f"(cast({left} as double) / nullif({right}, 0))"
        return f"({left} {kind} {right})"

    def of_call(self, name, arguments, distinct):
        name = re.sub("^(partial|merge)_", "", name)
        values = [self.of_tree(argument) for argument in arguments]
        simple = {
            "isnotnull": "({0} is not null)", "isnull": "({0} is null)", "UnscaledValue": "({0} * 100)", "MakeDecimal": "({0} / 100.0)",
            "xxhash64": "{0}", "shiftright": "({0} >> {1})", "StartsWith": "starts_with({0}, {1})", "rank": "rank()",
            "date_add": "({0} + cast({1} as integer))", "if": "(case when {0} then {1} else {2} end)", "might_contain": "({1} in {0})",
            "knownfloatingpointnormalized": "{0}", "named_struct": "1", "normalizenanandzero": "{0}",
        }.get(name)
        return simple.format(*values) if simple else f"{name}({'distinct ' if distinct else ''}{', '.join(values)})"

    def of_subquery(self, key):
        """The value of a scalar subquery, or the keys that were put in a Bloom filter."""
        root = self.plan.subqueries["scalar-subquery", key]
        waiting = [root]
        while waiting:
            node = self.plan.nodes[waiting.pop()]
            if "partial_bloom_filter_agg" in node.fields.get("Functions", ""):
                self.run(root)
                value = re.search(r"partial_bloom_filter_agg\((xxhash64\(.*?, 42\))", node.fields["Functions"]).group(1)
                return f"(select {self.sql(value)} from t{node.children[0]})"
            waiting += node.children
        self.run(root)
        return f"(select c{self.columns[root][0]} from t{root})"

    def result(self):
        """What was counted, by operator."""
        return {number: {"rows": rows, **self.detail.get(number, {})} for number, rows in self.rows.items()}


def tables(path):
    """A database with the tables of scale factor 1."""
    connection = duckdb.connect(path, config={"allow_unsigned_extensions": True})
    pattern = "duckdb_extension_tpcds/extensions/*/tpcds.duckdb_extension"
    connection.execute(f"LOAD '{glob.glob(os.path.join(sysconfig.get_paths()['purelib'], pattern))[0]}'")
    connection.execute("CALL dsdgen(sf=1)")
    return connection


def columns(connection, folder, output):
    """Writes of each column what a Parquet file says of it."""
    writer = csv.writer(output)
    writer.writerow(["table", "column", "type", "rows", "bytes_per_row", "distinct", "mean_length"])
    for (table,) in connection.execute("select table_name from information_schema.tables").fetchall():
        path = os.path.join(folder, table + ".parquet")
        data = connection.execute(f"select * from {table}").to_arrow_table()
        pyarrow.parquet.write_table(data, path, compression="snappy", row_group_size=1_500_000, dictionary_pagesize_limit=1 << 20)
        file = pyarrow.parquet.ParquetFile(path).metadata
        for place, field in enumerate(data.schema):
            size = sum(file.row_group(group).column(place).total_compressed_size for group in range(file.num_row_groups))
            distinct, length = connection.execute(
                f"select count(distinct {field.name}), coalesce(avg(length(cast({field.name} as varchar))), 0) from {table}").fetchone()
            kind = re.sub(r"[\d\[(].*", "", str(field.type))
            writer.writerow([table, field.name, kind, len(data), round(size / len(data), 4), distinct, round(length, 2)])
        os.remove(path)


def main(plans, output, names):
    """Runs all plans of a folder, or those named."""
    os.makedirs(output, exist_ok=True)
    names = names or sorted(os.path.basename(path).split(".")[0] for path in glob.glob(os.path.join(plans, "q*.explain.txt")))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tables.db")
        connection = tables(path)
        with open(os.path.join(output, "columns.csv"), "w", newline="", encoding="utf-8") as file:
            columns(connection, folder, file)
        connection.close()
        for name in names:
            with open(os.path.join(plans, f"{name}.explain.txt"), encoding="utf-8") as file:
                plan = Plan(file.read())
            with duckdb.connect(path, read_only=True) as connection:
                runner = Runner(connection, plan)
                try:
                    for root in plan.roots():
                        runner.run(root)
                except duckdb.Error as error:
                    print(f"{name}: not counted: {str(error)[:100]}")
                    continue
            with open(os.path.join(output, f"{name}.json"), "w", encoding="utf-8") as file:
                json.dump(runner.result(), file)
            print(name, runner.rows[plan.root], *(f"{number}: {text}" for number, text in runner.failed.items()))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
