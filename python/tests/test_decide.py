"""Decisions are those of the command line, to the digit."""

from __future__ import annotations

import dataclasses
import os
import pickle
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from conftest import LOG, ROOT, decided, printed

import crossover


def same_option(option: crossover.Option, raw: dict[str, Any]) -> None:
    candidate = raw["candidate"]
    assert (option.title, option.engine, option.blocked_by) == (
        candidate["title"],
        candidate["engine"],
        candidate["blocked_by"],
    )
    likelihoods = (option.likely_faster, option.likely_cheaper, option.likely_feasible, option.likely_to_meet_goal)
    assert likelihoods == (raw["faster"], raw["cheaper"], raw["feasible"], raw["better"])
    price = candidate["price"] or {"usd_per_hour": None}
    assert (option.usd_per_hour, option.is_efficient) == (price["usd_per_hour"], raw["is_efficient"])
    if candidate["time"] is None:
        assert (option.seconds, option.seconds_low, option.usd_per_run, option.usd_per_run_high) == (
            None,
            None,
            None,
            None,
        )
        return
    assert option.seconds is not None
    assert option.seconds == candidate["time"]["known_seconds"] + candidate["time"]["median_seconds"]
    assert option.seconds_low is not None and option.seconds_high is not None and option.usd_per_hour is not None
    assert option.seconds_low < option.seconds < option.seconds_high
    assert [option.usd_per_run_low, option.usd_per_run, option.usd_per_run_high] == [
        raw["usd"]["interval"][0],
        raw["usd"]["value"],
        raw["usd"]["interval"][1],
    ]
    # A cost is a time × a price, at each end of its interval too.
    hourly = option.usd_per_hour / 3600
    costs = [option.usd_per_run_low, option.usd_per_run, option.usd_per_run_high]
    times = [option.seconds_low, option.seconds, option.seconds_high]
    assert costs == pytest.approx([time * hourly for time in times])


def test_decision_has_the_numbers_of_the_command_line(shop: crossover.Decision) -> None:
    [raw] = decided(str(LOG))
    assert shop.raw == raw
    assert (shop.name, shop.file, shop.sentence) == ("shop", "shop-eventlog.zstd", raw["sentence"])
    decision = raw["decision"]
    assert shop.verdict == decision["verdict"]
    assert list(shop.warnings) == raw["warnings"]
    assert list(shop.notes) == raw["notes"]
    assert len(shop.options) == len(decision["options"]) > 0
    for option, of_json in zip(shop.options, decision["options"], strict=True):
        same_option(option, of_json)
    place = decision["best"]
    assert shop.best is (None if place is None else shop.options[place])
    assert shop.likelihood == (None if place is None else decision["options"][place]["better"])


def test_decision_agrees_with_the_table_that_people_read(shop: crossover.Decision) -> None:
    # docs/DECIDE-SPARK.md and README show these numbers of the log: 56.71 s on four cores, each for $0.048 an hour.
    assert shop.baseline is not None and shop.baseline.is_measured
    assert shop.baseline.title == "Spark 4.3.0, 1 × host with 4 executor cores"
    assert (shop.baseline.seconds_low, shop.baseline.seconds_high) == (None, None)
    assert shop.baseline.seconds == pytest.approx(56.71, abs=0.005)
    assert shop.baseline.usd_per_hour == pytest.approx(4 * 2.304 / 48)
    assert shop.baseline.usd_per_run == pytest.approx(56.71 / 3600 * 4 * 2.304 / 48, rel=1e-4)
    lines = printed("decide", str(LOG)).splitlines()
    assert shop.sentence in lines
    # A row begins with its number, and ends with the reason.
    recommended = [line.split(maxsplit=1)[1] for line in lines if "  recommended" in line]
    titles = [option.title for option in shop.options if option.is_recommended]
    assert shop.best is not None and shop.best.title in titles
    for row, title in zip(recommended, titles, strict=True):
        assert row.startswith(title)


def test_queries_are_decided_alone(shop: crossover.Decision) -> None:
    assert [query.id for query in shop.queries] == [str(number) for number in range(9)]
    query = next(query for query in shop.queries if query.id == "6")
    alone = crossover.decide(LOG, query=6)
    assert (alone.name, alone.queries) == ("query 6", ())
    assert (alone.verdict, alone.baseline, alone.options) == (query.verdict, query.baseline, query.options)
    assert alone.best == query.best
    assert query.seconds == pytest.approx(10.45, abs=0.005)


def test_arguments_are_those_of_the_command_line() -> None:
    by_cost = crossover.decide(LOG, on="4xg6.2xlarge@0.40", within=1.5, runs_per_month=3000, price_today=0.2)
    of_cost = ["--on", "4xg6.2xlarge@0.40", "--within", "1.5x", "--runs-per-month", "3000", "--price-today", "0.2"]
    [raw] = decided(str(LOG), *of_cost)
    assert by_cost.raw == raw
    assert by_cost.objective == crossover.Objective("cost", 1.5, None, 3000)
    assert by_cost.baseline is not None and by_cost.baseline.usd_per_hour == 0.2
    assert all(option.saving_seconds is None and option.regret_seconds is None for option in by_cost.options)

    base = ROOT / "scenarios/placement-truth-aws-l4.ron"
    clusters = ["2xg6.2xlarge", "3xg6.4xlarge"]
    by_time = crossover.decide(LOG, least="time", budget=0.01, query="6", base=base, on=clusters)
    of_time = ["--least", "time", "--budget", "0.01", "--query", "6", "--base", str(base)]
    [raw] = decided(str(LOG), *of_time, *(f"--on={cluster}" for cluster in clusters))
    assert by_time.raw == raw
    assert by_time.objective == crossover.Objective("time", 1, 0.01, None)
    assert "RAPIDS 25.12 (L4), 3 × g6.4xlarge" in [option.title for option in by_time.options]
    assert all(option.saving_usd is None and option.regret_usd is None for option in by_time.options)
    assert any(option.saving_seconds is not None for option in by_time.options)


def test_an_effort_is_money_or_hours_with_their_rate() -> None:
    hours = crossover.decide(LOG, effort="40h", hourly_rate=90)
    assert hours.objective is not None and hours.objective.effort_usd == 3600
    money = crossover.decide(LOG, effort=3600)
    # The command that repeats the decision has the effort as it was entered.
    assert money.raw["arguments"] == ["--effort", "3600"]
    assert {**hours.raw, "arguments": None} == {**money.raw, "arguments": None}


def test_machines_of_today_are_those_that_are_entered() -> None:
    entered = crossover.decide(LOG, today="8xc5d.12xlarge")
    [raw] = decided(str(LOG), "--today", "8xc5d.12xlarge")
    assert entered.raw == raw
    assert entered.baseline is not None and entered.baseline.title == "Spark 4.3.0, 8 × c5d.12xlarge"
    # The price of a list: assets/instances.ron.
    assert entered.baseline.usd_per_hour == pytest.approx(8 * 2.304)
    assert any("you entered 8 machines" in warning for warning in entered.warnings)


def test_option_without_measured_data_has_no_number() -> None:
    decision = crossover.decide(LOG, on="4xp4d.24xlarge")
    option = next(option for option in decision.options if "p4d.24xlarge" in option.title)
    numbers = [value for value in dataclasses.asdict(option).values() if isinstance(value, float)]
    assert numbers == [] and option.blocked_by is not None and "not on A100" in option.blocked_by


def test_several_logs_are_several_decisions(tmp_path: Path) -> None:
    # Neither a space nor a dash changes what a path is.
    other = tmp_path / "-two words"
    shutil.copy(LOG, other)
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        both = crossover.decide(str(LOG), "-two words")
    finally:
        os.chdir(here)
    assert isinstance(both, crossover.Decisions)
    assert [decision.file for decision in both] == ["shop-eventlog.zstd", "-two words"]
    assert both[0].options == both[1].options


def test_log_that_is_cut_off_is_decided_as_far_as_it_goes(tmp_path: Path) -> None:
    cut = tmp_path / "cut.zstd"
    cut.write_bytes(LOG.read_bytes()[:10_000])
    decision = crossover.decide(cut)
    assert any("truncated" in warning for warning in decision.warnings)
    last = decision.queries[-1]
    assert (last.blocked_by, last.verdict) == ("truncated log", "cannot_judge")
    assert (last.baseline, last.options, last.best) == (None, (), None)


def test_decisions_are_values(shop: crossover.Decision) -> None:
    again = crossover.decide(LOG)
    assert again == shop and hash(again) == hash(shop)
    assert pickle.loads(pickle.dumps(shop)) == shop
    with pytest.raises(dataclasses.FrozenInstanceError):
        shop.name = "other"  # type: ignore[misc]
    assert "raw" not in repr(shop)


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        ({"query": 66}, 1, "--query: unknown query “66”, did you mean “6”?; queries: 0, 1"),
        ({"base": "nowhere.ron"}, 1, "cannot read nowhere.ron: "),
        ({"within": 0}, 2, "'--within <LIMIT>': expected a factor above 0"),
        ({"on": "g6.2xlarge"}, 2, "--on g6.2xlarge: expected a number of machines and their type"),
        ({"budget": 1}, 2, "--budget: only with --least time"),
        ({"least": "money"}, 2, "possible values: cost, time"),
    ],
)
def test_error_has_the_message_of_the_program(arguments: dict[str, Any], status: int, expected: str) -> None:
    with pytest.raises(crossover.Error) as raised:
        crossover.decide(LOG, **arguments)
    message = str(raised.value)
    assert raised.value.status == status
    assert expected in message and "Usage" not in message and "--help" not in message
    assert not message.startswith(("crossover: ", "error: "))


def test_unreadable_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(crossover.Error, match=r"cannot read .*a\.log"):
        crossover.decide(tmp_path / "a.log")
    with pytest.raises(TypeError, match="a log"):
        crossover.decide()  # type: ignore[call-overload]


def test_program_that_is_missing_or_another_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(crossover.Error, match="cannot be started"):
        crossover.decide(LOG, program=tmp_path / "none")
    if os.name == "posix":
        other = tmp_path / "other"
        for says, expected in [("", "printed no JSON"), ("[{}]", "of another version"), ("[]", "of another version")]:
            other.write_text(f"#!/bin/sh\necho '{says}'\n")
            other.chmod(other.stat().st_mode | stat.S_IXUSR)
            with pytest.raises(crossover.Error, match=expected):
                crossover.decide(LOG, program=other)


def test_program_is_looked_for_in_path_where_no_wheel_is_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed = crossover.program()
    monkeypatch.setattr("crossover._program._folders", lambda: iter([tmp_path]))
    monkeypatch.setenv("PATH", str(installed.parent))
    assert crossover.program() == installed
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(crossover.Error, match="no program crossover"):
        crossover.program()
