"""Tables of pandas, which is optional."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

#: Names of columns with numbers.
_NUMBERS = re.compile("seconds|usd|likel")


def frame(rows: Iterable[Mapping[str, Any]], columns: Iterable[str] | None = None) -> pandas.DataFrame:
    """A frame with a row for each mapping; missing numbers are NaN, and missing truths NA.

    Args:
        rows: The rows, with the same keys.
        columns: Their keys, for a frame that may have no row.

    Raises:
        ImportError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError("frames need pandas: pip install pandas") from error
    table: pandas.DataFrame = pandas.DataFrame(list(rows), columns=None if columns is None else list(columns))
    for name in table.columns:
        values = table[name]
        if values.dtype != object or values.empty:
            continue
        # Where one is missing, pandas takes truths for objects; numbers too, if all are.
        kinds = {type(value) for value in values if value is not None}
        if kinds == {bool}:
            table[name] = values.astype("boolean")
        elif kinds <= {int, float} and (kinds or _NUMBERS.search(name)):
            table[name] = values.astype("float64")
    return table
