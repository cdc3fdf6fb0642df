"""Tables of pandas, which is optional."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def frame(rows: Iterable[Mapping[str, Any]], columns: Iterable[str] | None = None) -> pandas.DataFrame:
    """A frame with a row for each mapping; numbers that are missing are NaN.

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
        # A column of numbers of which all are missing would else be one of objects.
        if values.dtype == object and all(_is_number(value) for value in values):
            table[name] = values.astype("float64")
    return table


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
