"""All Spark event logs below some folders."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._frame import frame
from ._program import StrPath, read

if TYPE_CHECKING:
    import pandas


def fleet(
    *paths: StrPath,
    out: StrPath | None = None,
    base: StrPath | Iterable[StrPath] = (),
    profile: StrPath | None = None,
    threads: int | None = None,
    program: StrPath | None = None,
) -> pandas.DataFrame:
    """What should run each application of a folder, a bucket or a History Server, by `crossover fleet`.

    A row is an application, largest saving first; names of columns end in their unit. `frame.attrs` has the sums.

    Args:
        paths: Event logs, plans, and folders of them; local, in buckets (s3://…, gs://…, az://…), or a History Server
            (http://…).
        out: Folder for the tables; a second call with it reads only new and changed logs. Default: none are kept.
        base: Scenarios with the engines, one for each CPU engine; default: the shipped ones.
        profile: Profile of `crossover fit`, which replaces the engines of the first base.
        threads: Number of logs to read at once; default: the number of cores.
        program: The program; default: that of the wheel, else of `PATH`.

    Raises:
        Error: The program refuses an argument, finds no log, or cannot read a path; the tables of the others are
            written.
        ImportError: pandas is not installed.
        TypeError: No path is named.
    """
    if not paths:
        raise TypeError("fleet() needs a path")
    bases = [base] if isinstance(base, (str, os.PathLike)) else base
    arguments = [f"--base={os.fspath(scenario)}" for scenario in bases]
    if profile is not None:
        arguments.append(f"--profile={os.fspath(profile)}")
    if threads is not None:
        arguments.append(f"--threads={threads}")
    if out is not None:
        return _read([f"--out={os.fspath(out)}", *arguments], paths, program)
    with tempfile.TemporaryDirectory(prefix="crossover-") as folder:
        return _read([f"--out={folder}", *arguments], paths, program)


def _read(arguments: list[str], paths: Iterable[StrPath], program: StrPath | None) -> pandas.DataFrame:
    answer: dict[str, Any] = read(["fleet", *arguments], list(paths), program)
    table = frame(answer["list"])
    table.attrs = {name: value for name, value in answer.items() if name != "list"}
    return table
