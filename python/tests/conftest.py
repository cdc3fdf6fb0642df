"""What the tests share: files of the repository, and what the command line prints about them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import crossover

ROOT = Path(__file__).resolve().parents[2]

#: The log of a small Spark application: nine queries in 56.7 s on one machine with four cores.
LOG = ROOT / "plan/samples/spark/shop-eventlog.zstd"


def printed(*arguments: str) -> str:
    """What the command line prints, without this module."""
    ran = subprocess.run([crossover.program(), *arguments], capture_output=True, check=True)
    return ran.stdout.decode()


def decided(*arguments: str) -> list[dict[str, Any]]:
    """The JSON of `crossover decide`."""
    decisions: list[dict[str, Any]] = json.loads(printed("decide", "--format", "json", *arguments))
    return decisions


@pytest.fixture(scope="session")
def shop() -> crossover.Decision:
    """The decision about the sample log."""
    return crossover.decide(LOG)
