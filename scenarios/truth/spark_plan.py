"""Reads the text of Spark's `EXPLAIN FORMATTED` and its expressions."""

import re

ATTRIBUTE = re.compile(r"#(\d+)L?")
OPERATORS = ["<=>", "<=", ">=", "!=", "||", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|"]
# A number that ends where an expression can go on; "4 yr Degree" and "1001-5000" are texts.
NUMBER = re.compile(
    r"-?\d+(\.\d+)?(E-?\d+)?(?=[),]|$| [-+*/<>=%&] | (?:AND|OR|THEN|ELSE|END|WHEN|AS|IN|<=|>=)\b| <= | >= )")
SUBQUERY = re.compile(r"(?:ReusedSubquery )?Subquery scalar-subquery#(\d+), \[id=#\d+\](?:\.\w[\w()]*)?")


class Node:
    """One operator: name, children, and the lines below its number in the text."""

    def __init__(self, number, name):
        self.number, self.name = number, name
        self.children, self.fields, self.reuses = [], {}, None

    def list_of(self, field):
        """The items of a field in brackets, none if there is no such field."""
        text = self.fields.get(field, "")
        return items(text) if text.startswith("[") else []

    @property
    def table(self):
        """The table that is scanned, or None."""
        return self.name.rsplit(".", 1)[1] if self.name.startswith("Scan ") else None

    @property
    def partition_column(self):
        """The column of the folders of a scanned table, or None."""
        found = re.search(r"/(\w+)=\S*, \.\.\. \d+ entries", self.fields.get("Location", ""))
        return found.group(1) if found else None


class Plan:
    """Operators by number, and the roots: the query's own and those of its subqueries."""

    def __init__(self, text):
        self.nodes, self.root, self.subqueries = {}, None, {}
        self._read(text)

    def _read(self, text):
        label, in_tree, above, current = None, False, [], None
        for line in text.splitlines():
            if line.startswith("== Physical"):
                label, in_tree, above = "", True, []
                continue
            hosting = re.match(r"^Subquery:\d+ Hosting operator id = \d+ Hosting Expression = (.*)$", line)
            if hosting:
                label, in_tree, above, current = hosting.group(1), True, [], None
                continue
            if not line.strip():
                in_tree = in_tree and not above
                continue
            if in_tree:
                branch = re.match(r"^([ :+\-]*)(?:\* )?(.*?) \((\d+)\)$", line)
                if branch:
                    self._branch(branch, label, above)
                    continue
                in_tree = False
            detail = re.match(r"^\((\d+)\) (.*)$", line)
            field = re.match(r"^([A-Z][A-Za-z ]+?)(?: \[\d+\])?\s?: ?(.*)$", line)
            if detail:
                current = self.nodes[int(detail.group(1))]
                reused = re.search(r"Reuses operator id: (\d+)", detail.group(2))
                current.reuses = int(reused.group(1)) if reused else None
            elif field and current is not None:
                current.fields[field.group(1)] = field.group(2)

    def _branch(self, found, label, above):
        prefix, name, number = found.group(1), found.group(2), int(found.group(3))
        depth = 0 if not prefix else max(prefix.rfind("+-"), prefix.rfind(":-")) // 3 + 1
        node = self.nodes.setdefault(number, Node(number, name))
        del above[depth:]
        if depth:
            above[depth - 1].children.append(number)
        elif not label:
            self.root = number
        for kind, key in re.findall(r"(scalar-subquery|dynamicpruning)#(\d+)", label if not depth else ""):
            self.subqueries.setdefault((kind, int(key)), number)
        above.append(node)

    def roots(self):
        """All roots, the query's own first."""
        return [self.root, *dict.fromkeys(self.subqueries.values())]

    def is_broadcast(self, number):
        """Whether an operator, or what it reuses, is a broadcast."""
        node = self.nodes[number]
        return self.nodes[node.reuses or number].name == "BroadcastExchange"


def split(text):
    """Splits at commas outside brackets."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return [*parts, part.strip()] if part.strip() else parts


def items(text):
    """The items between the first bracket and its end."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0:
            return split(text[1:at])
    return split(text[1:])


def identifier(text):
    """The number of an attribute: of "i_item_sk#500" it is "500"."""
    found = re.search(r"#(\d+)L?$", text.strip()) or ATTRIBUTE.search(text)
    return found.group(1) if found else ""


def plain(text):
    """The number of an attribute that an item only passes on, casts or renames; None otherwise."""
    found = re.fullmatch(r"(?:cast\()?\w+#(\d+)L?(?: as \w+(?:\(.*\))?\))?(?: AS .*)?", text)
    return found.group(1) if found else None


def rollup_levels(plan, number, keys):
    """The keys that each copy of an Expand below an aggregate keeps; None without such an Expand."""
    waiting = [number]
    while waiting:
        node = plan.nodes[waiting.pop()]
        if node.name == "Expand":
            copies, outputs = (items(part) for part in split(node.fields["Arguments"])[:2])
            if not any("grouping_id" in text and identifier(text) in keys for text in outputs):
                return None
            return [[identifier(name) for value, name in zip(items(copy), outputs) if re.fullmatch(r"\w+#\d+L?", value)]
                    for copy in copies]
        if node.name in ("Project", "Exchange", "ColumnarToRow") or "Aggregate" in node.name:
            waiting += node.children
    return None


class Expression:
    """A walk over an expression's text that gives a tree of tuples: (operator, left, right), ("column", id), …"""

    def __init__(self, text):
        self.text, self.at = text, 0

    def tree(self):
        """The whole expression."""
        left = self._operand()
        while True:
            self._blank()
            if self.at >= len(self.text):
                return left
            for word in ("AND", "OR"):
                if self._is(word + " "):
                    self.at += len(word)
                    left = (word, left, self.tree())
                    break
            else:
                if self._is("IN (") or self._is("INSET "):
                    left = ("in", left, self._choices())
                elif self._is("LIKE "):
                    self.at += 5
                    left = ("like", left, self._literal())
                else:
                    operator = next((text for text in OPERATORS if self._is(text + " ")), None)
                    if operator is None:
                        return left
                    self.at += len(operator)
                    left = (operator, left, self._operand())

    def _is(self, text):
        return self.text.startswith(text, self.at)

    def _blank(self):
        while self._is(" "):
            self.at += 1

    def _eat(self, text):
        self._blank()
        if not self._is(text):
            raise ValueError(f"{text!r} expected before {self.text[self.at:self.at + 40]!r}")
        self.at += len(text)

    def _match(self, pattern):
        found = re.compile(pattern).match(self.text, self.at) if isinstance(pattern, str) else pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def _choices(self):
        bracket = self._is("IN (")
        self.at += 4 if bracket else 6
        choices = [self._literal()]
        while self._is(","):
            self.at += 1
            choices.append(self._literal())
        if bracket:
            self._eat(")")
        return choices

    def _literal(self):
        self._blank()
        end = self.at
        words = (" AND ", " OR ", " THEN ", " ELSE ", " END", " WHEN ", " AS ")
        while end < len(self.text) and self.text[end] not in "),":
            if any(self.text.startswith(word, end) for word in words):
                break
            end += 1
        raw, self.at = self.text[self.at:end].strip(), end
        if re.fullmatch(r"-?\d+(\.\d+)?(E-?\d+)?", raw):
            return ("number", raw)
        if re.fullmatch(r"\d{4}-\d\d-\d\d", raw):
            return ("date", raw)
        return ("word", raw) if raw in ("true", "false", "null") else ("text", raw)

    def _named(self, otherwise):
        """An expression may be the name of an attribute: "sum(sales)#12"."""
        found = self._match(ATTRIBUTE)
        return ("column", found.group(1)) if found else otherwise

    def _operand(self):
        self._blank()
        if found := self._match(SUBQUERY):
            return ("subquery", int(found.group(1)))
        if self._is("NOT "):
            self.at += 4
            return ("not", self.tree())
        if self._is("CASE WHEN "):
            return self._case()
        if self._is("("):
            self.at += 1
            inner = self.tree()
            self._eat(")")
            return self._named(inner)
        if found := self._match(r"[A-Za-z_]\w*#(\d+)L?"):
            return ("column", found.group(1))
        if found := self._match(r"([A-Za-z_]\w*)\("):
            return self._call(found.group(1))
        if found := self._match(NUMBER):
            return ("number", found.group(0))
        return self._literal()

    def _case(self):
        self.at += 5
        branches, otherwise = [], None
        while self._is("WHEN "):
            self.at += 5
            condition = self.tree()
            self._eat("THEN ")
            branches.append((condition, self.tree()))
            self._blank()
        if self._is("ELSE "):
            self.at += 5
            otherwise = self.tree()
        self._eat("END")
        return self._named(("case", branches, otherwise))

    def _call(self, name):
        if name == "cast":
            inner = self.tree()
            self._eat("as ")
            kind = self._match(r"[a-z]+(\(\d+,\d+\))?").group(0)
            self._eat(")")
            return self._named(("cast", inner, kind))
        self._blank()
        distinct = self._is("distinct ")
        self.at += 9 if distinct else 0
        arguments = []
        while not self._is(")"):
            arguments.append(self.tree())
            self._blank()
            if self._is(","):
                self.at += 1
                self._blank()
        self.at += 1
        return self._named(("call", name, arguments, distinct))


def parse(text):
    """The tree of an expression."""
    walk = Expression(text)
    tree = walk.tree()
    walk._blank()
    if walk.at < len(text):
        raise ValueError(f"not understood: {text[walk.at:walk.at + 80]!r}")
    return tree
