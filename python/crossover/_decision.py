"""Decisions about workloads: what runs them today, what else could, and what to do."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from ._frame import frame
from ._program import Error, StrPath, read, run

if TYPE_CHECKING:
    import pandas

#: What to do: move the workload; try the option once; stay; or nothing can be predicted.
Verdict: TypeAlias = Literal["move", "try", "stay", "cannot_judge"]

#: Seconds of an hour.
_HOUR = 3600.0

#: The columns of `Decision.to_frame`, each with its unit; a likelihood is between 0 and 1.
UNITS: Mapping[str, str] = {
    "option": "",
    "engine": "",
    "is_today": "",
    "is_recommended": "",
    "seconds": "s per run, median",
    "seconds_low": "s per run, 5 % quantile",
    "seconds_high": "s per run, 95 % quantile",
    "usd_per_hour": "US dollars per hour of all machines",
    "usd_per_run": "US dollars per run, median",
    "usd_per_run_low": "US dollars per run, 5 % quantile",
    "usd_per_run_high": "US dollars per run, 95 % quantile",
    "saving_usd": "US dollars per run, mean",
    "regret_usd": "US dollars per run, mean",
    "saving_seconds": "s per run, mean",
    "regret_seconds": "s per run, mean",
    "likely_faster": "likelihood",
    "likely_cheaper": "likelihood",
    "likely_feasible": "likelihood",
    "likely_to_meet_goal": "likelihood",
    "is_efficient": "",
    "blocked_by": "",
}

#: What `Decision.queries_to_frame` has of the recommended option, with `option_` before the name.
_OF_BEST = (
    "seconds",
    "seconds_low",
    "seconds_high",
    "usd_per_run",
    "saving_usd",
    "saving_seconds",
    "likely_to_meet_goal",
)


@dataclass(frozen=True)
class Objective:
    """What was asked for.

    Attributes:
        goal: What to minimise: the cost of a run, its time, or both (the Pareto front).
        time_limit: Longest time of a run as a factor of today's, with the least cost; `None`: the limit is a time.
        budget_usd: Largest cost of a run, US dollars, with the least time; `None`: today's cost.
        runs_per_month: Runs per month, if they were given.
        effort_usd: One-time cost of the move, US dollars, if it was given.
        time_limit_seconds: Longest time of a run, seconds, with the least cost; `None`: the limit is a factor.
    """

    goal: Literal["cost", "time", "pareto_front"]
    time_limit: float | None
    budget_usd: float | None
    runs_per_month: float | None
    effort_usd: float | None = None
    time_limit_seconds: float | None = None


@dataclass(frozen=True)
class Baseline:
    """What runs the workload today.

    Attributes:
        title: Engine and machines.
        seconds: Time of a run, seconds: measured, or the median of a prediction.
        seconds_low, seconds_high: Ends of the 90 % interval of a prediction, seconds; `None`: measured, or no
            measured error.
        is_measured: Whether the time was measured.
        machines: Number of machines.
        usd_per_hour: Price of all machines, US dollars per hour; `None`: unknown.
        usd_per_run: Cost of a run, US dollars: time × price.
        price_source: Where the price comes from; empty: unknown.
        raw: Everything that the program printed about it.
    """

    title: str
    seconds: float
    seconds_low: float | None
    seconds_high: float | None
    is_measured: bool
    machines: float
    usd_per_hour: float | None
    usd_per_run: float | None
    price_source: str
    raw: Mapping[str, Any] = field(repr=False, compare=False)


@dataclass(frozen=True)
class Option:
    """What else could run the workload.

    A number is `None` where it cannot be predicted; `blocked_by` then says what is missing. Likelihoods are between 0
    and 1. Savings and regrets are in US dollars, or in seconds where the goal is time or today has no price.

    Attributes:
        title: Engine and machines.
        engine: The engine with its version.
        is_recommended: Whether the decision recommends it, to move or for a trial; also a second one about as good.
        seconds: Median of the time of a run, seconds.
        seconds_low, seconds_high: Ends of its 90 % interval, seconds.
        usd_per_hour: Price of all machines, US dollars per hour.
        usd_per_run: Median of the cost of a run, US dollars: time × price.
        usd_per_run_low, usd_per_run_high: Ends of its 90 % interval, US dollars.
        likely_faster, likely_cheaper: Likelihood of being faster, or cheaper, than today.
        likely_feasible: Likelihood of keeping the time limit or the budget.
        likely_to_meet_goal: Likelihood of meeting the whole goal, such as cheaper and not slower.
        saving_usd, saving_seconds: Mean of what a run saves; negative if the option is worse than today.
        regret_usd, regret_seconds: Mean of what a run costs more, where runs that cost less count as 0.
        is_efficient: Whether no other option, nor today, is at least as fast and as cheap, and faster or cheaper
            (Pareto front); `None`: it has no price, or it or an option that dominates it cannot be judged.
        blocked_by: Why it is not recommended whatever its numbers, or what is missing; `None`: nothing.
        fitted_to: The measured runs that its prediction is fitted to.
        differences: How the workload and the machines differ from the measured ones.
        raw: Everything that the program printed about it.
    """

    title: str
    engine: str
    is_recommended: bool
    seconds: float | None
    seconds_low: float | None
    seconds_high: float | None
    usd_per_hour: float | None
    usd_per_run: float | None
    usd_per_run_low: float | None
    usd_per_run_high: float | None
    likely_faster: float | None
    likely_cheaper: float | None
    likely_feasible: float | None
    likely_to_meet_goal: float | None
    saving_usd: float | None
    saving_seconds: float | None
    regret_usd: float | None
    regret_seconds: float | None
    is_efficient: bool | None
    blocked_by: str | None
    fitted_to: str
    differences: tuple[str, ...]
    raw: Mapping[str, Any] = field(repr=False, compare=False)


@dataclass(frozen=True)
class Query:
    """The decision about one query of an application.

    Attributes:
        id: The engine's id, for `decide(log, query=id)`.
        description: In words or in SQL.
        seconds: From its start to its end as recorded, seconds.
        blocked_by: Why nothing is predicted; `None`: something is.
        verdict: What to do.
        baseline: What runs it today; `None` if nothing is predicted.
        options: What else could run it.
        raw: Everything that the program printed about it.
    """

    id: str
    description: str
    seconds: float | None
    blocked_by: str | None
    verdict: Verdict
    baseline: Baseline | None
    options: tuple[Option, ...]
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def best(self) -> Option | None:
        """The recommended option, the first of two; `None`: stay, or nothing can be predicted."""
        return _best(self.options, self.raw["decision"])


@dataclass(frozen=True)
class Decision:
    """What should run an application, or one query of it.

    A notebook shows it as the report of the program.

    Attributes:
        name: Name of the application or the query.
        file: Name of the log.
        sentence: The decision in words.
        verdict: What to do.
        baseline: What runs it today; `None` if nothing can be predicted.
        options: What else could run it.
        objective: What was asked for; `None` if nothing can be predicted.
        warnings: Warnings about the log, and about the measurements and prices of the options.
        notes: What the answer does not contain, and what else the log shows.
        queries: The queries of an application.
        raw: Everything that the program printed about it, also keys that this module does not know.
    """

    name: str
    file: str
    sentence: str
    verdict: Verdict
    baseline: Baseline | None
    options: tuple[Option, ...]
    objective: Objective | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    queries: tuple[Query, ...]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    _report: _Report = field(repr=False, compare=False)

    @property
    def best(self) -> Option | None:
        """The recommended option, the first of two; `None`: stay, or nothing can be predicted."""
        return _best(self.options, self.raw["decision"])

    @property
    def likelihood(self) -> float | None:
        """Likelihood with which the recommended option meets the goal, 0 to 1; `None` without one."""
        return self.best.likely_to_meet_goal if self.best else None

    def to_frame(self) -> pandas.DataFrame:
        """A row for today and for each option.

        `frame.attrs["units"]` has the unit of each column, `frame.attrs["sentence"]` the decision in words.

        Raises:
            ImportError: pandas is not installed.
        """
        table = frame(_rows(self.baseline, self.options, self.verdict), UNITS)
        table.attrs = {"sentence": self.sentence, "units": dict(UNITS)}
        return table

    def queries_to_frame(self) -> pandas.DataFrame:
        """A row for each query of an application: time today, verdict, and the recommended option.

        Raises:
            ImportError: pandas is not installed.
        """
        rows = [
            {
                "query": query.id,
                "description": query.description,
                "today_seconds": query.seconds,
                "verdict": query.verdict,
                "option": query.best.title if query.best else None,
                **{f"option_{name}": getattr(query.best, name, None) for name in _OF_BEST},
                "blocked_by": query.blocked_by,
            }
            for query in self.queries
        ]
        before = ("query", "description", "today_seconds", "verdict", "option")
        return frame(rows, [*before, *(f"option_{name}" for name in _OF_BEST), "blocked_by"])

    def _repr_html_(self) -> str:
        return self._report.html


class Decisions(tuple[Decision, ...]):
    """Decisions about several logs, in their order."""

    def to_frame(self) -> pandas.DataFrame:
        """The rows of `Decision.to_frame` of each log, with its file and name before them.

        Raises:
            ImportError: pandas is not installed.
        """
        rows = [
            {"file": decision.file, "name": decision.name, **row}
            for decision in self
            for row in _rows(decision.baseline, decision.options, decision.verdict)
        ]
        table = frame(rows, ["file", "name", *UNITS])
        table.attrs = {"units": {"file": "", "name": "", **UNITS}}
        return table

    def _repr_html_(self) -> str:
        return "".join(decision._repr_html_() for decision in self)


@overload
def decide(
    log: StrPath,
    /,
    *,
    on: str | Iterable[str] = (),
    within: float | None = None,
    runs_per_month: float | None = None,
    effort: float | str | None = None,
    hourly_rate: float | None = None,
    today: str | None = None,
    price_today: float | None = None,
    base: StrPath | None = None,
    query: str | int | None = None,
    budget: float | None = None,
    least: Literal["cost", "time", "pareto-front"] | None = None,
    program: StrPath | None = None,
) -> Decision: ...


@overload
def decide(
    log: StrPath,
    second: StrPath,
    /,
    *logs: StrPath,
    on: str | Iterable[str] = (),
    within: float | None = None,
    runs_per_month: float | None = None,
    effort: float | str | None = None,
    hourly_rate: float | None = None,
    today: str | None = None,
    price_today: float | None = None,
    base: StrPath | None = None,
    query: str | int | None = None,
    budget: float | None = None,
    least: Literal["cost", "time", "pareto-front"] | None = None,
    program: StrPath | None = None,
) -> Decisions: ...


def decide(
    *logs: StrPath,
    on: str | Iterable[str] = (),
    within: float | None = None,
    runs_per_month: float | None = None,
    effort: float | str | None = None,
    hourly_rate: float | None = None,
    today: str | None = None,
    price_today: float | None = None,
    base: StrPath | None = None,
    query: str | int | None = None,
    budget: float | None = None,
    least: Literal["cost", "time", "pareto-front"] | None = None,
    program: StrPath | None = None,
) -> Decision | Decisions:
    """What should run a workload, in which time, for which cost, and how sure that is, by `crossover decide`.

    Args:
        logs: Spark event logs (a file, or the folder of a rolling log), or measured plans of DuckDB. One gives a
            `Decision`, several give `Decisions`.
        on: GPU clusters to compare with, beside the shipped ones: number × machine, and optionally the price of one
            machine in US dollars per hour, such as "4xg6.2xlarge" or "4xg6.2xlarge@0.40".
        within: Longest time of a run as a factor of today's time, with the least cost; default: 1, not slower.
        runs_per_month: Runs per month, for the expected saving per month.
        effort: One-time cost of the move, US dollars, or hours of work such as "40h"; gives the payback time. With runs
            per month, an option that needs more than 36 months is not recommended.
        hourly_rate: With `effort` in hours: cost of an hour of work, US dollars.
        today: Today's machines, if the log names none or wrong ones: number × machine, and optionally the price of one
            machine in US dollars per hour, such as "8xc5d.12xlarge" or "8xc5d.12xlarge@1.80".
        price_today: Price of one of today's machines, US dollars per hour; default: with `today` its list price, else
            that of as many cores of c5d.12xlarge.
        base: Scenario with the engines of the GPU cluster; default: the shipped ones.
        query: Id of the query to decide about; default: the whole application.
        budget: With `least="time"`: largest cost of one run of the application, or with `query` of this query, US
            dollars; default: its cost today.
        least: What to minimise: "cost" within the time limit (default), "time" within the budget, or both with
            "pareto-front", which recommends no option: `is_efficient` of an option states
            whether it is on the front, if that is known.
        program: The program; default: that of the wheel, else of `PATH`.

    Raises:
        Error: The program refuses an argument, cannot read a log, or has no engine for it; the message says what is
            wrong.
        TypeError: No log is named.
    """
    if not logs:
        raise TypeError("decide() needs a log")
    named = {
        "within": None if within is None else f"{within}x",
        "runs-per-month": runs_per_month,
        "effort": effort,
        "hourly-rate": hourly_rate,
        "today": today,
        "price-today": price_today,
        "base": None if base is None else os.fspath(base),
        "query": query,
        "budget": budget,
        "least": least,
    }
    arguments = ["decide"]
    # An argument of its own could be taken for an option where it begins with a dash.
    arguments += [f"--on={cluster}" for cluster in ([on] if isinstance(on, str) else on)]
    arguments += [f"--{name}={value}" for name, value in named.items() if value is not None]
    decided = read(arguments, logs, program)
    try:
        decisions = Decisions(
            _decision(workload, _Report(tuple(arguments), log, program))
            for workload, log in zip(decided, logs, strict=True)
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Error(
            f"the program is of another version than this module: its JSON has another form ({error!r}); "
            "install both from one wheel"
        ) from error
    return decisions[0] if len(logs) == 1 else decisions


@dataclass(frozen=True)
class _Report:
    """The report of the program, made when it is shown."""

    arguments: Sequence[str]
    log: StrPath
    program: StrPath | None

    @cached_property
    def html(self) -> str:
        """The report without its page, so that it has the style of the notebook."""
        page = run([*self.arguments, "--format", "html"], [self.log], self.program)
        body = page.partition("<body>")[2].rpartition("</body>")[0]
        # Dollars are no formulas: the classes are those by which pandas keeps MathJax from tables.
        return f'<div class="tex2jax_ignore mathjax_ignore">{body}</div>'


def _best(options: tuple[Option, ...], decision: Mapping[str, Any] | None) -> Option | None:
    place = None if decision is None else decision["best"]
    return None if place is None else options[place]


def _decision(raw: Mapping[str, Any], report: _Report) -> Decision:
    decision = raw["decision"]
    verdict, baseline, options = _judged(decision)
    return Decision(
        name=raw["name"],
        file=raw["file"],
        sentence=raw["sentence"],
        verdict=verdict,
        baseline=baseline,
        options=options,
        objective=_objective(decision["objective"]) if decision else None,
        warnings=tuple(raw["warnings"]),
        notes=tuple(raw["notes"]),
        queries=tuple(_query(query) for query in raw["queries"]),
        raw=raw,
        _report=report,
    )


def _objective(raw: Mapping[str, Any]) -> Objective:
    return Objective(
        raw["goal"],
        raw["time_limit"],
        raw["budget_usd"],
        raw["runs_per_month"],
        raw["effort_usd"],
        raw["time_limit_seconds"],
    )


def _query(raw: Mapping[str, Any]) -> Query:
    verdict, baseline, options = _judged(raw["decision"])
    return Query(
        id=raw["id"],
        description=raw["description"],
        seconds=raw["seconds"],
        blocked_by=raw["blocked_by"],
        verdict=verdict,
        baseline=baseline,
        options=options,
        raw=raw,
    )


def _judged(raw: Mapping[str, Any] | None) -> tuple[Verdict, Baseline | None, tuple[Option, ...]]:
    """Verdict, baseline and options of a decision, of which there is none if nothing can be predicted."""
    if raw is None:
        return "cannot_judge", None, ()
    is_by_time = raw["lacks_price"] or raw["objective"]["goal"] == "time"
    options = enumerate(raw["options"])
    recommended = {raw["best"], *(tie["other"] for tie in raw["near_ties"])}
    return (
        raw["verdict"],
        _baseline(raw["baseline"]),
        tuple(_option(option, place in recommended, is_by_time) for place, option in options),
    )


def _baseline(raw: Mapping[str, Any]) -> Baseline:
    time, price = raw["time"], raw["price"]
    usd_per_hour = None if price is None else price["usd_per_hour"]
    seconds_low, seconds_high = time["interval_seconds"] or (None, None)
    return Baseline(
        title=raw["title"],
        seconds=time["seconds"],
        seconds_low=seconds_low,
        seconds_high=seconds_high,
        is_measured=raw["is_measured"],
        machines=raw["machines"],
        usd_per_hour=usd_per_hour,
        usd_per_run=None if usd_per_hour is None else time["seconds"] * usd_per_hour / _HOUR,
        price_source="" if price is None else price["source"],
        raw=raw,
    )


def _option(raw: Mapping[str, Any], is_recommended: bool, is_by_time: bool) -> Option:
    candidate = raw["candidate"]
    time = candidate["time"] or {"seconds": None, "interval_seconds": None}
    cost = raw["usd"] or {"value": None, "interval": None}
    seconds_low, seconds_high = time["interval_seconds"] or (None, None)
    usd_low, usd_high = cost["interval"] or (None, None)
    evidence = candidate["evidence"]
    return Option(
        title=candidate["title"],
        engine=candidate["engine"],
        is_recommended=is_recommended,
        seconds=time["seconds"],
        seconds_low=seconds_low,
        seconds_high=seconds_high,
        usd_per_hour=None if candidate["price"] is None else candidate["price"]["usd_per_hour"],
        usd_per_run=cost["value"],
        usd_per_run_low=usd_low,
        usd_per_run_high=usd_high,
        likely_faster=raw["faster"],
        likely_cheaper=raw["cheaper"],
        likely_feasible=raw["feasible"],
        likely_to_meet_goal=raw["better"],
        saving_usd=None if is_by_time else raw["saving"],
        saving_seconds=raw["saving"] if is_by_time else None,
        regret_usd=None if is_by_time else raw["regret"],
        regret_seconds=raw["regret"] if is_by_time else None,
        is_efficient=raw["is_efficient"],
        blocked_by=candidate["blocked_by"],
        fitted_to=evidence["runs"],
        differences=tuple(evidence["distance"]),
        raw=raw,
    )


def _rows(baseline: Baseline | None, options: Iterable[Option], verdict: Verdict) -> list[dict[str, Any]]:
    """The rows of a frame: today, and each option."""
    rows: list[dict[str, Any]] = []
    if baseline is not None:
        own = {"option": f"stay: {baseline.title}", "is_today": True, "is_recommended": verdict == "stay"}
        rows.append({name: own[name] if name in own else getattr(baseline, name, None) for name in UNITS})
    for option in options:
        own = {"option": option.title, "is_today": False}
        rows.append({name: own[name] if name in own else getattr(option, name) for name in UNITS})
    return rows
