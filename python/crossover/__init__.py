"""Decides what should run a Spark application or a query: time, cost and likelihoods of engines on CPUs and GPUs.

>>> import crossover
>>> decision = crossover.decide("eventlog.zstd")
>>> decision.verdict
'move'
>>> decision.to_frame()

The wheel carries the program `crossover`. This module starts it and reads its JSON. The guide is docs/NOTEBOOKS.md.
"""

from importlib.metadata import version as _version

from ._decision import Baseline, Decision, Decisions, Objective, Option, Query, Verdict, decide
from ._fleet import fleet
from ._program import Error, program

__version__: str = _version("crossover-workbench")

__all__ = [
    "Baseline",
    "Decision",
    "Decisions",
    "Error",
    "Objective",
    "Option",
    "Query",
    "Verdict",
    "__version__",
    "decide",
    "fleet",
    "program",
]
