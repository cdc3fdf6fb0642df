"""The program `crossover`: where it is, and how it is started."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

#: A path as the standard library takes it.
StrPath: TypeAlias = "str | os.PathLike[str]"

_NAME = "crossover.exe" if os.name == "nt" else "crossover"

_log = logging.getLogger("crossover")


class Error(RuntimeError):
    """The program ended with an error, or cannot be started.

    `str(error)` is its message: what is wrong, where, and what was expected.

    Attributes:
        status: Exit code of the program: 1 failed, 2 wrong usage; `None` if it did not run.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


def program() -> Path:
    """Path of the program: of the wheel if it is installed there, else of `PATH`.

    Raises:
        Error: There is none.
    """
    for folder in _folders():
        if (path := folder / _NAME).is_file():
            return path
    if found := shutil.which("crossover"):
        return Path(found)
    folders = ", ".join(str(folder) for folder in _folders())
    raise Error(f"no program {_NAME} in {folders}, nor in PATH; install the wheel again, or name it with `program`")


def _folders() -> Iterator[Path]:
    """Folders into which pip puts programs: of this environment, of the user, and beside a folder of `--target`."""
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    yield Path(__file__).resolve().parent.parent / "bin"


def run(arguments: Sequence[str], paths: Sequence[StrPath], at: StrPath | None) -> str:
    """What the program prints to standard output; its messages go to the logger `crossover`, level INFO.

    Args:
        arguments: The command and its options.
        paths: Its paths.
        at: The program, or `None` to look for it.

    Raises:
        Error: It ends with an error, or cannot be started.
    """
    command = [os.fspath(at) if at is not None else str(program()), *arguments, *map(_argument, paths)]
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise Error(f"{command[0]} cannot be started: {error}") from error
    messages = ran.stderr.decode(errors="replace").strip()
    if ran.returncode != 0:
        raise Error(_message(messages) or f"{command[0]} ended with status {ran.returncode}", ran.returncode)
    for line in messages.splitlines():
        _log.info("%s", line.removeprefix("crossover: "))
    return ran.stdout.decode()


def read(arguments: Sequence[str], paths: Sequence[StrPath], at: StrPath | None) -> Any:
    """The JSON that the program prints, as `run` has it.

    Raises:
        Error: It ends with an error, cannot be started, or prints something else.
    """
    text = run([*arguments, "--format", "json"], paths, at)
    try:
        return json.loads(text)
    except ValueError as error:
        raise Error(f"`crossover {arguments[0]}` printed no JSON: {error}") from error


def _argument(path: StrPath) -> str:
    """A path that is not taken for an option."""
    text = os.fspath(path)
    return os.path.join(os.curdir, text) if text.startswith("-") else text


def _message(messages: str) -> str:
    """The message of an error without the program's name, and without the usage that a terminal shows below it."""
    lines = messages.splitlines()
    for place, line in enumerate(lines):
        if line.startswith("error: "):
            paragraph = "\n".join(lines[place:]).split("\n\n")[0]
            return paragraph.removeprefix("error: ")
    return "\n".join(line.removeprefix("crossover: ") for line in lines)
